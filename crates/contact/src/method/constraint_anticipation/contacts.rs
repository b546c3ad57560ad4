//! The complementarity problem of one pass: projected Gauss-Seidel on `u = Ĵ D₃⁻¹ Ĵᵀ f + Ĵ v_J − c`.

use crate::block::add;
use crate::method::rows::{add_impulse, at, gap_and_slip};
use crate::sweep::{SweptContacts, sweep};
use crate::{ContactProblem, FrictionLaw};
use nalgebra::{Matrix2, Matrix3, Vector3};

/// Largest change of a displacement (m) at which sweeps end, and the largest number of sweeps.
#[derive(Debug, Clone, Copy)]
pub(super) struct SweepLimits {
    pub(super) tolerance: f64,
    pub(super) most: u64,
}

/// Forces and local matrices of the contacts.
#[derive(Debug, Default)]
pub(super) struct ContactForces {
    /// `f = (λ, γ)` per contact (N).
    pub(super) forces: Vec<Vector3<f64>>,
    /// `D₃⁻¹ Ĵᵀ` of every row entry, contact by contact (s/kg).
    responses: Vec<Matrix3<f64>>,
    /// First entry of every contact in `responses`.
    starts: Vec<usize>,
    /// Diagonal blocks of `W₃ = Ĵ D₃⁻¹ Ĵᵀ` (m/N).
    local: Vec<Matrix3<f64>>,
    /// `v_J + D₃⁻¹ Ĵᵀ f`, 3 per block (m/s).
    predicted: Vec<f64>,
}

impl ContactForces {
    /// Builds `W₃` by its factors.
    pub(super) fn prepare(&mut self, problem: &ContactProblem, inverse_diagonal: &[Matrix3<f64>]) {
        self.responses.clear();
        self.starts.clear();
        self.local.clear();
        for contact in 0..problem.contacts() {
            self.starts.push(self.responses.len());
            let (blocks, jacobians) = problem.row(contact);
            let mut local = Matrix3::zeros();
            for (&block, jacobian) in blocks.iter().zip(jacobians) {
                let response = inverse_diagonal[block as usize] * jacobian.transpose();
                local += jacobian * response;
                self.responses.push(response);
            }
            self.local.push(local);
        }
        self.predicted.resize(problem.unknowns(), 0.0);
    }

    /// Sweeps to `limits`; returns the number of sweeps.
    ///
    /// `v_j` is the prediction without contacts, by blocks.
    pub(super) fn solve(
        &mut self,
        problem: &ContactProblem,
        law: FrictionLaw,
        v_j: impl Fn(usize) -> Vector3<f64>,
        limits: SweepLimits,
    ) -> u64 {
        for (block, predicted) in self.predicted.chunks_exact_mut(3).enumerate() {
            predicted.copy_from_slice(v_j(block).as_slice());
        }
        for contact in 0..problem.contacts() {
            let force = self.forces[contact];
            if force != Vector3::zeros() {
                self.respond(problem, contact, &force);
            }
        }
        let mut contacts = Relaxed {
            contacts: self,
            problem,
            law,
        };
        for sweeps in 1..=limits.most {
            if sweep(&mut contacts, problem.contacts()) < limits.tolerance {
                return sweeps;
            }
        }
        limits.most
    }

    /// `predicted += D₃⁻¹ Ĵᵀ change` of one contact.
    fn respond(&mut self, problem: &ContactProblem, contact: usize, change: &Vector3<f64>) {
        let (blocks, _) = problem.row(contact);
        for (&block, response) in blocks.iter().zip(&self.responses[self.starts[contact]..]) {
            add(&mut self.predicted, block, &(response * change));
        }
    }

    /// `b + Ĵᵀ f` in `impulse`.
    pub(super) fn impulse_into(&self, problem: &ContactProblem, impulse: &mut [f64]) {
        impulse.copy_from_slice(&problem.rhs);
        for (contact, force) in self.forces.iter().enumerate() {
            if *force != Vector3::zeros() {
                add_impulse(problem, contact, force, impulse);
            }
        }
    }
}

/// The contacts in a sweep; the change of a contact is the displacement due to its change of force (m).
struct Relaxed<'a> {
    contacts: &'a mut ContactForces,
    problem: &'a ContactProblem,
    law: FrictionLaw,
}

impl SweptContacts for Relaxed<'_> {
    fn force(&mut self, contact: usize) -> &mut Vector3<f64> {
        &mut self.contacts.forces[contact]
    }

    fn displacement(&self, contact: usize) -> Vector3<f64> {
        gap_and_slip(self.problem, contact, &self.contacts.predicted)
    }

    fn solve(&mut self, contact: usize, u: &Vector3<f64>) -> (Option<Vector3<f64>>, f64) {
        let old = self.contacts.forces[contact];
        if old == Vector3::zeros() && u[0] >= 0.0 {
            return (None, 0.0);
        }
        let w = self.contacts.local[contact];
        let mut new = old;
        new[0] = (old[0] - u[0] / w[(0, 0)]).max(0.0);
        // The slip after the change of the normal force.
        let pushed = new[0] - old[0];
        let slip = [u[1] + w[(1, 0)] * pushed, u[2] + w[(2, 0)] * pushed];
        let radius = self.problem.friction(contact) * new[0];
        let friction = match self.law {
            FrictionLaw::Cone => on_disk(&w, [old[1], old[2]], slip, radius),
            FrictionLaw::Pyramid => in_square(&w, [old[1], old[2]], slip, radius),
        };
        (new[1], new[2]) = (friction[0], friction[1]);
        let change = new - old;
        (
            (change != Vector3::zeros()).then_some(new),
            (w * change).amax(),
        )
    }

    fn respond(&mut self, contact: usize, change: &Vector3<f64>) {
        self.contacts.respond(self.problem, contact, change);
    }
}

/// The friction force in the disk that opposes its slip: exact if it sticks, else by projected gradient steps.
fn on_disk(w: &Matrix3<f64>, old: [f64; 2], slip: [f64; 2], radius: f64) -> [f64; 2] {
    let tangential = Matrix2::new(w[(1, 1)], w[(1, 2)], w[(2, 1)], w[(2, 2)]);
    let determinant = tangential.determinant();
    if determinant > 0.0 {
        let stick = [
            old[0] - (tangential[(1, 1)] * slip[0] - tangential[(0, 1)] * slip[1]) / determinant,
            old[1] - (tangential[(0, 0)] * slip[1] - tangential[(1, 0)] * slip[0]) / determinant,
        ];
        if stick[0].hypot(stick[1]) <= radius {
            return stick;
        }
    }
    // The largest eigenvalue is at most the trace and at least half of it.
    let step = tangential.trace().recip();
    let mut force = old;
    for _ in 0..4 {
        let moved = [force[0] - old[0], force[1] - old[1]];
        let slip = [
            slip[0] + tangential[(0, 0)] * moved[0] + tangential[(0, 1)] * moved[1],
            slip[1] + tangential[(1, 0)] * moved[0] + tangential[(1, 1)] * moved[1],
        ];
        // Nearly isotropic: twice the step is then exact.
        let pushed = [
            force[0] - 2.0 * step * slip[0],
            force[1] - 2.0 * step * slip[1],
        ];
        let size = pushed[0].hypot(pushed[1]);
        force = if size > radius {
            [pushed[0] * radius / size, pushed[1] * radius / size]
        } else {
            pushed
        };
    }
    force
}

/// The friction force in the square, by components.
fn in_square(w: &Matrix3<f64>, old: [f64; 2], slip: [f64; 2], radius: f64) -> [f64; 2] {
    let first = (old[0] - slip[0] / w[(1, 1)]).clamp(-radius, radius);
    let left = slip[1] + w[(2, 1)] * (first - old[0]);
    let second = (old[1] - left / w[(2, 2)]).clamp(-radius, radius);
    [first, second]
}

/// The three entries of a block.
pub(super) fn block(x: &[f64], block: usize) -> Vector3<f64> {
    at(x, block as u32)
}
