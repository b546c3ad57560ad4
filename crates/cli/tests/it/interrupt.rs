//! A signal in the middle of a step: the run ends at once, and all earlier steps are on disk.
#![cfg(unix)]

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Place;

/// Three steps of a fall, then one without an end: the box is crushed between plates, and the solver may iterate for
/// ever.
const ENDLESS: &str = r#"title = "a box is crushed for ever"

[time]
step = 1e-2
duration = 1.0

[solver]
max_iterations = 4294967295

[[body]]
name = "box"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0, 0, 0.051]

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }

[[obstacle]]
name = "plate"
shape = { cuboid = { size = [0.3, 0.3, 0.02] } }
position = [0, 0, 0.119]
motion = { velocity = [0, 0, -0.2] }
"#;

/// Longer than the run needs for its steps before the endless one, on a busy machine.
const UNTIL_ENDLESS: Duration = Duration::from_secs(20);

/// One second to end the current iteration and store the state, doubled for a busy machine.
const UNTIL_ENDED: Duration = Duration::from_secs(3);

#[test]
fn one_signal_ends_a_step_that_has_no_end() {
    let place = Place::new(ENDLESS);
    let mut child = place
        .command(&["run", "scene.toml", "--out", "out", "--quiet"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    // The frames of the fall appear at once; no more come during the endless step.
    let steps = place.path("out/steps.csv");
    let rows = || fs::read_to_string(&steps).map_or(0, |text| text.lines().count());
    let (begin, mut seen, mut since) = (Instant::now(), 0, Instant::now());
    while begin.elapsed() < UNTIL_ENDLESS && (seen < 2 || since.elapsed() < Duration::from_secs(1))
    {
        std::thread::sleep(Duration::from_millis(50));
        if rows() != seen {
            (seen, since) = (rows(), Instant::now());
        }
    }
    assert!(seen >= 2, "no step was completed");
    assert_eq!(
        child.try_wait().expect("a status"),
        None,
        "the step has an end"
    );
    let signalled = Instant::now();
    let kill = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill").success());
    while child.try_wait().expect("a status").is_none() {
        if signalled.elapsed() > UNTIL_ENDED {
            child.kill().expect("a process");
            panic!("it did not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().expect("its output");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let summary = fs::read_to_string(place.path("out/summary.json")).expect("a summary");
    assert!(summary.contains("\"interrupted\""), "{summary}");
    // Every row, and no part of a step, is stored: the last frame belongs to the last row.
    let stored = fs::read_to_string(place.path("out/frames.pvd")).expect("a table");
    assert_eq!(
        stored.matches("<DataSet").count(),
        rows(),
        "the start and each step"
    );
}
