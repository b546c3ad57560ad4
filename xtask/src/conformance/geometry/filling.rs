//! Surfaces filled with tetrahedra: time, angles, volume, and acceptance by the simulator.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use impinge_geometry::MeshError;
use impinge_geometry::io::{MeshIoError, read_tet_mesh, read_triangle_mesh, write_tet_mesh};
use impinge_geometry::mesh::generate::{TorusShape, cuboid_surface, sphere_surface, torus_surface};
use impinge_geometry::mesh::{StuffingOptions, TetMesh, TriangleMesh, tetrahedralize};
use impinge_sim::Scene;
use impinge_sim::doctor::examine;
use nalgebra::{Rotation3, Vector3};

use super::super::Extent;
use super::Table;

/// Smallest allowed dihedral angle (degrees).
const LEAST_ANGLE: f64 = 8.0;

/// Largest relative difference between the volumes of surface and tetrahedra.
const VOLUME_ERROR: f64 = 0.01;

/// Surfaces of the data folder, with an element size (m in the file) that resolves their details, and the number of
/// subdivisions into four of their triangles.
const REAL: [(&str, f64, u32); 6] = [
    ("triMeshes/hammer.obj", 0.1, 0),
    ("triMeshes/sphere1K.obj", 0.06, 0),
    ("sofa/dolphin5K.obj", 1.0, 0),
    ("tetMeshes/bunny.msh", 0.06, 0),
    ("tetMeshes/cow_head.msh", 0.008, 0),
    // 69,184 triangles.
    ("tetMeshes/Armadillo13K.msh", 1.5, 1),
];

/// Scene for the simulator; the mesh is in its folder.
const SCENE: &str = r#"
[time]
step = 1e-3
duration = 0.1
[[body]]
name = "solid"
mesh = { file = { path = "solid.msh" } }
material = { young = 5e5, poisson = 0.3, density = 1000 }
"#;

/// Shapes; in the full form also shapes of about 100,000 triangles and the surfaces of the folder `meshes`.
pub(super) fn fill(
    table: &mut Table,
    meshes: Option<&Path>,
    extent: Extent,
) -> Result<(), Box<dyn Error>> {
    examine_filling(table, "ball", &sphere_surface(0.5, 16)?, 0.06)?;
    examine_filling(table, "torus", &torus(48, 24)?, 0.04)?;
    let turn = Rotation3::from_euler_angles(0.3, 0.5, 0.7);
    let turned = cuboid_surface([1.0, 0.8, 0.6])?.map_vertices(|x| turn * x)?;
    examine_filling(table, "turned box", &turned, 0.03)?;
    if extent == Extent::Full {
        examine_filling(table, "fine ball", &sphere_surface(0.5, 71)?, 0.02)?;
        examine_filling(table, "fine torus", &torus(400, 125)?, 0.02)?;
        for (name, size, cuts) in REAL {
            let Some(folder) = meshes else { break };
            let mut surface = read_outside(&folder.join(name))?;
            for _ in 0..cuts {
                surface = cut_in_four(&surface)?;
            }
            let short = name.rsplit('/').next().unwrap_or(name);
            examine_filling(table, short, &surface, size)?;
        }
    }
    Ok(())
}

fn torus(sides: usize, tube_sides: usize) -> Result<TriangleMesh, MeshError> {
    torus_surface(TorusShape {
        major_radius: 0.5,
        minor_radius: 0.2,
        sides,
        tube_sides,
    })
}

/// A surface, or the outside of a solid.
fn read_outside(path: &Path) -> Result<TriangleMesh, Box<dyn Error>> {
    if path.extension().is_some_and(|extension| extension == "msh") {
        let solid = read_tet_mesh(path)?;
        return Ok(solid.surface()?.to_triangle_mesh(&solid)?);
    }
    Ok(read_triangle_mesh(path)?)
}

/// The same surface with the middle of each edge as a vertex.
fn cut_in_four(surface: &TriangleMesh) -> Result<TriangleMesh, MeshError> {
    let mut points = surface.vertices().to_vec();
    let mut middles = BTreeMap::new();
    let mut triangles = Vec::with_capacity(4 * surface.triangles().len());
    for &[a, b, c] in surface.triangles() {
        let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[from, to]| {
            *middles
                .entry([from.min(to), from.max(to)])
                .or_insert_with(|| {
                    let middle: Vector3<f64> = 0.5 * (points[from as usize] + points[to as usize]);
                    points.push(middle);
                    points.len() as u32 - 1
                })
        });
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    TriangleMesh::new(points, triangles)
}

fn examine_filling(
    table: &mut Table,
    name: &str,
    surface: &TriangleMesh,
    size: f64,
) -> Result<(), Box<dyn Error>> {
    let clock = Instant::now();
    let (mesh, report) = tetrahedralize(surface, &StuffingOptions::new(size))
        .map_err(|error| format!("filling {name}: {error}"))?;
    let seconds = clock.elapsed().as_secs_f64();
    table.figure(
        &format!("{name}: triangles, tetrahedra, seconds"),
        format!(
            "{}, {}, {seconds:.2}",
            surface.triangles().len(),
            mesh.tets().len()
        ),
    );
    let [least, most] = report.dihedral;
    table.at_least(
        &format!("{name}: least dihedral angle, degrees (largest {most:.1})"),
        least,
        LEAST_ANGLE,
    );
    table.at_most(
        &format!("{name}: volume against the surface's"),
        (report.volume / surface.signed_volume() - 1.0).abs(),
        VOLUME_ERROR,
    );
    table.certain(
        &format!("{name}: the simulator starts with it"),
        can_start(&mesh)?,
    );
    Ok(())
}

/// Whether the mesh is accepted through a file into a scene: elements, surface, intersections.
fn can_start(mesh: &TetMesh) -> Result<bool, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    write(mesh, folder.path())?;
    let mut scene = Scene::parse("filling.toml", SCENE, &[] as &[&str])?;
    scene.set_folder(folder.path());
    let diagnosis = examine(&scene);
    for finding in &diagnosis.findings {
        if !diagnosis.can_start() {
            println!("{finding}");
        }
    }
    Ok(diagnosis.can_start())
}

fn write(mesh: &TetMesh, folder: &Path) -> Result<(), MeshIoError> {
    write_tet_mesh(folder.join("solid.msh"), mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_shapes_are_filled() {
        let mut table = Table::new("filling");
        fill(&mut table, None, Extent::Quick).expect("shapes that can be filled");
        assert!(table.holds());
    }

    #[test]
    fn cutting_in_four_keeps_the_surface() {
        let ball = sphere_surface(0.5, 3).expect("a ball");
        let cut = cut_in_four(&ball).expect("the same ball");
        assert_eq!(cut.triangles().len(), 4 * ball.triangles().len());
        assert!(cut.check_closed_outwards().is_ok());
        assert!((cut.signed_volume() / ball.signed_volume() - 1.0).abs() < 1e-14);
    }
}
