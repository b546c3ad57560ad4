//! Deformable bodies that turn freely keep their momenta, whatever their elements, materials and step.

use impinge_sim::{Scene, Simulation};
use nalgebra::Vector3;

/// A prism that turns about no principal axis, without gravity, in steps of `step` (s).
fn prism(step: f64, kind: &str, time: &str) -> Simulation {
    let text = format!(
        r#"
[time]
step = {step}
duration = 1
{time}
[world]
gravity = [0, 0, 0]
[solver]
momentum_tolerance = 1e-11
[[body]]
name = "prism"
{kind}
velocity = [1, 2, 3]
angular_velocity = [5, 3, 8]
"#
    );
    let scene = Scene::parse("prism.toml", &text, &[""; 0]).expect("a scene");
    Simulation::new(&scene).expect("sound")
}

fn solid(mesh: &str, law: &str, form: &str) -> String {
    format!(
        "mesh = {{ {mesh} = {{ size = [0.05, 0.1, 0.2], cells = [1, 2, 4] }} }}\n\
         material = {{ model = \"{law}\", young = 1e6, poisson = 0.3, density = 1000, formulation = \"{form}\" }}"
    )
}

/// Momentum, angular momentum about the centre of mass, and energy.
fn momenta(simulation: &Simulation) -> (Vector3<f64>, Vector3<f64>, f64) {
    let (model, state) = (simulation.model(), simulation.state());
    let points = || {
        let motion = state.positions.iter().zip(&state.velocities);
        model.points.mass.iter().zip(motion)
    };
    let mass: f64 = model.points.mass.iter().sum();
    let center: Vector3<f64> = points().map(|(m, (x, _))| x * *m).sum::<Vector3<f64>>() / mass;
    let momentum = points().map(|(m, (_, v))| v * *m).sum();
    let turning = points().map(|(m, (x, v))| (x - center).cross(v) * *m).sum();
    let kinetic: f64 = points().map(|(m, (_, v))| 0.5 * m * v.norm_squared()).sum();
    let elements = &model.elements;
    let elastic =
        elements.elastic.energy(&state.positions) + elements.thin.energy(&state.positions);
    (momentum, turning, kinetic + elastic)
}

/// At 10 rad/s and 10 ms a body turns by 6 degrees in a step: straight flight would leave it 2 % of its angular
/// momentum after a second.
#[test]
fn momenta_are_kept_by_all_elements_and_forms() {
    let mut kinds = Vec::new();
    for mesh in ["cuboid", "hexahedra"] {
        for law in ["corotational", "neo_hookean", "st_venant_kirchhoff"] {
            for form in ["stiffness", "compliance"] {
                kinds.push(solid(mesh, law, form));
            }
        }
    }
    for form in ["stiffness", "compliance"] {
        for strains in ["", ", poisson = 0.3"] {
            kinds.push(format!(
                "kind = \"shell\"\nmesh = {{ grid = {{ size = [0.2, 0.3], cells = [3, 4] }} }}\n\
                 shell = {{ stretch = 1000, bend = 0.01, density = 0.2, formulation = \"{form}\"{strains} }}"
            ));
        }
    }
    for (kind, integrator) in kinds
        .iter()
        .flat_map(|kind| [(kind, "euler"), (kind, "bdf2")])
    {
        let mut simulation = prism(1e-2, kind, &format!("integrator = \"{integrator}\""));
        let (momentum, turning, energy) = momenta(&simulation);
        for _ in 0..100 {
            simulation.advance().expect("free flight");
        }
        let (momentum_after, turning_after, energy_after) = momenta(&simulation);
        let lost = (momentum_after - momentum).norm() / momentum.norm();
        assert!(lost < 1e-10, "{kind} {integrator}: momentum {lost:e}");
        let lost = (turning_after - turning).norm() / turning.norm();
        assert!(
            lost < 1e-3,
            "{kind} {integrator}: angular momentum {lost:e}"
        );
        // Of second order, energy is kept in the mean only.
        let most = if integrator == "euler" { 1e-9 } else { 1e-5 };
        let change = (energy_after - energy) / energy;
        assert!(
            (-2e-3..most).contains(&change),
            "{kind} {integrator}: energy {change:e}"
        );
    }
}

/// The stiff prism tumbles as a rigid body of the same masses: the gyroscopic turn of its axis included.
#[test]
fn a_stiff_body_tumbles_as_a_rigid_one() {
    let kind = solid("hexahedra", "corotational", "stiffness").replace("1e6", "1e9");
    let ends = [(4e-3, 125), (2e-3, 250)].map(|(step, steps)| {
        let mut simulation = prism(step, &kind, "");
        for _ in 0..steps {
            simulation.advance().expect("free flight");
        }
        simulation.state().positions.clone()
    });
    let mut fine = prism(1e-4, &kind, "");
    for _ in 0..5000 {
        fine.advance().expect("free flight");
    }
    let off = ends.map(|end| {
        let points = end.iter().zip(&fine.state().positions);
        points.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
    });
    // Half a second is half a turn or so, of points 0.1 m from the centre.
    assert!(off[0] < 1e-3, "{off:?}");
    let order = (off[0] / off[1]).log2();
    assert!(order > 1.7, "order {order}: {off:?}");
}

/// Straight flight, as in the papers, is a choice; it damps what turns.
#[test]
fn straight_flight_damps_what_turns() {
    let kind = solid("cuboid", "neo_hookean", "stiffness");
    let mut simulation = prism(1e-3, &kind, "free_flight = \"straight\"");
    let (_, turning, _) = momenta(&simulation);
    for _ in 0..100 {
        simulation.advance().expect("free flight");
    }
    let (_, after, _) = momenta(&simulation);
    let kept = after.norm() / turning.norm();
    assert!((0.9..0.995).contains(&kept), "{kept}");
}
