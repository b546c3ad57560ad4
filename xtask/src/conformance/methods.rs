//! methods: whole scenes by the default method, proven free of intersections step by step, and the problems that they
//! meet by every method.

use std::error::Error;
use std::fmt::Write as _;

use impinge_geometry::exact::surface_intersections;
use impinge_sim::compare::{Average, MethodRecord, StepEffort};
use impinge_sim::report::StageTimes;
use impinge_sim::{Scene, Simulation, State, StepReport};

use super::convergence::{Curve, curves};
use super::effort::{REFERENCE, Watch};
use super::report::Film;
use super::scenes::{CASES, Case, Plan};
use super::{Extent, table::Table};

/// Frames of a film.
const FRAMES: u64 = 12;

/// Most surface triangles of a scene that is filmed: the page must stay light.
const FILMED_TRIANGLES: usize = 120_000;

/// All that was found out about one scene.
pub(super) struct SceneRecord {
    pub(super) name: &'static str,
    pub(super) title: String,
    /// Bodies, elements, triangles and steps in words.
    pub(super) size: String,
    pub(super) reports: Vec<StepReport>,
    pub(super) methods: Vec<MethodRow>,
    pub(super) efforts: Vec<MethodRecord>,
    /// Step and contacts of the problem of `curves`.
    pub(super) sample: Option<(u64, usize)>,
    pub(super) curves: Vec<Curve>,
    pub(super) film: Option<Film>,
}

/// One line of the comparison.
pub(super) struct MethodRow {
    pub(super) name: String,
    pub(super) iterations: Average,
    /// Iterations over those of [`REFERENCE`]: of the means, of the medians.
    pub(super) ratio: Average,
    pub(super) paper: Option<f64>,
    pub(super) products: f64,
    pub(super) milliseconds: Average,
    pub(super) time_ratio: f64,
    pub(super) state_changes: f64,
    pub(super) unmet: u32,
    pub(super) relaxed: u32,
    /// Largest `e_v`, `e_n`, `e_t` and penetration, over their tolerances.
    pub(super) residuals: [f64; 4],
}

/// Runs the scenes (those of `chosen`, if any), and fills `table` with what must hold.
pub(super) fn fill(
    table: &mut Table,
    extent: Extent,
    chosen: &[String],
) -> Result<Vec<SceneRecord>, Box<dyn Error>> {
    if let Some(name) = chosen
        .iter()
        .find(|name| CASES.iter().all(|case| case.name != **name))
    {
        let known: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        return Err(format!(
            "there is no scene `{name}`; choose from {}",
            known.join(", ")
        )
        .into());
    }
    let mut records = Vec::new();
    for case in CASES {
        if !chosen.is_empty() && chosen.iter().all(|name| name != case.name) {
            continue;
        }
        let Some(plan) = case.plan(extent) else {
            println!("{}: only with --full", case.name);
            continue;
        };
        let Some(scene) = case.load(extent)? else {
            println!(
                "{}: left out, its meshes are found through IMPINGE_DATA",
                case.name
            );
            continue;
        };
        let record = examine(table, case, &scene, (extent, plan))?;
        println!("{}", comparison(&record));
        records.push(record);
    }
    Ok(records)
}

/// What one run left.
struct Run {
    reports: Vec<StepReport>,
    /// State after the steps that are taken again.
    halfway: State,
    intersections: usize,
    film: Option<Film>,
    /// Why it stopped early.
    stopped: Option<String>,
}

fn examine(
    table: &mut Table,
    case: &Case,
    scene: &Scene,
    (extent, plan): (Extent, Plan),
) -> Result<SceneRecord, Box<dyn Error>> {
    let name = case.name;
    let simulation = Simulation::new(scene)?;
    let model = simulation.model();
    let size = format!(
        "{} bodies, {} elements, {} triangles, {} steps of {:e} s",
        model.bodies.len(),
        model.tets.len(),
        model.surface.triangles().len(),
        plan.steps,
        model.time_step
    );
    let tolerances = model.solver.tolerances();
    let watch = Watch::new(plan, tolerances)?;
    let first = run(simulation, plan, Some(watch.clone()), 1)?;
    let again = Plan {
        steps: plan.again,
        ..plan
    };
    let second = run(Simulation::new(scene)?, again, None, 3)?;
    let (efforts, sample) = watch.take();
    let curves = match &sample {
        Some(sample) => curves(sample)?,
        None => Vec::new(),
    };

    if let Some(reason) = &first.stopped {
        println!("{name}: {reason}");
    }
    table.exactly(
        &format!("{name}: steps taken"),
        first.reports.len(),
        plan.steps as usize,
    );
    table.exactly(
        &format!("{name}: intersecting triangle pairs of any step, exact"),
        first.intersections,
        0,
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
    table.certain(
        &format!("{name}: every method's answer the same on 1 and 3 threads"),
        curves.iter().all(|curve| curve.same_bits),
    );
    let methods = rows(case, &efforts);
    if let (Extent::Full, Some(most)) = (extent, case.settled) {
        hold_to_the_order(table, name, &methods, most);
    }
    Ok(SceneRecord {
        name,
        title: scene.title.clone(),
        size,
        methods,
        reports: first.reports,
        efforts,
        sample: sample.map(|sample| (sample.step, sample.problem.contacts())),
        curves,
        film: first.film,
    })
}

/// Takes the steps of `plan`; with a watch, proves and films each of them.
fn run(
    mut simulation: Simulation,
    plan: Plan,
    watch: Option<Watch>,
    threads: usize,
) -> Result<Run, Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let certify = watch.is_some();
    if let Some(watch) = watch {
        simulation.observe_solves(watch);
    }
    let triangles = simulation.model().surface.triangles().len();
    let mut run = Run {
        reports: Vec::new(),
        halfway: simulation.state().clone(),
        intersections: 0,
        film: (certify && triangles <= FILMED_TRIANGLES).then(|| Film::new(simulation.model())),
        stopped: None,
    };
    pool.install(|| {
        for step in 0..plan.steps {
            let filmed = step % plan.steps.div_ceil(FRAMES).max(1) == 0;
            if let (Some(film), true) = (&mut run.film, filmed) {
                film.push(simulation.state());
            }
            match simulation.advance() {
                Ok(mut report) => {
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
                run.intersections +=
                    surface_intersections(&state.positions, &model.surface, 100).len();
            }
            if step + 1 == plan.again {
                run.halfway = simulation.state().clone();
            }
        }
        if let Some(film) = &mut run.film {
            film.push(simulation.state());
        }
    });
    Ok(run)
}

fn same_bits(a: &State, b: &State) -> bool {
    let bits = |state: &State| -> Vec<u64> {
        let vectors = state.positions.iter().chain(&state.velocities);
        vectors
            .flat_map(|v| [v.x, v.y, v.z])
            .map(f64::to_bits)
            .collect()
    };
    a.step == b.step && bits(a) == bits(b)
}

/// What the paper found of a settled heap: each refinement of conjugate residuals pays, and staggered projections do not.
fn hold_to_the_order(table: &mut Table, name: &str, rows: &[MethodRow], most: f64) {
    let of = |method: &str| {
        let row = rows.iter().find(|row| row.name == method);
        row.map_or(f64::NAN, |row| row.iterations.mean)
    };
    let [full, diagonal, two, active] =
        [REFERENCE, "cr-diagonal", "sp-2cr", "sp-active-set"].map(of);
    table.at_most(
        &format!("{name}: iterations a step of the default method"),
        of("cr"),
        most,
    );
    table.certain(
        &format!("{name}: cr-full < cr-diagonal < sp-2cr < sp-active-set"),
        full < diagonal && diagonal < two && two < active,
    );
    table.at_most(
        &format!("{name}: cr-full over sp-active-set"),
        full / active,
        0.2,
    );
    table.at_most(
        &format!("{name}: cr-full over cr-diagonal"),
        full / diagonal,
        0.5,
    );
}

fn rows(case: &Case, efforts: &[MethodRecord]) -> Vec<MethodRow> {
    let Some(reference) = efforts.iter().find(|effort| effort.name == REFERENCE) else {
        return Vec::new();
    };
    let iterations = |effort: &MethodRecord| effort.average(|step| step.iterations as f64);
    let seconds = |effort: &MethodRecord| effort.average(|step| step.seconds);
    let reference_iterations = iterations(reference);
    let time = seconds(reference).mean;
    efforts
        .iter()
        .map(|effort| {
            let own = iterations(effort);
            let own_time = seconds(effort);
            MethodRow {
                name: effort.name.clone(),
                iterations: own,
                ratio: Average {
                    mean: own.mean / reference_iterations.mean,
                    median: own.median / reference_iterations.median,
                },
                paper: case.paper_ratio(&effort.name, REFERENCE),
                products: effort.average(|step| step.products as f64).mean,
                milliseconds: Average {
                    mean: 1e3 * own_time.mean,
                    median: 1e3 * own_time.median,
                },
                time_ratio: own_time.mean / time,
                state_changes: effort.average(|step| step.state_changes as f64).mean,
                unmet: effort.total(|step| step.unmet),
                relaxed: effort.total(|step| step.relaxed),
                residuals: [
                    effort.worst(|step| step.momentum),
                    effort.worst(|step| step.normal),
                    effort.worst(|step| step.friction),
                    effort.worst(|step| step.penetration),
                ],
            }
        })
        .collect()
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
        "  {:<14}{:>16}{:>14}{:>7}{:>9}{:>18}{:>7}{:>8}{:>7}{:>8}  e_v, e_n, e_t, depth over tolerance",
        "method",
        "iterations",
        "/cr-full",
        "paper",
        "products",
        "processor ms",
        "ratio",
        "changes",
        "unmet",
        "relaxed"
    );
    for row in &record.methods {
        let [e_v, e_n, e_t, depth] = row.residuals;
        let _ = write!(
            text,
            "\n  {:<14}{:>16}{:>14}{:>7}{:>9.0}{:>18}{:>7.2}{:>8.0}{:>7}{:>8}  {e_v:.2} {e_n:.2} {e_t:.2} {depth:.2}",
            row.name,
            pair(row.iterations, 1),
            pair(row.ratio, 2),
            row.paper.map_or_else(|| "-".to_owned(), |x| x.to_string()),
            row.products,
            pair(row.milliseconds, 1),
            row.time_ratio,
            row.state_changes,
            row.unmet,
            row.relaxed,
        );
    }
    text + "\n"
}

/// `mean (median)`.
pub(super) fn pair(average: Average, digits: usize) -> String {
    let Average { mean, median } = average;
    format!("{mean:.digits$} ({median:.digits$})")
}
