//! Small scenes and the measurements of the laws.

use impinge_contact::ContactState;
use impinge_geometry::exact::surface_intersections;
use impinge_sim::contacts::contact::{Contact, ContactKey};
use impinge_sim::report::StageTimes;
use impinge_sim::{Model, Scene, Simulation, State, StepReport};
use nalgebra::Vector3;

/// A tilted cube thrown at the ground with a sideways velocity.
pub(crate) const THROW: &str = r#"
[time]
step = 1e-3
duration = 0.1
[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [3, 3, 3] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.09]
rotation = { axis = [1, 2, 0], degrees = 20 }
velocity = [0.5, 0, -1]
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// Three boxes on each other, a tenth of a millimetre apart.
pub(crate) const STACK: &str = r#"
[time]
step = 1e-3
duration = 0.1
[[body]]
name = "box"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.0501]
copies = { count = 3, columns = [1, 1], spacing = [0.1001, 0.1001, 0.1001] }
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// A ball and a turning bar collide off-centre in free space.
pub(crate) const COLLISION: &str = r#"
[time]
step = 1e-3
duration = 0.1
[world]
gravity = [0, 0, 0]
friction = 0.5
[[body]]
name = "ball"
mesh = { sphere = { radius = 0.05, subdivisions = 2 } }
material = { young = 2e5, poisson = 0.3, density = 1000 }
position = [-0.08, 0, 0]
velocity = [2, 0, 0.3]
[[body]]
name = "bar"
mesh = { cuboid = { size = [0.05, 0.15, 0.05], cells = [2, 4, 2] } }
material = { young = 2e5, poisson = 0.3, density = 500 }
position = [0.02, 0.04, 0]
velocity = [-1, 0, 0]
angular_velocity = [0, 3, 10]
"#;

/// Two plates press a ring flat until its inner sides meet.
pub(crate) const SQUEEZE: &str = r#"
[time]
step = 1e-3
duration = 0.06
[world]
gravity = [0, 0, 0]
friction = 0.3
[[body]]
name = "ring"
mesh = { ring = { major_radius = 0.05, section = 0.02 } }
material = { model = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000 }
[[obstacle]]
name = "left"
shape = { cuboid = { size = [0.02, 0.3, 0.2] } }
position = [-0.0702, 0, 0]
motion = { velocity = [0.8, 0, 0] }
[[obstacle]]
name = "right"
shape = { cuboid = { size = [0.02, 0.3, 0.2] } }
position = [0.0702, 0, 0]
motion = { velocity = [-0.8, 0, 0] }
"#;

pub(crate) fn scene(text: &str, overrides: &[&str]) -> Scene {
    Scene::parse("scene.toml", text, overrides).expect("the scenes of these tests are valid")
}

pub(crate) fn simulation(text: &str, overrides: &[&str]) -> Simulation {
    Simulation::new(&scene(text, overrides)).expect("the scenes of these tests start apart")
}

/// Contacts that push.
pub(crate) fn active(state: &State) -> impl Iterator<Item = &Contact> {
    state
        .contacts
        .iter()
        .filter(|contact| contact.multipliers.state != ContactState::Inactive)
}

/// Sum of the masses (kg).
pub(crate) fn mass(model: &Model) -> f64 {
    (0..model.geometry.bodies.len())
        .map(|body| model.body_mass(body))
        .sum()
}

/// `Σ ‖m v‖`: the scale of momentum.
pub(crate) fn momentum_scale(model: &Model, state: &State) -> f64 {
    model
        .points
        .mass
        .iter()
        .zip(&state.velocities)
        .map(|(mass, v)| mass * v.norm())
        .sum()
}

/// Kinetic, elastic and gravitational energy (J).
pub(crate) fn energy(report: &StepReport) -> f64 {
    report.kinetic_energy + report.elastic_energy + report.gravitational_energy
}

/// The common part of the reports of equal runs.
pub(crate) fn without_times(mut report: StepReport) -> StepReport {
    report.times = StageTimes::default();
    report
}

/// Positions and velocities as bits.
pub(crate) fn bits(state: &State) -> Vec<u64> {
    let vectors = state.positions.iter().chain(&state.velocities);
    vectors
        .flat_map(|v| [v.x.to_bits(), v.y.to_bits(), v.z.to_bits()])
        .collect()
}

/// No two triangles share a point, and no free point is inside a half-space, by exact predicates and a plane's sign.
pub(crate) fn assert_apart(model: &Model, state: &State) {
    let pairs = surface_intersections(&state.positions, &model.geometry.surface, 10);
    assert!(pairs.is_empty(), "step {}: {pairs:?}", state.step);
    for &point in model.geometry.surface.vertices() {
        for half_space in &model.geometry.half_spaces {
            let height = half_space
                .normal
                .dot(&(state.positions[point as usize] - half_space.point));
            let fixed = model.geometry.surface.is_passive_point(point);
            assert!(
                fixed || height > 0.0,
                "step {}: point {point} is {height:e} m above `{}`",
                state.step,
                half_space.name
            );
        }
    }
}

/// Distance of the features of a contact along their own normal, from their positions alone (m); `None` if they are not
/// opposite to each other. A corner that meets an edge or a corner has no such normal: the distance is then to the
/// adjacent sides.
pub(crate) fn true_gap(model: &Model, state: &State, contact: &Contact) -> Option<f64> {
    let at = |point: u32| state.positions[point as usize];
    let edge = |index: u32| model.geometry.surface.edges()[index as usize].map(at);
    match contact.key {
        ContactKey::VertexHalfSpace { vertex, half_space } => {
            let plane = &model.geometry.half_spaces[half_space as usize];
            Some(plane.normal.dot(&(at(vertex) - plane.point)))
        }
        ContactKey::VertexFace { vertex, face } => {
            let corners = model.geometry.surface.triangles()[face as usize].map(at);
            height_above(&at(vertex), corners)
        }
        ContactKey::EdgeEdge { first, second } => {
            let (a, b) = (edge(first), edge(second));
            let cross = (a[1] - a[0]).cross(&(b[1] - b[0]));
            let towards = contact.frame.normal.dot(&cross).signum();
            height_across(a, b).map(|height| towards * height)
        }
        ContactKey::VertexEdge {
            vertex,
            edge: index,
        } => {
            let ([a, b], p) = (edge(index), at(vertex));
            let along = b - a;
            let share = (p - a).dot(&along) / along.norm_squared();
            let own = (p - a - along * share.clamp(0.0, 1.0)).norm();
            let ends = model.geometry.surface.edges()[index as usize];
            let sides = above_sides(model, state, vertex, &ends);
            Some(
                own.min(sides)
                    .min(across_edges(model, state, &[vertex], &ends)),
            )
        }
        ContactKey::VertexVertex { first, second } => {
            let own = (at(first) - at(second)).norm();
            let sides = above_sides(model, state, first, &[second]);
            let sides = sides.min(above_sides(model, state, second, &[first]));
            Some(
                own.min(sides)
                    .min(across_edges(model, state, &[first], &[second])),
            )
        }
    }
}

/// Height of a point above a triangle on its outer side (m); `None` if the point is not opposite to it.
fn height_above(p: &Vector3<f64>, [a, b, c]: [Vector3<f64>; 3]) -> Option<f64> {
    let area = (b - a).cross(&(c - a));
    let inside = [[a, b], [b, c], [c, a]]
        .iter()
        .all(|[from, to]| (to - from).cross(&(p - from)).dot(&area) >= 0.0);
    inside.then(|| area.normalize().dot(&(p - a)))
}

/// Least height of a point above the triangles that have all of `corners` (m); infinite if it is opposite to none.
fn above_sides(model: &Model, state: &State, point: u32, corners: &[u32]) -> f64 {
    let at = |point: u32| state.positions[point as usize];
    let sides = model.geometry.surface.triangles().iter();
    sides
        .filter(|side| corners.iter().all(|corner| side.contains(corner)))
        .filter_map(|side| height_above(&at(point), side.map(at)))
        .fold(f64::INFINITY, f64::min)
}

/// Height of an edge over another along their cross product (m); `None` if they do not cross.
fn height_across([a0, a1]: [Vector3<f64>; 2], [b0, b1]: [Vector3<f64>; 2]) -> Option<f64> {
    let (a, b) = (a1 - a0, b1 - b0);
    let cross: Vector3<f64> = a.cross(&b);
    let along_a = (b0 - a0).cross(&b).dot(&cross) / cross.norm_squared();
    let along_b = (b0 - a0).cross(&a).dot(&cross) / cross.norm_squared();
    let opposite = (0.0..=1.0).contains(&along_a) && (0.0..=1.0).contains(&along_b);
    opposite.then(|| cross.normalize().dot(&(a0 - b0)))
}

/// Least distance of crossing edges, those with all of `one` and those with all of `other` (m); infinite if none cross.
fn across_edges(model: &Model, state: &State, one: &[u32], other: &[u32]) -> f64 {
    let edges = |corners: &[u32]| -> Vec<[Vector3<f64>; 2]> {
        let edges = model.geometry.surface.edges().iter();
        edges
            .filter(|ends| corners.iter().all(|corner| ends.contains(corner)))
            .map(|ends| ends.map(|point| state.positions[point as usize]))
            .collect()
    };
    let (ones, others) = (edges(one), edges(other));
    let pairs = ones.iter().flat_map(|a| others.iter().map(|b| (*a, *b)));
    pairs
        .filter_map(|(a, b)| height_across(a, b).map(f64::abs))
        .fold(f64::INFINITY, f64::min)
}
