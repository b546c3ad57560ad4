//! No intersection in any committed state, by predicates that the solver does not use.

use crate::support::{
    COLLISION, SQUEEZE, STACK, THROW, active, assert_apart, simulation, true_gap,
};
use impinge_sim::measure::forces::contact_forces;

/// Contacts that push; at most one in a hundred may be beyond the clearance or not measurable.
#[derive(Debug, Default)]
struct Examined {
    all: u32,
    /// Farther apart at the end than the clearance: separated at an impact within the step.
    beyond: u32,
    /// Features that are no longer opposite to each other.
    unmeasured: u32,
}

#[test]
fn no_committed_state_intersects_and_gaps_lie_in_the_clearance() {
    for (name, text) in [("throw", THROW), ("stack", STACK), ("collision", COLLISION)] {
        let mut simulation = simulation(text, &[]);
        let mut examined = Examined::default();
        for _ in 0..80 {
            let report = simulation.advance().expect("a plain scene is solved");
            let (model, state) = (simulation.model(), simulation.state());
            assert_apart(model, state);
            assert_eq!(report.inexact_solves, 0, "{name}, step {}", report.step);
            for contact in active(state) {
                examined.all += 1;
                let clearance = model.geometry.clearance(contact.key);
                let Some(gap) = true_gap(model, state, contact) else {
                    examined.unmeasured += 1;
                    continue;
                };
                // A contact at an impact within the step is separated there, and may be farther apart at the end.
                assert!(
                    gap > 0.0 && (gap < clearance || contact.held),
                    "{name}, step {}: {:?} is {gap:e} m apart, not in (0, {clearance:e})",
                    report.step,
                    contact.key
                );
                examined.beyond += u32::from(gap >= clearance);
            }
        }
        assert!(examined.all > 50, "{name}: {examined:?}");
        let others = examined.beyond + examined.unmeasured;
        // The bodies of the collision leave it turning: up to two contacts end apart, of fewer than a hundred.
        let allowed = match name {
            "collision" => (examined.all / 100).max(2),
            _ => examined.all / 100,
        };
        assert!(others <= allowed, "{name}: {examined:?}");
    }
}

/// A ring pressed flat touches itself and never passes through itself.
#[test]
fn self_collision_stays_outside() {
    let mut simulation = simulation(SQUEEZE, &[]);
    let mut touched_itself = 0;
    for _ in 0..56 {
        simulation
            .advance()
            .expect("a soft ring can be pressed flat");
        let (model, state) = (simulation.model(), simulation.state());
        assert_apart(model, state);
        touched_itself += usize::from(contact_forces(model, state).pairs.contains_key(&[0, 0]));
    }
    assert!(touched_itself > 0, "the inner sides never met");
}

/// Closing walls: the run stops with an error, at a state without intersections.
#[test]
fn crushing_walls_end_in_an_error_and_a_safe_state() {
    let text = r#"
[time]
step = 1e-3
duration = 0.1
minimum_step = 2.5e-4
[world]
gravity = [0, 0, 0]
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.04, 0.04, 0.04], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
[[obstacle]]
name = "left"
shape = { cuboid = { size = [0.02, 0.2, 0.2] } }
position = [-0.0305, 0, 0]
motion = { velocity = [1, 0, 0] }
[[obstacle]]
name = "right"
shape = { cuboid = { size = [0.02, 0.2, 0.2] } }
position = [0.0305, 0, 0]
motion = { velocity = [-1, 0, 0] }
"#;
    let mut simulation = simulation(text, &[]);
    let mut error = None;
    for _ in 0..25 {
        match simulation.advance() {
            Ok(_) => assert_apart(simulation.model(), simulation.state()),
            Err(found) => {
                error = Some(found);
                break;
            }
        }
    }
    let error = error.expect("21 steps close the walls completely");
    assert_apart(simulation.model(), simulation.state());
    let message = error.to_string();
    assert!(message.contains("earlier steps are valid"), "{message}");
    assert!(
        simulation.state().time > 0.005,
        "given up too early: {error}"
    );
}
