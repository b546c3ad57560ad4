//! Output that is written and read.

mod verified;

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use impinge_sim::output::{
    Beside, Checkpoint, Checksum, Frame, FrameContacts, FrameStamp, FrameWriter, Manifest, Outcome,
    OutputError, RigidCsv, RunFacts, RunHeader, Status, StepsCsv, Summary, Verification,
    column_names, peak_memory, read_frame, verify_run,
};
use impinge_sim::{Scene, Simulation, StepReport};
use nalgebra::Vector3;

/// Two cubes, one above the other, the upper one held at its top by a moving grip; a moving ball; the ground.
const SCENE: &str = r#"
[time]
step = 0.01
duration = 0.1

[solver]
allow_inversion = false

[[body]]
name = "lower"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.1]

[[body]]
name = "upper"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.3]
fixed = [{ box = { lower = [-1, -1, 0.34], upper = [1, 1, 1] }, motion = { velocity = [0, 0, 0.5] } }]

[[body]]
name = "stone"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [-1, 0, 0.1]

[[obstacle]]
name = "ball"
shape = { sphere = { radius = 0.05, subdivisions = 1 } }
position = [1, 0, 0.1]
motion = { velocity = [1, 0, 0], angular_velocity = [0, 0, 3] }

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// Files of a run without frames.
const FRESH: [&str; 5] = [
    ".lock",
    "contacts.pvd",
    "frames.csv",
    "frames.pvd",
    "manifest.json",
];

struct Fixture {
    header: RunHeader,
    first: Frame,
    scene: Scene,
    simulation: Simulation,
}

impl Fixture {
    fn new() -> Self {
        Self::storing_every(1)
    }

    /// A fixture that stores a frame every so many steps.
    fn storing_every(steps: u32) -> Self {
        // Its states follow from no steps, so it has no reactions.
        let keys = [
            format!("output.every={steps}"),
            "output.reactions=false".to_owned(),
        ];
        let scene = Scene::parse("test.toml", SCENE, &keys).expect("a good scene");
        let simulation = Simulation::new(&scene).expect("a good scene");
        Self {
            header: RunHeader::new(&scene, simulation.model()),
            first: Frame::capture(simulation.model(), simulation.state()),
            scene,
            simulation,
        }
    }

    /// The state at `time` without forces: prescribed points on their paths, the others at rest.
    fn at(&self, time: f64) -> Frame {
        let mut frame = self.first.clone();
        for (point, motion) in frame.motion_of_point.iter().enumerate() {
            if let Some(motion) = motion {
                frame.points[point] = self.simulation.model().unknowns.motions[*motion as usize]
                    .position_at(&self.first.points[point], time);
            }
        }
        frame
    }

    /// A run of three frames, `change` applied to the last one.
    fn run(&self, folder: &Path, change: impl Fn(&mut Frame)) -> Verification {
        let mut frames: Vec<(u32, Frame)> = (0..3)
            .map(|step| (step, self.at(0.01 * f64::from(step))))
            .collect();
        change(&mut frames[2].1);
        self.write(folder, &frames)
    }

    /// A run that stored `frames` after these undivided steps.
    fn write(&self, folder: &Path, frames: &[(u32, Frame)]) -> Verification {
        let mut writer = FrameWriter::create(folder, &self.header).expect("a new folder");
        let mut steps = StepsCsv::create(folder).expect("room on the disk");
        let rigid = RigidCsv::create(folder, self.simulation.model()).expect("room on the disk");
        let mut rigid = rigid.expect("a rigid body");
        let mut summary = Summary::new(self.scene.settled_after());
        let mut state = self.simulation.state().clone();
        // No frame has contact forces.
        let contacts = FrameContacts::capture(self.simulation.model(), &state);
        for (step, frame) in frames {
            let before = state.step;
            for next in before + 1..=u64::from(*step) {
                let report = StepReport {
                    step: next,
                    time: next as f64 * 0.01,
                    substeps: 1,
                    ..StepReport::default()
                };
                steps.row(&report).expect("room on the disk");
                summary.add(&report);
            }
            state.step = u64::from(*step);
            state.time = f64::from(*step) * 0.01;
            state.positions.clone_from(&frame.points);
            state.velocities.clone_from(&frame.velocities);
            let stamp = FrameStamp {
                step: state.step,
                time: state.time,
                parts: (state.step - before) as u32,
            };
            let beside = Beside {
                contacts: Some(&contacts),
                ..Beside::default()
            };
            writer
                .write_with(frame, beside, stamp)
                .expect("room on the disk");
            rigid
                .rows(self.simulation.model(), &state)
                .expect("room on the disk");
        }
        let checkpoint = Checkpoint {
            scene_hash: self.header.scene_hash(),
            counters: summary.counters(),
            state: Cow::Owned(state),
            wall_seconds: 0.0,
        };
        checkpoint.write(folder).expect("room on the disk");
        let facts = RunFacts {
            title: self.scene.title.clone(),
            scene_hash: self.header.scene_hash(),
            threads: 1,
            points: self.first.points.len(),
            tets: self.first.tets.len(),
            frames: frames.len(),
            wall_seconds: 0.0,
        };
        let outcome = Outcome {
            status: Status::Completed,
            exit_code: 0,
            message: None,
        };
        summary
            .write(folder, &facts, &outcome)
            .expect("room on the disk");
        verify_run(folder, &|| ()).expect("a manifest")
    }

    /// The first point of body `body`.
    fn point(&self, body: u32) -> usize {
        self.first
            .body_of_point
            .iter()
            .position(|&b| b == body)
            .expect("the body has points")
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| {
            let name = entry.expect("a readable entry").file_name();
            name.to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    names
}

fn kinds(verification: &Verification) -> String {
    let lines: Vec<String> = verification
        .findings
        .iter()
        .map(ToString::to_string)
        .collect();
    lines.join("\n")
}

#[test]
fn a_frame_is_read_back_bit_for_bit() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let mut frame = fixture.first.clone();
    // Numbers that a detour through decimals or single precision would change.
    for (index, point) in frame.points.iter_mut().enumerate() {
        *point += Vector3::new(1.0 / 3.0, f64::MIN_POSITIVE, 1e-300) * index as f64;
    }
    frame.velocities[0] = Vector3::new(-0.0, 5e-324, f64::MAX);
    frame.contact_forces[1].x = std::f64::consts::PI;
    frame.von_mises[0] = 0.1 + 0.2;
    let mut writer = FrameWriter::create(folder.path(), &fixture.header).unwrap();
    let stamp = FrameStamp {
        step: 0,
        time: 0.0,
        parts: 0,
    };
    writer.write(&frame, stamp).unwrap();
    let again = read_frame(folder.path().join("frame_00000.vtu")).unwrap();
    assert_eq!(again, frame);
    let bits = |frame: &Frame| -> Vec<u64> {
        frame
            .velocities
            .iter()
            .flatten()
            .map(|x| x.to_bits())
            .collect()
    };
    assert_eq!(bits(&again), bits(&frame));
}

#[test]
fn a_run_lists_its_frames() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let verification = fixture.run(folder.path(), |_| ());
    assert!(verification.is_sound(), "{}", kinds(&verification));
    assert_eq!((verification.frames, verification.motions), (3, 2));
    assert!(verification.prescribed > 0);
    assert_eq!(
        names(folder.path()),
        [
            ".lock",
            "checkpoint.bin",
            "contacts.pvd",
            "contacts_00000.vtp",
            "contacts_00001.vtp",
            "contacts_00002.vtp",
            "frame_00000.vtu",
            "frame_00001.vtu",
            "frame_00002.vtu",
            "frames.csv",
            "frames.pvd",
            "manifest.json",
            "rigid.csv",
            "steps.csv",
            "summary.json"
        ]
    );
    let manifest = Manifest::read(folder.path()).unwrap();
    assert_eq!(manifest.bodies, ["lower", "upper", "stone", "ball"]);
    assert_eq!(manifest.frames[2].step, 2);
    let pvd = fs::read_to_string(folder.path().join("frames.pvd")).unwrap();
    insta::assert_snapshot!("frames_pvd", pvd);
}

#[test]
fn a_new_run_replaces_an_earlier_one() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    fixture.run(folder.path(), |_| ());
    // A file of another stepper.
    fs::write(folder.path().join("events.json"), "{}").unwrap();
    FrameWriter::create(folder.path(), &fixture.header).unwrap();
    let left = names(folder.path());
    assert_eq!(left, FRESH);
}

/// Symptom: a run killed between a frame and its entry in a list, or before its first file was complete, left a folder
/// that no run would use. Law: the files of a killed run can be replaced.
#[test]
fn remains_of_a_killed_run_are_replaced() {
    let fixture = Fixture::new();
    let replaced = |left: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        for name in left {
            fs::write(folder.path().join(name), "").unwrap();
        }
        FrameWriter::create(folder.path(), &fixture.header).unwrap();
        assert_eq!(names(folder.path()), FRESH, "after {left:?}");
    };
    replaced(&[".lock"]);
    replaced(&[".lock", ".manifest.json.part"]);
    replaced(&[".lock", "frames.pvd"]);
    replaced(&[
        ".lock",
        "contacts_00000.vtp",
        "lines_00000.vtp",
        "lines.pvd",
        "frame_00000.vtu",
        ".contacts_00001.vtp.part",
        ".lines_00001.vtp.part",
        ".frame_00001.vtu.part",
        "checkpoint.bin",
    ]);

    let folder = tempfile::tempdir().unwrap();
    fixture.run(folder.path(), |_| ());
    fs::write(folder.path().join("frame_00003.vtu"), "").unwrap();
    fs::write(folder.path().join(".checkpoint.bin.part"), "").unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    FrameWriter::create(folder.path(), &fixture.header).unwrap();
    assert_eq!(names(folder.path()), [&FRESH[..], &["notes.txt"]].concat());
    // A lock alone does not mark a folder as that of a run.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".lock"), "").unwrap();
    fs::write(folder.path().join("frame_00000.vtu"), "").unwrap();
    fs::write(folder.path().join("thesis.tex"), "important").unwrap();
    let error = FrameWriter::create(folder.path(), &fixture.header).unwrap_err();
    assert!(error.to_string().contains("thesis.tex"), "{error}");
    assert_eq!(names(folder.path()).len(), 3);
}

/// A run of an earlier format is replaced, and reported where it would be read.
#[test]
fn another_format_is_said() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("manifest.json");
    fs::write(
        &path,
        r#"{"format":1,"version":"0.1.0","scene_hash":"cbf29ce484222325","frames":[]}"#,
    )
    .unwrap();
    let error = verify_run(folder.path(), &|| ()).unwrap_err();
    assert!(
        matches!(error, OutputError::OtherFormat { format: 1, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("mend: "), "{error}");
    FrameWriter::create(folder.path(), &fixture.header).unwrap();
}

/// After every frame the collection is valid for ParaView, also when the writer is gone.
#[test]
fn the_collection_is_whole_after_every_frame() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let mut writer = FrameWriter::create(folder.path(), &fixture.header).unwrap();
    for step in 0..4u32 {
        let stamp = FrameStamp {
            step: u64::from(step),
            time: 0.01 * f64::from(step),
            parts: u32::from(step > 0),
        };
        writer.write(&fixture.first, stamp).unwrap();
        let text = fs::read_to_string(folder.path().join("frames.pvd")).unwrap();
        assert_eq!(text.matches("<DataSet").count(), step as usize + 1);
        assert!(text.ends_with("  </Collection>\n</VTKFile>\n"), "{text}");
        assert_eq!(
            Manifest::read(folder.path()).unwrap().frames.len(),
            step as usize + 1
        );
    }
}

#[test]
fn a_folder_is_written_by_one_run_at_a_time() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let writer = FrameWriter::create(folder.path(), &fixture.header).unwrap();
    let error = FrameWriter::create(folder.path(), &fixture.header).unwrap_err();
    assert!(matches!(error, OutputError::FolderLocked { .. }), "{error}");
    let said = error.to_string();
    assert!(
        said.contains(&folder.path().display().to_string()),
        "{said}"
    );
    assert!(said.contains("mend: "), "{said}");
    drop(writer);
    FrameWriter::create(folder.path(), &fixture.header).unwrap();
}

#[test]
fn a_folder_with_other_files_is_left_alone() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "important").unwrap();
    let error = FrameWriter::create(folder.path(), &fixture.header).unwrap_err();
    assert!(matches!(error, OutputError::FolderInUse { .. }), "{error}");
    assert!(error.to_string().contains("thesis.tex"), "{error}");
    assert_eq!(names(folder.path()), ["thesis.tex"]);

    // A manifest is no permission to delete files that it does not list.
    let folder = tempfile::tempdir().unwrap();
    fixture.run(folder.path(), |_| ());
    fs::write(folder.path().join("frame_other.vtu"), "").unwrap();
    let error = FrameWriter::create(folder.path(), &fixture.header).unwrap_err();
    assert!(error.to_string().contains("frame_other.vtu"), "{error}");
    assert_eq!(names(folder.path()).len(), 16);
}

#[test]
fn a_file_in_the_place_of_the_folder_is_named() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    fs::write(&path, "").unwrap();
    let error = FrameWriter::create(&path, &fixture.header).unwrap_err();
    assert!(
        matches!(error, OutputError::NotWritable { .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("out"), "{error}");
}

#[test]
fn a_manifest_cannot_point_outside_its_folder() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    fixture.run(folder.path(), |_| ());
    let path = folder.path().join("frames.csv");
    let text = fs::read_to_string(&path)
        .unwrap()
        .replace("frame_00001.vtu", "../frame_00001.vtu");
    fs::write(&path, text).unwrap();
    assert!(matches!(
        Manifest::read(folder.path()),
        Err(OutputError::Format { .. })
    ));
}

#[test]
fn columns_of_steps_csv() {
    insta::assert_snapshot!("columns", column_names().join(","));
    let folder = tempfile::tempdir().unwrap();
    let mut steps = StepsCsv::create(folder.path()).unwrap();
    let report = StepReport {
        step: 1,
        time: 0.1 + 0.2,
        minimum_gap: f64::INFINITY,
        ..StepReport::default()
    };
    steps.row(&report).unwrap();
    // Rows are on disk at once, before the writer is dropped.
    let text = fs::read_to_string(folder.path().join("steps.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines[1].starts_with("1,0.30000000000000004,0,"),
        "{}",
        lines[1]
    );
    assert!(lines[1].contains(",inf,"), "{}", lines[1]);
    assert_eq!(lines[0].split(',').count(), lines[1].split(',').count());
}

/// `docs/output.md` has a line for every column.
#[test]
fn every_column_is_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/output.md");
    let text = fs::read_to_string(path).unwrap();
    let missing: Vec<&str> = column_names()
        .into_iter()
        .filter(|name| !text.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "not documented: {missing:?}");
}

#[test]
fn the_summary_separates_the_settled_part() {
    let mut summary = Summary::new(0.15);
    let folder = tempfile::tempdir().unwrap();
    let mut steps = StepsCsv::create(folder.path()).unwrap();
    for step in 1..=4 {
        let report = StepReport {
            step,
            time: 0.1 * step as f64,
            iterations: 10 * step,
            substeps: if step == 3 { 2 } else { 1 },
            ..StepReport::default()
        };
        summary.add(&report);
        steps.row(&report).unwrap();
    }
    let facts = RunFacts {
        title: "test".to_owned(),
        scene_hash: Checksum::of(b"scene"),
        threads: 2,
        points: 8,
        tets: 5,
        frames: 1,
        wall_seconds: 0.5,
    };
    let outcome = Outcome {
        status: Status::Completed,
        exit_code: 0,
        message: None,
    };
    summary.write(folder.path(), &facts, &outcome).unwrap();
    let text = fs::read_to_string(folder.path().join("summary.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["all"]["iterations"]["mean"], 25.0);
    assert_eq!(json["settled"]["iterations"]["count"], 3);
    assert_eq!(json["settled"]["iterations"]["median"], 30.0);
    assert_eq!(json["counters"]["subdivided_steps"], 1);
    assert_eq!(json["steps"], 4);
    assert_eq!(json["outcome"]["status"], "completed");
    assert_eq!(peak_memory().is_some(), cfg!(target_os = "linux"));
}
