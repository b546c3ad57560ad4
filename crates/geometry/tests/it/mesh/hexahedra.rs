//! Surfaces filled with hexahedra: upright elements, a manifold skin near the surface, and invalid surfaces.

use impinge_geometry::exact::surface_intersections;
use impinge_geometry::mesh::{
    HexahedralFilling, MeshError, StuffingError, StuffingOptions, TriangleMesh, generate,
    hexahedralize,
};
use impinge_geometry::surface::CollisionSurface;
use nalgebra::{Matrix3, Rotation3, Vector3};
use proptest::prelude::*;

/// Least volume that the edges at a corner span, over that of a cube: the bound of the method, with room for rounding.
const LEAST_CORNER: f64 = 0.2 - 1e-9;

fn options(size: f64) -> StuffingOptions {
    let mut options = StuffingOptions::new(size);
    options.volume_tolerance = f64::MAX;
    options
}

/// Each corner, and the ends of its edges in positive order.
const EDGES: [[usize; 4]; 8] = [
    [0, 1, 3, 4],
    [1, 2, 0, 5],
    [2, 3, 1, 6],
    [3, 0, 2, 7],
    [4, 7, 5, 0],
    [5, 4, 6, 1],
    [6, 5, 7, 2],
    [7, 6, 4, 3],
];

/// All guarantees of any result.
fn check(filling: &HexahedralFilling) {
    let HexahedralFilling {
        mesh,
        hexahedra,
        size,
        ..
    } = filling;
    assert_eq!(mesh.tets().len(), 6 * hexahedra.len());
    for corners in hexahedra {
        for [at, a, b, c] in EDGES {
            let place = |corner: usize| mesh.nodes()[corners[corner] as usize];
            let edges = [a, b, c].map(|end| place(end) - place(at));
            let volume = Matrix3::from_columns(&edges).determinant() / size.powi(3);
            assert!(volume > LEAST_CORNER, "{volume}");
        }
    }
    let skin = mesh.surface().expect("faces that fit");
    skin.check_closed().expect("a manifold skin");
    let collision = CollisionSurface::new(
        skin.triangles().to_vec(),
        mesh.nodes().len(),
        vec![0; mesh.nodes().len()],
        vec![false],
    );
    assert_eq!(surface_intersections(mesh.nodes(), &collision, 1), []);
}

#[test]
fn a_box_of_whole_cells_is_exact() {
    let cube = generate::cuboid_surface([1.0, 0.5, 0.25]).expect("a box");
    let filling = hexahedralize(&cube, &StuffingOptions::new(0.125)).expect("a filling");
    check(&filling);
    assert_eq!(filling.hexahedra.len(), 8 * 4 * 2);
    assert!((filling.mesh.volume() - 0.125).abs() < 1e-14);
}

#[test]
fn the_skin_of_a_ball_is_near_it() {
    let ball = generate::sphere_surface(0.5, 24).expect("a ball");
    let mut errors = Vec::new();
    for size in [0.2, 0.1, 0.05] {
        let filling = hexahedralize(&ball, &StuffingOptions::new(size)).expect("a filling");
        check(&filling);
        let skin = filling.mesh.surface().expect("faces that fit");
        let depth = |&node: &u32| (filling.mesh.nodes()[node as usize].norm() - 0.5).abs();
        let sum: f64 = skin.nodes().iter().map(depth).sum();
        errors.push([
            sum / skin.nodes().len() as f64 / size,
            (filling.part - 1.0).abs(),
        ]);
    }
    // Nodes of cubes alone would be 0.4 of their side away.
    assert!(
        errors.iter().all(|[distance, _]| *distance < 0.11),
        "{errors:?}"
    );
    assert!(
        errors.iter().all(|[_, volume]| *volume < 0.06),
        "{errors:?}"
    );
}

/// Two balls that nearly touch, and a plate thinner than the cubes.
#[test]
fn thin_places_are_manifold() {
    let ball = generate::sphere_surface(0.3, 12).expect("a ball");
    let vertices = ball.vertices().iter().copied();
    let shift = Vector3::new(0.43, 0.43, 0.02);
    let vertices = vertices.clone().chain(vertices.map(|v| v + shift));
    let count = ball.vertices().len() as u32;
    let second = ball.triangles().iter().map(|t| t.map(|v| v + count));
    let triangles = ball.triangles().iter().copied().chain(second);
    let two = TriangleMesh::new(vertices.collect(), triangles.collect()).expect("two balls");
    for size in [0.12, 0.08, 0.05] {
        check(&hexahedralize(&two, &options(size)).expect("a filling"));
    }
    for degrees in [0.0, 17.0, 30.0, 45.0] {
        let turn = Rotation3::from_euler_angles(f64::to_radians(degrees), 0.3, 0.1);
        let plate = generate::cuboid_surface([1.0, 0.8, 0.04]).expect("a plate");
        let turned = plate.map_vertices(|v| turn * v).expect("a plate");
        if let Ok(filling) = hexahedralize(&turned, &options(0.055)) {
            check(&filling);
        }
    }
}

#[test]
fn bad_surfaces_are_named() {
    let ball = generate::sphere_surface(0.5, 4).expect("a ball");
    let open = ball.triangles()[1..].to_vec();
    let open = TriangleMesh::new(ball.vertices().to_vec(), open).expect("an open ball");
    let error = hexahedralize(&open, &options(0.1)).expect_err("open");
    assert!(
        matches!(error, StuffingError::Surface(MeshError::OpenEdge { .. })),
        "{error}"
    );
    let error = hexahedralize(&ball, &StuffingOptions::new(2.0)).expect_err("too coarse");
    assert!(matches!(error, StuffingError::TooCoarse { .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Boxes, cylinders and balls in any place and orientation, down to sizes that hardly resolve them.
    #[test]
    fn any_shape_keeps_the_bounds(
        which in 0usize..3,
        angles in prop::array::uniform3(-3.0..3.0f64),
        shift in prop::array::uniform3(-10.0..10.0f64),
        size in 0.09..0.3f64,
    ) {
        let shape = match which {
            0 => generate::cuboid_surface([1.0, 0.8, 0.6]),
            1 => generate::cylinder_surface(0.5, 0.9, 24),
            _ => generate::sphere_surface(0.5, 6),
        }.expect("a shape");
        let turn = Rotation3::from_euler_angles(angles[0], angles[1], angles[2]);
        let shift = Vector3::from(shift);
        let placed = shape.map_vertices(|v| turn * v + shift).expect("a placed shape");
        check(&hexahedralize(&placed, &options(size)).expect("a filling"));
    }
}
