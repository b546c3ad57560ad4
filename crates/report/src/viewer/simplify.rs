//! A surface with fewer triangles for display: vertices that share a cell of a grid are merged.
//!
//! Source: Rossignac & Borrel 1993, "Multi-resolution 3D approximations for rendering complex scenes",
//! <https://doi.org/10.1007/978-3-642-78114-8_29>; differs from it in: each body has its own grid, as fine as its share
//! of the triangles allows, and the vertex nearest to the mean of a cluster represents it, so that it moves with the
//! body.

use std::collections::BTreeMap;

use nalgebra::Vector3;

/// A triangle of points, and its body.
pub(super) type Face = ([u32; 3], usize);

/// Growth of the cells from one attempt to the next.
const GROWTH: f64 = 1.15;

/// `faces` with at most `most` triangles, on some of the same points; each body keeps its share of them.
///
/// `positions` (m) decide the cells. Bodies smaller than one of their cells vanish; they have fewer than a dozen
/// triangles as their share.
pub(super) fn simplify(positions: &[Vector3<f64>], faces: &[Face], most: usize) -> Vec<Face> {
    if faces.len() <= most {
        return faces.to_vec();
    }
    let share = most as f64 / faces.len() as f64;
    let mut bodies: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for &(corners, body) in faces {
        let [a, b, c] = corners.map(|point| positions[point as usize]);
        let (area, count) = bodies.entry(body).or_default();
        *area += 0.5 * (b - a).cross(&(c - a)).norm();
        *count += 1.0;
    }
    // A surface meets some 3/2 cells per area of a cell face, and has two triangles per vertex.
    let mut cells: BTreeMap<usize, f64> = bodies
        .into_iter()
        .map(|(body, (area, count))| (body, (3.0 * area / (share * count)).sqrt()))
        .collect();
    loop {
        let simple = cluster(positions, faces, &cells);
        if simple.len() <= most {
            return simple;
        }
        for cell in cells.values_mut() {
            *cell *= GROWTH;
        }
    }
}

/// `faces` between the clusters of cells of the given length (m) for each body; collapsed triangles are dropped.
fn cluster(positions: &[Vector3<f64>], faces: &[Face], cells: &BTreeMap<usize, f64>) -> Vec<Face> {
    let mut members: Vec<((usize, [i64; 3]), u32)> = faces
        .iter()
        .flat_map(|&(corners, body)| {
            let length = cells[&body];
            corners.map(|point| {
                let x = positions[point as usize] / length;
                let cell = [x.x, x.y, x.z].map(|x| x.floor() as i64);
                ((body, cell), point)
            })
        })
        .collect();
    members.sort_unstable();
    members.dedup();

    let mut stands_for = vec![u32::MAX; positions.len()];
    for group in members.chunk_by(|a, b| a.0 == b.0) {
        let at = |point: u32| positions[point as usize];
        let mean = group.iter().map(|m| at(m.1)).sum::<Vector3<f64>>() / group.len() as f64;
        let distance = |point: u32| (at(point) - mean).norm_squared();
        let nearest = group
            .iter()
            .map(|member| member.1)
            .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
            .unwrap_or(group[0].1);
        for member in group {
            stands_for[member.1 as usize] = nearest;
        }
    }

    let mut simple: Vec<Face> = faces
        .iter()
        .filter_map(|&(corners, body)| {
            let mut corners = corners.map(|point| stands_for[point as usize]);
            let [a, b, c] = corners;
            if a == b || b == c || c == a {
                return None;
            }
            // A canonical first corner, so that equal triangles compare equal; the winding stays.
            let first = (0..3).min_by_key(|&i| corners[i]).unwrap_or(0);
            corners.rotate_left(first);
            Some((corners, body))
        })
        .collect();
    simple.sort_unstable();
    simple.dedup();
    simple
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of `n × n` squares in the plane, two triangles each, of side 1.
    fn sheet(n: u32) -> (Vec<Vector3<f64>>, Vec<Face>) {
        let at = |i: u32, j: u32| i * (n + 1) + j;
        let points = (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j)));
        let positions = points
            .map(|(i, j)| Vector3::new(f64::from(i), f64::from(j), 0.0) / f64::from(n))
            .collect();
        let squares = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let faces = squares
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                [([a, b, c], 0), ([a, c, d], 0)]
            })
            .collect();
        (positions, faces)
    }

    fn area(positions: &[Vector3<f64>], faces: &[Face]) -> Vector3<f64> {
        faces
            .iter()
            .map(|(corners, _)| {
                let [a, b, c] = corners.map(|point| positions[point as usize]);
                0.5 * (b - a).cross(&(c - a))
            })
            .sum()
    }

    #[test]
    fn few_triangles_are_left_alone() {
        let (positions, faces) = sheet(4);
        assert_eq!(simplify(&positions, &faces, 32), faces);
    }

    #[test]
    fn a_simpler_sheet_has_the_same_area_and_faces_the_same_way() {
        let (positions, faces) = sheet(60);
        let simple = simplify(&positions, &faces, 800);
        assert!(
            simple.len() <= 800 && simple.len() > 200,
            "{}",
            simple.len()
        );
        // Its rim moves inwards by half a cell at most: some 1/20 of its side.
        let z = area(&positions, &simple).z;
        assert!(z > 0.8 && z < 1.0 + 1e-9, "{z}");
    }

    #[test]
    fn bodies_keep_their_share() {
        let (mut positions, mut faces) = sheet(40);
        let count = positions.len() as u32;
        let (small, more) = sheet(20);
        positions.extend(small.iter().map(|x| 0.01 * x));
        faces.extend(
            more.iter()
                .map(|(corners, _)| (corners.map(|p| p + count), 1)),
        );
        let simple = simplify(&positions, &faces, 1000);
        let second = simple.iter().filter(|(_, body)| *body == 1).count();
        assert!(
            second * 3 > simple.len() / 2 && second * 3 < simple.len() * 2,
            "{second}"
        );
    }
}
