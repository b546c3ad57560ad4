//! Builds constraints between points and rigid bodies of a model from the joints of a scene.

mod attach;
mod bind;
mod material_point;
mod misplaced;
mod parts;

use crate::{
    error::SimError,
    rigid::RigidBody,
    scene::{Formulation, Joint, JointKind, ObstacleShape, Scene, Tolerances, Via},
    solid::StressPoint,
    tolerances::{ToleranceMode, ToleranceScales},
};
use bind::Bind;
use impinge_contact::constraint::joint::{JointPlace, Side};
use impinge_contact::constraint::{Configuration, Constraint, ConstraintError, Frame, Term, link};
use material_point::point;
use nalgebra::{UnitQuaternion, Vector3};
pub(crate) use parts::PartsToJoin;
use parts::{Held, mean_edge, solid};
use std::collections::BTreeMap;

/// Constraints, and the pairs of solids that they connect, the smaller number first.
#[derive(Default)]
pub(crate) struct Joined {
    pub(crate) constraints: Vec<Constraint>,
    /// Number of joints and links among them, which come first.
    pub(crate) joints: usize,
    /// Those in stiffness form, links first.
    pub(crate) soft: Vec<Constraint>,
    pub(crate) soft_links: usize,
    /// Strains between points that never move freely.
    pub(crate) held: Vec<Constraint>,
    /// The constraints that give the stress of bodies.
    pub(crate) stress_points: Vec<StressPoint>,
    pub(crate) pairs: Vec<[u32; 2]>,
    /// Number of the first body of each joint, by the name of the joint.
    pub(crate) first_bodies: BTreeMap<String, usize>,
    /// Messages to the user.
    pub(crate) notices: Vec<String>,
}

/// Builds the joints of `scene`.
///
/// # Errors
/// [`SimError::Scene`] naming the joint whose body does not exist or cannot be joined that way.
pub(crate) fn join(scene: &Scene, parts: &PartsToJoin<'_>) -> Result<Joined, SimError> {
    let frames: Vec<Frame> = parts
        .rigid
        .iter()
        .map(|rigid| Frame {
            center: rigid.inertia.center(),
            orientation: UnitQuaternion::identity(),
        })
        .collect();
    let mut joined = Joined::default();
    for (index, joint) in scene.joints.iter().enumerate() {
        let path = format!("joint.{index}");
        let first = held(scene, parts, &format!("{path}.first"), &joint.first)?;
        let wrong = |error: &ConstraintError| -> SimError {
            let mend = "correct the joint; lengths are in m, angles in rad";
            scene.error_at(&path, error.to_string(), mend).into()
        };
        let mut via = Vec::with_capacity(joint.via.len());
        for (at, stop) in joint.via.iter().enumerate() {
            let body = match &stop.body {
                Some(body) => held(scene, parts, &format!("{path}.via.{at}.body"), body)?
                    .first()
                    .copied(),
                None => None,
            };
            via.push((stop, body));
        }
        let mut place = |a: Held, b: Option<Held>, shift: Vector3<f64>| {
            let places = places(joint, a, b, &via, shift);
            let notice =
                |&(held, x): &(Held, _)| misplaced::notice(joint, index, parts, &frames, held, x);
            // One body identifies the joint, and one pair of copies a chain.
            if !joined
                .notices
                .iter()
                .any(|said| said.starts_with(&format!("joint {index} ")))
            {
                joined.notices.extend(places.iter().find_map(notice));
            }
            hold_frames(scene, &path, joint, parts, [Some(a), b])?;
            let made = if joint.kind == JointKind::Bind {
                let bind = Bind {
                    scene,
                    index,
                    joint,
                    parts,
                    frames: &frames,
                    first: a,
                    second: b.unwrap_or(a),
                    shift,
                };
                let (made, notice) = bind.constraints()?;
                joined.notices.extend(notice);
                made
            } else {
                let made = constraints(joint, parts, &frames, [Some(a), b], &via, shift);
                made.map_err(|error| wrong(&error))?
            };
            let name = named(joint, index);
            joined.first_bodies.entry(name.clone()).or_insert(a.solid);
            let list = match joint.formulation {
                Some(Formulation::Stiffness) => &mut joined.soft,
                _ => &mut joined.constraints,
            };
            list.extend(made.into_iter().map(|constraint| constraint.named(&name)));
            if let (Some(b), false) = (b, joint.contact) {
                let (a, b) = (a.solid as u32, b.solid as u32);
                joined.pairs.push([a.min(b), a.max(b)]);
            }
            Ok::<(), SimError>(())
        };
        match &joint.second {
            // A chain: each copy is joined to the next, with the joint moved along.
            Some(second) if *second == joint.first => {
                let start = origin(parts, first[0]);
                if first.len() < 2 {
                    let problem = format!("`{second}` would be joined to itself: it has no copies");
                    let mend = "name another body, or give this one `copies` to make a chain of";
                    return Err(scene
                        .error_at(&format!("{path}.second"), problem, mend)
                        .into());
                }
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
    joined.pairs.sort_unstable();
    joined.pairs.dedup();
    Ok(joined)
}

/// Name of a joint in messages. All constraints of a joint, or of a chain of copies, share it.
fn named(joint: &Joint, index: usize) -> String {
    if !joint.name.is_empty() {
        return joint.name.clone();
    }
    let first = &joint.first;
    match &joint.second {
        Some(second) => format!("joint {index} of `{first}` and `{second}`"),
        None => format!("joint {index} of `{first}` and the world"),
    }
}

/// Rejects a joint with directions on a body without axes: a deformable one, or one with a prescribed motion.
fn hold_frames(
    scene: &Scene,
    path: &str,
    joint: &Joint,
    parts: &PartsToJoin<'_>,
    sides: [Option<Held>; 2],
) -> Result<(), SimError> {
    let kind = match joint.kind {
        JointKind::Hinge => "hinge",
        JointKind::Slider => "slider",
        JointKind::Weld => "weld",
        JointKind::Ball | JointKind::Link | JointKind::Rope | JointKind::Bind => return Ok(()),
    };
    for (key, held) in ["first", "second"].into_iter().zip(sides) {
        if let Some(Held {
            solid: index,
            rigid: None,
            ..
        }) = held
        {
            let body = &solid(parts, index).name;
            return Err(scene
                .error_at(
                    &format!("{path}.{key}"),
                    format!("`{body}` is no free rigid body; a {kind} connects free rigid bodies with each other or \
                             with the world"),
                    "hold it by kind = \"ball\" or, where it deforms, \"bind\"; to hold a body to the world leave \
                     `second` out",
                )
                .into());
        }
    }
    Ok(())
}

/// The anchors of a joint and the bodies held there. A `bind` has no anchor; it reports by itself if no node is near.
fn places(
    joint: &Joint,
    first: Held,
    second: Option<Held>,
    via: &[(&Via, Option<Held>)],
    shift: Vector3<f64>,
) -> Vec<(Held, Vector3<f64>)> {
    let anchor = joint.anchor() + shift;
    let end = match joint.kind {
        JointKind::Bind => return Vec::new(),
        JointKind::Link | JointKind::Rope => joint.end.map_or(anchor, |x| Vector3::from(x) + shift),
        _ => anchor,
    };
    let mut places = vec![(first, anchor)];
    let stops = via.iter();
    places
        .extend(stops.filter_map(|(stop, held)| Some(((*held)?, Vector3::from(stop.at) + shift))));
    places.extend(second.map(|held| (held, end)));
    places
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

/// The bodies with that name: a single body, or all copies of it.
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
        .map(|(solid, body)| Held {
            solid,
            rigid: parts.rigid.iter().position(|rigid| rigid.body == solid),
            slack: clearance(scene, mean_edge(parts, body)),
        })
        .collect();
    let exact = |held: &Held| solid(parts, held.solid).name == name;
    if let Some(&only) = list.iter().find(|held| exact(held)) {
        list = vec![only];
    }
    let is_plane = |shape: &ObstacleShape| matches!(shape, ObstacleShape::HalfSpace { .. });
    let mut planes = scene
        .obstacles
        .iter()
        .filter(|obstacle| is_plane(&obstacle.shape));
    if list.is_empty() && planes.any(|plane| plane.name == name) {
        return Err(scene
            .error_at(
                path,
                format!("`{name}` is a half-space; joints to half-spaces are not supported"),
                if path.rsplit('.').next() == Some("first") {
                    "name a moving [[body]], or leave `second` out to join `first` to the world"
                } else {
                    "leave the key out: that joins to the world, which stands as still"
                },
            )
            .into());
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

/// Contact clearance of a body with this mean edge (m).
fn clearance(scene: &Scene, edge: f64) -> f64 {
    let scales = ToleranceScales {
        mode: match scene.solver.tolerances {
            Tolerances::Paper => ToleranceMode::Paper,
            _ => ToleranceMode::Physical,
        },
        clearance: scene.solver.gap_tolerance,
        ..ToleranceScales::default()
    };
    scales.clearance(edge)
}

/// A reference point that moves with the copies of a body.
fn origin(parts: &PartsToJoin<'_>, held: Held) -> Vector3<f64> {
    parts.rest[solid(parts, held.solid).points.start]
}

fn constraints(
    joint: &Joint,
    parts: &PartsToJoin<'_>,
    frames: &[Frame],
    [first, second]: [Option<Held>; 2],
    via: &[(&Via, Option<Held>)],
    shift: Vector3<f64>,
) -> Result<Vec<Constraint>, ConstraintError> {
    let anchor = joint.anchor() + shift;
    let from = point(parts, frames, first, anchor);
    match joint.kind {
        JointKind::Ball => {
            let to = point(parts, frames, second, anchor);
            return Ok(vec![link::binding(&from, to, joint.compliance)?]);
        }
        JointKind::Link | JointKind::Rope => {
            let end = joint.end.map_or_else(|| joint.anchor(), Vector3::from) + shift;
            let to = point(parts, frames, second, end);
            let state = Configuration {
                particles: parts.rest,
                frames,
            };
            let mut line = vec![from.clone()];
            for (stop, body) in via {
                line.push(point(parts, frames, *body, Vector3::from(stop.at) + shift));
            }
            line.push(to.clone());
            let pieces = line.windows(2);
            let drawn = pieces.map(|pair| (pair[1].at(&state) - pair[0].at(&state)).norm());
            let length = joint.length.unwrap_or_else(|| drawn.sum());
            return Ok(vec![match joint.kind {
                JointKind::Rope if !via.is_empty() => {
                    link::rope_through(&line, length, joint.compliance)?
                }
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
        first: side(first)?,
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
