//! Surfaces filled with tetrahedra: angles, volume, topology, and every kind of invalid surface.

use std::f64::consts::PI;

use impinge_geometry::exact::surface_intersections;
use impinge_geometry::mesh::{
    MeshError, StuffingError, StuffingOptions, StuffingReport, TetMesh, TriangleMesh, generate,
    tetrahedralize,
};
use impinge_geometry::surface::CollisionSurface;
use nalgebra::{Rotation3, Vector3};
use proptest::prelude::*;

/// The bounds of the method: the paper proves 10.7° and 164.8° for its own tie rules. The bounds here are a little
/// wider, as points may be warped in ways that no smooth surface causes.
const LEAST_ANGLE: f64 = 9.0;
const LARGEST_ANGLE: f64 = 165.0;

fn fill(surface: &TriangleMesh, size: f64) -> Result<(TetMesh, StuffingReport), StuffingError> {
    tetrahedralize(surface, &StuffingOptions::new(size))
}

/// Options that accept any loss of volume: the remaining mesh must be valid.
fn any_volume(size: f64) -> StuffingOptions {
    let mut options = StuffingOptions::new(size);
    options.volume_tolerance = f64::MAX;
    options
}

/// All guarantees of any result.
fn check(surface: &TriangleMesh, mesh: &TetMesh, report: &StuffingReport) {
    let [least, largest] = report.dihedral;
    assert!(
        least > LEAST_ANGLE && largest < LARGEST_ANGLE,
        "angles {least} to {largest}"
    );
    assert!((mesh.volume() - report.volume).abs() <= 1e-12 * report.volume);
    let skin = mesh.surface().expect("faces that fit");
    skin.check_closed().expect("a manifold skin");
    // The checks of the simulator at the start.
    let collision = CollisionSurface::new(
        skin.triangles().to_vec(),
        mesh.nodes().len(),
        vec![0; mesh.nodes().len()],
        vec![false],
    );
    assert_eq!(
        surface_intersections(mesh.nodes(), &collision, 1),
        [],
        "the skin meets itself"
    );
    // No node is outside of the bounding box of the surface.
    let box_of = |points: &[Vector3<f64>]| {
        points
            .iter()
            .fold((points[0], points[0]), |(lower, upper), p| {
                (lower.inf(p), upper.sup(p))
            })
    };
    let (outer, inner) = (box_of(surface.vertices()), box_of(mesh.nodes()));
    let slack = 1e-12 * (outer.1 - outer.0).norm();
    for axis in 0..3 {
        assert!(inner.0[axis] >= outer.0[axis] - slack && inner.1[axis] <= outer.1[axis] + slack);
    }
}

#[test]
fn a_ball_keeps_its_volume_and_its_nodes_lie_on_it() {
    let ball = generate::sphere_surface(0.5, 24).unwrap();
    let mut errors = Vec::new();
    for size in [0.2, 0.1, 0.05] {
        let (mesh, report) = fill(&ball, size).unwrap();
        check(&ball, &mesh, &report);
        assert_eq!((report.parts, report.removed), (1, 0));
        errors.push(1.0 - report.volume / report.surface_volume);
    }
    // Chords of a sphere: an error of second order.
    assert!(
        errors[0] < 0.06 && errors[1] < 0.0125 && errors[2] < 0.003,
        "{errors:?}"
    );
    assert!(errors.iter().all(|&error| error > 0.0), "{errors:?}");
}

#[test]
fn a_box_of_whole_cells_is_exact() {
    let cube = generate::cuboid_surface([1.0, 0.5, 0.25]).unwrap();
    let (mesh, report) = fill(&cube, 0.125).unwrap();
    check(&cube, &mesh, &report);
    assert!((mesh.volume() - 0.125).abs() < 1e-14, "{}", mesh.volume());
    assert_eq!(report.constant.to_bits(), 0.125_f64.to_bits());
    // The corners are nodes.
    let corner = Vector3::new(0.5, -0.25, 0.125);
    assert!(
        mesh.nodes()
            .iter()
            .any(|node| (node - corner).norm() < 1e-15)
    );
}

#[test]
fn threads_do_not_change_a_mesh() {
    let ball = generate::sphere_surface(0.5, 8).unwrap();
    let run = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| fill(&ball, 0.08).unwrap().0)
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(7));
}

/// Two surfaces as one mesh.
fn union(first: &TriangleMesh, second: &TriangleMesh) -> TriangleMesh {
    let shift = first.vertices().len() as u32;
    let mut vertices = first.vertices().to_vec();
    vertices.extend(second.vertices());
    let mut triangles = first.triangles().to_vec();
    triangles.extend(second.triangles().iter().map(|t| t.map(|v| v + shift)));
    TriangleMesh::new(vertices, triangles).expect("two sound meshes")
}

#[test]
fn parts_and_cavities() {
    let ball = generate::sphere_surface(0.5, 12).unwrap();
    let small = generate::sphere_surface(0.25, 8).unwrap();
    let beside = small
        .map_vertices(|v| v + Vector3::new(1.0, 0.0, 0.0))
        .unwrap();
    let two = union(&ball, &beside);
    let (mesh, report) = fill(&two, 0.06).unwrap();
    check(&two, &mesh, &report);
    assert_eq!((report.surface_parts, report.parts), (2, 2));

    let hollow = union(&ball, &small.reversed());
    let (mesh, report) = fill(&hollow, 0.06).unwrap();
    check(&hollow, &mesh, &report);
    assert_eq!((report.surface_parts, report.parts), (2, 1));
    let exact = 4.0 / 3.0 * PI * (0.125 - 0.015_625);
    assert!(
        (mesh.volume() / exact - 1.0).abs() < 0.02,
        "{}",
        mesh.volume()
    );
}

#[test]
fn bad_surfaces_are_named() {
    let ball = generate::sphere_surface(0.5, 6).unwrap();
    let small = generate::sphere_surface(0.25, 6).unwrap();

    let error = fill(&ball.reversed(), 0.1).unwrap_err();
    assert!(
        matches!(
            error,
            StuffingError::Surface(MeshError::WoundInwards { .. })
        ),
        "{error}"
    );

    // A shell in a shell of the same winding, and a separate inverted part.
    let first_of_second = ball.triangles().len() as u32;
    for second in [
        small.clone(),
        small.map_vertices(|v| v + Vector3::x()).unwrap().reversed(),
    ] {
        let error = fill(&union(&ball, &second), 0.1).unwrap_err();
        assert!(
            matches!(error, StuffingError::Nested { triangle, .. } if triangle >= first_of_second),
            "{error}"
        );
    }

    let overlapping = union(
        &ball,
        &small
            .map_vertices(|v| v + Vector3::new(0.45, 0.0, 0.0))
            .unwrap(),
    );
    let error = fill(&overlapping, 0.1).unwrap_err();
    assert!(
        matches!(
            error,
            StuffingError::SelfIntersection { triangles: [a, b], .. }
                if a < first_of_second && b >= first_of_second
        ),
        "{error}"
    );

    let open = TriangleMesh::new(ball.vertices().to_vec(), ball.triangles()[1..].to_vec()).unwrap();
    let error = fill(&open, 0.1).unwrap_err();
    assert!(
        matches!(error, StuffingError::Surface(MeshError::OpenEdge { .. })),
        "{error}"
    );

    let mut flipped = ball.triangles().to_vec();
    flipped[7].swap(0, 1);
    let flipped = TriangleMesh::new(ball.vertices().to_vec(), flipped).unwrap();
    let error = fill(&flipped, 0.1).unwrap_err();
    assert!(
        matches!(
            error,
            StuffingError::Surface(MeshError::InconsistentWinding { .. })
        ),
        "{error}"
    );
}

#[test]
fn bad_sizes_are_named() {
    let ball = generate::sphere_surface(0.5, 6).unwrap();
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(
            matches!(fill(&ball, size), Err(StuffingError::Option { .. })),
            "{size}"
        );
    }
    for size in [1e-3, 1e-9, 1e-300, f64::MIN_POSITIVE] {
        let error = fill(&ball, size).unwrap_err();
        assert!(
            matches!(
                error,
                StuffingError::TooFine { .. } | StuffingError::TooFineForCoordinates { .. }
            ),
            "{error}"
        );
    }
    let error = fill(&ball, 1e30).unwrap_err();
    assert!(matches!(error, StuffingError::TooCoarse { .. }), "{error}");
    let far = ball.map_vertices(|v| v + Vector3::repeat(1e12)).unwrap();
    let error = fill(&far, 0.1).unwrap_err();
    assert!(
        matches!(error, StuffingError::TooFineForCoordinates { .. }),
        "{error}"
    );
    // The size recommended by a message works.
    let mut options = StuffingOptions::new(0.01);
    options.most_tets = 10_000;
    let Err(StuffingError::TooFine { coarser, .. }) = tetrahedralize(&ball, &options) else {
        panic!("{options:?} is not too fine");
    };
    options.size = coarser;
    let (mesh, _) = tetrahedralize(&ball, &options).unwrap();
    assert!(mesh.tets().len() < 14_000);
}

#[test]
fn huge_and_tiny_shapes() {
    for scale in [1e30, 1e-20] {
        let ball = generate::sphere_surface(0.5, 8)
            .unwrap()
            .map_vertices(|v| v * scale)
            .unwrap();
        let (mesh, report) = fill(&ball, 0.1 * scale).unwrap();
        check(&ball, &mesh, &report);
    }
}

/// A plate of `n` by `n` bumps, so thin that the lattice tears it in some places.
fn thin_plate(n: usize, thickness: f64, turn: Rotation3<f64>) -> TriangleMesh {
    let plate = generate::sheet([1.0, 1.0], thickness, [n, n]).expect("a plate");
    let skin = plate
        .surface()
        .and_then(|skin| skin.to_triangle_mesh(&plate))
        .expect("its skin");
    skin.map_vertices(|v| turn * Vector3::new(v.x, v.y, v.z + 0.05 * (9.0 * v.x).sin()))
        .expect("a bent plate")
}

#[test]
fn torn_plates_are_still_manifold() {
    let mut removed = 0;
    for degrees in [0.0, 17.0, 30.0, 45.0] {
        let turn = Rotation3::from_euler_angles(f64::to_radians(degrees), 0.3, 0.1);
        let plate = thin_plate(20, 0.04, turn);
        let options = any_volume(0.055);
        let (mesh, report) = tetrahedralize(&plate, &options).unwrap();
        check(&plate, &mesh, &report);
        removed += report.removed;
    }
    // Otherwise the test is void.
    assert!(removed > 0);
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
        }.unwrap();
        let turn = Rotation3::from_euler_angles(angles[0], angles[1], angles[2]);
        let placed = shape.map_vertices(|v| turn * v + Vector3::from(shift)).unwrap();
        let options = any_volume(size);
        let (mesh, report) = tetrahedralize(&placed, &options).unwrap();
        check(&placed, &mesh, &report);
    }
}
