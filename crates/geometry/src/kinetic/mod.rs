//! Kinetic certificates: how long a proof of separation keeps, for points that move on and change their velocity.
//!
//! A certificate is a statement about moving points together with a time until which it holds; nothing has to be looked
//! at before. All of them are one-sided: a waiting time may be too short, never too long, rounding included.
//!
//! - [`certificate`]: points that promise to keep near a velocity, and the guard against rounding;
//! - [`feature_pair`]: closest points of a vertex and a face or of two edges, as signed weights;
//! - [`separating_slab`]: how long the features of a pair stay farther apart than a given distance;
//! - [`k_dop`]: volumes bounded by 26 planes, and how long a moving point stays inside one;
//! - [`k_dop_tree`]: a hierarchy of such volumes over the triangles of a surface, updated triangle by triangle or as a whole;
//! - [`known_path`]: for a stretch of motion that is over, whether two features came near.
//!
//! # Source
//! Harmon, Vouga, Smith, Tamstorf, Grinspun, "Asynchronous contact mechanics", Communications of the ACM 55(4), 2012,
//! section 5, <https://doi.org/10.1145/2133806.2133828>; differs from it in: points promise a ball of velocities instead
//! of one, so that a change of velocity inside the ball leaves every certificate as it is; the slab between two features
//! is not one of constant velocity but the widest one at every time; the leaves of the hierarchy are conservative.

pub mod certificate;
pub mod feature_pair;
pub mod k_dop;
pub mod k_dop_tree;
pub mod known_path;
pub mod separating_slab;

pub use certificate::MovingPoint;
pub use feature_pair::{ClosestPoints, PairKind};
pub use k_dop::KDop;
pub use k_dop_tree::KDopTree;
pub use known_path::{Approach, Chord, Knot};
