//! Time, world, solver, stepper and output.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Simulated time and how it is divided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Time step (s), greater than 0.
    pub step: f64,
    /// Simulated time at which the run ends (s), greater than 0; to the nearest whole step.
    pub duration: f64,
    /// Shortest part of a subdivided step (s); the run stops, safe on disk, when a shorter one would be needed.
    /// Default: a thirty-second of `step`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_step: Option<f64>,
}

impl Time {
    /// Shortest part of a subdivided step (s): `minimum_step`, or a thirty-second of `step`.
    pub fn minimum_step(&self) -> f64 {
        self.minimum_step.unwrap_or(self.step / 32.0)
    }

    /// Number of whole steps in `duration`.
    pub fn steps(&self) -> u64 {
        #[expect(clippy::cast_sign_loss, reason = "both are validated to be positive")]
        let steps = (self.duration / self.step).round() as u64;
        steps
    }
}

impl Default for Time {
    fn default() -> Self {
        Self {
            step: 1e-3,
            duration: 1.0,
            minimum_step: None,
        }
    }
}

/// What acts on every body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct World {
    /// Acceleration of gravity (m/s²).
    pub gravity: [f64; 3],
    /// Coulomb friction coefficient of each body and obstacle that does not name its own (1), 0 or more.
    /// A touching pair rubs with the geometric mean `sqrt(mu_a * mu_b)` of its two coefficients, so a frictionless
    /// surface stays frictionless against everything.
    pub friction: f64,
}

impl Default for World {
    fn default() -> Self {
        Self {
            gravity: [0.0, 0.0, -9.81],
            friction: 0.5,
        }
    }
}

/// Preconditioner of the conjugate-residual iterations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preconditioner {
    /// Diagonal blocks together with the active contacts: few iterations.
    #[default]
    Full,
    /// The diagonal of the momentum matrix alone: cheap, many iterations.
    Diagonal,
}

/// The contact method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SolverMethod {
    /// Active-set conjugate residuals.
    #[default]
    Cr,
    /// The same with states that change only where the equalities are solved: a plain active-set method.
    ActiveSet,
    /// Staggered projections by active-set methods: normal and friction forces in turn.
    SpActiveSet,
    /// Staggered projections by conjugate residuals whose states change inside the iteration.
    #[serde(rename = "sp-2cr")]
    Sp2Cr,
    /// Iterative constraint anticipation: nested Gauss-Seidel.
    Ica,
    /// Free and corrective motion: contact forces from the bodies' exact compliance, factorised every step.
    ExactCompliance,
    /// The same with the compliance at rest, computed once and rotated node by node: fast, and off by a few percent.
    WarpedCompliance,
    /// Momentum and joints in one factorisation: what scenes with joints or bodies in compliance form take instead of `cr`.
    CompliantKkt,
    /// `cr` for such scenes, all the same: the forces of joints and strains by the method of multipliers around it.
    CrMultipliers,
}

/// How the compliance at the contacts is applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delassus {
    /// As a matrix of 3×3 blocks between contacts.
    #[default]
    Built,
    /// Through displacements of the touched nodes: where many contacts share few nodes.
    Unbuilt,
}

/// What of the geometric stiffness of joints, and of shells in compliance form, is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointStiffness {
    /// None: joints under tension swing ever wider, for comparison.
    None,
    /// All of it, made symmetric.
    Symmetric,
    /// The part that resists; never adds energy.
    #[default]
    Projected,
}

/// What takes the bodies from one time to the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepperChoice {
    /// Implicit steps of `time.step`, contacts solved together; for solids, thin and rigid bodies.
    #[default]
    Synchronous,
    /// Every force on a clock of its own, contact by penalty layers; for thin bodies and solids. Needs `asynchronous`.
    Asynchronous,
    /// Implicit steps of `time.step` without any contact: shells, rigid bodies and joints as constraints, in one linear
    /// solve. `solver.joint_stiffness` says what of their geometric stiffness is used.
    Constrained,
}

impl StepperChoice {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks for a reference"
    )]
    pub(in crate::scene) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The asynchronous stepper.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Asynchronous {
    /// Distance at which the first penalty layer begins to push (m), greater than 0. Features of one body that have no
    /// corner in common must start farther apart than this: at most 0.3 of the smallest height of a triangle.
    pub thickness: f64,
    /// Stiffness of the first layer (N/m), greater than 0. Default: such that about five layers stop the lightest vertex
    /// at 1 m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Ratio of normal speeds after and before an impact (1), from 0 to 1.
    #[serde(default = "half")]
    pub restitution: f64,
    /// Step of a layer in proportion to the time scale of its spring (1), greater than 0, at most 0.2: beyond that,
    /// bounces gain energy. Default: 0.05 where nothing is lost in an impact, else 0.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer_step: Option<f64>,
    /// Longest periods of elastic forces in proportion to the time scale of their stiffest motion at rest (1), greater than 0, at most 1: beyond
    /// that, what is stretched or crumpled flies apart. Default: 0.3 where nothing is lost in an impact, which keeps energy to a percent
    /// or so a second, else 0.6.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_step: Option<f64>,
    /// Longest period of the clocks of forces, gravity and prescribed motions (s), greater than 0.
    #[serde(default = "millisecond")]
    pub longest_period: f64,
    /// How pairs that come near are found; the motion is the same.
    #[serde(default)]
    pub detection: Detection,
    /// Most ticks per simulated second of the layers of one pair that still count as progress (1/s), greater than 0;
    /// beyond that the run stops, safe.
    #[serde(default = "billion")]
    pub most_ticks: f64,
}

fn billion() -> f64 {
    1e9
}

/// How the asynchronous stepper finds the pairs that come near.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Detection {
    /// By certificates of separation, each with the time at which it ends: nothing is ever done in vain.
    #[default]
    Kinetic,
    /// By windows of time that are run ahead, then searched for what came near, and done again where something did.
    Speculative,
}

fn half() -> f64 {
    0.5
}

fn millisecond() -> f64 {
    1e-3
}

/// How the tolerances that are not given are chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tolerances {
    /// From what acts on each body in each step, and from gravity and the step for gaps and slips, so that a result
    /// keeps its accuracy when units change.
    #[default]
    Physical,
    /// The same with a hundredth of the momentum and a tenth of gaps and slips or less: for results that no tolerance
    /// can be seen in, and to find out whether one can.
    Tight,
    /// The absolute numbers of the method's paper, for comparing iteration counts with its tables.
    Paper,
}

/// When the contact states are evaluated inside the solver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Evaluation {
    /// At intervals that adapt to the rate of convergence.
    #[default]
    Interval,
    /// After every iteration that gets somewhere.
    Every,
    /// Only when the linear system has converged.
    AtConvergence,
}

/// The contact solver: every key is optional.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a key of its own, true or false in the file"
)]
pub struct Solver {
    /// The contact method; `preconditioner`, `anticipation` and `evaluation` steer `cr`, the first of
    /// them `active-set` too.
    pub method: SolverMethod,
    /// Preconditioner of the iterations.
    pub preconditioner: Preconditioner,
    /// Whether contact states are anticipated before the conjugate-residual iterations, and regions that need it solved
    /// for by themselves before the whole; `false` for the method of the paper.
    pub anticipation: bool,
    /// Where the tolerances come from that are not given below.
    pub tolerances: Tolerances,
    /// Largest momentum residual of an accepted solve (N·s), the same for every body, greater than 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub momentum_tolerance: Option<f64>,
    /// Contact clearance (m), greater than 0: gaps of active contacts end between 0 and this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_tolerance: Option<f64>,
    /// Largest slip per step of a contact that counts as sticking (m), greater than 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slip_tolerance: Option<f64>,
    /// Iterations after which a solve counts as not converged, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// Whether a sticking contact remembers where it stuck, which removes creep over many steps.
    pub anchored_contacts: bool,
    /// When contact states are evaluated.
    pub evaluation: Evaluation,
    /// How `exact-compliance` and `warped-compliance` apply the compliance at the contacts.
    pub delassus: Delassus,
    /// With `warped-compliance`: whether contact forces change the momentum of free bodies by exactly what they are. Without
    /// it, and without `corrections`, it is off by a few percent of their impulse.
    pub momentum_repair: bool,
    /// With `warped-compliance`: how often, at most, a solve mends what its compliance got wrong about the forces of
    /// the moment, which it does until momentum balances to its tolerance or gets no nearer to that. Each time costs a
    /// free motion, and leaves a tenth of the error or so. What is missed then is counted (`unmet_momentum`); 0 is the
    /// method as published, which always misses it.
    pub corrections: u32,
    /// With `warped-compliance`: the folder, relative to the scene file, where the compliance at rest is kept from run to
    /// run. Default: it is computed at the start of each run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest_compliance: Option<String>,
    /// Whether elements may turn inside out, for bodies that are crushed harder than their mesh resolves; they are
    /// counted and named at the end of the run. When `false`, a step that inverts one is divided.
    pub allow_inversion: bool,
    /// What of the geometric stiffness of joints, and of shells in compliance form, is used.
    pub joint_stiffness: JointStiffness,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            method: SolverMethod::Cr,
            preconditioner: Preconditioner::Full,
            anticipation: true,
            tolerances: Tolerances::Physical,
            momentum_tolerance: None,
            gap_tolerance: None,
            slip_tolerance: None,
            max_iterations: None,
            anchored_contacts: true,
            evaluation: Evaluation::Interval,
            delassus: Delassus::Built,
            momentum_repair: false,
            corrections: 20,
            rest_compliance: None,
            allow_inversion: false,
            joint_stiffness: JointStiffness::Projected,
        }
    }
}

/// What is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputOptions {
    /// Steps from one stored frame to the next, at least 1. With 1, `impinge verify` can also check the motion
    /// between frames.
    pub every: u32,
    /// Time from which the summary counts steps as settled (s). Default: half of `time.duration`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled_after: Option<f64>,
    /// With the asynchronous stepper: whether the straight pieces of the motion are stored beside each frame, so that
    /// `impinge verify` can prove the motion between frames. They take ten times the room of the
    /// frames or more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pieces: bool,
}

impl Default for OutputOptions {
    fn default() -> Self {
        Self {
            every: 1,
            settled_after: None,
            pieces: false,
        }
    }
}
