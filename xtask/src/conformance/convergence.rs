//! How the answers to one problem improve with the iterations.
//!
//! A method is stopped after 1, 2, … iterations and what it then answers is judged by the independent residual. So every
//! method is seen through the same eyes, and none carries code for being watched.

use std::error::Error;

use impinge_contact::{ContactProblem, ContactSolution, Method, residual_under};
use nalgebra::Vector3;

use super::effort::{METHODS, Sample};

/// Most points of a curve.
const POINTS: u32 = 28;

/// The answer after some iterations.
#[derive(Clone, Copy)]
pub(super) struct Point {
    pub(super) iterations: u64,
    /// Momentum residual `e_v` over its tolerance.
    pub(super) momentum: f64,
    /// `sqrt(r_vᵀ D⁻¹ r_v)`, with the diagonal `D` of the momentum matrix (√J).
    pub(super) preconditioned: f64,
    /// The larger of `e_n` and `e_t`, each over its tolerance.
    pub(super) constraints: f64,
    pub(super) state_changes: u64,
}

/// One method's way to the answer.
pub(super) struct Curve {
    pub(super) name: &'static str,
    pub(super) points: Vec<Point>,
    /// Whether the answer is the same, bit for bit, on one and on three threads.
    pub(super) same_bits: bool,
}

/// The curves of all methods.
pub(super) fn curves(sample: &Sample) -> Result<Vec<Curve>, Box<dyn Error>> {
    METHODS
        .iter()
        .map(|&name| {
            let method = Method::named(name, sample.tolerances)?;
            let (one, last) = on_threads(1, sample, method)?;
            let (three, _) = on_threads(3, sample, method)?;
            let mut points = Vec::new();
            for iterations in spread(last.iterations) {
                points.push(stopped(sample, method, iterations)?.1);
            }
            points.push(last);
            points.dedup_by_key(|point| point.iterations);
            Ok(Curve {
                name,
                points,
                same_bits: bits(&one) == bits(&three),
            })
        })
        .collect()
}

/// Counts from 1 to below `last`, close together at first.
fn spread(last: u64) -> Vec<u64> {
    let ratio = (last as f64).powf(1.0 / f64::from(POINTS));
    let mut counts: Vec<u64> = (0..POINTS)
        .map(|i| {
            #[expect(clippy::cast_sign_loss, reason = "a power of a positive number")]
            let count = ratio.powf(f64::from(i)).round() as u64;
            count
        })
        .filter(|&count| (1..last).contains(&count))
        .collect();
    counts.dedup();
    counts
}

fn on_threads(
    threads: usize,
    sample: &Sample,
    method: Method,
) -> Result<(ContactSolution, Point), Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let mut free = method;
    let limit = *free.max_iterations_mut();
    Ok(pool.install(|| stopped(sample, method, limit))?)
}

/// What `method` answers after at most `iterations`.
fn stopped(
    sample: &Sample,
    mut method: Method,
    iterations: u64,
) -> Result<(ContactSolution, Point), impinge_contact::ContactError> {
    *method.max_iterations_mut() = iterations;
    let mut solution = sample.start.clone();
    let report = method.solver().solve(&sample.problem, &mut solution)?;
    let judged = residual_under(method.friction_law(), &sample.problem, &solution);
    let tolerances = sample.tolerances;
    let slip = tolerances.slip.max(tolerances.gap);
    let point = Point {
        iterations: report.iterations,
        momentum: judged.momentum / tolerances.momentum,
        preconditioned: preconditioned(&sample.problem, &solution),
        constraints: (judged.normal / tolerances.gap).max(judged.friction / slip),
        state_changes: report.state_changes,
    };
    Ok((solution, point))
}

/// `sqrt(rᵀ D⁻¹ r)` of `r = b + Jᵀλ + J_tᵀF − A v`.
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
    for (contact, multipliers) in solution.contacts.iter().enumerate() {
        let [f1, f2] = multipliers.friction_force();
        let force = Vector3::new(multipliers.lambda, f1, f2);
        let (blocks, jacobians) = problem.row(contact);
        for (&block, jacobian) in blocks.iter().zip(jacobians) {
            let impulse = jacobian.transpose() * force;
            for axis in 0..3 {
                r[3 * block as usize + axis] += impulse[axis];
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

fn bits(solution: &ContactSolution) -> Vec<u64> {
    let forces = solution.contacts.iter().flat_map(|contact| {
        [
            contact.lambda,
            contact.friction_force()[0],
            contact.friction_force()[1],
        ]
    });
    let velocity = solution.velocity.iter().copied();
    velocity.chain(forces).map(f64::to_bits).collect()
}
