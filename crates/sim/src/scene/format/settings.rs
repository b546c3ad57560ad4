//! Time, world, solver, stepper and output.

use impinge_contact::method::{Method, MethodSpec};
use impinge_geometry::broad_phase::BroadPhaseChoice;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choice::{Choice, choice_of_names};

/// Simulated time and time step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Time step (s), > 0.
    pub step: f64,
    /// Simulated time of the run (s), > 0, rounded to whole steps.
    pub duration: f64,
    /// Shortest substep of a divided step (s). If a shorter one is needed, the run stops with valid files. Default:
    /// `step`/32.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_step: Option<f64>,
    /// Motion of deformable bodies without forces, from which a step solves for the deviation.
    #[serde(default, skip_serializing_if = "is_default")]
    pub free_flight: FreeFlight,
    /// How a step takes elastic forces.
    #[serde(default, skip_serializing_if = "is_default")]
    pub elasticity: Elasticity,
    /// How velocities and positions follow from forces.
    #[serde(default, skip_serializing_if = "is_default")]
    pub integrator: Integrator,
}

/// How velocities and positions follow from forces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Integrator {
    /// Implicit Euler, of first order: stable at any step, with much numerical damping.
    #[default]
    Euler,
    /// BDF2, of second order, with little numerical damping. Bodies in contact, and those of one-sided or damped
    /// joints, move by implicit Euler.
    Bdf2,
}

/// Motion of deformable bodies without forces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FreeFlight {
    /// Bodies turn with their deformation and keep their angular momentum.
    #[default]
    Turning,
    /// Every point moves straight, as in the papers: bodies that spin lose angular momentum.
    Straight,
}

/// How a step takes elastic forces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Elasticity {
    /// Newton's method: forces that miss the linear equation at the end of a step are linearised again there. So are
    /// constraint rows: hard joints end each step closed.
    #[default]
    Nonlinear,
    /// One linearisation a step, as in the papers: large steps may invert elements and gain energy.
    Linearised,
}

/// Whether a key has its default, so that a written scene leaves it out.
pub(in crate::scene) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Time {
    /// Shortest substep of a divided step (s): `minimum_step`, or a thirty-second of `step`.
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
            free_flight: FreeFlight::default(),
            elasticity: Elasticity::default(),
            integrator: Integrator::default(),
        }
    }
}

/// Gravity and default friction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct World {
    /// Acceleration of gravity (m/s²).
    pub gravity: [f64; 3],
    /// Coulomb friction coefficient of bodies and obstacles without their own (1), ≥ 0. A contact has the geometric
    /// mean of both coefficients.
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
    /// Diagonal blocks combined with the active contacts: few iterations.
    #[default]
    Full,
    /// The diagonal of the momentum matrix alone: cheap, many iterations.
    Diagonal,
}

/// The contact method, by its name in the register of methods; `cr-multipliers` is another name of `cr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolverMethod(&'static str);

/// The names of the register, and one of scenes alone at the end.
const METHOD_NAMES: [&str; Method::NAMES.len() + 1] = {
    let mut names = [SolverMethod::CR_MULTIPLIERS.0; Method::NAMES.len() + 1];
    let mut index = 0;
    while index < Method::NAMES.len() {
        names[index] = Method::NAMES[index];
        index += 1;
    }
    names
};

impl SolverMethod {
    /// Active-set conjugate residuals; an outer method of multipliers gives the forces of joints and strains.
    pub const CR: Self = Self("cr");

    /// Another name of [`CR`](Self::CR).
    pub const CR_MULTIPLIERS: Self = Self("cr-multipliers");

    /// Its name in scenes.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Its entry in the register.
    pub fn spec(self) -> Option<&'static MethodSpec> {
        match self {
            Self::CR_MULTIPLIERS => Self::CR.spec(),
            Self(name) => MethodSpec::named(name),
        }
    }
}

/// A summary with a capital and a full stop.
fn sentence(summary: &str) -> String {
    let mut letters = summary.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

impl Choice for SolverMethod {
    const NAMES: &'static [&'static str] = &METHOD_NAMES;
    const TITLE: &'static str = "SolverMethod";
    const DESCRIPTION: &'static str = "The contact method.";

    fn by_name(name: &str) -> Option<Self> {
        METHOD_NAMES
            .iter()
            .find(|known| **known == name)
            .map(|known| Self(known))
    }

    fn name(&self) -> &'static str {
        self.0
    }

    fn summary(&self) -> String {
        match self.spec() {
            _ if *self == Self::CR_MULTIPLIERS => "Another name of `cr`.".to_owned(),
            Some(spec) => sentence(spec.summary),
            None => String::new(),
        }
    }
}

/// The broad phase: how candidate pairs are found, by the names of [`BroadPhaseChoice`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BroadPhase(pub BroadPhaseChoice);

impl Choice for BroadPhase {
    const NAMES: &'static [&'static str] = BroadPhaseChoice::NAMES;
    const TITLE: &'static str = "BroadPhase";
    const DESCRIPTION: &'static str = "The broad phase: how candidate pairs are found.";

    fn by_name(name: &str) -> Option<Self> {
        BroadPhaseChoice::by_name(name).map(Self)
    }

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn summary(&self) -> String {
        self.0.summary().to_owned()
    }
}

/// Representation of the compliance at the contacts (Delassus operator).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delassus {
    /// Matrix of 3×3 blocks between contacts.
    #[default]
    Built,
    /// Matrix-free, through displacements of the nodes in contact: for many contacts on few nodes.
    Unbuilt,
}

/// Part of the geometric stiffness of joints, and of shells in compliance form, that is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointStiffness {
    /// None, for comparison: oscillations of joints under tension grow.
    None,
    /// The symmetric part.
    Symmetric,
    /// The part that resists motion; never adds energy.
    #[default]
    Projected,
    /// All of it, not symmetric for rigid bodies, by LU factors, for comparison: with the constrained stepper, without
    /// ropes and limits.
    Unsymmetric,
}

/// Linear solver of momentum and constraint rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Linear {
    /// `L D Lᵀ` factors with refinement, for all kinds of rows.
    #[default]
    Direct,
    /// MINRES, at most `max_iterations` iterations: with the constrained stepper, without ropes and limits.
    Minres,
}

/// Solver of contacts, ropes and limits, after elimination of momentum and all other rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OneSided {
    /// Gauss-Seidel, then Newton, then ADMM.
    #[default]
    Combined,
    /// Projected Gauss-Seidel (PGS) alone, at most `max_iterations` sweeps.
    GaussSeidel,
}

/// Time stepper.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepperChoice {
    /// Implicit steps, contacts solved together; for all bodies.
    #[default]
    Synchronous,
    /// Each force has its own period, contact uses penalty layers. Needs `asynchronous`.
    Asynchronous,
    /// Implicit steps without contact: shells, rigid bodies and joints as constraints, in one linear solve.
    Constrained,
}

/// Settings of the asynchronous stepper.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Asynchronous {
    /// Distance at which the first penalty layer begins to push (m), > 0. Features of one body without a common vertex
    /// must start farther apart: at most 0.3 of the smallest height of a triangle.
    pub thickness: f64,
    /// Stiffness of the first layer (N/m), > 0. Default: about five layers stop the lightest vertex at 1 m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Coefficient of restitution (1), 0 to 1.
    #[serde(default = "half")]
    pub restitution: f64,
    /// Time step of a penalty layer relative to the time scale of its spring (1), > 0 and ≤ 0.2, above which impacts
    /// gain energy. Default: 0.05 if `restitution` is 1, else 0.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer_step: Option<f64>,
    /// Period of an elastic force relative to the time scale of its stiffest mode at rest (1), > 0 and ≤ 1, above which
    /// crumpled bodies become unstable. Default: 0.3 if `restitution` is 1, which keeps energy to about 1 % per second,
    /// else 0.6.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_step: Option<f64>,
    /// Longest period of forces, gravity and prescribed motions (s), > 0.
    #[serde(default = "millisecond")]
    pub longest_period: f64,
    /// Detection of close pairs; it does not change the motion.
    #[serde(default)]
    pub detection: Detection,
    /// Most ticks of the layers of one pair per simulated second (1/s), > 0. Above it, the run stops with valid files.
    #[serde(default = "billion")]
    pub most_ticks: f64,
}

fn billion() -> f64 {
    1e9
}

/// Detection of close pairs by the asynchronous stepper.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Detection {
    /// Separation certificates with end times; no work is repeated.
    #[default]
    Kinetic,
    /// Windows of time, computed ahead and again if close pairs are found.
    Speculative,
}

fn half() -> f64 {
    0.5
}

fn millisecond() -> f64 {
    1e-3
}

/// Source of the tolerances that the scene does not give.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tolerances {
    /// From the forces on each body in each step; those of gaps and slips from gravity and the time step.
    #[default]
    Physical,
    /// A hundredth of the momentum tolerance, at most a tenth of those of gaps and slips: to measure the effect of
    /// tolerances.
    Tight,
    /// The absolute values of Verschoor and Jalba (2019), to compare iteration counts.
    Paper,
}

/// Schedule of the active-set updates inside the solver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Evaluation {
    /// At intervals that adapt to the rate of convergence.
    #[default]
    Interval,
    /// Only when the linear system has converged.
    AtConvergence,
}

/// The contact solver; every key is optional.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a key of its own, true or false in the file"
)]
pub struct Solver {
    /// The contact method. Default: `cr`, or `compliant-kkt` with joints or bodies in compliance form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<SolverMethod>,
    /// Preconditioner, with `cr`, `active-set` and `linear = "minres"`.
    pub preconditioner: Preconditioner,
    /// Whether `cr` predicts the active set, in phases between those of conjugate residuals.
    pub prediction: bool,
    /// Source of the tolerances that are not given.
    pub tolerances: Tolerances,
    /// Largest momentum residual of an accepted solve (N·s), the same for every body, > 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub momentum_tolerance: Option<f64>,
    /// Contact clearance (m), > 0: gaps of active contacts end between 0 and this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_tolerance: Option<f64>,
    /// Largest slip per step of a contact that counts as sticking (m), > 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slip_tolerance: Option<f64>,
    /// Iterations after which a solve counts as not converged, ≥ 1. The constrained stepper then goes on from the
    /// result of MINRES or the sweeps, and the step counts as inexact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// Whether a sticking contact keeps its anchor over steps, against creep.
    pub anchored_contacts: bool,
    /// Schedule of the active-set updates, with `cr`.
    pub evaluation: Evaluation,
    /// Representation of the compliance at the contacts in `exact-compliance` and `warped-compliance`.
    pub delassus: Delassus,
    /// With `warped-compliance`: whether contact impulses change the momentum of free bodies exactly; else, without
    /// `corrections`, to a few percent.
    pub momentum_repair: bool,
    /// With `warped-compliance`: most corrections of the compliance error per solve. Each costs a free motion and
    /// leaves about a tenth of the error. They end at the tolerance, or after three in a row that do not reduce
    /// the residual. `unmet_momentum` counts missed tolerances. 0 is the published method, which always misses.
    pub corrections: u32,
    /// With `warped-compliance`: folder, relative to the scene file, that keeps the compliance at rest. Default: each
    /// run computes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest_compliance: Option<String>,
    /// Whether elements may invert, in bodies compressed more than their mesh resolves; inverted ones are counted. If
    /// `false`, such a step is divided.
    pub allow_inversion: bool,
    /// Part of the geometric stiffness of joints, and of shells in compliance form, that is used.
    pub joint_stiffness: JointStiffness,
    /// Linear solver of momentum and constraint rows, with the constrained stepper.
    #[serde(skip_serializing_if = "is_default")]
    pub linear: Linear,
    /// Solver of contacts, ropes and limits, with `compliant-kkt` and the constrained stepper.
    #[serde(skip_serializing_if = "is_default")]
    pub one_sided: OneSided,
    /// How candidate pairs are found: always the same pairs, so results are equal to the last bit.
    #[serde(skip_serializing_if = "is_default")]
    pub broad_phase: BroadPhase,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            method: None,
            preconditioner: Preconditioner::Full,
            prediction: true,
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
            linear: Linear::Direct,
            one_sided: OneSided::Combined,
            broad_phase: BroadPhase::default(),
        }
    }
}

impl Solver {
    /// The keys whose values differ from their defaults, by name.
    pub(crate) fn keys_beside_defaults(&self) -> impl Iterator<Item = String> {
        let keys = |solver: &Self| match serde_json::to_value(solver) {
            Ok(serde_json::Value::Object(keys)) => keys,
            // The solver serialises to a table.
            _ => serde_json::Map::new(),
        };
        let defaults = keys(&Self::default());
        keys(self)
            .into_iter()
            .filter(move |(key, value)| defaults.get(key) != Some(value))
            .map(|(key, _)| key)
    }
}

/// Output of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputOptions {
    /// Steps between stored frames, ≥ 1. With 1, `impinge verify` can check the motion between them.
    pub every: u32,
    /// Time from which the summary counts steps as settled (s). Default: half of `time.duration`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled_after: Option<f64>,
    /// With the asynchronous stepper: whether the straight pieces of the motion are stored beside each frame, for
    /// `impinge verify`. Default: false. They take ten times the room of the frames or more.
    #[serde(skip_serializing_if = "is_default")]
    pub pieces: bool,
    /// With the synchronous stepper: whether `energies.csv` has the balance of energy and momentum of each body and
    /// step. Default: true.
    #[serde(skip_serializing_if = "is_true")]
    pub energies: bool,
    /// Whether `contacts_NNNNN.vtp` beside each frame has its contacts with their forces (N); not with the constrained
    /// stepper. Those of the asynchronous stepper are means over the last step; with `false` all its contact forces are
    /// 0. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts: Option<bool>,
    /// Whether `reactions.csv` has the forces and torques of held nodes, driven bodies, obstacles and joints in each
    /// step; not with the asynchronous stepper. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reactions: Option<bool>,
}

/// The default of a key.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_true(value: &bool) -> bool {
    *value
}

impl Default for OutputOptions {
    fn default() -> Self {
        Self {
            every: 1,
            settled_after: None,
            pieces: false,
            energies: true,
            contacts: None,
            reactions: None,
        }
    }
}

choice_of_names!(SolverMethod);
choice_of_names!(BroadPhase);
