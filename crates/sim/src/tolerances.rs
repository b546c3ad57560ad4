//! How exact a step has to be, in units of the scene.

use impinge_contact::Tolerances;

/// Where the tolerances come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToleranceMode {
    /// From lengths, gravity and the forces on each body.
    #[default]
    Physical,
    /// The same with a hundredth of the momentum and a tenth of the displacements.
    Tight,
    /// The absolute numbers of Verschoor & Jalba 2019: `ε₁` 5e-5 N·s, `ε₂` 5e-6 m, one tolerance for both directions.
    Paper,
}

/// The scales that tolerances are made of, and what the scene overrides.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ToleranceScales {
    /// Physical or paper.
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
    /// Mean edge of the finer one of the two bodies that meet (m).
    pub length: f64,
    /// Whether a free rigid body takes part: a gap that is off comes back as its velocity.
    pub rigid: bool,
}

/// `ε₂` over the mean edge of a pair: the paper's 5 µm on its 20 mm rings.
const CLEARANCE_PER_EDGE: f64 = 2.5e-4;

/// Solver tolerance over the half width of `(0, ε₂)`: a tenth is left for the geometry's nonlinearity.
const GAP_SHARE: f64 = 0.9;

/// The least gap that is asked for, in tolerances of the solver.
const LEAST_PER_GAP: f64 = 4.0;

/// `ε_t/(g Δt²)`: the friction threshold is met to this share of gravity (spec 5.5: 0.005 gives the right incline).
const SLIP_PER_FALL: f64 = 0.005;

/// Solver tolerance of gaps over `g Δt²` where rigid bodies take part, or tolerances are tight: what a gap is off by,
/// every layer of a stack takes for velocity.
const GAP_PER_FALL: f64 = 0.001;

/// `ε₁` of a body over the largest impulse on it. What is left over may all lie along one motion and stay from step
/// to step, so forces are met to this share of the largest.
const MOMENTUM_PER_IMPULSE: f64 = 2e-4;

/// What is taken off the shares by [`ToleranceMode::Tight`].
const TIGHT_MOMENTUM: f64 = 0.01;
const TIGHT_DISPLACEMENT: f64 = 0.1;

/// Sizes of its own a second (1/s) that a body's velocity may always be off by, whatever acts on it: a tenth of a
/// millimetre in a day for one of a metre. Where forces vanish, something has to end the iteration.
pub(crate) const LEAST_RATE: f64 = 1e-9;

impl ToleranceScales {
    /// `ε₂` (m) of a pair of this `length` (m): active gaps end in `(0, ε₂)`.
    pub fn clearance(&self, length: f64) -> f64 {
        let given = self.given_clearance();
        given.unwrap_or(CLEARANCE_PER_EDGE * length)
    }

    /// `ε₂` of every pair alike (m), where the scene says it.
    pub(crate) fn given_clearance(&self) -> Option<f64> {
        let paper = (self.mode == ToleranceMode::Paper).then_some(5e-6);
        self.clearance.or(paper)
    }

    /// The gap at the end of a step that a contact row with this `clearance` asks for, from the `distance` at its
    /// start (m).
    ///
    /// It is the middle of `(0, ε₂)`, as far as the solver's tolerance `gap` leaves no choice. Where it does, nothing is asked
    /// for that need not be: what a row moves within a step becomes velocity, and half a clearance can be many times the
    /// fall `g Δt²` of a step that rest is measured by. A gap that is off the middle by what the solver may leave undecided
    /// stays as it is, one that is farther is brought there, and a pair that is nearer gets back `gap` a step, or what it takes
    /// for its end to be positive: what may go wrong with it are two tolerances of an accepted solve and one of the balance
    /// of momentum after it. A contact that was `hit` although it had a row gets eight times as much.
    pub fn goal(clearance: f64, distance: f64, gap: f64, hit: bool) -> f64 {
        let middle = 0.5 * clearance;
        let least = if hit { 8.0 } else { 1.0 } * LEAST_PER_GAP * gap;
        let least = least.min(middle);
        let undecided = (2.0 * gap).min(middle - least);
        let (low, high) = (middle - undecided, middle + undecided);
        if distance < low {
            low.min((distance + gap).max(least))
        } else {
            distance.min(high)
        }
    }

    /// `ε₁` of every body alike (N·s), where the scene says it.
    pub(crate) fn given_momentum(&self) -> Option<f64> {
        let paper = (self.mode == ToleranceMode::Paper).then_some(5e-5);
        self.momentum.or(paper)
    }

    /// `ε₁` of a body in a step in which `largest` is the largest impulse on it, and `least` (N·s) what is always
    /// allowed.
    pub fn momentum(&self, largest: f64, least: f64) -> f64 {
        let tight = match self.mode {
            ToleranceMode::Tight => TIGHT_MOMENTUM,
            _ => 1.0,
        };
        (tight * MOMENTUM_PER_IMPULSE * largest).max(least)
    }

    /// The solver's tolerances for a step of length `time_step` (s): the largest of its bodies' is `momentum` (N·s),
    /// and those of its contacts are of the `finest` pair.
    pub fn solver(&self, finest: PairScale, time_step: f64, momentum: f64) -> Tolerances {
        Tolerances {
            momentum,
            gap: self.gap(finest, time_step),
            slip: self.slip(finest, time_step),
        }
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

    /// What a contact of a pair that sticks may slip in a step (m).
    pub fn slip(&self, pair: PairScale, time_step: f64) -> f64 {
        let gap = self.gap(pair, time_step);
        self.slip.unwrap_or(match self.mode {
            ToleranceMode::Paper => gap,
            _ => gap.min(self.of_fall(SLIP_PER_FALL, pair, time_step)),
        })
    }

    /// A share of `g Δt²`, what a body falls by more in every step (m). Without gravity the clearance is the only
    /// displacement that a step has.
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
        // From afar it is the end of the fall that counts.
        let goal = ToleranceScales::goal(clearance, 10.0 * middle, gap, false);
        assert!(goal > middle && goal < middle + 3.0 * gap);
    }
}
