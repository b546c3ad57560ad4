//! Reactions: forces of prescribed motions and of joints, at the end of the last step.
//!
//! The force that holds a prescribed node closes the balance of that node,
//!
//! ```text
//! r = m a − m g − f_elastic − f_damping − f_joints − f_contact
//! ```
//!
//! with all forces at the end of the step, and the acceleration `a` of the turning of its prescribed motion. Impulses
//! of changes of a prescribed velocity are not in it.

use super::constraint_forces::{Evaluator, Rows};
use super::forces::contact_forces;
use crate::{
    error::SimError,
    model::{Model, PointMotion},
    rigid::RigidState,
    state::State,
};
use impinge_contact::constraint::{Constraint, Frame, Term};
use impinge_fem::AssemblyScales;
use impinge_krylov::block::BlockPattern;
use nalgebra::Vector3;

/// Source of a reaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReactionKind {
    /// The prescribed motion of nodes of a deformable body.
    Held,
    /// The prescribed motion of a rigid body or an obstacle.
    Driven,
    /// A joint, on one of the bodies that it joins.
    Joint,
}

/// Force and torque that a prescribed motion or a joint exerts on a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reaction<'a> {
    /// Source.
    pub kind: ReactionKind,
    /// Name of the held nodes (`BODY/NAME`), of the driven body, or of the joint.
    pub name: &'a str,
    /// Name of the body that it acts on.
    pub body: &'a str,
    /// Reference point of the torque (m): the mean place of the held nodes, the origin of the driven body's own frame,
    /// or the mean place at which the joint acts on this body.
    pub place: Vector3<f64>,
    /// Force on the body (N).
    pub force: Vector3<f64>,
    /// Torque on the body about `place` (N·m).
    pub torque: Vector3<f64>,
}

/// The reactions of a state: of held nodes, then of driven bodies and obstacles, then of joints, each on its first body
/// and then on the others.
///
/// # Errors
/// [`SimError::Fem`] if the elements do not fit the held nodes.
///
/// # Panics
/// If `state` is not one of `model`.
pub fn reactions<'a>(model: &'a Model, state: &State) -> Result<Vec<Reaction<'a>>, SimError> {
    let joints = Joints::of(model, state);
    let contacts = contact_forces(model, state).points;
    let mut reactions = held(model, state, &joints.on_points, &contacts)?;
    reactions.extend(driven(model, state, &joints.on_points, &contacts));
    reactions.extend(joints.reactions);
    Ok(reactions)
}

/// Reactions of held nodes.
fn held<'a>(
    model: &'a Model,
    state: &State,
    joints: &[Vector3<f64>],
    contacts: &[Vector3<f64>],
) -> Result<Vec<Reaction<'a>>, SimError> {
    let is_held = |&&point: &&u32| model.unknowns.motion_of_point[point as usize].is_prescribed();
    let mut blocks = vec![None; state.positions.len()];
    let mut count = 0;
    for point in model
        .held
        .iter()
        .flat_map(|held| &held.points)
        .filter(is_held)
    {
        blocks[*point as usize] = Some(count);
        count += 1;
    }
    if count == 0 {
        return Ok(Vec::new());
    }
    let mut internal = elastic_forces(model, state, &blocks, count as usize)?;
    add_thin(model, state, &mut internal);
    let mut reactions = Vec::new();
    for held in &model.held {
        let points: Vec<usize> = held
            .points
            .iter()
            .filter(is_held)
            .map(|&p| p as usize)
            .collect();
        if points.is_empty() {
            continue;
        }
        let sum: Vector3<f64> = points.iter().map(|&point| state.positions[point]).sum();
        let place = sum / points.len() as f64;
        let of_point = |point: usize| {
            let mass = model.points.mass[point];
            let damping = state.velocities[point] * model.points.mass_damping[point];
            (turning(model, state, point) - model.settings.gravity) * mass + damping
                - internal[point]
                - joints[point]
                - contacts[point]
        };
        let (force, torque) = resultant(&points, place, state, of_point);
        reactions.push(Reaction {
            kind: ReactionKind::Held,
            name: &held.name,
            body: &model.geometry.solid(held.body).name,
            place,
            force,
            torque,
        });
    }
    Ok(reactions)
}

/// Sum of the forces on points, and of their torques about `place`.
fn resultant(
    points: &[usize],
    place: Vector3<f64>,
    state: &State,
    force: impl Fn(usize) -> Vector3<f64>,
) -> (Vector3<f64>, Vector3<f64>) {
    let mut sum = (Vector3::zeros(), Vector3::zeros());
    for &point in points {
        let force = force(point);
        sum.0 += force;
        sum.1 += (state.positions[point] - place).cross(&force);
    }
    sum
}

/// Acceleration of a prescribed point between changes of its motion (m/s²).
fn turning(model: &Model, state: &State, point: usize) -> Vector3<f64> {
    let PointMotion::Prescribed(motion) = model.unknowns.motion_of_point[point] else {
        return Vector3::zeros();
    };
    let motion = &model.unknowns.motions[motion as usize];
    let (_, spin) = motion.velocities_at(state.time);
    let arm = state.positions[point] - (motion.center + motion.shift_at(state.time));
    spin.cross(&spin.cross(&arm))
}

/// Elastic and damping forces of solids on the points that have a block (N).
fn elastic_forces(
    model: &Model,
    state: &State,
    blocks: &[Option<u32>],
    count: usize,
) -> Result<Vec<Vector3<f64>>, SimError> {
    let elastic = &model.elements.elastic;
    let pattern = BlockPattern::from_pairs(count, elastic.block_pairs(blocks));
    let assembler = elastic.bind(&pattern, blocks)?;
    let mut forces = vec![0.0; 3 * count];
    let scales = AssemblyScales {
        force: 1.0,
        stiffness: 0.0,
        damping: 1.0,
    };
    assembler.add_impulses(&state.positions, &scales, &state.velocities, &mut forces);
    let of_block = |block: &Option<u32>| {
        block.map_or_else(Vector3::zeros, |block| {
            Vector3::from_column_slice(&forces[3 * block as usize..][..3])
        })
    };
    Ok(blocks.iter().map(of_block).collect())
}

/// Adds the forces of thin bodies in stiffness form (N).
fn add_thin(model: &Model, state: &State, forces: &mut [Vector3<f64>]) {
    let (x, v) = (&state.positions, &state.velocities);
    let mut add = |points: &[u32], of_points: &[Vector3<f64>]| {
        for (&point, force) in points.iter().zip(of_points) {
            forces[point as usize] += force;
        }
    };
    for (damping, spring) in model.elements.thin.soft_springs() {
        let at = spring.points.map(|point| x[point as usize]);
        let [first, second] = spring.points.map(|point| v[point as usize]);
        let direction = (at[0] - at[1])
            .try_normalize(0.0)
            .unwrap_or_else(Vector3::zeros);
        let rate = direction.dot(&(first - second)) * spring.stiffness / spring.rest_length;
        let force = spring.force(&at) - direction * (damping * rate);
        add(&spring.points, &[force, -force]);
    }
    for membrane in model.elements.thin.soft_membranes() {
        let at = membrane.points.map(|point| x[point as usize]);
        add(&membrane.points, &membrane.forces(&at));
    }
    for (damping, hinges) in &model.elements.thin.hinges {
        for hinge in hinges {
            let at = hinge.points.map(|point| x[point as usize]);
            let moving = hinge.points.map(|point| v[point as usize]);
            add(&hinge.points, &hinge.forces(&at));
            add(&hinge.points, &hinge.damping_forces(*damping, &at, &moving));
        }
    }
}

/// Reactions of rigid bodies and obstacles with a prescribed motion; obstacles count once something touches them.
fn driven<'a>(
    model: &'a Model,
    state: &State,
    joints: &[Vector3<f64>],
    contacts: &[Vector3<f64>],
) -> Vec<Reaction<'a>> {
    let mut reactions = Vec::new();
    for index in 0..model.geometry.solid_count() {
        let body = model.geometry.solid(index);
        let PointMotion::Prescribed(motion) = model.unknowns.motion_of_point[body.points.start]
        else {
            continue;
        };
        if !body.is_rigid() {
            continue;
        }
        let motion = &model.unknowns.motions[motion as usize];
        let place = motion.position_at(&body.origin.position, state.time);
        let points: Vec<usize> = body.points.clone().collect();
        let of_point = |point: usize| -contacts[point] - joints[point];
        let (force, torque) = resultant(&points, place, state, of_point);
        reactions.push(Reaction {
            kind: ReactionKind::Driven,
            name: &body.name,
            body: &body.name,
            place,
            force,
            torque,
        });
    }
    reactions
}

/// Forces of joints, links and strain constraints.
struct Joints<'a> {
    /// Force of all of them on each point (N).
    on_points: Vec<Vector3<f64>>,
    /// Reactions of joints and links.
    reactions: Vec<Reaction<'a>>,
}

/// Sums of one joint on one body.
struct JointLoad<'a> {
    name: &'a str,
    solid: usize,
    /// Sum of the places at which it acts (m), and their number.
    place_sum: Vector3<f64>,
    places: usize,
    force: Vector3<f64>,
    /// Torque about the world's origin (N·m).
    moment: Vector3<f64>,
}

impl<'a> Joints<'a> {
    fn of(model: &'a Model, state: &State) -> Self {
        let mut on_points = vec![Vector3::zeros(); state.positions.len()];
        let mut loads: Vec<JointLoad<'a>> = Vec::new();
        let frames: Vec<Frame> = (state.rigid.iter()).map(RigidState::frame).collect();
        let mut evaluator = Evaluator::new(model, state, &frames);
        let constraints = &model.constraints;
        let lists = [
            (&constraints.rows, constraints.joints, true),
            (&constraints.soft, constraints.soft_links, false),
            (&constraints.held, 0, false),
        ];
        let mut first_row = 0;
        for (list, joints, has_forces) in lists {
            for (index, constraint) in list.iter().enumerate() {
                let range = first_row..first_row + constraint.rows();
                first_row = range.end;
                let rows = Rows { range, has_forces };
                let joint = (index < joints).then_some(&mut loads);
                add(&mut evaluator, constraint, rows, &mut on_points, joint);
            }
        }
        for joint in loads.chunk_by_mut(|a, b| a.name == b.name) {
            let first = constraints.first_bodies.get(joint[0].name);
            if let Some(at) = joint.iter().position(|load| first == Some(&load.solid)) {
                joint[..=at].rotate_right(1);
            }
        }
        let reaction = |load: JointLoad<'a>| {
            let place = load.place_sum / load.places.max(1) as f64;
            Reaction {
                kind: ReactionKind::Joint,
                name: load.name,
                body: &model.geometry.solid(load.solid).name,
                place,
                force: load.force,
                torque: load.moment - place.cross(&load.force),
            }
        };
        Self {
            on_points,
            reactions: loads.into_iter().map(reaction).collect(),
        }
    }
}

/// Adds the forces of a constraint with these rows to its points, and to the loads of joints if it is one.
fn add<'m>(
    evaluator: &mut Evaluator<'_>,
    constraint: &'m Constraint,
    rows: Rows,
    on_points: &mut [Vector3<f64>],
    mut joint: Option<&mut Vec<JointLoad<'m>>>,
) {
    let forces = evaluator.forces(constraint, rows);
    for (index, point) in constraint.points().iter().enumerate() {
        let force = evaluator.local.force(&forces, index);
        for term in &point.terms {
            match *term {
                Term::Particle { index, weight } => {
                    let (force, x) = (force * weight, evaluator.state.positions[index]);
                    on_points[index] += force;
                    if let Some(loads) = joint.as_deref_mut() {
                        let solid = evaluator.model.geometry.solid_of_point(index as u32);
                        let load = load_of(loads, &constraint.name, solid);
                        load.place_sum += x;
                        load.places += 1;
                        load.force += force;
                        load.moment += x.cross(&force);
                    }
                }
                Term::Body {
                    index,
                    weight,
                    place,
                    arm,
                } => {
                    if let Some(loads) = joint.as_deref_mut() {
                        let frame = &evaluator.frames[index];
                        let solid = evaluator.model.rigid[index].body;
                        let load = load_of(loads, &constraint.name, solid);
                        let arm = frame.orientation * arm;
                        let turning = arm.cross(&(force * weight));
                        let force = force * (weight * place);
                        load.force += force;
                        load.moment += frame.center.cross(&force) + turning;
                        if place != 0.0 {
                            load.place_sum += frame.center + arm;
                            load.places += 1;
                        }
                    }
                }
            }
        }
    }
}

/// The sums of the joint of that name on a solid.
fn load_of<'l, 'm>(
    loads: &'l mut Vec<JointLoad<'m>>,
    name: &'m str,
    solid: usize,
) -> &'l mut JointLoad<'m> {
    let known = loads
        .iter()
        .position(|load| load.name == name && load.solid == solid);
    let index = known.unwrap_or_else(|| {
        loads.push(JointLoad {
            name,
            solid,
            place_sum: Vector3::zeros(),
            places: 0,
            force: Vector3::zeros(),
            moment: Vector3::zeros(),
        });
        loads.len() - 1
    });
    &mut loads[index]
}
