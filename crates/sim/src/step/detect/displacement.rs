//! Relative displacements of the features of pairs since their separation bounds were measured.

use crate::contacts::step_motion::StepMotion;
use crate::step::detect::last_motion::LastMotion;
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
    /// Computes the displacements from `reference` (m) to both ends of `motion`, of all bodies.
    pub(crate) fn begin(
        &mut self,
        surface: &CollisionSurface,
        reference: &[Vector3<f64>],
        motion: StepMotion<'_>,
    ) {
        let [at_start, at_end] = &mut self.at_ends;
        let [of_start, of_end] = &mut self.of_bodies;
        let update = |at_one: &mut Vec<_>, of_bodies: &mut Vec<Range>, positions| {
            at_one.resize(reference.len(), Vector3::zeros());
            of_bodies.resize(surface.passive().len(), Range::EMPTY);
            displace(at_one, of_bodies, surface, (reference, positions), |_| true);
        };
        rayon::join(
            || update(at_start, of_start, motion.start),
            || update(at_end, of_end, motion.end),
        );
    }

    /// Computes the displacements at the end of a motion with the same start, of the bodies that move differently.
    pub(crate) fn follow(
        &mut self,
        surface: &CollisionSurface,
        reference: &[Vector3<f64>],
        end: &[Vector3<f64>],
        last: &LastMotion,
    ) {
        let differs = |body| last.differs(body);
        let (at_end, of_end) = (&mut self.at_ends[1], &mut self.of_bodies[1]);
        displace(at_end, of_end, surface, (reference, end), differs);
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

/// Computes the displacements from `reference` to `positions` (m) of the vertices of some bodies, and their boxes.
fn displace(
    displacements: &mut [Vector3<f64>],
    of_bodies: &mut [Range],
    surface: &CollisionSurface,
    (reference, positions): (&[Vector3<f64>], &[Vector3<f64>]),
    is_wanted: impl Fn(u32) -> bool,
) {
    for (body, range) in (0..).zip(of_bodies.iter_mut()) {
        if is_wanted(body) {
            *range = Range::EMPTY;
        }
    }
    for &vertex in surface.vertices() {
        let body = surface.body_of_point(vertex);
        if is_wanted(body) {
            let point = vertex as usize;
            let u = positions[point] - reference[point];
            displacements[point] = u;
            of_bodies[body as usize].add(&u);
        }
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
            moved.begin(&two_triangles(), &reference, motion);
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
            moved.begin(
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
