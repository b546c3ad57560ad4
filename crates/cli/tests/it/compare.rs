//! `compare --report`: the page.

use std::fs;

use super::{LANDING, Place};

/// The film of a page.
fn film(page: &str) -> serde_json::Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" data-part=\"film\">")
        .expect("a film");
    let (json, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn a_page_shows_the_scene_by_every_method() {
    let place = Place::new(LANDING);
    let methods = "cr,sp-2cr,ica:law=pyramid";
    let answer = place.impinge(&[
        "compare",
        "scene.toml",
        "--methods",
        methods,
        "--report",
        "out/page.html",
        "--csv",
        "c.csv",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(
        answer.out.contains("report: out/page.html"),
        "{}",
        answer.out
    );
    assert_eq!(super::names(&place.path("out")), ["page.html"]);
    let page = fs::read_to_string(place.path("out/page.html")).expect("a page");
    assert_eq!(page.matches("<h3>").count(), 1);
    assert!(page.contains("<h3>scene: a cube lands</h3>"), "{page}");
    for method in methods.split(',') {
        assert!(
            page.contains(&format!("<td>{method}</td>")),
            "{method}: {page}"
        );
    }
    // Iterations over time and their sums, two plots of the run, and four of convergence.
    assert_eq!(page.matches("<svg").count(), 8);
    assert!(!page.contains("NaN"), "{page}");
    assert!(
        !page.contains("class=\"bad\""),
        "every method gets there: {page}"
    );
    assert!(page.ends_with("</body></html>\n"));

    let film = film(&page);
    let times = film["times"].as_array().expect("times");
    assert_eq!(times.len(), 5, "the start and four steps");
    assert_eq!(page.matches("data-part=\"frame").count(), 5);
    assert_eq!(film["walls"].as_array().expect("half-spaces").len(), 1);

    let csv = fs::read_to_string(place.path("c.csv")).expect("a table");
    let head = csv.lines().next().expect("a head");
    assert!(head.ends_with("state_changes,penetration"), "{head}");
    let columns = head.split(',').count();
    assert!(
        csv.lines().all(|row| row.split(',').count() == columns),
        "{csv}"
    );
    assert!(
        answer.out.contains("changes") && answer.out.contains("depth"),
        "{}",
        answer.out
    );
}

#[test]
fn a_place_where_no_file_can_be_is_refused_before_the_run() {
    let place = Place::new(LANDING);
    for (option, path, reason) in [
        ("--report", ".", "is a folder"),
        ("--report", "scene.toml/page.html", "could not be written"),
        ("--csv", ".", "is a folder"),
        ("--csv", "scene.toml/table.csv", "could not be written"),
    ] {
        let answer = place.impinge(&["compare", "scene.toml", option, path]);
        assert_eq!(answer.code, Some(6), "{path}: {}", answer.err);
        assert!(answer.err.contains(reason), "{}", answer.err);
        assert!(
            answer.err.contains(&format!("{option}: ")) && answer.err.contains(path),
            "{}",
            answer.err
        );
        assert!(answer.err.contains("mend: "), "{}", answer.err);
        assert_eq!(answer.out, "", "nothing was run");
    }
    assert_eq!(place.names(), ["scene.toml"]);
}

#[test]
fn a_comparison_that_cannot_be_made_leaves_the_old_page() {
    let place = Place::new(LANDING);
    fs::write(place.path("page.html"), "old").expect("a file");
    let answer = place.impinge(&[
        "compare",
        "scene.toml",
        "--methods",
        "cr,magic",
        "--report",
        "page.html",
    ]);
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    let page = fs::read_to_string(place.path("page.html")).expect("a page");
    assert_eq!(page, "old");
    assert_eq!(place.names(), ["page.html", "scene.toml"]);
}

#[test]
fn places_that_would_overwrite_each_other_are_refused_before_the_run() {
    // Input files need not exist for this check.
    let place = Place::new(&LANDING.replace(
        "shape = { half_space = { normal = [0, 0, 1] } }",
        "shape = { file = { path = \"floor.obj\" } }",
    ));
    for (csv, report, said) in [
        ("x", "./x", "--csv x: --report writes to the same file"),
        ("scene.toml", "x", "--csv scene.toml: this is an input file"),
        (
            "x",
            "./floor.obj",
            "--report ./floor.obj: this is an input file",
        ),
        (
            "new/x",
            "new/./x",
            "--csv new/x: --report writes to the same file",
        ),
    ] {
        let answer = place.impinge(&["compare", "scene.toml", "--csv", csv, "--report", report]);
        assert_eq!(answer.code, Some(3), "{}", answer.err);
        assert!(answer.err.contains(said), "{}", answer.err);
        assert!(answer.err.contains("mend: "), "{}", answer.err);
        assert_eq!(answer.out, "", "nothing was run");
    }
    assert_eq!(place.names(), ["scene.toml"]);
}

/// Symptom: with a setting that every solve rejects, a method seems to take no iterations and leave no residual.
#[test]
fn settings_that_no_solve_would_accept_are_refused_before_the_run() {
    let place = Place::new(LANDING);
    for (method, said) in [
        ("cr:softness=-1", "setting `softness` is -1; it must be"),
        (
            "ica:max_iterations=0",
            "setting `max_iterations` is 0; it must be",
        ),
        ("sp-2cr:forcing=-1", "setting `forcing` is -1; it must be"),
        ("cr:tolerances.gap=1e-9", "the tolerances of the scene"),
    ] {
        let methods = format!("cr,{method}");
        let answer = place.impinge(&["compare", "scene.toml", "--methods", &methods]);
        assert_eq!(answer.code, Some(3), "{}", answer.err);
        assert!(
            answer.err.contains(&format!("{method}: ")) && answer.err.contains(said),
            "{}",
            answer.err
        );
        assert_eq!(answer.out, "", "nothing was run");
    }
}

/// Two rigid cubes with a joint, whose rows only some methods support.
const JOINED: &str = r#"title = "joined cubes"

[time]
step = 1e-3
duration = 2e-3

[[body]]
name = "left"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0, 0, 0.2]

[[body]]
name = "right"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0.2, 0, 0.2]

[[joint]]
kind = "ball"
first = "left"
second = "right"
anchor = [0.1, 0, 0.2]

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// Symptom: rejected problems look solved without an iteration, with residuals of 0.
#[test]
fn a_method_that_refuses_the_problems_has_no_residuals_and_says_why() {
    let place = Place::new(JOINED);
    let arguments = ["compare", "scene.toml", "--methods", "compliant-kkt,ica"];
    let answer = place.impinge(&[&arguments[..], &["--csv", "c.csv"]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let row = |name: &str| {
        let mut lines = answer.out.lines();
        lines.find(|line| line.starts_with(name)).expect("a row")
    };
    assert!(row("ica ").ends_with("NaN NaN NaN NaN"), "{}", answer.out);
    assert!(!row("compliant-kkt").contains("NaN"), "{}", answer.out);
    let why = "note: ica does not support some problems: the problem has 3 constraint rows";
    assert_eq!(answer.err.matches(why).count(), 1, "{}", answer.err);
    let csv = fs::read_to_string(place.path("c.csv")).expect("a table");
    let refused = csv.lines().filter(|row| row.starts_with("ica,"));
    assert!(refused.clone().count() > 0, "{csv}");
    assert!(
        refused.clone().all(|row| row.contains(",NaN,NaN,NaN,")),
        "{csv}"
    );
}
