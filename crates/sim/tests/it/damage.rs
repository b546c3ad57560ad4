//! Damaged scenes and files of runs are rejected or read; they never cause a panic, an endless loop or exhausted
//! memory.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use impinge_damage::{mutants, number_mutants, peak_memory};
use impinge_sim::model::Model;
use impinge_sim::output::{
    Beside, Checkpoint, Checksum, Frame, FrameContacts, FrameLines, FrameStamp, FrameWriter,
    Manifest, Outcome, ReactionsCsv, RigidCsv, RunFacts, RunHeader, Status, StepsCsv, Summary,
    read_contacts, read_lines, verify_run,
};
use impinge_sim::{Scene, Simulation};

/// Mutants of each kind of file.
const MUTANTS: usize = 1000;

/// Memory limit of a reader for files of a few kilobytes (bytes): far above its need, far below that of a damaged
/// count.
const MOST_MEMORY: usize = 64 << 20;

/// Node limit of a generated scene that is built: more is valid, but too slow for so many scenes.
const MOST_NODES: u64 = 500;

/// Every kind of body, obstacle and motion.
const BODIES: &str = r#"title = "all kinds"

[time]
step = 1e-3
duration = 0.5
minimum_step = 1e-5

[world]
gravity = [0, 0, -9.81]
friction = 0.3

[solver]
max_iterations = 5000
tolerances = "physical"
gap_tolerance = 1e-5

[output]
every = 10
settled_after = 0.25

[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000, stiffness_damping = 1e-3, mass_damping = 0.1 }
position = [0, 0, 0.2]
rotation = { axis = [0, 0, 1], degrees = 30 }
velocity = [0.1, 0, -0.1]
angular_velocity = [0, 0, 1]
friction = 0.4
copies = { count = 4, columns = [2, 2], random_rotation = true, seed = 3 }

[[body]]
name = "held"
mesh = { hexahedra = { size = [0.2, 0.1, 0.1], cells = [2, 1, 1] } }
material = { model = "neo_hookean", young = 2e5, poisson = 0.4, density = 1100 }
position = [3, 0, 0.5]
fixed = [{ box = { lower = [2.89, -1, 0], upper = [2.91, 1, 1] }, motion = { velocity = [0, 0, 0.1], then = [
    { at = 0.1, velocity = [0, 0.2, 0] },
] }, until = 0.3 }]
pulls = [{ box = { lower = [3.09, -1, 0], upper = [3.11, 1, 1] }, force = [0, 0, -1] }]

[[body]]
name = "cloth"
kind = "shell"
mesh = { grid = { size = [0.4, 0.4], cells = [2, 2] } }
shell = { stretch = 1e3, bend = 1e-4, density = 0.2, damping = 1e-3 }
position = [-2, 0, 0.5]

[[body]]
name = "stone"
kind = "rigid"
mesh = { sphere = { radius = 0.1, subdivisions = 1 } }
density = 2000
position = [0, 3, 0.5]

[[obstacle]]
name = "ball"
shape = { sphere = { radius = 0.05, subdivisions = 1 } }
position = [0, -3, 0.1]
motion = { velocity = [1, 0, 0], angular_velocity = [0, 0, 3], center = [0, -3, 0] }

[[obstacle]]
name = "wheel"
shape = { torus = { major_radius = 0.3, minor_radius = 0.1, sides = 8, tube_sides = 6 } }
position = [0, -6, 1]
rotation = { axis = [1, 0, 0], degrees = 90 }
friction = 0.9

[[obstacle]]
name = "ground"
shape = { half_space = { point = [0, 0, 0], normal = [0, 0, 1] } }
"#;

/// Joints of several kinds.
const JOINTS: &str = r#"[time]
step = 1e-2
duration = 1.0

[[body]]
name = "cloth"
kind = "shell"
mesh = { grid = { size = [1, 1], cells = [2, 2] } }
shell = { stretch = 1e6, poisson = 0.3, density = 0.1 }
fixed = [{ box = { lower = [-0.51, 0.49, -0.1], upper = [0.51, 0.51, 0.1] } }]

[[body]]
name = "weight"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 5
position = [0, -0.5, 0]

[[body]]
name = "arm"
kind = "rigid"
mesh = { cylinder = { radius = 0.1, height = 0.4, rings = 1, layers = 1 } }
density = 500
position = [2, 0, 0]
copies = { count = 3, columns = [3, 1], spacing = [0.5, 0.5, 0.5] }

[[body]]
name = "pad"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000, formulation = "compliance" }
position = [0, -0.5, 0.1]

[[joint]]
kind = "ball"
first = "weight"
second = "cloth"
anchor = [0, -0.5, 0]
compliance = 1e-6

[[joint]]
kind = "hinge"
first = "arm"
second = "arm"
anchor = [2.2, 0, 0]
axis = [0, 1, 0]
limits = [-0.5, 0.5]

[[joint]]
kind = "bind"
first = "pad"
second = "weight"
box = { lower = [-1, -1, 0.04], upper = [1, 1, 0.06] }

[[joint]]
kind = "rope"
first = "weight"
anchor = [0, -0.5, 0.05]
end = [0, -0.5, 2]
length = 3
via = [{ at = [0.5, -0.5, 1] }, { at = [0.1, -0.5, 1.5] }]
contact = false
"#;

/// The constrained stepper, and a cloth with fibres.
const CONSTRAINED: &str = r#"stepper = "constrained"

[time]
step = 1e-2
duration = 1.0

[[body]]
name = "cloth"
kind = "shell"
mesh = { quadrilaterals = { size = [1, 1], cells = [2, 2] } }
shell = { stretch = 1e6, poisson = 0.3, density = 0.1, orthotropic = { fibre = [1, 0, 0], across = 1e5, shear = 4e4 } }
fixed = [{ box = { lower = [-0.51, 0.49, -0.1], upper = [0.51, 0.51, 0.1] } }]

[[body]]
name = "strap"
kind = "shell"
mesh = { strip = { points = [
    [0, -0.5, 0], [0, -0.5, -1], [0.5, -0.5, -1],
], across = [0, 1, 0], width = 0.1, spacing = 0.5 } }
shell = { stretch = 1e5, density = 0.1 }

[[joint]]
kind = "ball"
first = "cloth"
second = "strap"
anchor = [0, -0.5, 0]
"#;

/// The asynchronous stepper.
const ASYNCHRONOUS: &str = r#"title = "drops"
stepper = "asynchronous"

[time]
step = 1e-3
duration = 0.1

[asynchronous]
thickness = 1e-3
restitution = 0.5

[[body]]
mesh = { ring = { major_radius = 0.1, section = 0.02, segments = 6 } }
material = { model = "st_venant_kirchhoff", young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.5]

[[obstacle]]
name = "box"
shape = { cuboid = { size = [1, 1, 0.1] } }
"#;

/// Reads a scene file like the program, and builds a small one; returns whether it is a scene.
fn read_scene(path: &Path) -> bool {
    let shown = || String::from_utf8_lossy(&fs::read(path).expect("a file")).into_owned();
    let (scene, held) = peak_memory(|| Scene::load(path, &[""; 0]));
    assert!(held < MOST_MEMORY, "{held} bytes are held for {}", shown());
    let Ok(scene) = scene else { return false };
    if scene.generated_nodes() <= MOST_NODES {
        let (_, held) = peak_memory(|| Model::new(&scene));
        assert!(held < MOST_MEMORY, "{held} bytes are held for {}", shown());
    }
    true
}

/// Number of valid scenes among damaged ones.
fn scenes_among(mutants: impl Iterator<Item = Vec<u8>>) -> usize {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("scene.toml");
    let read = mutants.map(|mutant| {
        fs::write(&path, &mutant).expect("room");
        read_scene(&path)
    });
    read.filter(|&read| read).count()
}

const SCENES: [&str; 4] = [BODIES, JOINTS, CONSTRAINED, ASYNCHRONOUS];

#[test]
fn mutants_of_scenes() {
    let mut read = 0;
    for (seed, sound) in (0..).zip(SCENES) {
        let scene = Scene::parse("scene.toml", sound, &[""; 0]).expect("a scene");
        Model::new(&scene).expect("a model");
        read += scenes_among(mutants(sound.as_bytes(), seed).take(MUTANTS / SCENES.len()));
    }
    assert!(read > 0, "no damage is harmless");
}

/// Scenes of valid form with invalid numbers: most reach the construction of the model.
#[test]
fn mutants_of_the_numbers_of_scenes() {
    let mut read = 0;
    for (seed, sound) in (0..).zip(SCENES) {
        read += scenes_among(number_mutants(sound, seed).take(MUTANTS / SCENES.len()));
    }
    assert!(read > MUTANTS / 5, "only {read} mutants are scenes");
}

/// The nodes of a scene with one body of this `mesh`: predicted and generated.
fn nodes_of(kind: &str, mesh: &str) -> [u64; 2] {
    let text =
        format!("[time]\nstep = 1e-3\nduration = 1\n[[body]]\nmesh = {{ {mesh} }}\n{kind}\n");
    let scene = Scene::parse("scene.toml", &text, &[""; 0]).expect("a scene");
    let (model, _) = Model::new(&scene).expect("a model");
    [scene.generated_nodes(), model.points.rest.len() as u64]
}

/// Law: the count that is compared with the limit is that of the mesh.
#[test]
fn nodes_are_counted_without_making_them() {
    let solids = [
        "ring = { major_radius = 1, section = 0.1, segments = 7 }",
        "torus = { major_radius = 1, minor_radius = 0.3, layers = 7, rings = 2 }",
        "cuboid = { size = [1, 1, 1], cells = [2, 3, 4] }",
        "hexahedra = { size = [1, 1, 1], cells = [2, 3, 4] }",
        "sphere = { radius = 1, subdivisions = 1 }",
        "sphere = { radius = 1, subdivisions = 4 }",
        "cylinder = { radius = 1, height = 1, rings = 3, layers = 2 }",
        "sheet = { size = [1, 1], thickness = 0.1, cells = [2, 3] }",
        "voussoir = { inner_radius = 1, outer_radius = 2, degrees = 12, depth = 1 }",
    ];
    let sheets = [
        "grid = { size = [1, 1], cells = [2, 3] }",
        "quadrilaterals = { size = [1, 1], cells = [2, 3] }",
    ];
    let solid = "material = { young = 1e5, poisson = 0.3, density = 1000 }";
    let shell = "kind = \"shell\"\nshell = { stretch = 1e3, poisson = 0.3, density = 0.1 }";
    for (kind, meshes) in [(solid, &solids[..]), (shell, &sheets[..])] {
        for mesh in meshes {
            let [counted, made] = nodes_of(kind, mesh);
            assert_eq!(counted, made, "{mesh}");
        }
    }
}

/// Symptom: counts in a scene of a few hundred bytes generated meshes of gigabytes, which were then rejected. Law: the
/// node limit is checked before any mesh is generated, and obstacles count.
#[test]
fn scenes_beyond_the_limit_of_nodes_are_refused_at_once() {
    for (from, to) in [
        ("cells = [1, 1, 1]", "cells = [500, 500, 500]"),
        (
            "radius = 0.1, subdivisions = 1",
            "radius = 0.1, subdivisions = 500",
        ),
        ("count = 4,", "count = 4000000000,"),
        (
            "sides = 8, tube_sides = 6",
            "sides = 4000000000, tube_sides = 4000000000",
        ),
    ] {
        assert!(BODIES.contains(from), "{from}");
        let text = BODIES.replacen(from, to, 1);
        let scene = Scene::parse("scene.toml", &text, &[""; 0]).expect("a scene");
        let (made, held) = peak_memory(|| scene.instantiate().map(|_| ()));
        let said = made.expect_err("a limit").to_string();
        assert!(said.contains("20000000 nodes"), "{to}: {said}");
        assert!(held < MOST_MEMORY, "{to}: {held} bytes");
    }
}

/// A cube falls onto the ground next to a rigid one and a wheel.
const FALL: &str = r#"title = "a cube falls"

[time]
step = 1e-3
duration = 3e-3

[output]
every = 1

[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.0515]
velocity = [0.5, 0, -1]

[[body]]
name = "stone"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0.3, 0, 0.0515]

[[joint]]
kind = "rope"
first = "cube"
second = "stone"
anchor = [0, 0, 0.1]
end = [0.3, 0, 0.1]
compliance = 1e-3

[[obstacle]]
name = "wheel"
shape = { cylinder = { radius = 0.05, height = 0.1, sides = 6 } }
position = [0, 1, 0.3]
motion = { velocity = [0.1, 0, 0], angular_velocity = [0, 0, 9] }

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// A valid run of [`FALL`] in its own folder.
struct Run {
    folder: tempfile::TempDir,
    scene: Scene,
    steps: u64,
}

impl Run {
    fn new() -> Self {
        let scene = Scene::parse("scene.toml", FALL, &[""; 0]).expect("a scene");
        let mut simulation = Simulation::new(&scene).expect("a simulation");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let header = RunHeader::new(&scene, simulation.model());
        let mut frames = FrameWriter::create(folder.path(), &header).expect("room");
        let mut steps = StepsCsv::create(folder.path()).expect("room");
        let rigid = RigidCsv::create(folder.path(), simulation.model()).expect("room");
        let mut rigid = rigid.expect("a rigid body");
        let reactions = ReactionsCsv::create(folder.path(), &scene, &simulation).expect("room");
        let mut reactions = reactions.expect("a driven wheel");
        let mut summary = Summary::new(scene.settled_after());
        for step in 0..=scene.time.steps() {
            let mut parts = 0;
            if step > 0 {
                let report = simulation.advance().expect("a step");
                steps.row(&report).expect("room");
                summary.add(&report);
                parts = report.substeps;
                reactions.rows(&simulation).expect("room");
            }
            let (model, state) = (simulation.model(), simulation.state());
            rigid.rows(model, state).expect("room");
            let stamp = FrameStamp {
                step,
                time: state.time,
                parts,
            };
            let frame = Frame::capture(model, state);
            let contacts = FrameContacts::capture(model, state);
            let lines = FrameLines::capture(model, state);
            let beside = Beside {
                contacts: Some(&contacts),
                lines: Some(&lines),
                ..Beside::default()
            };
            frames.write_with(&frame, beside, stamp).expect("room");
        }
        let checkpoint = Checkpoint {
            scene_hash: header.scene_hash(),
            counters: summary.counters(),
            state: Cow::Borrowed(simulation.state()),
            wall_seconds: 0.5,
        };
        checkpoint.write(folder.path()).expect("room");
        let facts = RunFacts {
            title: scene.title.clone(),
            scene_hash: header.scene_hash(),
            threads: 1,
            points: simulation.model().points.rest.len(),
            tets: simulation.model().elements.tets.len(),
            frames: frames.frames(),
            wall_seconds: 0.5,
        };
        let outcome = Outcome {
            status: Status::Completed,
            exit_code: 0,
            message: None,
        };
        (summary.write(folder.path(), &facts, &outcome)).expect("room");
        let run = Self {
            folder,
            steps: scene.time.steps(),
            scene,
        };
        let findings = verify_run(run.path(), &|| ()).expect("a run").findings;
        assert!(findings.is_empty(), "{findings:#?}");
        run
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Reads, verifies and resumes the run with mutants of one of its files.
    fn damage(&self, file: &str, seed: u64) {
        let path = self.path().join(file);
        let sound = fs::read(&path).expect("a file");
        let header = {
            let (model, _) = Model::new(&self.scene).expect("a model");
            RunHeader::new(&self.scene, &model)
        };
        let checkpoint = Checkpoint::read(self.path()).expect("a checkpoint");
        let simulation = Simulation::new(&self.scene).expect("a simulation");
        for mutant in mutants(&sound, seed).take(MUTANTS) {
            fs::write(&path, &mutant).expect("room");
            let ((), held) = peak_memory(|| {
                let _ = Manifest::read(self.path());
                let _ = verify_run(self.path(), &|| ());
                let _ = FrameWriter::kept(self.path(), &header, &checkpoint);
                let _ = StepsCsv::kept(self.path(), self.steps);
                let _ = ReactionsCsv::kept(self.path(), &self.scene, &simulation, self.steps);
            });
            let shown = || String::from_utf8_lossy(&mutant).into_owned();
            assert!(held < MOST_MEMORY, "{held} bytes are held for {}", shown());
        }
        fs::write(&path, &sound).expect("room");
    }
}

#[test]
fn mutants_of_manifests() {
    Run::new().damage("manifest.json", 1);
}

#[test]
fn mutants_of_lists_of_frames() {
    Run::new().damage("frames.csv", 1);
}

#[test]
fn mutants_of_tables_of_steps() {
    Run::new().damage("steps.csv", 1);
}

#[test]
fn mutants_of_contacts() {
    let run = Run::new();
    let file = format!("contacts_{:05}.vtp", run.steps);
    let contacts = read_contacts(run.path().join(&file)).expect("a file of contacts");
    assert!(!contacts.contacts.is_empty());
    run.damage(&file, 1);
}

#[test]
fn mutants_of_lines() {
    let run = Run::new();
    let file = format!("lines_{:05}.vtp", run.steps);
    let lines = read_lines(run.path().join(&file)).expect("a file of lines");
    assert_eq!(lines.lines.len(), 1);
    run.damage(&file, 1);
}

#[test]
fn mutants_of_tables_of_reactions() {
    Run::new().damage("reactions.csv", 1);
}

/// Checkpoints with a valid checksum and invalid contents.
#[test]
fn mutants_of_checkpoints() {
    let run = Run::new();
    let path = run.path().join("checkpoint.bin");
    let sound = fs::read(&path).expect("a checkpoint");
    let line = sound.iter().position(|&byte| byte == b'\n');
    let (header, rest) = sound.split_at(line.expect("a first line") + 1);
    let body = &rest[Checksum::of(rest).to_le_bytes().len()..];
    let (mut read, mut taken_up) = (0, 0);
    for (index, mutant) in mutants(body, 1).take(MUTANTS).enumerate() {
        let checksum = Checksum::of(&mutant).to_le_bytes();
        // Some have an invalid checksum.
        let content = match index % 10 {
            0 => mutants(&sound, index as u64).next().unwrap_or_default(),
            _ => [header, &checksum, &mutant].concat(),
        };
        fs::write(&path, &content).expect("room");
        let (checkpoint, held) = peak_memory(|| Checkpoint::read(run.path()));
        assert!(
            held < MOST_MEMORY,
            "{held} bytes are held for mutant {index}"
        );
        let Ok(checkpoint) = checkpoint else { continue };
        read += 1;
        let mut simulation = Simulation::new(&run.scene).expect("a simulation");
        let resumed = simulation.resume(checkpoint.state.into_owned());
        taken_up += usize::from(resumed.is_ok());
    }
    assert!(read > MUTANTS / 10, "only {read} mutants are checkpoints");
    assert!(taken_up < read, "every state fits");
}
