//! Positions, motions and copies of bodies.

use super::Check;
use crate::scene::format::{
    Body, Copies, Fixed, Motion, Pull, Region, Rotation, Signal, StepperChoice,
};

impl Check<'_> {
    pub(super) fn placement(&self, path: &str, rotation: Option<&Rotation>, friction: Option<f64>) {
        if let Some(rotation) = rotation {
            self.direction(&format!("{path}.rotation.axis"), "the axis", &rotation.axis);
            self.finite(&format!("{path}.rotation.degrees"), &[rotation.degrees]);
        }
        match friction {
            None => {}
            Some(friction) => self.not_negative(
                &format!("{path}.friction"),
                "the friction coefficient",
                friction,
            ),
        }
    }

    pub(super) fn motion(&self, path: &str, motion: &Motion) {
        self.vectors(path, "velocity", &motion.velocity);
        self.vectors(path, "angular_velocity", &motion.angular_velocity);
        if let Some(center) = &motion.center {
            self.vectors(path, "center", center);
        }
        self.tables_of_motion(path, motion);
        let mut before = 0.0;
        for (index, leg) in motion.then.iter().enumerate() {
            let path = format!("{path}.then.{index}");
            self.positive(&format!("{path}.at"), "the time of a leg", leg.at);
            if leg.at <= before {
                return self.fail(
                    &format!("{path}.at"),
                    format!("{} s is not after the leg before, at {before} s", leg.at),
                    "give the legs in the order of their times",
                );
            }
            before = leg.at;
            self.vectors(&path, "velocity", &leg.velocity);
            self.vectors(&path, "angular_velocity", &leg.angular_velocity);
        }
    }

    pub(super) fn pull(&self, path: &str, pull: &Pull) {
        if self.scene.stepper == StepperChoice::Constrained {
            return self.fail(
                path,
                "the constrained stepper does not support `pulls`".to_owned(),
                "remove the entry, or use another stepper",
            );
        }
        self.signal(&format!("{path}.force"), &pull.force);
        self.region(path, pull.region.as_ref());
    }

    /// The tables of a motion, which take the place of its velocities.
    fn tables_of_motion(&self, path: &str, motion: &Motion) {
        let given = |velocity: &[f64; 3]| velocity.iter().any(|v| *v != 0.0);
        let moved = !motion.shift.is_empty();
        if moved {
            let path = format!("{path}.shift");
            self.times(&path, motion.shift.iter().map(|(at, _)| *at));
            for (index, (_, shift)) in motion.shift.iter().enumerate() {
                self.vectors(&path, &format!("{index}.1"), shift);
            }
            if given(&motion.shift[0].1) {
                self.fail(
                    &format!("{path}.0.1"),
                    "the first displacement is not zero, so the body would jump at the start"
                        .to_owned(),
                    "write [0, 0, 0], and move the body by its `position`",
                );
            }
        }
        if let Some(turn) = &motion.turn {
            let path = format!("{path}.turn");
            self.direction(&format!("{path}.axis"), "the axis", &turn.axis);
            let path = format!("{path}.degrees");
            self.times(&path, turn.degrees.iter().map(|(at, _)| *at));
            for (index, (_, angle)) in turn.degrees.iter().enumerate() {
                self.finite(&format!("{path}.{index}.1"), &[*angle]);
            }
            if turn.degrees.first().is_none_or(|(_, angle)| *angle != 0.0) {
                self.fail(
                    &path,
                    "the first angle is not 0, so the body would jump at the start".to_owned(),
                    "begin with [0, 0], and turn the body by its `rotation`",
                );
            }
        }
        for (key, is_given) in [
            ("velocity", moved && given(&motion.velocity)),
            (
                "angular_velocity",
                motion.turn.is_some() && given(&motion.angular_velocity),
            ),
            (
                "then",
                (moved || motion.turn.is_some()) && !motion.then.is_empty(),
            ),
        ] {
            if is_given {
                return self.fail(
                    &format!("{path}.{key}"),
                    format!("`{key}` and a table both give the motion"),
                    "leave one of the two out",
                );
            }
        }
    }

    /// Times of a table: finite, not negative, ascending.
    pub(super) fn times(&self, path: &str, times: impl Iterator<Item = f64>) {
        let mut before = None;
        for (index, time) in times.enumerate() {
            let path = format!("{path}.{index}");
            self.not_negative(&path, "the time (s)", time);
            match before {
                Some(before) if time <= before => {
                    return self.fail(
                        &path,
                        format!("{time} s is not after the entry before, at {before} s"),
                        "give the entries in the order of their times",
                    );
                }
                _ => before = Some(time),
            }
        }
        if before.is_none() {
            self.fail(
                path,
                "the table has no entries".to_owned(),
                "write at least one",
            );
        }
    }

    /// A vector that may change with time.
    pub(super) fn signal(&self, path: &str, signal: &Signal) {
        match signal {
            Signal::Constant(value) => {
                let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
                self.vectors(parent, key, value);
            }
            Signal::Table(table) => {
                if self.scene.stepper == StepperChoice::Asynchronous {
                    return self.fail(
                        path,
                        "the asynchronous stepper supports constant forces only".to_owned(),
                        "write one vector, or use the synchronous stepper",
                    );
                }
                self.times(path, table.iter().map(|(at, _)| *at));
                for (index, (_, value)) in table.iter().enumerate() {
                    self.vectors(path, &format!("{index}.1"), value);
                }
            }
        }
    }

    /// Force and torque on a body as a whole.
    pub(super) fn load(&self, path: &str, body: &Body) {
        for (key, signal) in [("force", &body.force), ("torque", &body.torque)] {
            let Some(signal) = signal else {
                continue;
            };
            let path = format!("{path}.{key}");
            let stepper = match self.scene.stepper {
                StepperChoice::Synchronous => None,
                StepperChoice::Asynchronous => Some("asynchronous"),
                StepperChoice::Constrained => Some("constrained"),
            };
            if let Some(stepper) = stepper {
                self.fail(
                    &path,
                    format!("the {stepper} stepper does not support `{key}`"),
                    "leave it out, or use the synchronous stepper",
                );
            } else if body.motion.is_some() {
                self.fail(
                    &path,
                    format!("`{key}` has no effect on a body with a `motion`"),
                    "leave one of the two out",
                );
            } else {
                self.signal(&path, signal);
            }
        }
    }

    /// Friction of pairs; whether their bodies exist is known after the scene is built.
    pub(super) fn frictions(&self) {
        if !self.scene.frictions.is_empty() && self.scene.stepper != StepperChoice::Synchronous {
            return self.fail(
                "friction.0",
                "only the synchronous stepper supports friction of pairs".to_owned(),
                "remove the entries and give bodies a `friction`, or use the synchronous stepper",
            );
        }
        for (index, pair) in self.scene.frictions.iter().enumerate() {
            self.not_negative(
                &format!("friction.{index}.coefficient"),
                "the friction coefficient",
                pair.coefficient,
            );
        }
    }

    pub(super) fn region(&self, path: &str, region: Option<&Region>) {
        let Some(region) = region else {
            return;
        };
        self.finite(&format!("{path}.box.lower"), &region.lower);
        self.finite(&format!("{path}.box.upper"), &region.upper);
        if (0..3).any(|axis| region.lower[axis] > region.upper[axis]) {
            self.fail(
                &format!("{path}.box"),
                "`lower` exceeds `upper`, so the box is empty".to_owned(),
                "exchange the coordinates that are the wrong way round",
            );
        }
    }

    pub(super) fn fixed(&self, path: &str, fixed: &Fixed) {
        self.region(path, fixed.region.as_ref());
        if let Some(until) = fixed.until {
            self.positive(&format!("{path}.until"), "`until`", until);
            if self.scene.solver.rest_compliance.is_some() {
                return self.fail(
                    &format!("{path}.until"),
                    "the compliance at rest is stored for one set of fixed nodes".to_owned(),
                    "leave out `until`, or `solver.rest_compliance`",
                );
            }
        }
        let Some(motion) = &fixed.motion else {
            return;
        };
        self.motion(&format!("{path}.motion"), motion);
        let until = fixed.until.unwrap_or(f64::INFINITY);
        match motion.then.iter().position(|leg| leg.at >= until) {
            None => {}
            Some(late) => self.fail(
                &format!("{path}.motion.then.{late}.at"),
                format!(
                    "{} s is never reached: the nodes are released at {until} s",
                    motion.then[late].at
                ),
                "remove this leg, or release the nodes (`until`) after it",
            ),
        }
    }

    pub(super) fn copies(&self, path: &str, copies: &Copies) {
        self.at_least(&format!("{path}.count"), "`count`", copies.count, 1);
        for columns in copies.columns {
            self.at_least(
                &format!("{path}.columns"),
                "the number of columns",
                columns,
                1,
            );
        }
        if copies.columns[0].checked_mul(copies.columns[1]).is_none() {
            return self.fail(
                &format!("{path}.columns"),
                "there are more columns than can be counted".to_owned(),
                "write smaller numbers",
            );
        }
        if let Some(turn) = &copies.turn {
            let turned = format!("{path}.turn");
            self.direction(&format!("{turned}.axis"), "the axis", &turn.axis);
            self.finite(&format!("{turned}.degrees"), &[turn.degrees]);
            if let Some(center) = &turn.center {
                self.vectors(&turned, "center", center);
            }
            let gridded = copies.columns != [1, 1] || copies.spacing.is_some();
            if gridded || copies.random_rotation {
                return self.fail(
                    &turned,
                    "`turn` places all copies, so columns, spacing and random rotations have no place".to_owned(),
                    "leave `columns`, `spacing` and `random_rotation` out, or `turn`",
                );
            }
        }
        match &copies.spacing {
            None => {}
            Some(spacing) => self.lengths(
                &format!("{path}.spacing"),
                "the distance of neighbours (m)",
                spacing,
            ),
        }
    }
}
