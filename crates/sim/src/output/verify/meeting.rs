//! Whether two features collide between two frames: a test that shares no code with the solver.
//!
//! Corners move on straight lines. A plane proves separation if all positions of one feature, at the start and at the
//! end, are strictly on one side and those of the other feature on the other. Planes are tried for the whole motion,
//! its halves, quarters and so on. Exact arithmetic decides the remaining pairs.

use impinge_ccd_oracle::{ExactQuery, Kind};
use nalgebra::Vector3;

/// Number of bisections of the motion in the search for planes. Any number is correct. Each bisection decides pairs
/// that pass each other four times as far relative to their distance; the exact test costs as much as some thousand
/// planes.
const HALVINGS: u32 = 6;

/// Steps towards the closest points of two sets, each of which tries a plane.
const APPROACHES: usize = 8;

/// Bound on the rounding of the difference of two projections, relative to the largest coordinate and the length of the
/// direction: differences, products and sums of three, and the bisections, are below a third of it, and so
/// are corners interpolated on a path.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Bisections for the time of a collision, to a millionth of the motion.
const DATING: u32 = 20;

type Corners = [Vector3<f64>; 4];

/// Time of the first collision as a fraction of the motion, to a millionth; `None` if the features stay apart.
///
/// Corners are `[p, a, b, c]` of a point and a triangle or `[a0, a1, b0, b1]` of two edges, and move straight from
/// `start` to `end`, which are finite.
pub(super) fn first_meeting(kind: Kind, start: &Corners, end: &Corners) -> Option<f64> {
    if stay_apart(kind, start, end, HALVINGS) {
        return None;
    }
    let plain = |corners: &Corners| -> [[f64; 3]; 4] { corners.map(Into::into) };
    let query = ExactQuery::new(kind, &plain(start), &plain(end), 0.0)?;
    if !query.touches() {
        return None;
    }
    let (mut before, mut after) = (0.0, 1.0);
    for _ in 0..DATING {
        let middle = 0.5 * (before + after);
        if query.touches_within(0.0, middle) {
            after = middle;
        } else {
            before = middle;
        }
    }
    Some(after)
}

/// Whether one plane, moving with the first corner, separates the features at all of `places`; `false` proves nothing.
///
/// Between consecutive places corners move straight, up to a deviation (m) of `stray[0]` for corners of the first
/// feature, and of `stray[1]` for corners of the second.
pub(super) fn part_along(kind: Kind, places: &[Corners], stray: [f64; 2]) -> bool {
    let split = first_corners(kind);
    let along = |corners: std::ops::Range<usize>| -> Vec<Vector3<f64>> {
        (places.iter())
            .flat_map(|place| place[corners.clone()].iter().map(|x| x - place[0]))
            .collect()
    };
    let largest = places.as_flattened().iter().map(Vector3::amax);
    let sides = Sides {
        first: &along(0..split),
        second: &along(split..4),
        rounding: ROUNDING * largest.fold(0.0, f64::max),
        stray: stray[0] + stray[1],
    };
    let looked_from = [0, places.len() / 2, places.len() - 1];
    looked_from
        .iter()
        .any(|&place| sides.part_by(kind, &places[place]))
        || sides.approach()
}

/// Number of corners of the first feature.
fn first_corners(kind: Kind) -> usize {
    match kind {
        Kind::VertexFace => 1,
        Kind::EdgeEdge => 2,
    }
}

/// Whether planes prove that the features stay apart; `false` proves nothing.
fn stay_apart(kind: Kind, start: &Corners, end: &Corners, halvings: u32) -> bool {
    if has_plane(kind, start, end) {
        return true;
    }
    if halvings == 0 {
        return false;
    }
    let middle: Corners = std::array::from_fn(|corner| 0.5 * (start[corner] + end[corner]));
    stay_apart(kind, start, &middle, halvings - 1) && stay_apart(kind, &middle, end, halvings - 1)
}

/// Whether a plane is found that separates the features over the whole motion.
fn has_plane(kind: Kind, start: &Corners, end: &Corners) -> bool {
    let both = |corner: usize| [start[corner], end[corner]];
    let corners = [both(0), both(1), both(2), both(3)];
    let largest = corners.as_flattened().iter().map(Vector3::amax);
    let places: [Vector3<f64>; 8] =
        std::array::from_fn(|place| corners.as_flattened()[place] - start[0]);
    let (first, second) = places.split_at(2 * first_corners(kind));
    let sides = Sides {
        first,
        second,
        rounding: ROUNDING * largest.fold(0.0, f64::max),
        stray: 0.0,
    };
    [start, end]
        .iter()
        .any(|corners| sides.part_by(kind, corners))
        || sides.approach()
}

/// Candidate directions between a point and a triangle: its normal, out of its sides, and from its corners.
fn directions_of_face([p, a, b, c]: &Corners) -> [Vector3<f64>; 7] {
    let normal = (b - a).cross(&(c - a));
    let out = |from: &Vector3<f64>, to: &Vector3<f64>| (to - from).cross(&normal);
    [normal, out(a, b), out(b, c), out(c, a), p - a, p - b, p - c]
}

/// Candidate directions between two edges: orthogonal to both, orthogonal to one towards the other, and from end to
/// end.
fn directions_of_edges([a, b, c, d]: &Corners) -> [Vector3<f64>; 9] {
    let (first, second) = (b - a, d - c);
    let normal = first.cross(&second);
    let between = (c + d - a - b) * 0.5;
    [
        normal,
        first.cross(&normal),
        second.cross(&normal),
        first.cross(&between).cross(&first),
        second.cross(&between).cross(&second),
        c - a,
        d - a,
        c - b,
        d - b,
    ]
}

/// All positions of the corners of two features, relative to one of them (m).
struct Sides<'a> {
    first: &'a [Vector3<f64>],
    second: &'a [Vector3<f64>],
    /// Bound on the rounding of a difference of projections on a direction of length 1 in the sum norm (m).
    rounding: f64,
    /// Bound on the decrease of the distance by deviations from the straight motion (m).
    stray: f64,
}

impl Sides<'_> {
    /// Whether a plane orthogonal to one of the candidate directions of `corners` separates the features.
    fn part_by(&self, kind: Kind, corners: &Corners) -> bool {
        match kind {
            Kind::VertexFace => directions_of_face(corners).iter().any(|d| self.parts(d)),
            Kind::EdgeEdge => directions_of_edges(corners).iter().any(|d| self.parts(d)),
        }
    }

    /// Whether some plane orthogonal to `direction` separates the features, despite rounding.
    fn parts(&self, direction: &Vector3<f64>) -> bool {
        let mut sum = 0.0;
        let mut range = |places: &[Vector3<f64>]| {
            let heights = places.iter().map(|place| place.dot(direction));
            heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], height| {
                sum += height;
                [low.min(height), high.max(height)]
            })
        };
        let [low, high] = range(self.first);
        let [other_low, other_high] = range(self.second);
        let gap = (other_low - high).max(low - other_high);
        // Infinite and undefined heights prove nothing; their sum is infinite or undefined, too.
        let allowed = self.rounding * direction.lp_norm(1) + self.stray * direction.norm();
        sum.is_finite() && gap > allowed
    }

    /// Approaches the closest points of the hulls (Gilbert's method), and tries the plane orthogonal to each
    /// difference.
    fn approach(&self) -> bool {
        let mean =
            |places: &[Vector3<f64>]| places.iter().sum::<Vector3<f64>>() / places.len() as f64;
        let mut apart = mean(self.first) - mean(self.second);
        for _ in 0..APPROACHES {
            if self.parts(&apart) {
                return true;
            }
            let extreme = |places: &[Vector3<f64>], sign: f64| {
                let by = |a: &&Vector3<f64>, b: &&Vector3<f64>| {
                    (sign * a.dot(&apart)).total_cmp(&(sign * b.dot(&apart)))
                };
                places.iter().min_by(by).copied().unwrap_or_default()
            };
            let nearest = extreme(self.first, 1.0) - extreme(self.second, -1.0);
            let way = nearest - apart;
            let part = -apart.dot(&way) / way.norm_squared();
            if part.is_nan() || part <= 0.0 {
                return false;
            }
            apart += way * part.min(1.0);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_ccd_oracle::generate;

    /// Planes and the exact test agree, and planes decide most separated pairs.
    #[test]
    fn planes_agree_with_exact_arithmetic() {
        let (mut apart, mut decided) = (0, 0);
        for number in 0..3000 {
            let generated = generate::query(7, number);
            let corners = |plain: &[[f64; 3]; 4]| plain.map(Vector3::from);
            let (start, end) = (corners(&generated.start), corners(&generated.end));
            let exact = ExactQuery::new(generated.kind, &generated.start, &generated.end, 0.0)
                .expect("finite corners");
            let planes = stay_apart(generated.kind, &start, &end, HALVINGS);
            let touches = exact.touches();
            assert!(
                !(planes && touches),
                "query {number} of {:?}",
                generated.family
            );
            apart += u32::from(!touches);
            decided += u32::from(planes);
        }
        assert!(decided > apart / 2, "{decided} of {apart}");
    }

    #[test]
    fn a_meeting_is_dated() {
        let corners = |height: f64| {
            [
                [0.25, 0.25, height],
                [0.0; 3],
                [1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0],
            ]
            .map(Vector3::from)
        };
        let meeting = first_meeting(Kind::VertexFace, &corners(1.0), &corners(-2.0)).unwrap();
        assert!((meeting - 1.0 / 3.0).abs() < 1e-6, "{meeting}");
        assert_eq!(
            first_meeting(Kind::VertexFace, &corners(1.0), &corners(1e-9)),
            None
        );
    }
}
