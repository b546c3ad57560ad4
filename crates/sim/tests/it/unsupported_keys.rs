//! Scene keys that the stepper does not support.

use super::scene::MINIMAL as CUBE;
use impinge_contact::method::Method;
use impinge_sim::Simulation;
use impinge_sim::scene::Scene;

const NONE: &[&str] = &[];

/// Symptom: a cube held by a joint fell freely with the asynchronous stepper, and `method` and tolerances had no
/// effect, all with exit code 0. Law: unsupported keys are rejected by name.
#[test]
fn unsupported_keys_are_rejected() {
    let asynchronous = CUBE.replace(
        "\n[time]",
        "stepper = \"asynchronous\"\n\n[asynchronous]\nthickness = 1e-3\n\n[time]",
    );
    let constrained = "stepper = \"constrained\"\n\n[time]\nstep = 1e-3\nduration = 0.5\n\n[[body]]\nname = \
                       \"cloth\"\nkind = \"shell\"\nmesh = { grid = { size = [1, 1], cells = [2, 2] } }\nshell = \
                       { stretch = 100, density = 0.2 }\n";
    let joint = "\n[[joint]]\nkind = \"ball\"\nfirst = \"cube\"\nanchor = [0, 0, 0.06]\n";
    let said = |text: &str, set: &[&str]| match Scene::parse("test.toml", text, set) {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    };
    assert_eq!(said(&asynchronous, NONE), "no error");
    assert_eq!(said(&asynchronous, &["output.pieces=true"]), "no error");
    assert_eq!(said(constrained, NONE), "no error");
    assert_eq!(
        said(constrained, &["solver.joint_stiffness=none"]),
        "no error"
    );
    assert_eq!(
        said(&asynchronous, &["solver.allow_inversion=true"]),
        "no error"
    );
    let with_joint = asynchronous.clone() + joint;
    assert_eq!(said(&with_joint, NONE), "no error");
    for (text, set, words) in [
        (
            &with_joint[..],
            &["asynchronous.detection=speculative"],
            [
                "test.toml:22:1",
                "speculative detection does not support joints",
            ],
        ),
        (
            &asynchronous,
            &["solver.method=ica"],
            ["solver.method", "does not support `method`"],
        ),
        (
            &asynchronous,
            &["time.minimum_step=1e-6"],
            ["time.minimum_step", "does not subdivide steps"],
        ),
        (
            constrained,
            &["solver.prediction=false"],
            ["solver.prediction", "the constrained stepper"],
        ),
        (
            constrained,
            &["time.minimum_step=1e-6"],
            ["time.minimum_step", "the constrained stepper"],
        ),
        (
            constrained,
            &["output.pieces=true"],
            ["output.pieces", "only the asynchronous stepper"],
        ),
        (
            CUBE,
            &["output.pieces=true"],
            ["output.pieces", "stepper = \"asynchronous\""],
        ),
    ] {
        let said = said(text, set);
        for word in words {
            assert!(said.contains(word), "{word}: {said}");
        }
    }
}

/// What is said of a synchronous scene with these overrides, if it is refused.
fn refusal(text: &str, set: &[String]) -> Option<String> {
    let scene = Scene::parse("test.toml", text, set).expect("a valid scene");
    Simulation::new(&scene).err().map(|error| error.to_string())
}

/// Symptom: `corrections` with `ica`, or `prediction = false` with `active-set`, had no effect. Law: a method takes the
/// keys that it has, and rejects others by name; the methods that it offers instead take them.
#[test]
fn keys_of_other_methods_are_rejected() {
    let compliance = ["exact-compliance", "warped-compliance"];
    let keys: [(&str, &str, &[&str]); 7] = [
        ("prediction", "false", &["cr"]),
        ("evaluation", "at_convergence", &["cr"]),
        ("preconditioner", "diagonal", &["cr", "active-set"]),
        ("delassus", "unbuilt", &compliance),
        ("momentum_repair", "true", &["warped-compliance"]),
        ("corrections", "3", &["warped-compliance"]),
        ("one_sided", "gauss_seidel", &["compliant-kkt"]),
    ];
    for (key, value, able) in keys {
        let given = format!("solver.{key}={value}");
        for method in Method::NAMES.iter().chain(&["cr-multipliers"]) {
            let set = [format!("solver.method={method}"), given.clone()];
            // A second name of `cr`.
            let name = if *method == "cr-multipliers" {
                "cr"
            } else {
                method
            };
            let said = refusal(CUBE, &set);
            assert_eq!(said.is_none(), able.contains(&name), "{set:?}: {said:?}");
            let Some(said) = said else { continue };
            let problem = format!("the method `{name}` does not support `{key}`");
            assert!(said.contains(&problem), "{said}");
            let quoted: Vec<String> = able.iter().map(|able| format!("\"{able}\"")).collect();
            let mend = format!("write method = {}", quoted.join(" or "));
            assert!(said.contains(&mend), "{said}");
        }
    }
    let files = "solver.rest_compliance=rest".to_owned();
    assert_eq!(refusal(CUBE, &[files]), None, "comparisons use it");
}

/// Joints choose another method than the user may expect.
#[test]
fn a_method_by_default_is_called_so() {
    let joint = "\n[[joint]]\nkind = \"ball\"\nfirst = \"cube\"\nanchor = [0, 0, 0.06]\n";
    let said = refusal(
        &(CUBE.to_owned() + joint),
        &["solver.prediction=false".to_owned()],
    );
    let said = said.expect("refused");
    let expected = "`compliant-kkt`, the default with joints";
    assert!(said.contains(expected), "{said}");
}
