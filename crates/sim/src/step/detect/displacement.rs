//! Relative displacements of the features of pairs since their separation bounds were measured.

use crate::contacts::step_motion::StepMotion;
use impinge_geometry::surface::CollisionSurface;
use nalgebra::Vector3;

/// Displacements `u` of all points at both ends of a motion, with bounds for each body.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    /// `u` at the start and at the end of the motion (m).
    at_ends: [Vec<Vector3<f64>>; 2],
    /// Bounding boxes of `u` for each body, at both ends.
    of_bodies: [Vec<Range>; 2],
}

/// A box around displacements.
#[derive(Debug, Clone, Copy)]
struct Range {
    lower: Vector3<f64>,
    upper: Vector3<f64>,
    /// 0, or NaN if a displacement is NaN, which the box does not show.
    nan: f64,
}

impl Range {
    const EMPTY: Self = Self {
        lower: Vector3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        upper: Vector3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
        nan: 0.0,
    };

    fn add(&mut self, u: &Vector3<f64>) {
        self.lower = self.lower.inf(u);
        self.upper = self.upper.sup(u);
        self.nan += 0.0 * u.sum();
    }

    /// Largest distance between a point of this box and a point of the other; NaN if one is NaN.
    fn farthest_from(&self, other: &Self) -> f64 {
        let apart = (self.upper - other.lower).sup(&(other.upper - self.lower));
        apart.norm() + self.nan + other.nan
    }
}

impl Moved {
    /// Computes the displacements from `reference` (m) to both ends of `motion`.
    pub(crate) fn update(
        &mut self,
        surface: &CollisionSurface,
        reference: &[Vector3<f64>],
        motion: StepMotion<'_>,
    ) {
        let bodies = surface.group().iter().max().map_or(0, |last| last + 1);
        let [at_start, at_end] = &mut self.at_ends;
        let [of_start, of_end] = &mut self.of_bodies;
        let update = |at_one: &mut Vec<_>, of_bodies: &mut Vec<Range>, positions: &[_]| {
            at_one.clear();
            at_one.extend(positions.iter().zip(reference).map(|(x, r)| x - r));
            of_bodies.clear();
            of_bodies.resize(bodies as usize, Range::EMPTY);
            for (u, &body) in at_one.iter().zip(surface.group()) {
                of_bodies[body as usize].add(u);
            }
        };
        rayon::join(
            || update(at_start, of_start, motion.start),
            || update(at_end, of_end, motion.end),
        );
    }

    /// Bound of `‖u_i − u_j‖` over the points `i` of one body and `j` of another, at both ends of the motion; it
    /// excludes most pairs. NaN if a displacement is NaN.
    pub(crate) fn most_between(&self, [one, other]: [u32; 2]) -> f64 {
        let [start, end] = (self.of_bodies.each_ref())
            .map(|ranges| ranges[one as usize].farthest_from(&ranges[other as usize]));
        if start > end || start.is_nan() {
            start
        } else {
            end
        }
    }

    /// Largest `‖u_i − u_j‖²` over the corners of both features and both ends of the motion; the first feature has
    /// `first_side` corners. NaN if one is NaN.
    #[inline]
    pub(crate) fn approach_squared(&self, points: [u32; 4], first_side: usize) -> f64 {
        let mut largest = 0.0;
        for at_end in &self.at_ends {
            let u = points.map(|p| at_end[p as usize]);
            let (first, second) = u.split_at(first_side);
            for one in first {
                for other in second {
                    let squared = (one - other).norm_squared();
                    if squared > largest || squared.is_nan() {
                        largest = squared;
                    }
                }
            }
        }
        largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points() -> impl Strategy<Value = Vec<Vector3<f64>>> {
        let number = -1.0..1.0_f64;
        let point = [number.clone(), number.clone(), number].prop_map(Vector3::from);
        prop::collection::vec(point, 6)
    }

    fn two_triangles() -> CollisionSurface {
        let bodies = vec![0, 0, 0, 1, 1, 1];
        CollisionSurface::new(vec![[0, 1, 2], [3, 4, 5]], 6, bodies, vec![false; 2])
    }

    proptest! {
        #[test]
        fn no_pair_approaches_more_than_its_bodies(
            reference in points(),
            start in points(),
            end in points(),
        ) {
            let mut moved = Moved::default();
            let motion = StepMotion { start: &start, end: &end, time_step: 1e-3 };
            moved.update(&two_triangles(), &reference, motion);
            let most = moved.most_between([0, 1]);
            prop_assert!(moved.approach_squared([0, 3, 4, 5], 1) <= most * most * (1.0 + 1e-12));
            prop_assert!(moved.approach_squared([0, 1, 4, 5], 2) <= most * most * (1.0 + 1e-12));
            prop_assert!(moved.most_between([1, 1]) <= 2.0 * 12.0_f64.sqrt());
        }
    }

    #[test]
    fn nan_is_kept() {
        let still = vec![Vector3::zeros(); 6];
        let mut broken = still.clone();
        broken[4].x = f64::NAN;
        for (start, end) in [(&still, &broken), (&broken, &still)] {
            let mut moved = Moved::default();
            moved.update(
                &two_triangles(),
                &still,
                StepMotion {
                    start,
                    end,
                    time_step: 1e-3,
                },
            );
            assert!(moved.most_between([0, 1]).is_nan());
            assert!(moved.most_between([1, 1]).is_nan());
            assert!(moved.most_between([0, 0]).abs() < 1e-300);
            assert!(moved.approach_squared([0, 3, 4, 5], 1).is_nan());
        }
    }
}
