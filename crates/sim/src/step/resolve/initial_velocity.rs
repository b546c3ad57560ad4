//! Stage 3, for the first solve of a step: its start velocities.

use crate::contacts::contact::Contact;
use crate::{geometry::Body, model::Model, state::State, step::context::StepContext};
use impinge_contact::ContactState;
use nalgebra::Vector3;

/// Share of the momentum tolerance below which the momentum of a body's nodes counts as solver noise, not as motion.
const NOISE: f64 = 0.25;

/// Displacement of a rigid body in a step, in gap tolerances, below which it counts as solver noise: rows within half
/// as much are not corrected.
const RIGID_NOISE: f64 = 4.0;

/// Change of a body's momentum in tolerances above which it counts as motion. Solver noise changes it by at most two,
/// from one end of the tolerance to the other; twice that is a safe bound.
const MOTION: f64 = 4.0;

/// Tolerances of a solve.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StartTolerances<'a> {
    /// Momentum tolerance of every body (N·s).
    pub(crate) momentum: &'a [f64],
    /// Gap tolerance of every body (m).
    pub(crate) gap: &'a [f64],
}

/// Fills `velocity` with the extrapolated velocities of deformable bodies: their last velocities and accelerations.
///
/// The paper starts from the last velocities. For bodies that fall, swing or are slowed down, these are off by the
/// change of a step, which hardly varies from step to step. If a body changed by no more than the tolerances, it starts
/// from its last velocities: the change is solver noise and must not be extrapolated. For a `supported` body,
/// tolerances include those of its rows. For other bodies, if balances are `closed` after solves, the mean acceleration
/// has no solver noise and is always extrapolated.
pub(crate) fn extrapolate_velocities(
    context: StepContext<'_>,
    supported: &[bool],
    closed: bool,
    tolerances: &StartTolerances<'_>,
    velocity: &mut [f64],
) {
    let StepContext { model, state, .. } = context;
    let time_step = context.time_step;
    for (index, (body, &is_supported)) in model.geometry.bodies.iter().zip(supported).enumerate() {
        let free = |point: usize| model.unknowns.block_of_point[point].map(|block| (point, block));
        let nodes = body.points.clone().filter_map(free);
        let (mut squared_masses, mut squared_change) = (0.0, 0.0);
        for (point, _) in nodes.clone() {
            let mass = model.points.mass[point];
            squared_masses += mass * mass;
            squared_change += (state.accelerations[point] * (mass * time_step)).norm_squared();
        }
        let of_rows = if is_supported {
            tolerances.gap[index] / time_step * f64::sqrt(squared_masses)
        } else {
            0.0
        };
        let is_extrapolated =
            f64::sqrt(squared_change) > MOTION * f64::max(tolerances.momentum[index], of_rows);
        let common = if closed && !is_supported {
            mean_acceleration(model, state, body)
        } else {
            Vector3::zeros()
        };
        for (point, block) in nodes {
            let acceleration = if is_extrapolated {
                state.accelerations[point]
            } else {
                common
            };
            let start = state.velocities[point] + acceleration * time_step;
            velocity[3 * block as usize..][..3].copy_from_slice(start.as_slice());
        }
    }
}

/// Acceleration of the centre of mass in the last step (m/s²); 0 for a body without mass at its points.
fn mean_acceleration(model: &Model, state: &State, body: &Body) -> Vector3<f64> {
    let (mut force, mut mass) = (Vector3::zeros(), 0.0);
    for point in body.points.clone() {
        force += state.accelerations[point] * model.points.mass[point];
        mass += model.points.mass[point];
    }
    if mass > 0.0 {
        force / mass
    } else {
        Vector3::zeros()
    }
}

/// Sets the start velocities of resting bodies to 0.
///
/// A small remaining velocity `v` deforms a body, and its elastic forces `Δt² K v` are unbalanced. In a stiff body they
/// exceed the momentum tolerance even if `M v` is a hundredth of it, and each solve leaves as much velocity again. A
/// stack of rigid bodies oscillates in the same way within the gap tolerance. A body is at rest if it is held or
/// touches something, and moves by less than the solver's tolerances. This affects the start only: a force above the
/// tolerance moves the body, and the balance of whole bodies after the solve uses the actual velocity.
pub(crate) fn start_from_rest(
    context: StepContext<'_>,
    supported: &[bool],
    tolerances: &StartTolerances<'_>,
    velocity: &mut [f64],
) {
    let StepContext { model, state, .. } = context;
    let bodies = model
        .geometry
        .bodies
        .iter()
        .zip(tolerances.momentum)
        .zip(supported);
    for ((body, momentum), _) in bodies.filter(|(_, s)| **s) {
        let free = |point: usize| model.unknowns.block_of_point[point].map(|block| (point, block));
        let nodes = body.points.clone().filter_map(free);
        let noise = NOISE * momentum;
        let of_point =
            |point: usize| (state.velocities[point] * model.points.mass[point]).norm_squared();
        let squared: f64 = nodes.clone().map(|(point, _)| of_point(point)).sum();
        if squared > noise * noise {
            continue;
        }
        for (_, block) in nodes {
            velocity[3 * block as usize..][..3].fill(0.0);
        }
    }
    for rigid in model.rigid.iter().filter(|rigid| supported[rigid.body]) {
        // The unknowns of rotation are velocities at the radius of gyration.
        let velocity = &mut velocity[3 * rigid.first_block as usize..][..6];
        let moved = |v: &f64| v.abs() * context.time_step;
        if velocity.iter().map(moved).fold(0.0, f64::max) < RIGID_NOISE * tolerances.gap[rigid.body]
        {
            velocity.fill(0.0);
        }
    }
}

/// Bodies that touch something, are held, or have rows of their own. Other bodies keep any motion, however slow.
pub(crate) fn supported_bodies(model: &Model, contacts: &[Contact]) -> Vec<bool> {
    let mut supported = model.tied_bodies();
    let touching = contacts
        .iter()
        .filter(|contact| contact.multipliers.state != ContactState::Inactive);
    for &point in touching.flat_map(Contact::stencil) {
        if let Some(supported) = supported.get_mut(model.geometry.solid_of_point(point)) {
            *supported = true;
        }
    }
    supported
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::{contact::ContactKey, cube::CUBE};
    use crate::scene::Scene;

    /// A held cube, and a free one beside it, above the ground.
    fn two_cubes() -> String {
        let free = r#"fixed = [{ box = { lower = [-9, -9, -9], upper = [9, 9, 0] } }]
[[body]]
name = "free"
mesh = { cuboid = { size = [1, 1, 1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [3, 0, 0]
[[obstacle]]
shape = { half_space = { normal = [0, 0, 1], point = [0, 0, -2] } }
"#;
        format!("{CUBE}{free}")
    }

    const TOLERANCES: StartTolerances<'_> = StartTolerances {
        momentum: &[1e-3; 2],
        gap: &[1e-8; 2],
    };

    /// Whether each of the two bodies starts from rest, if all points move with `speed` (m/s) and have these
    /// `contacts`; otherwise it starts with that speed.
    fn at_rest(text: &str, speed: f64, contacts: impl Fn(&Model) -> Vec<Contact>) -> [bool; 2] {
        let scene = Scene::parse("cubes.toml", text, &[""; 0]).expect("a scene");
        let (model, mut state) = Model::new(&scene).expect("a model");
        state.velocities.fill(Vector3::x() * speed);
        let supported = supported_bodies(&model, &contacts(&model));
        let mut velocity = vec![0.0; 3 * model.blocks()];
        let context = StepContext {
            model: &model,
            state: &state,
            time_step: model.settings.time_step,
        };
        extrapolate_velocities(context, &supported, true, &TOLERANCES, &mut velocity);
        for rigid in &model.rigid {
            velocity[3 * rigid.first_block as usize] = speed;
        }
        start_from_rest(context, &supported, &TOLERANCES, &mut velocity);
        let rests = |body: usize| {
            let blocks = model.geometry.bodies[body].points.clone();
            let blocks = blocks.filter_map(|point| model.unknowns.block_of_point[point]);
            let rigid = model.rigid.iter().filter(|rigid| rigid.body == body);
            let blocks = blocks.chain(rigid.map(|rigid| rigid.first_block));
            let speeds = blocks.map(|block| velocity[3 * block as usize].abs());
            let largest = speeds.fold(0.0, f64::max);
            assert!(largest == 0.0 || largest.to_bits() == speed.to_bits());
            largest == 0.0
        };
        [rests(0), rests(1)]
    }

    /// A contact of the second cube with the ground.
    fn on_the_ground(state: ContactState) -> impl Fn(&Model) -> Vec<Contact> {
        move |model| {
            let vertex = model.geometry.bodies[1].points.start as u32;
            let key = ContactKey::VertexHalfSpace {
                vertex,
                half_space: 0,
            };
            let mut contact = Contact::bare(key, &[vertex], Vector3::z());
            contact.multipliers.state = state;
            vec![contact]
        }
    }

    /// Changes of start velocity along x (m/s) of the points of the second body, in flight or on the ground, at 1 m/s.
    /// The accelerations of its points are `accelerations` (m/s²), repeated in turn.
    fn changes_after(accelerations: &[f64], on_the_ground: bool, closed: bool) -> Vec<f64> {
        let scene = Scene::parse("cubes.toml", &two_cubes(), &[""; 0]).expect("a scene");
        let (model, mut state) = Model::new(&scene).expect("a model");
        state.velocities.fill(Vector3::x());
        let in_turn = accelerations.iter().cycle();
        for (point, acceleration) in model.geometry.bodies[1].points.clone().zip(in_turn) {
            state.accelerations[point] = Vector3::x() * *acceleration;
        }
        let mut velocity = vec![0.0; 3 * model.blocks()];
        let context = StepContext {
            model: &model,
            state: &state,
            time_step: model.settings.time_step,
        };
        let supported = [true, on_the_ground];
        extrapolate_velocities(context, &supported, closed, &TOLERANCES, &mut velocity);
        let points = model.geometry.bodies[1].points.clone();
        let blocks = points.filter_map(|point| model.unknowns.block_of_point[point]);
        let changes: Vec<_> = blocks.map(|b| velocity[3 * b as usize] - 1.0).collect();
        assert_eq!(changes.len(), 8, "corners of a cube");
        changes
    }

    fn are_all(changes: &[f64], expected: f64) -> bool {
        changes.iter().all(|dv| (dv - expected).abs() < 1e-15)
    }

    #[test]
    fn accelerated_bodies_start_from_extrapolated_velocities() {
        for (on_the_ground, closed) in [(false, false), (false, true), (true, true)] {
            let changes = changes_after(&[-10.0], on_the_ground, closed);
            assert!(are_all(&changes, -0.01), "{changes:?}");
        }
    }

    /// For a mass of a ton, ε₁ is 1e-6 m/s; the gap tolerance is ten times that.
    #[test]
    fn changes_within_tolerances_are_not_extrapolated() {
        let per_step = MOTION * TOLERANCES.gap[0] / 1e-3;
        let below = changes_after(&[0.9 * per_step / 1e-3], true, true);
        assert!(are_all(&below, 0.0), "{below:?}");
        let above = changes_after(&[1.1 * per_step / 1e-3], true, true);
        assert!(are_all(&above, 1.1 * per_step), "{above:?}");
    }

    #[test]
    fn in_flight_there_are_no_rows_to_be_off() {
        let change = 0.9 * MOTION * TOLERANCES.gap[0] / 1e-3;
        let start = changes_after(&[change / 1e-3], false, false);
        assert!(are_all(&start, change), "{start:?}");
    }

    /// For points of about a hundred kilograms, solver noise is up to 9e-6 m/s; the velocity of the whole cube is
    /// closed to rounding.
    #[test]
    fn in_flight_the_mean_acceleration_is_extrapolated() {
        let (fall, noise) = (5e-6, 5e-7);
        let falls = changes_after(&[fall / 1e-3], false, true);
        assert!(are_all(&falls, fall), "{falls:?}");
        let open = changes_after(&[fall / 1e-3], false, false);
        assert!(are_all(&open, 0.0), "{open:?}");
        let both = [fall + noise, fall - noise].map(|dv| dv / 1e-3);
        let trembles = changes_after(&both, false, true);
        let mean = trembles[0];
        assert!(are_all(&trembles, mean), "{trembles:?}");
        assert!((mean - fall).abs() < noise, "{mean}");
    }

    #[test]
    fn resting_bodies_start_from_rest() {
        // The nodes of a cube of a ton have about a tenth of its mass.
        let slow = 1e-8;
        let sticking = on_the_ground(ContactState::Sticking);
        assert_eq!(at_rest(&two_cubes(), slow, sticking), [true, true]);
        let open = on_the_ground(ContactState::Inactive);
        assert_eq!(at_rest(&two_cubes(), slow, open), [true, false]);
        assert_eq!(at_rest(&two_cubes(), slow, |_| Vec::new()), [true, false]);
    }

    #[test]
    fn moving_bodies_start_with_their_velocity() {
        let fast = 1e-3;
        let sticking = on_the_ground(ContactState::Sticking);
        assert_eq!(at_rest(&two_cubes(), fast, sticking), [false, false]);
    }

    #[test]
    fn rigid_bodies_are_judged_by_how_far_they_move() {
        let both = two_cubes();
        let free_cube = both.rfind("[[body]]").expect("the second cube");
        let (first, second) = both.split_at(free_cube);
        let rigid = second.replace("[[body]]", "[[body]]\nkind = \"rigid\"\ndensity = 1000");
        let rigid: String = rigid
            .lines()
            .filter(|line| !line.starts_with("material"))
            .fold(first.to_owned(), |text, line| text + line + "\n");
        // In a step of 1e-3 s they move by one and by ten tolerances.
        let sticking = || on_the_ground(ContactState::Sticking);
        assert!(at_rest(&rigid, 1e-5, sticking())[1]);
        assert!(!at_rest(&rigid, 1e-4, sticking())[1]);
        assert!(!at_rest(&rigid, 1e-5, |_| Vec::new())[1]);
    }
}
