//! Boxes of points, converted to single precision.

use rayon::prelude::*;

use super::bounds::Bounds;
use super::lanes::{LANES, Lanes, OnLanes, on_widest};
use crate::broad_phase::Aabb;

/// Points that one task converts. Results do not depend on it.
const POINTS_PER_TASK: usize = 8192;

/// Properties of all boxes together.
#[derive(Clone, Copy)]
pub(super) struct Summary {
    /// Largest coordinate in single precision.
    pub(super) largest: f32,
    /// True proves that no box is empty and all numbers are finite. May be false if only an extent is not finite.
    pub(super) valid: bool,
}

impl Summary {
    const OF_NONE: Self = Self {
        largest: 0.0,
        valid: true,
    };

    fn and(self, other: Self) -> Self {
        Self {
            largest: self.largest.max(other.largest),
            valid: self.valid & other.valid,
        }
    }
}

/// Sets `bounds` to the boxes around `exact`, and an empty one at the end for padding.
pub(super) fn bound(exact: &[Aabb], bounds: &mut Vec<Bounds>) -> Summary {
    bounds.resize(exact.len() + 1, Bounds::EMPTY);
    bounds[exact.len()] = Bounds::EMPTY;
    bounds
        .par_chunks_mut(POINTS_PER_TASK)
        .zip(exact.par_chunks(POINTS_PER_TASK))
        .map(|(bounds, exact)| on_widest(Bound { exact, bounds }))
        .reduce(|| Summary::OF_NONE, Summary::and)
}

struct Bound<'a> {
    exact: &'a [Aabb],
    bounds: &'a mut [Bounds],
}

impl OnLanes for Bound<'_> {
    type Output = Summary;

    #[inline(always)]
    fn run(self, lanes: impl Lanes) -> Summary {
        let mut largest = [0.0; LANES];
        let mut valid = true;
        for (bounds, exact) in self.bounds.iter_mut().zip(self.exact) {
            *bounds = Bounds::around(exact);
            let mut sizes = bounds.outwards;
            for size in &mut sizes {
                *size = size.abs();
            }
            largest = lanes.greater(&sizes, &largest);
            for c in 0..3 {
                // False if either is infinite or NaN.
                let extent = exact.upper[c] - exact.lower[c];
                valid &= (0.0..=f64::MAX).contains(&extent);
            }
        }
        Summary {
            largest: largest.into_iter().fold(0.0, f32::max),
            valid,
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    #[test]
    fn one_box_that_is_not_valid_is_noticed() {
        let point = Vector3::new(1.0, -3.0, 2.0);
        let good = Aabb::from_point(&point);
        let mut bounds = Vec::new();
        let summary = bound(&[good; 20], &mut bounds);
        assert!(summary.valid);
        assert!((3.0..3.001).contains(&summary.largest));
        assert_eq!(bounds.len(), 21);
        for c in 0..3 {
            for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                for (lower, upper) in [(wrong, point[c]), (point[c], wrong), (wrong, wrong)] {
                    let mut boxes = [good; 20];
                    boxes[13].lower[c] = lower;
                    boxes[13].upper[c] = upper;
                    assert!(!bound(&boxes, &mut bounds).valid, "{lower} {upper}");
                }
            }
            let mut boxes = [good; 20];
            boxes[13].lower[c] = point[c].next_up();
            assert!(!bound(&boxes, &mut bounds).valid);
        }
    }
}
