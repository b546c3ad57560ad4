//! Problems stored by `run`, solved by `solve`.

use super::{LANDING, Place, names};

fn landed() -> Place {
    let place = Place::new(LANDING);
    let answer = place.impinge(&[
        "run",
        "scene.toml",
        "--out",
        "r",
        "--dump-problems",
        "step:3..9",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(
        answer.out.contains("problems in r/problems"),
        "{}",
        answer.out
    );
    place
}

const PROBLEM: &str = "r/problems/step_00003_round_01.problem";

#[test]
fn a_stored_problem_is_solved_again() {
    let place = landed();
    let stored = names(&place.path("r/problems"));
    assert!(
        stored
            .iter()
            .all(|name| name.starts_with("step_00003") || name.starts_with("step_00004")),
        "{stored:?}"
    );
    let answer = place.impinge(&["solve", PROBLEM]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    for expected in [
        "step 3, round 1, from 0.002000 s of \"a cube lands\"",
        "81 unknowns",
        "cr converged after",
        "independent residual",
    ] {
        assert!(answer.out.contains(expected), "{expected}: {}", answer.out);
    }
}

/// One row per iteration, for every method.
#[test]
fn a_trace_has_a_row_per_iteration() {
    let place = landed();
    for method in ["cr", "cr-full", "sp-2cr", "ica"] {
        let answer = place.impinge(&["solve", PROBLEM, "--method", method, "--trace", "t.csv"]);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        let text = std::fs::read_to_string(place.path("t.csv")).expect("a trace");
        let mut rows = text.lines();
        assert_eq!(
            rows.next(),
            Some("iteration,phase,residual,evaluations,state_changes")
        );
        assert!(rows.clone().count() > 1, "{method}: {text}");
        let residuals: Vec<f64> = rows
            .map(|row| row.split(',').nth(2).unwrap().parse().unwrap())
            .collect();
        assert!(residuals.last() < residuals.first(), "{method}: {text}");
    }
}

#[test]
fn methods_are_compared_on_the_same_problems() {
    let place = Place::new(LANDING);
    let methods = "cr,active-set,sp-active-set,sp-2cr,ica,ica:law=pyramid";
    let answer = place.impinge(&[
        "compare",
        "scene.toml",
        "--methods",
        methods,
        "--csv",
        "c.csv",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    for method in methods.split(',') {
        let row = answer.out.lines().find(|line| line.starts_with(method));
        assert!(row.is_some(), "{method}: {}", answer.out);
    }
    let csv = std::fs::read_to_string(place.path("c.csv")).expect("a table");
    // Each method has a row for each step, and meets its tolerances.
    let rows: Vec<Vec<&str>> = csv
        .lines()
        .skip(1)
        .map(|row| row.split(',').collect())
        .collect();
    assert_eq!(rows.len() % 6, 0, "{csv}");
    assert!(rows.iter().all(|row| row[7] == "0"), "{csv}");

    let answer = place.impinge(&[
        "compare",
        "scene.toml",
        "--methods",
        "cr,ica",
        "--json",
        "--steps",
        "3",
    ]);
    let json: serde_json::Value = serde_json::from_str(&answer.out).expect("JSON");
    assert_eq!(json[1]["name"], "ica");
    assert_eq!(json[1]["steps"][0]["unmet"], 0);

    let answer = place.impinge(&["compare", "scene.toml", "--methods", "cr,magic"]);
    assert_eq!(answer.code, Some(3));
    assert!(
        answer.err.contains("there is no method `magic`"),
        "{}",
        answer.err
    );
    assert_eq!(place.names(), ["c.csv", "scene.toml"]);
}

#[test]
fn a_solve_that_misses_its_tolerance_has_code_1() {
    let place = landed();
    let answer = place.impinge(&["solve", PROBLEM, "--set", "max_iterations=1"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.out.contains("not met"), "{}", answer.out);
    assert!(
        answer
            .err
            .contains("the tolerance was not met: residuals of momentum ")
            && answer.err.contains("gap ")
            && answer.err.contains("slip "),
        "{}",
        answer.err
    );
}

#[test]
fn methods_and_settings_that_do_not_exist_are_named() {
    let place = landed();
    for (arguments, expected) in [
        (["--method", "magic"], "there is no method `magic`"),
        (["--set", "patients=1"], "has no setting `patients`"),
        (["--set", "relax_after=soon"], "cannot be `soon`"),
        (["--set", "relax_after"], "write KEY=VALUE"),
        (["--set", "softness=-1"], "setting `softness` is -1;"),
    ] {
        let answer = place.impinge(&["solve", PROBLEM, arguments[0], arguments[1]]);
        assert_eq!(answer.code, Some(3), "{}", answer.err);
        assert!(answer.err.contains(expected), "{expected}: {}", answer.err);
    }
}

#[test]
fn files_that_are_no_problems_are_refused() {
    let place = landed();
    let whole = std::fs::read(place.path(PROBLEM)).expect("a stored problem");
    std::fs::write(place.path("cut.problem"), &whole[..whole.len() / 2]).expect("room");
    for (file, expected) in [
        ("cut.problem", "cut.problem: damaged problem file"),
        ("scene.toml", "scene.toml: damaged problem file"),
        ("none.problem", "none.problem could not be read"),
        (
            "none.problem",
            "mend: check the path; `impinge run --dump-problems`",
        ),
    ] {
        let answer = place.impinge(&["solve", file]);
        assert_eq!(answer.code, Some(3), "{}", answer.err);
        assert!(answer.err.contains(expected), "{expected}: {}", answer.err);
    }
}

#[test]
fn words_that_name_no_solves_are_a_usage_error() {
    let place = Place::new(LANDING);
    for when in ["sometimes", "step:5..4", "step:0", "iterations>many"] {
        let answer = place.impinge(&["run", "scene.toml", "--dump-problems", when]);
        assert_eq!(answer.code, Some(2), "{when}");
        assert!(answer.err.contains("names no solves"), "{}", answer.err);
    }
    assert_eq!(place.names(), ["scene.toml"]);
}

#[test]
fn a_later_run_removes_the_problems_of_an_earlier_one() {
    let place = landed();
    let answer = place.impinge(&["run", "scene.toml", "--out", "r", "--quiet"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(!place.path("r/problems").exists());
}

/// Symptom: a trace replaces the very problem that is solved, and an unwritable trace is found only after the solve.
#[test]
fn a_place_where_no_trace_can_be_is_refused_before_the_solve() {
    let place = landed();
    let whole = std::fs::read(place.path(PROBLEM)).expect("a stored problem");
    let twisted = "r/../r/problems/./step_00003_round_01.problem";
    for (trace, code, reason) in [
        (PROBLEM, 3, "this is an input file"),
        (twisted, 3, "this is an input file"),
        ("r", 6, "is a folder"),
        ("scene.toml/t.csv", 6, "could not be written"),
    ] {
        let answer = place.impinge(&["solve", PROBLEM, "--trace", trace]);
        assert_eq!(answer.code, Some(code), "{trace}: {}", answer.err);
        for said in ["--trace", trace, reason, "mend: "] {
            assert!(answer.err.contains(said), "{said}: {}", answer.err);
        }
        assert_eq!(answer.out, "", "nothing was solved");
    }
    assert_eq!(
        std::fs::read(place.path(PROBLEM)).expect("still there"),
        whole
    );
    assert_eq!(place.names(), ["r", "scene.toml"]);
}

/// The manual lists the methods with what they cannot solve, and the variants.
#[test]
fn the_manual_lists_the_methods() {
    use impinge_contact::method::RowSupport;
    let choice = include_str!("../../../../docs/which_method.md");
    let variants = include_str!("../../../../docs/methods/rivals.md");
    for spec in impinge_contact::method::MethodSpec::all() {
        let (name, has) = (format!("`{}`", spec.name), spec.capabilities);
        if !impinge_contact::Method::NAMES.contains(&spec.name) {
            assert!(variants.contains(&name), "{name} is not in rivals.md");
            continue;
        }
        let item = choice.split("\n- ").find(|item| item.contains(&name));
        let item = item.expect("which_method.md has each method");
        for (can, limit) in [
            (has.constraint_rows != RowSupport::Nothing, "o joints"),
            (!has.bodies_at_rest, "tiffness form only"),
        ] {
            assert_eq!(can, !item.contains(limit), "{item}");
        }
    }
}
