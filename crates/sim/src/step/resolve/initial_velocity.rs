//! Stage 3, for the first solve of a step: its start velocities.

use crate::contacts::contact::Contact;
use crate::geometry::Body;
use crate::step::detect::separation::POINTS_PER_TASK;
use crate::{model::Model, step::context::StepContext};
use impinge_contact::{ContactState, Tolerances};
use rayon::prelude::*;

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
/// The paper starts from the last velocities. For bodies that fall, swing, vibrate or are slowed down, these are off by
/// the change of a step, which hardly varies from step to step. A change of momentum `‖M a Δt‖` within the tolerance is
/// not extrapolated: the solver would accept the new start of a free body as it is, and solver noise would accelerate
/// the body in every step. Noise beside a larger change is extrapolated with it. The balance of whole bodies after the
/// solve removes its rigid part, and elastic forces resist the rest.
pub(crate) fn extrapolate_velocities(
    context: StepContext<'_>,
    tolerances: &StartTolerances<'_>,
    velocity: &mut [f64],
) {
    let StepContext { model, state, .. } = context;
    let time_step = context.time_step;
    let changes = |(body, tolerance): (&Body, &f64)| {
        let change = |point: usize| {
            (state.accelerations[point] * (model.points.mass[point] * time_step)).norm_squared()
        };
        let squared_change: f64 = free_points(model, body).map(change).sum();
        squared_change > tolerance * tolerance
    };
    let bodies = model.geometry.bodies.par_iter().zip(tolerances.momentum);
    let is_extrapolated: Vec<bool> = bodies.map(changes).collect();
    (velocity.par_chunks_exact_mut(3))
        .with_min_len(POINTS_PER_TASK)
        .zip(&model.unknowns.point_of_block)
        .for_each(|(velocity, &point)| {
            let is_extrapolated = is_extrapolated[model.geometry.solid_of_point(point)];
            let point = point as usize;
            let mut start = state.velocities[point];
            if is_extrapolated {
                start += state.accelerations[point] * time_step;
            }
            velocity.copy_from_slice(start.as_slice());
        });
}

/// The free points of a body.
fn free_points(model: &Model, body: &Body) -> impl Iterator<Item = usize> {
    let is_free = |point: &usize| model.unknowns.block_of_point[*point].is_some();
    body.points.clone().filter(is_free)
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
    let rests = |((body, momentum), supported): ((&Body, &f64), &bool)| {
        let noise = Tolerances::NOISE * momentum;
        let of_point =
            |point: usize| (state.velocities[point] * model.points.mass[point]).norm_squared();
        let moves = || free_points(model, body).map(of_point).sum::<f64>() > noise * noise;
        *supported && !moves()
    };
    let bodies = model.geometry.bodies.par_iter().zip(tolerances.momentum);
    let at_rest: Vec<bool> = bodies.zip(supported).map(rests).collect();
    for (body, _) in (model.geometry.bodies.iter().zip(at_rest)).filter(|(_, rests)| *rests) {
        for block in body
            .points
            .clone()
            .filter_map(|point| model.unknowns.block_of_point[point])
        {
            velocity[3 * block as usize..][..3].fill(0.0);
        }
    }
    for rigid in model.rigid.iter().filter(|rigid| supported[rigid.body]) {
        // The unknowns of rotation are velocities at the radius of gyration.
        let velocity = &mut velocity[3 * rigid.first_block as usize..][..6];
        let moved = |v: &f64| v.abs() * context.time_step;
        // From one end to the other of the range of gaps that an accepted solve may leave.
        let noise = 2.0 * Tolerances::ACCEPTED * tolerances.gap[rigid.body];
        if velocity.iter().map(moved).fold(0.0, f64::max) < noise {
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
    use nalgebra::Vector3;

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

    /// The two cubes, the free one rigid.
    fn with_a_rigid_cube() -> String {
        let both = two_cubes();
        let free_cube = both.rfind("[[body]]").expect("the second cube");
        let (first, second) = both.split_at(free_cube);
        let rigid = second.replace("[[body]]", "[[body]]\nkind = \"rigid\"\ndensity = 1000");
        rigid
            .lines()
            .filter(|line| !line.starts_with("material"))
            .fold(first.to_owned(), |text, line| text + line + "\n")
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
        extrapolate_velocities(context, &TOLERANCES, &mut velocity);
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

    /// Start velocities along x after a step in which all points of the second cube changed their momentum by
    /// `change` momentum tolerances together, and those of the first one did not; and the change of velocity (m/s).
    /// The last velocities are 1 m/s. Unknowns that are not set keep 7 m/s.
    fn starts_after(text: &str, change: f64) -> (Model, Vec<f64>, f64) {
        let scene = Scene::parse("cubes.toml", text, &[""; 0]).expect("a scene");
        let (model, mut state) = Model::new(&scene).expect("a model");
        state.velocities.fill(Vector3::x());
        let points = model.geometry.bodies[1].points.clone();
        let masses = points.clone().map(|point| model.points.mass[point]);
        let squares: f64 = masses.map(|mass| mass * mass).sum();
        let velocity_change = change * TOLERANCES.momentum[1] / squares.sqrt();
        let time_step = model.settings.time_step;
        for point in points {
            state.accelerations[point] = Vector3::x() * (velocity_change / time_step);
        }
        let mut velocity = vec![7.0; 3 * model.blocks()];
        let context = StepContext {
            model: &model,
            state: &state,
            time_step,
        };
        extrapolate_velocities(context, &TOLERANCES, &mut velocity);
        let along_x = velocity.iter().step_by(3).copied().collect();
        (model, along_x, velocity_change)
    }

    #[test]
    fn changes_above_the_tolerance_are_extrapolated() {
        for (change, is_extrapolated) in [(0.9, false), (1.1, true), (1e6, true)] {
            let (model, starts, velocity_change) = starts_after(&two_cubes(), change);
            let points = model.geometry.bodies[1].points.clone();
            let expected = if is_extrapolated {
                1.0 + velocity_change
            } else {
                1.0
            };
            for (start, &point) in starts.iter().zip(&model.unknowns.point_of_block) {
                let of_second = points.contains(&(point as usize));
                let expected = if of_second { expected } else { 1.0 };
                assert!((start - expected).abs() < 1e-12, "{change}: {start}");
            }
        }
    }

    #[test]
    fn rigid_bodies_have_no_velocities_to_extrapolate() {
        let (model, starts, _) = starts_after(&with_a_rigid_cube(), 0.0);
        let of_points = model.unknowns.point_of_block.len();
        assert_eq!(model.blocks(), of_points + 2);
        assert!(
            starts[..of_points]
                .iter()
                .all(|start| (start - 1.0).abs() < 1e-15)
        );
        assert!(
            starts[of_points..]
                .iter()
                .all(|start| (start - 7.0).abs() < 1e-15)
        );
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
        let rigid = with_a_rigid_cube();
        // In a step of 1e-3 s they move by one and by ten tolerances.
        let sticking = || on_the_ground(ContactState::Sticking);
        assert!(at_rest(&rigid, 1e-5, sticking())[1]);
        assert!(!at_rest(&rigid, 1e-4, sticking())[1]);
        assert!(!at_rest(&rigid, 1e-5, |_| Vec::new())[1]);
    }
}
