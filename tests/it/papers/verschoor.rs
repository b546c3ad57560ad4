//! Verschoor and Jalba 2019, contact by conjugate residuals.

use crate::figure::{figure, larger, largest, least, share};
use crate::scenes::{advance, shipped};
use impinge_contact::method::TraceRow;
use impinge_contact::{ContactProblem, ContactSolution, Method, Termination, Tolerances};
use impinge_sim::measure::contacts::contact_records;
use impinge_sim::stepper::{Solve, SolveObserver};
use impinge_sim::{Simulation, StepReport};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Verschoor and Jalba 2019, Fig. 2 (a): half of the bodies, thrown into the wedge. All solves converge, nothing passes
/// through the walls, and the crowd moves with the wedge at half a metre a second.
#[test]
fn a_wedge_moves_its_soft_crowd() {
    let overrides = [
        "title=\"33 soft bodies in a moving wedge\"",
        "body.0.copies.count=6",
        "body.1.copies.count=12",
        "body.2.copies.count=15",
        "body.0.velocity=[0, 0, -0.5]",
        "body.1.velocity=[0, 0, -1]",
        "body.2.velocity=[0, 0, -1.5]",
    ];
    let mut simulation = shipped("verschoor_wedge.toml", &overrides);
    let mut report = StepReport::default();
    for _ in 0..400 {
        report = advance(&mut simulation, 1);
        assert_eq!(report.inexact_solves, 0, "step {}", report.step);
        assert_eq!(report.inverted_elements, 0, "step {}", report.step);
    }
    figure("contacts at the end", "", f64::from(report.active)).above(150.0);
    let model = simulation.model();
    let mass: f64 = model.points.mass.iter().sum();
    let speed = report.momentum[0] / mass;
    // That of the wedge is half a metre a second.
    figure("mean velocity of the crowd", "m/s", speed).within(0.45..0.55);
    // Between the walls, above their lower edges.
    let bodies = model.geometry.bodies.iter();
    let points = bodies.flat_map(|body| body.points.clone());
    let heights = points.map(|point| simulation.state().positions[point].z);
    let what = "least height above the lower edges of the walls";
    figure(what, "m", least(heights)).above(0.0);
}

/// Verschoor and Jalba 2019, Fig. 2 (b): forces twist six strings about each other, so that most of them touch; when
/// the forces end, the strings come free and are straight again. A coarser variant, in longer steps.
#[test]
fn strings_are_tangled_by_forces_and_come_free() {
    let cells = (0..6).map(|body| format!("body.{body}.mesh.cuboid.cells=[16, 1, 1]"));
    let mut overrides: Vec<String> = cells.collect();
    overrides.push("time.step=4e-3".to_owned());
    let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
    let mut simulation = shipped("verschoor_strings.toml", &overrides);
    // Distance of the ends of each string over its length at rest.
    let spans = |simulation: &Simulation| -> Vec<f64> {
        let (model, x) = (simulation.model(), &simulation.state().positions);
        let span = |body: &impinge_sim::geometry::Body| {
            let along = |&point: &usize| model.points.rest[point].x;
            let by_place = |a: &usize, b: &usize| along(a).total_cmp(&along(b));
            let ends = [
                body.points.clone().min_by(by_place),
                body.points.clone().max_by(by_place),
            ];
            let [left, right] = ends.map(|end| end.expect("a string has points"));
            (x[right] - x[left]).norm() / (along(&right) - along(&left))
        };
        model.geometry.bodies.iter().map(span).collect()
    };
    let mut elastic: f64 = 0.0;
    let mut pairs = BTreeSet::new();
    for _ in 0..400 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.inexact_solves, 0, "step {}", report.step);
        elastic = larger(elastic, report.elastic_energy);
        let records = contact_records(simulation.model(), simulation.state());
        pairs = records.iter().map(|contact| contact.solids).collect();
    }
    figure("pairs of 15 that touch", "", pairs.len() as f64).at_least(6.0);
    let bent = largest(spans(&simulation));
    let what = "largest distance of the ends over the length, tangled";
    figure(what, "", bent).below(0.97);
    let mut report = StepReport::default();
    for _ in 400..750 {
        report = advance(&mut simulation, 1);
        assert_eq!(report.inexact_solves, 0, "step {}", report.step);
    }
    assert_eq!(report.active, 0);
    let left = share(report.elastic_energy, elastic);
    figure("elastic energy at the end over its largest value", "", left).below(0.01);
    let spans = spans(&simulation);
    let off = spans.iter().map(|span| (span - 1.0).abs());
    let what = "largest relative difference of the distance of the ends from the length, free";
    figure(what, "", largest(off)).below(0.02);
}

/// Keeps the problem of a run with the most contacts, and its tolerances.
#[derive(Clone, Default)]
struct LargestProblem(Arc<Mutex<Option<(ContactProblem, Tolerances)>>>);

impl SolveObserver for LargestProblem {
    fn solved(&mut self, solve: &Solve<'_>) {
        let mut largest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let most = largest
            .as_ref()
            .map_or(0, |(problem, _)| problem.contacts());
        if solve.problem.contacts() > most {
            *largest = Some((solve.problem.clone(), solve.method.tolerances()));
        }
    }
}

/// Verschoor and Jalba 2019, Fig. 6: residuals of one ball of the bearing by iteration. Changes of states raise the
/// residual, less and less, up to the end of the solve. `Full` needs fewer iterations than `Diag`, to the same
/// velocities.
#[test]
fn residuals_of_a_bearing_fall_with_either_preconditioner() {
    let mut simulation = shipped("bearing.toml", &[]);
    let solves = LargestProblem::default();
    simulation.observe_solves(solves.clone());
    advance(&mut simulation, 200);
    let largest_problem = solves
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    let (problem, tolerances) = largest_problem.expect("a ball touches the race");
    figure("contacts of the problem", "", problem.contacts() as f64).at_least(6.0);
    let mut iterations = Vec::new();
    let mut velocities = Vec::new();
    for (name, preconditioner) in [("cr-diagonal", "Diag"), ("cr-full", "Full")] {
        let method = Method::named(name, tolerances).expect("a method");
        let mut solver = method.solver();
        solver.record();
        let mut solution = ContactSolution::at_rest(&problem);
        let report = solver.solve(&problem, &mut solution).expect("a problem");
        assert_eq!(report.termination, Termination::Converged, "{name}");
        let trace = solver.trace();
        let residuals = |rows: &[TraceRow]| largest(rows.iter().map(|row| row.residual));
        let peaks: Vec<f64> = (trace.chunks(trace.len().div_ceil(4)))
            .map(residuals)
            .collect();
        let what = format!(
            "largest residual of the last quarter over that of the second, {preconditioner}"
        );
        figure(what, "", share(peaks[3], peaks[1])).below(0.5);
        let changed = |rows: &&[TraceRow]| rows[0].state_changes < rows[1].state_changes;
        let last = trace.windows(2).rfind(changed);
        let last = last.map_or(f64::NAN, |rows| rows[1].residual);
        let what =
            format!("residual at the last change of a state over the largest, {preconditioner}");
        figure(what, "", share(last, residuals(trace))).below(0.1);
        iterations.push(report.iterations as f64);
        velocities.push(solution.velocity);
    }
    let what = "iterations with Diag over those with Full";
    figure(what, "", share(iterations[0], iterations[1])).above(1.5);
    let off = velocities[0].iter().zip(&velocities[1]);
    let off = largest(off.map(|(a, b)| (a - b).abs()));
    figure("largest difference of a velocity", "m/s", off).below(1e-3);
}
