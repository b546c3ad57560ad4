//! Messages and final states of runs with a step that cannot be completed.

use impinge_contact::Termination;
use impinge_geometry::exact::surface_intersections;
use impinge_sim::stepper::{Solve, SolveObserver};
use impinge_sim::{Interrupt, Scene, Simulation, StepFailure};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A rigid box between the ground and a descending plate: no forces keep both apart.
const SCENE: &str = r#"
title = "A box between closing plates"
[time]
step = 1e-2
duration = 1.0
minimum_step = 4e-3
[[body]]
name = "box"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0, 0, 0.051]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
[[obstacle]]
name = "plate"
shape = { cuboid = { size = [0.3, 0.3, 0.02] } }
position = [0, 0, 0.13]
motion = { velocity = [0, 0, -0.2] }
"#;

/// The run stops before any intersection. It names the obstacles around the box and the unsolvable solve with its
/// error. It does not recommend a shorter step, which cannot help.
#[test]
fn a_box_that_is_crushed_stops_the_run_and_the_solve_is_named() {
    let scene = Scene::parse("crushed.toml", SCENE, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("sound");
    let error = (0..100)
        .find_map(|_| simulation.advance().err())
        .expect("the plate arrives after 9 steps");
    let solve = error.unsolved.as_deref().unwrap_or(&error.failure);
    let StepFailure::NotConverged { excess, .. } = solve else {
        panic!("{error}");
    };
    let off = [excess.momentum, excess.gap, excess.slip];
    assert!(off.iter().any(|share| *share >= 2.0), "{error}");
    let text = error.to_string();
    let StepFailure::Squeezed {
        body,
        first,
        second,
    } = &error.failure
    else {
        panic!("{error}");
    };
    let mut walls = [first.as_str(), second];
    walls.sort_unstable();
    assert_eq!((body.as_str(), walls), ("box", ["ground", "plate"]));
    assert!(text.contains("change a `motion`"), "{text}");
    assert!(!text.contains("shorter `time.step`"), "{text}");
    assert!(
        text.contains("the contact method `cr` did not converge"),
        "{text}"
    );
    assert!(text.contains("All earlier steps are valid"), "{text}");
    let (model, state) = (simulation.model(), simulation.state());
    assert!(state.step >= 8, "{text}");
    let crossing = surface_intersections(&state.positions, &model.geometry.surface, 1);
    assert!(crossing.is_empty(), "{text}");
}

/// If the plate moves up, or a deformable box is between the plates, the cause is another.
#[test]
fn other_failures_are_not_called_squeezed() {
    let rigid = "kind = \"rigid\"\n";
    let elastic = "density = 1000\nposition = [0, 0, 0.051]";
    let soft =
        "material = { young = 1e6, poisson = 0.3, density = 1000 }\nposition = [0, 0, 0.051]";
    let yielding = SCENE.replace(rigid, "").replace(elastic, soft);
    let leaving = SCENE.replace("[0, 0, -0.2]", "[0, 0, 0.2]");
    // A ground that descends as fast as the plate does not crush the box either.
    let together = SCENE.replace(
        "shape = { half_space = { normal = [0, 0, 1] } }",
        "shape = { cuboid = { size = [0.3, 0.3, 0.02] } }\nposition = [0, 0, -0.01]\nmotion = \
         { velocity = [0, 0, -0.2] }",
    );
    for text in [yielding, leaving, together] {
        let scene = Scene::parse("pressed.toml", &text, &[""; 0]).expect("a scene");
        let mut simulation = Simulation::new(&scene).expect("sound");
        if let Some(error) = (0..12).find_map(|_| simulation.advance().err()) {
            assert!(
                !matches!(error.failure, StepFailure::Squeezed { .. }),
                "{error}"
            );
        }
    }
}

/// Counts the solves that reached the limit of their iterations.
struct Unmet(Arc<AtomicU32>);

impl SolveObserver for Unmet {
    fn solved(&mut self, solve: &Solve<'_>) {
        if solve.report.termination == Termination::MaxIterations {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The first error, and how many solves of that step reached the limit.
fn failed(text: &str, steps: usize) -> (StepFailure, u32) {
    let scene = Scene::parse("crushed.toml", text, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("sound");
    let unmet = Arc::new(AtomicU32::new(0));
    simulation.observe_solves(Unmet(unmet.clone()));
    let error = (0..steps).find_map(|_| {
        unmet.store(0, Ordering::Relaxed);
        simulation.advance().err()
    });
    let error = error.expect("a step that cannot succeed");
    (error.failure, unmet.load(Ordering::Relaxed))
}

/// An impossible step is given up after one unconverged solve per substep length, and three in all; further collision
/// rounds would cost minutes.
#[test]
fn a_step_that_cannot_succeed_is_given_up_soon() {
    let text = SCENE.replace("minimum_step = 4e-3\n", "");
    let (failure, unmet) = failed(&text, 100);
    assert!(matches!(failure, StepFailure::Squeezed { .. }), "{failure}");
    // A step and five halvings.
    assert!((1..=9).contains(&unmet), "{unmet} solves");
}

/// A soft cube that must not invert, between closing walls: the message names the walls.
#[test]
fn a_cube_that_gives_way_no_further_is_named_with_its_walls() {
    let text = SCENE
        .replace(
            "minimum_step = 4e-3\n",
            "[solver]\nallow_inversion = false\n",
        )
        .replace("kind = \"rigid\"\n", "")
        .replace("cells = [1, 1, 1]", "cells = [2, 2, 2]")
        .replace(
            "density = 1000\nposition = [0, 0, 0.051]",
            "material = { young = 1e5, poisson = 0.3, density = 1000 }\nposition = [0, 0, 0.051]",
        );
    let (failure, unmet) = failed(&text, 100);
    let StepFailure::Pressed {
        body,
        first,
        second,
        ..
    } = &failure
    else {
        panic!("{failure}");
    };
    let mut walls = [first.as_str(), second];
    walls.sort_unstable();
    assert_eq!((body.as_str(), walls), ("box", ["ground", "plate"]));
    assert!(unmet <= 9, "{unmet} solves");
    let said = failure.to_string();
    assert!(said.contains("change a `motion`"), "{said}");
}

/// For every method, a raised interrupt ends the step at once with its start state.
#[test]
fn an_interrupted_step_leaves_the_state_of_its_start() {
    for method in [
        "cr",
        "active-set",
        "sp-active-set",
        "sp-2cr",
        "ica",
        "exact-compliance",
        "compliant-kkt",
    ] {
        let text = format!("[solver]\nmethod = \"{method}\"\n{SCENE}");
        let text = text.replace("title = \"A box between closing plates\"\n", "");
        let scene = Scene::parse("interrupted.toml", &text, &[""; 0]).expect("a scene");
        let mut simulation = Simulation::new(&scene).expect("sound");
        let interrupt = Interrupt::default();
        simulation.heed(&interrupt);
        simulation.advance().expect("a step without contact");
        let before = simulation.state().clone();
        interrupt.raise();
        let error = simulation.advance().expect_err("interrupted");
        assert_eq!(error.failure, StepFailure::Interrupted, "{method}");
        assert_eq!(*simulation.state(), before, "{method}");
    }
}
