//! Compliance at the contacts of a chain: warped, by one sparse factor per step, and by an iterative solve per
//! direction.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use impinge_contact::compliance::TurnedBodies;
use impinge_contact::method::corrective_motion::{CorrectiveMotion, CorrectiveMotionSettings};
use impinge_contact::{ContactProblem, ContactSolution, ContactSolver};
use impinge_krylov::{ConjugateGradient, Identity, LinearSystem, StoppingRule, solve};
use impinge_sim::Simulation;
use impinge_sim::stepper::{Solve, SolveObserver};

use super::super::{Extent, table::Table};
use super::{median, shipped};

/// Largest residual of an iterative solve over its right-hand side.
const ITERATIVE: f64 = 1e-9;

/// Largest relative difference of velocities between warped and exact compliance at one set of contacts: the paper's
/// bound on shapes, at every time of a run.
const WARPED: f64 = 0.05;

/// The problem of a run with the most contacts, and its bodies.
type Sample = Option<(ContactProblem, Arc<TurnedBodies>)>;

#[derive(Clone, Default)]
struct Watch(Arc<Mutex<Sample>>);

impl SolveObserver for Watch {
    fn solved(&mut self, solve: &Solve<'_>) {
        let mut sample = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let most = sample.as_ref().map_or(0, |(problem, _)| problem.contacts());
        if let Some(bodies) = solve.bodies
            && solve.problem.contacts() > most
        {
            *sample = Some((solve.problem.clone(), Arc::clone(bodies)));
        }
    }

    fn wants_bodies(&self) -> bool {
        true
    }
}

pub(super) fn fill(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let scenes: &[(&str, usize)] = match extent {
        Extent::Quick => &[("chain3_vertical", 60)],
        Extent::Full => &[
            ("chain3", 200),
            ("chain3_vertical", 200),
            ("chain5_vertical", 200),
        ],
    };
    for &(name, steps) in scenes {
        let watch = Watch::default();
        let mut simulation = Simulation::new(&shipped(name, &[])?)?;
        simulation.observe_solves(watch.clone());
        for _ in 0..steps {
            simulation.advance()?;
        }
        let sample = watch
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some((problem, bodies)) = sample else {
            return Err(format!("{name}: nothing touched in {steps} steps").into());
        };
        row(table, extent, name, &problem, &bodies)?;
    }
    Ok(())
}

fn row(
    table: &mut Table,
    extent: Extent,
    name: &str,
    problem: &ContactProblem,
    bodies: &Arc<TurnedBodies>,
) -> Result<(), Box<dyn Error>> {
    let settings = CorrectiveMotionSettings::default();
    let mut warped = CorrectiveMotion::warped(settings);
    warped.know_bodies(bodies);
    warped.condense(problem)?;
    let warped = median_time(51, || warped.condense(problem).map(drop))?;

    // Factors of a step: the same ordering with new values.
    let mut exact = CorrectiveMotion::exact(settings);
    let mut other = problem.clone();
    for block in other.momentum.values_mut() {
        *block *= 1.0 + 1e-9;
    }
    exact.condense(&other)?;
    let mut turn = false;
    let factor = median_time(21, || {
        turn = !turn;
        exact
            .condense(if turn { problem } else { &other })
            .map(drop)
    })?;
    let iterative = iterative(problem);

    let contacts = problem.contacts();
    table.at_least(
        &format!("{name}: contacts of the problem"),
        contacts as f64,
        1.0,
    );
    let answers = [
        velocity(CorrectiveMotion::warped(settings), problem, bodies)?,
        velocity(CorrectiveMotion::exact(settings), problem, bodies)?,
    ];
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let difference: Vec<f64> = (answers[0].iter().zip(&answers[1]))
        .map(|(warped, exact)| warped - exact)
        .collect();
    table.at_most(
        &format!("{name}: velocities, warped from exact, relative"),
        norm(&difference) / norm(&answers[1]),
        WARPED,
    );
    table.figure(
        &format!("{name}: {contacts} contacts, W warped; factor a step; iterative"),
        format!(
            "{:.3}; {:.2}; {:.0} ms",
            1e3 * warped,
            1e3 * factor,
            1e3 * iterative
        ),
    );
    let case = format!("{name}: iterative solves per direction over warped");
    match extent {
        Extent::Quick => table.figure(&case, format!("{:.0}", iterative / warped)),
        Extent::Full => table.at_least(&case, iterative / warped, 1000.0),
    }
    table.figure(
        &format!("{name}: one factor a step over warped"),
        format!("{:.1}", factor / warped),
    );
    Ok(())
}

/// Velocities of the solution of `method`.
fn velocity(
    mut method: CorrectiveMotion,
    problem: &ContactProblem,
    bodies: &Arc<TurnedBodies>,
) -> Result<Vec<f64>, Box<dyn Error>> {
    method.know_bodies(bodies);
    let mut solution = ContactSolution::at_rest(problem);
    method.solve(problem, &mut solution)?;
    Ok(solution.velocity)
}

fn median_time<E: Error + 'static>(
    repeats: usize,
    mut work: impl FnMut() -> Result<(), E>,
) -> Result<f64, Box<dyn Error>> {
    let mut times = Vec::with_capacity(repeats);
    for _ in 0..repeats {
        let begin = Instant::now();
        work()?;
        times.push(begin.elapsed().as_secs_f64());
    }
    Ok(median(times))
}

/// Seconds for `A⁻¹ Jᵀ` as in the paper: conjugate gradients for each of three directions per contact, and the products
/// that form `W`.
fn iterative(problem: &ContactProblem) -> f64 {
    let begin = Instant::now();
    let mut gradients = ConjugateGradient::new();
    let rule = StoppingRule {
        relative: ITERATIVE,
        absolute: 0.0,
        max_iterations: 10 * problem.unknowns(),
    };
    let mut sum = 0.0;
    for contact in 0..problem.contacts() {
        let (blocks, jacobians) = problem.row(contact);
        for row in 0..3 {
            let mut impulse = vec![0.0; problem.unknowns()];
            for (&block, jacobian) in blocks.iter().zip(jacobians) {
                for axis in 0..3 {
                    impulse[3 * block as usize + axis] += jacobian[(row, axis)];
                }
            }
            let mut moved = vec![0.0; problem.unknowns()];
            let system = LinearSystem {
                operator: &problem.momentum,
                preconditioner: &Identity,
                rhs: &impulse,
            };
            solve(&mut gradients, &system, &mut moved, &rule);
            for other in 0..problem.contacts() {
                let (blocks, jacobians) = problem.row(other);
                for (&block, jacobian) in blocks.iter().zip(jacobians) {
                    let moved =
                        nalgebra::Vector3::from_column_slice(&moved[3 * block as usize..][..3]);
                    sum += (jacobian * moved).x;
                }
            }
        }
    }
    std::hint::black_box(sum);
    begin.elapsed().as_secs_f64()
}
