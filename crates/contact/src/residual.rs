//! The independent residual of all methods.
//!
//! Written from the definition. Shares no code with a solver: own product with the momentum matrix, own rows, own
//! compliances.

use crate::{ContactProblem, ContactSolution, Tolerances};
use nalgebra::Vector3;
use std::fmt;

/// The set of friction forces for a normal force `λ`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum FrictionLaw {
    /// Coulomb's: `‖F‖ ≤ μ λ`, opposite to the slip.
    #[default]
    Cone,
    /// `|F₁|, |F₂| ≤ μ λ`, each opposite to its component of the slip. Friction is up to `√2` larger along the
    /// diagonals, and up to 45° off the slip direction.
    Pyramid,
}

/// Error of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactResidual {
    /// `e_v = ‖w (A v − b − Jᵀλ − J_tᵀF)‖₂` (N·s); the weight `w` of each block is the tolerance over that of its body.
    pub momentum: f64,
    /// `e_n = max |min(W_n λ, g)|` (m), each over its displacement scale: measures penetration, adhesion and force at a
    /// distance.
    pub normal: f64,
    /// `e_t = max W_t ‖F − proj(F − s/W_t)‖` (m), with the projection on the disk of radius `μ max(λ, 0)`, each over
    /// its displacement scale of slips: measures cone, stick and maximum dissipation.
    pub friction: f64,
    /// `e_t` over the displacement scales of gaps instead.
    pub loose_friction: f64,
    /// `e_c`: of constraint rows, `max |j v + C λ − c|`, and for one-sided ones `max |min(w λ, j v + C λ − c)|` with
    /// `w = j diag(A)⁻¹ jᵀ + C` (the unit of `φ`).
    pub constraint: f64,
    /// Largest violated gap `max(0, −g)` over its displacement scale (m).
    pub penetration: f64,
    /// `Σ max(0, F·s)` (J): friction doing positive work.
    pub friction_work: f64,
}

impl ContactResidual {
    /// Whether it passes the check of every accepted solve: [`Tolerances::ACCEPTED`] times the tolerances of the
    /// methods. Friction is held to the gap tolerance if that is larger.
    pub fn meets(&self, tolerances: &Tolerances) -> bool {
        let Excess {
            momentum,
            gap,
            slip,
        } = self.over(tolerances);
        let accepted = Tolerances::ACCEPTED;
        momentum < accepted && gap < accepted && slip < accepted
    }
}

/// Residuals over their tolerances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Excess {
    /// Of momentum.
    pub momentum: f64,
    /// Of normal forces and gaps, or of constraint rows if they are larger.
    pub gap: f64,
    /// Of friction, held to the gap tolerance if that is larger than the slip tolerance.
    pub slip: f64,
}

impl ContactResidual {
    /// The residuals over `tolerances`; an accepted solve is below 2 in all of them ([`meets`](Self::meets)).
    pub fn over(&self, tolerances: &Tolerances) -> Excess {
        Excess {
            momentum: self.momentum / tolerances.momentum,
            gap: worst(self.normal, self.constraint) / tolerances.gap,
            slip: if self.friction.is_nan() {
                f64::NAN
            } else {
                (self.friction / tolerances.slip).min(self.loose_friction / tolerances.gap)
            },
        }
    }
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            momentum,
            gap,
            slip,
        } = self;
        write!(
            f,
            "residuals of momentum {momentum:.3}, gap {gap:.3} and slip {slip:.3} times the tolerance; at most 2 is \
             accepted"
        )
    }
}

/// Residual of `solution` on `problem` under Coulomb's law.
///
/// # Panics
/// If their sizes differ.
#[track_caller]
pub fn residual(problem: &ContactProblem, solution: &ContactSolution) -> ContactResidual {
    residual_under(FrictionLaw::Cone, problem, solution)
}

/// Residual of `solution` on `problem` under `law`: the pyramid's `e_t` projects on the square of half side
/// `μ max(λ, 0)`.
///
/// # Panics
/// If their sizes differ.
#[track_caller]
pub fn residual_under(
    law: FrictionLaw,
    problem: &ContactProblem,
    solution: &ContactSolution,
) -> ContactResidual {
    residual_of_islands(law, problem, solution, 1, |_| 0)
}

/// As [`residual_under`], with the largest `e_v` of one of the `islands`: each is held to the tolerance by itself.
/// `island_of` tells the island of a block.
///
/// # Panics
/// If sizes differ, or an island is not below `islands`.
#[track_caller]
pub fn residual_of_islands(
    law: FrictionLaw,
    problem: &ContactProblem,
    solution: &ContactSolution,
    islands: usize,
    island_of: impl Fn(usize) -> usize,
) -> ContactResidual {
    assert_eq!(
        solution.velocity.len(),
        problem.unknowns(),
        "one velocity per unknown"
    );
    assert_eq!(
        solution.contacts.len(),
        problem.contacts(),
        "one multiplier set per contact"
    );
    assert_eq!(
        solution.constraints.len(),
        problem.constraints.len(),
        "one multiplier per constraint row"
    );
    let velocity: Vec<Vector3<f64>> = solution
        .velocity
        .chunks_exact(3)
        .map(Vector3::from_column_slice)
        .collect();
    let (mut balance, mut out) = rayon::join(
        || momentum_balance(problem, solution, &velocity),
        || judge_contacts(law, problem, solution, &velocity),
    );
    judge_constraints(problem, solution, &velocity, &mut balance, &mut out);
    let mut squares = vec![0.0; islands];
    for (block, missing) in balance.iter().enumerate() {
        squares[island_of(block)] += (missing * problem.momentum_weight(block)).norm_squared();
    }
    out.momentum = squares.into_iter().fold(0.0, worst).sqrt();
    out
}

/// Residuals of the contacts; momentum and constraints stay 0.
fn judge_contacts(
    law: FrictionLaw,
    problem: &ContactProblem,
    solution: &ContactSolution,
    velocity: &[Vector3<f64>],
) -> ContactResidual {
    let mut out = ContactResidual::default();
    for (contact, multipliers) in solution.contacts.iter().enumerate() {
        let (blocks, jacobians) = problem.row(contact);
        let [f1, f2] = multipliers.friction_force();
        let mut displacement = -problem.offset(contact);
        let mut compliance = Vector3::<f64>::zeros();
        for (&block, jacobian) in blocks.iter().zip(jacobians) {
            let block = block as usize;
            displacement += jacobian * velocity[block];
            let diagonal = problem.momentum.diagonal_block(block).diagonal();
            for row in 0..3 {
                for axis in 0..3 {
                    compliance[row] +=
                        jacobian[(row, axis)] * jacobian[(row, axis)] / diagonal[axis];
                }
            }
        }

        let gap = displacement[0];
        let [gap_scale, slip_scale] = problem.displacement_scales(contact);
        out.normal = worst(
            out.normal,
            (compliance[0] * multipliers.lambda).min(gap).abs() / gap_scale,
        );
        out.penetration = worst(out.penetration, -gap / gap_scale);

        let w_t = compliance[1].max(compliance[2]);
        let slip = [displacement[1], displacement[2]];
        let radius = problem.friction(contact) * multipliers.lambda.max(0.0);
        let pushed = [f1 - slip[0] / w_t, f2 - slip[1] / w_t];
        let target = match law {
            FrictionLaw::Cone => project_on_disk(pushed, radius),
            FrictionLaw::Pyramid => pushed.map(|force| force.clamp(-radius, radius)),
        };
        let misfit = w_t * (f1 - target[0]).hypot(f2 - target[1]);
        out.friction = worst(out.friction, misfit / slip_scale);
        out.loose_friction = worst(out.loose_friction, misfit / gap_scale);
        out.friction_work += (f1 * slip[0] + f2 * slip[1]).max(0.0);
    }
    out
}

/// Subtracts the constraint impulses from the momentum balance and measures the rows.
fn judge_constraints(
    problem: &ContactProblem,
    solution: &ContactSolution,
    velocity: &[Vector3<f64>],
    balance: &mut [Vector3<f64>],
    out: &mut ContactResidual,
) {
    let mut first = 0;
    for index in 0..problem.constraints.groups() {
        let group = problem.constraints.group(index);
        let rows = group.offset.len();
        let forces = &solution.constraints[first..first + rows];
        first += rows;
        let mut entries = group.jacobian.iter();
        for row in 0..rows {
            let mut excess = -group.offset[row];
            let mut response = group.compliance[row * rows + row];
            for (&block, j) in group.blocks.iter().zip(&mut entries) {
                let block = block as usize;
                excess += j.dot(&velocity[block]);
                balance[block] -= j * forces[row];
                let diagonal = problem.momentum.diagonal_block(block).diagonal();
                response += j.component_mul(j).component_div(&diagonal).sum();
            }
            for (column, force) in forces.iter().enumerate() {
                excess += group.compliance[row * rows + column] * force;
            }
            let misfit = if group.unilateral {
                (response * forces[row]).min(excess)
            } else {
                excess
            };
            out.constraint = worst(out.constraint, misfit.abs());
        }
    }
}

/// The larger of the two; NaN counts as largest, because `f64::max` would drop it.
fn worst(so_far: f64, value: f64) -> f64 {
    if value.is_nan() || value > so_far {
        value
    } else {
        so_far
    }
}

/// `A v − b − Jᵀλ − J_tᵀF`, block by block.
fn momentum_balance(
    problem: &ContactProblem,
    solution: &ContactSolution,
    velocity: &[Vector3<f64>],
) -> Vec<Vector3<f64>> {
    let mut balance: Vec<Vector3<f64>> = problem
        .rhs
        .chunks_exact(3)
        .map(|b| -Vector3::from_column_slice(b))
        .collect();
    let pattern = problem.momentum.pattern();
    for row in 0..problem.momentum.blocks() {
        for slot in pattern.row(row) {
            let column = pattern.columns()[slot] as usize;
            let block = problem.momentum.values()[slot];
            balance[row] += block * velocity[column];
            if column != row {
                balance[column] += block.transpose() * velocity[row];
            }
        }
    }
    for (contact, multipliers) in solution.contacts.iter().enumerate() {
        let (blocks, jacobians) = problem.row(contact);
        let [f1, f2] = multipliers.friction_force();
        let force = Vector3::new(multipliers.lambda, f1, f2);
        for (&block, jacobian) in blocks.iter().zip(jacobians) {
            balance[block as usize] -= jacobian.transpose() * force;
        }
    }
    balance
}

fn project_on_disk(force: [f64; 2], radius: f64) -> [f64; 2] {
    let length = force[0].hypot(force[1]);
    if length <= radius {
        force
    } else {
        [force[0] * radius / length, force[1] * radius / length]
    }
}
