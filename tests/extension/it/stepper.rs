//! A stepper: velocity Verlet, explicit, in free fall.

use crate::support::{bits, broken, scene, simulation};
use impinge_sim::extension::{ExtensionKind, Extensions};
use impinge_sim::{Model, Simulation, State, StepError, StepReport, Stepper};
use nalgebra::Vector3;

const FALL: &str = r#"
[time]
step = 1e-4
duration = 1
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
velocity = [0.3, 0, 1]
angular_velocity = [0, 0, 5]
"#;

/// Velocity Verlet with the elastic forces of the model.
#[derive(Default)]
struct Verlet {
    forces: Vec<Vector3<f64>>,
}

impl Verlet {
    /// Adds half a step of acceleration.
    fn kick(&mut self, model: &Model, state: &mut State) {
        let half = 0.5 * model.settings.time_step;
        self.forces.resize(state.positions.len(), Vector3::zeros());
        (model.elements.elastic).elastic_force_into(&state.positions, &mut self.forces);
        for (point, force) in self.forces.iter().enumerate() {
            let acceleration = force / model.points.mass[point] + model.settings.gravity;
            state.velocities[point] += acceleration * half;
        }
    }
}

impl Stepper for Verlet {
    fn advance(&mut self, model: &Model, state: &mut State) -> Result<StepReport, StepError> {
        self.kick(model, state);
        for (x, v) in state.positions.iter_mut().zip(&state.velocities) {
            *x += v * model.settings.time_step;
        }
        self.kick(model, state);
        state.step += 1;
        state.time = state.step as f64 * model.settings.time_step;
        Ok(StepReport {
            step: state.step,
            time: state.time,
            ..StepReport::default()
        })
    }

    fn is_resumable(&self) -> bool {
        true
    }
}

fn center(simulation: &Simulation) -> Vector3<f64> {
    let mass = &simulation.model().points.mass;
    let sum: Vector3<f64> = (simulation.state().positions.iter().zip(mass))
        .map(|(x, mass)| x * *mass)
        .sum();
    sum / mass.iter().sum::<f64>()
}

/// Velocity Verlet is exact in free fall, and elastic forces do not move the centre.
#[test]
fn an_explicit_stepper_falls_on_the_parabola() {
    let extensions = Extensions::new().stepper("verlet", Verlet::default());
    let mut simulation = simulation(FALL, extensions);
    let start = center(&simulation);
    for _ in 0..1000 {
        simulation.advance().expect("a step");
    }
    let time = simulation.state().time;
    assert!((time - 0.1).abs() < 1e-12);
    let exact =
        start + Vector3::new(0.3, 0.0, 1.0) * time - Vector3::z() * (0.5 * 9.81 * time * time);
    let off = (center(&simulation) - exact).norm();
    assert!(off < 1e-9, "{off:e} m");
}

#[test]
fn a_resumed_stepper_continues_bit_for_bit() {
    let new = || simulation(FALL, Extensions::new().stepper("verlet", Verlet::default()));
    let mut whole = new();
    let mut resumed = new();
    for _ in 0..20 {
        whole.advance().expect("a step");
    }
    resumed
        .resume(whole.state().clone())
        .expect("the same scene");
    for simulation in [&mut whole, &mut resumed] {
        for _ in 0..20 {
            simulation.advance().expect("a step");
        }
    }
    assert_eq!(bits(whole.state()), bits(resumed.state()));
}

struct Broken(Breaks);

type Breaks = fn(&mut State);

impl Stepper for Broken {
    fn advance(&mut self, _: &Model, state: &mut State) -> Result<StepReport, StepError> {
        (self.0)(state);
        Ok(StepReport::default())
    }
}

#[test]
fn a_broken_state_is_restored_and_names_the_stepper() {
    let cases: [(Breaks, &str); 3] = [
        (|state| state.positions.truncate(1), "1 positions"),
        (|state| state.velocities[0].x = f64::NAN, "not finite"),
        (|state| state.time = 1.0, "a step counts one"),
    ];
    for (breaks, expected) in cases {
        let extensions = Extensions::new().stepper("broken", Broken(breaks));
        let mut simulation = simulation(FALL, extensions);
        let start = bits(simulation.state());
        let error = simulation.advance().expect_err("a broken contract");
        let extension = broken(&error, ExtensionKind::Stepper, "broken");
        assert!(extension.problem.contains(expected), "{extension}");
        assert_eq!(bits(simulation.state()), start);
    }
}

#[test]
fn parts_of_the_synchronous_step_have_no_place_in_another_stepper() {
    let extensions = Extensions::new()
        .stepper("verlet", Verlet::default())
        .preconditioner("identity", impinge_krylov::preconditioner::Identity);
    let refused = Simulation::extended(&scene(FALL), extensions);
    let error = refused.err().expect("no place").to_string();
    assert!(error.contains("preconditioner `identity`"), "{error}");
    let rigid = FALL.replace(
        "material = { young = 1e5, poisson = 0.3, density = 1000 }",
        "kind = \"rigid\"\ndensity = 1000",
    );
    let text = format!("stepper = \"constrained\"\n{rigid}");
    let extensions = Extensions::new().stepper("verlet", Verlet::default());
    let refused = Simulation::extended(&scene(&text), extensions);
    let error = refused.err().expect("two steppers").to_string();
    assert!(error.contains("`verlet`"), "{error}");
}
