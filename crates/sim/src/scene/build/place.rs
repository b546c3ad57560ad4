//! Placement, initial velocities, prescribed motions and nodal forces of bodies.

use super::builder::{Builder, bounds};
use super::parts::{GivenPull, HeldPart, NodesPart, Placed};
use crate::scene::SceneError;
use crate::scene::arrange::{SplitMix64, grid_offset};
use crate::scene::format::{Body, Copies, Leg, Motion, Region, Rotation, Signal, Turning};
use crate::scene::motion::{MotionLeg, MotionStart, RigidMotion};
use nalgebra::{Unit, UnitQuaternion, Vector3};

/// Distance between copies over the distance they need: far more than rounding, too little to see.
pub(super) const SPACING_SLACK: f64 = 1.02;

/// Relative rounding of lengths when points are placed and rotated.
const ROUNDED: f64 = 1e-12;

/// A copy of the body of the scene with this index, the origin of its own frame at `position` (m).
#[derive(Clone, Copy)]
pub(super) struct CopyOf<'a> {
    pub(super) index: usize,
    pub(super) body: &'a Body,
    pub(super) position: Vector3<f64>,
}

impl Builder<'_> {
    /// Motions and forces of the placed `points` of a deformable body, which rotates about `center`. Marks the `fixed`
    /// boxes that contain a point.
    pub(super) fn nodes(
        &mut self,
        copy: CopyOf<'_>,
        center: Vector3<f64>,
        points: &[Vector3<f64>],
        seen: &mut [bool],
    ) -> Result<NodesPart, SceneError> {
        let (prescribed, held) = self.prescribed(copy, points, seen);
        let (pull, varying) = self.pull(copy, points, &prescribed)?;
        Ok(NodesPart {
            velocity: self.velocities(copy.body, &center, points, &prescribed),
            prescribed,
            held,
            pull,
            varying,
        })
    }

    /// The motion of each point in a `fixed` box of `body`, and the points of each box that no earlier one selects.
    /// Marks the boxes that contain a point.
    fn prescribed(
        &mut self,
        CopyOf { body, position, .. }: CopyOf<'_>,
        points: &[Vector3<f64>],
        seen: &mut [bool],
    ) -> (Vec<Option<usize>>, Vec<HeldPart>) {
        let mut prescribed = vec![None; points.len()];
        let mut held = Vec::new();
        for (number, (fixed, seen)) in body.fixed.iter().zip(seen).enumerate() {
            let motion = self.motion(fixed.motion.as_ref(), &position, fixed.until);
            let mut selected = Vec::new();
            for (index, (node, slot)) in points.iter().zip(&mut prescribed).enumerate() {
                if is_inside(fixed.region.as_ref(), node) {
                    *seen = true;
                    if slot.is_none() {
                        *slot = Some(motion);
                        selected.push(index as u32);
                    }
                }
            }
            held.push(HeldPart {
                name: if fixed.name.is_empty() {
                    format!("held {}", number + 1)
                } else {
                    fixed.name.clone()
                },
                nodes: selected,
            });
        }
        (prescribed, held)
    }

    /// Initial velocity of each point of `body`, which rotates about `center`.
    fn velocities(
        &self,
        body: &Body,
        center: &Vector3<f64>,
        points: &[Vector3<f64>],
        prescribed: &[Option<usize>],
    ) -> Vec<Vector3<f64>> {
        let (velocity, turning) = (
            Vector3::from(body.velocity),
            Vector3::from(body.angular_velocity),
        );
        let of = |(node, motion): (&Vector3<f64>, &Option<usize>)| match *motion {
            Some(motion) => self.parts.motions[motion].velocity_at(node, 0.0),
            None => velocity + turning.cross(&(node - center)),
        };
        points.iter().zip(prescribed).map(of).collect()
    }

    /// The constant force on each point of a copy of `body`, and the forces that change. A nodal force without a
    /// movable point is a mistake.
    fn pull(
        &self,
        CopyOf { index, body, .. }: CopyOf<'_>,
        points: &[Vector3<f64>],
        prescribed: &[Option<usize>],
    ) -> Result<(Vec<Vector3<f64>>, Vec<GivenPull>), SceneError> {
        let mut forces = vec![Vector3::zeros(); points.len()];
        let mut varying = Vec::new();
        for (number, pull) in body.pulls.iter().enumerate() {
            let pulled: Vec<usize> = (0..points.len())
                .filter(|&point| prescribed[point].is_none())
                .filter(|&point| is_inside(pull.region.as_ref(), &points[point]))
                .collect();
            if pulled.is_empty() {
                return Err(self.scene.error_at(
                    &format!("body.{index}.pulls.{number}"),
                    format!(
                        "no free node of {} lies in this box",
                        base_name(index, body)
                    ),
                    "correct the box (world coordinates in m, the body as placed at time 0) or remove the entry",
                ));
            }
            let Signal::Constant(force) = pull.force else {
                varying.push(GivenPull {
                    share: 1.0 / pulled.len() as f64,
                    nodes: pulled.into_iter().map(|point| point as u32).collect(),
                    force: pull.force.clone(),
                });
                continue;
            };
            let share = Vector3::from(force) / pulled.len() as f64;
            for point in pulled {
                forces[point] += share;
            }
        }
        Ok((forces, varying))
    }

    /// A `fixed` box without points is a mistake.
    pub(super) fn check_fixed(
        &self,
        index: usize,
        body: &Body,
        seen: &[bool],
    ) -> Result<(), SceneError> {
        match seen.iter().position(|&seen| !seen) {
            None => Ok(()),
            Some(fixed) => Err(self.scene.error_at(
                &format!("body.{index}.fixed.{fixed}"),
                format!(
                    "no node of {} lies in this box",
                    base_name(index, body)
                ),
                "correct the box (world coordinates in m, the body as placed at time 0) or remove the entry",
            )),
        }
    }

    /// The position of each copy; a single placement for a body without copies.
    pub(super) fn placements(
        &self,
        path: &str,
        body: &Body,
        points: &[Vector3<f64>],
    ) -> Result<Vec<Placement>, SceneError> {
        let single = Placement {
            position: Vector3::from(body.position),
            rotation: rotation(body.rotation.as_ref()),
        };
        let Some(copies) = &body.copies else {
            return Ok(vec![single]);
        };
        if let Some(turn) = &copies.turn {
            let center = turn.center.map_or(single.position, Vector3::from);
            return Ok((0..copies.count)
                .map(|index| {
                    let turned = rotation(Some(&Rotation {
                        axis: turn.axis,
                        degrees: turn.degrees * f64::from(index),
                    }));
                    Placement {
                        position: center + turned * (single.position - center),
                        rotation: turned * single.rotation,
                    }
                })
                .collect());
        }
        let spacing = self.spacing(path, copies, points, &single.rotation)?;
        let mut random = SplitMix64::new(copies.seed);
        Ok((0..copies.count)
            .map(|index| Placement {
                position: single.position + grid_offset(copies, &spacing, index),
                rotation: if copies.random_rotation {
                    random.rotation()
                } else {
                    single.rotation
                },
            })
            .collect())
    }

    /// Distance between neighbouring copies (m). Checks that it keeps them apart.
    pub(super) fn spacing(
        &self,
        path: &str,
        copies: &Copies,
        points: &[Vector3<f64>],
        rotation: &UnitQuaternion<f64>,
    ) -> Result<Vector3<f64>, SceneError> {
        // Rotated copies stay inside balls about their origins, others inside equal boxes.
        let needed = if copies.random_rotation {
            let radius = points.iter().map(Vector3::norm).fold(0.0, f64::max);
            Vector3::repeat(2.0 * radius)
        } else {
            let turned = points.iter().map(|point| rotation * point);
            let (lower, upper) = bounds(turned);
            upper - lower
        };
        let Some(spacing) = copies.spacing.map(Vector3::from) else {
            return Ok(needed * SPACING_SLACK);
        };
        let [nx, ny] = copies.columns;
        let rows = [nx, ny, copies.count.div_ceil(nx * ny)];
        for axis in 0..3 {
            // Touching copies are separated by the surface offset; distances short by rounding count as touching.
            if rows[axis] > 1 && spacing[axis] < needed[axis] * (1.0 - ROUNDED) {
                return Err(self.scene.error_at(
                    &format!("{path}.copies.spacing.{axis}"),
                    format!(
                        "copies {} m apart could overlap at the start: each may reach over {} m",
                        spacing[axis], needed[axis]
                    ),
                    format!(
                        "leave `spacing` out, or write at least {:.4}",
                        needed[axis] * 1.001
                    ),
                ));
            }
        }
        Ok(spacing)
    }

    /// Index of a motion in the list of distinct motions.
    pub(super) fn motion(
        &mut self,
        motion: Option<&Motion>,
        position: &Vector3<f64>,
        until: Option<f64>,
    ) -> usize {
        let motion = motion.map_or_else(RigidMotion::rest, |motion| {
            let (first, then) = legs(motion);
            RigidMotion {
                velocity: first.velocity,
                angular_velocity: first.angular_velocity,
                center: motion.center.map_or(*position, Vector3::from),
                until: None,
                then,
                start: MotionStart::default(),
            }
        });
        // The centre of a motion at rest has no meaning.
        let motion = if motion.is_rest() {
            RigidMotion::rest()
        } else {
            motion
        };
        let motion = RigidMotion { until, ..motion };
        let motions = &mut self.parts.motions;
        motions
            .iter()
            .position(|known| *known == motion)
            .unwrap_or_else(|| {
                motions.push(motion);
                motions.len() - 1
            })
    }
}

/// The leg of a motion that begins at time 0, and those after it.
fn legs(motion: &Motion) -> (MotionLeg, Vec<MotionLeg>) {
    let first = MotionLeg {
        at: 0.0,
        velocity: motion.velocity.into(),
        angular_velocity: motion.angular_velocity.into(),
    };
    let turns = motion.turn.iter().flat_map(|turn| &turn.degrees);
    let (shifts, turns) = (
        motion.shift.iter().map(|(at, _)| *at),
        turns.map(|(at, _)| *at),
    );
    let mut times: Vec<f64> = shifts.chain(turns).collect();
    if times.is_empty() {
        return (first, motion.then.iter().map(leg).collect());
    }
    times.push(0.0);
    times.sort_by(f64::total_cmp);
    times.dedup();
    let shift = Signal::Table(motion.shift.clone());
    let turned = |turn: &Turning, time: f64| {
        let angles = turn
            .degrees
            .iter()
            .map(|(at, angle)| (*at, [*angle, 0.0, 0.0]));
        Signal::Table(angles.collect()).at(time)[0].to_radians()
    };
    let ends = times[1..].iter().copied().map(Some).chain([None]);
    let between = times.iter().zip(ends).map(|(&at, end)| {
        let velocity = match end {
            _ if motion.shift.is_empty() => first.velocity,
            Some(end) => (Vector3::from(shift.at(end)) - Vector3::from(shift.at(at))) / (end - at),
            None => Vector3::zeros(),
        };
        let angular_velocity = match (&motion.turn, end) {
            (None, _) => first.angular_velocity,
            (Some(turn), Some(end)) => {
                let angle = turned(turn, end) - turned(turn, at);
                normalized(&turn.axis) * (angle / (end - at))
            }
            (Some(_), None) => Vector3::zeros(),
        };
        MotionLeg {
            at,
            velocity,
            angular_velocity,
        }
    });
    let mut legs: Vec<MotionLeg> = between.collect();
    let first = legs.remove(0);
    (first, legs)
}

fn leg(leg: &Leg) -> MotionLeg {
    MotionLeg {
        at: leg.at,
        velocity: leg.velocity.into(),
        angular_velocity: leg.angular_velocity.into(),
    }
}

/// Whether a box contains a point, its boundary included; without a box, every point is inside.
pub(super) fn is_inside(region: Option<&Region>, point: &Vector3<f64>) -> bool {
    region.is_none_or(|region| region.holds(point))
}

pub(super) struct Placement {
    pub(super) position: Vector3<f64>,
    pub(super) rotation: UnitQuaternion<f64>,
}

impl Placement {
    /// States that a part is this copy of a body of the scene.
    pub(super) fn origin(&self, entry: usize, copy: usize) -> Placed {
        Placed {
            entry,
            copy,
            position: self.position,
            rotation: self.rotation,
        }
    }

    pub(super) fn apply(&self, points: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let place = |point| self.position + self.rotation * point;
        points.iter().map(place).collect()
    }
}

pub(super) fn base_name(index: usize, body: &Body) -> String {
    if body.name.is_empty() {
        format!("body {}", index + 1)
    } else {
        body.name.clone()
    }
}

/// Name of a copy of a body.
pub(super) fn name_of(index: usize, body: &Body, copy: usize) -> String {
    let name = base_name(index, body);
    if body.copies.is_some() {
        format!("{name} {}", copy + 1)
    } else {
        name
    }
}

pub(super) fn rotation(rotation: Option<&Rotation>) -> UnitQuaternion<f64> {
    rotation.map_or_else(UnitQuaternion::identity, |rotation| {
        UnitQuaternion::from_axis_angle(
            &Unit::new_unchecked(normalized(&rotation.axis)),
            rotation.degrees.to_radians(),
        )
    })
}

/// Unit vector along `direction`, whose square may underflow or overflow although it is not zero.
pub(super) fn normalized(direction: &[f64; 3]) -> Vector3<f64> {
    let direction = Vector3::from(*direction);
    (direction / direction.amax()).normalize()
}
