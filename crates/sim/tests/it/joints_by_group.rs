//! Nodes that a `bind` takes by a physical group of their mesh.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use impinge_geometry::mesh::{TetMesh, generate};
use impinge_sim::{Scene, Simulation};

/// A stiff cube whose left side is bound to the right side of a soft one.
const CUBES: &str = r#"[time]
step = 1e-2
duration = 1.0
[world]
gravity = [0, 0, -9.81]
[[body]]
name = "soft"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [3, 3, 3] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
fixed = [{ box = { lower = [-0.0501, -1, -1], upper = [-0.0499, 1, 1] } }]
[[body]]
name = "stiff"
mesh = { file = { path = "cube.msh" } }
material = { young = 1e6, poisson = 0.3, density = 1000 }
position = [0.1, 0, 0]
[[joint]]
kind = "bind"
first = "stiff"
second = "soft"
"#;

/// The side of the stiff cube that is bound.
const SIDE: &str = "box = { lower = [0.049, -1, -1], upper = [0.051, 1, 1] }\n";

/// The file of a cube: its left side is the surface 5, `glue`, its top the surface 6 without a name, all of it the
/// solid 5, `all`.
fn msh(cube: &TetMesh) -> String {
    let mut text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 5 \"glue\"\n3 5 \
                    \"all\"\n$EndPhysicalNames\n"
        .to_owned();
    let nodes = cube.nodes();
    let _ = writeln!(text, "$Nodes\n{}", nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        let _ = writeln!(text, "{} {} {} {}", index + 1, node.x, node.y, node.z);
    }
    let surface = cube.surface().expect("a surface");
    let on = |triangle: &[u32; 3], axis: usize, at: f64| {
        let on = |&node: &u32| (nodes[node as usize][axis] - at).abs() < 1e-9;
        triangle.iter().all(on)
    };
    let mut elements = Vec::new();
    for triangle in surface.triangles() {
        let [a, b, c] = triangle.map(|node| node + 1);
        for (axis, at, group) in [(0, -0.05, 5), (2, 0.05, 6)] {
            if on(triangle, axis, at) {
                elements.push(format!("2 2 {group} 1 {a} {b} {c}"));
            }
        }
    }
    for tet in cube.tets() {
        let [a, b, c, d] = tet.map(|node| node + 1);
        elements.push(format!("4 2 5 1 {a} {b} {c} {d}"));
    }
    let _ = writeln!(text, "$EndNodes\n$Elements\n{}", elements.len());
    for (index, element) in elements.iter().enumerate() {
        let _ = writeln!(text, "{} {element}", index + 1);
    }
    text + "$EndElements\n"
}

/// A folder with the file of the stiff cube.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cube = generate::cuboid([0.1; 3], [3, 3, 3]).expect("a cube");
    fs::write(folder.path().join("cube.msh"), msh(&cube)).expect("room");
    folder
}

/// The simulation of the cubes with this selection, or its error.
fn bound(folder: &Path, scene: &str) -> Result<Simulation, String> {
    let path = folder.join("scene.toml");
    fs::write(&path, scene).expect("room");
    let scene = Scene::load(&path, &[""; 0]).map_err(|error| error.to_string())?;
    Simulation::new(&scene).map_err(|error| error.to_string())
}

fn refused(folder: &Path, scene: &str, words: &[&str]) {
    let said = bound(folder, scene).err().expect("refused");
    for word in words {
        assert!(said.contains(word), "`{word}` is not in: {said}");
    }
}

/// Law: a group selects the nodes of its elements and no others, whatever order the model keeps them in.
#[test]
fn cubes_bound_by_a_group_are_as_those_bound_by_a_box() {
    let folder = folder();
    let bound =
        |selection: &str| bound(folder.path(), &format!("{CUBES}{selection}")).expect("sound");
    let mut by_box = bound(SIDE);
    let model = by_box.model();
    let stiff = &model.geometry.bodies[1];
    assert!(
        !stiff.original_nodes.is_sorted(),
        "nodes keep the order of the file"
    );
    assert_eq!(model.constraints.rows.len(), 16);
    for selection in ["group = \"glue\"\n", &format!("group = \"all\"\n{SIDE}")] {
        let mut by_group = bound(selection);
        let points = |simulation: &Simulation| {
            let joints = simulation.model().constraints.rows.iter();
            joints
                .map(|joint| joint.points().to_vec())
                .collect::<Vec<_>>()
        };
        assert_eq!(points(&by_group), points(&by_box), "{selection}");
        let said = by_group.take_notices();
        let left_out = said.iter().any(|notice| notice.contains("binds"));
        assert!(!left_out, "{selection}: {said:?}");
    }
    let mut by_group = bound("group = \"glue\"\n");
    for _ in 0..3 {
        by_box.advance().expect("solved");
        by_group.advance().expect("solved");
    }
    assert_eq!(by_group.state(), by_box.state());
}

/// The top of the stiff cube, by its number: four of its nodes are at the soft one, the others are counted.
#[test]
fn nodes_of_a_group_that_are_off_the_surface_are_left_out() {
    let folder = folder();
    let mut simulation = bound(folder.path(), &format!("{CUBES}group = 6\n")).expect("sound");
    assert_eq!(simulation.model().constraints.rows.len(), 4);
    let said = simulation.take_notices();
    let counted = "joint 0 binds 4 nodes of `stiff` to `soft`; 12 other";
    assert!(
        said.iter().any(|notice| notice.contains(counted)),
        "{said:?}"
    );
}

#[test]
fn groups_that_are_not_there_are_named() {
    let folder = folder();
    let unknown = ["group = \"glu\"\n", "group = 7\n"];
    for (selection, group) in unknown.into_iter().zip(["\"glu\"", "7"]) {
        let group = format!("joint 0 binds the group {group} of `stiff`");
        let words = [
            &*group,
            "scene.toml:20:",
            "\"glue\" (5 of surfaces), 6 (of surfaces), \"all\" (5 of solids)",
            "write the name or number of one of these",
        ];
        refused(folder.path(), &format!("{CUBES}{selection}"), &words);
    }
    let two = ["may be any of \"glue\" (5 of surfaces), \"all\" (5 of solids)"];
    refused(folder.path(), &format!("{CUBES}group = 5\n"), &two);
    let swapped = CUBES.replace(
        "first = \"stiff\"\nsecond = \"soft\"",
        "first = \"soft\"\nsecond = \"stiff\"",
    );
    let without = ["`soft`, whose mesh has no physical groups", "by `box`"];
    refused(
        folder.path(),
        &format!("{swapped}group = \"glue\"\n"),
        &without,
    );
    let nowhere = "box = { lower = [5, 5, 5], upper = [6, 6, 6] }\n";
    let empty = ["joint 0 selects no node of `stiff`", "the box"];
    refused(
        folder.path(),
        &format!("{CUBES}group = \"glue\"\n{nowhere}"),
        &empty,
    );
    let ball = CUBES.replace("\"bind\"", "\"ball\"");
    let kind = ["`group` belongs to a bind"];
    let anchor = "anchor = [0.05, 0, 0]\ngroup = \"glue\"\n";
    refused(folder.path(), &format!("{ball}{anchor}"), &kind);
    for value in ["1.5", "-1", "true", "4294967296"] {
        let words = ["the name or number of a physical group"];
        refused(folder.path(), &format!("{CUBES}group = {value}\n"), &words);
    }
}
