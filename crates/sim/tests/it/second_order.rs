//! Steps of second order: their order, and what is kept where bodies meet.

use impinge_sim::{Scene, Simulation};
use nalgebra::Vector3;

fn simulation(text: &str) -> Simulation {
    let scene = Scene::parse("scene.toml", text, &[""; 0]).expect("a scene");
    Simulation::new(&scene).expect("sound")
}

/// One body in steps of `step` (s), without contact.
fn alone(step: f64, integrator: &str, body: &str) -> Simulation {
    simulation(&format!(
        "[time]\nstep = {step}\nduration = 1\nintegrator = \"{integrator}\"\n\
         [solver]\nmomentum_tolerance = 1e-13\n[[body]]\n{body}\n"
    ))
}

/// A bar, damped so that all of its vibrations are resolved.
fn bar(mesh: &str, law: &str) -> String {
    format!(
        "mesh = {{ {mesh} = {{ size = [0.1, 0.1, 0.4], cells = [1, 1, 4] }} }}\nmaterial = {{ model = \"{law}\", young \
         = 1e5, poisson = 0.3, density = 1000, stiffness_damping = 0.01, mass_damping = 2 }}"
    )
}

/// Positions at a tenth of a second, in undivided steps.
fn end(mut simulation: Simulation) -> Vec<Vector3<f64>> {
    while simulation.state().time < 0.0999 {
        assert_eq!(simulation.advance().expect("a step").rejected, 0);
    }
    simulation.state().positions.clone()
}

/// The observed orders of positions in steps of 2, 1 and half a millisecond.
fn order(integrator: &str, body: &str) -> f64 {
    let ends = [2e-3, 1e-3, 5e-4].map(|step| end(alone(step, integrator, body)));
    let off = [0, 1].map(|i| {
        let points = ends[i].iter().zip(&ends[i + 1]);
        points.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
    });
    (off[0] / off[1]).log2()
}

/// Bars that vibrate at a held end, hang and swing, or turn and vibrate freely.
#[test]
fn trajectories_are_of_second_order() {
    let held =
        "fixed = [{ box = { lower = [-9, -9, -9], upper = [9, 9, -0.19] } }]\nvelocity = [1, 0, 0]";
    let free = "velocity = [1, 2, 3]\nangular_velocity = [4, 3, 1]";
    let mut bodies = Vec::new();
    for motion in [held, free] {
        for (mesh, law) in [
            ("cuboid", "neo_hookean"),
            ("hexahedra", "st_venant_kirchhoff"),
            ("cuboid", "corotational"),
        ] {
            bodies.push(format!("{}\n{motion}", bar(mesh, law)));
        }
    }
    bodies.push(
        "kind = \"shell\"\nmesh = { grid = { size = [0.2, 0.3], cells = [2, 3] } }\nvelocity = [0, 0, 0.5]\n\
         shell = { stretch = 3, bend = 0.01, density = 0.2, damping = 0.01, bend_damping = 0.01, mass_damping = 1 \
         }\n\
         fixed = [{ box = { lower = [-9, -9, -9], upper = [9, -0.149, 9] } }]"
            .to_owned(),
    );
    bodies.push(format!(
        "{}\n[[joint]]\nkind = \"ball\"\nfirst = \"bar\"\nanchor = [0, 0, 0.2]",
        bar("cuboid", "corotational").replace(
            "mesh = {",
            "name = \"bar\"\nvelocity = [0.3, 0, 0]\nmesh = {"
        )
    ));
    for body in bodies {
        let [first, second] = ["euler", "bdf2"].map(|integrator| order(integrator, &body));
        assert!(first < 1.3, "{body}: {first}");
        assert!((1.75..2.5).contains(&second), "{body}: {second}");
    }
}

/// A parabola has no error but that of the first step, half of its fall.
#[test]
fn free_fall_is_exact_after_the_first_step() {
    let shapes = [
        "mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }\n\
         material = { young = 1e5, poisson = 0.3, density = 1000 }",
        "kind = \"rigid\"\nmesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }\nmass = 1",
    ];
    for shape in shapes {
        let step = 1e-2;
        let mut falling = alone(step, "bdf2", &format!("{shape}\nvelocity = [1, 0, 2]"));
        let start = falling.state().positions[0];
        let mut off = Vec::new();
        for number in 1..=50 {
            falling.advance().expect("a fall");
            let time = f64::from(number) * step;
            let exact = start + Vector3::new(time, 0.0, 2.0 * time - 0.5 * 9.81 * time * time);
            off.push((falling.state().positions[0] - exact).norm());
            let speed = falling.state().velocities[0].z - (2.0 - 9.81 * time);
            assert!(speed.abs() < 1e-9, "{shape}: {speed:e} m/s");
        }
        let first = 0.5 * 9.81 * step * step;
        assert!((off[0] - first).abs() < 1e-9, "{shape}: {off:?}");
        assert!(off.iter().all(|&off| off < 1.6 * first), "{shape}: {off:?}");
    }
}

/// A box on a ball or a hinge, let go from the horizontal: energy lost in the fifth swing over its range, with about
/// `steps` steps a period of 1.2 s.
fn lost_by_a_pendulum(joint: &str, integrator: &str, steps: f64) -> f64 {
    let mut pendulum = alone(
        1.2 / steps,
        integrator,
        &format!(
            "name = \"bob\"\nkind = \"rigid\"\nmass = 1\nposition = [0.25, 0, 0]\n\
             mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\n\
             [[joint]]\n{joint}\nfirst = \"bob\"\nanchor = [0, 0, 0]"
        ),
    );
    let mut heights = Vec::new();
    while pendulum.state().time < 6.0 {
        let report = pendulum.advance().expect("a swing");
        heights.push(report.gravitational_energy);
        assert_eq!(report.energy_gains, 0);
    }
    let turns: Vec<f64> = (heights.windows(3))
        .filter(|three| three[1] >= three[0] && three[1] > three[2])
        .map(|three| three[1])
        .collect();
    let range = 9.81 * 0.25;
    (turns[4] - turns[6]) / range
}

#[test]
fn a_pendulum_keeps_its_energy() {
    for joint in ["kind = \"ball\"", "kind = \"hinge\"\naxis = [0, 1, 0]"] {
        let euler = lost_by_a_pendulum(joint, "euler", 400.0);
        assert!((0.05..0.2).contains(&euler), "{joint}: {euler}");
        let [coarse, fine] = [200.0, 400.0].map(|steps| lost_by_a_pendulum(joint, "bdf2", steps));
        assert!((0.0..5e-4).contains(&fine), "{joint}: {fine}");
        // BDF2 damps with the third power of the step, and half as many steps make a period.
        assert!(coarse > 5.0 * fine, "{joint}: {coarse} {fine}");
    }
}

/// Momentum on which forces act, and energies.
fn kept(simulation: &Simulation) -> Vector3<f64> {
    let (model, state) = (simulation.model(), simulation.state());
    let lead = |point: usize| state.history.leads.get(point).copied().unwrap_or_default();
    let points: Vector3<f64> = (model.points.mass.iter().enumerate())
        .map(|(point, mass)| (state.velocities[point] + lead(point)) * *mass)
        .sum();
    let of_rigid = |index: usize| {
        let history = state.history.rigid.get(index).copied().unwrap_or_default();
        (state.rigid[index].velocity + history.leads[0]) * model.rigid[index].inertia.mass()
    };
    points + (0..state.rigid.len()).map(of_rigid).sum::<Vector3<f64>>()
}

/// Two bodies that spin meet and part: momentum is kept to rounding although their points change between first and
/// second order, and the energy never exceeds that of the start.
#[test]
fn bodies_that_meet_keep_their_momentum() {
    let soft = "material = { young = 1e5, poisson = 0.3, density = 1000 }";
    for (first, second) in [
        (soft, soft),
        (soft, "kind = \"rigid\"\nmass = 0.8"),
        (
            "kind = \"rigid\"\nmass = 0.9",
            "kind = \"rigid\"\nmass = 0.8",
        ),
    ] {
        for step in [1e-3, 1e-2] {
            let mut meeting = simulation(&format!(
                r#"
[time]
step = {step}
duration = 1
integrator = "bdf2"
[world]
gravity = [0, 0, 0]
friction = 0.4
[[body]]
name = "first"
{first}
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }} }}
velocity = [1, 0.2, 0]
angular_velocity = [1, 3, 2]
[[body]]
name = "second"
{second}
mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 2, 3] }} }}
position = [0.13, 0.02, 0.03]
velocity = [-1, 0, 0.1]
"#
            ));
            let momentum = kept(&meeting);
            let (mut energy, mut touched) = (None, 0);
            while meeting.state().time < 0.3 {
                let number = meeting.state().step;
                let report = meeting.advance().expect("a step");
                touched += report.active;
                let off = (kept(&meeting) - momentum).norm() / momentum.norm();
                assert!(off < 1e-11, "step {number} of {step}: {off:e}");
                let now = report.kinetic_energy + report.elastic_energy;
                let start = *energy.get_or_insert(now);
                assert!(
                    now < 1.001 * start,
                    "step {number} of {step}: {now} J of {start} J"
                );
                assert_eq!(report.energy_gains, 0);
            }
            assert!(touched > 0, "they meet");
        }
    }
}

/// Angular momentum of what vibrates and turns is kept to second order.
#[test]
fn what_turns_keeps_its_angular_momentum() {
    let body = bar("cuboid", "neo_hookean").replace(
        "stiffness_damping = 0.01, mass_damping = 2",
        "stiffness_damping = 0",
    );
    let mut lost = Vec::new();
    for step in [1e-2, 5e-3, 2.5e-3] {
        let mut prism = alone(
            step,
            "bdf2",
            &format!("{body}\nangular_velocity = [5, 3, 8]"),
        );
        let turning = |simulation: &Simulation| {
            let (model, state) = (simulation.model(), simulation.state());
            let mass: f64 = model.points.mass.iter().sum();
            let of = |values: &[Vector3<f64>]| -> Vector3<f64> {
                let weighted = model.points.mass.iter().zip(values);
                weighted
                    .map(|(mass, value)| value * *mass)
                    .sum::<Vector3<f64>>()
                    / mass
            };
            let (center, drift) = (of(&state.positions), of(&state.velocities));
            let motion = state.positions.iter().zip(&state.velocities);
            (model.points.mass.iter().zip(motion))
                .map(|(mass, (x, v))| (x - center).cross(&(v - drift)) * *mass)
                .sum::<Vector3<f64>>()
        };
        let start = turning(&prism);
        while prism.state().time < 0.999 {
            prism.advance().expect("a turn");
        }
        lost.push((turning(&prism) - start).norm() / start.norm());
    }
    assert!(lost[0] < 2e-3, "{lost:?}");
    assert!(lost[2] < 0.2 * lost[0], "{lost:?}");
}

/// A resumed run takes the same steps, bit for bit, also where steps are divided.
#[test]
fn it_resumes_bit_for_bit() {
    let text = r#"
[time]
step = 1e-2
duration = 1
integrator = "bdf2"
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
velocity = [1, 0, -3]
angular_velocity = [3, 40, 0]
[[body]]
name = "box"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 1
position = [0.5, 0, 0.1]
velocity = [-1, 0, -2]
angular_velocity = [60, 0, 1]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1], point = [0, 0, -0.2] } }
"#;
    let mut whole = simulation(text);
    let mut divided = 0;
    for _ in 0..8 {
        divided += whole.advance().expect("a step").rejected;
    }
    assert!(divided > 0, "the box turns too far for one step");
    let mut resumed = simulation(text);
    resumed
        .resume(whole.state().clone())
        .expect("its own state");
    for _ in 0..20 {
        whole.advance().expect("a step");
        resumed.advance().expect("a step");
        assert_eq!(whole.state(), resumed.state());
    }
}

/// A stiff bar that vibrates while a box that turns fast divides every step: its energy does not grow.
#[test]
fn divided_steps_lose_energy() {
    let mut divided = simulation(
        r#"
[time]
step = 1e-2
duration = 1
integrator = "bdf2"
[world]
gravity = [0, 0, 0]
[[body]]
name = "bar"
mesh = { cuboid = { size = [0.1, 0.1, 0.4], cells = [1, 1, 4] } }
material = { young = 1e6, poisson = 0.3, density = 1000 }
fixed = [{ box = { lower = [-9, -9, -9], upper = [9, 9, -0.19] } }]
velocity = [1, 0, 0]
[[body]]
name = "box"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 1
position = [3, 0, 0]
angular_velocity = [0, 150, 0]
"#,
    );
    let mut start = None;
    for _ in 0..50 {
        let report = divided.advance().expect("a step");
        assert!(report.rejected > 0);
        assert_eq!(report.energy_gains, 0);
        let energy = report.kinetic_energy + report.elastic_energy;
        let start = *start.get_or_insert(energy);
        assert!(
            energy < 1.001 * start,
            "step {}: {energy} J of {start} J",
            report.step
        );
    }
}

/// A state of another integrator is refused, and so is a method that does not know it.
#[test]
fn it_does_not_mix_with_others() {
    let text = |integrator: &str| {
        format!(
            "[time]\nstep = 1e-3\nduration = 1\nintegrator = \"{integrator}\"\n[[body]]\n\
             mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\n\
             material = {{ young = 1e5, poisson = 0.3, density = 1000 }}\n"
        )
    };
    let mut second = simulation(&text("bdf2"));
    second.advance().expect("a step");
    let refused = simulation(&text("euler")).resume(second.state().clone());
    assert!(
        refused
            .expect_err("another integrator")
            .to_string()
            .contains("integrator")
    );
    let mut short = second.state().clone();
    short.history.leads.truncate(3);
    assert!(simulation(&text("bdf2")).resume(short).is_err());
    let method = impinge_contact::Method::named(
        "warped-compliance",
        second.model().settings.solver.tolerances(),
    );
    let refused = second.use_method(method.expect("a method"));
    assert!(
        refused
            .expect_err("bodies at rest")
            .to_string()
            .contains("integrator")
    );
    second.advance().expect("it is unchanged");
}

/// Other steppers and methods that know bodies at rest refuse it, and name the key.
#[test]
fn it_is_refused_where_it_has_no_meaning() {
    let text = |key: &str| {
        format!(
            "{key}\n[time]\nstep = 1e-3\nduration = 1\nintegrator = \"bdf2\"\n[[body]]\n\
             mesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\n\
             material = {{ young = 1e5, poisson = 0.3, density = 1000 }}\n"
        )
    };
    for key in [
        "solver = { method = \"warped-compliance\" }",
        "stepper = \"asynchronous\"",
        "stepper = \"constrained\"",
    ] {
        let error = Scene::parse("scene.toml", &text(key), &[""; 0]).expect_err(key);
        assert!(error.to_string().contains("integrator"), "{key}: {error}");
    }
}
