//! Dense reference: `W = J A⁻¹ Jᵀ` by Cholesky, non-smooth Gauss-Seidel with projection on the cone or the pyramid.

use super::{dense_momentum, dense_rows};
use impinge_contact::{ContactProblem, ContactSolution, ContactState, FrictionLaw, Multipliers};
use nalgebra::{DVector, Matrix3, Vector3};

/// A reference under a law: velocity, forces `(λ, F)` and the largest displacement in the last sweep (m).
pub(crate) struct Reference {
    law: FrictionLaw,
    pub(crate) velocity: DVector<f64>,
    /// The velocity without contact forces.
    pub(crate) free: DVector<f64>,
    pub(crate) forces: DVector<f64>,
    pub(crate) settled: f64,
}

/// Solves `problem` by at most `sweeps` sweeps; stops when no displacement changes by more than `tolerance` (m).
pub(crate) fn solve(problem: &ContactProblem, sweeps: usize, tolerance: f64) -> Reference {
    solve_under(FrictionLaw::Cone, problem, sweeps, tolerance)
}

/// Solves under `law`.
pub(crate) fn solve_under(
    law: FrictionLaw,
    problem: &ContactProblem,
    sweeps: usize,
    tolerance: f64,
) -> Reference {
    let start = DVector::zeros(3 * problem.contacts());
    solve_from(start, law, problem, sweeps, tolerance)
}

/// Solves from `forces`: with friction there may be several solutions, and this finds one near them.
fn solve_from(
    mut forces: DVector<f64>,
    law: FrictionLaw,
    problem: &ContactProblem,
    sweeps: usize,
    tolerance: f64,
) -> Reference {
    let cholesky = dense_momentum(problem)
        .cholesky()
        .expect("the momentum matrix is positive definite");
    let rows = dense_rows(problem);
    let free = cholesky.solve(&DVector::from_column_slice(&problem.rhs));
    let compliant = cholesky.solve(&rows.transpose());
    let delassus = &rows * &compliant;
    let mut displacement = &rows * &free + &delassus * &forces;
    for contact in 0..problem.contacts() {
        let mut entry = displacement.fixed_rows_mut::<3>(3 * contact);
        entry -= problem.offset(contact);
    }
    let mut settled = f64::INFINITY;
    for _ in 0..sweeps {
        settled = 0.0;
        for contact in 0..problem.contacts() {
            let own: Matrix3<f64> = delassus.fixed_view::<3, 3>(3 * contact, 3 * contact).into();
            let old: Vector3<f64> = forces.fixed_rows::<3>(3 * contact).into();
            let now: Vector3<f64> = displacement.fixed_rows::<3>(3 * contact).into();
            let change = local(law, &own, now, old, problem.friction(contact)) - old;
            forces
                .fixed_rows_mut::<3>(3 * contact)
                .copy_from(&(old + change));
            displacement += delassus.columns(3 * contact, 3) * change;
            settled = settled.max((own * change).amax());
        }
        if settled < tolerance {
            break;
        }
    }
    Reference {
        law,
        velocity: &free + compliant * &forces,
        free,
        forces,
        settled,
    }
}

/// A few projections for one contact: the normal force, then friction on its disk or square.
fn local(
    law: FrictionLaw,
    own: &Matrix3<f64>,
    now: Vector3<f64>,
    old: Vector3<f64>,
    friction: f64,
) -> Vector3<f64> {
    let mut force = old;
    let tangential = own.fixed_view::<2, 2>(1, 1).trace();
    for _ in 0..20 {
        let at = now + own * (force - old);
        force.x = (force.x - at.x / own[(0, 0)]).max(0.0);
        let at = now + own * (force - old);
        let trial = force.yz() - at.yz() / tangential;
        let radius = friction * force.x;
        let allowed = match law {
            FrictionLaw::Cone if trial.norm() > radius => trial * (radius / trial.norm()),
            FrictionLaw::Cone => trial,
            FrictionLaw::Pyramid => trial.map(|part| part.clamp(-radius, radius)),
        };
        force.y = allowed.x;
        force.z = allowed.y;
    }
    force
}

impl Reference {
    /// Another solution of the same problem, near `forces`.
    pub(crate) fn near(
        &self,
        forces: DVector<f64>,
        problem: &ContactProblem,
        sweeps: usize,
        tolerance: f64,
    ) -> Self {
        solve_from(forces, self.law, problem, sweeps, tolerance)
    }

    /// The solution in the form of `residual`.
    pub(crate) fn solution(&self) -> ContactSolution {
        let contacts = self.forces.as_slice().chunks_exact(3).map(|force| {
            let state = if force[0] > 0.0 {
                ContactState::Sliding
            } else {
                ContactState::Inactive
            };
            Multipliers {
                state,
                lambda: force[0],
                sliding_force: [force[1], force[2]],
                ..Multipliers::default()
            }
        });
        ContactSolution {
            velocity: self.velocity.as_slice().to_vec(),
            contacts: contacts.collect(),
            constraints: Vec::new(),
        }
    }
}
