//! Joints: the keys of each kind, and their values.

use super::Check;
use crate::scene::format::{Formulation, Joint, JointKind, Signal, Via};
use std::f64::consts::TAU;

/// Deviation of the sum of weights from 1 (1) that is the rounding of written digits: thirds with nine digits pass.
/// From 1e-15, below which weights of a program fail, to 1e-3, above which mistakes pass. Weights are divided by their
/// sum.
const WEIGHTS: f64 = 1e-8;

impl Check<'_> {
    pub(super) fn joint(&self, path: &str, joint: &Joint) {
        if let Some(anchor) = &joint.anchor {
            self.vectors(path, "anchor", anchor);
        }
        self.not_negative(
            &format!("{path}.compliance"),
            "the compliance (m/N)",
            joint.compliance,
        );
        if let Some(length) = &joint.length {
            self.length_of_joint(&format!("{path}.length"), length);
        }
        if let Some(reach) = joint.reach {
            self.positive(&format!("{path}.reach"), "the reach (m)", reach);
        }
        if let Some(distance) = joint.distance {
            self.positive(&format!("{path}.distance"), "the distance (m)", distance);
        }
        self.region(path, joint.region.as_ref());
        self.joint_keys(path, joint);
        for (index, via) in joint.via.iter().enumerate() {
            self.via(&format!("{path}.via.{index}"), via);
        }
        if let Some(axis) = &joint.axis {
            self.direction(&format!("{path}.axis"), "the axis", axis);
        }
        if let Some(end) = &joint.end {
            self.vectors(path, "end", end);
        }
        if let Some(limits) = &joint.limits {
            self.limits_of_joint(&format!("{path}.limits"), joint.kind, limits);
        }
    }

    fn via(&self, path: &str, via: &Via) {
        self.vectors(path, "at", &via.at);
        if via.skin.is_empty() {
            return;
        }
        let key = format!("{path}.skin");
        if via.body.is_some() {
            return self.fail(
                &key,
                "`skin` and `body` both name what carries the point".to_owned(),
                "leave one of them out",
            );
        }
        for (name, weight) in &via.skin {
            self.positive(&key, &format!("the weight of `{name}`"), *weight);
        }
        let sum: f64 = via.skin.values().sum();
        if (sum - 1.0).abs() > WEIGHTS {
            self.fail(
                &key,
                format!("the weights sum to {sum}, not to 1"),
                "divide each weight by their sum",
            );
        }
    }

    fn length_of_joint(&self, path: &str, length: &Signal<f64>) {
        match length {
            Signal::Constant(length) => self.positive(path, "the length (m)", *length),
            Signal::Table(table) => {
                self.times(path, table.iter().map(|(at, _)| *at));
                for (index, (_, length)) in table.iter().enumerate() {
                    self.positive(&format!("{path}.{index}.1"), "the length (m)", *length);
                }
            }
        }
    }

    fn limits_of_joint(&self, path: &str, kind: JointKind, limits: &Signal<[f64; 2]>) {
        match limits {
            Signal::Constant(limits) => self.pair_of_limits(path, limits),
            Signal::Table(table) => {
                self.times(path, table.iter().map(|(at, _)| *at));
                for (index, (_, limits)) in table.iter().enumerate() {
                    self.pair_of_limits(&format!("{path}.{index}.1"), limits);
                }
            }
        }
        let [least, greatest] = limits.range();
        if kind == JointKind::Hinge && greatest - least >= TAU {
            self.fail(
                path,
                format!("the limits of a hinge go from {least} to {greatest} rad, a turn or more"),
                "write angles (rad) less than a turn apart, or leave the limits out",
            );
        }
    }

    fn pair_of_limits(&self, path: &str, limits: &[f64; 2]) {
        self.finite(path, limits);
        let [lower, upper] = limits;
        if lower > upper {
            self.fail(
                path,
                format!("the upper limit {upper} is below the lower limit {lower}"),
                "write the lower one first",
            );
        }
    }

    /// Checks that each key belongs to this kind of joint.
    #[expect(clippy::too_many_lines, reason = "one entry per key")]
    pub(super) fn joint_keys(&self, path: &str, joint: &Joint) {
        let is_link = matches!(joint.kind, JointKind::Link | JointKind::Rope);
        let turns_about = matches!(joint.kind, JointKind::Hinge | JointKind::Slider);
        let binds = joint.kind == JointKind::Bind;
        if binds && joint.second.is_none() {
            return self.fail(
                path,
                "`second` is missing for a bind".to_owned(),
                "name the body that nodes of `first` are bound to; `fixed` holds them to the world",
            );
        }
        let is_ball = joint.anchor.is_some() || joint.reach.is_some();
        for (key, given, wanted, kinds) in [
            (
                "reach",
                joint.reach.is_some(),
                binds && is_ball,
                "a bind with an `anchor`",
            ),
            (
                "anchor",
                joint.anchor.is_some(),
                !binds || is_ball,
                if binds {
                    "a bind with a `reach`"
                } else {
                    "a joint"
                },
            ),
            (
                "box",
                joint.region.is_some(),
                binds && joint.region.is_some(),
                "a bind",
            ),
            (
                "group",
                joint.group.is_some(),
                binds && joint.group.is_some(),
                "a bind",
            ),
            (
                "distance",
                joint.distance.is_some(),
                binds && joint.distance.is_some(),
                "a bind",
            ),
            ("end", joint.end.is_some(), is_link, "a link or rope"),
            (
                "axis",
                joint.axis.is_some(),
                turns_about,
                "a hinge or slider",
            ),
        ] {
            if given != wanted {
                let verb = if given {
                    "belongs to"
                } else {
                    "is missing for"
                };
                return self.fail(
                    path,
                    format!("`{key}` {verb} {kinds}"),
                    "see the kinds of joints in the schema: `impinge scene schema`",
                );
            }
        }
        if joint.limits.is_some() && !turns_about {
            return self.fail(
                &format!("{path}.limits"),
                "`limits` belong to a hinge or slider".to_owned(),
                "leave them out",
            );
        }
        if joint.length.is_some() && !is_link {
            return self.fail(
                &format!("{path}.length"),
                "`length` belongs to a link or rope".to_owned(),
                "leave it out",
            );
        }
        if joint.contact && joint.second.is_none() {
            return self.fail(
                &format!("{path}.contact"),
                "`contact` is supported for joints of two bodies only; other contacts are always active".to_owned(),
                "leave it out",
            );
        }
        let yields = is_link || binds || joint.kind == JointKind::Ball;
        if joint.compliance > 0.0 && !yields {
            return self.fail(
                &format!("{path}.compliance"),
                "`compliance` belongs to a ball, link, rope or bind".to_owned(),
                "leave it out",
            );
        }
        if !joint.via.is_empty() && joint.kind != JointKind::Rope {
            return self.fail(
                &format!("{path}.via"),
                "`via` belongs to a rope".to_owned(),
                "leave it out, or write kind = \"rope\"",
            );
        }
        if joint.formulation == Some(Formulation::Stiffness) && joint.compliance <= 0.0 {
            self.fail(
                &format!("{path}.formulation"),
                "without `compliance` a joint is hard and has no stiffness".to_owned(),
                "leave `formulation` out, or give the joint a compliance (m/N)",
            );
        }
    }
}
