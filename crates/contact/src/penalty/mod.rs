//! Discrete penalty layers: an infinite family of springs that no finite energy gets through.
//!
//! Layer `l = 1, 2, 3, …` pushes two features apart as soon as they are closer than its thickness `η(l)`, with stiffness
//! `r(l)`:
//!
//! ```text
//! r(l) = r₁ l³,  η(l) = η₁ l^(−1/4),  V_l = ½ r(l) g²  with  g = d − η(l)  where g < 0
//! ```
//!
//! Every layer is an ordinary potential, so each can be integrated with a step of its own; since `Σ r(l) η(l)²` diverges,
//! all of them together hold against any energy.
//!
//! - [`layer`]: the law of the layers and the closed forms that follow from it;
//! - [`impulse`]: what one layer does to one pair at one instant, restitution and friction included;
//! - [`lever`]: how friction is shared by the points of a pair without turning them as a whole;
//! - [`anchor`]: where two sides stick;
//! - [`layers`]: which layers a pair needs, and when the deepest may leave.
//!
//! Does not know when anything happens: clocks are the integrator's.
//!
//! # Source
//! Harmon, Vouga, Smith, Tamstorf, Grinspun, "Asynchronous contact mechanics", 2009 and 2012, section 4,
//! <https://doi.org/10.1145/2133806.2133828>; differs from it in: restitution and friction are reconstructions, see
//! [`impulse`].

pub mod anchor;
pub mod impulse;
pub mod layer;
pub mod layers;
pub mod lever;

pub use anchor::Anchor;
pub use impulse::{ContactLaw, friction_impulse, normal_impulse};
pub use layer::{LayerLaw, LayerLawError};
pub use layers::Proximity;
pub use lever::Lever;
