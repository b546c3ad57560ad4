//! All intersections of a surface with itself.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::triangle::{folded_flat, meet_beyond_apex, triangles_intersect};
use crate::few::Few;
use crate::surface::CollisionSurface;

/// Triangles swept between two tests of the limit.
const CHUNK: usize = 8192;

/// Most strips: more would help no surface that fits into memory.
const MOST_STRIPS: f64 = 65536.0;

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
/// Pairs of passive bodies, a passive body and itself included, are not tested, nor are two bodies that the filter of
/// the surface excludes. Every other body is tested against itself, whatever the filter says.
///
/// The answer is ascending and does not depend on the number of threads. If there are more than `limit` pairs, the
/// first `limit` in the order of the sweep are returned.
///
/// # Shapes and units
/// `points` holds one position in m per point of the surface.
///
/// # Panics
/// If `points.len() != surface.point_count()`, or a point that some triangle uses is not finite.
///
/// # Cost
/// A parallel sort and sweep in strips: `O(n²)` at worst, but mostly comparisons of boxes.
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
    let swept = sort_in_strips(points, surface);
    let mut found = Vec::new();
    for chunk_start in (0..swept.len()).step_by(CHUNK) {
        if found.len() >= limit {
            break;
        }
        let chunk = chunk_start..swept.len().min(chunk_start + CHUNK);
        // Collected in the order of the sweep, so the limit keeps the same pairs for any number of threads.
        found.par_extend(chunk.into_par_iter().flat_map_iter(|i| {
            let first = &swept[i];
            swept[i + 1..]
                .iter()
                .take_while(|second| {
                    second.strip == first.strip && second.lower[0] <= first.upper[0]
                })
                .filter(|second| first.overlaps_across(second))
                .filter(|second| are_tested(surface, first.triangle, second.triangle))
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

/// A triangle in one of the strips it lies in, with its box, the sweep's axis first and the strips' axis second.
#[derive(Clone)]
struct Swept {
    lower: [f64; 3],
    upper: [f64; 3],
    triangle: u32,
    passive: bool,
    strip: u32,
    first_strip: u32,
}

impl Swept {
    /// Whether the boxes overlap across the sweep, the pair is to be tested, and no earlier strip holds both.
    fn overlaps_across(&self, other: &Self) -> bool {
        self.lower[1] <= other.upper[1]
            && other.lower[1] <= self.upper[1]
            && self.lower[2] <= other.upper[2]
            && other.lower[2] <= self.upper[2]
            && self.strip == self.first_strip.max(other.first_strip)
            && !(self.passive && other.passive)
    }
}

/// Divides space into strips across its second longest axis, and sorts the triangles of each along the longest.
///
/// A triangle is entered into all strips it touches; those are twice as wide as triangles are on average, so there are
/// at most about one and a half entries per triangle.
fn sort_in_strips(points: &[Vector3<f64>], surface: &CollisionSurface) -> Vec<Swept> {
    let used = || surface.vertices().iter().map(|&v| &points[v as usize]);
    let lower = used().fold(Vector3::repeat(f64::INFINITY), |all, p| all.inf(p));
    let upper = used().fold(Vector3::repeat(f64::NEG_INFINITY), |all, p| all.sup(p));
    let mut axes = [0, 1, 2];
    axes.sort_by(|&i, &j| (upper[j] - lower[j]).total_cmp(&(upper[i] - lower[i])));

    let boxed: Vec<Swept> = (0..)
        .zip(surface.triangles())
        .map(|(triangle, corners)| {
            let [a, b, c] = corners.map(|point| &points[point as usize]);
            Swept {
                lower: axes.map(|axis| a[axis].min(b[axis]).min(c[axis])),
                upper: axes.map(|axis| a[axis].max(b[axis]).max(c[axis])),
                triangle,
                passive: surface.is_passive_point(corners[0]),
                strip: 0,
                first_strip: 0,
            }
        })
        .collect();

    let total_extent: f64 = boxed.iter().map(|s| s.upper[1] - s.lower[1]).sum();
    let width = 2.0 * total_extent / boxed.len().max(1) as f64;
    // A monotone function of the coordinate whatever its rounding, so overlapping boxes have a strip in common. If all
    // triangles are flat across the strips, the width is zero and all fall into the last strip.
    #[expect(clippy::cast_sign_loss, reason = "no coordinate is below the lowest")]
    let strip_of =
        |coordinate: f64| ((coordinate - lower[axes[1]]) / width).min(MOST_STRIPS) as u32;
    let mut swept = Vec::with_capacity(2 * boxed.len());
    for entry in boxed {
        let first_strip = strip_of(entry.lower[1]);
        for strip in first_strip..=strip_of(entry.upper[1]) {
            swept.push(Swept {
                strip,
                first_strip,
                ..entry.clone()
            });
        }
    }
    swept.par_sort_unstable_by(|a, b| {
        (a.strip.cmp(&b.strip))
            .then(a.lower[0].total_cmp(&b.lower[0]))
            .then(a.triangle.cmp(&b.triangle))
    });
    swept
}

/// Whether the bodies of two triangles are tested against each other.
fn are_tested(surface: &CollisionSurface, first: u32, second: u32) -> bool {
    let [a, b] = [first, second].map(|triangle| {
        let corner = surface.triangles()[triangle as usize][0];
        surface.group()[corner as usize]
    });
    a == b || surface.bodies_may_touch(a, b)
}

/// Whether two different triangles intersect beyond their common points.
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

/// The corners of `triangle` that are also corners of `other`, and those that are not.
fn split(triangle: [u32; 3], other: [u32; 3]) -> (Few<u32, 3>, Few<u32, 3>) {
    let (mut common, mut own) = (Few::new(), Few::new());
    for point in triangle {
        if other.contains(&point) {
            common.push(point);
        } else {
            own.push(point);
        }
    }
    (common, own)
}
