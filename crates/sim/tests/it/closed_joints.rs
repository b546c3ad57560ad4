//! Hard joints are closed at the end of every step, whatever turns in it.

use impinge_sim::{Scene, Simulation};
use nalgebra::Vector3;
use proptest::prelude::*;

/// Half the length of a box (m): the joint is at the ends of two.
const HALF: f64 = 0.1;

/// Scenes without gravity; bodies and joints follow.
fn settings(integrator: &str) -> String {
    format!(
        "[time]\nstep = 5e-3\nduration = 1.0\nintegrator = \"{integrator}\"\n[world]\ngravity = [0, 0, 0]\n"
    )
}

/// Two boxes of different mass, called by `names`, on a joint at a height (m). Its anchors have no velocity.
fn boxes(names: [&str; 2], joint: &str, height: f64, spins: [[f64; 3]; 2]) -> String {
    let [left, right] = names;
    let mut text = format!(
        "[[joint]]\n{joint}\nfirst = \"{left}\"\nsecond = \"{right}\"\nanchor = [0, 0, {height}]\n"
    );
    for (name, side, mass, spin) in [(left, -HALF, 1.0, spins[0]), (right, HALF, 0.2, spins[1])] {
        let [x, y, z] = spin;
        let velocity = Vector3::from(spin).cross(&Vector3::new(side, 0.0, 0.0));
        let body = format!(
            "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmass = {mass}\nposition = [{side}, 0, {height}]\n\
             mesh = {{ cuboid = {{ size = [0.19, 0.04, 0.05], cells = [1, 1, 1] }} }}\n\
             velocity = [{}, {}, {}]\nangular_velocity = [{x}, {y}, {z}]\n",
            velocity.x, velocity.y, velocity.z
        );
        text.push_str(&body);
    }
    text
}

fn simulation(text: &str) -> Simulation {
    let scene = Scene::parse("pair.toml", text, &[""; 0]).expect("a scene");
    Simulation::new(&scene).expect("sound")
}

/// Distance of the ends that a joint holds together (m).
fn opening(simulation: &Simulation) -> f64 {
    let end = |body: usize, side: f64| {
        let pose = &simulation.state().rigid[body].pose;
        pose.center + pose.orientation * Vector3::new(side, 0.0, 0.0)
    };
    (end(0, HALF) - end(1, -HALF)).norm()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// A linear row would open a joint by `½ (h ω)² r`, a millimetre here. Momentum is kept, and no step adds energy.
    #[test]
    fn joints_that_turn_stay_closed(
        seeds in prop::array::uniform2(prop::array::uniform3(-10.0..10.0_f64)),
        is_hinge in any::<bool>(),
    ) {
        let mut spins = seeds;
        let mut joint = "kind = \"ball\"";
        if is_hinge {
            // Both turn about the axis alone.
            joint = "kind = \"hinge\"\naxis = [0, 0, 1]";
            for spin in &mut spins {
                spin[..2].fill(0.0);
            }
        }
        for integrator in ["euler", "bdf2"] {
            let text = settings(integrator) + &boxes(["left", "right"], joint, 0.0, spins);
            let mut pair = simulation(&text);
            let momentum = |of: &Simulation| -> Vector3<f64> {
                of.state().rigid.iter().zip([1.0, 0.2]).map(|(body, mass)| body.velocity * mass).sum()
            };
            let start = momentum(&pair);
            let mut energy = f64::INFINITY;
            for _ in 0..20 {
                let report = pair.advance().expect("a step");
                prop_assert_eq!((report.substeps, report.inexact_solves), (1, 0));
                prop_assert!(opening(&pair) < 2e-6, "{integrator}: {:e} m", opening(&pair));
                if integrator == "euler" {
                    prop_assert!(report.kinetic_energy < energy + 1e-9, "{energy} {}", report.kinetic_energy);
                    prop_assert!((momentum(&pair) - start).norm() < 1e-9);
                }
                energy = report.kinetic_energy;
            }
        }
    }
}

/// A pair that turns beside another one keeps the bits that it has alone, whatever rounds the other one takes.
#[test]
fn a_joint_elsewhere_changes_no_bit() {
    let joint = "kind = \"ball\"";
    let own = boxes(
        ["left", "right"],
        joint,
        0.0,
        [[0.0, 0.1, 0.2], [0.1, 0.0, -0.1]],
    );
    let fast = boxes(
        ["other left", "other right"],
        joint,
        9.0,
        [[3.0, 9.0, 8.0], [0.0, -9.0, 5.0]],
    );
    let mut alone = simulation(&(settings("euler") + &own));
    let mut beside = simulation(&(settings("euler") + &own + &fast));
    let mut rounds = [0, 0];
    for _ in 0..20 {
        rounds[0] += alone.advance().expect("a step").rounds;
        let report = beside.advance().expect("a step");
        rounds[1] += report.rounds;
        // The equations of the slow pair stay those that it was solved with (N·s).
        let residual = report.momentum_residual;
        assert!(residual < 1e-13, "{residual:e}");
        for (one, same) in alone.state().rigid.iter().zip(&beside.state().rigid) {
            assert_eq!(one, same);
        }
    }
    assert!(
        rounds[1] > rounds[0],
        "the others close in more rounds: {rounds:?}"
    );
}
