//! All intersections of a surface with itself.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::triangle::{folded_flat, meet_beyond_apex, triangles_intersect};
use crate::surface::CollisionSurface;

/// Triangles swept between two looks at the limit.
const CHUNK: usize = 8192;

/// Two triangles that intersect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IntersectingPair {
    /// Indices into the surface's triangles, the smaller first.
    pub triangles: [u32; 2],
}

/// Finds all pairs of triangles that intersect, exactly: an empty answer is a certificate.
///
/// - Triangles without common points intersect if their closed hulls share any point.
/// - Triangles with one common point, if they share more than that point.
/// - Triangles with a common edge, if they are folded flat onto each other.
/// - Triangles with the same three points always do.
///
/// Two passive bodies, or a passive body and itself, are not tested.
///
/// The answer is ascending and does not depend on the number of threads. If there are more than `limit` pairs, the first
/// `limit` of those met in a sweep along one axis are returned.
///
/// # Shapes and units
/// `points` holds one position in m per point of the surface.
///
/// # Panics
/// If `points.len() != surface.point_count()`, or a point that some triangle uses is not finite.
///
/// # Cost
/// A parallel sort and sweep along the surface's longest axis, `O(n²)` at worst but with comparisons only: some ten
/// milliseconds for twenty thousand triangles.
pub fn surface_intersections(
    points: &[Vector3<f64>],
    surface: &CollisionSurface,
    limit: usize,
) -> Vec<IntersectingPair> {
    assert_eq!(
        points.len(),
        surface.point_count(),
        "one position per point"
    );
    for &vertex in surface.vertices() {
        assert!(
            points[vertex as usize].iter().all(|x| x.is_finite()),
            "point {vertex} is not finite"
        );
    }
    let swept = sort_along_longest_axis(points, surface);
    let mut found = Vec::new();
    for chunk_start in (0..swept.len()).step_by(CHUNK) {
        if found.len() >= limit {
            break;
        }
        let chunk = chunk_start..swept.len().min(chunk_start + CHUNK);
        // Collected in the order of the sweep, so the limit cuts the same pairs for any number of threads.
        found.par_extend(chunk.into_par_iter().flat_map_iter(|i| {
            let first = &swept[i];
            swept[i + 1..]
                .iter()
                .take_while(|second| second.lower[0] <= first.upper[0])
                .filter(|second| first.overlaps_across(second))
                .filter(|second| intersect(points, surface, first.triangle, second.triangle))
                .map(|second| IntersectingPair {
                    triangles: [
                        first.triangle.min(second.triangle),
                        first.triangle.max(second.triangle),
                    ],
                })
        }));
    }
    found.truncate(limit);
    found.sort_unstable();
    found
}

/// A triangle with its box, the sweep's axis first.
struct Swept {
    lower: [f64; 3],
    upper: [f64; 3],
    triangle: u32,
    passive: bool,
}

impl Swept {
    fn overlaps_across(&self, other: &Self) -> bool {
        self.lower[1] <= other.upper[1]
            && other.lower[1] <= self.upper[1]
            && self.lower[2] <= other.upper[2]
            && other.lower[2] <= self.upper[2]
            && !(self.passive && other.passive)
    }
}

fn sort_along_longest_axis(points: &[Vector3<f64>], surface: &CollisionSurface) -> Vec<Swept> {
    let used = || surface.vertices().iter().map(|&v| &points[v as usize]);
    let extent = |c: usize| {
        used().map(|p| p[c]).fold(f64::NEG_INFINITY, f64::max)
            - used().map(|p| p[c]).fold(f64::INFINITY, f64::min)
    };
    let extents = [extent(0), extent(1), extent(2)];
    let longest = (1..3).fold(
        0,
        |best, c| if extents[c] > extents[best] { c } else { best },
    );

    let mut swept: Vec<Swept> = (0..)
        .zip(surface.triangles())
        .map(|(triangle, corners)| {
            let [a, b, c] = corners.map(|point| &points[point as usize]);
            let axis = |k: usize| (longest + k) % 3;
            Swept {
                lower: std::array::from_fn(|k| a[axis(k)].min(b[axis(k)]).min(c[axis(k)])),
                upper: std::array::from_fn(|k| a[axis(k)].max(b[axis(k)]).max(c[axis(k)])),
                triangle,
                passive: surface.is_passive_point(corners[0]),
            }
        })
        .collect();
    swept.par_sort_unstable_by(|a, b| {
        (a.lower[0].total_cmp(&b.lower[0])).then(a.triangle.cmp(&b.triangle))
    });
    swept
}

/// Whether two different triangles intersect beyond what they share.
fn intersect(points: &[Vector3<f64>], surface: &CollisionSurface, first: u32, second: u32) -> bool {
    let (first, second) = (
        surface.triangles()[first as usize],
        surface.triangles()[second as usize],
    );
    let at = |point: u32| points[point as usize];
    let (common, first_own) = split(first, second);
    let (_, second_own) = split(second, first);
    match (
        common.as_slice(),
        first_own.as_slice(),
        second_own.as_slice(),
    ) {
        ([], _, _) => triangles_intersect(&first.map(at), &second.map(at)),
        (&[apex], &[a, b], &[c, d]) => meet_beyond_apex(at(apex), [at(a), at(b)], [at(c), at(d)]),
        (&[u, v], &[a], &[b]) => folded_flat([at(u), at(v)], at(a), at(b)),
        _ => true,
    }
}

/// Up to three point ids.
#[derive(Default)]
struct Few {
    points: [u32; 3],
    len: usize,
}

impl Few {
    fn push(&mut self, point: u32) {
        self.points[self.len] = point;
        self.len += 1;
    }

    fn as_slice(&self) -> &[u32] {
        &self.points[..self.len]
    }
}

/// The corners of `triangle` that are also corners of `other`, and those that are not.
fn split(triangle: [u32; 3], other: [u32; 3]) -> (Few, Few) {
    let (mut common, mut own) = (Few::default(), Few::default());
    for point in triangle {
        if other.contains(&point) {
            common.push(point);
        } else {
            own.push(point);
        }
    }
    (common, own)
}
