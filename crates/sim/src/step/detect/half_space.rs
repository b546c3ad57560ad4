//! Vertices that a straight motion takes into half-spaces.

use crate::contacts::contact::ContactKey;
use crate::contacts::step_motion::{Hit, StepMotion};
use crate::geometry::{Body, Geometry, HalfSpace};
use crate::step::detect::last_motion::LastMotion;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Appends the impacts of vertices on half-spaces, of the bodies that move differently than on the motion before.
pub(crate) fn find_hits_on_half_spaces(
    geometry: &Geometry,
    motion: StepMotion<'_>,
    last: &LastMotion,
    hits: &mut Vec<Hit>,
) {
    if geometry.half_spaces.is_empty() {
        return;
    }
    let passive = geometry.surface.passive();
    let of_body = |(body_index, body): (usize, &Body)| -> Vec<Hit> {
        if passive[body_index] || !last.differs(body_index as u32) {
            return Vec::new();
        }
        let vertices = vertices_of(geometry, body);
        let reach = Reach::of(vertices.iter().map(|&vertex| &motion.end[vertex as usize]));
        (0..)
            .zip(&geometry.half_spaces)
            .filter(|(_, half_space)| !reach.is_outside(half_space))
            .flat_map(|(index, half_space)| {
                let hit = move |&vertex: &u32| hit_on(half_space, index, vertex, motion);
                vertices.iter().filter_map(hit)
            })
            .collect()
    };
    let of_bodies = geometry.bodies.par_iter().enumerate().map(of_body);
    hits.par_extend(of_bodies.flatten_iter());
}

/// Vertices of a body, ascending.
fn vertices_of<'a>(geometry: &'a Geometry, body: &Body) -> &'a [u32] {
    let vertices = geometry.surface.vertices();
    let [first, last] = [body.points.start, body.points.end]
        .map(|end| vertices.partition_point(|&vertex| (vertex as usize) < end));
    &vertices[first..last]
}

/// Bound of the rounding of a height, three products of differences, over the sum of the largest coordinates of the
/// vertex and of the point of the plane.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Impact of a vertex on a half-space, if there is one.
fn hit_on(half_space: &HalfSpace, index: u32, vertex: u32, motion: StepMotion<'_>) -> Option<Hit> {
    let (start, end) = (&motion.start[vertex as usize], &motion.end[vertex as usize]);
    let last = height(half_space, end);
    // A straight motion crosses a plane if and only if an end is beyond it.
    let rounding = ROUNDING * (end.amax() + half_space.point.amax());
    // NaN counts as an impact.
    if last > rounding {
        return None;
    }
    let first = height(half_space, start);
    let key = ContactKey::VertexHalfSpace {
        vertex,
        half_space: index,
    };
    Some(Hit {
        key,
        time: (first / (first - last)).clamp(0.0, 1.0),
        work_limited: false,
    })
}

/// Height of a point above the plane of a half-space (m).
fn height(half_space: &HalfSpace, x: &Vector3<f64>) -> f64 {
    half_space.normal.dot(&(x - half_space.point))
}

/// A box around the ends of the vertices of a body (m).
struct Reach {
    lower: Vector3<f64>,
    upper: Vector3<f64>,
    /// Whether an end is NaN, which the box does not show.
    is_nan: bool,
}

impl Reach {
    fn of<'a>(ends: impl Iterator<Item = &'a Vector3<f64>>) -> Self {
        let mut lower = Vector3::repeat(f64::INFINITY);
        let (mut upper, mut nan) = (-lower, 0.0);
        for end in ends {
            lower = lower.inf(end);
            upper = upper.sup(end);
            nan += 0.0 * end.sum();
        }
        Self {
            lower,
            upper,
            is_nan: f64::is_nan(nan),
        }
    }

    /// Whether the box is above the plane by more than rounding, so that no vertex hits. Both the height of the box and
    /// those of the vertices are rounded, which twice the bound covers; it is doubled again.
    fn is_outside(&self, half_space: &HalfSpace) -> bool {
        let lowest = Vector3::from_fn(|axis, _| {
            let side = if half_space.normal[axis] > 0.0 {
                &self.lower
            } else {
                &self.upper
            };
            side[axis]
        });
        let largest = self.lower.amax().max(self.upper.amax());
        let rounding = 4.0 * ROUNDING * (largest + half_space.point.amax());
        !self.is_nan && height(half_space, &lowest) > rounding
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Vector3<f64>> {
        [-1.0..1.0_f64, -1.0..1.0, -1.0..1.0].prop_map(Vector3::from)
    }

    fn half_space(normal: Vector3<f64>, point: Vector3<f64>) -> HalfSpace {
        HalfSpace {
            name: String::new(),
            point,
            normal,
            friction: 0.0,
        }
    }

    proptest! {
        /// A half-space that the box stays out of is hit by no vertex; the box of a single vertex is as sharp as its
        /// height.
        #[test]
        fn a_body_outside_has_no_hit(
            normal in vector(),
            point in vector(),
            ends in prop::collection::vec(vector(), 1..5),
        ) {
            let half_space = half_space(normal.normalize(), point);
            let motion = StepMotion { start: &ends, end: &ends, time_step: 1e-3 };
            let reach = Reach::of(ends.iter());
            let hit = |vertex| hit_on(&half_space, 0, vertex, motion).is_some();
            let any = (0..ends.len() as u32).any(hit);
            prop_assert!(!(any && reach.is_outside(&half_space)));
            let alone = Reach::of(ends[..1].iter());
            let above = height(&half_space, &ends[0]) > 1e-12;
            prop_assert_eq!(alone.is_outside(&half_space), above);
        }
    }

    #[test]
    fn nan_is_inside() {
        let broken = [Vector3::z() * 2.0, Vector3::new(f64::NAN, 0.0, 2.0)];
        let half_space = half_space(Vector3::z(), Vector3::zeros());
        assert!(Reach::of(broken[..1].iter()).is_outside(&half_space));
        assert!(!Reach::of(broken.iter()).is_outside(&half_space));
    }
}
