//! Separation certificates: proofs of separation with an expiry time, for points that change their velocity.
//!
//! A certificate is a statement about moving points and an expiry time; it needs no check before that time. All of them
//! are one-sided: an expiry time may be too early, never too late, rounding included.
//!
//! - [`certificate`]: points with a velocity bound, and the guards against rounding;
//! - [`feature_pair`]: closest points of a vertex and a face or of two edges, as signed weights;
//! - [`separating_slab`]: time for which the features of a pair stay farther apart than a given distance;
//! - [`k_dop`]: volumes bounded by 26 planes, and the time for which a moving point stays inside one;
//! - [`k_dop_tree`]: a hierarchy of such volumes over the triangles of a surface, updated triangle by triangle or as a
//!   whole;
//! - [`known_path`]: close approaches of two features within a finished stretch of motion.
//!
//! # Source
//! Harmon, Vouga, Smith, Tamstorf, Grinspun, "Asynchronous contact mechanics", Communications of the ACM 55(4), 2012,
//! section 4 (slabs in 4.1, broad phase in 4.2), <https://doi.org/10.1145/2133806.2133828>; differs from it in: a
//! velocity bound is a ball instead of one velocity, so that a change inside the ball leaves every certificate valid;
//! the slab between two features has no constant velocity but is the widest one at every time; the leaves of the
//! hierarchy are conservative.

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
pub use known_path::{Approach, Breakpoint, Chord};
