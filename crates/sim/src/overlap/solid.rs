//! Closed surfaces at the start, and the translations that separate them.

use impinge_geometry::exact::{triangles_intersect, winding_number};
use nalgebra::Vector3;
use rayon::prelude::*;

use crate::model::Model;

/// Number of triangle pairs whose normals are candidate directions out of an overlap.
const SAMPLE: usize = 64;

/// Number of distinct normals tried of each body.
const NORMALS: usize = 6;

/// Cosine above which two directions count as equal.
const SAME_DIRECTION: f64 = 0.95;

/// Bisections of a distance: to a millionth of the bodies' size.
const HALVINGS: usize = 20;

/// The surface of a body or mesh obstacle.
pub(crate) struct Solid {
    pub(crate) name: String,
    triangles: Vec<[Vector3<f64>; 3]>,
    lower: Vector3<f64>,
    upper: Vector3<f64>,
    /// Whether it has an inside.
    closed: bool,
    /// Whether all of its points are free.
    pub(crate) movable: bool,
    /// Whether all points are prescribed for all time; two such bodies may overlap.
    pub(crate) passive: bool,
}

/// The way out of an overlap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exit {
    /// Unit vector.
    pub(crate) direction: Vector3<f64>,
    /// Distance that the first body has to move along it (m).
    pub(crate) distance: f64,
}

/// All solids of a model, by number.
pub(crate) fn solids(model: &Model) -> Vec<Solid> {
    (0..model.geometry.solid_count())
        .map(|index| {
            let body = model.geometry.solid(index);
            let triangles: Vec<[Vector3<f64>; 3]> = model.geometry.surface.triangles()
                [body.triangles.clone()]
            .iter()
            .map(|corners| corners.map(|point| model.points.rest[point as usize]))
            .collect();
            let (lower, upper) = bounds(&triangles);
            Solid {
                name: body.name.clone(),
                triangles,
                lower,
                upper,
                closed: model.geometry.is_closed(index),
                movable: model.unknowns.motion_of_point[body.points.clone()]
                    .iter()
                    .all(|motion| !motion.is_prescribed()),
                passive: model.geometry.surface.passive()[index],
            }
        })
        .collect()
}

fn bounds(triangles: &[[Vector3<f64>; 3]]) -> (Vector3<f64>, Vector3<f64>) {
    triangles.as_flattened().iter().fold(
        (
            Vector3::repeat(f64::INFINITY),
            Vector3::repeat(f64::NEG_INFINITY),
        ),
        |(lower, upper), p| (lower.inf(p), upper.sup(p)),
    )
}

impl Solid {
    /// A point of the surface.
    pub(crate) fn a_point(&self) -> Vector3<f64> {
        self.triangles[0][0]
    }

    /// Diagonal of the bounding box (m).
    pub(crate) fn size(&self) -> f64 {
        (self.upper - self.lower).norm()
    }

    /// Smallest value of `direction · x` over the surface.
    pub(crate) fn lowest(&self, direction: &Vector3<f64>) -> f64 {
        self.triangles
            .as_flattened()
            .iter()
            .map(|p| direction.dot(p))
            .fold(f64::INFINITY, f64::min)
    }

    pub(crate) fn boxes_overlap(&self, other: &Self, shift: &Vector3<f64>) -> bool {
        (0..3).all(|c| {
            self.lower[c] + shift[c] <= other.upper[c] && other.lower[c] <= self.upper[c] + shift[c]
        })
    }

    /// Pairs of intersecting triangles of this solid moved by `shift` and another, up to `limit`.
    pub(crate) fn meetings(
        &self,
        other: &Self,
        shift: &Vector3<f64>,
        limit: usize,
    ) -> Vec<[u32; 2]> {
        if !self.boxes_overlap(other, shift) {
            return Vec::new();
        }
        let lower = (self.lower + shift).sup(&other.lower);
        let upper = (self.upper + shift).inf(&other.upper);
        let near = |triangles: &[[Vector3<f64>; 3]], shift: &Vector3<f64>| {
            let mut near: Vec<Boxed> = (0u32..)
                .zip(triangles)
                .map(|(index, corners)| Boxed::new(index, corners.map(|corner| corner + shift)))
                .filter(|boxed| {
                    (0..3).all(|c| boxed.lower[c] <= upper[c] && lower[c] <= boxed.upper[c])
                })
                .collect();
            near.sort_by(|a, b| a.lower.x.total_cmp(&b.lower.x).then(a.index.cmp(&b.index)));
            near
        };
        let ours = near(&self.triangles, shift);
        let theirs = near(&other.triangles, &Vector3::zeros());
        let widest = theirs
            .iter()
            .map(|boxed| boxed.upper.x - boxed.lower.x)
            .fold(0.0, f64::max);
        let mut found = Vec::new();
        for first in &ours {
            // The box is one larger than the difference: the difference is rounded.
            let start = theirs
                .partition_point(|second| second.lower.x < (first.lower.x - widest).next_down());
            for second in &theirs[start..] {
                if second.lower.x > first.upper.x {
                    break;
                }
                if first.overlaps(second) && triangles_intersect(&first.corners, &second.corners) {
                    found.push([first.index, second.index]);
                    if found.len() == limit {
                        return found;
                    }
                }
            }
        }
        found
    }

    /// Whether this solid, moved by `shift`, lies inside another whose surface it does not intersect.
    pub(crate) fn is_inside(&self, other: &Self, shift: &Vector3<f64>) -> bool {
        let point = self.a_point() + shift;
        other.closed
            && (0..3).all(|c| other.lower[c] <= point[c] && point[c] <= other.upper[c])
            && winding_number(&point, other.triangles.iter().copied()) != 0
    }

    /// Whether this solid, moved by `shift`, and another share no point.
    pub(crate) fn is_free_of(&self, other: &Self, shift: &Vector3<f64>) -> bool {
        self.meetings(other, shift, 1).is_empty()
            && !self.is_inside(other, shift)
            && !other.is_inside(self, &-shift)
    }

    /// The shortest of the [`exits`](Self::exits).
    pub(crate) fn exit(&self, other: &Self, shift: &Vector3<f64>) -> Exit {
        let exits = self.exits(other, shift).into_iter();
        exits
            .min_by(|a, b| a.distance.total_cmp(&b.distance))
            .unwrap_or(Exit {
                direction: Vector3::z(),
                distance: self.size() + other.size(),
            })
    }

    /// Ways out of `other` for this solid moved by `shift`.
    ///
    /// Directions are the axes, the line between the centres, and normals where the surfaces intersect. For each, the
    /// result is a distance at which the solids are separated and just below which they are not.
    pub(crate) fn exits(&self, other: &Self, shift: &Vector3<f64>) -> Vec<Exit> {
        self.directions(other, shift)
            .into_par_iter()
            .map(|direction| Exit {
                direction,
                distance: self.distance_along(other, shift, &direction),
            })
            .collect()
    }

    fn directions(&self, other: &Self, shift: &Vector3<f64>) -> Vec<Vector3<f64>> {
        let meetings = self.meetings(other, shift, SAMPLE);
        let normal = |corners: &[Vector3<f64>; 3]| {
            let [a, b, c] = corners;
            (b - a).cross(&(c - a)).try_normalize(0.0)
        };
        let theirs: Vec<Vector3<f64>> = meetings
            .iter()
            .filter_map(|pair| normal(&other.triangles[pair[1] as usize]))
            .collect();
        let ours: Vec<Vector3<f64>> = meetings
            .iter()
            .filter_map(|pair| normal(&self.triangles[pair[0] as usize]).map(|n| -n))
            .collect();
        let middles = self.lower + self.upper + 2.0 * shift - other.lower - other.upper;
        let mut directions: Vec<Vector3<f64>> = [
            theirs.iter().sum::<Vector3<f64>>(),
            ours.iter().sum::<Vector3<f64>>(),
            middles,
        ]
        .iter()
        .filter_map(|direction| {
            direction.try_normalize(1e-9 * direction.amax().max(f64::MIN_POSITIVE))
        })
        .collect();
        for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
            directions.extend([axis, -axis]);
        }
        for normals in [theirs, ours] {
            let mut added = 0;
            for normal in normals {
                let known = directions.iter().any(|d| d.dot(&normal) > SAME_DIRECTION);
                if !known && added < NORMALS {
                    directions.push(normal);
                    added += 1;
                }
            }
        }
        directions
    }

    fn distance_along(&self, other: &Self, shift: &Vector3<f64>, direction: &Vector3<f64>) -> f64 {
        // Beyond the far end of the other solid the two are separated.
        let beyond = -other.lowest(&-direction) - self.lowest(direction) - direction.dot(shift);
        let free = |distance: f64| self.is_free_of(other, &(shift + direction * distance));
        let (mut meets, mut apart) = (0.0, beyond / 64.0);
        while apart < beyond && !free(apart) {
            meets = apart;
            apart *= 2.0;
        }
        let mut apart = apart.min(beyond);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (meets + apart);
            if free(middle) {
                apart = middle;
            } else {
                meets = middle;
            }
        }
        apart
    }
}

/// A triangle with its box.
struct Boxed {
    index: u32,
    corners: [Vector3<f64>; 3],
    lower: Vector3<f64>,
    upper: Vector3<f64>,
}

impl Boxed {
    fn new(index: u32, corners: [Vector3<f64>; 3]) -> Self {
        let [a, b, c] = corners;
        Self {
            index,
            corners,
            lower: a.inf(&b).inf(&c),
            upper: a.sup(&b).sup(&c),
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        (1..3).all(|c| self.lower[c] <= other.upper[c] && other.lower[c] <= self.upper[c])
    }
}

/// Pairs of solids, each moved by its own translation, whose boxes overlap and that contact keeps apart; ascending.
pub(crate) fn near_pairs(
    model: &Model,
    solids: &[Solid],
    moves: &[Vector3<f64>],
) -> Vec<[usize; 2]> {
    let mut order: Vec<usize> = (0..solids.len()).collect();
    let left = |solid: usize| solids[solid].lower.x + moves[solid].x;
    order.sort_by(|&a, &b| left(a).total_cmp(&left(b)).then(a.cmp(&b)));
    let mut pairs = Vec::new();
    for (rank, &first) in order.iter().enumerate() {
        let right = solids[first].upper.x + moves[first].x;
        for &second in order[rank + 1..]
            .iter()
            .take_while(|&&second| left(second) <= right)
        {
            let shift = moves[first] - moves[second];
            if model
                .geometry
                .surface
                .bodies_may_touch(first as u32, second as u32)
                && solids[first].boxes_overlap(&solids[second], &shift)
            {
                pairs.push([first.min(second), first.max(second)]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}
