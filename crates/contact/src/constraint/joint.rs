//! Joints: constraints between two rigid bodies, or a body and the world, built from the present poses.

use super::attachment::Attachment;
use super::direction::{Angle, Product};
use super::{Configuration, Constraint, ConstraintError, Frame, Point};
use nalgebra::Vector3;

/// One side of a joint: a rigid body by its index, or the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A rigid body.
    Body(usize),
    /// The world, which does not move.
    World,
}

impl Side {
    fn frame<'a>(&self, state: &Configuration<'a>) -> Option<(usize, &'a Frame)> {
        match *self {
            Self::Body(index) => Some((index, &state.frames[index])),
            Self::World => None,
        }
    }

    /// The material point that is now at `x` (m).
    pub fn point(&self, x: Vector3<f64>, state: &Configuration<'_>) -> Point {
        match self.frame(state) {
            Some((index, frame)) => {
                let arm = frame.orientation.inverse() * (x - frame.center);
                Point::on_body(index, arm)
            }
            None => Point::fixed(x),
        }
    }

    /// The material direction that is now along `u`.
    pub fn direction(&self, u: Vector3<f64>, state: &Configuration<'_>) -> Point {
        match self.frame(state) {
            Some((index, frame)) => Point::direction(index, frame.orientation.inverse() * u),
            None => Point::fixed(u),
        }
    }
}

/// A joint between the sides at one place of the present configuration.
#[derive(Debug, Clone, Copy)]
pub struct JointPlace<'a> {
    /// First side.
    pub first: Side,
    /// Second side.
    pub second: Side,
    /// Position in the world (m).
    pub anchor: Vector3<f64>,
    /// Present poses of the bodies.
    pub state: Configuration<'a>,
}

impl JointPlace<'_> {
    fn points(&self) -> (Point, Point) {
        (
            self.first.point(self.anchor, &self.state),
            self.second.point(self.anchor, &self.state),
        )
    }

    /// Keeps the present angle between two directions of the sides.
    fn product(&self, u: Vector3<f64>, w: Vector3<f64>) -> Result<Constraint, ConstraintError> {
        let points = vec![
            self.first.direction(u, &self.state),
            self.second.direction(w, &self.state),
        ];
        Constraint::new(
            Product {
                constant: u.dot(&w),
            },
            points,
        )
    }

    /// Three rows: the anchors coincide.
    ///
    /// # Errors
    /// None for valid sides; all builders return [`ConstraintError`].
    pub fn ball(&self) -> Result<Constraint, ConstraintError> {
        let (first, second) = self.points();
        Ok(Constraint::new(Attachment, vec![first.minus(&second)])?.named("ball joint"))
    }

    /// A ball joint and two rows that keep `axis` common.
    ///
    /// # Errors
    /// [`ConstraintError::Direction`].
    pub fn hinge(&self, axis: Vector3<f64>) -> Result<Vec<Constraint>, ConstraintError> {
        let [axis, b, c] = axes(axis, "hinge axis")?;
        Ok(vec![
            self.ball()?.named("hinge"),
            self.product(axis, b)?.named("hinge"),
            self.product(axis, c)?.named("hinge"),
        ])
    }

    /// Two rows that keep the first anchor on the second side's line along `axis`, and three that forbid turning.
    ///
    /// # Errors
    /// [`ConstraintError::Direction`].
    pub fn slider(&self, axis: Vector3<f64>) -> Result<Vec<Constraint>, ConstraintError> {
        let [axis, b, c] = axes(axis, "slider axis")?;
        let mut joint = Vec::with_capacity(5);
        for across in [b, c] {
            let (first, second) = self.points();
            let points = vec![
                first.minus(&second),
                self.second.direction(across, &self.state),
            ];
            joint.push(Constraint::new(Product { constant: 0.0 }, points)?.named("slider"));
        }
        for (u, w) in [(axis, b), (axis, c), (b, c)] {
            joint.push(self.product(u, w)?.named("slider"));
        }
        Ok(joint)
    }

    /// A ball joint and three rows that forbid turning.
    ///
    /// # Errors
    /// As [`ball`](Self::ball).
    pub fn weld(&self) -> Result<Vec<Constraint>, ConstraintError> {
        let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
        let mut joint = vec![self.ball()?.named("weld")];
        for (u, w) in [(x, y), (y, z), (z, x)] {
            joint.push(self.product(u, w)?.named("weld"));
        }
        Ok(joint)
    }

    /// Limits of the right-handed rotation of the second side against the first about `axis`, 0 now (rad). Rotations
    /// are taken within half a turn of `center`, the middle of the range of the limits.
    ///
    /// # Errors
    /// [`ConstraintError::Limits`], [`ConstraintError::Direction`].
    pub fn turn_limits(
        &self,
        axis: Vector3<f64>,
        lower: f64,
        upper: f64,
        center: f64,
    ) -> Result<Vec<Constraint>, ConstraintError> {
        ordered(lower, upper)?;
        let [_, b, c] = axes(axis, "limit axis")?;
        let limit = |rest: f64, sign: f64| {
            let points = vec![
                self.second.direction(b, &self.state),
                self.first.direction(b, &self.state),
                self.first.direction(c, &self.state),
            ];
            let angle = Angle { rest, sign, center };
            Ok(Constraint::new(angle, points)?
                .one_sided()
                .named("turn limit"))
        };
        Ok(vec![limit(lower, 1.0)?, limit(upper, -1.0)?])
    }

    /// Limits of the displacement of the first anchor along the second side's `axis`, 0 now (m).
    ///
    /// # Errors
    /// As [`turn_limits`](Self::turn_limits).
    pub fn slide_limits(
        &self,
        axis: Vector3<f64>,
        lower: f64,
        upper: f64,
    ) -> Result<Vec<Constraint>, ConstraintError> {
        ordered(lower, upper)?;
        let [axis, ..] = axes(axis, "limit axis")?;
        let limit = |constant: f64, along: Vector3<f64>| {
            let (first, second) = self.points();
            let points = vec![
                first.minus(&second),
                self.second.direction(along, &self.state),
            ];
            Ok(Constraint::new(Product { constant }, points)?
                .one_sided()
                .named("slide limit"))
        };
        Ok(vec![limit(lower, axis)?, limit(-upper, -axis)?])
    }

    /// Keeps the direction `axis` of the first side within `angle` (rad) of its present direction on the second.
    ///
    /// # Errors
    /// [`ConstraintError::Direction`].
    pub fn cone(&self, axis: Vector3<f64>, angle: f64) -> Result<Constraint, ConstraintError> {
        let [axis, ..] = axes(axis, "cone axis")?;
        let points = vec![
            self.first.direction(axis, &self.state),
            self.second.direction(axis, &self.state),
        ];
        let law = Product {
            constant: angle.cos(),
        };
        Ok(Constraint::new(law, points)?
            .one_sided()
            .named("cone limit"))
    }
}

fn ordered(lower: f64, upper: f64) -> Result<(), ConstraintError> {
    if lower <= upper {
        Ok(())
    } else {
        Err(ConstraintError::Limits { lower, upper })
    }
}

/// A right-handed orthonormal frame, its first axis along `axis`.
fn axes(axis: Vector3<f64>, what: &'static str) -> Result<[Vector3<f64>; 3], ConstraintError> {
    let unusable = ConstraintError::Direction { what };
    let length = axis.norm();
    if !(length > 0.0 && length.is_finite()) {
        return Err(unusable);
    }
    let first = axis / length;
    // The coordinate axis with the smallest component along it.
    let other = Vector3::ith(first.iamin(), 1.0);
    let second = first.cross(&other).normalize();
    Ok([first, second, first.cross(&second)])
}
