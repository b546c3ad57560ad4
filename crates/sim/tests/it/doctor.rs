//! Findings of the doctor, and feasible starts.

use impinge_sim::doctor::{Diagnosis, SeparateError, Severity, Symptom, examine, separate};
use impinge_sim::scene::{Body, BodyMesh, Obstacle, ObstacleShape};
use impinge_sim::{Scene, Simulation};
use nalgebra::Vector3;
use proptest::prelude::*;

const HEAD: &str = "[time]\nstep = 1e-3\nduration = 0.1\n";
const GROUND: &str =
    "[[obstacle]]\nname = \"ground\"\nshape = { half_space = { normal = [0, 0, 1] } }\n";

fn cube(name: &str, position: [f64; 3]) -> String {
    let [x, y, z] = position;
    format!(
        "[[body]]\nname = \"{name}\"\nmesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }} }}\n\
         material = {{ young = 1e5, poisson = 0.3, density = 1000 }}\nposition = [{x:?}, {y:?}, {z:?}]\n"
    )
}

fn scene(parts: &[&str]) -> Scene {
    let text = [&[HEAD], parts].concat().concat();
    Scene::parse("test.toml", &text, &[""; 0]).unwrap_or_else(|error| panic!("{error}"))
}

/// The kinds of findings by their names in JSON.
fn kinds(diagnosis: &Diagnosis) -> Vec<String> {
    diagnosis
        .findings
        .iter()
        .map(|finding| {
            let value = serde_json::to_value(finding).expect("plain data");
            value["kind"].as_str().unwrap_or_default().to_owned()
        })
        .collect()
}

#[test]
fn a_sound_scene_has_no_findings() {
    let scene = scene(&[&cube("cube", [0.0, 0.0, 0.06]), GROUND]);
    assert_eq!(examine(&scene).findings, []);
    assert!(separate(&scene).unwrap().moves.is_empty());
}

#[test]
fn overlaps_have_pair_and_depth() {
    let scene = scene(&[
        &cube("one", [0.0, 0.0, 0.045]),
        &cube("two", [0.07, 0.01, 0.055]),
        GROUND,
    ]);
    let diagnosis = examine(&scene);
    assert_eq!(kinds(&diagnosis), ["penetration", "overlap"]);
    let Symptom::Penetration {
        first,
        second,
        depth,
        ..
    } = &diagnosis.findings[0].symptom
    else {
        panic!("{diagnosis:?}");
    };
    assert_eq!((first.as_str(), second.as_str()), ("one", "ground"));
    assert!((depth - 0.005).abs() < 1e-12);
    let Symptom::Overlap {
        first,
        second,
        depth,
        direction,
        ..
    } = &diagnosis.findings[1].symptom
    else {
        panic!("{diagnosis:?}");
    };
    assert_eq!((first.as_str(), second.as_str()), ("one", "two"));
    // The boxes overlap by 0.03 along x, by more along y and z.
    assert!((depth - 0.03).abs() < 1e-6, "{depth}");
    assert!((Vector3::from(*direction) + Vector3::x()).norm() < 1e-9);
    // A run rejects the scene, too.
    assert!(Simulation::new(&scene).is_err());
}

#[test]
fn touching_is_no_overlap() {
    let scene = scene(&[
        &cube("one", [0.0, 0.0, 0.05]),
        &cube("two", [0.1, 0.0, 0.06]),
        GROUND,
    ]);
    let diagnosis = examine(&scene);
    assert_eq!(kinds(&diagnosis), ["touching"]);
    assert!(diagnosis.can_start());
    let Symptom::Touching {
        others, distance, ..
    } = diagnosis.findings[0].symptom
    else {
        panic!("{diagnosis:?}");
    };
    assert!(others == 1 && distance < 2e-5, "{others} {distance}");
    assert!(separate(&scene).unwrap().moves.is_empty());
}

#[test]
fn a_body_in_a_body_is_found_though_no_surfaces_meet() {
    let small = cube("small", [0.01, 0.0, 0.2]).replace("[0.1, 0.1, 0.1]", "[0.02, 0.02, 0.02]");
    let scene = scene(&[&cube("cube", [0.0, 0.0, 0.2]), &small]);
    let diagnosis = examine(&scene);
    assert_eq!(kinds(&diagnosis), ["inside"]);
    let Symptom::Inside {
        first,
        depth,
        direction,
        ..
    } = &diagnosis.findings[0].symptom
    else {
        panic!("{diagnosis:?}");
    };
    assert_eq!(first, "small");
    assert!(
        (depth - 0.05).abs() < 1e-6 && direction[0] > 0.99,
        "{depth} {direction:?}"
    );
}

#[test]
fn doubts_about_numbers() {
    let body = cube("cube", [0.0, 0.0, 100.0]);
    for (from, to, kind, severity) in [
        ("1e5", "1e13", "units", Severity::Warning),
        ("1e5", "2e3", "own_weight", Severity::Warning),
        (
            "density = 1000",
            "density = 1e-6",
            "units",
            Severity::Warning,
        ),
        (
            "[0.1, 0.1, 0.1]",
            "[1e4, 1e4, 10]",
            "units",
            Severity::Warning,
        ),
        ("0.3,", "0.495,", "locking", Severity::Note),
        ("1e5", "1e11", "wave_speed", Severity::Note),
        (
            "position",
            "velocity = [300, 0, 0]\nposition",
            "fast_start",
            Severity::Warning,
        ),
        ("[2, 2, 2]", "[60, 1, 1]", "", Severity::Note),
        (
            "[0.1, 0.1, 0.1], cells = [2, 2, 2]",
            "[10, 0.002, 0.5], cells = [1, 1, 1]",
            "slivers",
            Severity::Warning,
        ),
    ] {
        assert!(body.contains(from), "{from}");
        let diagnosis = examine(&scene(&[&body.replacen(from, to, 1)]));
        let found = kinds(&diagnosis);
        if kind.is_empty() {
            assert_eq!(found, [""; 0], "{to}");
        } else {
            assert!(found.contains(&kind.to_owned()), "{to}: {found:?}");
        }
        assert!(diagnosis.can_start());
        assert!(
            diagnosis
                .findings
                .iter()
                .all(|finding| finding.severity >= severity),
            "{diagnosis:?}"
        );
    }
    let heavy = cube("heavy", [0.0, 0.0, 0.2]);
    let light = cube("light", [0.5, 0.0, 0.2]).replace("[0.1, 0.1, 0.1]", "[0.004, 0.004, 0.004]");
    assert_eq!(kinds(&examine(&scene(&[&heavy, &light]))), ["mass_ratio"]);
    let gravity = "[world]\ngravity = [0, 0, -9810]\n";
    let found = kinds(&examine(&scene(&[gravity, &heavy])));
    assert!(found.contains(&"units".to_owned()), "{found:?}");
}

#[test]
fn messages() {
    let scene = scene(&[
        &cube("one", [0.0, 0.0, 0.045]).replace("1e5", "1.5e3"),
        &cube("two", [0.07, 0.01, 0.055]),
        &cube("speck", [0.3, 0.0, 0.2]).replace("[0.1, 0.1, 0.1]", "[5e-5, 5e-5, 5e-5]"),
        GROUND,
    ]);
    let said: Vec<String> = examine(&scene)
        .findings
        .iter()
        .map(|finding| format!("{:?}: {finding}", finding.severity))
        .collect();
    insta::assert_snapshot!("findings", said.join("\n"));
}

/// There is no overlap, according to the start test of a run and to the doctor.
fn assert_feasible(scene: &Scene) {
    if let Err(error) = Simulation::new(scene) {
        panic!("{error}");
    }
    let diagnosis = examine(scene);
    assert!(diagnosis.can_start(), "{diagnosis:?}");
}

#[test]
fn two_cubes_share_the_way_apart() {
    let scene = scene(&[
        &cube("one", [0.0, 0.0, 0.2]),
        &cube("two", [0.08, 0.0, 0.2]),
    ]);
    let separation = separate(&scene).unwrap();
    assert_feasible(&separation.scene);
    // 0.02 m between them, shared equally, plus the margin.
    let lengths: Vec<f64> = separation.moves.iter().map(|m| m.length).collect();
    assert!(
        lengths.iter().all(|length| (0.01..0.0102).contains(length)),
        "{lengths:?}"
    );
}

#[test]
fn copies_that_move_become_bodies_of_their_own() {
    let ring = "[[body]]\nname = \"ring\"\nmesh = { ring = { major_radius = 0.05, section = 0.02 } }\n\
        material = { young = 1e5, poisson = 0.3, density = 1000 }\nposition = [0, 0, 0.2]\n\
        copies = { count = 4, columns = [2, 1], random_rotation = true, seed = 3 }\n";
    let scene = scene(&[ring, &cube("cube", [0.1, 0.0, 0.2]), GROUND]);
    assert!(!examine(&scene).can_start());
    let separation = separate(&scene).unwrap();
    assert_feasible(&separation.scene);
    assert_eq!(separation.scene.bodies.len(), 5);
    assert_eq!(separation.scene.bodies[0].name, "ring 1");
    // Copies that did not move keep their position and rotation.
    let moved: Vec<&str> = separation.moves.iter().map(|m| m.body.as_str()).collect();
    let (before, after) = (
        scene.instantiate().unwrap(),
        separation.scene.instantiate().unwrap(),
    );
    for (old, new) in before.bodies.iter().zip(&after.bodies) {
        let shift = (old.mesh.nodes()[0] - new.mesh.nodes()[0]).norm();
        assert_eq!(old.name, new.name);
        assert_eq!(
            shift > 1e-12,
            moved.contains(&old.name.as_str()),
            "{} {shift}",
            old.name
        );
    }
}

#[test]
fn a_written_scene_runs_from_any_folder() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("deeper");
    std::fs::create_dir(&inside).unwrap();
    let ball = impinge_geometry::mesh::generate::sphere(0.05, 2).unwrap();
    impinge_geometry::io::write_tet_mesh(folder.path().join("ball.msh"), &ball).unwrap();
    let text = format!(
        "{HEAD}{}{}",
        cube("cube", [0.0, 0.0, 0.2]),
        cube("ball", [0.04, 0.0, 0.22]).replace(
            "cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }",
            "file = { path = \"ball.msh\" }"
        )
    );
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    let separation = separate(&Scene::load(&path, &[""; 0]).unwrap()).unwrap();
    for out in [folder.path().join("a.toml"), inside.join("b.toml")] {
        separation.write(&out).unwrap();
        assert_feasible(&Scene::load(&out, &[""; 0]).unwrap());
    }
}

#[test]
fn immovable_bodies_are_named() {
    let fixed = |text: String| format!("{text}fixed = [{{}}]\n");
    let held = cube("held", [0.0, 0.0, 0.2]);
    let half_held =
        format!("{held}fixed = [{{ box = {{ lower = [-1, -1, 0.24], upper = [1, 1, 0.26] }} }}]\n");
    let scene_of =
        |first: &str, second: &str| scene(&[first, second, &cube("free", [1.0, 0.0, 0.2])]);
    let scene = scene_of(&half_held, &fixed(cube("wall", [0.05, 0.0, 0.2])));
    let error = separate(&scene).unwrap_err();
    assert!(matches!(error, SeparateError::Immovable { .. }), "{error}");

    // A cube between two half-spaces that are closer to each other than its height.
    let caged = self::scene(&[
        &cube("free", [0.0, 0.0, 0.0]),
        "[[obstacle]]\nshape = { half_space = { normal = [0, 0, 1], point = [0, 0, -0.03] } }\n",
        "[[obstacle]]\nshape = { half_space = { normal = [0, 0, -1], point = [0, 0, 0.03] } }\n",
    ]);
    let error = separate(&caged).unwrap_err();
    assert!(matches!(error, SeparateError::Stuck { .. }), "{error}");
}

/// Alternating cubes and balls at `places` above the ground, and a fixed ball.
fn heap(places: &[[f64; 3]]) -> Scene {
    let mut heap = scene(&[&cube("cube", [0.0, 0.0, 0.0]), GROUND]);
    let model = heap.bodies[0].clone();
    heap.bodies = places
        .iter()
        .enumerate()
        .map(|(index, place)| Body {
            name: format!("body {index}"),
            position: [place[0], place[1], place[2] + 0.1],
            mesh: if index % 2 == 0 {
                model.mesh.clone()
            } else {
                BodyMesh::Sphere {
                    radius: 0.05,
                    subdivisions: 2,
                }
            },
            ..model.clone()
        })
        .collect();
    heap.obstacles.push(Obstacle {
        name: "ball".to_owned(),
        shape: ObstacleShape::Sphere {
            radius: 0.04,
            subdivisions: 3,
        },
        ..heap.obstacles[0].clone()
    });
    heap
}

/// Ways out of different rounds are inconsistent here, although there is space.
#[test]
fn ways_that_contradict_each_other_are_forgotten() {
    let heap = heap(&[
        [0.0, -0.098_414_210_801_601_19, -0.022_280_208_851_292_53],
        [0.017_322_554_858_839_382, -0.013_860_532_903_233_032, 0.0],
        [-0.072_679_563_105_998_99, -0.098_694_411_718_575_47, 0.0],
        [
            0.034_536_548_525_979_496,
            -0.030_000_699_771_088_424,
            0.046_736_290_116_730_16,
        ],
    ]);
    assert_feasible(&separate(&heap).unwrap().scene);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Random heaps of cubes and balls are separated, and no body moves farther than the width of the heap.
    #[test]
    fn heaps_come_apart(places in prop::collection::vec(prop::array::uniform3(-0.1..0.1f64), 2..7)) {
        let heap = heap(&places);
        let separation = separate(&heap).unwrap();
        assert_feasible(&separation.scene);
        for moved in &separation.moves {
            prop_assert!(moved.length < 0.1 * places.len() as f64 + 0.2, "{moved:?}");
        }
    }
}

/// A link shorter than its distance, a tolerance of the wrong scale, long damping: these run with a warning.
#[test]
fn doubts_about_joints_and_tolerances() {
    let body = cube("cube", [0.0, 0.0, 0.5]);
    let link = |length: f64| {
        format!(
            "[[joint]]\nkind = \"link\"\nfirst = \"cube\"\nanchor = [0, 0, 0.5]\nend = [0, 0, 1.5]\nlength = {length}\n"
        )
    };
    let found = |parts: &[&str]| examine(&scene(parts));
    assert_eq!(kinds(&found(&[&body, &link(1.00005)])), [""; 0]);
    let apart = found(&[&body, &link(0.2)]);
    assert_eq!(kinds(&apart), ["joint_apart"]);
    assert!(apart.can_start());
    let said = apart.findings[0].to_string();
    assert!(
        said.contains("joint 0 of `cube` and the world is violated by 0.8 (m or rad) at the start"),
        "{said}"
    );
    // A rope may be slack, and a compliant joint may be stretched.
    assert_eq!(
        kinds(&found(&[&body, &link(1.5).replace("link", "rope")])),
        [""; 0]
    );
    assert_eq!(
        kinds(&found(&[&body, &link(0.2).replace("link", "rope")])),
        ["joint_apart"]
    );
    let spring = link(0.2) + "compliance = 1e-3\n";
    assert_eq!(kinds(&found(&[&body, &spring])), [""; 0]);

    assert_eq!(
        kinds(&found(&["[solver]\ngap_tolerance = 1e-3\n", &body])),
        [""; 0]
    );
    for solver in ["gap_tolerance = 0.01", "momentum_tolerance = 1e3"] {
        let found = found(&[&format!("[solver]\n{solver}\n"), &body]);
        assert_eq!(kinds(&found), ["tolerance"], "{solver}");
    }

    let cloth = |damping: f64| {
        format!(
            "[[body]]\nname = \"cloth\"\nkind = \"shell\"\nmesh = {{ grid = {{ size = [1, 1], cells = [2, 2] }} \
             }}\nposition = [0, 0, 1]\nshell = {{ stretch = 100, density = 0.2, formulation = \"compliance\", damping \
             = {damping} }}\n"
        )
    };
    assert_eq!(kinds(&found(&[&cloth(0.009)])), [""; 0]);
    let damped = found(&[&cloth(0.02)]);
    assert_eq!(kinds(&damped), ["long_damping"]);
    assert!(
        damped.findings[0]
            .to_string()
            .contains("an edge of `cloth`"),
        "{damped:?}"
    );
    let stiffness = cloth(0.02).replace("compliance", "stiffness");
    assert_eq!(kinds(&found(&[&stiffness])), [""; 0]);
}

/// Correct scenes get no message at the start of a run.
#[test]
fn shipped_scenes_give_no_doubts_of_joints_and_tolerances() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut examined = 0;
    for entry in std::fs::read_dir(folder).expect("the scenes") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let needs_data = text.contains("IMPINGE_DATA");
        if path.extension().is_none_or(|end| end != "toml") || needs_data {
            continue;
        }
        let scene = Scene::load(&path, &[""; 0]).unwrap_or_else(|error| panic!("{error}"));
        let (model, _) =
            impinge_sim::model::Model::new(&scene).unwrap_or_else(|error| panic!("{error}"));
        let found = kinds(&impinge_sim::doctor::quick_look(&scene, &model));
        for kind in ["joint_apart", "tolerance", "long_damping"] {
            assert!(
                !found.contains(&kind.to_owned()),
                "{}: {found:?}",
                path.display()
            );
        }
        examined += 1;
    }
    assert!(examined >= 40, "{examined}");
}
