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

/// `ε_t/(g Δt²)`: the friction threshold is met to this share of gravity (spec 5.5: 0.005 gives the right incline).
const SLIP_PER_FALL: f64 = 0.005;

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
            gap.min(SLIP_PER_FALL * fall)
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
