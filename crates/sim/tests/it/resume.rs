//! Simulations that resume from a state of another one.

use impinge_sim::{Scene, SimError, Simulation, State};
use nalgebra::Vector3;

/// A cube that hangs from its top until it is released, and then falls onto the ground.
const LET_GO: &str = r#"
[time]
step = 2e-3
duration = 0.06
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.0501]
velocity = [0.1, 0, -0.1]
fixed = [{ box = { lower = [-1, -1, 0.09], upper = [1, 1, 1] }, until = 0.02 }]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

fn simulation(text: &str) -> Simulation {
    let scene = Scene::parse("scene.toml", text, &[""; 0]).expect("a scene");
    Simulation::new(&scene).expect("a simulation")
}

#[test]
fn it_takes_the_same_steps_before_and_after_nodes_are_let_go() {
    let mut whole = simulation(LET_GO);
    let mut states: Vec<State> = vec![whole.state().clone()];
    for _ in 0..25 {
        whole.advance().expect("a step");
        states.push(whole.state().clone());
    }
    for from in [0, 5, 10, 15] {
        let mut resumed = simulation(LET_GO);
        resumed.resume(states[from].clone()).expect("its own state");
        for state in &states[from + 1..] {
            resumed.advance().expect("a step");
            assert_eq!(resumed.state(), state, "from step {from}");
        }
    }
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let own = simulation(LET_GO).state().clone();
    let refused = |change: &dyn Fn(&mut State), word: &str| {
        let mut state = own.clone();
        change(&mut state);
        let mut simulation = simulation(LET_GO);
        let before = simulation.state().clone();
        let error = simulation.resume(state).expect_err("it does not fit");
        assert!(matches!(error, SimError::NotResumable { .. }), "{error}");
        assert!(error.to_string().contains(word), "{error}");
        assert_eq!(*simulation.state(), before);
    };
    refused(&|state| state.positions.push(Vector3::zeros()), "positions");
    refused(&|state| state.velocities.truncate(1), "velocities");
    refused(&|state| state.velocities[0].x = f64::NAN, "not finite");
    refused(&|state| state.time = f64::INFINITY, "not finite");

    let mut late = simulation(LET_GO);
    late.advance().expect("a step");
    let error = late.resume(own.clone()).expect_err("it has gone on");
    assert!(error.to_string().contains("already advanced"), "{error}");
}
