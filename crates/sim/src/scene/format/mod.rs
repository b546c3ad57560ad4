//! The keys of a scene file, each with its unit.
//!
//! These structs are the format: serde reads them, schemars turns their comments into the JSON schema.
//! [`validate`](super::validate) checks the ranges of their values.

mod body;
mod choice;
mod joint;
mod material;
mod mesh;
mod obstacle;
mod settings;
mod signal;

pub use body::{
    Body, BodyKind, Copies, Fixed, Leg, Motion, Obstacle, PairFriction, Pull, Region, Rotation,
    Turn, Turning,
};
pub use joint::{Joint, JointKind, MeshGroup, Via};
pub use material::{Formulation, Material, MaterialModel, Orthotropic, Shell};
pub use mesh::{BodyMesh, FilledSurface, Filling, MeshFile};
pub use obstacle::ObstacleShape;
pub(in crate::scene) use settings::is_default;
pub use settings::{
    Asynchronous, BroadPhase, Delassus, Detection, Elasticity, Evaluation, FreeFlight, Integrator,
    JointStiffness, Linear, OneSided, OutputOptions, Preconditioner, Solver, SolverMethod,
    StepperChoice, Time, Tolerances, World,
};
pub use signal::{Signal, SignalNumbers, SignalValue};
