//! Runs that are verified from their files: sound ones, and damage that is found.

use super::{Fixture, kinds};
use impinge_sim::output::{Finding, Frame, Problem, verify_frame, verify_run};
use nalgebra::{UnitQuaternion, Vector3};
use serde_json::json;
use std::fs;

/// Symptom: `verify` panicked on the first of these manifests and accepted runs with the others. Cause: unchecked
/// indices into lists of the manifest. Law: a manifest that does not match its scene is reported, with the key.
#[test]
fn a_manifest_that_does_not_fit_its_scene_is_told() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    fixture.run(folder.path(), |_| ());
    let path = folder.path().join("manifest.json");
    let sound: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let with = |changes: &[(&str, serde_json::Value)]| {
        let mut changed = sound.clone();
        for (key, value) in changes {
            changed[*key] = value.clone();
        }
        fs::write(&path, changed.to_string()).unwrap();
        verify_run(folder.path(), &|| ())
    };
    let error = with(&[("rigid_bodies", json!([2, 77]))])
        .unwrap_err()
        .to_string();
    assert!(error.contains("manifest.json"), "{error}");
    let said = "`rigid_bodies` entry 1 is 77, but `bodies` has 4 entries";
    assert!(error.contains(said), "{error}");
    let names = ["lower", "upper", "stone", "ball", "ghost"];
    for (changes, key) in [
        (
            vec![("rigid_bodies", json!([4])), ("bodies", json!(names))],
            "rigid_bodies",
        ),
        (
            vec![("rigid_bodies", json!([])), ("bodies", json!(["lower"]))],
            "bodies",
        ),
        (vec![("motions", json!([]))], "motions"),
    ] {
        let verification = with(&changes).unwrap();
        let expected = Problem::NotOfTheScene {
            key: key.to_owned(),
        };
        let is_told = verification
            .findings
            .iter()
            .any(|finding| finding.problem == expected);
        assert!(is_told, "{key}: {}", kinds(&verification));
    }
}

#[test]
fn one_changed_byte_is_found() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    fixture.run(folder.path(), |_| ());
    // One letter of the first array.
    let path = folder.path().join("frame_00001.vtu");
    let mut bytes = fs::read(&path).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let at = text
        .find("<DataArray")
        .and_then(|start| text[start..].find('>').map(|end| start + end + 40))
        .unwrap();
    bytes[at] = if bytes[at] == b'B' { b'C' } else { b'B' };
    fs::write(&path, bytes).unwrap();
    let verification = verify_run(folder.path(), &|| ()).unwrap();
    let finding = verification.findings.first().expect("a finding");
    assert_eq!(finding.file, "frame_00001.vtu");
    assert_eq!(finding.problem, Problem::Changed);
    assert!(finding.to_string().contains("at 0.01 s"), "{finding}");
}

#[test]
fn a_missing_or_truncated_frame_is_found() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    fixture.run(folder.path(), |_| ());
    let path = folder.path().join("frame_00001.vtu");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let truncated = verify_run(folder.path(), &|| ()).unwrap();
    assert!(
        truncated
            .findings
            .iter()
            .any(|f| matches!(f.problem, Problem::Unreadable(_)))
    );
    // The motions to it and from it.
    assert_eq!((truncated.motions, truncated.unknown_motions), (0, 2));
    fs::remove_file(&path).unwrap();
    let missing = verify_run(folder.path(), &|| ()).unwrap();
    assert!(matches!(
        missing.findings[0].problem,
        Problem::Unreadable(_)
    ));
}

/// Each violated guarantee is found by its own check, whatever the checksum.
#[test]
fn every_broken_guarantee_is_found() {
    let fixture = Fixture::new();
    let found = |change: &dyn Fn(&mut Frame), expected: &dyn Fn(&Problem) -> bool| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let verification = fixture.run(folder.path(), change);
        let hit = verification
            .findings
            .iter()
            .any(|finding| finding.file == "frame_00002.vtu" && expected(&finding.problem));
        assert!(hit, "found only:\n{}", kinds(&verification));
    };
    let body = |frame: &mut Frame, body: u32, shift: Vector3<f64>| {
        for (point, owner) in frame.points.iter_mut().zip(&frame.body_of_point) {
            if *owner == body {
                *point += shift;
            }
        }
    };
    found(
        &|frame| body(frame, 0, Vector3::new(0.01, 0.02, 0.15)),
        &|problem| {
            let both = |bodies: &[String]| {
                ["lower", "upper"]
                    .iter()
                    .all(|name| bodies.iter().any(|body| body == name))
            };
            matches!(problem, Problem::Intersection { bodies, .. } if both(bodies))
        },
    );
    found(
        &|frame| body(frame, 0, Vector3::new(0.0, 0.0, -0.050_000_1)),
        &|problem| matches!(problem, Problem::BelowPlane { half_space, .. } if half_space == "ground"),
    );
    // Through the ball and out on its other side: no frame intersects, only the motion between them.
    found(
        &|frame| body(frame, 0, Vector3::new(2.0, 0.013, 0.007)),
        &|problem| {
            let ball = |bodies: &[String]| bodies.contains(&"ball".to_owned());
            matches!(problem, Problem::Crossing { bodies, at, .. } if ball(bodies) && (0.01..0.02).contains(at))
        },
    );
    found(
        &|frame| frame.points[fixture.point(3)].x += 1e-9,
        &|problem| matches!(problem, Problem::OffPath { body, .. } if body == "ball"),
    );
    found(
        &|frame| frame.points[fixture.point(2)].y += 1e-9,
        &|problem| matches!(problem, Problem::Deformed { body, .. } if body == "stone"),
    );
    // All of its points mirrored: distances are unchanged, the shape is not.
    found(
        &|frame| {
            for (point, owner) in frame.points.iter_mut().zip(&frame.body_of_point) {
                if *owner == 2 {
                    point.y = -point.y + 0.01;
                }
            }
        },
        &|problem| matches!(problem, Problem::Deformed { body, .. } if body == "stone"),
    );
    found(
        &|frame| frame.points[fixture.point(0)] += Vector3::repeat(0.3),
        &|problem| matches!(problem, Problem::Inverted { body, .. } if body == "lower"),
    );
    found(
        &|frame| frame.points[fixture.point(0)].y = f64::NAN,
        &|problem| matches!(problem, Problem::NotFinite { .. }),
    );
    found(&|frame| frame.tets[0].swap(0, 1), &|problem| {
        matches!(problem, Problem::DifferentMesh)
    });
}

/// A rigid body may move and rotate freely.
#[test]
fn a_turned_rigid_body_keeps_its_shape() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.2, 0.5));
    let verification = fixture.run(folder.path(), |frame| {
        for (point, owner) in frame.points.iter_mut().zip(&frame.body_of_point) {
            if *owner == 2 {
                *point = turn * *point + Vector3::new(0.0, 1.0, 0.3);
            }
        }
    });
    let deformed = |finding: &Finding| matches!(finding.problem, Problem::Deformed { .. });
    assert!(
        !verification.findings.iter().any(deformed),
        "{}",
        kinds(&verification)
    );
    assert_eq!(verification.rigid, 3);
}

#[test]
fn a_single_frame_is_verified_without_a_manifest() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    fixture.run(folder.path(), |frame| {
        for (point, owner) in frame.points.iter_mut().zip(&frame.body_of_point) {
            if *owner == 0 {
                point.z += 0.15;
            }
        }
    });
    assert!(
        verify_frame(folder.path().join("frame_00001.vtu"))
            .unwrap()
            .is_sound()
    );
    assert!(
        !verify_frame(folder.path().join("frame_00002.vtu"))
            .unwrap()
            .is_sound()
    );
}

#[test]
fn motions_that_were_not_stored_are_counted() {
    let fixture = Fixture::storing_every(2);
    let folder = tempfile::tempdir().unwrap();
    let frames = [(0, fixture.at(0.0)), (2, fixture.at(0.02))];
    let verification = fixture.write(folder.path(), &frames);
    assert!(verification.is_sound(), "{}", kinds(&verification));
    assert_eq!((verification.motions, verification.unknown_motions), (0, 1));
    assert_eq!(verification.notes.len(), 1);
}
