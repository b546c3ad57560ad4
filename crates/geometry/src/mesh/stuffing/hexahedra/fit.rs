//! Moves the outer nodes of a set of cubes onto the surface.

use nalgebra::{Matrix3, Vector3};
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

use super::super::cuts::boxed;
use super::super::lattice::Lattice;
use crate::distance::point_triangle;
use crate::mesh::{TriangleMesh, hexahedron_tets, tet_volume};

/// Longest way of a node over the side of the cubes (1), 0 to 0.5: from one half on, cubes without a common corner
/// could meet.
const LONGEST_WAY: f64 = 0.45;

/// Least volume that a corner of a hexahedron spans, and a tetrahedron of it has, over that of a cube's (1), 0.05 to
/// 0.5. Any value above 0 keeps all of them upright; a larger one leaves more steps of the cubes in the surface.
const LEAST_VOLUME: f64 = 0.2;

/// Parts of the way to the surface, of which a node takes the first that its hexahedra allow.
const PARTS: [f64; 4] = [1.0, 0.75, 0.5, 0.25];

/// Rounds over all nodes, 1 to 10: a node can move on after its neighbours moved. Each round costs the same.
const ROUNDS: usize = 4;

/// Positions of the nodes: those inside on their lattice points, those outside on the surface or as near as allowed.
pub(super) fn fit(
    surface: &TriangleMesh,
    lattice: &Lattice,
    hexahedra: &[[u32; 8]],
    points: &[u32],
) -> Vec<Vector3<f64>> {
    let rest: Vec<Vector3<f64>> = points.iter().map(|&p| lattice.position(p)).collect();
    let mut nodes = rest.clone();
    let mut around = vec![Vec::new(); nodes.len()];
    for (index, corners) in (0u32..).zip(hexahedra) {
        for &corner in corners {
            around[corner as usize].push(index);
        }
    }
    let size = lattice.constant;
    let boxes = (0..surface.triangles().len())
        .map(|triangle| boxed(&surface.corners(triangle)))
        .enumerate();
    let tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes);
    for _ in 0..ROUNDS {
        for node in 0..nodes.len() {
            // Eight cubes surround an inner node.
            if around[node].len() == 8 {
                continue;
            }
            let from = nodes[node];
            let Some(target) = nearest(surface, &tree, &from, size) else {
                continue;
            };
            let way = (target - rest[node]).cap_magnitude(LONGEST_WAY * size) + rest[node] - from;
            for part in PARTS {
                nodes[node] = from + way * part;
                let mut touched = around[node].iter().map(|&index| &hexahedra[index as usize]);
                if touched.all(|corners| is_upright(&nodes, corners, size)) {
                    break;
                }
                nodes[node] = from;
            }
        }
    }
    nodes
}

/// The point of a surface nearest to `x`, if it is nearer than `reach` (m) along every axis.
fn nearest(
    surface: &TriangleMesh,
    tree: &Bvh,
    x: &Vector3<f64>,
    reach: f64,
) -> Option<Vector3<f64>> {
    let reach = Vector3::repeat(reach);
    let near = boxed(&[x - reach, x + reach]);
    let nearest = (tree.intersect_aabb(&near))
        .map(|triangle| {
            let corners = surface.corners(triangle as usize);
            (point_triangle(x, &corners), triangle, corners)
        })
        .min_by(|(a, first, _), (b, second, _)| {
            let by_distance = a.distance_squared.total_cmp(&b.distance_squared);
            by_distance.then(first.cmp(second))
        });
    nearest.map(|(closest, _, corners)| {
        let [a, b, c] = closest.barycentric;
        corners[0] * a + corners[1] * b + corners[2] * c
    })
}

/// Whether all corners and all tetrahedra of a hexahedron are upright, and none of them is flat.
fn is_upright(nodes: &[Vector3<f64>], corners: &[u32; 8], size: f64) -> bool {
    let least = LEAST_VOLUME * size.powi(3);
    let place = |corner: usize| nodes[corners[corner] as usize];
    let spans = |corner: usize| {
        // The next and the last around the same side, and the one above or below.
        let side = corner & 4;
        let next = side + (corner + 1) % 4;
        let last = side + (corner + 3) % 4;
        let edges = [next, last, corner ^ 4].map(|other| place(other) - place(corner));
        let volume = Matrix3::from_columns(&edges).determinant();
        if side == 0 { volume } else { -volume }
    };
    let tets = hexahedron_tets(corners);
    let mut volumes = tets
        .iter()
        .map(|tet| tet_volume(tet.map(|node| nodes[node as usize])));
    (0..8).all(|corner| spans(corner) >= least) && volumes.all(|volume| 6.0 * volume >= least)
}
