//! Whether a body has kept its shape, and the surface of all bodies.

use crate::output::{Frame, Manifest};
use impinge_geometry::surface::{CollisionSurface, PairFilter};
use nalgebra::{Matrix3, Vector3};

/// The point of a body with the largest distance from its place under the rigid motion from `before` to `now`, and this
/// distance (m).
///
/// The motion is that of three distant points, so it is independent of stored poses.
pub(super) fn off_shape(
    points: &[u32],
    before: &[Vector3<f64>],
    now: &[Vector3<f64>],
) -> (u32, f64) {
    let old = |point: u32| before[point as usize];
    let farthest = |measure: &dyn Fn(&Vector3<f64>) -> f64| {
        let by = |&a: &u32, &b: &u32| measure(&old(a)).total_cmp(&measure(&old(b)));
        points.iter().copied().max_by(by).unwrap_or_default()
    };
    let first = points.first().copied().unwrap_or_default();
    let second = farthest(&|x| (x - old(first)).norm_squared());
    let along = old(second) - old(first);
    let third = farthest(&|x| along.cross(&(x - old(first))).norm_squared());
    let axes = |at: &[Vector3<f64>]| {
        let [a, b, c] = [first, second, third].map(|point| at[point as usize]);
        let x = (b - a).normalize();
        let z = (b - a).cross(&(c - a)).normalize();
        (a, Matrix3::from_columns(&[x, z.cross(&x), z]))
    };
    let ((old_origin, old_axes), (origin, new_axes)) = (axes(before), axes(now));
    let turn = new_axes * old_axes.transpose();
    points
        .iter()
        .map(|&point| {
            let expected = origin + turn * (old(point) - old_origin);
            (point, (now[point as usize] - expected).amax())
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((first, 0.0))
}

/// The surface of all bodies, from the elements alone: the faces of only one element.
///
/// Free rigid bodies, whose shape is checked separately, need no test against themselves, and joined bodies may
/// overlap.
pub(super) fn collision_surface(frame: &Frame, manifest: Option<&Manifest>) -> CollisionSurface {
    let motions = manifest.map_or(&[][..], |manifest| &manifest.motions);
    let mut faces: Vec<([u32; 3], [u32; 3])> = frame
        .tets
        .iter()
        .flat_map(|&[a, b, c, d]| [[b, c, d], [a, d, c], [a, b, d], [a, c, b]])
        .map(|face| {
            let mut key = face;
            key.sort_unstable();
            (key, face)
        })
        .collect();
    faces.sort_unstable();
    let mut triangles: Vec<[u32; 3]> = faces
        .chunk_by(|first, second| first.0 == second.0)
        .filter(|same| same.len() == 1)
        .map(|same| same[0].1)
        .collect();
    triangles.extend(&frame.triangles);

    let bodies = frame
        .body_of_point
        .iter()
        .max()
        .map_or(0, |&body| body as usize + 1);
    // A body is passive if all of its points are prescribed for all time.
    let never_ends = |motion: u32| {
        let law = motions.get(motion as usize);
        law.is_none_or(|law| law.until.is_none())
    };
    let mut passive = vec![true; bodies];
    for (&body, motion) in frame.body_of_point.iter().zip(&frame.motion_of_point) {
        passive[body as usize] &= motion.is_some_and(never_ends);
    }
    let filter = manifest.map_or_else(PairFilter::default, |manifest| PairFilter {
        without_self_contact: manifest.rigid_bodies.clone(),
        user_group: (0..bodies as u32).collect(),
        excluded_groups: manifest.joined.clone(),
        ..PairFilter::default()
    });
    CollisionSurface::new(
        triangles,
        frame.points.len(),
        frame.body_of_point.clone(),
        passive,
    )
    .with_filter(&filter)
}
