//! Discrete penalty layers: an infinite family of springs that stops every finite energy.
//!
//! Layer `l = 1, 2, 3, …` pushes two features apart when they are closer than its thickness `η(l)`, with stiffness
//! `r(l)`:
//!
//! ```text
//! r(l) = r₁ l³,  η(l) = η₁ l^(−1/4),  V_l = ½ r(l) g²  with  g = d − η(l)  where g < 0
//! ```
//!
//! Every layer is an ordinary potential, so each has its own time step. Since `Σ r(l) η(l)²` diverges, all layers
//! together stop any energy.
//!
//! - [`layer`]: the law of the layers and its closed forms;
//! - [`impulse`]: the impulse of one layer on one pair at one instant, with restitution and friction;
//! - [`lever`]: torque-free shares of friction for the points of a pair;
//! - [`anchor`]: reference of the slip of sticking sides;
//! - [`layers`]: activation and deactivation of layers.
//!
//! **Does not know** any time: clocks are the stepper's.
//!
//! # Source
//! Harmon, Vouga, Smith, Tamstorf, Grinspun, "Asynchronous contact mechanics", 2009 and 2012, section 3,
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
