//! Stress of bodies with strain constraints in place of finite elements.

use super::strains::elastic_strains;
use crate::{model::Model, solid::StressElement, state::State};

/// Replaces the von Mises stress (Pa) of tetrahedra whose stress follows from constraints by the volume mean over their
/// points.
pub(crate) fn von_mises_into(model: &Model, state: &State, stresses: &mut [f64]) {
    if model.constraints.stress_points.is_empty() {
        return;
    }
    let strains = elastic_strains(model, state);
    let mut sums = vec![(0.0, 0.0); stresses.len()];
    for point in &model.constraints.stress_points {
        let stress = point.law.von_mises(&strains[point.first_row..]);
        let mut add = |tet: usize| {
            sums[tet].0 += stress * point.weight;
            sums[tet].1 += point.weight;
        };
        match point.element {
            StressElement::Tetrahedron(tet) => add(tet),
            StressElement::Hexahedron(cell) => {
                for &tet in model.elements.elastic.tets_of_hexahedron(cell) {
                    add(tet as usize);
                }
            }
        }
    }
    for (stress, (sum, weight)) in stresses.iter_mut().zip(sums) {
        if weight > 0.0 {
            *stress = sum / weight;
        }
    }
}
