//! Stage 3, for the first solve of a step: the velocities that it starts from.

use crate::contacts::contact::Contact;
use crate::{geometry::Body, model::Model, state::State, step::context::StepContext};
use impinge_contact::ContactState;
use nalgebra::Vector3;

/// Share of the momentum tolerance below which the momentum of a body's nodes is what solves left over, not motion.
const LEFT_OVER: f64 = 0.25;

/// The same of a rigid body, in tolerances of gaps that it moves by in a step. Rows leave gaps alone that are off by
/// half as much.
const RIGID_LEFT_OVER: f64 = 4.0;

/// Change of a body's momentum over what a solve may be off by, above which it is motion: from one end of a tolerance
/// to the other is two, and twice that is nothing that solves could keep going by themselves.
const MOTION: f64 = 4.0;

/// Residuals that a solve may leave over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StartTolerances<'a> {
    /// Of the momentum of every body (N·s).
    pub(crate) momentum: &'a [f64],
    /// Of the gaps of every body (m).
    pub(crate) gap: &'a [f64],
}

/// Fills `velocity` with the velocities that deformable bodies will have if they go on changing as in the last step.
///
/// The paper starts from the last velocities. Where bodies fall, swing or are slowed down these are off by what a step
/// changes, and most of that is the same as before. Where a body changed by no more than a solve may be off, it starts
/// from its last velocities: what is left over there must not be kept going. If it is `supported`, the rows that
/// support it may be off as well. If not, and balances are `closed` after solves, none of what all of its points have
/// in common is left over by a solve: that always goes on.
pub(crate) fn extrapolate_velocities(
    context: StepContext<'_>,
    supported: &[bool],
    closed: bool,
    tolerances: &StartTolerances<'_>,
    velocity: &mut [f64],
) {
    let StepContext {
        model,
        state,
        time_step,
    } = context;
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
        let goes_on =
            f64::sqrt(squared_change) > MOTION * f64::max(tolerances.momentum[index], of_rows);
        let common = if closed && !is_supported {
            mean_acceleration(model, state, body)
        } else {
            Vector3::zeros()
        };
        for (point, block) in nodes {
            let going_on = if goes_on {
                state.accelerations[point]
            } else {
                common
            };
            let start = state.velocities[point] + going_on * time_step;
            velocity[3 * block as usize..][..3].copy_from_slice(start.as_slice());
        }
    }
}

/// Acceleration of the centre of mass in the last step (m/s²); 0 of what has no mass here.
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

/// Lets bodies that have come to rest start from rest, not from their `velocity`.
///
/// A start that goes on deforming a body asks elastic forces for `Δt² K v`, which nothing balances. Of a stiff body
/// that is more than the tolerance of momentum although `M v` is a hundredth of it, and solving it away leaves as much
/// again for the next step. A stack of rigid bodies goes on trembling in the same way by what rows may be off. At rest
/// is what is held, or touches something, and moves less than a solve can tell from nothing. It is a start: whatever
/// pushes it more than the tolerance moves it, and the momentum of whole bodies is closed after the solve, with what
/// velocity there was.
pub(crate) fn start_from_rest(
    context: StepContext<'_>,
    supported: &[bool],
    tolerances: &StartTolerances<'_>,
    velocity: &mut [f64],
) {
    let StepContext {
        model,
        state,
        time_step,
    } = context;
    let bodies = model
        .geometry
        .bodies
        .iter()
        .zip(tolerances.momentum)
        .zip(supported);
    for ((body, momentum), _) in bodies.filter(|(_, s)| **s) {
        let free = |point: usize| model.unknowns.block_of_point[point].map(|block| (point, block));
        let nodes = body.points.clone().filter_map(free);
        let left_over = LEFT_OVER * momentum;
        let of_point =
            |point: usize| (state.velocities[point] * model.points.mass[point]).norm_squared();
        let squared: f64 = nodes.clone().map(|(point, _)| of_point(point)).sum();
        if squared > left_over * left_over {
            continue;
        }
        for (_, block) in nodes {
            velocity[3 * block as usize..][..3].fill(0.0);
        }
    }
    for rigid in model.rigid.iter().filter(|rigid| supported[rigid.body]) {
        // The unknowns of its rotation are velocities at its radius of gyration.
        let velocity = &mut velocity[3 * rigid.first_block as usize..][..6];
        let moved = |v: &f64| v.abs() * time_step;
        if velocity.iter().map(moved).fold(0.0, f64::max)
            < RIGID_LEFT_OVER * tolerances.gap[rigid.body]
        {
            velocity.fill(0.0);
        }
    }
}

/// Which bodies touch something, are held somewhere or have rows of their own: others keep their motion, however slow.
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
    use crate::{contacts::contact::ContactKey, scene::Scene};

    const TWO_CUBES: &str = r#"
[time]
step = 1e-3
duration = 1e-3
[[body]]
name = "held"
mesh = { cuboid = { size = [1, 1, 1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
fixed = [{ box = { lower = [-9, -9, -9], upper = [9, 9, 0] } }]
[[body]]
name = "free"
mesh = { cuboid = { size = [1, 1, 1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [3, 0, 0]
[[obstacle]]
shape = { half_space = { normal = [0, 0, 1], point = [0, 0, -2] } }
"#;

    const TOLERANCES: StartTolerances<'_> = StartTolerances {
        momentum: &[1e-3; 2],
        gap: &[1e-8; 2],
    };

    /// Whether the first and the second body start from rest, where all points move by `speed` (m/s) and `contacts` are
    /// known; if not, they start with that speed.
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

    /// The second cube on the ground.
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

    /// Changes of velocity along x (m/s), by point, that the second body starts with in flight or on the ground, where
    /// it moves by 1 m/s and its points were accelerated by `accelerations` (m/s²), one after the other and around
    /// again.
    fn changes_after(accelerations: &[f64], on_the_ground: bool, closed: bool) -> Vec<f64> {
        let scene = Scene::parse("cubes.toml", TWO_CUBES, &[""; 0]).expect("a scene");
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
    fn what_is_accelerated_starts_with_what_that_makes_of_its_velocity() {
        for (on_the_ground, closed) in [(false, false), (false, true), (true, true)] {
            let changes = changes_after(&[-10.0], on_the_ground, closed);
            assert!(are_all(&changes, -0.01), "{changes:?}");
        }
    }

    /// Of a ton ε₁ makes 1e-6 m/s, and rows may be off by ten times that.
    #[test]
    fn what_solves_and_rows_may_be_off_is_not_kept_going() {
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

    /// Of points that weigh a hundred kilograms or so solves leave up to 9e-6 m/s over; all of the cube together is
    /// closed to rounding.
    #[test]
    fn in_flight_what_all_points_have_in_common_goes_on() {
        let (fall, left_over) = (5e-6, 5e-7);
        let falls = changes_after(&[fall / 1e-3], false, true);
        assert!(are_all(&falls, fall), "{falls:?}");
        let open = changes_after(&[fall / 1e-3], false, false);
        assert!(are_all(&open, 0.0), "{open:?}");
        let both = [fall + left_over, fall - left_over].map(|dv| dv / 1e-3);
        let trembles = changes_after(&both, false, true);
        let mean = trembles[0];
        assert!(are_all(&trembles, mean), "{trembles:?}");
        assert!((mean - fall).abs() < left_over, "{mean}");
    }

    #[test]
    fn what_rests_starts_without_what_solves_left_over() {
        // A cube of a ton has nodes of a tenth or so.
        let slow = 1e-8;
        let sticking = on_the_ground(ContactState::Sticking);
        assert_eq!(at_rest(TWO_CUBES, slow, sticking), [true, true]);
        let open = on_the_ground(ContactState::Inactive);
        assert_eq!(at_rest(TWO_CUBES, slow, open), [true, false]);
        assert_eq!(at_rest(TWO_CUBES, slow, |_| Vec::new()), [true, false]);
    }

    #[test]
    fn what_moves_starts_with_its_velocity() {
        let fast = 1e-3;
        let sticking = on_the_ground(ContactState::Sticking);
        assert_eq!(at_rest(TWO_CUBES, fast, sticking), [false, false]);
    }

    #[test]
    fn rigid_bodies_are_judged_by_how_far_they_move() {
        let free_cube = TWO_CUBES.rfind("[[body]]").expect("the second cube");
        let (first, second) = TWO_CUBES.split_at(free_cube);
        let rigid = second.replace("[[body]]", "[[body]]\nkind = \"rigid\"\ndensity = 1000");
        let rigid: String = rigid
            .lines()
            .filter(|line| !line.starts_with("material"))
            .fold(first.to_owned(), |text, line| text + line + "\n");
        // A step of 1e-3 s moves them by one and by ten tolerances.
        let sticking = || on_the_ground(ContactState::Sticking);
        assert!(at_rest(&rigid, 1e-5, sticking())[1]);
        assert!(!at_rest(&rigid, 1e-4, sticking())[1]);
        assert!(!at_rest(&rigid, 1e-5, |_| Vec::new())[1]);
    }
}
