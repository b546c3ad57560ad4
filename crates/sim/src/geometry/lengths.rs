//! Lengths that scale the clearances and tolerances of contacts: those of the bodies in contact, not of the scene.

use super::{Body, Geometry};
use crate::tolerances::PairScale;
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;

/// Mean surface edge of every body, at rest.
///
/// One length per body rather than per feature gives all contacts of two bodies one gap. A rigid box whose corners had
/// different gaps would tilt to and fro between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BodyLengths {
    /// Of bodies and obstacles (m). Infinite for obstacles, whose meshes may have any resolution.
    of_solid: Vec<f64>,
    /// Smallest and largest (m).
    range: [f64; 2],
}

impl BodyLengths {
    /// Measures `solids`, bodies and obstacles, at `rest` (m).
    pub(crate) fn new(solids: &[&Body], surface: &CollisionSurface, rest: &[Vector3<f64>]) -> Self {
        let mut sums = vec![(0.0, 0.0); solids.len()];
        for &[first, second] in surface.edges() {
            let (sum, count) = &mut sums[surface.body_of_point(first) as usize];
            *sum += (rest[first as usize] - rest[second as usize]).norm();
            *count += 1.0;
        }
        // Bodies that move by themselves; a body of elements counts even if all of its nodes are prescribed.
        let counts = |index: usize| {
            let solid = solids[index];
            solid.free_rigid || !solid.tets.is_empty() || solid.thin
        };
        let any = (0..sums.len()).any(counts);
        let of_solid: Vec<f64> = (sums.into_iter().enumerate())
            .map(|(index, (sum, count))| {
                if count > 0.0 && (counts(index) || !any) {
                    sum / count
                } else {
                    f64::INFINITY
                }
            })
            .collect();
        let finite = || of_solid.iter().copied().filter(|length| length.is_finite());
        Self {
            range: [
                finite().reduce(f64::min).unwrap_or_default(),
                finite().fold(0.0, f64::max),
            ],
            of_solid,
        }
    }

    /// The smallest and the largest length of any pair (m).
    pub fn range(&self) -> [f64; 2] {
        self.range
    }

    /// The smallest length of the solids (m), half-spaces among them; that of the scene if none of them has one.
    fn smallest(&self, solids: &[usize]) -> f64 {
        let lengths = solids.iter().filter_map(|&solid| self.of_solid.get(solid));
        let smallest = lengths.copied().fold(f64::INFINITY, f64::min);
        if smallest.is_finite() {
            smallest
        } else {
            self.range[0]
        }
    }
}

impl Geometry {
    /// The length that scales distances around a point (m).
    pub(crate) fn length_around(&self, point: usize) -> f64 {
        let solid = self.solid_of_point(point as u32);
        self.lengths.smallest(&[solid])
    }

    /// Scale of the tolerances of a pair of solids: the length of the finer one, and whether a rigid body is involved.
    pub(crate) fn scale_between(&self, solids: [usize; 2]) -> PairScale {
        PairScale {
            length: self.lengths.smallest(&solids),
            rigid: solids.iter().any(|&solid| self.is_free_rigid(solid)),
        }
    }

    /// Scale of the tolerances of contacts between a body and any solid.
    pub(crate) fn scale_of_body(&self, body: usize) -> PairScale {
        PairScale {
            length: self.lengths.smallest(&[body]),
            rigid: self.is_free_rigid(body),
        }
    }

    /// Scale of the finest body, and of rigid bodies if there are any: no pair has a finer scale.
    pub fn finest_scale(&self) -> PairScale {
        PairScale {
            length: self.lengths.range[0],
            rigid: self.bodies.iter().any(|body| body.free_rigid),
        }
    }

    /// Clearance of any pair of features of these solids and half-spaces (m).
    pub(crate) fn clearance_between(&self, solids: &[usize]) -> f64 {
        self.tolerances.clearance(self.lengths.smallest(solids))
    }

    /// The largest clearance of any pair (m).
    pub fn largest_clearance(&self) -> f64 {
        self.tolerances.clearance(self.lengths.range[1])
    }

    /// Whether a solid is a free rigid body.
    fn is_free_rigid(&self, solid: usize) -> bool {
        self.bodies.get(solid).is_some_and(|body| body.free_rigid)
    }
}
