//! Scene files: contents and error messages.

use std::path::{Path, PathBuf};

use impinge_geometry::broad_phase::Aabb;
use impinge_geometry::exact::surface_intersections;
use impinge_geometry::surface::CollisionSurface;
use impinge_sim::scene::{BodyPart, Scene, SceneParts, pair_friction};
use nalgebra::Vector3;

/// A cube above the ground.
pub(super) const MINIMAL: &str = r#"title = "test"

[time]
step = 1e-3
duration = 0.5

[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.06]
friction = 0.4

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 2] } }
"#;

const NONE: &[&str] = &[];

/// The message for `MINIMAL` with `from` replaced by `to`.
fn message(from: &str, to: &str) -> String {
    assert!(MINIMAL.contains(from), "`{from}` is not in the scene");
    match Scene::parse("test.toml", &MINIMAL.replacen(from, to, 1), NONE).map(|s| s.instantiate()) {
        Ok(Ok(_)) => "no error".to_owned(),
        Ok(Err(error)) | Err(error) => error.to_string(),
    }
}

fn override_message(arguments: &[&str]) -> String {
    match Scene::parse("test.toml", MINIMAL, arguments) {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn scenes_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

/// Symptom: a prescribed motion at 1e160 m/s gave NaN for the kinetic energy in steps.csv, with exit code 0. Cause:
/// squares of numbers beyond the root of the largest one. Law: a number without a finite square is rejected with its
/// key.
#[test]
fn vectors_without_a_square_are_refused() {
    let ground = "shape = { half_space = { normal = [0, 0, 2] } }";
    let lid = "shape = { cuboid = { size = [1, 1, 1] } }\nposition = [0, 0, 9]\n";
    let body = "friction = 0.4";
    for (from, to, line) in [
        (
            ground,
            format!("{lid}motion = {{ velocity = [0, 1e160, 0] }}"),
            "test.toml:18:27",
        ),
        (
            ground,
            format!("{lid}motion = {{ angular_velocity = [0, 0, -1e90] }}"),
            "test.toml:18:38",
        ),
        (
            ground,
            format!("{lid}motion = {{ then = [{{ at = 1, velocity = [1e61, 0, 0] }}] }}"),
            "test.toml:18:42",
        ),
        (
            body,
            "velocity = [1e160, 0, 0]".to_owned(),
            "test.toml:12:13",
        ),
        (
            body,
            "pulls = [{ force = [0, 0, 1e200] }]".to_owned(),
            "test.toml:12:27",
        ),
        (
            "[[body]]",
            "[world]\ngravity = [0, 0, -1e155]\n[[body]]".to_owned(),
            "test.toml:8:18",
        ),
    ] {
        let said = message(from, &to);
        let expected = [
            line,
            "is too large",
            "mend: write numbers between -1e60 and 1e60",
        ];
        let missing = expected.iter().find(|word| !said.contains(**word));
        assert!(
            missing.is_none(),
            "`{missing:?}` is not said of {to}:\n{said}"
        );
    }
}

#[test]
fn values_and_defaults_arrive() {
    let scene = Scene::parse("test.toml", MINIMAL, NONE).unwrap();
    assert_eq!(scene.time.steps(), 500);
    assert!((scene.time.minimum_step() - 1e-3 / 32.0).abs() < 1e-18);
    assert_eq!(
        Vector3::from(scene.world.gravity),
        Vector3::new(0.0, 0.0, -9.81)
    );
    let parts = scene.instantiate().unwrap();
    let [body] = parts.bodies.as_slice() else {
        panic!("one body");
    };
    assert_eq!(body.name, "cube");
    assert!((body.friction - 0.4).abs() < 1e-15);
    assert!((parts.half_spaces[0].friction - 0.5).abs() < 1e-15);
    assert_eq!(parts.half_spaces[0].normal, Vector3::z());
    assert!(body.nodes.prescribed.iter().all(Option::is_none));
}

#[test]
fn errors_of_form() {
    insta::assert_snapshot!("unknown_key", message("density", "densty"));
    insta::assert_snapshot!("unknown_table", message("[[obstacle]]", "[[obstacles]]"));
    insta::assert_snapshot!(
        "unknown_choice",
        message("young = 1e5", "model = \"neohookean\", young = 1e5")
    );
    insta::assert_snapshot!("unknown_shape", message("cuboid", "cube"));
    insta::assert_snapshot!("missing_key", message("young = 1e5, ", ""));
    insta::assert_snapshot!(
        "missing_table",
        message("[time]\nstep = 1e-3\nduration = 0.5\n", "")
    );
    insta::assert_snapshot!("wrong_type", message("poisson = 0.3", "poisson = \"0.3\""));
    insta::assert_snapshot!("too_few_numbers", message("[0, 0, 0.06]", "[0, 0.06]"));
    insta::assert_snapshot!(
        "too_many_numbers",
        message("[0, 0, 0.06]", "[0, 0, 0.06, 1]")
    );
    insta::assert_snapshot!("negative_count", message("[2, 2, 2]", "[2, -2, 2]"));
    insta::assert_snapshot!(
        "two_choices",
        message("half_space = {", "sphere = { radius = 1 }, half_space = {")
    );
    insta::assert_snapshot!(
        "choice_without_keys",
        message("{ half_space = { normal = [0, 0, 2] } }", "\"half_space\"")
    );
    insta::assert_snapshot!("not_toml", message("duration = 0.5", "duration 0.5"));
    insta::assert_snapshot!(
        "duplicate_key",
        message("duration = 0.5", "duration = 0.5\nduration = 1")
    );
    insta::assert_snapshot!("a_date", message("step = 1e-3", "step = 1979-05-27"));
}

#[test]
fn errors_of_meaning() {
    insta::assert_snapshot!(
        "negative_density",
        message("density = 1000", "density = -1000")
    );
    insta::assert_snapshot!(
        "negative_friction",
        message("friction = 0.4", "friction = -0.4")
    );
    insta::assert_snapshot!("no_step", message("step = 1e-3", "step = 0"));
    insta::assert_snapshot!("nan", message("step = 1e-3", "step = nan"));
    insta::assert_snapshot!("infinite", message("0, 0, 0.06", "0, 0, 1e999"));
    insta::assert_snapshot!("poisson", message("poisson = 0.3", "poisson = 0.5"));
    insta::assert_snapshot!("young", message("young = 1e5", "young = 0"));
    insta::assert_snapshot!("duration", message("duration = 0.5", "duration = 1e-4"));
    insta::assert_snapshot!("normal", message("[0, 0, 2]", "[0, 0, 0]"));
    insta::assert_snapshot!("flat_cuboid", message("[0.1, 0.1, 0.1]", "[0.1, 0, 0.1]"));
    insta::assert_snapshot!("no_cells", message("[2, 2, 2]", "[2, 0, 2]"));
    let torus = |keys: &str| {
        let mesh = format!("torus = {{ major_radius = 0.1, {keys} }}");
        message(
            "cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }",
            &mesh,
        )
    };
    insta::assert_snapshot!(
        "torus_of_two_layers",
        torus("minor_radius = 0.02, layers = 2")
    );
    insta::assert_snapshot!(
        "torus_without_a_hole",
        torus("minor_radius = 0.1, layers = 8")
    );
    insta::assert_snapshot!(
        "torus_without_rings",
        torus("minor_radius = 0.02, layers = 8, rings = 0")
    );
    insta::assert_snapshot!(
        "no_body",
        message(
            &MINIMAL[MINIMAL.find("[[body]]").unwrap()..MINIMAL.find("[[obstacle]]").unwrap()],
            ""
        )
    );
    insta::assert_snapshot!(
        "moving_half_space",
        message("shape =", "motion = { velocity = [1, 0, 0] }\nshape =")
    );
    insta::assert_snapshot!(
        "no_scale",
        message(
            "cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }",
            "file = { path = \"a.msh\", scale = 0 }"
        )
    );
    insta::assert_snapshot!(
        "missing_mesh",
        message(
            "cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }",
            "file = { path = \"no_such.msh\" }"
        )
    );
    insta::assert_snapshot!(
        "missing_variable",
        message(
            "cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }",
            "file = { path = \"${IMPINGE_NO_SUCH_VARIABLE}/a.msh\" }"
        )
    );
    insta::assert_snapshot!(
        "fixes_nothing",
        message(
            "friction = 0.4",
            "fixed = [{ box = { lower = [1, 1, 1], upper = [2, 2, 2] } }]"
        )
    );
    insta::assert_snapshot!(
        "empty_box",
        message(
            "friction = 0.4",
            "fixed = [{ box = { lower = [1, 1, 1], upper = [2, 0, 2] } }]"
        )
    );
    insta::assert_snapshot!(
        "copies_overlap",
        message(
            "friction = 0.4",
            "copies = { count = 4, columns = [2, 1], spacing = [0.2, 0.2, 0.05] }"
        )
    );
    insta::assert_snapshot!(
        "turned_copies_overlap",
        message(
            "friction = 0.4",
            "copies = { count = 4, columns = [2, 2], spacing = [0.15, 0.2, 0.2], random_rotation = true }"
        )
    );
}

#[test]
fn a_missing_file_is_named() {
    let error = Scene::load("no/such/scene.toml", NONE)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("no/such/scene.toml") && error.contains("mend:"),
        "{error}"
    );
}

#[test]
fn a_truncated_mesh_is_named_with_the_scene_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("cut.msh"),
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1",
    )
    .unwrap();
    let text = MINIMAL.replace(
        "cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }",
        "file = { path = \"cut.msh\" }",
    );
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    let error = Scene::load(&path, NONE)
        .unwrap()
        .instantiate()
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("scene.toml:9:") && error.contains("cut.msh"),
        "{error}"
    );
}

#[test]
fn overrides_replace_and_add() {
    let scene = Scene::parse(
        "test.toml",
        MINIMAL,
        &[
            "body.0.material.young=2e6",
            "solver.preconditioner=diagonal",
            "time.duration = 2",
            "world.gravity=[0,0,-1]",
        ],
    )
    .unwrap();
    assert!((scene.bodies[0].material.unwrap().young - 2e6).abs() < 1e-9);
    assert_eq!(
        scene.solver.preconditioner,
        impinge_sim::scene::Preconditioner::Diagonal
    );
    assert_eq!(scene.time.steps(), 2000);
    assert_eq!(
        Vector3::from(scene.world.gravity),
        Vector3::new(0.0, 0.0, -1.0)
    );
}

#[test]
fn an_override_can_mend_a_file() {
    let text = MINIMAL.replace("step = 1e-3", "step = -1");
    assert!(Scene::parse("test.toml", &text, NONE).is_err());
    assert!(Scene::parse("test.toml", &text, &["time.step=1e-3"]).is_ok());
}

#[test]
fn errors_of_overrides_name_them() {
    insta::assert_snapshot!(
        "override_value",
        override_message(&["time.step=0.001", "body.0.material.young=soft"])
    );
    insta::assert_snapshot!(
        "override_meaning",
        override_message(&["body.0.material.density=-1"])
    );
    insta::assert_snapshot!(
        "override_key",
        override_message(&["body.0.material.yuong=1e6"])
    );
    insta::assert_snapshot!(
        "override_index",
        override_message(&["body.3.material.young=1e6"])
    );
    insta::assert_snapshot!("override_form", override_message(&["time.step"]));
    insta::assert_snapshot!("override_empty_key", override_message(&["time..step=1"]));
    insta::assert_snapshot!("override_below_value", override_message(&["time.step.x=1"]));
}

#[test]
fn the_schema_is_unchanged() {
    let schema = serde_json::to_string_pretty(&Scene::json_schema()).unwrap();
    insta::assert_snapshot!("schema", schema);
}

/// Users look up units and meanings in descriptions, so every key must have one.
#[test]
fn the_schema_describes_every_key() {
    fn visit(value: &serde_json::Value, path: &str, missing: &mut Vec<String>) {
        if let Some(properties) = value.get("properties").and_then(|v| v.as_object()) {
            for (key, property) in properties {
                // A choice written as a table has its description next to its single key.
                let described =
                    property.get("description").is_some() || value.get("description").is_some();
                if !described {
                    missing.push(format!("{path}.{key}"));
                }
            }
        }
        match value {
            serde_json::Value::Object(map) => map
                .iter()
                .for_each(|(key, v)| visit(v, &format!("{path}.{key}"), missing)),
            serde_json::Value::Array(list) => list.iter().for_each(|v| visit(v, path, missing)),
            _ => {}
        }
    }
    let mut missing = Vec::new();
    visit(&Scene::json_schema(), "", &mut missing);
    assert!(missing.is_empty(), "without description: {missing:?}");
}

/// Checks that bodies placed by `parts` touch neither each other nor a half-space.
fn check_apart(parts: &SceneParts) {
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    let mut group = Vec::new();
    let mut passive = Vec::new();
    let meshes = parts
        .bodies
        .iter()
        .map(|body| {
            (
                body.mesh.nodes(),
                body.mesh
                    .surface()
                    .expect("a closed solid")
                    .triangles()
                    .to_vec(),
                false,
            )
        })
        .chain(
            parts
                .rigid_bodies
                .iter()
                .map(|part| (part.mesh.vertices(), part.mesh.triangles().to_vec(), false)),
        )
        .chain(
            parts
                .obstacles
                .iter()
                .map(|part| (part.mesh.vertices(), part.mesh.triangles().to_vec(), true)),
        );
    for (index, (nodes, surface, fixed)) in (0..).zip(meshes) {
        let first = points.len() as u32;
        triangles.extend(
            surface
                .iter()
                .map(|triangle| triangle.map(|corner| corner + first)),
        );
        points.extend_from_slice(nodes);
        group.resize(points.len(), index);
        passive.push(fixed);
    }
    let surface = CollisionSurface::new(triangles, points.len(), group, passive);
    assert!(surface_intersections(&points, &surface, 1).is_empty());
    for plane in &parts.half_spaces {
        for body in &parts.bodies {
            let lowest = body
                .mesh
                .nodes()
                .iter()
                .map(|node| (node - plane.point).dot(&plane.normal))
                .fold(f64::INFINITY, f64::min);
            assert!(
                lowest > 0.0,
                "{} starts {lowest} m behind {}",
                body.name,
                plane.name
            );
        }
    }
}

/// `MINIMAL` with a rigid cube.
fn rigid(keys: &str) -> String {
    MINIMAL.replace(
        "material = { young = 1e5, poisson = 0.3, density = 1000 }",
        &format!("kind = \"rigid\"\n{keys}"),
    )
}

fn rigid_message(keys: &str) -> String {
    match Scene::parse("test.toml", &rigid(keys), NONE).map(|s| s.instantiate()) {
        Ok(Ok(_)) => "no error".to_owned(),
        Ok(Err(error)) | Err(error) => error.to_string(),
    }
}

#[test]
fn errors_of_rigid_bodies() {
    insta::assert_snapshot!("rigid_without_mass", rigid_message(""));
    insta::assert_snapshot!(
        "rigid_with_two_masses",
        rigid_message("density = 1\nmass = 1")
    );
    insta::assert_snapshot!("rigid_with_negative_mass", rigid_message("mass = -1"));
    insta::assert_snapshot!(
        "rigid_with_material",
        rigid_message("material = { young = 1e5, poisson = 0.3, density = 1000 }")
    );
    insta::assert_snapshot!("rigid_with_fixed", rigid_message("mass = 1\nfixed = [{}]"));
    insta::assert_snapshot!(
        "rigid_with_motion_and_velocity",
        rigid_message("motion = {}\nvelocity = [1, 0, 0]")
    );
    insta::assert_snapshot!(
        "elastic_without_material",
        message(
            "material = { young = 1e5, poisson = 0.3, density = 1000 }\n",
            ""
        )
    );
    insta::assert_snapshot!(
        "elastic_with_density",
        message("friction = 0.4", "density = 3")
    );
    insta::assert_snapshot!(
        "elastic_with_motion",
        message("friction = 0.4", "motion = {}")
    );
    insta::assert_snapshot!(
        "turn_and_columns",
        message(
            "friction = 0.4",
            "copies = { count = 2, columns = [2, 1], turn = { axis = [0, 0, 1], degrees = 90 } }"
        )
    );
    insta::assert_snapshot!(
        "flat_voussoir",
        message(
            "{ cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }",
            "{ voussoir = { inner_radius = 1, outer_radius = 1, degrees = 10, depth = 1 } }"
        )
    );
}

/// A rotated box keeps its mass, and its inertia rotates with it; a given mass replaces the density.
#[test]
fn a_rigid_body_gets_its_inertia_as_placed() {
    let keys = "mass = 3\nrotation = { axis = [0, 0, 1], degrees = 90 }";
    let text = rigid(keys).replace("size = [0.1, 0.1, 0.1]", "size = [0.1, 0.2, 0.3]");
    let scene = Scene::parse("test.toml", &text, NONE).unwrap();
    let parts = scene.instantiate().unwrap();
    assert!(parts.bodies.is_empty());
    let [body] = parts.rigid_bodies.as_slice() else {
        panic!("one rigid body");
    };
    assert!((body.inertia.mass() - 3.0).abs() < 1e-14);
    assert!((body.inertia.center() - Vector3::new(0.0, 0.0, 0.06)).amax() < 1e-15);
    // After the quarter turn the sides are 0.2 along x and 0.1 along y.
    let expected = Vector3::new(0.1 + 0.9, 0.4 + 0.9, 0.4 + 0.1) * (3.0 * 0.1 / 12.0);
    assert!((body.inertia.inertia().diagonal() - expected).amax() < 1e-14);
    assert!(body.motion.is_none());
}

/// Copies by rotation: each is the previous one, rotated about the centre.
#[test]
fn turned_copies_stand_around_the_centre() {
    let text = MINIMAL.replace(
        "friction = 0.4",
        "copies = { count = 4, turn = { axis = [0, 0, 1], degrees = 90, center = [1, 0, 0] } }",
    );
    let parts = Scene::parse("test.toml", &text, NONE)
        .unwrap()
        .instantiate()
        .unwrap();
    let places = [[0.0, 0.0], [1.0, -1.0], [2.0, 0.0], [1.0, 1.0]];
    for (body, [x, y]) in parts.bodies.iter().zip(places) {
        let nodes = body.mesh.nodes();
        let middle = nodes.iter().sum::<Vector3<f64>>() / nodes.len() as f64;
        assert!(
            (middle - Vector3::new(x, y, 0.06)).amax() < 1e-14,
            "{middle}"
        );
    }
    assert_eq!(parts.bodies.len(), 4);
}

#[test]
fn the_shipped_scenes_start_apart() {
    for name in [
        "rings",
        "drop_cube",
        "incline",
        "stack",
        "thrown_cube",
        "rigid_stack",
        "arch",
        "bearing",
        "wedge",
    ] {
        let scene = Scene::load(scenes_folder().join(name).with_extension("toml"), NONE).unwrap();
        check_apart(&scene.instantiate().unwrap());
    }
}

#[test]
fn the_shipped_scenes_of_real_meshes_start_apart() {
    if std::env::var_os("IMPINGE_DATA").is_none() {
        println!("skipped: IMPINGE_DATA is not set");
        return;
    }
    for name in ["bunny_drop", "armadillo_drop"] {
        let scene = Scene::load(scenes_folder().join(name).with_extension("toml"), NONE).unwrap();
        let parts = scene.instantiate().unwrap();
        check_apart(&parts);
    }
}

#[test]
fn the_rings_are_the_papers() {
    let scene = Scene::load(scenes_folder().join("rings.toml"), NONE).unwrap();
    let parts = scene.instantiate().unwrap();
    assert_eq!(parts.bodies.len(), 120);
    assert_eq!(
        parts
            .bodies
            .iter()
            .map(|body| body.mesh.tets().len())
            .sum::<usize>(),
        12_960
    );
}

#[test]
fn turned_copies_are_the_same_every_time_and_differ_by_seed() {
    let text = MINIMAL.replace(
        "friction = 0.4",
        "copies = { count = 9, columns = [2, 2], random_rotation = true, seed = 5 }",
    );
    let nodes = |seed: &str| -> Vec<Vec<Vector3<f64>>> {
        let scene = Scene::parse("test.toml", &text, &[format!("body.0.copies.seed={seed}")])
            .expect("a good scene");
        let parts = scene.instantiate().expect("a good scene");
        parts
            .bodies
            .iter()
            .map(|body: &BodyPart| body.mesh.nodes().to_vec())
            .collect()
    };
    assert_eq!(nodes("5"), nodes("5"));
    assert_ne!(nodes("5"), nodes("6"));
    // Bounding boxes of all pairs are apart although spacing is omitted.
    let boxes: Vec<Aabb> = nodes("5").iter().map(Aabb::from_points).collect();
    for (first, a) in boxes.iter().enumerate() {
        for b in &boxes[..first] {
            assert!(!a.overlaps(b));
        }
    }
}

#[test]
fn initial_velocity_is_that_of_a_rigid_body() {
    let text = MINIMAL.replace(
        "friction = 0.4",
        "velocity = [1, 0, 0]\nangular_velocity = [0, 0, 3]\nrotation = \
                                                  { axis = [1, 1, 0], degrees = 30 }",
    );
    let parts = Scene::parse("test.toml", &text, NONE)
        .unwrap()
        .instantiate()
        .unwrap();
    let body = &parts.bodies[0];
    let center = Vector3::new(0.0, 0.0, 0.06);
    for (node, velocity) in body.mesh.nodes().iter().zip(&body.nodes.velocity) {
        let expected = Vector3::x() + Vector3::new(0.0, 0.0, 3.0).cross(&(node - center));
        assert!((velocity - expected).amax() < 1e-14);
    }
}

#[test]
fn fixed_nodes_follow_the_first_entry_that_holds_them() {
    let text = MINIMAL.replace(
        "friction = 0.4",
        "fixed = [{ box = { lower = [-1, -1, 0.1], upper = [1, 1, 1] } }, { motion = { velocity = [0, 0, 1] } }]",
    );
    let parts = Scene::parse("test.toml", &text, NONE)
        .unwrap()
        .instantiate()
        .unwrap();
    let body = &parts.bodies[0];
    for ((node, motion), velocity) in body
        .mesh
        .nodes()
        .iter()
        .zip(&body.nodes.prescribed)
        .zip(&body.nodes.velocity)
    {
        let motion = &parts.motions[motion.unwrap()];
        assert_eq!(motion.is_rest(), node.z > 0.1 - 1e-12);
        assert_eq!(*velocity, motion.velocity);
    }
}

#[test]
fn a_scene_built_by_a_program_is_checked_too() {
    let mut scene = Scene::parse("test.toml", MINIMAL, NONE).unwrap();
    scene.bodies[0].material.as_mut().unwrap().density = f64::NAN;
    let error = scene.instantiate().unwrap_err().to_string();
    assert!(
        error.contains("density") && error.contains("NaN"),
        "{error}"
    );
    let error = Scene::default().instantiate().unwrap_err().to_string();
    assert!(error.contains("no body"), "{error}");
}

#[test]
fn a_scene_survives_its_json_form() {
    let scene = Scene::load(scenes_folder().join("rings.toml"), NONE).unwrap();
    let json = serde_json::to_string(&scene).unwrap();
    let again: Scene = serde_json::from_str(&json).unwrap();
    assert_eq!(again.bodies, scene.bodies);
    assert_eq!(again.obstacles, scene.obstacles);
}

#[test]
fn friction_of_a_pair_is_the_geometric_mean() {
    assert_eq!(pair_friction(0.3, 0.3).to_bits(), 0.3_f64.to_bits());
    assert!((pair_friction(0.2, 0.8) - 0.4).abs() < 1e-15);
    assert!(pair_friction(0.0, 0.8).abs() < f64::MIN_POSITIVE);
}
