//! Tolerances of a step in physical units.

use impinge_contact::Tolerances;

/// Origin of the tolerances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToleranceMode {
    /// Derived from lengths, gravity and the forces on each body.
    #[default]
    Physical,
    /// Like `Physical`, with a hundredth of the momentum and a tenth of the displacement tolerances.
    Tight,
    /// The absolute numbers of Verschoor and Jalba 2019 (<https://doi.org/10.1145/3209887>): `ε₁` 5e-5 N·s, `ε₂` 5e-6
    /// m, and one tolerance for normal and tangential directions.
    Paper,
}

/// The scales of tolerances, and the overrides of the scene.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ToleranceScales {
    /// Physical, tight or paper.
    pub mode: ToleranceMode,
    /// `‖g‖` (m/s²).
    pub gravity: f64,
    /// Overrides `ε₁` of every body (N·s).
    pub momentum: Option<f64>,
    /// Overrides `ε₂` (m).
    pub clearance: Option<f64>,
    /// Overrides `ε_t` (m).
    pub slip: Option<f64>,
}

/// Scales of the tolerances of one contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairScale {
    /// Mean edge of the finer of the two bodies (m).
    pub length: f64,
    /// Whether a free rigid body is involved: its gap errors become velocities.
    pub rigid: bool,
}

/// `ε₂` over the mean edge of a pair. Gives the 5 µm of Verschoor and Jalba 2019 for their rings with 20 mm edges.
const CLEARANCE_PER_EDGE: f64 = 2.5e-4;

/// Solver tolerance over the half width of `(0, ε₂)`: a tenth is reserved for the nonlinearity of the geometry.
const GAP_SHARE: f64 = 0.9;

/// Least target gap in tolerances of the solver: two for an accepted solve, one for the momentum correction, one to
/// spare.
const LEAST_PER_GAP: f64 = 4.0;

/// `ε_t/(g Δt²)`: the friction threshold is accurate to this share of gravity, so an incline slips at the right angle
/// within about 0.3°.
const SLIP_PER_FALL: f64 = 0.005;

/// Solver tolerance of gaps over `g Δt²` with rigid bodies or tight tolerances. Every layer of a stack turns a gap
/// error into velocity, so it must be far below 1.
const GAP_PER_FALL: f64 = 0.001;

/// `ε₁` of a body over the largest impulse on it. The residual may lie along one motion and persist from step to step,
/// so this is the relative accuracy of forces.
const MOMENTUM_PER_IMPULSE: f64 = 2e-4;

/// Reduction of the shares by [`ToleranceMode::Tight`].
const TIGHT_MOMENTUM: f64 = 0.01;
const TIGHT_DISPLACEMENT: f64 = 0.1;

/// Error of a body's velocity, in its own sizes per second (1/s), that is always allowed: for one metre, a tenth of a
/// millimetre per day. It ends the iteration where all forces vanish.
pub(crate) const LEAST_RATE: f64 = 1e-9;

impl ToleranceScales {
    /// `ε₂` (m) of a pair of this `length` (m): active gaps end in `(0, ε₂)`.
    pub fn clearance(&self, length: f64) -> f64 {
        let given = self.given_clearance();
        given.unwrap_or(CLEARANCE_PER_EDGE * length)
    }

    /// The clearance `ε₂` of all pairs (m), if the scene gives one.
    pub(crate) fn given_clearance(&self) -> Option<f64> {
        let paper = (self.mode == ToleranceMode::Paper).then_some(5e-6);
        self.clearance.or(paper)
    }

    /// Target gap of a contact row with this `clearance`, from the `distance` at the start of the step (m).
    ///
    /// - With a coarse solver tolerance `gap`, the target is the middle of `(0, ε₂)`.
    /// - With a fine one, the target moves as little as possible. A displacement within a step becomes velocity, and
    ///   half a clearance can be many times the fall `g Δt²` of a step. Gaps within `2 gap` of the middle stay. Larger
    ///   ones are reduced to that range.
    /// - A smaller gap grows by `gap` per step, or to the least gap of four solver tolerances if that is more, so
    ///   that it ends positive despite the errors of an accepted solve and of the momentum correction.
    /// - After a repeated impact (`hit`) the least gap is eight times as large.
    pub fn goal(clearance: f64, distance: f64, gap: f64, hit: bool) -> f64 {
        let middle = 0.5 * clearance;
        let least = if hit { 8.0 } else { 1.0 } * LEAST_PER_GAP * gap;
        let least = least.min(middle);
        // An accepted solve may miss a gap by as much.
        let undecided = (Tolerances::ACCEPTED * gap).min(middle - least);
        let (low, high) = (middle - undecided, middle + undecided);
        if distance < low {
            low.min((distance + gap).max(least))
        } else {
            distance.min(high)
        }
    }

    /// The momentum tolerance `ε₁` of all bodies (N·s), if the scene gives one.
    pub(crate) fn given_momentum(&self) -> Option<f64> {
        let paper = (self.mode == ToleranceMode::Paper).then_some(5e-5);
        self.momentum.or(paper)
    }

    /// `ε₁` of a body in a step: `largest` is the largest impulse on it, `least` the value that is always allowed
    /// (N·s).
    pub fn momentum(&self, largest: f64, least: f64) -> f64 {
        let tight = match self.mode {
            ToleranceMode::Tight => TIGHT_MOMENTUM,
            _ => 1.0,
        };
        (tight * MOMENTUM_PER_IMPULSE * largest).max(least)
    }

    /// The solver's tolerances for a step of length `time_step` (s), which those of bodies and pairs are multiples of:
    /// `momentum` (N·s), gap and slip of the `reference` of the `finest` pair.
    pub fn solver(&self, finest: PairScale, time_step: f64, momentum: f64) -> Tolerances {
        Tolerances {
            momentum,
            gap: self.reference(self.gap(finest, time_step)),
            slip: self.reference(self.slip(finest, time_step)),
        }
    }

    /// The value that tolerances are multiples of, for the extreme one among them: the power of two below it. Factors
    /// and products with powers of two have no rounding, so the bits of a solve depend on its own tolerances alone,
    /// whatever the others. The tolerances of the paper are the same for all, and are kept as they are.
    pub(crate) fn reference(&self, extreme: f64) -> f64 {
        const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
        let below = f64::from_bits(extreme.to_bits() & EXPONENT);
        if self.mode == ToleranceMode::Paper || !below.is_normal() {
            extreme
        } else {
            below
        }
    }

    /// Largest change of the nonlinear part of a contact's motion that needs no further solve (m): within the tolerance
    /// of slips, and within the part of `(0, ε₂)` that solver tolerances leave to it.
    pub(crate) fn remainder(&self, pair: PairScale, time_step: f64) -> f64 {
        let left = (1.0 - GAP_SHARE) * 0.5 * self.clearance(pair.length);
        self.slip(pair, time_step).min(left)
    }

    /// Tolerance of the gap of a pair at the end of a step (m).
    pub fn gap(&self, pair: PairScale, time_step: f64) -> f64 {
        let gap = GAP_SHARE * 0.5 * self.clearance(pair.length);
        let resolves_falls = match self.mode {
            ToleranceMode::Physical => pair.rigid,
            ToleranceMode::Tight => true,
            ToleranceMode::Paper => false,
        };
        if resolves_falls {
            gap.min(self.of_fall(GAP_PER_FALL, pair, time_step))
        } else {
            gap
        }
    }

    /// Slip tolerance of a sticking contact of a pair in a step (m).
    pub fn slip(&self, pair: PairScale, time_step: f64) -> f64 {
        let gap = self.gap(pair, time_step);
        self.slip.unwrap_or(match self.mode {
            ToleranceMode::Paper => gap,
            _ => gap.min(self.of_fall(SLIP_PER_FALL, pair, time_step)),
        })
    }

    /// A share of `g Δt²`, the growth of a body's fall per step (m). Without gravity, of the clearance, the only
    /// displacement that a step then has.
    fn of_fall(&self, share: f64, pair: PairScale, time_step: f64) -> f64 {
        let fall = if self.gravity > 0.0 {
            self.gravity * time_step * time_step
        } else {
            self.clearance(pair.length)
        };
        let tight = match self.mode {
            ToleranceMode::Tight => TIGHT_DISPLACEMENT,
            _ => 1.0,
        };
        tight * share * fall
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALES: ToleranceScales = ToleranceScales {
        mode: ToleranceMode::Physical,
        gravity: 9.81,
        momentum: None,
        clearance: None,
        slip: None,
    };

    #[test]
    fn coarse_tolerances_ask_for_the_middle() {
        let pair = PairScale {
            length: 0.02,
            rigid: false,
        };
        let clearance = SCALES.clearance(pair.length);
        let (middle, gap) = (0.5 * clearance, SCALES.gap(pair, 1e-3));
        for distance in [1e-12, 1e-6, middle, 1e-5, 1.0] {
            let goal = ToleranceScales::goal(clearance, distance, gap, false);
            assert!(
                (goal - middle).abs() <= 1e-12 * middle,
                "{distance}: {goal}"
            );
        }
    }

    #[test]
    fn fine_tolerances_ask_for_no_more_than_they_resolve() {
        let pair = PairScale {
            length: 0.2,
            rigid: true,
        };
        let clearance = SCALES.clearance(pair.length);
        let (middle, gap) = (0.5 * clearance, SCALES.gap(pair, 1e-3));
        assert!(gap < 0.01 * middle);
        for distance in [
            1e-3 * gap,
            gap,
            10.0 * gap,
            middle - gap,
            middle,
            middle + gap,
        ] {
            let goal = ToleranceScales::goal(clearance, distance, gap, false);
            assert!(goal > 3.0 * gap, "{distance}: the end may be nothing");
            assert!(
                (goal - distance).abs() <= LEAST_PER_GAP * gap,
                "{distance}: {goal}"
            );
        }
        // A distant pair ends in the upper half of the range.
        let goal = ToleranceScales::goal(clearance, 10.0 * middle, gap, false);
        assert!(goal > middle && goal < middle + 3.0 * gap);
    }
}
