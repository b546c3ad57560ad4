//! `impinge compare`: several methods on the problems of one scene.

use std::fmt::Write as _;
use std::path::Path;

use impinge_contact::Method;
use impinge_report::scene::{SampleSize, size_of};
use impinge_report::{
    Draft, Film, MethodRow, Page, ReportError, SceneRecord, Selection, Watch, curves, data,
};
use impinge_sim::compare::MethodRecord;
use impinge_sim::scene::StepperChoice;
use impinge_sim::{Scene, Simulation, StepReport};
use indicatif::ProgressBar;

use super::arguments::Compare;
use super::exit::{Code, Failure};
use super::interrupt::Interrupt;
use super::places::keep_inputs;
use super::run::{progress_bar, steps_of};
use super::terminal;
use super::threads::use_threads;

/// Runs the scene of `options` with the first method, and solves each of its problems with all.
pub(crate) fn compare(options: &Compare) -> Result<(), Failure> {
    let scene = Scene::load(&options.scene, &options.overrides)?;
    if scene.stepper != StepperChoice::Synchronous {
        return Err(Failure::new(
            Code::BadInput,
            "the stepper of this scene solves no contact problems, so methods cannot be compared\n  \
             mend: write stepper = \"synchronous\" in the scene",
        ));
    }
    use_threads(options.threads)?;
    let steps = compared_steps(options, &scene)?;
    // Checked first: without a writable output there is no run.
    let outputs = [
        ("--report", options.report.as_deref()),
        ("--csv", options.csv.as_deref()),
    ];
    keep_inputs(&options.scene, &scene, &outputs)?;
    let draft = claim("--report", options.report.as_deref())?;
    let csv_draft = claim("--csv", options.csv.as_deref())?;
    let mut simulation = Simulation::new(&scene)?;
    for notice in simulation.take_notices() {
        terminal::remark(&notice);
    }
    let methods = methods_of(options, &simulation)?;
    simulation.use_method(methods[0].1)?;
    let selection = Selection {
        from: options.from,
        every: 1,
    };
    let bar = progress_bar(steps, options.quiet || options.json);
    let mut watch = Watch::new(methods.clone(), selection).announcing({
        let bar = bar.clone();
        move |step, method| bar.set_message(format!("step {step}: {method}"))
    });
    if draft.is_some() {
        watch = watch.keeping_a_sample();
    }
    simulation.observe_solves(watch.clone());

    let film = draft.is_some().then(|| Film::new(&simulation, steps));
    let run = advance(&mut simulation, steps, film, &bar);
    if let Some(said) = simulation.long_step() {
        terminal::remark(said);
    }
    let compared = Compared {
        options,
        scene: &scene,
        methods: &methods,
        watch: &watch,
    };
    let records = watch.records();
    compared.print(&records)?;
    if let Some(draft) = csv_draft {
        draft
            .finish(&data::efforts(&records))
            .map_err(|error| unwritten("--csv", &error))?;
    }
    let Run { stopped, .. } = &run;
    let stopped = stopped.clone();
    if let Some(draft) = draft {
        let size = size_of(simulation.model(), run.reports.len() as u64);
        draft
            .finish(&compared.page(size, run).html())
            .map_err(|error| unwritten("--report", &error))?;
        if let (Some(path), false) = (&options.report, options.json) {
            terminal::say(&format!("report: {}", path.display()))?;
        }
    }
    stopped.map_or(Ok(()), Err)
}

/// Number of steps of the run, some of which are compared.
fn compared_steps(options: &Compare, scene: &Scene) -> Result<u64, Failure> {
    let steps = steps_of(scene, options.steps, options.until);
    if options.from > steps {
        return Err(Failure::new(
            Code::BadInput,
            format!(
                "--from {}: the run ends after {steps} steps, so no step would be compared\n  \
                 mend: give a smaller --from, or a larger --steps or --until",
                options.from
            ),
        ));
    }
    Ok(steps)
}

/// The methods to compare, at least one.
fn methods_of(
    options: &Compare,
    simulation: &Simulation,
) -> Result<Vec<(String, Method)>, Failure> {
    let of_scene = simulation.model().settings.solver;
    let methods = options
        .methods
        .iter()
        .map(|text| Ok((text.clone(), choose(text, of_scene)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    if methods.is_empty() {
        return Err(Failure::new(
            Code::BadInput,
            "--methods: give at least one method",
        ));
    }
    Ok(methods)
}

/// The file of an option, if given; claimed as writable.
fn claim(option: &str, path: Option<&Path>) -> Result<Option<Draft>, Failure> {
    path.map(Draft::claim)
        .transpose()
        .map_err(|error| unwritten(option, &error))
}

fn unwritten(option: &str, error: &ReportError) -> Failure {
    Failure::new(Code::Output, format!("{option}: {error}"))
}

/// Results of a run beside its problems.
struct Run {
    reports: Vec<StepReport>,
    film: Option<Film>,
    /// Reason for an early end.
    stopped: Option<Failure>,
}

/// Takes the steps, and records the film if requested.
fn advance(simulation: &mut Simulation, steps: u64, film: Option<Film>, bar: &ProgressBar) -> Run {
    let interrupt = Interrupt::listen();
    simulation.heed(interrupt.flag());
    let mut run = Run {
        reports: Vec::new(),
        film,
        stopped: None,
    };
    for _ in 0..steps {
        if interrupt.requested() {
            run.stopped = Some(Failure::new(Code::Interrupted, String::new()));
            break;
        }
        if let Some(film) = &mut run.film {
            film.watch(simulation);
        }
        match simulation.advance() {
            Ok(report) => run.reports.push(report),
            Err(error) => {
                run.stopped = Some(error.into());
                break;
            }
        }
        bar.inc(1);
    }
    if let Some(film) = &mut run.film {
        film.end(simulation);
    }
    bar.finish_and_clear();
    run
}

/// A comparison whose run has ended.
struct Compared<'a> {
    options: &'a Compare,
    scene: &'a Scene,
    methods: &'a [(String, Method)],
    watch: &'a Watch,
}

impl Compared<'_> {
    /// Prints the records, and the methods that do not support some problems.
    fn print(&self, records: &[MethodRecord]) -> Result<(), Failure> {
        if self.options.json {
            let text = serde_json::to_string_pretty(records)
                .map_err(|error| Failure::new(Code::Output, error.to_string()))?;
            terminal::say(&text)?;
        } else {
            terminal::say(&table(&self.scene.title, self.options.from, records))?;
        }
        for record in records {
            if let Some(refusal) = &record.refusal {
                terminal::remark(&format!(
                    "{} does not support some problems: {refusal}",
                    record.name
                ));
            }
        }
        Ok(())
    }

    /// The page for the scene, of the given `size`.
    fn page(&self, mut size: String, run: Run) -> Page {
        let interrupted = run
            .stopped
            .as_ref()
            .is_some_and(|failure| failure.code == Code::Interrupted);
        if let Some(failure) = &run.stopped {
            size += if interrupted {
                "; interrupted"
            } else {
                "; then: "
            };
            size += &failure.message;
        }
        // After an interrupt, no more solves.
        let sample = self.watch.take_sample().filter(|_| !interrupted);
        let names: Vec<&str> = self.methods.iter().map(|(name, _)| name.as_str()).collect();
        let efforts = self.watch.records();
        let reference = names.first().copied().unwrap_or_default();
        let record = SceneRecord {
            name: name_of(&self.options.scene),
            title: self.scene.title.clone(),
            size,
            reports: run.reports,
            reference: reference.to_owned(),
            methods: MethodRow::of(&efforts, reference, |_| None),
            remarks: String::new(),
            efforts,
            curves: sample
                .as_ref()
                .map(|sample| curves(sample, self.methods))
                .unwrap_or_default(),
            sample: sample.as_ref().map(SampleSize::from),
            film: run.film,
        };
        let mut page = Page::new("contact methods compared");
        page.push_scenes(&names, &[record]);
        page
    }
}

/// File name of the scene.
fn name_of(scene: &Path) -> String {
    let name = scene.file_stem().unwrap_or(scene.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Parses `NAME` or `NAME:KEY=VALUE:KEY=VALUE`; the method of the scene keeps the scene's settings.
fn choose(text: &str, of_scene: Method) -> Result<Method, Failure> {
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let mut method = if name == of_scene.name() {
        of_scene
    } else {
        Method::named(name, of_scene.tolerances()).map_err(|error| Failure::bad_input(&error))?
    };
    let refuse = |problem: String| Failure::new(Code::BadInput, format!("{text}: {problem}"));
    for setting in parts {
        let (key, value) = setting.split_once('=').ok_or_else(|| {
            refuse("write NAME:KEY=VALUE, for example ica:law=pyramid".to_owned())
        })?;
        if key.split('.').next() == Some("tolerances") {
            return Err(refuse(
                "all methods use the tolerances of the scene\n  \
                 mend: leave the setting out, or change the scene, for example with --set \
                 solver.gap_tolerance=1e-6"
                    .to_owned(),
            ));
        }
        method
            .set(key, value)
            .map_err(|error| refuse(error.to_string()))?;
    }
    method
        .validate()
        .map_err(|error| refuse(error.to_string()))?;
    Ok(method)
}

/// One line per method: means and medians over the steps, the ratio to the first method, the worst residuals.
fn table(title: &str, from: u64, records: &[MethodRecord]) -> String {
    let Some(first) = records.first() else {
        return String::new();
    };
    if first.steps.is_empty() {
        return format!("\"{title}\": nothing was compared: the run ended before step {from}");
    }
    let contacts = first.average(|step| step.contacts as f64);
    let rounds = first.average(|step| f64::from(step.solves));
    let mut text = format!(
        "\"{title}\": {} steps, {:.0} contacts and {:.1} solves a step; per step, mean (median)\n",
        first.steps.len(),
        contacts.mean,
        rounds.mean
    );
    let width = records
        .iter()
        .map(|r| r.name.len())
        .max()
        .unwrap_or(0)
        .max(6);
    let [products, seconds] = [
        first.average(|step| step.products as f64).mean,
        first.average(|step| step.seconds).mean,
    ];
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "{:width$}  {:>16}  {:>16}  {:>7}  {:>18}  {:>7}  {:>7}  {:>5}  {:>7}  {:>27}",
        "method",
        "iterations",
        "products with A",
        "ratio",
        "processor ms",
        "ratio",
        "changes",
        "unmet",
        "relaxed",
        "worst e_v, e_n, e_t, depth"
    );
    for record in records {
        let iterations = record.average(|step| step.iterations as f64);
        let all = record.average(|step| step.products as f64);
        let time = record.average(|step| step.seconds);
        let changes = record.average(|step| step.state_changes as f64).mean;
        let unmet = record.total(|step| step.unmet);
        let relaxed = record.total(|step| step.relaxed);
        let _ = write!(
            text,
            "\n{:width$}  {:>16}  {:>16}  {:>7.2}  {:>18}  {:>7.2}  {changes:>7.0}  {unmet:>5}  {relaxed:>7}  {:>27}",
            record.name,
            format!("{:.1} ({:.1})", iterations.mean, iterations.median),
            format!("{:.1} ({:.1})", all.mean, all.median),
            all.mean / products,
            format!("{:.2} ({:.2})", 1e3 * time.mean, 1e3 * time.median),
            time.mean / seconds,
            format!(
                "{:.2} {:.2} {:.2} {:.2}",
                record.worst(|step| step.momentum),
                record.worst(|step| step.normal),
                record.worst(|step| step.friction),
                record.worst(|step| step.penetration)
            ),
        );
    }
    text += "\nchanges: state changes a step; unmet: solves with a residual above twice its tolerance; relaxed: \
             solves with friction converged to the gap tolerance only; e: residual / tolerance; depth: deepest \
             penetration / gap tolerance";
    text
}

#[cfg(test)]
mod tests {
    use super::table;
    use impinge_contact::Method;
    use impinge_sim::compare::Comparison;

    /// Symptom: a run interrupted before `--from` printed ratios of zero to zero.
    #[test]
    fn a_run_that_ends_before_the_first_compared_step_says_so() {
        let method =
            Method::Cr(impinge_contact::method::active_set_cr::ActiveSetCrSettings::default());
        let records = Comparison::new([("cr".to_owned(), method)]).records();
        let text = table("rings", 50, &records);
        assert!(text.contains("nothing was compared"), "{text}");
        assert!(text.contains("step 50") && !text.contains("NaN"), "{text}");
    }
}
