//! Studies: one table of many runs.

use std::fs;

use super::{LANDING, Place};

const GRID: [&str; 4] = [
    "--grid",
    "body.0.material.young=5e4,1e5,2e5,4e5",
    "--grid",
    "world.friction=0,0.1,0.3,0.5",
];

fn sweep(place: &Place, out: &str, more: &[&str]) -> super::Answer {
    let arguments = ["sweep", "scene.toml", "--quiet", "--out", out];
    place.impinge(&[&arguments, more].concat())
}

fn rows(place: &Place, out: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(place.path(out).join("sweep.csv")).expect("a table");
    let line = |line: &str| line.split(',').map(str::to_owned).collect();
    text.lines().map(line).collect()
}

#[test]
fn sixteen_runs_give_the_same_table_for_any_number_of_jobs() {
    let place = Place::new(LANDING);
    for (out, jobs) in [("one", "1"), ("two", "2")] {
        let answer = sweep(&place, out, &[&GRID[..], &["--jobs", jobs]].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.err);
    }
    let table = |out: &str| fs::read(place.path(out).join("sweep.csv")).expect("a table");
    assert_eq!(table("one"), table("two"));

    let rows = rows(&place, "one");
    assert_eq!(rows.len(), 17);
    assert_eq!(
        rows[0][..5],
        [
            "body.0.material.young",
            "world.friction",
            "folder",
            "status",
            "message"
        ]
    );
    assert_eq!(rows[1][..2], ["5e4", "0"]);
    assert_eq!(rows[2][..2], ["5e4", "0.1"]);
    assert!(rows[1..].iter().all(|row| row[3] == "completed"));
    let column = |name: &str| {
        rows[0]
            .iter()
            .position(|other| other == name)
            .expect("a column")
    };
    let momentum = column("end_momentum_x");
    let of = |row: usize| rows[row][momentum].parse::<f64>().expect("a number");
    // Friction slows it down, and without friction it keeps its momentum of 1 kg at 0.5 m/s.
    assert!(
        (of(1) - 0.5).abs() < 1e-6 && of(4) < 0.49,
        "{} {}",
        of(1),
        of(4)
    );
    assert!(
        place
            .path("one")
            .join(&rows[1][2])
            .join("frames.pvd")
            .exists()
    );
}

#[test]
fn runs_that_have_ended_are_not_repeated_and_lost_ones_are() {
    let place = Place::new(LANDING);
    let grid = ["--grid", "body.0.material.young=1e5,2e5"];
    assert_eq!(sweep(&place, "out", &grid).code, Some(0));
    let first = fs::read(place.path("out").join("sweep.csv")).expect("a table");
    let summary = |row: usize| {
        let folder = rows(&place, "out")[row][1].clone();
        place.path("out").join(folder).join("summary.json")
    };
    let written = |row: usize| {
        fs::metadata(summary(row))
            .and_then(|of| of.modified())
            .expect("a time")
    };
    let (kept, lost) = (written(1), written(2));
    fs::remove_file(summary(2)).expect("a file");
    assert_eq!(sweep(&place, "out", &grid).code, Some(0));
    assert_eq!(written(1), kept);
    assert!(written(2) > lost);
    assert_eq!(
        fs::read(place.path("out").join("sweep.csv")).expect("a table"),
        first
    );

    // The same values in a larger grid are the same runs; another scene is another run.
    let larger = ["--grid", "body.0.material.young=5e4,1e5,2e5"];
    assert_eq!(sweep(&place, "out", &larger).code, Some(0));
    assert_eq!(written(2), kept);
    assert_eq!(
        sweep(
            &place,
            "out",
            &[&larger[..], &["--set", "world.friction=0.1"]].concat()
        )
        .code,
        Some(0)
    );
    assert!(written(2) > kept);
}

#[test]
fn a_failed_run_is_in_the_table_with_its_message() {
    let place = Place::new(LANDING);
    let answer = sweep(
        &place,
        "out",
        &["--grid", "body.0.material.poisson=0.3,0.7"],
    );
    assert_eq!(answer.code, Some(4), "{}", answer.err);
    assert!(answer.err.contains("1 runs failed"), "{}", answer.err);
    let rows = rows(&place, "out");
    assert_eq!(rows[1][2], "completed", "{rows:?}");
    let text = fs::read_to_string(place.path("out").join("sweep.csv")).expect("a table");
    assert!(
        text.contains("failed,\"") && text.contains("poisson"),
        "{text}"
    );
}

#[test]
fn what_is_no_grid_is_rejected_before_any_run() {
    let place = Place::new(LANDING);
    for grid in ["a", "a=", "a=1,1"] {
        let answer = sweep(&place, "out", &["--grid", grid]);
        assert_eq!(answer.code, Some(3));
        assert!(
            answer.err.contains("grid") && answer.err.contains("mend:"),
            "{}",
            answer.err
        );
    }
    let answer = sweep(&place, "out", &["--grid", "no.key=1"]);
    assert_eq!(answer.code, Some(4));
    assert!(!place.path("nowhere").exists());
}
