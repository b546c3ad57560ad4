//! Positions, motions and copies of bodies.

use super::Check;
use crate::scene::format::{Copies, Fixed, Motion, Pull, Region, Rotation, StepperChoice};

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
        self.vectors(path, "force", &pull.force);
        self.region(path, pull.region.as_ref());
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
