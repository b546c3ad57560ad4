//! Plastic flow at the end of a step.

use crate::{measure::strains::elastic_strains, model::Model, solid::StressLaw, state::State};

/// Updates the plastic strains at the end of a step.
pub(crate) fn flow_plastically(model: &Model, state: &mut State) {
    if state.plastic_strains.is_empty() {
        return;
    }
    let strains = elastic_strains(model, state);
    for point in &model.constraints.stress_points {
        let StressLaw::Flowing(law) = point.law else {
            continue;
        };
        // The strains are elastic ones, so the flow starts from no plastic strain.
        let elastic = std::array::from_fn(|row| strains[point.first_row + row]);
        let mut more = [0.0; 6];
        if law.flow(&elastic, &mut more) {
            let kept = &mut state.plastic_strains[point.first_row..];
            for (kept, more) in kept.iter_mut().zip(more) {
                *kept += more;
            }
        }
    }
}
