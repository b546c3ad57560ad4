//! Broad phase: which vertex-face and edge-edge pairs may touch at all.
//!
//! Features are bounded by boxes of their points. The caller bounds the *points*, typically by the box of a point's
//! start and end of the step grown by half the separation; as every point of a triangle or edge moves within the hull
//! of its corners' boxes, a pair whose boxes are disjoint cannot touch.

mod aabb;
mod brute_force;
mod bvh;
mod candidates;
#[cfg(feature = "parry")]
mod parry;

pub use aabb::Aabb;
pub use brute_force::BruteForce;
pub use bvh::{Bvh, TreeUpdate};
pub use candidates::CandidateSet;
#[cfg(feature = "parry")]
pub use parry::ParryBvh;

use crate::surface::CollisionSurface;

/// Finds all pairs of features whose boxes overlap.
///
/// All implementations give the same set. The box of a face or edge is the merger of its points' boxes; boxes are
/// closed, so touching ones overlap. Excluded are pairs of features that share a point, pairs of two passive bodies
/// (including a passive body with itself), and the pairs excluded by the surface's
/// [`PairFilter`](crate::surface::PairFilter).
///
/// One from another crate may collect pairs in any order, and too many of them, and call
/// [`CandidateSet::normalise`] at its end. A pair that it leaves out is not looked at again: the features may pass
/// through each other.
pub trait BroadPhase {
    /// Clears `out` and fills it with all pairs, ascending and unique.
    ///
    /// # Shapes
    /// `point_boxes` holds one box per point of the surface; those of points that no triangle uses are ignored.
    ///
    /// # Panics
    /// If `point_boxes.len() != surface.point_count()`, or the box of a used point is empty or not finite.
    fn collect(&mut self, surface: &CollisionSurface, point_boxes: &[Aabb], out: &mut CandidateSet);
}

/// A broad phase by its name. All of them give the same pairs; times differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BroadPhaseChoice {
    /// [`Bvh`].
    #[default]
    Own,
    /// [`ParryBvh`].
    #[cfg(feature = "parry")]
    Parry,
}

/// Every choice with its name, its meaning for users, and what makes one.
type Row = (
    BroadPhaseChoice,
    &'static str,
    &'static str,
    fn() -> Box<dyn BroadPhase + Send>,
);

const CHOICES: &[Row] = &[
    (
        BroadPhaseChoice::Own,
        "own",
        "Bounding volume hierarchies of clusters of triangles.",
        || Box::<Bvh>::default(),
    ),
    #[cfg(feature = "parry")]
    (
        BroadPhaseChoice::Parry,
        "parry",
        "Bounding volume hierarchies of `parry`, for comparison: the same pairs, in more time.",
        || Box::<ParryBvh>::default(),
    ),
];

impl BroadPhaseChoice {
    /// The names of all choices, in the order of [`all`](Self::all).
    pub const NAMES: &'static [&'static str] = &[
        "own",
        #[cfg(feature = "parry")]
        "parry",
    ];

    /// All choices, the default first.
    pub fn all() -> impl Iterator<Item = Self> {
        CHOICES.iter().map(|&(choice, ..)| choice)
    }

    /// The choice with this name in scene files; `None` if there is none.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::all().find(|choice| choice.name() == name)
    }

    /// Its name in scene files.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Its meaning in a sentence.
    pub fn summary(self) -> &'static str {
        self.row().2
    }

    /// A broad phase of this kind; its first call builds what it needs.
    pub fn start(self) -> Box<dyn BroadPhase + Send> {
        self.row().3()
    }

    fn row(self) -> &'static Row {
        let row = CHOICES.iter().find(|(choice, ..)| *choice == self);
        row.unwrap_or(&CHOICES[0])
    }
}

#[track_caller]
fn assert_boxes(surface: &CollisionSurface, point_boxes: &[Aabb]) {
    assert_eq!(
        point_boxes.len(),
        surface.point_count(),
        "one box per point"
    );
    for &vertex in surface.vertices() {
        assert!(
            point_boxes[vertex as usize].is_valid(),
            "the box of point {vertex} is empty or not finite"
        );
    }
}
