//! Counts, volumes, closedness and element quality of the procedural shapes.

use std::f64::consts::{PI, TAU};

use impinge_geometry::MeshError;
use impinge_geometry::mesh::generate::{
    RingShape, SolidTorusShape, TorusShape, VoussoirShape, cuboid, cuboid_surface, cylinder,
    cylinder_surface, ring, sheet, sphere, sphere_surface, torus, torus_surface, voussoir,
};
use impinge_geometry::mesh::{MeshSummary, TetMesh};
use nalgebra::Vector3;
use proptest::prelude::*;

/// Relative rounding allowed for sums of some thousand terms.
const ROUNDING: f64 = 1e-12;

fn summary(mesh: &TetMesh) -> MeshSummary {
    let summary = MeshSummary::of_solid(mesh).expect("a generated mesh has a surface");
    assert_eq!(summary.surface_defect, None);
    assert_eq!(summary.parts, 1);
    summary
}

fn close(value: f64, expected: f64) -> bool {
    (value / expected - 1.0).abs() < ROUNDING
}

/// Smallest and largest dihedral angle in degrees.
fn dihedral_range(mesh: &TetMesh) -> (f64, f64) {
    let mut range = (180.0_f64, 0.0_f64);
    for tet in 0..mesh.tets().len() {
        let p = mesh.corners(tet);
        for [a, b, c, d] in [
            [0, 1, 2, 3],
            [0, 2, 1, 3],
            [0, 3, 1, 2],
            [1, 2, 0, 3],
            [1, 3, 0, 2],
            [2, 3, 0, 1],
        ] {
            let axis = (p[b] - p[a]).normalize();
            let across = |q: Vector3<f64>| (q - p[a]) - axis * axis.dot(&(q - p[a]));
            let angle = across(p[c]).angle(&across(p[d])).to_degrees();
            range = (range.0.min(angle), range.1.max(angle));
        }
    }
    range
}

#[test]
fn the_ring_has_the_counts_of_the_paper() {
    let shape = RingShape {
        major_radius: 1.0,
        section: 0.25,
        segments: 18,
    };
    let mesh = ring(shape).unwrap();
    let summary = summary(&mesh);
    assert_eq!((mesh.nodes().len(), mesh.tets().len()), (72, 108));
    assert_eq!(
        (
            summary.triangles,
            summary.edges,
            summary.euler_characteristic
        ),
        (144, 216, 0)
    );
    // Polygonal torus: section times the mean derivative of the polygon's area, i.e. s·(A(R+s/2) − A(R−s/2)).
    let polygon = |radius: f64| 9.0 * radius * radius * (TAU / 18.0).sin();
    assert!(close(
        mesh.volume(),
        0.25 * (polygon(1.125) - polygon(0.875))
    ));
    // All nodes lie on the surface.
    assert_eq!(mesh.surface().unwrap().nodes().len(), 72);
}

#[test]
fn the_ring_turns_into_itself() {
    // The Kuhn cut is the same in every segment, so a rotation by one segment maps surface triangles to surface
    // triangles.
    let mesh = ring(RingShape {
        major_radius: 1.0,
        section: 0.5,
        segments: 18,
    })
    .unwrap();
    let sorted = |turn: u32| {
        let mut tets: Vec<[u32; 4]> = mesh
            .tets()
            .iter()
            .map(|tet| {
                let mut tet = tet.map(|node| (node + 4 * turn) % 72);
                tet.sort_unstable();
                tet
            })
            .collect();
        tets.sort_unstable();
        tets
    };
    assert_eq!(sorted(0), sorted(1));
}

#[test]
fn cuboid_and_sheet() {
    let mesh = cuboid([1.0, 2.0, 3.0], [2, 3, 4]).unwrap();
    let box_summary = summary(&mesh);
    assert_eq!((mesh.nodes().len(), mesh.tets().len()), (60, 144));
    assert_eq!(box_summary.triangles, 4 * (2 * 3 + 3 * 4 + 4 * 2));
    assert_eq!(box_summary.euler_characteristic, 2);
    assert!(close(mesh.volume(), 6.0));
    assert_eq!(box_summary.lower, -box_summary.upper);
    assert_eq!(box_summary.upper, Vector3::new(0.5, 1.0, 1.5));
    assert_eq!(
        mesh,
        cuboid(Vector3::new(1.0, 2.0, 3.0), [2, 3, 4]).unwrap()
    );

    let mesh = sheet([1.0, 2.0], 0.01, [4, 8]).unwrap();
    assert_eq!((mesh.nodes().len(), mesh.tets().len()), (90, 192));
    assert!(close(mesh.volume(), 0.02));
    assert!(close(summary(&mesh).upper.z, 0.005));
}

#[test]
fn the_ball_converges_and_keeps_its_shape() {
    let mut last_error = f64::INFINITY;
    for subdivisions in 1..=12 {
        let mesh = sphere(2.0, subdivisions).unwrap();
        let summary = summary(&mesh);
        assert_eq!(mesh.tets().len(), 20 * subdivisions.pow(3));
        assert_eq!(summary.triangles, 20 * subdivisions.pow(2));
        assert_eq!(summary.euler_characteristic, 2);
        let exact = 4.0 / 3.0 * PI * 8.0;
        let error = 1.0 - mesh.volume() / exact;
        assert!(error > 0.0 && error < last_error);
        // The product with the square rises to 0.555.
        assert!(error < 0.56 / (subdivisions * subdivisions) as f64);
        last_error = error;

        let quality = summary.solid.unwrap().worst_quality;
        let (smallest, largest) = dihedral_range(&mesh);
        assert!(quality > 0.5, "{subdivisions}: quality {quality}");
        assert!(
            smallest > 35.0 && largest < 130.0,
            "{subdivisions}: angles {smallest} to {largest}"
        );
        for &node in mesh.surface().unwrap().nodes() {
            assert!(close(mesh.nodes()[node as usize].norm(), 2.0));
        }
    }
}

#[test]
fn the_sphere_is_the_surface_of_the_ball() {
    for subdivisions in [1, 2, 5] {
        let shell = sphere_surface(1.5, subdivisions).unwrap();
        shell.check_closed_outwards().unwrap();
        assert_eq!(shell.triangles().len(), 20 * subdivisions.pow(2));
        assert_eq!(shell.vertices().len(), 10 * subdivisions.pow(2) + 2);
        let ball = sphere(1.5, subdivisions).unwrap();
        let skin = ball.surface().unwrap().to_triangle_mesh(&ball).unwrap();
        assert!(close(shell.signed_volume(), skin.signed_volume()));
    }
}

#[test]
fn the_cylinder() {
    for (rings, layers) in [(1, 1), (2, 3), (4, 2), (7, 1)] {
        let mesh = cylinder(0.5, 2.0, rings, layers).unwrap();
        let summary = summary(&mesh);
        assert_eq!(mesh.tets().len(), 18 * rings * rings * layers);
        assert_eq!(
            mesh.nodes().len(),
            (1 + 3 * rings * (rings + 1)) * (layers + 1)
        );
        assert_eq!(summary.euler_characteristic, 2);
        // A prism over a regular polygon of 6 rings sides.
        let sides = (6 * rings) as f64;
        assert!(close(
            mesh.volume(),
            2.0 * 0.5 * sides * 0.25 * (TAU / sides).sin()
        ));
    }
    let (smallest, largest) = dihedral_range(&cylinder(1.0, 2.0, 6, 12).unwrap());
    assert!(
        smallest > 25.0 && largest < 135.0,
        "angles {smallest} to {largest}"
    );

    let shell = cylinder_surface(0.5, 2.0, 12).unwrap();
    shell.check_closed_outwards().unwrap();
    assert!(close(
        shell.signed_volume(),
        2.0 * 0.5 * 12.0 * 0.25 * (TAU / 12.0).sin()
    ));
}

#[test]
fn box_surface() {
    let shell = cuboid_surface([1.0, 2.0, 3.0]).unwrap();
    shell.check_closed_outwards().unwrap();
    assert_eq!((shell.vertices().len(), shell.triangles().len()), (8, 12));
    assert!(close(shell.signed_volume(), 6.0));
}

#[test]
fn impossible_shapes_are_refused() {
    let shape_error = |result: Result<TetMesh, MeshError>, part: &str| {
        let message = result.expect_err("must be refused").to_string();
        assert!(message.contains(part), "{message}");
    };
    shape_error(cuboid([1.0, -1.0, 1.0], [1, 1, 1]), "size[1] is -1 m");
    shape_error(cuboid([1.0, 1.0, 1.0], [1, 0, 1]), "cells[1] is 0");
    shape_error(cuboid([1.0, 1.0, 1.0], [usize::MAX, 2, 1]), "more than");
    shape_error(sphere(f64::NAN, 2), "radius is NaN");
    shape_error(sphere(1.0, 0), "subdivisions is 0");
    shape_error(sphere(1.0, 1 << 40), "subdivisions");
    shape_error(sheet([1.0, 1.0], 0.0, [1, 1]), "thickness");
    shape_error(cylinder(1.0, f64::INFINITY, 1, 1), "height");
    shape_error(cylinder(1.0, 1.0, usize::MAX, 1), "rings");
    shape_error(
        ring(RingShape {
            major_radius: 1.0,
            section: 2.0,
            segments: 18,
        }),
        "reaches the axis",
    );
    shape_error(
        ring(RingShape {
            major_radius: 1.0,
            section: 0.1,
            segments: 2,
        }),
        "segments is 2",
    );
    assert!(cylinder_surface(1.0, 1.0, 2).is_err());
    assert!(cuboid_surface([0.0, 1.0, 1.0]).is_err());
}

proptest! {
    #[test]
    fn any_box_is_closed_and_full(
        size in prop::array::uniform3(1e-3..1e3f64),
        cells in prop::array::uniform3(1usize..5),
    ) {
        let mesh = cuboid(size, cells).unwrap();
        prop_assert!(close(mesh.volume(), size.iter().product()));
        prop_assert_eq!(summary(&mesh).euler_characteristic, 2);
    }

    #[test]
    fn any_ring_is_a_torus(thickness in 0.01..1.9f64, segments in 3usize..40) {
        let mesh = ring(RingShape { major_radius: 1.0, section: thickness, segments }).unwrap();
        prop_assert_eq!(summary(&mesh).euler_characteristic, 0);
        prop_assert_eq!(mesh.tets().len(), 6 * segments);
    }
}

/// The volume of the polygonal torus tends to `2π² R r²`, its topology is that of a torus, and its vertices lie on the
/// true torus.
#[test]
fn the_torus_is_closed_and_on_the_torus() {
    let volume = |n: usize| {
        let shape = TorusShape {
            major_radius: 0.3,
            minor_radius: 0.1,
            sides: 2 * n,
            tube_sides: n,
        };
        let mesh = torus_surface(shape).unwrap();
        mesh.check_closed_outwards().unwrap();
        // Euler's characteristic of a torus is 0.
        let corners_and_sides = mesh.vertices().len() + mesh.triangles().len();
        assert_eq!(corners_and_sides, mesh.edges().len());
        for x in mesh.vertices() {
            let tube = (x.x.hypot(x.y) - 0.3).hypot(x.z);
            assert!((tube - 0.1).abs() < 1e-15);
        }
        mesh.signed_volume()
    };
    let exact = 2.0 * PI * PI * 0.3 * 0.01;
    let [coarse, fine] = [exact - volume(16), exact - volume(32)];
    let order = (coarse / fine).log2();
    assert!(fine > 0.0 && (order - 2.0).abs() < 0.05, "order {order}");
}

/// A solid torus has the tetrahedra of a bent cylinder, surface nodes on the true torus, and a volume that tends to
/// `2π² R r²`.
#[test]
fn the_solid_torus() {
    let volume = |rings: usize| {
        let mesh = torus(SolidTorusShape {
            major_radius: 0.3,
            minor_radius: 0.1,
            layers: 12 * rings,
            rings,
        })
        .unwrap();
        assert_eq!(summary(&mesh).euler_characteristic, 0);
        assert_eq!(mesh.tets().len(), 18 * 12 * rings.pow(3));
        let surface = mesh.surface().unwrap();
        assert_eq!(surface.nodes().len(), 6 * 12 * rings.pow(2));
        for &node in surface.nodes() {
            let x = mesh.nodes()[node as usize];
            let tube = (x.x.hypot(x.y) - 0.3).hypot(x.z);
            assert!((tube - 0.1).abs() < 1e-15);
        }
        mesh.volume()
    };
    let exact = 2.0 * PI * PI * 0.3 * 0.01;
    let [coarse, fine] = [2, 4].map(|rings| exact - volume(rings));
    let order = (coarse / fine).log2();
    assert!(fine > 0.0 && (order - 2.0).abs() < 0.05, "order {order}");

    let long = torus(SolidTorusShape {
        major_radius: 1.0,
        minor_radius: 0.2,
        layers: 48,
        rings: 1,
    });
    let (smallest, largest) = dihedral_range(&long.unwrap());
    assert!(
        smallest > 25.0 && largest < 130.0,
        "angles {smallest} to {largest}"
    );
}

#[test]
fn the_voussoir_has_the_volume_of_its_trapezoid() {
    let shape = VoussoirShape {
        inner_radius: 0.9,
        outer_radius: 1.2,
        angle: 0.2,
        depth: 0.5,
    };
    let mesh = voussoir(shape).unwrap();
    let summary = summary(&mesh);
    assert_eq!((mesh.nodes().len(), mesh.tets().len()), (8, 6));
    assert!(close(
        summary.volume.expect("a closed surface"),
        0.5 * (1.44 - 0.81) * 0.2_f64.sin() * 0.5
    ));
    // The joint at +x lies in the plane through the axis.
    let joint = mesh.nodes().iter().filter(|x| x.x > 0.0);
    assert!(joint.clone().all(|x| (x.x.atan2(x.z) - 0.1).abs() < 1e-15));
    assert_eq!(joint.count(), 4);
}

#[test]
fn impossible_tori_and_voussoirs_are_refused() {
    let shape = TorusShape {
        major_radius: 0.1,
        minor_radius: 0.1,
        sides: 8,
        tube_sides: 8,
    };
    let error = torus_surface(shape).unwrap_err().to_string();
    assert!(error.contains("reaches the axis"), "{error}");
    for (minor_radius, layers, rings, part) in [
        (0.05, 2, 1, "layers is 2"),
        (0.05, 3, 0, "rings is 0"),
        (0.1, 3, 1, "reaches the axis"),
    ] {
        let solid = SolidTorusShape {
            major_radius: 0.1,
            minor_radius,
            layers,
            rings,
        };
        let error = torus(solid).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let thin = VoussoirShape {
        inner_radius: 1.0,
        outer_radius: 1.0,
        angle: 0.2,
        depth: 0.5,
    };
    assert!(voussoir(thin).is_err());
    let wide = VoussoirShape {
        outer_radius: 2.0,
        angle: PI,
        ..thin
    };
    assert!(voussoir(wide).unwrap_err().to_string().contains("angle"));
}
