//! Scenes and the comparison of runs.

use impinge_sim::extension::{ExtensionError, ExtensionKind, Extensions};
use impinge_sim::{Scene, Simulation, State, StepError, StepFailure};

/// A tilted cube, thrown at the ground with a sideways velocity.
pub(crate) const THROW: &str = r#"
[time]
step = 1e-3
duration = 0.04
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [3, 3, 3] } }
material = { model = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.095]
rotation = { axis = [1, 2, 0], degrees = 20 }
velocity = [0.5, 0, -1]
[[body]]
name = "plate"
mesh = { cuboid = { size = [0.3, 0.3, 0.02], cells = [4, 4, 1] } }
material = { young = 1e6, poisson = 0.3, density = 1000 }
position = [0.01, 0.02, 0.0101]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// A cube that nothing touches or pulls at.
pub(crate) const FLOATING: &str = r#"
[time]
step = 1e-3
duration = 1
[world]
gravity = [0, 0, 0]
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
"#;

pub(crate) fn scene(text: &str) -> Scene {
    Scene::parse("scene.toml", text, &[""; 0]).expect("a sound scene")
}

/// A simulation with extensions that have a place in it.
pub(crate) fn simulation(text: &str, extensions: Extensions) -> Simulation {
    Simulation::extended(&scene(text), extensions).expect("a simulation")
}

/// The state after some steps.
pub(crate) fn run(text: &str, extensions: Extensions, steps: usize) -> State {
    let mut simulation = simulation(text, extensions);
    for _ in 0..steps {
        simulation.advance().expect("a step");
    }
    simulation.state().clone()
}

/// Positions and velocities as bits.
pub(crate) fn bits(state: &State) -> Vec<u64> {
    let vectors = state.positions.iter().chain(&state.velocities);
    vectors
        .flat_map(|vector| [vector.x, vector.y, vector.z])
        .map(f64::to_bits)
        .collect()
}

/// The extension that a failed step names.
#[track_caller]
pub(crate) fn broken(error: &StepError, kind: ExtensionKind, name: &str) -> ExtensionError {
    let StepFailure::Extension(extension) = &error.failure else {
        panic!("{error}");
    };
    assert_eq!((extension.kind, extension.name.as_str()), (kind, name));
    extension.clone()
}

/// Whether two bodies touch: a contact with the ground has one point only.
pub(crate) fn touches_plate(state: &State) -> bool {
    let mut contacts = state.contacts.iter();
    contacts.any(|contact| contact.stencil().len() > 1)
}
