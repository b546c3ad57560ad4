//! How exact a step has to be, in units of the scene.

use impinge_contact::method::active_set_cr::Tolerances;

/// Where the tolerances come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToleranceMode {
    /// From lengths, masses and gravity of the scene.
    #[default]
    Physical,
    /// The absolute numbers of Verschoor & Jalba 2019: `ε₁` 5e-5 N·s, `ε₂` 5e-6 m, one tolerance for both directions.
    Paper,
}

/// The scales that tolerances are made of, and what the scene overrides.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ToleranceScales {
    /// Physical or paper.
    pub mode: ToleranceMode,
    /// Mean edge of the surfaces of deformable and free rigid bodies (m).
    pub edge_length: f64,
    /// Mass of the lightest body (kg).
    pub lightest_body: f64,
    /// `‖g‖` (m/s²).
    pub gravity: f64,
    /// Whether rigid bodies take part: a gap that is off comes back as their velocity.
    pub rigid: bool,
    /// Overrides `ε₁` (N·s).
    pub momentum: Option<f64>,
    /// Overrides `ε₂` (m).
    pub clearance: Option<f64>,
    /// Overrides `ε_t` (m).
    pub slip: Option<f64>,
}

/// `ε₂` over the mean surface edge: the paper's 5 µm on its 20 mm rings.
const CLEARANCE_PER_EDGE: f64 = 2.5e-4;

/// Solver tolerance over the half width of `(0, ε₂)`: a tenth is left for the geometry's nonlinearity.
const GAP_SHARE: f64 = 0.9;

/// The least gap that is asked for, in tolerances of the solver.
const LEAST_PER_GAP: f64 = 4.0;

/// `ε_t/(g Δt²)`: the friction threshold is met to this share of gravity (spec 5.5: 0.005 gives the right incline).
const SLIP_PER_FALL: f64 = 0.005;

/// Solver tolerance of gaps over `g Δt²` where rigid bodies take part: what a gap is off by, every layer of a stack takes
/// for velocity.
const RIGID_GAP_PER_FALL: f64 = 0.001;

/// `ε₁/(m g Δt)` of the lightest body.
const MOMENTUM_PER_WEIGHT: f64 = 1e-3;

impl ToleranceScales {
    /// `ε₂` (m): active gaps end in `(0, ε₂)`.
    pub fn clearance(&self) -> f64 {
        self.clearance.unwrap_or(match self.mode {
            ToleranceMode::Physical => CLEARANCE_PER_EDGE * self.edge_length,
            ToleranceMode::Paper => 5e-6,
        })
    }

    /// The gap at the end of a step that a contact row asks for, from the `distance` at its start (m).
    ///
    /// It is the middle of `(0, ε₂)`, as far as the solver's tolerance `gap` leaves no choice. Where it does, nothing is asked
    /// for that need not be: what a row moves within a step becomes velocity, and half a clearance can be many times the
    /// fall `g Δt²` of a step that rest is measured by. A gap that is off the middle by what the solver may leave undecided
    /// stays as it is, one that is farther is brought there, and a pair that is nearer gets back `gap` a step, or what it takes
    /// for its end to be positive: what may go wrong with it are two tolerances of an accepted solve and one of the balance
    /// of momentum after it. A contact that was `hit` although it had a row gets eight times as much.
    pub fn goal(&self, distance: f64, gap: f64, hit: bool) -> f64 {
        let middle = 0.5 * self.clearance();
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

    /// The solver's tolerances for a step of length `time_step` (s).
    pub fn solver(&self, time_step: f64) -> Tolerances {
        let gap = GAP_SHARE * 0.5 * self.clearance();
        // Without gravity the clearance itself is the only velocity scale of a step.
        let fall = if self.gravity > 0.0 {
            self.gravity * time_step * time_step
        } else {
            self.clearance()
        };
        let gap = if self.rigid && self.mode == ToleranceMode::Physical {
            gap.min(RIGID_GAP_PER_FALL * fall)
        } else {
            gap
        };
        let (momentum, slip) = match self.mode {
            ToleranceMode::Physical => (
                MOMENTUM_PER_WEIGHT * self.lightest_body * fall / time_step,
                gap.min(SLIP_PER_FALL * fall),
            ),
            ToleranceMode::Paper => (5e-5, gap),
        };
        Tolerances {
            momentum: self.momentum.unwrap_or(momentum),
            gap,
            slip: self.slip.unwrap_or(slip),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFORMABLE: ToleranceScales = ToleranceScales {
        mode: ToleranceMode::Physical,
        edge_length: 0.02,
        lightest_body: 0.1,
        gravity: 9.81,
        rigid: false,
        momentum: None,
        clearance: None,
        slip: None,
    };

    #[test]
    fn coarse_tolerances_ask_for_the_middle() {
        let scales = DEFORMABLE;
        let (middle, gap) = (0.5 * scales.clearance(), scales.solver(1e-3).gap);
        for distance in [1e-12, 1e-6, middle, 1e-5, 1.0] {
            let goal = scales.goal(distance, gap, false);
            assert!(
                (goal - middle).abs() <= 1e-12 * middle,
                "{distance}: {goal}"
            );
        }
    }

    #[test]
    fn fine_tolerances_ask_for_no_more_than_they_resolve() {
        let scales = ToleranceScales {
            edge_length: 0.2,
            rigid: true,
            ..DEFORMABLE
        };
        let (middle, gap) = (0.5 * scales.clearance(), scales.solver(1e-3).gap);
        assert!(gap < 0.01 * middle);
        for distance in [
            1e-3 * gap,
            gap,
            10.0 * gap,
            middle - gap,
            middle,
            middle + gap,
        ] {
            let goal = scales.goal(distance, gap, false);
            assert!(goal > 3.0 * gap, "{distance}: the end may be nothing");
            assert!(
                (goal - distance).abs() <= LEAST_PER_GAP * gap,
                "{distance}: {goal}"
            );
        }
        // From afar it is the end of the fall that counts.
        let goal = scales.goal(10.0 * middle, gap, false);
        assert!(goal > middle && goal < middle + 3.0 * gap);
    }
}
