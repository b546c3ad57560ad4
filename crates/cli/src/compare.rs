//! `impinge compare`: several methods on the problems of one scene.

use std::fmt::Write as _;
use std::fs;

use impinge_contact::Method;
use impinge_sim::compare::{Comparison, MethodRecord};
use impinge_sim::scene::StepperChoice;
use impinge_sim::{Scene, Simulation};

use super::arguments::Compare;
use super::exit::{Code, Failure};
use super::interrupt::Interrupt;
use super::run::{progress_bar, steps_of, use_threads};
use super::terminal;

/// Runs the scene of `options` by the first method, and solves each of its problems by all.
pub(crate) fn compare(options: &Compare) -> Result<(), Failure> {
    let scene = Scene::load(&options.scene, &options.overrides)?;
    if scene.stepper != StepperChoice::Synchronous {
        return Err(Failure::new(
            Code::BadInput,
            "this scene's stepper poses no contact problems that methods could be compared on; write stepper = \"synchronous\" in it",
        ));
    }
    use_threads(options.threads)?;
    let mut simulation = Simulation::new(&scene)?;
    for notice in simulation.take_notices() {
        terminal::remark(&notice);
    }
    let methods = options
        .methods
        .iter()
        .map(|text| Ok((text.clone(), choose(text, simulation.model().solver)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let Some(&(_, first)) = methods.first() else {
        return Err(Failure::new(Code::BadInput, "--methods: name at least one"));
    };
    let comparison = Comparison::new(methods);
    simulation.use_method(first);
    let interrupt = Interrupt::listen();

    let steps = steps_of(&scene, options.steps, options.until);
    if options.from > steps {
        return Err(Failure::new(
            Code::BadInput,
            format!(
                "--from {}: the run ends after {steps} steps, before there is anything to compare\n  mend: give an earlier step, or more with --steps or --until",
                options.from
            ),
        ));
    }
    let bar = progress_bar(steps, options.quiet || options.json);
    let mut stopped = None;
    for step in 1..=steps {
        if interrupt.requested() {
            stopped = Some(Failure::new(Code::Interrupted, String::new()));
            break;
        }
        if step == options.from {
            simulation.observe_solves(comparison.clone());
        }
        if let Err(error) = simulation.advance() {
            stopped = Some(error.into());
            break;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();

    let records = comparison.records();
    if options.json {
        let text = serde_json::to_string_pretty(&records)
            .map_err(|error| Failure::new(Code::Output, error.to_string()))?;
        terminal::say(&text);
    } else {
        terminal::say(&table(&scene.title, &records));
    }
    if let Some(path) = &options.csv {
        fs::write(path, csv(&records)).map_err(|error| {
            Failure::new(
                Code::Output,
                format!("{} could not be written: {error}", path.display()),
            )
        })?;
    }
    stopped.map_or(Ok(()), Err)
}

/// `NAME` or `NAME:KEY=VALUE:KEY=VALUE`; the scene's own method keeps the settings of the scene.
fn choose(text: &str, of_scene: Method) -> Result<Method, Failure> {
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let mut method = if name == of_scene.name() {
        of_scene
    } else {
        Method::named(name, of_scene.tolerances()).map_err(|error| Failure::bad_input(&error))?
    };
    for setting in parts {
        let (key, value) = setting.split_once('=').ok_or_else(|| {
            Failure::new(
                Code::BadInput,
                format!("{text}: write NAME:KEY=VALUE, for example ica:law=pyramid"),
            )
        })?;
        method
            .set(key, value)
            .map_err(|error| Failure::bad_input(&error))?;
    }
    Ok(method)
}

/// One line a method: means and medians over the steps, the ratio to the first method, the worst residuals.
fn table(title: &str, records: &[MethodRecord]) -> String {
    let Some(first) = records.first() else {
        return String::new();
    };
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
        "{:width$}  {:>16}  {:>16}  {:>7}  {:>18}  {:>7}  {:>5}  {:>7}  {:>22}",
        "method",
        "iterations",
        "products with A",
        "ratio",
        "processor ms",
        "ratio",
        "unmet",
        "relaxed",
        "worst e_v, e_n, e_t"
    );
    for record in records {
        let iterations = record.average(|step| step.iterations as f64);
        let all = record.average(|step| step.products as f64);
        let time = record.average(|step| step.seconds);
        let unmet: u32 = record.steps.iter().map(|step| step.unmet).sum();
        let relaxed: u32 = record.steps.iter().map(|step| step.relaxed).sum();
        let _ = write!(
            text,
            "\n{:width$}  {:>16}  {:>16}  {:>7.2}  {:>18}  {:>7.2}  {unmet:>5}  {relaxed:>7}  {:>22}",
            record.name,
            format!("{:.1} ({:.1})", iterations.mean, iterations.median),
            format!("{:.1} ({:.1})", all.mean, all.median),
            all.mean / products,
            format!("{:.2} ({:.2})", 1e3 * time.mean, 1e3 * time.median),
            time.mean / seconds,
            format!(
                "{:.2} {:.2} {:.2}",
                record.worst(|step| step.momentum),
                record.worst(|step| step.normal),
                record.worst(|step| step.friction)
            ),
        );
    }
    text += "\nunmet: solves beyond twice a tolerance; relaxed: friction to the gap tolerance; e: residuals over their tolerances";
    text
}

/// Iterations, products and seconds of every step and method.
fn csv(records: &[MethodRecord]) -> String {
    let mut text = "method,step,solves,contacts,iterations,products,seconds,unmet,relaxed,momentum,normal,friction\n".to_owned();
    for record in records {
        for step in &record.steps {
            let _ = writeln!(
                text,
                "\"{}\",{},{},{},{},{},{:?},{},{},{:?},{:?},{:?}",
                record.name,
                step.step,
                step.solves,
                step.contacts,
                step.iterations,
                step.products,
                step.seconds,
                step.unmet,
                step.relaxed,
                step.momentum,
                step.normal,
                step.friction
            );
        }
    }
    text
}
