//! Balls and spheres from the icosahedron.

use nalgebra::Vector3;

use super::lattice::Subdivision;
use super::{check_counts, check_lengths};
use crate::mesh::{MeshError, TetMesh, TriangleMesh, tet_volume};

/// A solid ball of `radius` (m) centred on the origin, with `20 subdivisions³` tetrahedra.
///
/// The twenty nearly regular tetrahedra between the centre and the faces of an icosahedron are subdivided and moved
/// along rays onto concentric spheres. Shapes stay good under refinement: the worst [quality](crate::mesh::tet_quality)
/// is above 0.5, all dihedral angles between 35° and 130°. All surface nodes lie on the sphere, so the volume is below
/// that of the exact ball, with a relative error of order `1/subdivisions²`.
///
/// # Errors
/// [`MeshError::Shape`] if the radius is not positive or `subdivisions` is zero.
pub fn sphere(radius: f64, subdivisions: usize) -> Result<TetMesh, MeshError> {
    check("sphere", radius, subdivisions)?;
    let (corners, faces) = icosahedron();
    // Coarse vertex 0 is the centre.
    let coarse: Vec<Vector3<f64>> = std::iter::once(Vector3::zeros()).chain(corners).collect();
    let mut subdivision = Subdivision::new(&coarse, subdivisions);
    let mut tets = Vec::with_capacity(20 * subdivisions.pow(3));
    for face in faces {
        let simplex = [0, face[0] + 1, face[1] + 1, face[2] + 1];
        tets.extend(subdivision.tets(simplex));
    }
    // The shell of a point is its largest distance along the face normals over the inradius: the scale of its
    // icosahedron.
    let normals = faces.map(|face| {
        face.iter()
            .map(|&corner| corners[corner as usize])
            .sum::<Vector3<f64>>()
    });
    let unit = normals[0].dot(&corners[faces[0][0] as usize]);
    let nodes: Vec<Vector3<f64>> = subdivision
        .points
        .iter()
        .map(|point| {
            let shell = normals
                .iter()
                .map(|normal| normal.dot(point))
                .fold(0.0, f64::max)
                / unit;
            // The shell is a whole number of layers; rounding it gives all nodes of a layer the same radius.
            let shell = (shell * subdivisions as f64).round() / subdivisions as f64;
            point
                .try_normalize(0.0)
                .map_or_else(Vector3::zeros, |direction| direction * (radius * shell))
        })
        .collect();
    // Ascending vertex order does not follow the winding of the faces; orientation does not depend on the position.
    for tet in &mut tets {
        if tet_volume(tet.map(|node| nodes[node as usize])) < 0.0 {
            tet.swap(2, 3);
        }
    }
    TetMesh::new(nodes, tets)
}

/// The surface of a ball of `radius` (m) centred on the origin: a geodesic sphere of `20 subdivisions²` triangles wound
/// outwards. It has the vertices of the surface of [`sphere`] with the same arguments.
///
/// # Errors
/// [`MeshError::Shape`] if the radius is not positive or `subdivisions` is zero.
pub fn sphere_surface(radius: f64, subdivisions: usize) -> Result<TriangleMesh, MeshError> {
    check("sphere surface", radius, subdivisions)?;
    let (corners, faces) = icosahedron();
    let mut subdivision = Subdivision::new(&corners, subdivisions);
    let mut triangles = Vec::with_capacity(20 * subdivisions.pow(2));
    for face in faces {
        triangles.extend(subdivision.triangles(face));
    }
    let vertices: Vec<Vector3<f64>> = subdivision
        .points
        .iter()
        .map(|point| point.normalize() * radius)
        .collect();
    for triangle in &mut triangles {
        let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize]);
        if (b - a).cross(&(c - a)).dot(&a) < 0.0 {
            triangle.swap(1, 2);
        }
    }
    TriangleMesh::new(vertices, triangles)
}

fn check(shape: &'static str, radius: f64, subdivisions: usize) -> Result<(), MeshError> {
    check_lengths(shape, &[("radius", radius)])?;
    check_counts(shape, &[("subdivisions", subdivisions, 1)])?;
    // The product form of twenty times the cube names the number to lower in the message.
    check_counts(
        shape,
        &[(
            "subdivisions",
            subdivisions.saturating_pow(3).saturating_mul(20),
            1,
        )],
    )
}

/// The regular icosahedron of circumradius 1: corners, and faces wound outwards.
fn icosahedron() -> ([Vector3<f64>; 12], [[u32; 3]; 20]) {
    let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
    let corners = [
        [-1.0, golden, 0.0],
        [1.0, golden, 0.0],
        [-1.0, -golden, 0.0],
        [1.0, -golden, 0.0],
        [0.0, -1.0, golden],
        [0.0, 1.0, golden],
        [0.0, -1.0, -golden],
        [0.0, 1.0, -golden],
        [golden, 0.0, -1.0],
        [golden, 0.0, 1.0],
        [-golden, 0.0, -1.0],
        [-golden, 0.0, 1.0],
    ]
    .map(|corner| Vector3::from(corner).normalize());
    let faces = [
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    (corners, faces)
}
