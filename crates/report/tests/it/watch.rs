//! Selection of the problems that are compared, and of those that are kept.

use impinge_contact::Method;
use impinge_report::convergence::curves;
use impinge_report::{Selection, Watch};
use impinge_sim::stepper::{Solve, SolveObserver};
use impinge_sim::{Scene, Simulation};

use super::{LANDING, land};

/// Passes each solve on that many times, and records step and contacts.
struct Repeat {
    watch: Watch,
    times: usize,
    seen: std::sync::Arc<std::sync::Mutex<Vec<(u64, usize)>>>,
}

impl SolveObserver for Repeat {
    fn solved(&mut self, solve: &Solve<'_>) {
        let mut seen = self.seen.lock().expect("one thread");
        for _ in 0..self.times {
            self.watch.solved(solve);
            seen.push((solve.stamp.step, solve.problem.contacts()));
        }
    }
}

/// Runs four steps and returns the watch, with step and contacts of every solve passed to it.
fn watched(times: usize) -> (Watch, Vec<(u64, usize)>) {
    let scene = Scene::parse("landing.toml", LANDING, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("a simulation");
    let method = simulation.model().settings.solver;
    let selection = Selection { from: 1, every: 1 };
    let watch = Watch::new([("cr".to_owned(), method)], selection).keeping_a_sample();
    let seen = std::sync::Arc::default();
    simulation.observe_solves(Repeat {
        watch: watch.clone(),
        times,
        seen: std::sync::Arc::clone(&seen),
    });
    for _ in 0..4 {
        simulation.advance().expect("a step");
    }
    let seen = seen.lock().expect("one thread").clone();
    (watch, seen)
}

#[test]
fn the_step_with_the_most_contacts_is_kept_with_all_its_solves() {
    let (watch, seen) = watched(1);
    let sample = watch.take_sample().expect("contacts");
    let most = seen.iter().map(|&(_, contacts)| contacts).max();
    assert_eq!(Some(sample.contacts()), most);
    let kept: Vec<usize> = sample.rounds.iter().map(|r| r.problem.contacts()).collect();
    let shown: Vec<usize> = seen
        .iter()
        .filter(|(step, _)| *step == sample.step)
        .map(|&(_, contacts)| contacts)
        .collect();
    assert_eq!(kept, shown);
    assert!(watch.take_sample().is_none(), "it was taken");
}

/// A step of very many solves must exhaust neither the memory nor the plot.
#[test]
fn no_more_than_fourteen_solves_of_a_step_are_kept() {
    let (watch, seen) = watched(20);
    let sample = watch.take_sample().expect("contacts");
    let shown = seen.iter().filter(|(step, _)| *step == sample.step).count();
    assert_eq!(sample.rounds.len(), 14);
    assert_eq!(sample.left_out, shown - 14);
    let tolerances = sample.rounds[0].tolerances;
    let method = Method::named("ica", tolerances).expect("a method");
    let curve = curves(&sample, &[("ica".to_owned(), method)]).remove(0);
    assert!(curve.points.len() <= 28 && curve.rounds.len() == 13);
}

#[test]
fn only_selected_steps_are_compared() {
    let selection = Selection { from: 3, every: 5 };
    let held: Vec<u64> = (0..20).filter(|&step| selection.holds(step)).collect();
    assert_eq!(held, [3, 8, 13, 18]);
    let records = land(&["cr"], 3, 4).records;
    let steps: Vec<u64> = records[0].steps.iter().map(|step| step.step).collect();
    assert_eq!(steps, [3, 4]);
}

#[test]
fn without_contacts_or_without_asking_nothing_is_kept() {
    assert!(land(&["cr"], 9, 2).sample.is_none());
}

/// A run with another method equals that of a scene with that method, and keeps its observer.
#[test]
fn a_run_goes_by_the_method_that_it_is_told_to_use() {
    let ica = ["solver.method=\"ica\""];
    let chosen = Scene::parse("landing.toml", LANDING, &ica).expect("a scene");
    let mut expected = Simulation::new(&chosen).expect("a simulation");
    let scene = Scene::parse("landing.toml", LANDING, &[""; 0]).expect("a scene");
    let mut told = Simulation::new(&scene).expect("a simulation");
    let method = expected.model().settings.solver;
    let selection = Selection { from: 1, every: 1 };
    let watch = Watch::new([("ica".to_owned(), method)], selection);
    told.observe_solves(watch.clone());
    told.use_method(method)
        .expect("a method that needs nothing");
    for _ in 0..4 {
        expected.advance().expect("a step");
        told.advance().expect("a step");
    }
    assert_eq!(told.state(), expected.state());
    // A second solve from the same start gives the same result.
    let [record] = &watch.records()[..] else {
        panic!("one method");
    };
    assert!(record.steps.iter().any(|step| step.iterations > 0));
}
