//! methods: whole scenes by the default method, proven free of intersections step by step, and every method on the
//! problems of these scenes.

use std::error::Error;
use std::fmt::Write as _;

use impinge_contact::method::MethodError;
use impinge_contact::{ContactError, ContactSolution, Method};
use impinge_report::convergence::answers;
use impinge_report::effort::pair;
use impinge_report::scene::{SampleSize, size_of};
use impinge_report::watch::Sample;
use impinge_report::{Curve, Film, MethodRow, SceneRecord, Watch, curves};
use impinge_sim::compare::{Average, MethodRecord, StepEffort};
use impinge_sim::report::StageTimes;
use impinge_sim::stepper::{Solve, SolveObserver};
use impinge_sim::{Scene, Simulation, State, StepReport};

use super::overlap::overlaps;
use super::parts;
use super::progress::Progress;
use super::scenes::{CASES, Case, Plan, untrue};
use super::{Extent, table::Table};

/// The methods: the default, the paper's, then their rivals.
pub(super) const METHODS: [&str; 7] = [
    "cr",
    "cr-full",
    "cr-diagonal",
    "sp-active-set",
    "sp-2cr",
    "ica",
    "active-set",
];

/// The reference of ratios.
const REFERENCE: &str = "cr-full";

/// Runs the scenes (those of `chosen`, if any), and adds the guarantees to `table`.
pub(super) fn fill(
    table: &mut Table,
    extent: Extent,
    chosen: &[String],
) -> Result<Vec<SceneRecord>, Box<dyn Error>> {
    if let Some(name) = chosen
        .iter()
        .find(|name| CASES.iter().all(|case| case.name(extent) != **name))
    {
        let known: Vec<&str> = CASES.iter().map(|case| case.name(extent)).collect();
        return Err(format!(
            "there is no scene `{name}`; choose from {}",
            known.join(", ")
        )
        .into());
    }
    let mut records = Vec::new();
    for case in CASES {
        let name = case.name(extent);
        if !chosen.is_empty() && chosen.iter().all(|chosen| chosen != name) {
            continue;
        }
        let Some(scene) = case.load(extent)? else {
            table.skip_without_data(name);
            continue;
        };
        let record = examine(table, case, &scene, (extent, case.plan(extent)))?;
        println!("{}", comparison(&record));
        records.push(record);
    }
    Ok(records)
}

/// Comparisons of the methods, and of their variants.
struct Both(Watch, Watch);

impl SolveObserver for Both {
    fn solved(&mut self, solve: &Solve<'_>) {
        self.0.solved(solve);
        self.1.solved(solve);
    }

    fn wants_bodies(&self) -> bool {
        self.0.wants_bodies() || self.1.wants_bodies()
    }
}

/// Result of one run.
struct Run {
    reports: Vec<StepReport>,
    /// State after the steps that are repeated.
    halfway: State,
    overlaps: usize,
    film: Option<Film>,
    /// Reason of an early stop.
    stopped: Option<String>,
}

fn examine(
    table: &mut Table,
    case: &Case,
    scene: &Scene,
    (extent, plan): (Extent, Plan),
) -> Result<SceneRecord, Box<dyn Error>> {
    let name = case.name(extent);
    if let Some(problem) = untrue(scene) {
        println!("{name}: \"{}\": {problem}", scene.title);
    }
    table.certain(
        &format!("{name}: its title says what runs"),
        untrue(scene).is_none(),
    );
    let simulation = Simulation::new(scene)?;
    let model = simulation.model();
    let size = size_of(model, plan.steps);
    let tolerances = model.settings.solver.tolerances();
    let contenders = METHODS
        .iter()
        .map(|&name| Ok((name.to_owned(), Method::named(name, tolerances)?)))
        .collect::<Result<Vec<_>, MethodError>>()?;
    let selection = plan.selection();
    let progress = Progress::new(name, plan.steps);
    let watch = Watch::new(contenders.clone(), selection)
        .keeping_a_sample()
        .announcing(progress.announce());
    let variants = match extent {
        Extent::Full if case.parts => parts::contenders(tolerances)?,
        _ => Vec::new(),
    };
    let variants = Watch::new(variants, selection).announcing(progress.announce());
    let both = Both(watch.clone(), variants.clone());
    let first = run(simulation, plan, Some((both, &progress)), 1)?;
    drop(progress);
    let again = Plan {
        steps: plan.again,
        ..plan
    };
    let second = run(Simulation::new(scene)?, again, None, 3)?;
    let (efforts, sample) = (watch.records(), watch.take_sample());
    let (curves, repeatable) = match &sample {
        Some(sample) => converge(sample, &contenders)?,
        None => (Vec::new(), true),
    };

    hold_to_the_guarantees(table, (name, plan), (&first, &second), &efforts);
    table.certain(
        &format!("{name}: every method's answer the same on 1 and 3 threads"),
        repeatable,
    );
    let parts = parts::rows(&variants.records());
    if !parts.is_empty() {
        println!("{}", parts::text(&parts));
    }
    let methods = MethodRow::of(&efforts, REFERENCE, |method| {
        case.paper_ratio(method, REFERENCE)
    });
    beside_the_paper(table, name, &methods);
    if let (Extent::Full, Some(most)) = (extent, case.heap) {
        hold_to_the_order(table, name, &methods, most);
    }
    Ok(SceneRecord {
        name: name.to_owned(),
        title: scene.title.clone(),
        size,
        reference: REFERENCE.to_owned(),
        methods,
        remarks: if parts.is_empty() {
            String::new()
        } else {
            parts::section(&parts)
        },
        reports: first.reports,
        efforts,
        sample: sample.as_ref().map(SampleSize::from),
        curves,
        film: first.film,
    })
}

/// Requirements on every run: complete, free of intersections, every solve converged, and the same bits on other
/// threads.
fn hold_to_the_guarantees(
    table: &mut Table,
    (name, plan): (&str, Plan),
    (first, second): (&Run, &Run),
    efforts: &[MethodRecord],
) {
    if let Some(reason) = &first.stopped {
        println!("{name}: {reason}");
    }
    table.exactly(
        &format!("{name}: steps taken"),
        first.reports.len(),
        plan.steps as usize,
    );
    table.exactly(
        &format!(
            "{name}: triangle pairs that intersect (exact), points below a half-space, any step"
        ),
        first.overlaps,
        0,
    );
    let contacts = efforts.first().map_or(f64::NAN, |effort| {
        let counts = effort.steps.iter().map(|step| step.contacts as f64);
        counts.fold(f64::INFINITY, f64::min)
    });
    table.at_least(
        &format!("{name}: contacts of the compared steps, fewest"),
        contacts,
        1.0,
    );
    let inexact: u32 = first
        .reports
        .iter()
        .map(|report| report.inexact_solves)
        .sum();
    table.exactly(
        &format!("{name}: parts of steps taken without convergence"),
        inexact as usize,
        0,
    );
    let total = |count: fn(&StepEffort) -> u32| -> usize {
        efforts
            .iter()
            .map(|effort| effort.total(count) as usize)
            .sum()
    };
    table.exactly(
        &format!("{name}: answers called converged that are not"),
        total(|step| step.false_claims),
        0,
    );
    table.exactly(
        &format!("{name}: answers with a number that is not finite"),
        total(|step| step.not_finite),
        0,
    );
    table.certain(
        &format!("{name}: the same {} steps on 1 and 3 threads", plan.again),
        same_bits(&first.halfway, &second.halfway)
            && first
                .reports
                .iter()
                .zip(&second.reports)
                .all(|(a, b)| a == b),
    );
}

/// Convergence of each method on one thread, and whether all solutions have the same bits on three.
fn converge(
    sample: &Sample,
    methods: &[(String, Method)],
) -> Result<(Vec<Curve>, bool), Box<dyn Error>> {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let curves = pool(1)?.install(|| curves(sample, methods));
    let again = pool(3)?.install(|| {
        methods
            .iter()
            .map(|(_, method)| answers(sample, *method))
            .collect::<Result<Vec<_>, ContactError>>()
    })?;
    let same = curves.len() == again.len()
        && curves
            .iter()
            .zip(&again)
            .all(|(curve, again)| bits(&curve.answers) == bits(again));
    Ok((curves, same))
}

fn bits(answers: &[ContactSolution]) -> Vec<u64> {
    let forces = |answer: &ContactSolution| {
        let forces = answer.contacts.iter().flat_map(|contact| {
            let [f1, f2] = contact.friction_force();
            [contact.lambda, f1, f2]
        });
        forces.collect::<Vec<f64>>()
    };
    answers
        .iter()
        .flat_map(|answer| [answer.velocity.clone(), forces(answer)])
        .flatten()
        .map(f64::to_bits)
        .collect()
}

/// Takes the steps of `plan`; a watch checks and records each of them.
fn run(
    mut simulation: Simulation,
    plan: Plan,
    watch: Option<(Both, &Progress)>,
    threads: usize,
) -> Result<Run, Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let certify = watch.is_some();
    let progress = watch.map(|(watch, progress)| {
        simulation.observe_solves(watch);
        progress
    });
    let mut run = Run {
        reports: Vec::new(),
        halfway: simulation.state().clone(),
        overlaps: 0,
        film: certify.then(|| Film::new(&simulation, plan.steps)),
        stopped: None,
    };
    pool.install(|| {
        for step in 0..plan.steps {
            if let Some(film) = &mut run.film {
                film.watch(&simulation);
            }
            match simulation.advance() {
                Ok(mut report) => {
                    if let Some(progress) = progress {
                        progress.step(report.step, plan.selection().holds(report.step));
                    }
                    report.times = StageTimes::default();
                    run.reports.push(report);
                }
                Err(error) => {
                    run.stopped = Some(error.to_string());
                    break;
                }
            }
            if certify {
                let (model, state) = (simulation.model(), simulation.state());
                run.overlaps += overlaps(model, state);
            }
            if step + 1 == plan.again {
                run.halfway = simulation.state().clone();
            }
        }
        if let Some(film) = &mut run.film {
            film.end(&simulation);
        }
    });
    Ok(run)
}

fn same_bits(a: &State, b: &State) -> bool {
    let bits = |state: &State| -> Vec<u64> {
        let vectors = (state.positions.iter().chain(&state.velocities)).chain(&state.accelerations);
        vectors
            .flat_map(|v| [v.x, v.y, v.z])
            .map(f64::to_bits)
            .collect()
    };
    a.step == b.step && bits(a) == bits(b)
}

/// Iterations of each method over those of the reference, and the ratio of the paper where it states one.
fn beside_the_paper(table: &mut Table, name: &str, rows: &[MethodRow]) {
    for row in rows.iter().filter(|row| row.name != REFERENCE) {
        let case = format!("{name}: iterations of {} over {REFERENCE}", row.name);
        let paper = row
            .paper
            .map_or_else(String::new, |ratio| format!(" (paper: {ratio})"));
        let Average { mean, median, .. } = row.ratio;
        table.figure(&(case + &paper), format!("{mean:.2}, median {median:.2}"));
    }
}

/// Largest ratio of iterations, reference over default method.
const MOST_OF_FULL: f64 = 4.0;

/// A figure of one method.
type Measure = fn(&MethodRow) -> Average;

/// The paper's findings on its heaps: each refinement of conjugate residuals pays, and staggered projections do not.
/// The order compares means, ratios compare medians, because a few solves with cycling active sets dominate means.
/// Times are of one run on this machine. These are aims: rivals may do better than in the paper (see
/// `docs/methods/rivals.md`).
fn hold_to_the_order(table: &mut Table, name: &str, rows: &[MethodRow], most: f64) {
    let row = |method: &str| rows.iter().find(|row| row.name == method);
    let of = |method: &str| row(method).map_or(f64::NAN, |row| row.iterations.mean);
    let [full, diagonal, two, active] =
        [REFERENCE, "cr-diagonal", "sp-2cr", "sp-active-set"].map(of);
    table.at_most(
        &format!("{name}: iterations a step of the default method"),
        of("cr"),
        most,
    );
    // Far above the usual value: detects failures of the method.
    table.at_most(
        &format!("{name}: iterations a step of {REFERENCE}"),
        full,
        MOST_OF_FULL * most,
    );
    table.aim(
        &format!("{name}: cr-full < cr-diagonal < sp-2cr < sp-active-set"),
        full < diagonal && diagonal < two && two < active,
    );
    for (method, least) in [("cr-diagonal", 2.0), ("sp-active-set", 5.0)] {
        let measures: [(&str, Measure); 2] = [
            ("iterations", |row| row.ratio),
            ("time", |row| row.time_ratio),
        ];
        for (what, measure) in measures {
            let ratio = row(method).map(measure);
            let of = |pick: fn(Average) -> f64| ratio.map_or(f64::NAN, pick);
            let case = format!("{name}: {method} over {REFERENCE}, {what}");
            table.figure(
                &format!("{case}, of the means"),
                format!("{:.2}", of(|ratio| ratio.mean)),
            );
            table.aim_at_least(
                &format!("{case}, of the medians"),
                of(|ratio| ratio.median),
                least,
            );
        }
    }
}

/// The comparison as text.
fn comparison(record: &SceneRecord) -> String {
    let contacts = record.efforts.first().map_or(f64::NAN, |effort| {
        effort.average(|step| step.contacts as f64).mean
    });
    let steps = record
        .efforts
        .first()
        .map_or(0, |effort| effort.steps.len());
    let mut text = format!(
        "{}: {}\n  every method on the problems of {steps} steps, {contacts:.0} contacts; per step, mean (median)\n",
        record.name, record.size
    );
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "  {:<14}{:>16}{:>14}{:>7}{:>9}{:>18}{:>14}{:>8}{:>7}{:>8}  e_v, e_n, e_t, depth over tolerance",
        "method",
        "iterations",
        "/cr-full",
        "paper",
        "products",
        "processor ms",
        "/cr-full",
        "changes",
        "unmet",
        "relaxed"
    );
    for row in &record.methods {
        let [e_v, e_n, e_t, depth] = row.residuals;
        let _ = write!(
            text,
            "\n  {:<14}{:>16}{:>14}{:>7}{:>9.0}{:>18}{:>14}{:>8.0}{:>7}{:>8}  {e_v:.2} {e_n:.2} {e_t:.2} {depth:.2}",
            row.name,
            pair(row.iterations, 1),
            pair(row.ratio, 2),
            row.paper.map_or_else(|| "-".to_owned(), |x| x.to_string()),
            row.products,
            pair(row.milliseconds, 1),
            pair(row.time_ratio, 2),
            row.state_changes,
            row.unmet,
            row.relaxed,
        );
    }
    text + "\n"
}
