//! The nonlinear equation of a step: where elastic forces are far from linear, they are those at its end.

use impinge_sim::{Scene, Simulation, StepReport};
use nalgebra::Vector3;
use std::fmt::Write as _;

/// A bar held at one end under its own weight in `gravity` (m/s²).
fn bar(kind: &str, gravity: f64, time: &str) -> Simulation {
    let text = format!(
        r#"
[time]
duration = 1
{time}
[world]
gravity = [0, 0, -{gravity}]
[[body]]
name = "bar"
{kind}
fixed = [{{ box = {{ lower = [-1, -1, -1], upper = [-0.249, 1, 1] }} }}]
"#
    );
    let scene = Scene::parse("bar.toml", &text, &[""; 0]).expect("a scene");
    Simulation::new(&scene).expect("sound")
}

fn kinds() -> Vec<String> {
    let mut kinds = Vec::new();
    for mesh in ["cuboid", "hexahedra"] {
        for law in ["corotational", "neo_hookean", "st_venant_kirchhoff"] {
            for damping in ["", ", mass_damping = 0.5, stiffness_damping = 0.01"] {
                kinds.push(format!(
                    "mesh = {{ {mesh} = {{ size = [0.5, 0.1, 0.1], cells = [5, 1, 1] }} }}\n\
                     material = {{ model = \"{law}\", young = 2e5, poisson = 0.3, density = 1000{damping} }}"
                ));
            }
        }
    }
    for strains in ["", ", poisson = 0.3"] {
        kinds.push(format!(
            "kind = \"shell\"\nmesh = {{ grid = {{ size = [0.5, 0.3], cells = [5, 3] }} }}\n\
             shell = {{ stretch = 300, bend = 0.02, density = 0.3{strains} }}"
        ));
    }
    kinds
}

/// Advances by one step. Returns its report, and the momentum that the forces at its end leave unexplained over the
/// largest of inertia, weight and elasticity, by sums that share nothing with the step's own.
fn unexplained(simulation: &mut Simulation) -> (StepReport, f64) {
    let h = simulation.model().settings.time_step;
    let before = simulation.state().clone();
    let report = simulation.advance().expect("a step");
    let (model, state) = (simulation.model(), simulation.state());
    let elements = &model.elements;
    let energy = |x: &[Vector3<f64>]| elements.elastic.energy(x) + elements.thin.energy(x);
    let (mut left, mut sizes) = (0.0, [0.0_f64; 3]);
    let mut x = state.positions.clone();
    for point in model
        .unknowns
        .point_of_block
        .iter()
        .map(|&point| point as usize)
    {
        let mass = model.points.mass[point];
        let inertia = (state.velocities[point] - before.velocities[point]) * mass;
        let weight = model.settings.gravity * (mass * h);
        // The gradient of the energy by central differences, so that shells count too.
        let elastic = -Vector3::from_fn(|axis, _| {
            let (at, by) = (x[point][axis], 1e-6);
            let mut value = |shift: f64| {
                x[point][axis] = at + shift;
                energy(&x)
            };
            let slope = (value(by) - value(-by)) / (2.0 * by);
            x[point][axis] = at;
            slope * h
        });
        left += (inertia - weight - elastic).norm_squared();
        for (size, part) in sizes.iter_mut().zip([inertia, weight, elastic]) {
            *size += part.norm_squared();
        }
    }
    let largest = sizes.into_iter().fold(0.0, f64::max);
    (report, (left / largest).sqrt())
}

/// Held bodies fly straight, so their step is `M (v₊ − v) = h (M g + f(x₊))`, without damping.
#[test]
fn forces_at_the_end_of_a_large_step_balance() {
    for kind in kinds().iter().filter(|kind| !kind.contains("_damping")) {
        let mut simulation = bar(kind, 50.0, "step = 0.02");
        let mut rounds = 0;
        for _ in 0..8 {
            let (report, unexplained) = unexplained(&mut simulation);
            assert!(unexplained < 0.11, "{kind}: {unexplained}");
            assert!(
                report.newton_rounds <= 6,
                "{kind}: {}",
                report.newton_rounds
            );
            rounds += report.newton_rounds;
        }
        assert!(rounds > 0, "{kind}");
    }
}

/// One linearisation leaves a good part of the forces unexplained in the same steps: the check above can fail.
#[test]
fn one_linearisation_leaves_forces_unbalanced() {
    let kind = &kinds()[2];
    let mut simulation = bar(kind, 50.0, "step = 0.02\nelasticity = \"linearised\"");
    let most = (0..8)
        .map(|_| unexplained(&mut simulation).1)
        .fold(0.0, f64::max);
    assert!(most > 0.2, "{most}");
}

/// In small steps one linearisation suffices.
#[test]
fn small_steps_take_no_further_rounds() {
    for kind in kinds() {
        let mut simulation = bar(&kind, 1.0, "step = 2e-4");
        for _ in 0..5 {
            let report = simulation.advance().expect("a step");
            assert_eq!(report.newton_rounds, 0, "{kind}");
        }
    }
}

/// A soft cube that meets the ground at 60 m/s, five of its own lengths in a step. Its elements stay in shape, its
/// energy never grows, and no step is divided; with one linearisation a step it turns inside out.
#[test]
fn a_cube_survives_an_impact_at_any_speed() {
    let thrown = |mesh: &str, elasticity: &str| {
        let text = format!(
            r#"
[time]
step = 0.016666666666666666
duration = 0.5
elasticity = "{elasticity}"
[world]
friction = 0.5
[[body]]
name = "cube"
mesh = {{ {mesh} = {{ size = [0.2, 0.2, 0.2], cells = [3, 3, 6] }} }}
material = {{ model = "neo_hookean", young = 1e5, poisson = 0.4, density = 1000 }}
position = [0, 0, 0.5]
rotation = {{ axis = [1, 1, 0], degrees = 15 }}
velocity = [3, 0, -60]
[[obstacle]]
name = "ground"
shape = {{ half_space = {{ normal = [0, 0, 1] }} }}
"#
        );
        let scene = Scene::parse("thrown.toml", &text, &[""; 0]).expect("a scene");
        let mut simulation = Simulation::new(&scene).expect("sound");
        (0..30)
            .map(|_| simulation.advance())
            .collect::<Result<Vec<_>, _>>()
    };
    for mesh in ["cuboid", "hexahedra"] {
        let mut last = f64::INFINITY;
        for report in thrown(mesh, "nonlinear").expect("it bounces") {
            assert_eq!(report.rejected, 0, "{mesh} {report:?}");
            let energy =
                report.kinetic_energy + report.elastic_energy + report.gravitational_energy;
            assert!(
                energy <= last * (1.0 + 1e-9),
                "{mesh}: {energy} after {last}"
            );
            assert!(report.minimum_volume_ratio > 0.0, "{mesh} {report:?}");
            assert!(report.nonlinear_residual <= 1.0, "{mesh} {report:?}");
            last = energy;
        }
    }
    let error = thrown("cuboid", "linearised").expect_err("one linearisation is not enough");
    let failure = &error.failure;
    assert!(
        matches!(failure, impinge_sim::StepFailure::Inverted { .. }),
        "{error}"
    );
}

/// Layers of soft bars, crosswise, that fall onto each other at 4 m/s.
fn falling_bars() -> String {
    let mut text =
        "[time]\nstep = 0.02\nduration = 1\n[world]\ngravity = [0, 0, -9.81]\nfriction = 0.5\n\
                    [[obstacle]]\nshape = { half_space = { normal = [0, 0, 1] } }\n"
            .to_owned();
    for layer in 0..6 {
        for bar in 0..3 {
            let (aside, height) = (0.08 * f64::from(bar - 1), 0.03 + 0.05 * f64::from(layer));
            let [x, y] = if layer % 2 == 1 {
                [aside, 0.0]
            } else {
                [0.0, aside]
            };
            let degrees = 90 * (layer % 2) + 5 * bar;
            let _ = write!(
                text,
                "[[body]]\nmesh = {{ cuboid = {{ size = [0.24, 0.02, 0.02], cells = [8, 1, 1] }} }}\n\
                 material = {{ young = 5e4, poisson = 0.3, density = 1000 }}\nposition = [{x}, {y}, {height}]\n\
                 rotation = {{ axis = [0, 0, 1], degrees = {degrees} }}\nvelocity = [0, 0, -4]\n"
            );
        }
    }
    text
}

/// Elastic forces that follow only after all collisions are found lead to further collisions, and those to further
/// rounds: the bound is 1.5 times what the steps need, and less than what they would need then.
#[test]
fn elastic_forces_converge_in_the_rounds_that_add_contacts() {
    let scene = Scene::parse("bars.toml", &falling_bars(), &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("a model");
    let mut rounds = 0;
    for _ in 0..3 {
        let report = simulation.advance().expect("a step");
        assert_eq!(report.rejected, 0);
        assert!(report.newton_rounds > 0 && report.contacts_added > 20);
        rounds += report.rounds;
    }
    assert!(rounds < 45, "{rounds} rounds");
}
