//! Joints that are lines in space.

use impinge_contact::constraint::Point;

/// A link or rope between two bodies, or between a body and the world.
#[derive(Debug, Clone)]
pub struct Line {
    /// Number of the joint in the scene; the links of a chain of copies share it.
    pub joint: usize,
    /// Its points, from its first body on.
    pub points: Vec<Point>,
    /// Sign of the force of its constraint under tension.
    pub(crate) tension_sign: f64,
    /// Its constraint; `None` if nothing that it joins ever moves.
    pub(crate) constraint: Option<LineConstraint>,
}

/// The constraint of a line, which has one row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineConstraint {
    /// Its place among `rows` and then `soft`.
    pub(crate) index: usize,
    pub(crate) first_row: usize,
}
