//! The balance sheet closes: in closed forms, and in every shipped scene.

use impinge_sim::balance::BodyBalance;
use impinge_sim::{Scene, Simulation};
use std::path::Path;

/// Closing error over the largest entry of its row. Rounding of sums of energies relative to the origin is far below.
const CLOSES: f64 = 1e-8;

/// The balance of a step of one body.
fn of_body(simulation: &mut Simulation, body: usize) -> BodyBalance {
    let report = simulation.advance().expect("solved");
    report.balance.expect("kept by default").bodies[body]
}

/// A scene from its text.
fn scene(text: &str) -> Simulation {
    let scene = Scene::parse("balance.toml", text, &[""; 0]).expect("a scene");
    Simulation::new(&scene).expect("sound")
}

/// Sums of a body's balances over some steps, and its energies at their end.
fn sums(simulation: &mut Simulation, body: usize, steps: u32) -> BodyBalance {
    let mut sum = BodyBalance::default();
    for step in 0..steps {
        let balance = of_body(simulation, body);
        assert_closes(&balance, &format!("step {step}"));
        for (to, by) in [
            (&mut sum.pulls, balance.pulls),
            (&mut sum.prescribed, balance.prescribed),
            (&mut sum.joints, balance.joints),
            (&mut sum.contact, balance.contact),
            (&mut sum.friction, balance.friction),
            (&mut sum.impact, balance.impact),
            (&mut sum.damping, balance.damping),
            (&mut sum.plastic, balance.plastic),
            (&mut sum.residual, balance.residual),
            (&mut sum.numerical, balance.numerical),
        ] {
            *to += by;
        }
        (sum.kinetic, sum.gravity, sum.elastic) =
            (balance.kinetic, balance.gravity, balance.elastic);
    }
    sum
}

#[track_caller]
fn assert_closes(balance: &BodyBalance, what: &str) {
    let closing = balance.closing.abs();
    assert!(
        closing <= CLOSES * balance.largest(),
        "{what}: {closing:e} J of {:e} J: {balance:?}",
        balance.largest()
    );
}

#[track_caller]
fn assert_near(found: f64, expected: f64, share: f64) {
    assert!(
        (found - expected).abs() <= share * expected.abs(),
        "{found:e}, not {expected:e}"
    );
}

/// Implicit Euler falls `h² g/2` farther in each step than its speed accounts for, so it loses `m g² h²/2`.
#[test]
fn a_free_fall_loses_what_implicit_euler_loses() {
    for kind in [
        "kind = \"rigid\"\nmass = 2",
        "material = { young = 1e5, poisson = 0.3, density = 2000 }",
    ] {
        let text = format!(
            "[time]\nstep = 1e-2\nduration = 1\n[[body]]\nname = \"a\"\n{kind}\n\
             mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\n"
        );
        let fall = sums(&mut scene(&text), 0, 10);
        assert_near(
            fall.numerical,
            -10.0 * 0.5 * 2.0 * (9.81 * 1e-2_f64).powi(2),
            1e-6,
        );
        assert_near(fall.kinetic, 0.5 * 2.0 * (9.81 * 0.1_f64).powi(2), 1e-9);
        for other in [
            fall.contact,
            fall.friction,
            fall.impact,
            fall.joints,
            fall.damping,
        ] {
            assert!(other.abs() < 1e-15);
        }
    }
}

/// Without friction and rebound a rigid body that lands loses its kinetic energy in the impact.
#[test]
fn a_rigid_body_that_lands_loses_its_energy_in_the_impact() {
    let text = "[time]\nstep = 1e-3\nduration = 1\n[[body]]\nname = \"a\"\nkind = \"rigid\"\nmass = 2\n\
         mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }\nposition = [0, 0, 0.06]\n\
         velocity = [0, 0, -1]\n[[obstacle]]\nname = \"ground\"\n\
         shape = { half_space = { point = [0, 0, 0], normal = [0, 0, 1] } }\n";
    let landing = sums(&mut scene(text), 0, 30);
    assert!(landing.kinetic < 1e-6);
    let speed = (1.0 + 2.0 * 9.81 * 0.01_f64).sqrt();
    let lost = landing.contact + landing.impact;
    assert_near(lost, -0.5 * 2.0 * speed * speed, 0.02);
    assert!(landing.friction.abs() < 1e-6 && landing.numerical.abs() < 1e-2);
}

/// A block that slides to rest: the work of friction is `−μ m g d`.
#[test]
fn a_sliding_block_loses_friction_times_its_way() {
    let text = "[time]\nstep = 1e-3\nduration = 1\n[[body]]\nname = \"a\"\nkind = \"rigid\"\n\
         mass = 2\nfriction = 0.3\n\
         mesh = { cuboid = { size = [0.4, 0.4, 0.1], cells = [1, 1, 1] } }\nposition = [0, 0, 0.0501]\n\
         velocity = [1, 0, 0]\n[[obstacle]]\nname = \"ground\"\nfriction = 0.3\n\
         shape = { half_space = { point = [0, 0, 0], normal = [0, 0, 1] } }\n";
    let mut simulation = scene(text);
    sums(&mut simulation, 0, 50);
    let before = simulation.state().rigid[0].pose.center.x;
    let slide = sums(&mut simulation, 0, 150);
    let way = simulation.state().rigid[0].pose.center.x - before;
    assert!(way > 0.09, "{way}");
    assert_near(slide.friction, -0.3 * 2.0 * 9.81 * way, 1e-3);
    assert!(slide.impact.abs() < 1e-2 * slide.friction.abs());
}

/// A bar that oscillates along its axis, damped by its stiffness: what it loses goes to damping, and the rest to the
/// integrator, in the ratio of damping time and step.
#[test]
fn an_oscillator_loses_to_damping_and_to_the_step() {
    let bar = |damping: f64, step: f64, form: &str| {
        format!(
            "[time]\nstep = {step}\nduration = 1\n[world]\ngravity = [0, 0, 0]\n\
             [solver]\nmomentum_tolerance = 1e-12\n\
             [[body]]\nname = \"bar\"\nmesh = {{ cuboid = {{ size = [1, 0.1, 0.1], cells = [4, 1, 1] }} }}\n\
             material = {{ young = 1e5, poisson = 0, density = 1000, stiffness_damping = {damping},\
             formulation = \"{form}\" }}\n\
             fixed = [{{ box = {{ lower = [-0.51, -1, -1], upper = [-0.49, 1, 1] }}}}]\nvelocity = [0.1, 0, 0]\n"
        )
    };
    for form in ["stiffness", "compliance"] {
        let (damping, step) = (2e-3, 1e-3);
        let loss = sums(&mut scene(&bar(damping, step, form)), 0, 400);
        // Of each vibration inertia and elasticity lose half of `h` each where damping loses `a`.
        assert_near(loss.numerical / loss.damping, step / damping, 0.1);
        let start = 0.5 * 10.0 * (1.0 - 0.125) * 0.01;
        assert_near(
            loss.kinetic + loss.elastic - loss.damping - loss.numerical - loss.residual,
            start,
            1e-6,
        );
    }
}

/// A bar that is pulled slowly stores half the work of the pull, and damping takes the other half. A bar whose end is
/// moved stores the work of that motion.
#[test]
fn a_pulled_bar_stores_the_work() {
    let bar = |keys: &str, form: &str| {
        format!(
            "[time]\nstep = 1e-2\nduration = 10\n[world]\ngravity = [0, 0, 0]\n\
             [solver]\nmomentum_tolerance = 1e-12\n\
             [[body]]\nname = \"bar\"\nmesh = {{ cuboid = {{ size = [1, 0.1, 0.1], cells = [4, 1, 1] }} }}\n\
             material = {{ young = 1e5, poisson = 0, density = 1000, mass_damping = 20,\
             formulation = \"{form}\" }}\n{keys}\n"
        )
    };
    let ends = [
        "lower = [-0.51, -1, -1], upper = [-0.49, 1, 1]",
        "lower = [0.49, -1, -1], upper = [0.51, 1, 1]",
    ];
    for form in ["stiffness", "compliance"] {
        let pulled = bar(
            &format!(
                "fixed = [{{ box = {{ {} }} }}]\npulls = [{{ box = {{ {} }}, force = [10, 0, 0] }}]",
                ends[0], ends[1]
            ),
            form,
        );
        let pulled = sums(&mut scene(&pulled), 0, 500);
        assert_near(pulled.elastic, 0.5 * 10.0 * 10.0 / (1e5 * 0.01), 0.02);
        assert_near(pulled.pulls, 2.0 * pulled.elastic, 0.01);
        assert_near(pulled.damping + pulled.numerical, -pulled.elastic, 0.02);

        let moved = bar(
            &format!(
                "fixed = [{{ box = {{ {} }} }}, {{ box = {{ {} }}, motion = {{ velocity = [0.01, 0, 0] }} }}]",
                ends[0], ends[1]
            ),
            form,
        );
        let moved = sums(&mut scene(&moved), 0, 200);
        assert_near(moved.elastic, 0.5 * 1e5 * 0.01 * 0.02 * 0.02, 0.03);
        // The moved end, an eighth of the mass, has its speed from the start.
        let start = 0.5 * 1.25 * 0.01 * 0.01;
        let spent = moved.elastic + moved.kinetic - start - moved.damping - moved.numerical;
        assert_near(moved.prescribed, spent, 1e-6);
        assert!(moved.damping + moved.numerical > -0.5 * moved.elastic);
    }
}

/// A plastic bar that is drawn far beyond its yield strain: most of the work is plastic, `σ_y` times the plastic
/// strain.
#[test]
fn a_plastic_bar_dissipates_its_yield_stress() {
    for form in ["stiffness", "compliance"] {
        let text = format!(
            "[time]\nstep = 1e-2\nduration = 10\n[world]\ngravity = [0, 0, 0]\n\
             [solver]\nmomentum_tolerance = 1e-10\n\
             [[body]]\nname = \"bar\"\nmesh = {{ cuboid = {{ size = [1, 0.1, 0.1], cells = [4, 1, 1] }} }}\n\
             material = {{ young = 1e6, poisson = 0.3, density = 1000, mass_damping = 20,\
             formulation = \"{form}\", yield_stress = 1e4 }}\n\
             fixed = [{{ box = {{ lower = [-0.51, -1, -1], upper = [-0.49, 1, 1] }} }},\n\
             {{ box = {{ lower = [0.49, -1, -1], upper = [0.51, 1, 1] }}, motion = {{ velocity = [0.01, 0, 0] }} }}]\n"
        );
        let drawn = sums(&mut scene(&text), 0, 500);
        // Five percent of strain, of which one is elastic.
        assert_near(drawn.plastic, -1e4 * 0.01 * 0.04, 0.1);
        assert_near(drawn.prescribed, -drawn.plastic + drawn.elastic, 0.1);
    }
}

/// A force and a torque on a rigid body in free space: their works are kinetic energy, and they push no joint.
#[test]
fn loads_of_a_rigid_body_are_pulls() {
    for integrator in ["euler", "bdf2"] {
        let text = format!(
            "[time]\nstep = 1e-3\nduration = 10\nintegrator = \"{integrator}\"\n[world]\ngravity = [0, 0, 0]\n\
             [[body]]\nname = \"box\"\nkind = \"rigid\"\nmass = 2\n\
             mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\n\
             force = [3, 0, 0]\ntorque = [0, 1e-3, 0]\n"
        );
        let mut pushed = scene(&text);
        let sum = sums(&mut pushed, 0, 500);
        let inertia = 2.0 * 0.01 / 6.0;
        let expected = 0.5 * (1.5_f64.powi(2) / 2.0 + 5e-4_f64.powi(2) / inertia);
        assert_near(sum.pulls, expected, 0.01);
        assert_near(sum.kinetic, expected, 0.01);
        assert!(sum.joints.abs() < 1e-12, "{sum:?}");
        assert!(sum.other_impulse.iter().all(|x| x.abs() < 2e-3), "{sum:?}");
    }
}

/// Every shipped scene, over its first steps, with either integrator.
#[test]
fn the_balance_of_every_shipped_scene_closes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let mut scenes: Vec<_> = std::fs::read_dir(folder)
        .expect("scenes")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    scenes.sort();
    let mut worst = Vec::new();
    let mut of_second_order = 0;
    for path in scenes {
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&path).expect("a shipped scene");
        if text.contains("${IMPINGE_DATA}") && std::env::var_os("IMPINGE_DATA").is_none() {
            eprintln!("{name}: skipped, IMPINGE_DATA names no folder of its meshes");
            continue;
        }
        // Scenes of other steppers are left out.
        let of_order =
            |integrator: &str| Scene::load(&path, &[format!("time.integrator={integrator}")]).ok();
        for (integrator, scene) in ["euler", "bdf2"]
            .into_iter()
            .filter_map(|name| Some((name, of_order(name)?)))
        {
            let mut simulation = Simulation::new(&scene).expect("a shipped scene is sound");
            for step in 1..=8 {
                let report = simulation.advance().expect("a shipped scene runs");
                let Some(balance) = report.balance else { break };
                of_second_order += u32::from(integrator == "bdf2");
                for (body, balance) in balance.bodies.iter().enumerate() {
                    let share = balance.closing.abs() / balance.largest();
                    if share > CLOSES {
                        worst.push(format!(
                            "{name} {integrator}, step {step}, body {body}: {share:e} {balance:?}"
                        ));
                    }
                }
            }
        }
    }
    assert!(worst.is_empty(), "{}", worst.join("\n"));
    assert!(
        of_second_order > 100,
        "steps of second order are among them"
    );
}
