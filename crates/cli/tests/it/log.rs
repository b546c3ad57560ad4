//! `-v` and `--log`: lines on standard error, in addition to everything else.

use insta::assert_snapshot;

use super::{Answer, LANDING, Place};

/// The lines of a log without their wall times.
fn lines(answer: &Answer) -> String {
    let without_time = |line: &str| {
        let (seconds, rest) = line.split_once(" s ").expect("a line of a log");
        assert!(seconds.trim().parse::<f64>().is_ok(), "{line}");
        rest.trim_start().to_owned()
    };
    let lines: Vec<_> = answer.err.lines().map(without_time).collect();
    lines.join("\n")
}

#[test]
fn nothing_is_logged_unless_asked_for() {
    let place = Place::new(LANDING);
    for options in [
        &["run", "scene.toml"][..],
        &["run", "scene.toml", "--log", "off"],
    ] {
        let answer = place.impinge(options);
        assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    }
}

/// Standard output and the files are those of a run without a log.
#[test]
fn a_run_tells_what_it_does() {
    let place = Place::new(LANDING);
    let silent = place.impinge(&["run", "scene.toml", "--steps", "2", "--out", "silent"]);
    let answer = place.impinge(&["run", "scene.toml", "--steps", "2", "-v"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert_eq!(answer.out.lines().count(), silent.out.lines().count());
    assert_snapshot!(lines(&answer));
    let frame = |folder: &str| std::fs::read(place.path(folder).join("frame_00002.vtu")).unwrap();
    assert!(frame("silent") == frame("out/scene"));

    let resumed = [
        "run",
        "scene.toml",
        "--resume",
        "--steps",
        "3",
        "--quiet",
        "-v",
    ];
    let answer = place.impinge(&resumed);
    assert_eq!((answer.code, answer.out.as_str()), (Some(0), ""));
    let log = lines(&answer);
    assert!(log.contains("run resumed step=2 time=0.002"), "{log}");
}

/// Every further `-v` adds a level, and a filter selects by source.
#[test]
fn levels_and_filters_select() {
    let place = Place::new(LANDING);
    let log = |options: &[&str]| {
        let answer = place.impinge(&[&["run", "scene.toml", "--quiet"], options].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        lines(&answer)
    };
    let [info, debug, trace] = ["-v", "-vv", "-vvv"].map(|option| log(&[option]));
    assert!(!info.contains("step accepted"), "{info}");
    assert!(debug.contains("step accepted step=2 time=0.002"), "{debug}");
    assert!(!debug.contains("TRACE"), "{debug}");
    assert!(
        trace.contains("island solved step=2 round=1 island=0 contacts="),
        "{trace}"
    );
    // As every level adds lines, the wider one has all of the narrower one.
    let kept: Vec<_> = trace
        .lines()
        .filter(|line| !line.starts_with("TRACE"))
        .collect();
    assert_eq!(kept.join("\n"), debug);

    let solver = log(&["--log", "impinge_contact=trace, impinge_sim::output=info"]);
    let of = |source: &str| solver.lines().filter(|line| line.contains(source)).count();
    assert!(
        of("impinge_contact::") > 0 && of("impinge_sim::output") > 0,
        "{solver}"
    );
    assert_eq!(of("impinge_sim::simulation"), 0, "{solver}");
}

/// A step that fails is divided, and the log has the reason on one line.
#[test]
fn a_divided_step_has_its_reason() {
    let place = Place::new(LANDING);
    let mut options = vec!["run", "scene.toml", "--log", "debug", "--steps", "2"];
    for pair in [
        "solver.method=ica",
        "solver.max_iterations=1",
        "time.minimum_step=5e-4",
    ] {
        options.extend(["--set", pair]);
    }
    let log = place.impinge(&options).err;
    let is_divided = |line: &str| {
        let reason =
            "step=2 time=0.001 length=0.001 reason=the contact method `ica` did not converge in";
        line.contains("step divided into two halves") && line.contains(reason)
    };
    assert_eq!(
        log.lines().filter(|line| is_divided(line)).count(),
        1,
        "{log}"
    );
}

#[test]
fn a_bad_filter_names_the_part_and_the_form() {
    let place = Place::new(LANDING);
    for (filter, fault) in [
        (
            "impinge_sim=debug,debgu",
            "in `debgu`, `debgu` is not a level",
        ),
        (
            "impinge_sim=loud",
            "in `impinge_sim=loud`, `loud` is not a level",
        ),
        (
            "impinge_simm=debug",
            "in `impinge_simm=debug`, `impinge_simm` is not a source",
        ),
        ("", "in ``, `` is not a level"),
    ] {
        let answer = place.impinge(&["run", "scene.toml", "--log", filter]);
        assert_eq!(answer.code, Some(2), "{filter}: {}", answer.err);
        for part in [fault, "write LEVEL or SOURCE=LEVEL"] {
            assert!(answer.err.contains(part), "{filter}: {}", answer.err);
        }
    }
    for both in [
        ["run", "scene.toml", "--log", "info", "-v"],
        ["-v", "run", "scene.toml", "--log", "info"],
    ] {
        let answer = place.impinge(&both);
        assert_eq!(answer.code, Some(2), "{}", answer.err);
        assert!(answer.err.contains("cannot be used with"), "{}", answer.err);
    }
    assert_eq!(place.names(), ["scene.toml"]);
}
