//! Polygons of surface files: concave, nonplanar and invalid ones.

use impinge_geometry::TriangleMesh;
use impinge_geometry::io::read_triangle_mesh;
use impinge_geometry::mesh::triangle_area;
use nalgebra::Vector3;
use std::fmt::Write;

use super::file;

fn polygon(corners: &[[f64; 3]]) -> TriangleMesh {
    let mut text = String::new();
    for [x, y, z] in corners {
        writeln!(text, "v {x} {y} {z}").expect("memory");
    }
    text.push('f');
    for corner in 1..=corners.len() {
        write!(text, " {corner}").expect("memory");
    }
    let (_folder, path) = file("a.obj", text);
    read_triangle_mesh(path).expect("triangles")
}

/// The triangles cover the polygon once: two fewer than its corners, areas that add up, all wound like it.
fn check(corners: &[[f64; 3]], area: f64) {
    for start in 0..corners.len() {
        let mut turned = corners.to_vec();
        turned.rotate_left(start);
        for reversed in [false, true] {
            if reversed {
                turned.reverse();
            }
            let mesh = polygon(&turned);
            assert_eq!(mesh.triangles().len(), corners.len() - 2);
            let sum: f64 = (0..mesh.triangles().len())
                .map(|triangle| triangle_area(mesh.corners(triangle)))
                .sum();
            assert!((sum - area).abs() < 1e-12 * area, "{sum} for {area}");
            let vector: Vector3<f64> = (0..mesh.triangles().len())
                .map(|triangle| {
                    let [a, b, c] = mesh.corners(triangle);
                    0.5 * (b - a).cross(&(c - a))
                })
                .sum();
            assert!((vector.norm() - area).abs() < 1e-12 * area);
        }
    }
}

#[test]
fn concave_polygons_are_covered_once() {
    // A pentagon with a notch, an arrow, a letter U and a saw, in three planes.
    let notch = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 0.2], [0.0, 1.0]];
    let arrow = [[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [0.5, 1.0]];
    let u = [
        [0.0, 0.0],
        [3.0, 0.0],
        [3.0, 3.0],
        [2.0, 3.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 3.0],
        [0.0, 3.0],
    ];
    let mut saw = vec![[0.0, 0.0], [20.0, 0.0]];
    saw.extend(
        (0..20)
            .rev()
            .flat_map(|tooth| [[f64::from(tooth) + 1.0, 5.0], [f64::from(tooth) + 0.5, 1.0]]),
    );
    saw.push([0.0, 5.0]);
    for (shape, area) in [(&notch[..], 1.2), (&arrow, 1.5), (&u, 7.0), (&saw, 60.0)] {
        for place in 0..3 {
            let corners: Vec<[f64; 3]> = shape
                .iter()
                .map(|&[x, y]| {
                    let mut corner = [x, y, 0.0];
                    corner.rotate_left(place);
                    corner
                })
                .collect();
            check(&corners, area);
        }
    }
}

#[test]
fn corners_on_a_straight_side_stay_in_the_outline() {
    check(
        &[
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [2.0, 0.0, 0.0],
            [1.0, 1.0, 0.0],
        ],
        1.0,
    );
}

/// Four corners that lie in no plane, one of them reentrant.
#[test]
fn bent_polygons_are_cut_where_they_are_concave() {
    let mesh = polygon(&[
        [0.0, 0.0, 0.0],
        [0.4, 0.4, 0.1],
        [1.0, 0.0, 0.0],
        [0.4, 2.0, 0.3],
    ]);
    // The diagonal from the reentrant corner, not the one outside of the polygon.
    assert!(
        mesh.triangles()
            .iter()
            .all(|corners| corners.contains(&1) && corners.contains(&3))
    );
}
