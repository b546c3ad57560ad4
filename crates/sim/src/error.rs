//! Errors of scenes that cannot be simulated, and of failed steps.

pub mod asynchronous;
pub mod control;
pub mod extension;

use crate::scene::SceneError;
use impinge_contact::Excess;
use thiserror::Error;

/// A scene that cannot be simulated.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SimError {
    /// An error in the scene file.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A body's mesh or material.
    #[error("body `{body}`: {problem}")]
    Body {
        /// Name of the body.
        body: String,
        /// The problem and its remedy.
        problem: String,
    },
    /// A state of another scene, or a stepper that cannot resume from a state.
    #[error("the run cannot be resumed: {problem}")]
    NotResumable {
        /// The problem and its remedy.
        problem: String,
    },
    /// An extension that cannot take part.
    #[error(transparent)]
    Extension(#[from] extension::ExtensionError),
    /// A change or question that does not fit the simulation.
    #[error(transparent)]
    Control(#[from] control::ControlError),
    /// A step without a collision-free result.
    #[error(transparent)]
    Step(#[from] StepError),
    /// Invalid elements or masses.
    #[error(transparent)]
    Fem(#[from] impinge_fem::FemError),
    /// A body's compliance at rest.
    #[error(
        "compliance at rest of `{body}`: {problem}; correct this, or choose the method `exact-compliance`"
    )]
    RestCompliance {
        /// Name of the body.
        body: String,
        /// The problem.
        problem: String,
    },
    /// A method that does not know the integrator.
    #[error(
        "the method `{method}` knows bodies at rest for implicit Euler only; use another method, or leave out \
         `time.integrator`"
    )]
    NotOfSecondOrder {
        /// Name of the method.
        method: &'static str,
    },
    /// No free node anywhere.
    #[error(
        "no body can move; leave one body without `motion` and without `fixed` on all nodes, or release nodes with \
         `until`"
    )]
    NothingMoves,
    /// Two surfaces cross at the start.
    #[error(
        "`{first}` and `{second}` overlap{} at the start (triangles {triangles:?}, near {place:?} m); move them \
         apart, because a run must start without intersections",
        by(*depth)
    )]
    InitialOverlap {
        /// Name of a body or obstacle.
        first: String,
        /// The other; the same name for a body that crosses itself.
        second: String,
        /// Shortest translation found that separates the two (m); `None` for a body that crosses itself.
        depth: Option<f64>,
        /// The two triangles of the collision surface.
        triangles: [u32; 2],
        /// A point of the first triangle (m).
        place: [f64; 3],
    },
    /// Two features of one body start within the first penalty layer.
    #[error(
        "features of `{body}` without a common vertex (points {points:?}) start {distance:e} m apart, closer than the \
         layer thickness {thickness:e} m, so penalty layers would act on them permanently; use a thickness below \
         {distance:e} m or a coarser mesh"
    )]
    ThickerThanMesh {
        /// Name of the body.
        body: String,
        /// Points of the pair.
        points: [u32; 4],
        /// Their distance (m).
        distance: f64,
        /// Thickness of the first layer (m).
        thickness: f64,
    },
    /// The asynchronous stepper cannot start.
    #[error("{between}{error}")]
    Asynchronous {
        /// Names of the bodies concerned, with a colon; empty if there are none.
        between: String,
        /// The reason.
        error: asynchronous::SystemError,
    },
    /// The constraints are invalid.
    #[error(transparent)]
    Constrained(#[from] crate::constrained::ConstrainedError),
    /// Invalid parameters of the penalty layers.
    #[error("{0}; give another `asynchronous.thickness` or `asynchronous.stiffness`")]
    Layers(#[from] impinge_contact::penalty::LayerLawError),
    /// A body reaches into a half-space at the start.
    #[error(
        "`{body}` {} the half-space `{half_space}` at the start, at {place:?} m; move it out; `impinge doctor SCENE \
         --separate OUT` writes a corrected scene",
        reaches(*depth)
    )]
    InitialPenetration {
        /// Name of the body.
        body: String,
        /// Name of the half-space.
        half_space: String,
        /// Depth (m); 0 if it touches.
        depth: f64,
        /// The deepest point (m).
        place: [f64; 3],
    },
}

/// The reason why an attempted substep was rejected.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum StepFailure {
    /// The contact solver reached its iteration limit, or stagnated.
    #[error(
        "the contact method `{method}` did not converge in {iterations} iterations: its answer has {excess}"
    )]
    NotConverged {
        /// Name of the method.
        method: String,
        /// Iterations spent.
        iterations: u64,
        /// Excess of the independent residual over the tolerances.
        excess: Excess,
    },
    /// A number became non-finite.
    #[error("the contact solver broke down after {iterations} iterations")]
    Breakdown {
        /// Iterations spent.
        iterations: u64,
    },
    /// The limit of collision rounds was reached while contacts were still being added.
    #[error("new contacts were still found after {rounds} rounds; the last one: {contact}")]
    TooManyRounds {
        /// Rounds spent.
        rounds: u32,
        /// The contact in words.
        contact: String,
    },
    /// Gaps did not converge to `(0, ε₂)`.
    #[error(
        "after {rounds} re-linearisations a gap is {gap:e} m, outside (0, {clearance:e}): {contact}"
    )]
    GapsNotConverged {
        /// Rounds spent.
        rounds: u32,
        /// The worst gap (m).
        gap: f64,
        /// `ε₂` (m).
        clearance: f64,
        /// The contact in words.
        contact: String,
    },
    /// The elastic forces of a body did not come to balance.
    #[error(
        "the forces on `{body}` miss their balance by {over:.1} times what is accepted, within {rounds} linearisations \
         of its elasticity; try a shorter `time.step`"
    )]
    NotLinear {
        /// Name of the body.
        body: String,
        /// Most linearisations in a step.
        rounds: u32,
        /// The nonlinear residual of the body over its accepted size.
        over: f64,
    },
    /// A joint that turns in the step did not close at its end.
    #[error(
        "`{joint}` is not where its rows expect it at the end of the step: in the last of {rounds} further solves this \
         difference changed by {change:e} (m or rad); try a shorter `time.step`"
    )]
    OpenJoint {
        /// Name of the joint.
        joint: String,
        /// Change of the remainder of its rows in the last solve (m or rad).
        change: f64,
        /// Further solves of the step.
        rounds: u32,
    },
    /// A body rotates so far in one step that straight paths of its points would visibly shrink it.
    #[error(
        "`{body}` rotates by {degrees:.1} degrees in one step; at most 28.6 are allowed, because collision detection \
         assumes straight paths"
    )]
    TurnsTooFar {
        /// Name of the body.
        body: String,
        /// Rotation angle (degrees).
        degrees: f64,
    },
    /// An element inverted although the scene forbids it.
    #[error(
        "an element of `{body}` inverted: tetrahedron {tet}, or the hexahedron that contains it (volume ratio \
         {ratio:.3})"
    )]
    Inverted {
        /// Name of the body.
        body: String,
        /// Tetrahedron within the body; for hexahedra, one of those that fill the inverted element.
        tet: usize,
        /// Current over rest volume.
        ratio: f64,
    },
    /// Prescribed points drive two surfaces into each other; no force can prevent that.
    #[error(
        "prescribed motions drive surfaces into each other: {contact}; change `motion` or `fixed`"
    )]
    PrescribedCollision {
        /// The contact in words.
        contact: String,
    },
    /// A contact acts on prescribed points alone.
    #[error(
        "a contact has no free point, so no force can prevent penetration: {contact}; change `motion` or `fixed`"
    )]
    NothingFree {
        /// The contact in words.
        contact: String,
    },
    /// A signal or the caller interrupted the step; the state is that at the start of the step.
    #[error("interrupted")]
    Interrupted,
    /// A deformable body is crushed by prescribed motions.
    #[error(
        "`{body}` is squeezed between `{first}` and `{second}` and cannot be compressed further: {failure}; change a \
         `motion`, or end the run earlier (`time.duration`)"
    )]
    Pressed {
        /// Name of the body.
        body: String,
        /// Name of the solid on one side, possibly a half-space.
        first: String,
        /// Name of the solid on the other side.
        second: String,
        /// Failure of the attempted substep.
        failure: Box<StepFailure>,
    },
    /// A rigid body between closing obstacles has no space left.
    #[error(
        "rigid body `{body}` is squeezed between `{first}` and `{second}`, which approach each other; change a \
         `motion`, make the body elastic, or end the run (`time.duration`) before"
    )]
    Squeezed {
        /// Name of the body.
        body: String,
        /// Name of the solid on one side, possibly a half-space.
        first: String,
        /// Name of the solid on the other side.
        second: String,
    },
    /// Prescribed motions drive obstacles into each other, or into a half-space.
    #[error(
        "the prescribed motions of `{first}` and `{second}` collide at t = {time:.9} s, near {place:?} m; change a \
         `motion`, or end the run earlier (`time.duration`)"
    )]
    ObstaclesMeet {
        /// Name of the first.
        first: String,
        /// Name of the second, possibly a half-space.
        second: String,
        /// Time (s); not later than the time of contact.
        time: f64,
        /// Approximate place (m).
        place: [f64; 3],
    },
    /// The bodies' compliance at rest is not available for this step length.
    #[error("{problem}")]
    RestCompliance {
        /// The problem.
        problem: String,
    },
    /// Nodes were released, and the system without their prescribed motion cannot be set up.
    #[error("after the release of fixed nodes: {problem}")]
    Release {
        /// The problem.
        problem: String,
    },
    /// The asynchronous integrator stopped.
    #[error("{between}{stop}")]
    Asynchronous {
        /// Names of the bodies that it is about, with a colon.
        between: String,
        /// The reason.
        stop: Box<asynchronous::Stop>,
    },
    /// The constrained system failed.
    #[error(transparent)]
    Constrained(#[from] crate::constrained::ConstrainedError),
    /// An extension broke its contract, or failed.
    #[error(transparent)]
    Extension(#[from] extension::ExtensionError),
    /// The contact problem is invalid.
    #[error(transparent)]
    Problem(#[from] impinge_contact::ContactError),
}

/// A step without a collision-free result; the state is the last safe one.
#[derive(Debug, Error, Clone, PartialEq)]
#[error(
    "step {step} (t = {time:.6} s) could not be completed: {failure}{}{}",
    solve_of(unsolved.as_deref()), mend_of(failure, *shortest)
)]
pub struct StepError {
    /// Number of the step.
    pub step: u64,
    /// Simulated time of the last safe state (s).
    pub time: f64,
    /// Shortest substep tried (s).
    pub shortest: f64,
    /// Its failure.
    pub failure: StepFailure,
    /// The last unconverged solve of the step, if that is not the failure itself: a possible cause.
    pub unsolved: Option<Box<StepFailure>>,
}

fn solve_of(unsolved: Option<&StepFailure>) -> String {
    unsolved.map_or_else(String::new, |solve| format!("; before that, {solve}"))
}

fn mend_of(failure: &StepFailure, shortest: f64) -> String {
    match failure {
        StepFailure::Asynchronous { .. }
        | StepFailure::ObstaclesMeet { .. }
        | StepFailure::PrescribedCollision { .. }
        | StepFailure::NothingFree { .. }
        | StepFailure::Squeezed { .. }
        | StepFailure::Pressed { .. }
        | StepFailure::Interrupted => ". All earlier steps are valid".to_owned(),
        StepFailure::Constrained(_) => String::new(),
        StepFailure::Extension(_) => ". The state is the last sound one".to_owned(),
        StepFailure::Inverted { .. } if shortest <= 0.0 => {
            ". All earlier steps are valid. `solver.allow_inversion = true` allows inverted elements".to_owned()
        }
        StepFailure::Inverted { .. } => format!(
            "; substeps down to {shortest:e} s failed. All earlier steps are valid. Try a smaller `time.step`, a \
             finer mesh or a stiffer material; `solver.allow_inversion = true` allows inverted elements"
        ),
        _ => format!(
            "; substeps down to {shortest:e} s failed. All earlier steps are valid. Try a shorter `time.step` or a \
             smaller `time.minimum_step`"
        ),
    }
}

/// Depth of an overlap in words (m); empty if it is unknown.
fn by(depth: Option<f64>) -> String {
    depth.map_or_else(String::new, |depth| format!(" by {depth:.3e} m"))
}

/// How a body touches a half-space at the start, in words; `depth` in m, 0 if it touches.
fn reaches(depth: f64) -> String {
    if depth > 0.0 {
        format!("reaches {depth:.3e} m into")
    } else {
        "touches".to_owned()
    }
}
