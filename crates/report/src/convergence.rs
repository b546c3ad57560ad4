//! Convergence of methods on the problems of one step.
//!
//! A method is stopped after 1, 2, … iterations, and the independent residual of its answer is computed. So all methods
//! share one measure and need no code for it. A step has a collision round for each set of new or re-linearised
//! contacts; a curve goes through all rounds, each from the warm start of the run.

use impinge_contact::{ContactError, ContactProblem, ContactSolution, Method, residual_under};
use nalgebra::Vector3;

use crate::watch::{MOST_ROUNDS, Round, Sample};

/// Most points of a curve, over all its rounds: each costs a solve with that many iterations. Every round has at least
/// its start and its end.
const POINTS: usize = 28;
const _: () = assert!(2 * MOST_ROUNDS <= POINTS);

/// The answer after some iterations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Iterations, including those of earlier rounds.
    pub iterations: u64,
    /// Momentum residual `e_v` over its tolerance.
    pub momentum: f64,
    /// `sqrt(r_vᵀ D⁻¹ r_v)`, with the diagonal `D` of the momentum matrix (√J).
    pub preconditioned: f64,
    /// The largest of `e_n`, `e_t` and `e_c`, each over its tolerance.
    pub constraints: f64,
    /// State changes, including those of earlier rounds.
    pub state_changes: u64,
}

/// Convergence of one method.
#[derive(Debug, Clone)]
pub struct Curve {
    /// Name of the method, with settings.
    pub name: String,
    /// From the first warm start to the last answer.
    pub points: Vec<Point>,
    /// The first point of each round except the first round: its warm start.
    pub rounds: Vec<usize>,
    /// The answer to each round.
    pub answers: Vec<ContactSolution>,
}

/// The curves of `methods`, each with its display name; a method that does not support such problems has none.
///
/// # Cost
/// A solve of every round by every method, with up to 26 repetitions that stop early: some five times as much.
pub fn curves(sample: &Sample, methods: &[(String, Method)]) -> Vec<Curve> {
    methods
        .iter()
        .filter_map(|(name, method)| curve(sample, name, *method).ok())
        .collect()
}

/// The answers of `method` to each round of `sample`.
///
/// # Errors
/// [`ContactError`] if it does not support such problems.
pub fn answers(sample: &Sample, method: Method) -> Result<Vec<ContactSolution>, ContactError> {
    let mut answers = Vec::new();
    for round in &sample.rounds {
        answers.push(stopped(round, method, None)?.0);
    }
    Ok(answers)
}

fn curve(sample: &Sample, name: &str, method: Method) -> Result<Curve, ContactError> {
    let within = (POINTS / sample.rounds.len().max(1)).saturating_sub(2);
    let mut curve = Curve {
        name: name.to_owned(),
        points: Vec::new(),
        rounds: Vec::new(),
        answers: Vec::new(),
    };
    let (mut iterations, mut state_changes) = (0, 0);
    for round in &sample.rounds {
        let (answer, end) = stopped(round, method, None)?;
        let mut points = vec![judge(round, method, &round.start)];
        for limit in spread(end.iterations, within) {
            points.push(stopped(round, method, Some(limit))?.1);
        }
        points.push(end);
        // Some methods stop only between passes of several iterations.
        points.dedup_by_key(|point| point.iterations);
        if !curve.points.is_empty() {
            curve.rounds.push(curve.points.len());
        }
        curve.points.extend(points.iter().map(|point| Point {
            iterations: iterations + point.iterations,
            state_changes: state_changes + point.state_changes,
            ..*point
        }));
        iterations += end.iterations;
        state_changes += end.state_changes;
        curve.answers.push(answer);
    }
    Ok(curve)
}

/// At most `most` counts from 1 to below `last`, denser at the start.
fn spread(last: u64, most: usize) -> Vec<u64> {
    let ratio = (last as f64).powf(1.0 / most.max(1) as f64);
    let mut counts: Vec<u64> = (0..most)
        .map(|i| {
            #[expect(clippy::cast_sign_loss, reason = "a power of a positive number")]
            let count = ratio.powf(i as f64).round() as u64;
            count
        })
        .filter(|&count| (1..last).contains(&count))
        .collect();
    counts.dedup();
    counts
}

/// The answer of `method` after at most `limit` iterations, or after its own limit.
fn stopped(
    round: &Round,
    mut method: Method,
    limit: Option<u64>,
) -> Result<(ContactSolution, Point), ContactError> {
    *method.tolerances_mut() = round.tolerances;
    if let Some(limit) = limit {
        *method.max_iterations_mut() = limit;
    }
    let mut solution = round.start.clone();
    let mut solver = method.solver();
    if let Some(bodies) = &round.bodies {
        solver.know_bodies(bodies);
    }
    let report = solver.solve(&round.problem, &mut solution)?;
    let point = Point {
        iterations: report.iterations,
        state_changes: report.state_changes,
        ..judge(round, method, &solution)
    };
    Ok((solution, point))
}

/// The independent residual of an answer.
fn judge(round: &Round, method: Method, solution: &ContactSolution) -> Point {
    let judged = residual_under(method.friction_law(), &round.problem, solution);
    let tolerances = round.tolerances;
    let over = judged.over(&tolerances);
    Point {
        iterations: 0,
        momentum: over.momentum,
        preconditioned: preconditioned(&round.problem, solution),
        constraints: [over.gap, over.slip]
            .into_iter()
            // Keeps a NaN.
            .fold(0.0, |most, x| if x.is_nan() || x > most { x } else { most }),
        state_changes: 0,
    }
}

/// `sqrt(rᵀ D⁻¹ r)` of `r = b + Jᵀλ + J_tᵀF + j_cᵀλ_c − A v`.
fn preconditioned(problem: &ContactProblem, solution: &ContactSolution) -> f64 {
    let mut scratch = vec![0.0; problem.momentum.scratch_len()];
    let mut product = vec![0.0; problem.unknowns()];
    problem
        .momentum
        .multiply(&solution.velocity, &mut product, &mut scratch);
    let mut r: Vec<f64> = problem
        .rhs
        .iter()
        .zip(&product)
        .map(|(b, a)| b - a)
        .collect();
    let mut push = |block: u32, impulse: Vector3<f64>| {
        for axis in 0..3 {
            r[3 * block as usize + axis] += impulse[axis];
        }
    };
    for (contact, multipliers) in solution.contacts.iter().enumerate() {
        let force = multipliers.force();
        let (blocks, jacobians) = problem.row(contact);
        for (&block, jacobian) in blocks.iter().zip(jacobians) {
            push(block, jacobian.transpose() * force);
        }
    }
    let mut forces = solution.constraints.iter();
    for index in 0..problem.constraints.groups() {
        let group = problem.constraints.group(index);
        let mut entries = group.jacobian.iter();
        for force in forces.by_ref().take(group.offset.len()) {
            for (&block, j) in group.blocks.iter().zip(&mut entries) {
                push(block, j * *force);
            }
        }
    }
    let mut sum = 0.0;
    for (block, r) in r.chunks_exact(3).enumerate() {
        let diagonal = problem.momentum.diagonal_block(block).diagonal();
        sum += (0..3)
            .map(|axis| r[axis] * r[axis] / diagonal[axis])
            .sum::<f64>();
    }
    sum.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_are_few_rise_and_end_before_the_last() {
        assert!(spread(1, 26).is_empty() && spread(100, 0).is_empty());
        for last in [2, 7, 500, 5000] {
            let counts = spread(last, 12);
            assert!(counts.len() <= 12 && counts[0] == 1, "{last}: {counts:?}");
            assert!(counts.is_sorted_by(|a, b| a < b), "{last}: {counts:?}");
            assert!(counts.iter().all(|&count| count < last));
        }
    }
}
