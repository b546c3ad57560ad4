//! Scenes built by a program, part by part. Values that a part leaves out have the defaults of a scene file.
//!
//! ```
//! use impinge_sim::scene::{Body, BodyMesh, Joint, Material, Obstacle, Scene};
//!
//! let (mesh, rubber) = (BodyMesh::cuboid([0.1; 3], [2; 3]), Material::new(1e5, 0.3, 1000.0));
//! let scene = Scene::new()
//!     .time_step(2e-3)
//!     .duration(0.5)
//!     .body(Body::elastic(mesh, rubber).named("cube").at([0.0, 0.0, 0.2]))
//!     .body(Body::rigid(BodyMesh::sphere(0.03, 2), 500.0).named("ball").at([0.2, 0.0, 0.2]))
//!     .obstacle(Obstacle::ground())
//!     .joint(Joint::rope("ball", [0.2, 0.0, 0.23], [0.2, 0.0, 0.5]));
//! scene.validate()?;
//! let same = Scene::parse("same.toml", &scene.to_toml()?, &[""; 0])?;
//! assert_eq!(same.to_toml()?, scene.to_toml()?);
//! # Ok::<(), impinge_sim::scene::SceneError>(())
//! ```

use super::format::{
    Body, BodyKind, BodyMesh, Copies, FilledSurface, Filling, Fixed, Joint, MeshFile, Motion,
    Obstacle, ObstacleShape, PairFriction, Pull, Region, Rotation, Signal,
};
use super::{Scene, SceneError};

impl Scene {
    /// A scene without bodies, of a second in steps of a millisecond, under gravity.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the time step (s).
    #[must_use]
    pub fn time_step(mut self, step: f64) -> Self {
        self.time.step = step;
        self
    }

    /// Sets the simulated time (s).
    #[must_use]
    pub fn duration(mut self, duration: f64) -> Self {
        self.time.duration = duration;
        self
    }

    /// Sets the acceleration of gravity (m/s²).
    #[must_use]
    pub fn gravity(mut self, gravity: [f64; 3]) -> Self {
        self.world.gravity = gravity;
        self
    }

    /// Sets the Coulomb friction coefficient (1) of bodies and obstacles without their own.
    #[must_use]
    pub fn friction(mut self, coefficient: f64) -> Self {
        self.world.friction = coefficient;
        self
    }

    /// Adds a body.
    #[must_use]
    pub fn body(mut self, body: Body) -> Self {
        self.bodies.push(body);
        self
    }

    /// Adds an obstacle.
    #[must_use]
    pub fn obstacle(mut self, obstacle: Obstacle) -> Self {
        self.obstacles.push(obstacle);
        self
    }

    /// Adds a joint or a link.
    #[must_use]
    pub fn joint(mut self, joint: Joint) -> Self {
        self.joints.push(joint);
        self
    }

    /// Sets the Coulomb friction coefficient (1) between two bodies or obstacles.
    #[must_use]
    pub fn friction_between(
        mut self,
        first: impl Into<String>,
        second: impl Into<String>,
        coefficient: f64,
    ) -> Self {
        self.frictions.push(PairFriction {
            first: first.into(),
            second: second.into(),
            coefficient,
        });
        self
    }

    /// The scene as the text of a scene file. Mesh files stay relative to the [folder](Self::folder).
    ///
    /// # Errors
    /// [`SceneError::Invalid`] for a number that TOML does not have: a seed of copies above 2⁶³.
    pub fn to_toml(&self) -> Result<String, SceneError> {
        toml::to_string(self).map_err(|error| {
            let mend = "use whole numbers below 2⁶³";
            self.error_at("", format!("this scene has no text: {error}"), mend)
        })
    }
}

impl BodyMesh {
    /// A box about the origin: side lengths (m) and cells along each side.
    #[must_use]
    pub fn cuboid(size: [f64; 3], cells: [u32; 3]) -> Self {
        Self::Cuboid { size, cells }
    }

    /// A ball about the origin: radius (m), and subdivisions of the edges of an icosahedron.
    #[must_use]
    pub fn sphere(radius: f64, subdivisions: u32) -> Self {
        Self::Sphere {
            radius,
            subdivisions,
        }
    }

    /// A flat sheet in the xy plane, for thin bodies: side lengths (m) and cells along each side.
    #[must_use]
    pub fn grid(size: [f64; 2], cells: [u32; 2]) -> Self {
        Self::Grid { size, cells }
    }

    /// A mesh file in metres, in its own place.
    #[must_use]
    pub fn file(path: impl Into<String>) -> Self {
        Self::File(MeshFile {
            path: path.into(),
            scale: 1.0,
            center: false,
        })
    }

    /// The inside of a closed surface in a file in metres, filled with tetrahedra whose inner edges are up to `size`
    /// (m) long.
    #[must_use]
    pub fn filled(path: impl Into<String>, size: f64) -> Self {
        Self::Filled(FilledSurface {
            path: path.into(),
            scale: 1.0,
            center: false,
            kind: Filling::default(),
            size,
        })
    }
}

impl Body {
    /// A rigid body of a given mass (kg) at rest at the origin.
    #[must_use]
    pub fn rigid_of_mass(mesh: BodyMesh, mass: f64) -> Self {
        Self {
            mass: Some(mass),
            ..Self::of_kind(BodyKind::Rigid, mesh)
        }
    }

    /// A rigid body that only `motion` moves.
    #[must_use]
    pub fn driven(mesh: BodyMesh, motion: Motion) -> Self {
        Self {
            motion: Some(motion),
            ..Self::of_kind(BodyKind::Rigid, mesh)
        }
    }

    /// Sets its initial velocity (m/s).
    #[must_use]
    pub fn moving(mut self, velocity: [f64; 3]) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets its initial angular velocity about the centre of mass (rad/s).
    #[must_use]
    pub fn spinning(mut self, angular_velocity: [f64; 3]) -> Self {
        self.angular_velocity = angular_velocity;
        self
    }

    /// Prescribes the motion of some nodes of a deformable body.
    #[must_use]
    pub fn held(mut self, fixed: Fixed) -> Self {
        self.fixed.push(fixed);
        self
    }

    /// Adds a force on nodes of a deformable body.
    #[must_use]
    pub fn pulled(mut self, pull: Pull) -> Self {
        self.pulls.push(pull);
        self
    }

    /// Sets a force on the whole body (N), constant or over time.
    #[must_use]
    pub fn with_force(mut self, force: impl Into<Signal>) -> Self {
        self.force = Some(force.into());
        self
    }

    /// Sets a torque about the centre of mass (N·m), constant or over time.
    #[must_use]
    pub fn with_torque(mut self, torque: impl Into<Signal>) -> Self {
        self.torque = Some(torque.into());
        self
    }

    /// Makes copies of it.
    #[must_use]
    pub fn copied(mut self, copies: Copies) -> Self {
        self.copies = Some(copies);
        self
    }
}

/// Name, placement and friction of a part.
macro_rules! placed {
    ($part:ty) => {
        impl $part {
            /// Gives it a name.
            #[must_use]
            pub fn named(mut self, name: impl Into<String>) -> Self {
                self.name = name.into();
                self
            }

            /// Places the origin of its own frame (m).
            #[must_use]
            pub fn at(mut self, position: [f64; 3]) -> Self {
                self.position = position;
                self
            }

            /// Turns it about an axis through the origin of its own frame (degrees).
            #[must_use]
            pub fn rotated(mut self, axis: [f64; 3], degrees: f64) -> Self {
                self.rotation = Some(Rotation { axis, degrees });
                self
            }

            /// Sets its Coulomb friction coefficient (1).
            #[must_use]
            pub fn with_friction(mut self, coefficient: f64) -> Self {
                self.friction = Some(coefficient);
                self
            }
        }
    };
}

placed!(Body);
placed!(Obstacle);

impl Copies {
    /// `count` copies, just apart: in `columns` along x and y, and layers upwards.
    #[must_use]
    pub fn grid(count: u32, columns: [u32; 2]) -> Self {
        Self {
            count,
            columns,
            spacing: None,
            random_rotation: false,
            turn: None,
            seed: 0,
        }
    }
}

impl Region {
    /// The box between two corners (m).
    #[must_use]
    pub fn new(lower: [f64; 3], upper: [f64; 3]) -> Self {
        Self { lower, upper }
    }
}

impl Fixed {
    /// All nodes of a body.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// The nodes in a box at time 0, in world coordinates (m).
    #[must_use]
    pub fn in_box(lower: [f64; 3], upper: [f64; 3]) -> Self {
        Self {
            region: Some(Region::new(lower, upper)),
            ..Self::default()
        }
    }

    /// Gives the nodes a name; a program finds them by `BODY/NAME`.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Moves the nodes.
    #[must_use]
    pub fn moving(mut self, motion: Motion) -> Self {
        self.motion = Some(motion);
        self
    }

    /// Releases the nodes at a time (s).
    #[must_use]
    pub fn until(mut self, time: f64) -> Self {
        self.until = Some(time);
        self
    }
}

impl Motion {
    /// A constant velocity of the centre (m/s).
    #[must_use]
    pub fn moving(velocity: [f64; 3]) -> Self {
        Self {
            velocity,
            ..Self::default()
        }
    }

    /// A constant angular velocity about the centre (rad/s).
    #[must_use]
    pub fn turning(angular_velocity: [f64; 3]) -> Self {
        Self {
            angular_velocity,
            ..Self::default()
        }
    }
}

impl Obstacle {
    /// A half-space below the plane z = 0, called `ground`.
    #[must_use]
    pub fn ground() -> Self {
        Self::half_space([0.0; 3], [0.0, 0.0, 1.0]).named("ground")
    }

    /// A half-space behind the plane through `point` (m) with the outward `normal`.
    #[must_use]
    pub fn half_space(point: [f64; 3], normal: [f64; 3]) -> Self {
        Self::new(ObstacleShape::HalfSpace { point, normal })
    }

    /// The surface of a box about the origin, with side lengths (m).
    #[must_use]
    pub fn cuboid(size: [f64; 3]) -> Self {
        Self::new(ObstacleShape::Cuboid { size })
    }

    /// Prescribes its motion.
    #[must_use]
    pub fn moving(mut self, motion: Motion) -> Self {
        self.motion = Some(motion);
        self
    }
}
