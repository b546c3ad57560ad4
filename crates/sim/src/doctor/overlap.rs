//! Overlaps at the start, with their depth.

use impinge_geometry::exact::surface_intersections;
use nalgebra::Vector3;
use rayon::prelude::*;

use super::finding::Symptom;
use crate::model::Model;
use crate::overlap::{
    movable_first,
    solid::{self, Solid},
};

/// Limit of counted triangle pairs; a start with more of them is reported in any case.
const MAX_TRIANGLE_PAIRS: usize = 1_000_000;

/// Intersecting triangle pairs of two solids.
struct Meeting {
    solids: [usize; 2],
    triangle_pairs: usize,
    /// The first of them.
    triangles: [u32; 2],
}

/// Finds pairs that overlap, bodies that reach into a half-space, and surfaces that intersect themselves.
pub(super) fn examine(model: &Model, out: &mut Vec<Symptom>) {
    let solids = solid::solids(model);
    half_spaces(model, out);
    let meetings = meetings(model);
    for meeting in meetings.iter().filter(|m| m.solids[0] == m.solids[1]) {
        let place = first_corner(model, meeting.triangles[0]);
        out.push(Symptom::SelfIntersection {
            body: model.geometry.solid(meeting.solids[0]).name.clone(),
            triangle_pairs: meeting.triangle_pairs,
            place: place.into(),
        });
    }
    let crossing: Vec<&Meeting> = meetings
        .iter()
        .filter(|meeting| meeting.solids[0] != meeting.solids[1])
        .collect();
    out.par_extend(crossing.par_iter().map(|meeting| {
        let [first, second] = movable_first(&solids, meeting.solids);
        let exit = solids[first].exit(&solids[second], &Vector3::zeros());
        Symptom::Overlap {
            first: solids[first].name.clone(),
            second: solids[second].name.clone(),
            triangle_pairs: meeting.triangle_pairs,
            depth: exit.distance,
            direction: exit.direction.into(),
            place: first_corner(model, meeting.triangles[0]).into(),
        }
    }));

    let still = vec![Vector3::zeros(); solids.len()];
    let crossing: Vec<[usize; 2]> = crossing.iter().map(|meeting| meeting.solids).collect();
    let apart: Vec<[usize; 2]> = solid::near_pairs(model, &solids, &still)
        .into_iter()
        .filter(|pair| crossing.binary_search(pair).is_err())
        .collect();
    out.par_extend(apart.par_iter().filter_map(|&pair| inside(&solids, pair)));
}

fn first_corner(model: &Model, triangle: u32) -> Vector3<f64> {
    model.points.rest[model.geometry.surface.triangles()[triangle as usize][0] as usize]
}

fn meetings(model: &Model) -> Vec<Meeting> {
    let solid_of = |triangle: u32| {
        model
            .geometry
            .solid_of_point(model.geometry.surface.triangles()[triangle as usize][0])
    };
    let mut pairs: Vec<([usize; 2], [u32; 2])> = surface_intersections(
        &model.points.rest,
        &model.geometry.surface,
        MAX_TRIANGLE_PAIRS,
    )
    .into_iter()
    .map(|pair| {
        let mut keyed = pair
            .triangles
            .map(|triangle| (solid_of(triangle), triangle));
        keyed.sort_unstable();
        (keyed.map(|key| key.0), keyed.map(|key| key.1))
    })
    .collect();
    pairs.sort_unstable();
    pairs
        .chunk_by(|a, b| a.0 == b.0)
        .map(|run| Meeting {
            solids: run[0].0,
            triangle_pairs: run.len(),
            triangles: run[0].1,
        })
        .collect()
}

/// Whether one of two solids with disjoint surfaces lies inside the other.
fn inside(solids: &[Solid], [first, second]: [usize; 2]) -> Option<Symptom> {
    let still = Vector3::zeros();
    let [inner, outer] = [[first, second], [second, first]]
        .into_iter()
        .find(|&[inner, outer]| solids[inner].is_inside(&solids[outer], &still))?;
    let exit = solids[inner].exit(&solids[outer], &still);
    Some(Symptom::Inside {
        first: solids[inner].name.clone(),
        second: solids[outer].name.clone(),
        depth: exit.distance,
        direction: exit.direction.into(),
        place: solids[inner].a_point().into(),
    })
}

fn half_spaces(model: &Model, out: &mut Vec<Symptom>) {
    for half_space in &model.geometry.half_spaces {
        let mut deepest: Vec<Option<(f64, u32)>> = vec![None; model.geometry.solid_count()];
        for &point in model.geometry.surface.vertices() {
            if model.geometry.surface.is_passive_point(point) {
                continue;
            }
            let height = half_space
                .normal
                .dot(&(model.points.rest[point as usize] - half_space.point));
            let slot = &mut deepest[model.geometry.solid_of_point(point)];
            if height <= 0.0 && slot.is_none_or(|(lowest, _)| height < lowest) {
                *slot = Some((height, point));
            }
        }
        for (solid, deepest) in deepest.into_iter().enumerate() {
            if let Some((height, point)) = deepest {
                out.push(Symptom::Penetration {
                    first: model.geometry.solid(solid).name.clone(),
                    second: half_space.name.clone(),
                    depth: -height,
                    direction: half_space.normal.into(),
                    place: model.points.rest[point as usize].into(),
                });
            }
        }
    }
}
