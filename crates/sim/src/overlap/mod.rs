//! Depth of overlaps: the shortest translation that separates two solids.

pub(crate) mod solid;

use crate::model::Model;
use nalgebra::Vector3;
use solid::Solid;

/// Shortest translation found that separates two intersecting solids (m).
pub(crate) fn depth(model: &Model, pair: [usize; 2]) -> f64 {
    let solids = solid::solids(model);
    let [first, second] = movable_first(&solids, pair);
    let exit = solids[first].exit(&solids[second], &Vector3::zeros());
    exit.distance
}

/// The two solids with a movable one first, so that a finding says which one to move.
pub(crate) fn movable_first(solids: &[Solid], [first, second]: [usize; 2]) -> [usize; 2] {
    if solids[first].movable || !solids[second].movable {
        [first, second]
    } else {
        [second, first]
    }
}
