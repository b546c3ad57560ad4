//! A joint between one pair of bodies: its anchors and its constraints.

use super::{
    changing::{JointConstraint, LineInSpace, middle, side_of},
    material_point::{blended, point},
    parts::{Held, PartsToJoin, solid},
};
use crate::{
    error::SimError,
    scene::{Joint, JointKind, Scene, Signal},
};
use impinge_contact::constraint::joint::{JointPlace, Side};
use impinge_contact::constraint::{Configuration, ConstraintError, Frame, link};
use nalgebra::Vector3;

/// A place that a rope leads through.
pub(super) struct Stop {
    /// Position at the start (m).
    pub(super) at: Vector3<f64>,
    /// The bodies that carry it, with weights that sum to 1; none if it is fixed in the world.
    pub(super) carriers: Vec<(Held, f64)>,
}

/// Two bodies that a joint connects, or one with the world.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) first: Held,
    pub(super) second: Option<Held>,
    /// From the position written in the joint to these bodies (m).
    pub(super) shift: Vector3<f64>,
}

/// A joint of the scene between one pair of bodies.
pub(super) struct PairJoint<'a> {
    pub(super) scene: &'a Scene,
    /// Number of the joint in the scene.
    pub(super) index: usize,
    pub(super) joint: &'a Joint,
    pub(super) parts: &'a PartsToJoin<'a>,
    pub(super) frames: &'a [Frame],
    pub(super) stops: &'a [Stop],
    pub(super) pair: Pair,
}

impl PairJoint<'_> {
    /// Path of the joint in the scene.
    pub(super) fn path(&self) -> String {
        format!("joint.{}", self.index)
    }

    /// Rejects a joint with directions on a body without axes: a deformable one, or one with a prescribed motion.
    pub(super) fn check_frames(&self) -> Result<(), SimError> {
        let sides = [Some(self.pair.first), self.pair.second];
        let kind = match self.joint.kind {
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
                let body = &solid(self.parts, index).name;
                let problem = format!(
                    "`{body}` is no free rigid body; a {kind} connects free rigid bodies with each other or with the \
                     world"
                );
                let mend = "hold it by kind = \"ball\" or, where it deforms, \"bind\"; to hold a body to the world \
                            leave `second` out";
                let key = format!("{}.{key}", self.path());
                return Err(self.scene.error_at(&key, problem, mend).into());
            }
        }
        Ok(())
    }

    /// The positions at the start.
    fn state(&self) -> Configuration<'_> {
        Configuration {
            particles: self.parts.rest,
            frames: self.frames,
        }
    }

    /// The place where a body is actually held (m), for an anchor at `x`.
    pub(super) fn held_place(&self, held: Held, x: Vector3<f64>) -> Vector3<f64> {
        point(self.parts, self.frames, Some(held), x).at(&self.state())
    }

    /// Rejects a point that several bodies carry, one of which has no material there: it would carry another place.
    pub(super) fn check_skins(&self) -> Result<(), SimError> {
        for (index, stop) in self.stops.iter().enumerate() {
            let x = stop.at + self.pair.shift;
            let misses =
                |&&(held, _): &&(Held, f64)| (self.held_place(held, x) - x).norm() > held.slack;
            let is_shared = stop.carriers.len() > 1;
            if let Some((held, _)) = stop.carriers.iter().filter(|_| is_shared).find(misses) {
                let body = &solid(self.parts, held.solid).name;
                let problem = format!("`{body}` deforms and does not contain the point");
                let mend = "let rigid bodies carry it, or bodies that contain it";
                let key = format!("{}.via.{index}.skin", self.path());
                return Err(self.scene.error_at(&key, problem, mend).into());
            }
        }
        Ok(())
    }

    /// The anchors and the bodies held there. A `bind` has no anchor; it reports by itself if no node is near.
    pub(super) fn places(&self) -> Vec<(Held, Vector3<f64>)> {
        let Pair {
            first,
            second,
            shift,
        } = self.pair;
        let anchor = self.joint.anchor() + shift;
        let end = match self.joint.kind {
            JointKind::Bind => return Vec::new(),
            JointKind::Link | JointKind::Rope => {
                (self.joint.end).map_or(anchor, |x| Vector3::from(x) + shift)
            }
            JointKind::Ball | JointKind::Hinge | JointKind::Slider | JointKind::Weld => anchor,
        };
        let mut places = vec![(first, anchor)];
        for stop in self.stops {
            let carriers = stop.carriers.iter();
            places.extend(carriers.map(|&(held, _)| (held, stop.at + shift)));
        }
        places.extend(second.map(|held| (held, end)));
        places
    }

    /// The constraints of any joint but a `bind`.
    pub(super) fn constraints(&self) -> Result<Vec<JointConstraint>, ConstraintError> {
        let &Self {
            joint,
            parts,
            frames,
            ..
        } = self;
        let shift = self.pair.shift;
        let (first, second) = (Some(self.pair.first), self.pair.second);
        let anchor = joint.anchor() + shift;
        let from = point(parts, frames, first, anchor);
        match joint.kind {
            JointKind::Ball => {
                let to = point(parts, frames, second, anchor);
                return Ok(vec![link::binding(&from, to, joint.compliance)?.into()]);
            }
            JointKind::Link | JointKind::Rope => {
                let end = joint.end.map_or_else(|| joint.anchor(), Vector3::from) + shift;
                let to = point(parts, frames, second, end);
                let state = self.state();
                let mut line = vec![from.clone()];
                for stop in self.stops {
                    let at = stop.at + shift;
                    line.push(blended(parts, frames, &stop.carriers, at));
                }
                line.push(to.clone());
                let pieces = line.windows(2);
                let drawn = pieces.map(|pair| (pair[1].at(&state) - pair[0].at(&state)).norm());
                let length = (joint.length.clone()).unwrap_or_else(|| drawn.sum::<f64>().into());
                let start = length.at(0.0);
                let (made, sign) = match joint.kind {
                    JointKind::Rope if !self.stops.is_empty() => {
                        (link::rope_through(&line, start, joint.compliance)?, -1.0)
                    }
                    JointKind::Rope => (link::rope(&from, to, start, joint.compliance)?, -1.0),
                    _ => (link::spring(&from, to, start, joint.compliance)?, 1.0),
                };
                let mut made = JointConstraint::following(made, sign, start, &length);
                made.line = Some(LineInSpace {
                    points: line,
                    tension_sign: -sign,
                });
                return Ok(vec![made]);
            }
            JointKind::Hinge | JointKind::Slider | JointKind::Weld | JointKind::Bind => {}
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
            state: self.state(),
        };
        let axis = Vector3::from(joint.axis.unwrap_or([0.0, 0.0, 1.0]));
        let made = match joint.kind {
            JointKind::Hinge => place.hinge(axis)?,
            JointKind::Slider => place.slider(axis)?,
            _ => place.weld()?,
        };
        let mut made: Vec<JointConstraint> = made.into_iter().map(JointConstraint::from).collect();
        if let Some(limits) = &joint.limits {
            made.extend(limit_constraints(&place, joint.kind, axis, limits)?);
        }
        Ok(made)
    }
}

/// The limits of a hinge or slider.
fn limit_constraints(
    place: &JointPlace<'_>,
    kind: JointKind,
    axis: Vector3<f64>,
    limits: &Signal<[f64; 2]>,
) -> Result<Vec<JointConstraint>, ConstraintError> {
    let sides = [0, 1].map(|side| side_of(limits, side));
    let [lower, upper] = [&sides[0], &sides[1]].map(middle);
    let constraints = match kind {
        JointKind::Hinge => {
            let [least, greatest] = limits.range();
            place.turn_limits(axis, lower, upper, 0.5 * (least + greatest))?
        }
        _ => place.slide_limits(axis, lower, upper)?,
    };
    let made_for = [(1.0, lower), (-1.0, upper)];
    let all = constraints.into_iter().zip(made_for).zip(&sides);
    let made = all.map(|((constraint, (sign, base)), limit)| {
        JointConstraint::following(constraint, sign, base, limit)
    });
    Ok(made.collect())
}
