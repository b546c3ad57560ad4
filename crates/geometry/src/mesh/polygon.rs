//! Polygons cut into triangles.

use nalgebra::Vector3;
use robust::{Coord, orient2d};

/// Most corners of a polygon that is cut by ears, which takes quadratic time. Larger ones get a fan.
const MOST_CLIPPED_CORNERS: usize = 10_000;

/// Adds triangles that cover the polygon `corners`, wound as it is.
///
/// The polygon is projected along its area vector, so it need not be plane. If all triangles of the fan around its
/// first corner are wound alike, the fan is the answer; otherwise ears are cut. Corners on a straight line stay in the
/// outline. A polygon that crosses itself, has no area or refers to missing points is covered by a fan, whose defects
/// the mesh reports.
///
/// # Source
/// Meisters, "Polygons have ears", American Mathematical Monthly 82 (1975), <https://doi.org/10.2307/2319703>; differs
/// from it in: after an ear the next corner is skipped, for less slender triangles.
pub(crate) fn triangulate(points: &[Vector3<f64>], corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let outline = match corners {
        [] | [_] | [_, _] => return,
        &[a, b, c] => {
            triangles.push([a, b, c]);
            return;
        }
        _ => outline(points, corners),
    };
    let fan = |corners: &[u32], triangles: &mut Vec<[u32; 3]>| {
        triangles.extend(
            corners[1..]
                .array_windows::<2>()
                .map(|&[b, c]| [corners[0], b, c]),
        );
    };
    match outline {
        Some(outline) if !fan_is_sound(&outline) && corners.len() <= MOST_CLIPPED_CORNERS => {
            let rest = cut_ears(&outline, |ear| triangles.push(ear.map(|at| corners[at])));
            let rest: Vec<u32> = rest.into_iter().map(|at| corners[at]).collect();
            if rest.len() > 2 {
                fan(&rest, triangles);
            }
        }
        _ => fan(corners, triangles),
    }
}

/// The corners projected along the area vector, counterclockwise; `None` without area or with missing points.
///
/// Dropping a coordinate keeps the others exact.
fn outline(points: &[Vector3<f64>], corners: &[u32]) -> Option<Vec<Coord<f64>>> {
    let places: Vec<Vector3<f64>> = corners
        .iter()
        .map(|&corner| points.get(corner as usize).copied())
        .collect::<Option<_>>()?;
    let area_vector: Vector3<f64> = places[1..]
        .array_windows::<2>()
        .map(|[b, c]| (b - places[0]).cross(&(c - places[0])))
        .sum();
    let axis = area_vector.iamax();
    let (u, v) = if area_vector[axis] > 0.0 {
        ((axis + 1) % 3, (axis + 2) % 3)
    } else {
        ((axis + 2) % 3, (axis + 1) % 3)
    };
    // NaN counts as no area.
    (area_vector[axis].abs() > 0.0).then(|| {
        places
            .iter()
            .map(|place| Coord {
                x: place[u],
                y: place[v],
            })
            .collect()
    })
}

fn fan_is_sound(outline: &[Coord<f64>]) -> bool {
    outline[1..]
        .array_windows::<2>()
        .all(|&[b, c]| orient2d(outline[0], b, c) > 0.0)
}

/// Passes on ears, as positions in `outline`, until three corners remain or no ear is found; returns the remaining
/// corners.
fn cut_ears(outline: &[Coord<f64>], mut ear: impl FnMut([usize; 3])) -> Vec<usize> {
    let count = outline.len();
    let mut next: Vec<usize> = (0..count).map(|at| (at + 1) % count).collect();
    let mut previous: Vec<usize> = (0..count).map(|at| (at + count - 1) % count).collect();
    let (mut at, mut left, mut refused) = (0, count, 0);
    while left > 3 && refused < left {
        let (before, after) = (previous[at], next[at]);
        if is_ear(outline, &next, [before, at, after]) {
            ear([before, at, after]);
            (next[before], previous[after]) = (after, before);
            (left, refused) = (left - 1, 0);
            at = next[after];
        } else {
            refused += 1;
            at = after;
        }
    }
    std::iter::successors(Some(at), |&at| Some(next[at]))
        .take(left)
        .collect()
}

/// Whether no other corner lies in the triangle; corners that coincide with one of its ends may.
fn is_ear(outline: &[Coord<f64>], next: &[usize], [before, at, after]: [usize; 3]) -> bool {
    let [a, b, c] = [before, at, after].map(|at| outline[at]);
    if orient2d(a, b, c) <= 0.0 {
        return false;
    }
    let is_inside = |p: Coord<f64>| {
        orient2d(a, b, p) >= 0.0 && orient2d(b, c, p) >= 0.0 && orient2d(c, a, p) >= 0.0
    };
    std::iter::successors(Some(next[after]), |&at| Some(next[at]))
        .take_while(|&other| other != before)
        .map(|other| outline[other])
        .all(|p| p == a || p == c || !is_inside(p))
}
