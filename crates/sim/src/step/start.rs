//! Stage 3, for the first solve of a step: the velocities that it starts from.

use super::contact::Contact;
use crate::{
    model::{Model, PointMotion},
    state::State,
};
use impinge_contact::ContactState;

/// Share of the momentum tolerance below which the momentum of a body's nodes is what solves left over, not motion.
const LEFT_OVER: f64 = 0.25;

/// Fills `velocity` with the velocities of the last step (spec 5.7), of bodies that have come to rest with none.
///
/// A start that goes on deforming a body asks elastic forces for `Δt² K v`, which nothing balances. Of a stiff body that is more than
/// the tolerance `momentum` (N·s) although `M v` is a hundredth of it, and solving it away leaves as much again for the next
/// step. At rest is what is held, or touches something, and whose nodes have less momentum than a solve can tell from none. It is
/// a start: whatever pushes it more than the tolerance moves it.
pub(crate) fn start_velocity(
    model: &Model,
    state: &State,
    contacts: &[Contact],
    momentum: f64,
    velocity: &mut Vec<f64>,
) {
    velocity.resize(3 * model.blocks(), 0.0);
    for (v, &point) in velocity.chunks_exact_mut(3).zip(&model.point_of_block) {
        v.copy_from_slice(state.velocities[point as usize].as_slice());
    }
    let supported = supported_bodies(model, contacts);
    let free = model.point_of_block.len() as f64;
    for (body, _) in model.bodies.iter().zip(supported).filter(|(_, s)| *s) {
        let share = body.points.len() as f64 / free;
        let resolved = LEFT_OVER * momentum * share.sqrt();
        let of_point = |point: usize| (state.velocities[point] * model.mass[point]).norm_squared();
        let squared: f64 = body.points.clone().map(of_point).sum();
        if squared > resolved * resolved {
            continue;
        }
        for point in body.points.clone() {
            if let Some(block) = model.block_of_point[point] {
                velocity[3 * block as usize..][..3].fill(0.0);
            }
        }
    }
}

/// Which bodies touch something or are held somewhere: others keep their motion, however slow.
fn supported_bodies(model: &Model, contacts: &[Contact]) -> Vec<bool> {
    let is_held = |point: usize| !matches!(model.motion_of_point[point], PointMotion::Free(_));
    let mut supported: Vec<bool> = (model.bodies.iter())
        .map(|body| body.points.clone().any(is_held))
        .collect();
    let touching = contacts
        .iter()
        .filter(|contact| contact.multipliers.state != ContactState::Inactive);
    for &point in touching.flat_map(Contact::stencil) {
        if let Some(supported) = supported.get_mut(model.solid_of_point(point)) {
            *supported = true;
        }
    }
    supported
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{scene::Scene, step::contact::ContactKey};
    use nalgebra::Vector3;

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

    /// Tolerance of momentum (N·s).
    const MOMENTUM: f64 = 1e-3;

    /// Velocities that a step starts from, per body the largest (m/s), where all points move by `speed` and `contacts` are known.
    fn started(speed: f64, contacts: impl Fn(&Model) -> Vec<Contact>) -> [f64; 2] {
        let scene = Scene::parse("cubes.toml", TWO_CUBES, &[""; 0]).expect("a scene");
        let (model, mut state) = Model::new(&scene).expect("a model");
        state.velocities.fill(Vector3::x() * speed);
        let mut velocity = Vec::new();
        start_velocity(&model, &state, &contacts(&model), MOMENTUM, &mut velocity);
        let largest = |body: usize| {
            let blocks = model.bodies[body].points.clone();
            let blocks = blocks.filter_map(|point| model.block_of_point[point]);
            let speeds = blocks.map(|block| velocity[3 * block as usize].abs());
            speeds.fold(0.0, f64::max)
        };
        [largest(0), largest(1)]
    }

    /// The second cube on the ground.
    fn on_the_ground(state: ContactState) -> impl Fn(&Model) -> Vec<Contact> {
        move |model| {
            let vertex = model.bodies[1].points.start as u32;
            let key = ContactKey::VertexHalfSpace {
                vertex,
                half_space: 0,
            };
            let mut contact = Contact::bare(key, &[vertex], Vector3::z());
            contact.multipliers.state = state;
            vec![contact]
        }
    }

    #[test]
    fn what_rests_starts_without_what_solves_left_over() {
        // A cube of a ton has nodes of a tenth or so.
        let slow = 1e-8;
        let sticking = on_the_ground(ContactState::Sticking);
        assert_eq!(started(slow, sticking), [0.0, 0.0]);
        let open = on_the_ground(ContactState::Inactive);
        assert_eq!(started(slow, open), [0.0, slow]);
        assert_eq!(started(slow, |_| Vec::new()), [0.0, slow]);
    }

    #[test]
    fn what_moves_starts_with_its_velocity() {
        let fast = 1e-3;
        let sticking = on_the_ground(ContactState::Sticking);
        assert_eq!(started(fast, sticking), [fast, fast]);
    }
}
