//! Independent check for intersections in committed states.

use impinge_geometry::exact::surface_intersections;
use impinge_sim::{Model, State};

/// Largest number of intersecting pairs that are counted in one state.
const MOST: usize = 100;

/// Pairs of intersecting surface triangles, by exact predicates, and surface points that are not above a half-space.
/// Prescribed points may be inside a half-space, as those of obstacles are.
pub(super) fn overlaps(model: &Model, state: &State) -> usize {
    let below = model.geometry.half_spaces.iter().map(|half_space| {
        let points = model.geometry.surface.vertices().iter();
        let free = points.filter(|&&point| !model.geometry.surface.is_passive_point(point));
        free.filter(|&&point| {
            let from = state.positions[point as usize] - half_space.point;
            let height = half_space.normal.dot(&from);
            // NaN is not above either.
            height.is_nan() || height <= 0.0
        })
        .count()
    });
    below.sum::<usize>()
        + surface_intersections(&state.positions, &model.geometry.surface, MOST).len()
}

#[cfg(test)]
mod tests {
    use impinge_sim::{Scene, Simulation};

    use super::*;

    #[test]
    fn a_body_through_a_half_space_is_seen() -> Result<(), Box<dyn std::error::Error>> {
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/rigid_stack.toml");
        let simulation = Simulation::new(&Scene::load(path, &["body.0.copies.count=2"])?)?;
        let (model, mut state) = (simulation.model(), simulation.state().clone());
        assert_eq!(overlaps(model, &state), 0);
        let body: Vec<usize> = (0..state.positions.len()).collect();
        for point in body {
            state.positions[point].z -= 0.05;
        }
        assert!(overlaps(model, &state) > 0);
        Ok(())
    }
}
