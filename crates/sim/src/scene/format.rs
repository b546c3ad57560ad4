//! The keys of a scene file, each with its unit.
//!
//! These structs are the format: serde reads them, schemars turns their comments into the JSON schema. What the
//! numbers must fulfil beyond their type stands in [`validate`](super::validate).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Simulated time and how it is divided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Time step (s), greater than 0.
    pub step: f64,
    /// Simulated time at which the run ends (s), greater than 0.
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
    pub(super) fn is_default(&self) -> bool {
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
    /// From the scene's own scales (mass, gravity, step), so that a result keeps its accuracy when units change.
    #[default]
    Physical,
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
    /// After every iteration.
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
    /// Largest momentum residual of an accepted solve (N·s), greater than 0.
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
    /// With `warped-compliance`: how often, at most, a solve mends what its compliance got wrong about the forces of the
    /// moment, which it does until momentum balances. Each time costs a free motion, and leaves a tenth of the error or
    /// so; 0 is the method as published, for piles and interaction where a plausible motion will do.
    pub corrections: u32,
    /// With `warped-compliance`: the folder, relative to the scene file, where the compliance at rest is kept from run to
    /// run. Default: it is computed at the start of each run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest_compliance: Option<String>,
    /// Whether elements may turn inside out; when `false`, a step that inverts one is subdivided.
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
            corrections: 5,
            rest_compliance: None,
            allow_inversion: true,
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
}

impl Default for OutputOptions {
    fn default() -> Self {
        Self {
            every: 1,
            settled_after: None,
        }
    }
}

/// A turn about an axis through the origin, before `position` is added.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// Direction of the axis (any length but 0).
    pub axis: [f64; 3],
    /// Angle by the right-hand rule (degrees).
    pub degrees: f64,
}

/// A mesh file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// The file, relative to the scene file. `${NAME}` stands for the environment variable NAME, for example
    /// `${IMPINGE_DATA}/meshes/tetMeshes/bunny.msh`.
    pub path: String,
    /// Metres per unit of length of the file, greater than 0.
    #[serde(default = "one")]
    pub scale: f64,
    /// Whether to move the centre of the bounding box to the origin first.
    #[serde(default)]
    pub center: bool,
}

fn one() -> f64 {
    1.0
}

/// A surface mesh file and how to fill it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilledSurface {
    /// The file of a closed surface, or of a solid whose surface is taken; see `path` of `file`.
    pub path: String,
    /// Metres per unit of length of the file, greater than 0.
    #[serde(default = "one")]
    pub scale: f64,
    /// Whether to move the centre of the bounding box to the origin first.
    #[serde(default)]
    pub center: bool,
    /// Length of the longest edges inside (m), greater than 0: a volume V takes about 12 V / size³ elements, and details
    /// smaller than this are lost.
    pub size: f64,
}

impl FilledSurface {
    /// The file without its filling.
    pub(super) fn file(&self) -> MeshFile {
        MeshFile {
            path: self.path.clone(),
            scale: self.scale,
            center: self.center,
        }
    }
}

/// Tetrahedral mesh of a body, in its own frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum BodyMesh {
    /// A torus of square section about the z axis.
    Ring {
        /// Radius of the centre line (m), greater than half of `section`.
        major_radius: f64,
        /// Side of the square section (m).
        section: f64,
        /// Hexahedra around the ring, at least 3; each becomes 6 tetrahedra.
        #[serde(default = "ring_segments")]
        segments: u32,
    },
    /// A box about the origin.
    Cuboid {
        /// Side lengths (m).
        size: [f64; 3],
        /// Cells along each side, at least 1; each becomes 6 tetrahedra.
        cells: [u32; 3],
    },
    /// A box about the origin of hexahedra of eight integration points each; its surface is triangles.
    Hexahedra {
        /// Side lengths (m).
        size: [f64; 3],
        /// Hexahedra along each side, at least 1.
        cells: [u32; 3],
    },
    /// A ball about the origin.
    Sphere {
        /// Radius (m).
        radius: f64,
        /// Cuts along each edge of the twenty tetrahedra of an icosahedron, at least 1: 20 n³ elements.
        subdivisions: u32,
    },
    /// A solid cylinder about the z axis, centred at the origin.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Length along z (m).
        height: f64,
        /// Concentric rings of elements, at least 1.
        rings: u32,
        /// Layers along z, at least 1: 18 rings² layers elements.
        layers: u32,
    },
    /// A thin plate in the xy plane, one cell thick, centred at the origin.
    Sheet {
        /// Side lengths along x and y (m).
        size: [f64; 2],
        /// Thickness along z (m).
        thickness: f64,
        /// Cells along x and y, at least 1.
        cells: [u32; 2],
    },
    /// A flat sheet without thickness in the xy plane, centred at the origin, two triangles per cell; for shells only.
    Grid {
        /// Side lengths along x and y (m).
        size: [f64; 2],
        /// Cells along x and y, at least 1.
        cells: [u32; 2],
    },
    /// The same of bilinear quadrilaterals with four integration points each; for shells with `poisson` only. It is touched as
    /// two triangles per quadrilateral.
    Quadrilaterals {
        /// Side lengths along x and y (m).
        size: [f64; 2],
        /// Quadrilaterals along x and y, at least 1.
        cells: [u32; 2],
    },
    /// A strip without thickness along a line of `points`, for straps, cables and ropes; for shells only. It is at rest as it is
    /// drawn, bends included.
    Strip {
        /// Corners of its middle line (m), at least 2; at each of them and in between there are points of the strip.
        points: Vec<[f64; 3]>,
        /// Direction across (any length but 0), nowhere along the line.
        across: [f64; 3],
        /// Width (m).
        width: f64,
        /// Longest cell along the line (m), greater than 0.
        spacing: f64,
    },
    /// A block of an arch about the y axis, as the keystone at the top of the arch: flat sides, six tetrahedra.
    Voussoir {
        /// Distance of the lower corners from the axis (m).
        inner_radius: f64,
        /// Distance of the upper corners from the axis (m), greater than `inner_radius`.
        outer_radius: f64,
        /// Angle between its two joints (degrees), greater than 0 and below 180.
        degrees: f64,
        /// Length along y (m).
        depth: f64,
    },
    /// A tetrahedral mesh file (`.msh`, `.vtk`, `.vtu`); for a rigid body also a closed surface (`.obj` too).
    File(MeshFile),
    /// What a closed surface encloses, filled with tetrahedra of about one size.
    Filled(FilledSurface),
}

fn ring_segments() -> u32 {
    18
}

/// Law between deformation and stress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MaterialModel {
    /// Co-rotational linear elasticity: stiffness stays linear while bodies turn.
    #[default]
    Corotational,
    /// Neo-Hookean, with the energy extrapolated where less than 70 % of the volume is left. In compliance form, in hexahedra
    /// and without elements its strains are the principal stretches.
    NeoHookean,
    /// Saint Venant-Kirchhoff: linear in the Green-Lagrange strain.
    StVenantKirchhoff,
}

/// What a body is made of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Law between deformation and stress.
    #[serde(default)]
    pub model: MaterialModel,
    /// Young's modulus (Pa), greater than 0.
    pub young: f64,
    /// Poisson's ratio (1), at least 0 and below 0.5.
    pub poisson: f64,
    /// Mass per rest volume (kg/m³), greater than 0.
    pub density: f64,
    /// Rayleigh damping in proportion to mass (1/s), 0 or more.
    #[serde(default)]
    pub mass_damping: f64,
    /// Rayleigh damping in proportion to stiffness (s), 0 or more.
    #[serde(default)]
    pub stiffness_damping: f64,
    /// How strains enter the equations of a step; not for the asynchronous stepper. Default: "stiffness", the better one of
    /// solids unless they are very stiff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulation: Option<Formulation>,
    /// Von Mises stress above which the material flows and keeps its shape (Pa), greater than 0; `corotational` only. Default:
    /// it springs back from everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yield_stress: Option<f64>,
    /// Without elements: strains are those of moving least squares between the nodes of the mesh within this radius (m) of
    /// each of its tetrahedra. About 1.3 times the side of a cell: much more leaves motions that no point sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meshless: Option<f64>,
}

/// How the strains of a body, or a link, enter the equations of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Formulation {
    /// As forces and their stiffness: for what is soft, and for any number of contacts by any contact method.
    Stiffness,
    /// As rows of their own beside those of joints and contacts, with geometric stiffness: for what hardly stretches and heavy
    /// loads on it, with some hundred contacts at most. Takes the method `compliant-kkt`.
    Compliance,
}

/// A thin body that is stiffer along one direction than across it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Orthotropic {
    /// Direction of `stretch` at rest, in the body's own frame (any length but 0); it is laid into the surface.
    pub fibre: [f64; 3],
    /// Young's modulus across the fibre times thickness (N/m), greater than 0.
    pub across: f64,
    /// Shear modulus times thickness (N/m), greater than 0.
    pub shear: f64,
}

/// What a thin body is made of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shell {
    /// Young's modulus times thickness (N/m), 0 or more.
    pub stretch: f64,
    /// Bending stiffness of the edges between triangles (J), 0 or more: a small part of `stretch` times the square of the
    /// thickness.
    #[serde(default)]
    pub bend: f64,
    /// Mass per area (kg/m²), greater than 0.
    pub density: f64,
    /// Poisson's ratio (1), at least 0 and below 1: triangles resist every strain. Default: springs along the edges, which
    /// is cheaper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
    /// Another stiffness across one direction, for cloth with a weave and fibre mats; `poisson` is then the strain across the
    /// fibre under tension along it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orthotropic: Option<Orthotropic>,
    /// Damping along edges in proportion to their stiffness (s), 0 or more; only without `poisson`.
    #[serde(default)]
    pub damping: f64,
    /// Damping of bending in proportion to its stiffness (s), 0 or more.
    #[serde(default)]
    pub bend_damping: f64,
    /// How stretching enters the equations; bending always does as a stiffness. Not for the asynchronous stepper. Default:
    /// "compliance" under the constrained stepper, "stiffness" under the synchronous one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulation: Option<Formulation>,
}

/// A prescribed rigid motion: a constant velocity together with a constant turning about a centre that moves along.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Motion {
    /// Velocity of the centre (m/s).
    pub velocity: [f64; 3],
    /// Angular velocity about the centre (rad/s).
    pub angular_velocity: [f64; 3],
    /// Where the centre is at time 0, in world coordinates (m). Default: the `position` of the body or obstacle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub center: Option<[f64; 3]>,
}

/// A box with sides along the world axes, its boundary included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Corner of smallest coordinates (m).
    pub lower: [f64; 3],
    /// Corner of largest coordinates (m).
    pub upper: [f64; 3],
}

/// A force on nodes of an elastic or thin body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// The nodes inside this box at time 0, in world coordinates. Default: all nodes of the body.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// The whole force (N), shared equally by those of the nodes whose motion is not given.
    pub force: [f64; 3],
}

/// Nodes of a body whose motion is given. Where several entries hold a node, the first one moves it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    /// The nodes inside this box at time 0, in world coordinates. Default: all nodes of the body.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// How they move. Default: they stand still.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Time at which they are let go, with the velocity that they have then (s), greater than 0. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

/// What brings a copy to the place of the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Direction of the axis (any length but 0).
    pub axis: [f64; 3],
    /// Angle by the right-hand rule (degrees).
    pub degrees: f64,
    /// A point of the axis (m). Default: the `position` of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center: Option<[f64; 3]>,
}

/// Several equal bodies on a grid, its columns along x and y, its layers upwards along z.
///
/// The columns are centred about the body's `position`, which is the height of the lowest layer; it is filled first.
/// Copies never overlap at the start: a `spacing` too small for that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// Number of bodies, at least 1.
    pub count: u32,
    /// Columns along x and y, at least 1 each. Default: one column.
    #[serde(default = "one_column")]
    pub columns: [u32; 2],
    /// Distance between neighbours along x, y and z (m). Default: 2 % more than they need in order not to touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<[f64; 3]>,
    /// Whether each copy is turned at random, uniformly over all rotations, instead of by `rotation`.
    #[serde(default)]
    pub random_rotation: bool,
    /// Instead of a grid: each copy is the one before, turned about an axis. For arches and wheels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// Start of the random sequence; the same seed gives the same scene on every machine.
    #[serde(default)]
    pub seed: u64,
}

fn one_column() -> [u32; 2] {
    [1, 1]
}

/// What a body can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BodyKind {
    /// It deforms; needs a `material`.
    #[default]
    Elastic,
    /// It deforms and has no thickness to speak of: the surface of its mesh stretches and bends; needs a `shell`.
    Shell,
    /// It keeps its shape; needs a `density` or a `mass`, or a `motion` that moves it.
    Rigid,
}

/// An elastic or rigid body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Name in messages; copies get `name 1`, `name 2`, … Default: `body` and its number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Whether it deforms.
    #[serde(default)]
    pub kind: BodyKind,
    /// Mesh, in the body's own frame.
    pub mesh: BodyMesh,
    /// What an elastic body is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Material>,
    /// What a thin body is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<Shell>,
    /// Mass per volume of a rigid body (kg/m³), greater than 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Mass of a rigid body (kg), greater than 0, evenly spread over its volume; in place of `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Motion that a rigid body is made to follow, whatever touches it. Default: forces move it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Where the origin of the body's own frame is placed (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Turn about the origin of the body's own frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Initial velocity (m/s).
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Initial angular velocity about the centre of mass (rad/s).
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Coulomb friction coefficient (1), 0 or more. Default: `world.friction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Nodes of an elastic body whose motion is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Fixed>,
    /// Constant forces on nodes of an elastic or thin body. Their work is not among the energies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pulls: Vec<Pull>,
    /// Several of this body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<Copies>,
}

/// Shape of an obstacle, in its own frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ObstacleShape {
    /// Everything on one side of a plane. It stands still.
    HalfSpace {
        /// A point of the plane (m).
        #[serde(default)]
        point: [f64; 3],
        /// Normal of the plane, out of the solid side (any length but 0).
        normal: [f64; 3],
    },
    /// The surface of a ball about the origin.
    Sphere {
        /// Radius (m).
        radius: f64,
        /// Cuts along each edge of an icosahedron, at least 1: 20 n² triangles.
        #[serde(default = "sphere_subdivisions")]
        subdivisions: u32,
    },
    /// The surface of a cylinder about the z axis, centred at the origin.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Length along z (m).
        height: f64,
        /// Flat sides around the axis, at least 3.
        #[serde(default = "cylinder_sides")]
        sides: u32,
    },
    /// The surface of a box about the origin.
    Cuboid {
        /// Side lengths (m).
        size: [f64; 3],
    },
    /// The surface of a torus about the z axis.
    Torus {
        /// Radius of the circle in the middle of the tube (m), greater than `minor_radius`.
        major_radius: f64,
        /// Radius of the tube (m).
        minor_radius: f64,
        /// Flat sides around the axis, at least 3.
        #[serde(default = "torus_sides")]
        sides: u32,
        /// Flat sides around the tube, at least 3.
        #[serde(default = "tube_sides")]
        tube_sides: u32,
    },
    /// A closed surface mesh (`.obj`, `.msh`, `.vtk`, `.vtu`).
    File(MeshFile),
}

fn sphere_subdivisions() -> u32 {
    8
}

fn cylinder_sides() -> u32 {
    48
}

fn torus_sides() -> u32 {
    48
}

fn tube_sides() -> u32 {
    16
}

/// A rigid thing that bodies touch and that nothing moves but its own prescribed motion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// Name in messages. Default: `obstacle` and its number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Shape, in the obstacle's own frame.
    pub shape: ObstacleShape,
    /// Where the origin of the obstacle's own frame is placed (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Turn about the origin of the obstacle's own frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Coulomb friction coefficient (1), 0 or more. Default: `world.friction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Prescribed motion; not for a half-space. Default: it stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
}

/// What a joint holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// The two anchors coincide; bodies turn freely about them.
    Ball,
    /// A ball that turns about `axis` only. `limits` are angles (rad) from the start.
    Hinge,
    /// The first body slides along `axis` of the second and does not turn. `limits` are lengths (m) from the start.
    Slider,
    /// Nothing moves against each other.
    Weld,
    /// A link between `anchor` and `end`: a rod where `compliance` is 0, else a spring.
    Link,
    /// A link that only pulls. Through `via` it runs over points of bodies.
    Rope,
    /// Every node of the elastic or thin body `first` within `reach` of `anchor` is held to the point of `second` that it starts
    /// at: inside a tetrahedron or on a triangle by barycentric weights, on a rigid body as a part of it.
    Bind,
}

/// A point that a rope runs through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Via {
    /// Where it is at the start (m), in the world.
    pub at: [f64; 3],
    /// Name of the body that carries it; left out, it stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// A joint or link between two bodies, or between a body and the world.
///
/// Rigid bodies are held at the very point; elastic and thin ones by `ball`, `link` and `rope` at that point of the element that
/// holds it, or at their nearest node where none does, and by `bind` at many nodes at once.
/// Joined bodies do not touch each other, unless all joints between them say `contact`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// What it holds.
    pub kind: JointKind,
    /// Name of a body. One with copies, joined to itself, is a chain: each copy is joined to the next, the anchor being
    /// that between the first two.
    pub first: String,
    /// Name of the other body; left out, the joint holds the first to the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// Where it is at the start (m), in the world; of a link its end on the first body.
    pub anchor: [f64; 3],
    /// The other end of a `link` or `rope` at the start (m), on the second body or in the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<[f64; 3]>,
    /// Direction of a `hinge` or `slider` at the start (1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Lower and upper limit of a `hinge` (rad) or `slider` (m), 0 being the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// Rest length of a `link`, greatest length of a `rope` (m), greater than 0. Default: the distance at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// How far one newton moves a `ball`, `link`, `rope` or node of a `bind` (m/N), 0 or more.
    #[serde(default)]
    pub compliance: f64,
    /// How far from `anchor` a `bind` takes nodes of `first` (m), greater than 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<f64>,
    /// Points that a `rope` runs through without friction on its way from `anchor` to `end`: what makes ligaments and tendons
    /// curved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Via>,
    /// How a `ball`, `link`, `rope` or `bind` with a `compliance` enters the equations of a step: "stiffness" for a soft one beside any
    /// contact method. Default: "compliance", a row of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulation: Option<Formulation>,
    /// Whether the two bodies touch each other all the same: they must start apart, and the joint must leave room between them.
    #[serde(default)]
    pub contact: bool,
}
