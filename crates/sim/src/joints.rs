//! From the joints of a scene to constraints between the points and rigid bodies of a model.

use crate::{
    error::SimError,
    model::Body,
    rigid::RigidBody,
    scene::{Joint, JointKind, Scene},
};
use impinge_contact::constraint::joint::{JointPlace, Side};
use impinge_contact::constraint::{
    Configuration, Constraint, ConstraintError, Frame, Point, Term, link,
};
use nalgebra::{UnitQuaternion, Vector3};

/// What joints may hold.
pub(crate) struct PartsToJoin<'a> {
    pub(crate) rest: &'a [Vector3<f64>],
    pub(crate) bodies: &'a [Body],
    pub(crate) obstacles: &'a [Body],
    pub(crate) rigid: &'a [RigidBody],
}

/// Constraints, and the solids that they join, the smaller number first.
pub(crate) struct Joined {
    pub(crate) constraints: Vec<Constraint>,
    /// How many of them joints made; what follows is of thin bodies.
    pub(crate) of_joints: usize,
    pub(crate) pairs: Vec<[u32; 2]>,
}

/// A body of the model that a joint names, and its place in the scene's list of copies.
#[derive(Clone, Copy)]
struct Held {
    solid: usize,
    rigid: Option<usize>,
}

/// Builds the joints of `scene`.
///
/// # Errors
/// [`SimError::Scene`] naming the joint with a body that does not exist or cannot be held that way.
pub(crate) fn join(scene: &Scene, parts: &PartsToJoin<'_>) -> Result<Joined, SimError> {
    let frames: Vec<Frame> = parts
        .rigid
        .iter()
        .map(|rigid| Frame {
            center: rigid.inertia.center(),
            orientation: UnitQuaternion::identity(),
        })
        .collect();
    let mut joined = Joined {
        constraints: Vec::new(),
        of_joints: 0,
        pairs: Vec::new(),
    };
    for (index, joint) in scene.joints.iter().enumerate() {
        let path = format!("joint.{index}");
        let first = held(scene, parts, &format!("{path}.first"), &joint.first)?;
        let wrong = |error: &ConstraintError| -> SimError {
            let mend = "correct the joint; lengths are in m, angles in rad";
            scene.error_at(&path, error.to_string(), mend).into()
        };
        let mut place = |a: Held, b: Option<Held>, shift: Vector3<f64>| {
            let made = constraints(joint, parts, &frames, a, b, shift);
            let made = made.map_err(|error| wrong(&error))?;
            let name = format!("joint {index}");
            joined
                .constraints
                .extend(made.into_iter().map(|constraint| constraint.named(&name)));
            if let (Some(b), false) = (b, joint.contact) {
                let (a, b) = (a.solid as u32, b.solid as u32);
                joined.pairs.push([a.min(b), a.max(b)]);
            }
            Ok::<(), SimError>(())
        };
        match &joint.second {
            // A chain: each copy to the next, moved along with it.
            Some(second) if *second == joint.first => {
                let start = origin(parts, first[0]);
                for pair in first.windows(2) {
                    place(pair[0], Some(pair[1]), origin(parts, pair[0]) - start)?;
                }
            }
            Some(second) => {
                let second = held(scene, parts, &format!("{path}.second"), second)?;
                place(first[0], Some(second[0]), Vector3::zeros())?;
            }
            None => place(first[0], None, Vector3::zeros())?,
        }
    }
    joined.of_joints = joined.constraints.len();
    joined.pairs.sort_unstable();
    joined.pairs.dedup();
    Ok(joined)
}

/// Blocks of unknowns that joints couple.
pub(crate) fn coupled_blocks(
    joints: &[Constraint],
    block_of_point: &[Option<u32>],
    rigid: &[RigidBody],
) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for joint in joints {
        let mut blocks = Vec::new();
        for term in joint.points().iter().flat_map(|point| &point.terms) {
            match *term {
                Term::Particle { index, .. } => blocks.extend(block_of_point[index]),
                Term::Body { index, .. } => {
                    let first = rigid[index].first_block;
                    blocks.extend([first, first + 1]);
                }
            }
        }
        for (i, &a) in blocks.iter().enumerate() {
            pairs.extend(blocks[i..].iter().map(|&b| (a, b)));
        }
    }
    pairs
}

/// The bodies of that name: itself, or all copies of it.
fn held(
    scene: &Scene,
    parts: &PartsToJoin<'_>,
    path: &str,
    name: &str,
) -> Result<Vec<Held>, SimError> {
    let solids = parts.bodies.iter().chain(parts.obstacles).enumerate();
    let is_copy = |of: &str| {
        let rest = of.strip_prefix(name).map(str::trim_start);
        rest.is_some_and(|rest| rest.is_empty() || rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut list: Vec<Held> = solids
        .filter(|(_, body)| is_copy(&body.name))
        .map(|(solid, _)| Held {
            solid,
            rigid: parts.rigid.iter().position(|rigid| rigid.body == solid),
        })
        .collect();
    let exact = |held: &Held| solid(parts, held.solid).name == name;
    if let Some(&only) = list.iter().find(|held| exact(held)) {
        list = vec![only];
    }
    if list.is_empty() {
        return Err(scene
            .error_at(
                path,
                format!("there is no body `{name}`"),
                "write the `name` of a [[body]] or [[obstacle]]; copies are numbered, as in `name 2`",
            )
            .into());
    }
    Ok(list)
}

fn solid<'a>(parts: &PartsToJoin<'a>, index: usize) -> &'a Body {
    parts
        .bodies
        .get(index)
        .unwrap_or_else(|| &parts.obstacles[index - parts.bodies.len()])
}

/// A point that moves with the copies of a body.
fn origin(parts: &PartsToJoin<'_>, held: Held) -> Vector3<f64> {
    parts.rest[solid(parts, held.solid).points.start]
}

/// The material point of a body at `x`: of a rigid one itself, of others their nearest node.
fn point(parts: &PartsToJoin<'_>, frames: &[Frame], held: Option<Held>, x: Vector3<f64>) -> Point {
    match held {
        None => Point::fixed(x),
        Some(Held {
            rigid: Some(rigid), ..
        }) => Point::on_body(rigid, x - frames[rigid].center),
        Some(Held { solid: index, .. }) => {
            let nodes = solid(parts, index).points.clone();
            let far = |&point: &usize| (parts.rest[point] - x).norm_squared();
            let nearest = nodes
                .clone()
                .min_by(|a, b| far(a).total_cmp(&far(b)))
                .unwrap_or(nodes.start);
            Point::particle(nearest)
        }
    }
}

fn constraints(
    joint: &Joint,
    parts: &PartsToJoin<'_>,
    frames: &[Frame],
    first: Held,
    second: Option<Held>,
    shift: Vector3<f64>,
) -> Result<Vec<Constraint>, ConstraintError> {
    let anchor = Vector3::from(joint.anchor) + shift;
    let from = point(parts, frames, Some(first), anchor);
    match joint.kind {
        JointKind::Ball => {
            let to = point(parts, frames, second, anchor);
            return Ok(vec![link::binding(&from, to, joint.compliance)?]);
        }
        JointKind::Link | JointKind::Rope => {
            let end = Vector3::from(joint.end.unwrap_or(joint.anchor)) + shift;
            let to = point(parts, frames, second, end);
            let state = Configuration {
                particles: parts.rest,
                frames,
            };
            let length = joint
                .length
                .unwrap_or_else(|| (to.at(&state) - from.at(&state)).norm());
            return Ok(vec![match joint.kind {
                JointKind::Rope => link::rope(&from, to, length, joint.compliance)?,
                _ => link::spring(&from, to, length, joint.compliance)?,
            }]);
        }
        _ => {}
    }
    let side = |held: Option<Held>| match held {
        None => Ok(Side::World),
        Some(Held {
            rigid: Some(rigid), ..
        }) => Ok(Side::Body(rigid)),
        Some(_) => Err(ConstraintError::Direction {
            what: "side of the joint that is no free rigid body",
        }),
    };
    let place = JointPlace {
        first: side(Some(first))?,
        second: side(second)?,
        anchor,
        state: Configuration {
            particles: parts.rest,
            frames,
        },
    };
    let axis = Vector3::from(joint.axis.unwrap_or([0.0, 0.0, 1.0]));
    let mut made = match joint.kind {
        JointKind::Hinge => place.hinge(axis)?,
        JointKind::Slider => place.slider(axis)?,
        _ => place.weld()?,
    };
    if let Some([lower, upper]) = joint.limits {
        made.extend(match joint.kind {
            JointKind::Hinge => place.turn_limits(axis, lower, upper)?,
            _ => place.slide_limits(axis, lower, upper)?,
        });
    }
    Ok(made)
}
