//! Shortens the translations of separated bodies, one body at a time.

use nalgebra::Vector3;

use crate::model::Model;
use crate::overlap::solid::Solid;

/// Passes over all bodies.
const PASSES: usize = 3;

/// Bisections of a translation: to a thousandth of it.
const HALVINGS: usize = 10;

/// Relative reduction below which a shorter translation does not count.
const GAIN: f64 = 1e-3;

/// Replaces each translation by the shortest tried one that keeps the body free of all others.
///
/// The candidates are no translation, a part of the present one, and the exits from every body in the way at the start.
pub(super) fn shorten(model: &Model, solids: &[Solid], margin: f64, moves: &mut [Vector3<f64>]) {
    for _ in 0..PASSES {
        let mut order: Vec<usize> = (0..solids.len())
            .filter(|&body| moves[body] != Vector3::zeros())
            .collect();
        order.sort_by(|&a, &b| moves[b].norm().total_cmp(&moves[a].norm()).then(a.cmp(&b)));
        let mut gained = false;
        for body in order {
            let movable = MovableBody {
                model,
                solids,
                moves,
                body,
            };
            let shorter = movable.shorter(margin);
            gained |= shorter.norm() < (1.0 - GAIN) * moves[body].norm();
            moves[body] = shorter;
        }
        if !gained {
            break;
        }
    }
}

/// One body among all others, which are fixed.
struct MovableBody<'a> {
    model: &'a Model,
    solids: &'a [Solid],
    moves: &'a [Vector3<f64>],
    body: usize,
}

impl MovableBody<'_> {
    /// The other solids whose boxes intersect the body's after a move by `translation`.
    fn neighbours(&self, translation: Vector3<f64>) -> impl Iterator<Item = (usize, Vector3<f64>)> {
        (0..self.solids.len())
            .filter(|&other| other != self.body)
            .filter(|&other| {
                (self.model.geometry.surface).bodies_may_touch(self.body as u32, other as u32)
            })
            .map(move |other| (other, translation - self.moves[other]))
            .filter(|(other, shift)| {
                self.solids[self.body].boxes_overlap(&self.solids[*other], shift)
            })
    }

    fn is_free(&self, translation: Vector3<f64>, margin: f64) -> bool {
        let solid = &self.solids[self.body];
        self.model.geometry.half_spaces.iter().all(|half_space| {
            let height = solid.lowest(&half_space.normal)
                + half_space.normal.dot(&(translation - half_space.point));
            // A body that starts closer than the margin may stay there.
            height >= margin || (height > 0.0 && half_space.normal.dot(&translation) >= 0.0)
        }) && self
            .neighbours(translation)
            .all(|(other, shift)| solid.is_free_of(&self.solids[other], &shift))
    }

    fn shorter(&self, margin: f64) -> Vector3<f64> {
        let solid = &self.solids[self.body];
        let present = self.moves[self.body];
        if self.is_free(Vector3::zeros(), margin) {
            return Vector3::zeros();
        }
        let mut best = present;
        for (other, shift) in self.neighbours(Vector3::zeros()) {
            if solid.is_free_of(&self.solids[other], &shift) {
                continue;
            }
            for exit in solid.exits(&self.solids[other], &shift) {
                let way = exit.direction * (exit.distance + margin);
                if way.norm() < best.norm() && self.is_free(way, margin) {
                    best = way;
                }
            }
        }
        let (mut meets, mut apart) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (meets + apart);
            if self.is_free(best * middle, margin) {
                apart = middle;
            } else {
                meets = middle;
            }
        }
        let way = best * (apart + margin / best.norm()).min(1.0);
        if self.is_free(way, margin) { way } else { best }
    }
}
