//! Builds constraints between points and rigid bodies of a model from the joints of a scene.

mod attach;
mod bind;
mod changing;
mod material_point;
mod misplaced;
mod pair;
mod parts;

use crate::{
    error::SimError,
    rigid::RigidBody,
    scene::{Formulation, Joint, JointKind, ObstacleShape, Scene, Signal, Tolerances},
    solid::StressPoint,
    tolerances::{ToleranceMode, ToleranceScales},
};
use bind::Bind;
use changing::JointConstraint;
use impinge_contact::constraint::{Constraint, Frame, Point, Term};
use nalgebra::{UnitQuaternion, Vector3};
use pair::{Pair, PairJoint, Stop};
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
    pub(crate) changing: Vec<Changing>,
    pub(crate) lines: Vec<JoinedLine>,
    /// Names of the joints of the scene.
    pub(crate) joint_names: Vec<String>,
    pub(crate) pairs: Vec<[u32; 2]>,
    /// Number of the first body of each joint, by the name of the joint.
    pub(crate) first_bodies: BTreeMap<String, usize>,
    /// Messages to the user.
    pub(crate) notices: Vec<String>,
}

/// A constraint whose length or limit changes with time.
#[derive(Debug, Clone)]
pub(crate) struct Changing {
    pub(crate) is_soft: bool,
    /// Its place among the constraints in the same form.
    pub(crate) index: usize,
    /// Change of its `φ` since time 0 (m, rad).
    pub(crate) change: Signal<f64>,
}

/// A joint that is a line in space.
#[derive(Debug, Clone)]
pub(crate) struct JoinedLine {
    /// Number of the joint in the scene.
    pub(crate) joint: usize,
    /// Its points, from its first body on.
    pub(crate) points: Vec<Point>,
    /// Sign of the force of its constraint under tension.
    pub(crate) tension_sign: f64,
    pub(crate) is_soft: bool,
    /// Its place among the constraints in the same form; `None` if it has none there.
    pub(crate) index: Option<usize>,
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
        joined.joint_names.push(named(joint, index));
        let path = format!("joint.{index}");
        let first = held(scene, parts, &format!("{path}.first"), &joint.first)?;
        let stops = stops(scene, parts, &path, joint)?;
        for pair in pairs(scene, parts, &path, joint, &first)? {
            joined.add(&PairJoint {
                scene,
                index,
                joint,
                parts,
                frames: &frames,
                stops: &stops,
                pair,
            })?;
        }
    }
    joined.pairs.sort_unstable();
    joined.pairs.dedup();
    Ok(joined)
}

impl Joined {
    /// Adds the constraints and notices of a joint between two bodies.
    fn add(&mut self, made: &PairJoint<'_>) -> Result<(), SimError> {
        let PairJoint { joint, index, .. } = *made;
        let Pair { first, second, .. } = made.pair;
        let notice = |&(held, anchor): &(Held, Vector3<f64>)| misplaced::notice(made, held, anchor);
        // One body identifies the joint, and one pair of copies a chain.
        let prefix = format!("joint {index} ");
        if !self.notices.iter().any(|said| said.starts_with(&prefix)) {
            self.notices.extend(made.places().iter().find_map(notice));
        }
        made.check_frames()?;
        made.check_skins()?;
        let constraints = if joint.kind == JointKind::Bind {
            let bind = Bind {
                scene: made.scene,
                index,
                joint,
                parts: made.parts,
                frames: made.frames,
                first,
                second: second.unwrap_or(first),
                shift: made.pair.shift,
            };
            let (constraints, notice) = bind.constraints()?;
            self.notices.extend(notice);
            constraints.into_iter().map(JointConstraint::from).collect()
        } else {
            made.constraints().map_err(|error| {
                let mend = "correct the joint; lengths are in m, angles in rad";
                made.scene.error_at(&made.path(), error.to_string(), mend)
            })?
        };
        let name = named(joint, index);
        let bodies = &mut self.first_bodies;
        bodies.entry(name.clone()).or_insert(first.solid);
        let is_soft = joint.formulation == Some(Formulation::Stiffness);
        let list = if is_soft {
            &mut self.soft
        } else {
            &mut self.constraints
        };
        for made in constraints {
            let place = list.len();
            list.push(made.constraint.named(&name));
            self.changing.extend(made.change.map(|change| Changing {
                is_soft,
                index: place,
                change,
            }));
            self.lines.extend(made.line.map(|line| JoinedLine {
                joint: index,
                points: line.points,
                tension_sign: line.tension_sign,
                is_soft,
                index: Some(place),
            }));
        }
        if let (Some(second), false) = (second, joint.contact) {
            let (a, b) = (first.solid as u32, second.solid as u32);
            self.pairs.push([a.min(b), a.max(b)]);
        }
        Ok(())
    }
}

/// The places that a rope leads through, and the bodies that carry them.
fn stops(
    scene: &Scene,
    parts: &PartsToJoin<'_>,
    path: &str,
    joint: &Joint,
) -> Result<Vec<Stop>, SimError> {
    let mut stops = Vec::with_capacity(joint.via.len());
    for (at, stop) in joint.via.iter().enumerate() {
        let key = if stop.skin.is_empty() { "body" } else { "skin" };
        let path = format!("{path}.via.{at}.{key}");
        // Written digits are rounded.
        let sum: f64 = stop.carriers().map(|(_, weight)| weight).sum();
        let mut carriers = Vec::new();
        for (name, weight) in stop.carriers() {
            carriers.push((held(scene, parts, &path, name)?[0], weight / sum));
        }
        stops.push(Stop {
            at: Vector3::from(stop.at),
            carriers,
        });
    }
    Ok(stops)
}

/// The pairs of bodies that a joint connects, where its first body is one of `first`: one pair, or one for each link of
/// a chain of copies.
fn pairs(
    scene: &Scene,
    parts: &PartsToJoin<'_>,
    path: &str,
    joint: &Joint,
    first: &[Held],
) -> Result<Vec<Pair>, SimError> {
    let single = |second: Option<Held>| {
        vec![Pair {
            first: first[0],
            second,
            shift: Vector3::zeros(),
        }]
    };
    let Some(second) = &joint.second else {
        return Ok(single(None));
    };
    if *second != joint.first {
        let second = held(scene, parts, &format!("{path}.second"), second)?;
        return Ok(single(Some(second[0])));
    }
    if first.len() < 2 {
        let problem = format!("`{second}` would be joined to itself: it has no copies");
        let mend = "name another body, or give this one `copies` to make a chain of";
        return Err(scene
            .error_at(&format!("{path}.second"), problem, mend)
            .into());
    }
    // A chain: each copy is joined to the next, with the joint moved along.
    let start = origin(parts, first[0]);
    let links = first.windows(2).map(|pair| Pair {
        first: pair[0],
        second: Some(pair[1]),
        shift: origin(parts, pair[0]) - start,
    });
    Ok(links.collect())
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
                match path.rsplit('.').next() {
                    Some("first") => {
                        "name a moving [[body]], or leave `second` out to join `first` to the world"
                    }
                    Some("skin") => "name a [[body]], or an [[obstacle]] with a mesh",
                    _ => "leave the key out: that joins to the world, which stands as still",
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
