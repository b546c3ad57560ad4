//! Joints of deformable bodies: barycentric anchors, and rejected input.

use impinge_contact::constraint::Term;
use impinge_contact::method::MethodSpec;
use impinge_sim::scene::SolverMethod;
use impinge_sim::{Scene, Simulation};
use nalgebra::Vector3;

/// A block with other cells hangs a millimetre below a block held at its top.
const HANGING: &str = r#"
[time]
step = 1e-2
duration = 1.0

[[body]]
name = "above"
mesh = { cuboid = { size = [0.2, 0.2, 0.1], cells = [2, 2, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000, stiffness_damping = 0.05 }
position = [0, 0, 0.05]
fixed = [{ box = { lower = [-1, -1, 0.099], upper = [1, 1, 1] } }]

[[body]]
name = "below"
mesh = { cuboid = { size = [0.12, 0.12, 0.1], cells = [3, 3, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000, stiffness_damping = 0.05 }
position = [0.02, 0.01, -0.051]

[[joint]]
kind = "bind"
first = "below"
second = "above"
anchor = [0.02, 0.01, 0.2]
reach = 0.23
"#;

/// The point of some nodes and their weights.
pub(super) fn held(terms: &[Term], positions: &[Vector3<f64>]) -> Vector3<f64> {
    let of = |term: &Term| match *term {
        Term::Particle { index, weight } => positions[index] * weight,
        Term::Body { .. } => panic!("no rigid body"),
    };
    terms.iter().map(of).sum()
}

/// The error message.
pub(super) fn refused(text: &str) -> String {
    let error = match Scene::parse("a.toml", text, &[""; 0]) {
        Ok(scene) => Simulation::new(&scene).err().map(|e| e.to_string()),
        Err(error) => Some(error.to_string()),
    };
    error.expect("refused")
}

pub(super) fn run(text: &str, steps: u32) -> Simulation {
    let scene = Scene::parse("a.toml", text, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("sound");
    for _ in 0..steps {
        simulation.advance().expect("solved");
    }
    simulation
}

/// All sixteen nodes of the interface follow the other body, whose nodes are elsewhere, and carry the whole weight.
#[test]
fn bound_nodes_stay_where_they_start_on_the_other_body() {
    let simulation = run(HANGING, 100);
    let (model, state) = (simulation.model(), simulation.state());
    assert_eq!(model.constraints.rows.len(), 16);
    for joint in &model.constraints.rows {
        let terms = &joint.points()[0].terms;
        assert_eq!(terms.len(), 5, "a node and the corners of a tetrahedron");
        let apart = held(terms, &state.positions).norm();
        assert!(apart < 1e-6, "{apart:e} m apart");
    }
    // It hangs: after a second its height has changed by less than a hundredth.
    let lowest = state.positions.iter().fold(0.0_f64, |z, x| z.min(x.z));
    assert!((-0.115..-0.101).contains(&lowest), "{lowest}");
}

/// A ball joint in the middle of an element holds that point, not the nearest node.
#[test]
fn a_ball_holds_a_point_inside_an_element() {
    let text = HANGING.replace(
        "[[joint]]\nkind = \"bind\"\nfirst = \"below\"\nsecond = \"above\"\nanchor = [0.02, 0.01, 0.2]\nreach = 0.23\n",
        "[[joint]]\nkind = \"ball\"\nfirst = \"below\"\nanchor = [0.03, 0.02, -0.03]\n",
    );
    let simulation = run(&text, 20);
    let (model, state) = (simulation.model(), simulation.state());
    let terms = &model.constraints.rows[0].points()[0].terms;
    assert!(terms.len() > 1, "more than a node");
    let point = held(terms, &state.positions);
    // The constraint is the world point minus the body point.
    let off = (point.abs() - Vector3::new(0.03, 0.02, 0.03)).amax();
    assert!(off < 1e-6, "{off:e} m off: {point}");
}

/// A meshless body is held at the exact point, too: by the nodes of the surrounding tetrahedron of its filling, with a
/// ball joint or a rope, in both forms.
#[test]
fn joints_hold_points_of_bodies_without_elements() {
    for form in ["stiffness", "compliance"] {
        for (joint, end) in [("ball", ""), ("rope", "end = [0.03, 0.02, 0.2]\n")] {
            let text = format!(
                "[solver]\nmethod = \"compliant-kkt\"\n[time]\nstep = 1e-2\nduration = 1.0\n\
                 [[body]]\nname = \"block\"\n\
                 mesh = {{ cuboid = {{ size = [0.12, 0.12, 0.1], cells = [2, 2, 1] }} }}\n\
                 material = {{ young = 1e5, poisson = 0.3, density = 1000, meshless = 0.2, formulation = \"{form}\" \
                 }}\n[[joint]]\nkind = \"{joint}\"\nfirst = \"block\"\nanchor = [0.03, 0.02, 0.03]\n{end}"
            );
            // The duration of a free fall by 11 cm.
            let simulation = run(&text, 15);
            let (model, state) = (simulation.model(), simulation.state());
            let terms = &model.constraints.rows[0].points()[0].terms;
            assert!(terms.len() > 1, "{joint}, {form}: more than a node");
            // The row is the world point minus the body point, or the opposite.
            let sum = held(terms, &state.positions);
            let point = sum * sum.x.signum();
            let (off, bound) = if joint == "ball" {
                ((point - Vector3::new(0.03, 0.02, 0.03)).amax(), 1e-6)
            } else {
                // While it swings, a step that rotates it by v h/l leaves it longer by ½ (v h)²/l.
                let length = (point - Vector3::new(0.03, 0.02, 0.2)).norm();
                let way = 1e-2 * held(terms, &state.velocities).norm();
                ((length - 0.17).abs(), 1e-6 + 0.5 * way * way / 0.17)
            };
            assert!(
                off < bound,
                "{joint}, {form}: {off:e} m off, {bound:e} allowed"
            );
        }
    }
}

#[test]
fn invalid_bindings_are_rejected_with_place_and_remedy() {
    let cases: [(&str, &str, &[&str]); 9] = [
        (
            "reach = 0.23",
            "reach = 0.001",
            &[
                "joint 0 selects no node of `below` to bind to `above`",
                "lengthen `reach`",
            ],
        ),
        ("reach = 0.23", "", &["`reach` is missing", "bind"]),
        (
            "anchor = [0.02, 0.01, 0.2]",
            "",
            &["`anchor` is missing", "bind with a `reach`"],
        ),
        (
            "reach = 0.23",
            "reach = 0.23\ndistance = 0",
            &["the distance (m) is 0"],
        ),
        (
            "reach = 0.23",
            "reach = 0.23\ndistance = 1e-4",
            &[
                "joint 0 binds no node",
                "the nearest node of `below` is 0.001000 m from `above`",
                "larger `distance`",
            ],
        ),
        ("reach = 0.23", "reach = -1", &["the reach (m) is -1"]),
        ("second = \"above\"", "", &["`second` is missing"]),
        (
            "second = \"above\"",
            "second = \"below\"",
            &["`below` would be joined to itself"],
        ),
        (
            "reach = 0.23",
            "reach = 0.23\nlength = 1.0",
            &["`length` belongs to a link or rope"],
        ),
    ];
    for (from, to, words) in cases {
        let message = refused(&HANGING.replace(from, to));
        for word in words {
            assert!(message.contains(word), "{word}: {message}");
        }
    }
    let rigid = HANGING.replace(
        "cells = [3, 3, 2] } }\nmaterial = { young = 1e5, poisson = 0.3, density = 1000, stiffness_damping = 0.05 }",
        "cells = [3, 3, 2] } }\nkind = \"rigid\"\nmass = 1.0",
    );
    let message = refused(&rigid);
    assert!(
        message.contains("is rigid") && message.contains("swap"),
        "{message}"
    );
    // A sheet slightly below: its nodes are bound where they are; in the other direction there are no nodes to bind.
    let sheet = "[[body]]\nname = \"sheet\"\nkind = \"shell\"\nmesh = { grid = { size = [0.1, 0.1], cells = [2, 2] } \
        }\nshell = { stretch = 1e3, bend = 1e-4, density = 0.3 }\nposition = [0.02, 0.01, -0.12]\n\n[[joint]]";
    let onto = |first: &str, second: &str, z: f64| {
        HANGING
            .replace("[[joint]]", sheet)
            .replace("first = \"below\"", &format!("first = \"{first}\""))
            .replace("second = \"above\"", &format!("second = \"{second}\""))
            .replace(
                "anchor = [0.02, 0.01, 0.2]",
                &format!("anchor = [0.02, 0.01, {z}]"),
            )
    };
    let apart = onto("below", "sheet", -0.1);
    let message = refused(&apart);
    assert!(message.contains("joint 0 binds no node"), "{message}");
    let message = refused(&apart.replace("reach = 0.23", "reach = 0.23\ndistance = 0.02"));
    assert!(
        message.contains("m from `sheet`") && message.contains("which is thin"),
        "{message}"
    );
    run(
        &onto("sheet", "below", -0.12).replace("reach = 0.23", "reach = 0.23\ndistance = 0.02"),
        2,
    );
}

/// A box that a joint with these keys holds.
fn joined(keys: &str) -> String {
    format!(
        "[time]\nstep = 1e-2\nduration = 1.0\n[[body]]\nname = \"box\"\nkind = \"rigid\"\nmass = 1\n\
         mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\n\
         [[joint]]\nfirst = \"box\"\n{keys}\n"
    )
}

fn notices(text: &str) -> Vec<String> {
    let scene = Scene::parse("a.toml", text, &[""; 0]).expect("a scene");
    Simulation::new(&scene).expect("sound").take_notices()
}

/// The written method solves the joints, and without one the method that factorises them; nothing is replaced.
#[test]
fn joints_are_solved_by_the_method_of_the_scene() {
    let joint = joined("kind = \"ball\"\nanchor = [0, 0, 0.05]");
    let end = |keys: &str| {
        let scene = Scene::parse("a.toml", &format!("{keys}{joint}"), &[""; 0]).expect("a scene");
        let mut simulation = Simulation::new(&scene)?;
        assert_eq!(simulation.take_notices(), [""; 0], "{keys}");
        for _ in 0..10 {
            simulation.advance()?;
        }
        let method = simulation.model().settings.solver.name();
        Ok::<_, Box<dyn std::error::Error>>((method, simulation.state().positions.clone()))
    };
    let (chosen, expected) = end("").expect("sound");
    assert_eq!(chosen, "compliant-kkt");
    for (method, name) in [
        ("compliant-kkt", "compliant-kkt"),
        ("cr", "cr"),
        ("cr-multipliers", "cr"),
        ("active-set", "active-set"),
    ] {
        let (used, positions) = end(&format!("[solver]\nmethod = \"{method}\"\n")).expect("sound");
        assert_eq!(used, name);
        let off = (positions.iter().zip(&expected)).map(|(a, b)| (a - b).amax());
        let off = off.fold(0.0, f64::max);
        assert!(off < 1e-6, "{method}: {off:e}");
    }
    let refused = end("[solver]\nmethod = \"ica\"\n")
        .expect_err("no rows")
        .to_string();
    for word in [
        "`ica`",
        "joints",
        "\"cr\"",
        "\"active-set\"",
        "\"compliant-kkt\"",
    ] {
        assert!(refused.contains(word), "{word}: {refused}");
    }
}

/// Scenes and the table of methods name the same methods.
#[test]
fn scenes_know_every_method() {
    for spec in MethodSpec::methods() {
        let text = format!(
            "[solver]\nmethod = \"{}\"\n{}",
            spec.name,
            joined("kind = \"weld\"\nanchor = [0, 0, 0.05]")
        );
        let scene = Scene::parse("a.toml", &text, &[""; 0]).expect("a scene");
        assert_eq!(scene.solver.method.map(SolverMethod::name), Some(spec.name));
    }
}

/// A joint far off its body is reported with body and distance; near ones, axes that pass nearby and anchors of
/// bindings are not.
#[test]
fn misplaced_frames_are_named_at_load() {
    for kind in ["ball", "weld", "hinge"] {
        let axis = if kind == "hinge" {
            "axis = [0, 1, 0]"
        } else {
            ""
        };
        let far = joined(&format!("kind = \"{kind}\"\nanchor = [50, 0, 0]\n{axis}"));
        let said = notices(&far);
        assert_eq!(said.len(), 1, "{kind}: {said:?}");
        for word in [
            "joint 0",
            "`box`",
            "49.950 m away from the body",
            "size 0.173 m",
        ] {
            assert!(said[0].contains(word), "{kind}, {word}: {said:?}");
        }
        let near = far.replace("[50, 0, 0]", "[0.2, 0, 0]");
        assert_eq!(notices(&near), [""; 0], "{kind}");
    }
    let link = joined("kind = \"link\"\nanchor = [0, 0, 0.05]\nend = [0, 0, 50]");
    assert_eq!(notices(&link), [""; 0], "the far end is the world's");
    let slider = "kind = \"slider\"\nanchor = [0, 0, 50]\naxis = ";
    assert_eq!(notices(&joined(&format!("{slider}[0, 0, 2]"))), [""; 0]);
    assert_eq!(notices(&joined(&format!("{slider}[0, 1, 0]"))).len(), 1);
    assert_eq!(notices(HANGING), [""; 0]);
}

/// A deformable body does not extend beyond its elements: its nearest node is held, and the notice names it.
#[test]
fn the_node_held_instead_of_a_misplaced_anchor_is_named() {
    let at = HANGING.find("[[joint]]").expect("a joint");
    let ball = "[[joint]]\nkind = \"ball\"\nfirst = \"below\"\nanchor = [0.08, 0.07, -20]\n";
    let said = notices(&format!("{}{ball}", &HANGING[..at]));
    assert!(
        said.len() == 1 && said[0].contains("`below`") && said[0].contains("nearest node"),
        "{said:?}"
    );
}

#[test]
fn links_without_length_and_negative_compliances_are_refused() {
    for kind in ["link", "rope"] {
        let ends = format!("kind = \"{kind}\"\nanchor = [0, 0, 0.05]\nend = [0, 0, 0.05]");
        let message = refused(&joined(&ends));
        assert!(
            message.contains("a.toml:") && message.contains("length"),
            "{kind}: {message}"
        );
        let zero = refused(&joined(&format!("{ends}\nlength = 0")));
        assert!(zero.contains("the length (m) is 0"), "{kind}: {zero}");
        let negative = refused(&joined(&format!("{ends}\nlength = 1\ncompliance = -1e-9")));
        assert!(
            negative.contains("the compliance (m/N) is -0.000000001")
                && negative.contains("must not be negative"),
            "{kind}: {negative}"
        );
    }
}

/// Two boxes to be joined.
const BOXES: &str = r#"
[time]
step = 1e-3
duration = 0.1

[[body]]
name = "a"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0, 0, 1]

[[body]]
name = "b"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0, 0, 1.2]

[[body]]
name = "soft"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [3, 0, 1]

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

fn boxes_with(joint: &str) -> String {
    format!("{BOXES}\n[[joint]]\n{joint}\nanchor = [0, 0, 1.1]\n")
}

/// Immovable points, missing directions, a plane: each is rejected with its place before the run.
#[test]
fn joints_that_cannot_be_are_named() {
    let ball = "kind = \"ball\"\nfirst = \"a\"\nsecond = \"b\"";
    let carried = |name: &str| {
        let place = format!("name = \"{name}\"\nkind = \"rigid\"");
        move |text: String| {
            text.replace(
                &place,
                &format!("{place}\nmotion = {{ velocity = [0, 0, 1] }}"),
            )
        }
    };
    let free =
        |text: &str| text.replace("density = 1000\nposition = [0, 0, 1", "position = [0, 0, 1");
    let both = carried("b")(carried("a")(free(&boxes_with(ball))));
    for (text, words) in [
        (
            both,
            [
                "constraint 0 (joint 0 of `a` and `b`) acts on fixed points only",
                "remove it",
            ],
        ),
        (
            boxes_with("kind = \"weld\"\nfirst = \"a\"\nsecond = \"soft\""),
            [
                "a.toml:33:10: `soft` is no free rigid body",
                "kind = \"ball\"",
            ],
        ),
        (
            boxes_with("kind = \"hinge\"\nfirst = \"soft\"\naxis = [0, 0, 1]"),
            ["a hinge connects free rigid bodies", "leave `second` out"],
        ),
        (
            boxes_with("kind = \"ball\"\nfirst = \"a\"\nsecond = \"ground\""),
            [
                "`ground` is a half-space; joints to half-spaces are not supported",
                "leave the key out",
            ],
        ),
    ] {
        let said = refused(&text);
        for word in words {
            assert!(said.contains(word), "{word}: {said}");
        }
    }
    assert_eq!(run(&boxes_with(ball), 2).model().constraints.rows.len(), 1);
}

/// Eight of the sixteen nodes in reach of the bind are fixed, and so is the other body: only the other eight have rows.
#[test]
fn fixed_nodes_need_no_row() {
    let below = "position = [0.02, 0.01, -0.051]\n";
    let fixed = "fixed = [{ box = { lower = [0.03, -1, -1], upper = [1, 1, 1] } }]\n";
    let carried = HANGING
        .replace("lower = [-1, -1, 0.099]", "lower = [-1, -1, -1]")
        .replace(below, &format!("{below}{fixed}"));
    assert_eq!(carried.matches("fixed").count(), 2);
    let simulation = run(&carried, 2);
    assert_eq!(simulation.model().constraints.rows.len(), 8);
}

/// A cube that touches the ground is held at the centre of its bottom face despite the surface offset, not at a corner.
#[test]
fn a_ball_holds_the_centre_of_a_face_that_touches() {
    let text = "[time]\nstep = 1e-3\nduration = 1.0\n\
        [[body]]\nname = \"cube\"\nmesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }\n\
        material = { young = 1e5, poisson = 0.3, density = 1000 }\nposition = [0, 0, 0.05]\n\
        [[obstacle]]\nname = \"ground\"\nshape = { half_space = { normal = [0, 0, 1] } }\n\
        [[joint]]\nkind = \"ball\"\nfirst = \"cube\"\nanchor = [0, 0, 0]\n";
    let simulation = run(text, 0);
    let (model, state) = (simulation.model(), simulation.state());
    assert!(model.notices.touching.is_some(), "it touches");
    let terms = &model.constraints.rows[0].points()[0].terms;
    assert!(terms.len() > 1, "more than a node: {terms:?}");
    let off = held(terms, &state.positions).norm();
    assert!(off < 1e-12, "{off:e} m off the centre");
}

/// A jaw on a slider pinches a cloth against a body at rest: where the jaw meets that body, its slider holds all
/// tangential motion, so friction has nothing to act on.
#[test]
fn a_jaw_on_a_slider_meets_a_body_at_rest() {
    let jaw =
        "kind = \"rigid\"\nmesh = { cuboid = { size = [0.04, 0.02, 0.02], cells = [1, 1, 1] } }";
    let text = format!(
        r#"
[time]
step = 5e-3
duration = 1
[world]
friction = 0.3
[[body]]
name = "cloth"
kind = "shell"
mesh = {{ grid = {{ size = [0.1, 0.2], cells = [5, 10] }} }}
rotation = {{ axis = [1, 0, 0], degrees = 90 }}
shell = {{ stretch = 50, bend = 1e-5, density = 0.2, damping = 5e-3, bend_damping = 5e-2 }}
[[body]]
name = "still"
{jaw}
position = [0, -0.0102, 0.08]
motion = {{}}
[[body]]
name = "jaw"
{jaw}
position = [0, 0.0102, 0.08]
mass = 0.05
force = [0, -0.15, 0]
[[joint]]
kind = "slider"
first = "jaw"
anchor = [0, 0.0102, 0.08]
axis = [0, 1, 0]
"#
    );
    let scene = Scene::parse("pinch.toml", &text, &[""; 0]).expect("a scene");
    let mut pinch = Simulation::new(&scene).expect("sound");
    for _ in 0..40 {
        pinch.advance().expect("a step");
    }
}
