//! Free motion, contact forces from the compliance at the contacts, corrective motion.
//!
//! ```text
//! v* = A⁻¹ b                          free motion
//! W = J A⁻¹ Jᵀ,  q = J v* − c         what the contacts feel of it
//! W f + q, f: Signorini, Coulomb      a friction problem in the contacts alone
//! v = A⁻¹ (b + Jᵀ f)                  corrective motion
//! ```
//!
//! The momentum balance holds to rounding whatever the friction problem's answer is. `docs/methods/corrective_motion.md`
//! explains it.

mod compliance;
mod condense;
mod settings;

pub use settings::CorrectiveMotionSettings;

use super::rows::{add_impulse, check, merit};
use super::{ContactReport, ContactSolver, Termination};
use crate::delassus::{FrictionSolver, GaussSeidel, ProximalNewton, Target};
use crate::{ContactError, ContactProblem, ContactSolution, ContactState, Multipliers, residual};
use compliance::ExactCompliance;
use condense::{apply, condense};
use nalgebra::Vector3;

/// Relative errors of the friction problem that are tried in turn until the residual is within tolerance.
///
/// The first is enough for most; below the last the rounding of `W` shows.
const TARGETS: [f64; 3] = [1e-7, 1e-10, 1e-12];

/// Sweeps without halving the error after which Newton takes over.
const PATIENCE: u64 = 30;

/// Inner problems without halving the error after which Newton gives up.
const NEWTON_PATIENCE: u64 = 12;

/// The method and its factors: reused from step to step.
///
/// # Source
/// Saupin, Duriez, Cotin & Grisoni 2008, "Efficient Contact Modeling using Compliance Warping", for the split into free
/// and corrective motion with the exact compliance; differs from it in: Newton after Gauss-Seidel, and the momentum
/// system of the step is the caller's.
#[derive(Default)]
pub struct CorrectiveMotion {
    /// Settings of the next solve.
    pub settings: CorrectiveMotionSettings,
    compliance: ExactCompliance,
    free: Vec<f64>,
    scratch: Vec<f64>,
    reactions: Vec<Vector3<f64>>,
}

impl CorrectiveMotion {
    /// A solver without factors.
    pub fn new(settings: CorrectiveMotionSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// `v = A⁻¹ (b + Jᵀ f)`, and every contact's state from what it does.
    fn write(&mut self, problem: &ContactProblem, solution: &mut ContactSolution) {
        solution.velocity.copy_from_slice(&problem.rhs);
        for (contact, force) in self.reactions.iter().enumerate() {
            add_impulse(problem, contact, force, &mut solution.velocity);
        }
        apply(
            &mut self.compliance,
            &mut solution.velocity,
            &mut self.scratch,
        );
        for (contact, force) in self.reactions.iter().enumerate() {
            let motion = super::rows::displacement(problem, contact, &solution.velocity)
                - problem.offset(contact);
            solution.contacts[contact] = multipliers(
                force,
                &motion,
                problem.friction(contact),
                self.settings.tolerances.slip,
            );
        }
    }
}

/// A contact's force as sticking or sliding friction.
fn multipliers(
    force: &Vector3<f64>,
    motion: &Vector3<f64>,
    friction: f64,
    slip_tolerance: f64,
) -> Multipliers {
    if force.x <= 0.0 {
        return Multipliers::default();
    }
    let tangential = [force.y, force.z];
    let slip = motion.y.hypot(motion.z);
    let pressed = Multipliers {
        lambda: force.x,
        previous_lambda: force.x,
        ..Multipliers::default()
    };
    if friction > 0.0 && slip <= slip_tolerance {
        return Multipliers {
            state: ContactState::Sticking,
            gamma: tangential,
            ..pressed
        };
    }
    let slip_direction = if slip > 0.0 {
        [motion.y / slip, motion.z / slip]
    } else {
        [0.0; 2]
    };
    Multipliers {
        state: ContactState::Sliding,
        sliding_force: tangential,
        slip_direction,
        ..pressed
    }
}

impl ContactSolver for CorrectiveMotion {
    fn solve(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> Result<ContactReport, ContactError> {
        self.settings.validate()?;
        check(problem, solution)?;
        self.compliance.prepare(&problem.momentum)?;
        self.free.clone_from(&problem.rhs);
        apply(&mut self.compliance, &mut self.free, &mut self.scratch);
        let condensed = condense(problem, &mut self.compliance, &self.free, &mut self.scratch)?;
        self.reactions.clear();
        self.reactions.extend(solution.contacts.iter().map(|m| {
            let [f1, f2] = m.friction_force();
            Vector3::new(m.lambda, f1, f2)
        }));
        if !self
            .reactions
            .iter()
            .all(|r| r.iter().all(|x| x.is_finite()))
        {
            self.reactions.fill(Vector3::zeros());
        }

        let settings = self.settings;
        let mut report = ContactReport {
            extra_products: condensed.solves + 1,
            ..ContactReport::default()
        };
        let sweeps = settings.max_sweeps.min(settings.max_iterations);
        for tolerance in TARGETS {
            let target = Target { tolerance };
            let unusable = |_| ContactError::TooLarge {
                unknowns: 3 * problem.contacts(),
            };
            let friction = &condensed.friction;
            let swept = GaussSeidel::new(sweeps, PATIENCE)
                .solve(friction, &mut self.reactions, &target)
                .map_err(unusable)?;
            report.sweeps += swept.sweeps;
            report.evaluations += swept.looks;
            if !swept.converged {
                let steps = ProximalNewton::new(settings.max_iterations, NEWTON_PATIENCE)
                    .solve(friction, &mut self.reactions, &target)
                    .map_err(unusable)?;
                report.iterations += steps.newton_steps;
                report.evaluations += steps.looks;
            }
            self.write(problem, solution);
            report.extra_products += 1;
            let judged = residual(problem, solution);
            report.residual = judged.momentum;
            if !(judged.momentum.is_finite() && judged.normal.is_finite()) {
                report.termination = Termination::Breakdown;
                return Ok(report);
            }
            if merit(&judged, &settings.tolerances) < 1.0 {
                report.termination = Termination::Converged;
                return Ok(report);
            }
        }
        report.termination = Termination::MaxIterations;
        Ok(report)
    }
}
