//! Absolute tolerances of a contact solve.

use crate::{ContactError, ContactProblem, setting};

/// Absolute tolerances of a solve. A problem may hold each of its bodies and contacts to a multiple of them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Tolerances {
    /// `ε₁`: bound on `‖w r_v‖₂` (N·s), where the problem may give every body a weight `w`.
    pub momentum: f64,
    /// Bound on `|g|` of active contacts (m).
    pub gap: f64,
    /// `ε_t`: bound on `‖s‖` of sticking contacts (m).
    pub slip: f64,
}

impl Default for Tolerances {
    /// For bodies of about a kilogram and a decimetre. A simulation derives its own from its scene.
    fn default() -> Self {
        Self {
            momentum: 5e-5,
            gap: 2.25e-6,
            slip: 2.25e-6,
        }
    }
}

impl Tolerances {
    /// Largest exact residual of an accepted solve over the tolerances (1), 1.5 to 3: methods stop by residuals that
    /// they update, and these drift.
    pub const ACCEPTED: f64 = 2.0;

    /// Share of the momentum tolerance below which an impulse may be solver noise (1), 0.1 to 0.5: a solve within
    /// tolerance leaves an error of this size in any part of a body.
    pub const NOISE: f64 = 0.25;

    /// Tolerances of one contact: of the impulses on its bodies, of its gap and of its slip. With `relaxed` friction
    /// the slip tolerance is at least the gap tolerance.
    pub(crate) fn of(&self, problem: &ContactProblem, contact: usize, relaxed: bool) -> Self {
        let [gap, slip] = problem.displacement_scales(contact);
        let (gap, slip) = (self.gap * gap, self.slip * slip);
        Self {
            momentum: self.momentum / problem.momentum_weight_of(contact),
            gap,
            slip: if relaxed { slip.max(gap) } else { slip },
        }
    }

    /// Whether the slip tolerance of some contact is below its gap tolerance: relaxed friction then changes something.
    pub(crate) fn can_relax(&self, problem: &ContactProblem) -> bool {
        (0..problem.contacts()).any(|contact| {
            let own = self.of(problem, contact, false);
            own.slip < own.gap
        })
    }

    /// Checks that all three are positive and finite.
    ///
    /// # Errors
    /// [`ContactError::Setting`] naming the first that is not.
    pub(crate) fn validate(&self) -> Result<(), ContactError> {
        setting::positive("tolerances.momentum", self.momentum)?;
        setting::positive("tolerances.gap", self.gap)?;
        setting::positive("tolerances.slip", self.slip)
    }
}
