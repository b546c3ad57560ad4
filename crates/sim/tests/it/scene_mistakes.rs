//! Mistakes in a scene file: all of them at once, each with its line and remedy.

use impinge_sim::Scene;
use std::path::Path;

/// The messages about a scene: about form and values when it is read, about its parts when they are built.
fn mistakes(text: &str) -> String {
    let scene = Scene::parse("test.toml", text, &[""; 0]);
    let made = scene.and_then(|scene| scene.instantiate().map(|_| ()));
    made.expect_err("mistakes").to_string()
}

fn assert_said(text: &str, words: &[&str]) {
    let said = mistakes(text);
    for word in words {
        assert!(said.contains(word), "`{word}` is not in:\n{said}");
    }
}

/// Symptom: four bodies with the same wrong key took four runs to correct, while other mistakes were hidden. Law: one
/// message lists all mistakes of one reading, in the order of the file.
#[test]
fn all_mistakes_of_a_file_are_told_at_once() {
    let text = r"
[time]
step = 1e-3
duration = 0.1
[[body]]
mesh = { cuboid = { size = [1, 1, 1], cells = [1, 1, 1] } }
material = { young = -1, poisson = 0.7, density = 1000 }
thickness = 0.1
[[body]]
mesh = { cuboid = { size = [1, 1, 1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
thickness = 0.1
friction = -0.2
";
    let said = mistakes(text);
    assert!(said.starts_with("5 errors in the scene\n"), "{said}");
    let places = [
        "test.toml:7:22: Young's modulus (Pa) is -1",
        "test.toml:7:36: Poisson's ratio is 0.7",
        "test.toml:8:1: `thickness` is not a key here",
        "test.toml:12:1: `thickness` is not a key here",
        "test.toml:13:12: the friction coefficient is -0.2",
    ];
    let found: Vec<Option<usize>> = places.iter().map(|place| said.find(place)).collect();
    assert!(found.iter().all(Option::is_some), "{found:?}\n{said}");
    assert!(found.is_sorted(), "in the order of the file: {said}");
    assert_eq!(said.matches("mend: ").count(), 5, "{said}");
}

/// A value of the wrong type and a missing key prevent reading the scene; the others are still found, and none is
/// reported twice.
#[test]
fn mistakes_of_form_do_not_hide_each_other() {
    let text = r#"
[time]
step = "short"
duration = 0.1
[[body]]
mesh = { cuboid = { size = [1, 1], cells = [1, 1, 1] } }
colour = "red"
[[body]]
name = "no mesh"
[[body]]
mesh = { cuboid = { size = [1, 1, 1], cells = [1, 1, 1] } }
position = [0, "up", 0]
"#;
    let said = mistakes(text);
    let places = [
        "test.toml:3:8: expected a number",
        "test.toml:6:28: expected a list of 3 numbers",
        "test.toml:7:1: `colour` is not a key here",
        "test.toml:8:1: the key `mesh` is missing here",
        "test.toml:12:16: expected a number",
    ];
    for place in places {
        assert!(said.contains(place), "{place}:\n{said}");
    }
    assert!(said.starts_with("5 errors in the scene\n"), "{said}");
}

/// A scene with one thin body.
fn shell(mesh: &str, shell: &str) -> String {
    format!(
        "[time]\nstep = 1e-3\nduration = 0.01\n[[body]]\nname = \"c\"\nkind = \"shell\"\nmesh = {{ {mesh} }}\nshell = \
         {{ {shell} }}\n"
    )
}

/// Symptom: "the Poisson ratio is 0.2, for which ..." without body, key or remedy. Law: the error names the key.
#[test]
fn an_orthotropic_sheet_without_energy_has_a_place() {
    let grid = "grid = { size = [1, 1], cells = [3, 3] }";
    let of = |stretch: f64| {
        let keys = format!(
            "stretch = {stretch}, density = 0.2, poisson = 0.2, orthotropic = {{ \
             fibre = [1, 0, 0], across = 20000, shear = 100 }}"
        );
        shell(grid, &keys)
    };
    assert_said(
        &of(500.0),
        &[
            "test.toml:8:",
            "`across` is 40 times `stretch`",
            "exchange `stretch` and `across`",
        ],
    );
    assert_said(&of(0.0), &["`stretch` (N/m) must be greater than 0"]);
    let sound = Scene::parse("test.toml", &of(900.0), &[""; 0]).expect("definite");
    assert!(impinge_sim::Model::new(&sound).is_ok());
}

/// Symptom: a `sheet`, which is a plate of tetrahedra, was accepted as a shell of its surface, a hollow cloth of two
/// layers.
#[test]
fn a_plate_is_no_thin_body() {
    let text = shell(
        "sheet = { size = [1, 1], thickness = 0.01, cells = [3, 3] }",
        "stretch = 100, density = 0.2",
    );
    assert_said(
        &text,
        &["test.toml:7:", "hollow", "write `grid`", "`material`"],
    );
}

/// Number syntax of other formats.
#[test]
fn numbers_without_a_digit_beside_the_point_are_corrected() {
    for (number, written) in [
        (".1", "0.1"),
        ("2.", "2.0"),
        ("-.5", "-0.5"),
        ("1.e-3", "1.0e-3"),
    ] {
        let text = format!("[time]\nstep = {number}\nduration = 1.0\n");
        assert_said(
            &text,
            &["test.toml:2:", &format!("write {written}: in TOML")],
        );
    }
    assert_said("[time]\nstep = 1e\n", &["see https://toml.io"]);
}

/// If a body needs a solid, the message says how to make one from a surface.
#[test]
fn a_surface_file_of_an_elastic_body_is_to_be_filled() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("part.stl"),
        "solid part\nendsolid part\n",
    )
    .expect("a file");
    let text = "[time]\nstep = 1e-3\nduration = 0.01\n[[body]]\nmesh = { file = { path = \"part.stl\" } }\n\
                material = { young = 1e5, poisson = 0.3, density = 1000 }\n";
    let mut scene = Scene::parse("test.toml", text, &[""; 0]).expect("a scene");
    scene.set_folder(Path::new(folder.path()));
    let said = scene.instantiate().expect_err("no solid").to_string();
    for word in [
        "test.toml:5:",
        "filled = { path = \"..\", size = METRES }",
        "kind = \"rigid\"",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
}

/// Symptom: a count beyond 32 bits "expected a whole number that is not negative"; an unknown method had the place of
/// its table; a folder "is no file"; numbers beyond the range of computations failed in the first step, with names of
/// settings. Law: each message has the place of the value and its range.
#[test]
fn values_out_of_range_have_a_place_and_a_range() {
    let text = |duration: &str, mesh: &str, young: &str| {
        format!(
            "[time]\nstep = 1e-3\nduration = {duration}\n[[body]]\nmesh = {{ {mesh} }}\nmaterial = {{ young = {young}, \
             poisson = 0.3, density = 1000 }}\n"
        )
    };
    let cube = |cells: &str| format!("cuboid = {{ size = [1, 1, 1], cells = [1, 1, {cells}] }}");
    assert_said(
        &text("0.1", &cube("99999999999"), "1e5"),
        &[
            "test.toml:5:54: 99999999999 is too large",
            "up to 4294967295",
        ],
    );
    assert_said(
        &text("0.1", "file = { path = \".\" }", "1e5"),
        &["test.toml:5:26:", "is a folder"],
    );
    assert_said(
        &text("1e300", &cube("1"), "1e5"),
        &["test.toml:3:12:", "too large to compute with"],
    );
    assert_said(
        &text("1e15", &cube("1"), "1e-200"),
        &["1e15 s are more steps", "too small to compute with"],
    );
    let method = text("0.1", &cube("1"), "1e5") + "[solver]\nmethod = \"crr\"\n";
    assert_said(&method, &["test.toml:8:10: `crr`", "did you mean `cr`"]);
}

/// Symptom: a joint or a friction took the first of two solids of one name. Law: bodies, copies and obstacles have
/// distinct names, given or not.
#[test]
fn equal_names_are_refused() {
    let body = |keys: &str, x: u32| {
        format!(
            "[[body]]\n{keys}\nmesh = {{ cuboid = {{ size = [1, 1, 1], cells = [1, 1, 1] }} }}\n\
             material = {{ young = 1e5, poisson = 0.3, density = 1000 }}\nposition = [{x}, 0, 2]\n"
        )
    };
    let obstacle = |name: &str, shape: &str| {
        format!("[[obstacle]]\nname = \"{name}\"\nshape = {{ {shape} }}\n")
    };
    let time = "[time]\nstep = 1e-3\nduration = 0.01\n";
    let plane = "half_space = { normal = [0, 0, 1] }";
    let named = |name: &str, x: u32| body(&format!("name = \"{name}\""), x);
    let copied = "name = \"box\"\ncopies = { count = 2, columns = [2, 1] }";
    for (parts, place) in [
        (
            named("box", 0) + &named("box", 3),
            "test.toml:10:8: another body or obstacle is called `box`",
        ),
        (
            named("box", 0) + &obstacle("box", plane),
            "test.toml:10:8: another body or obstacle is called `box`",
        ),
        (
            named("box", 0) + &obstacle("box", "cuboid = { size = [1, 1, 1] }"),
            "test.toml:10:8: another body or obstacle is called `box`",
        ),
        (
            body(copied, 0) + &named("box 2", 9),
            "test.toml:11:8: another body or obstacle is called `box 2`",
        ),
        (
            named("body 2", 0) + &body("", 3),
            "another body or obstacle is called `body 2`",
        ),
    ] {
        assert_said(&format!("{time}{parts}"), &[place, "a `name` of its own"]);
    }
    let apart = format!("{time}{}{}", body(copied, 0), obstacle("box", plane));
    let scene = Scene::parse("test.toml", &apart, &[""; 0]).expect("a scene");
    assert!(scene.instantiate().is_ok());
}

/// Symptom: a mistake in a line of 200,000 characters printed them all. Law: a message shows the part around it.
#[test]
fn a_long_line_is_cut_around_the_mistake() {
    let blanks = " ".repeat(5000);
    let text =
        format!("time = {{ step = 1e-3,{blanks}duration = -1,{blanks}minimum_step = 1e-4 }}\n");
    let said = mistakes(&text);
    assert!(
        said.contains("| ") && said.contains("duration = -1"),
        "{said}"
    );
    assert!(
        said.lines().all(|line| line.chars().count() < 500),
        "{said}"
    );
    let marked = said.lines().zip(said.lines().skip(1)).any(|(line, marks)| {
        marks
            .find('^')
            .is_some_and(|place| line.get(place..).is_some_and(|text| text.starts_with("-1")))
    });
    assert!(marked, "{said}");
}
