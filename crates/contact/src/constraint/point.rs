//! Points and directions that depend on the state.
//!
//! ```text
//! q = a + Σ wₖ xₖ + Σ w_b (τ_b t_b + R_b s_b)
//! ```
//!
//! One form covers particles, points of meshes (barycentric weights), points of rigid bodies, points skinned to several
//! bodies, directions fixed to a body (`τ = 0`) and differences of these. Its first and second derivatives, in
//! exponential coordinates `R(θ) = exp(θ^) R` at `θ = 0`, are
//!
//! ```text
//! δq = wₖ δxₖ + w_b (τ_b δt_b − r_b^ δθ_b),  r_b = R_b s_b          ∇²(f·q) on θ_b: w_b sym(f^ r_b^)
//! ```
//!
//! The geometric stiffness of any constraint follows from its geometric stiffness in the points by the chain rule.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// Pose of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// `t`: centre of mass (m).
    pub center: Vector3<f64>,
    /// `R`: from the body's axes to the world's.
    pub orientation: UnitQuaternion<f64>,
}

/// Positions at which constraints are evaluated.
#[derive(Debug, Clone, Copy)]
pub struct Configuration<'a> {
    /// `x` of every particle or mesh node (m).
    pub particles: &'a [Vector3<f64>],
    /// Poses of all rigid bodies.
    pub frames: &'a [Frame],
}

/// The unknowns of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyBlocks {
    /// Block of the linear velocity; the angular one is the next.
    pub first: u32,
    /// `B` with `ω = B w` for the unknowns `w` of the angular block; the identity if the unknowns are `ω`.
    pub axes: Matrix3<f64>,
}

/// Blocks of unknowns of particles and bodies; `None` for prescribed ones.
#[derive(Debug, Clone, Copy)]
pub struct Layout<'a> {
    /// Block of each particle.
    pub particles: &'a [Option<u32>],
    /// Blocks of each body.
    pub bodies: &'a [Option<BodyBlocks>],
}

/// Where constraints are evaluated, and the unknowns that move their points.
#[derive(Debug, Clone, Copy)]
pub struct Placement<'a> {
    /// Positions of particles and bodies.
    pub state: Configuration<'a>,
    /// Blocks of their unknowns.
    pub layout: Layout<'a>,
}

impl<'a> Placement<'a> {
    /// Positions (m) and blocks of particles; frames and blocks of bodies.
    pub fn new(
        (particles, particle_blocks): (&'a [Vector3<f64>], &'a [Option<u32>]),
        (frames, body_blocks): (&'a [Frame], &'a [Option<BodyBlocks>]),
    ) -> Self {
        Self {
            state: Configuration { particles, frames },
            layout: Layout {
                particles: particle_blocks,
                bodies: body_blocks,
            },
        }
    }
}

/// One summand of a [`Point`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Term {
    /// `w x`.
    Particle {
        /// Index of the particle.
        index: usize,
        /// `w`.
        weight: f64,
    },
    /// `w (τ t + R s)`.
    Body {
        /// Index of the body.
        index: usize,
        /// `w`.
        weight: f64,
        /// `τ`: 1 for a point of the body, 0 for a direction fixed to it.
        place: f64,
        /// `s`, in the body's axes (m; 1 for a direction).
        arm: Vector3<f64>,
    },
}

/// `q = a + Σ terms`: a point, a direction, or a difference of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Point {
    /// `a` (m).
    pub constant: Vector3<f64>,
    /// The summands that depend on the state.
    pub terms: Vec<Term>,
}

impl Point {
    /// A point of the world, or a direction in it.
    pub fn fixed(at: Vector3<f64>) -> Self {
        Self {
            constant: at,
            terms: Vec::new(),
        }
    }

    /// A particle.
    pub fn particle(index: usize) -> Self {
        Self::weighted([(index, 1.0)])
    }

    /// `Σ w x`: a point bound to mesh nodes, the weights barycentric or those of any interpolation.
    pub fn weighted(of: impl IntoIterator<Item = (usize, f64)>) -> Self {
        let terms = of.into_iter();
        Self {
            constant: Vector3::zeros(),
            terms: terms
                .map(|(index, weight)| Term::Particle { index, weight })
                .collect(),
        }
    }

    /// The material point of a body at `arm` (m) from its centre of mass, in the body's axes.
    pub fn on_body(index: usize, arm: Vector3<f64>) -> Self {
        Self::skinned([(index, 1.0, arm)])
    }

    /// `Σ w (t + R s)`: a point skinned to rigid bodies by weights that sum to 1, `(body, w, s)` each.
    pub fn skinned(of: impl IntoIterator<Item = (usize, f64, Vector3<f64>)>) -> Self {
        let term = |(index, weight, arm)| Term::Body {
            index,
            weight,
            place: 1.0,
            arm,
        };
        Self {
            constant: Vector3::zeros(),
            terms: of.into_iter().map(term).collect(),
        }
    }

    /// `R ū`: a direction fixed to a body.
    pub fn direction(index: usize, along: Vector3<f64>) -> Self {
        Self {
            constant: Vector3::zeros(),
            terms: vec![Term::Body {
                index,
                weight: 1.0,
                place: 0.0,
                arm: along,
            }],
        }
    }

    /// `self + other`.
    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        self.constant += other.constant;
        self.terms.extend(other.terms);
        self
    }

    /// `self − other`.
    #[must_use]
    pub fn minus(self, other: &Self) -> Self {
        self.plus(other.clone().times(-1.0))
    }

    /// `factor self`.
    #[must_use]
    pub fn times(mut self, factor: f64) -> Self {
        self.constant *= factor;
        for term in &mut self.terms {
            let (Term::Particle { weight, .. } | Term::Body { weight, .. }) = term;
            *weight *= factor;
        }
        self
    }

    /// `q`.
    pub fn at(&self, state: &Configuration<'_>) -> Vector3<f64> {
        let mut q = self.constant;
        for term in &self.terms {
            q += match *term {
                Term::Particle { index, weight } => state.particles[index] * weight,
                Term::Body {
                    index,
                    weight,
                    place,
                    arm,
                } => {
                    let frame = &state.frames[index];
                    (frame.center * place + frame.orientation * arm) * weight
                }
            };
        }
        q
    }
}
