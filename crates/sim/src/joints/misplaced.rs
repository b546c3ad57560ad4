//! Warnings about joints whose anchors are far from their bodies.

use super::{
    pair::PairJoint,
    parts::{Held, solid},
};
use crate::scene::JointKind;
use nalgebra::Vector3;

/// Distance between an anchor and the box around a body, in diagonals of that box, above which it is probably a
/// mistake.
const FAR: f64 = 1.0;

/// The warning about a `joint` that holds `body` at a distant `anchor`, if it is one.
///
/// It is no error: a small weight on a long arm is held that way.
pub(super) fn notice(made: &PairJoint<'_>, held: Held, anchor: Vector3<f64>) -> Option<String> {
    let &PairJoint {
        joint,
        index,
        parts,
        ..
    } = made;
    let body = solid(parts, held.solid);
    let points = &parts.rest[body.points.clone()];
    let first = *points.first()?;
    let (lower, upper) = points
        .iter()
        .fold((first, first), |(a, b), x| (a.inf(x), b.sup(x)));
    let across = (upper - lower).norm();
    let place = match (joint.kind, joint.axis) {
        // Every place of the axis is equivalent: the nearest one counts.
        (JointKind::Slider, Some(axis)) => {
            let axis = Vector3::from(axis).normalize();
            anchor + axis * axis.dot(&((lower + upper) * 0.5 - anchor))
        }
        _ => anchor,
    };
    let off = (place - place.sup(&lower).inf(&upper)).norm();
    if off <= FAR * across {
        return None;
    }
    let [x, y, z] = place.into();
    let deformable = held.rigid.is_none() && (body.thin || !body.tets.is_empty());
    let what = if deformable {
        let [x, y, z] = made.held_place(held, anchor).into();
        format!("its nearest node, at [{x}, {y}, {z}], is held instead")
    } else {
        "a rigid arm connects them".to_owned()
    };
    Some(format!(
        "joint {index} holds `{}` at [{x}, {y}, {z}], {off:.3} m away from the body (size {across:.3} m): {what}; \
         correct the joint if this is not intended",
        body.name
    ))
}
