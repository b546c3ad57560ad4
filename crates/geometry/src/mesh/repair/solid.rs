//! Flat, duplicate and inverted tetrahedra.

use std::collections::BTreeSet;

use nalgebra::Vector3;

use super::RepairReport;
use crate::mesh::measure::{Orientation, tet_orientation};

/// Removes flat and duplicate tetrahedra, and reverses inverted ones.
pub(super) fn clean(nodes: &[Vector3<f64>], tets: &mut Vec<[u32; 4]>, report: &mut RepairReport) {
    let mut known = BTreeSet::new();
    tets.retain_mut(|corners| {
        let repeated = (1..4).any(|at| corners[..at].contains(&corners[at]));
        let orientation = tet_orientation(corners.map(|node| nodes[node as usize]));
        if repeated || matches!(orientation, Orientation::Flat) {
            report.flat_elements += 1;
            return false;
        }
        let mut key = *corners;
        key.sort_unstable();
        if !known.insert(key) {
            report.duplicate_elements += 1;
            return false;
        }
        if matches!(orientation, Orientation::Negative) {
            corners.swap(2, 3);
            report.reversed_elements += 1;
        }
        true
    });
}
