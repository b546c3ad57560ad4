//! Anderson acceleration of sweeps: the next forces are a combination of the last few sweeps.

use nalgebra::{SMatrix, SVector, Vector3};

/// Number of stored sweeps. If few bodies carry many, the error is mostly in a few slowly converging modes. More sweeps
/// do not help; each costs about one product with a block per contact and sweep.
const DEPTH: usize = 10;

/// Ridge over the diagonal of the least-squares problem: changes of successive sweeps are nearly parallel.
const RIDGE: f64 = 1e-12;

/// With `g(f)` one sweep from forces `f`, computes the combination of the last sweeps that a sweep would change least.
///
/// ```text
/// γ = argmin ‖d − ΔD γ‖,  d = g(f) − f,     next f = g(f) − ΔG γ
/// ```
///
/// The norm weights each contact by its compliance, so that forces are comparable as work.
///
/// # Source
/// Walker & Ni 2011, "Anderson acceleration for fixed-point iterations", <https://doi.org/10.1137/10078356X>; differs
/// from it in: the weights, restarts, and a ridge instead of QR factors.
#[derive(Debug, Default)]
pub(super) struct Acceleration {
    weights: Vec<f64>,
    /// Forces before the sweep and after it, and their change.
    before: Vec<Vector3<f64>>,
    image: Vec<Vector3<f64>>,
    change: Vec<Vector3<f64>>,
    /// `‖d‖²` of the last sweep; infinite before the first.
    size: f64,
    /// `ΔG` and `ΔD` by columns, as a ring buffer.
    images: [Vec<Vector3<f64>>; DEPTH],
    changes: [Vec<Vector3<f64>>; DEPTH],
    /// Displacements after the last sweep and their `ΔG`. They are linear in the forces, so the same combination holds.
    moved: Vec<Vector3<f64>>,
    moves: [Vec<Vector3<f64>>; DEPTH],
    /// `ΔDᵀ ΔD`.
    products: SMatrix<f64, DEPTH, DEPTH>,
    stored: usize,
    next: usize,
}

impl Acceleration {
    /// Starts with contacts of these weights, and a number `moved` of displacements.
    pub(super) fn start(&mut self, weights: impl Iterator<Item = f64>, moved: usize) {
        self.weights.clear();
        self.weights.extend(weights);
        let zeros = Vector3::zeros();
        let columns = self.images.iter_mut().chain(&mut self.changes);
        for vector in columns.chain([&mut self.before, &mut self.image, &mut self.change]) {
            vector.clear();
            vector.resize(self.weights.len(), zeros);
        }
        for vector in self.moves.iter_mut().chain([&mut self.moved]) {
            vector.clear();
            vector.resize(moved, zeros);
        }
        self.size = f64::INFINITY;
        self.forget();
    }

    /// Removes the stored sweeps, not the contacts.
    pub(super) fn forget(&mut self) {
        self.stored = 0;
        self.next = 0;
    }

    /// Stores the forces before a sweep; required before every sweep.
    pub(super) fn before(&mut self, forces: &[Vector3<f64>]) {
        self.before.copy_from_slice(forces);
    }

    /// Replaces forces and displacements after a sweep by extrapolated ones. These forces may be slightly outside their
    /// cones; the next sweep corrects this where it matters.
    ///
    /// If a sweep changed forces more than the last one, the stored sweeps are removed: contacts have opened, closed or
    /// started to slide, and sweeps with the old states are misleading.
    pub(super) fn after(&mut self, forces: &mut [Vector3<f64>], moved: &mut [Vector3<f64>]) {
        let column = self.next;
        let mut size = 0.0;
        for (contact, after) in forces.iter().enumerate() {
            let change = after - self.before[contact];
            size += self.weights[contact] * change.norm_squared();
            self.images[column][contact] = after - self.image[contact];
            self.changes[column][contact] = change - self.change[contact];
            self.image[contact] = *after;
            self.change[contact] = change;
        }
        let kept = self.moved.iter_mut().zip(&mut self.moves[column]);
        for ((kept, by), moved) in kept.zip(&*moved) {
            *by = moved - *kept;
            *kept = *moved;
        }
        let grown = size > self.size;
        let first = self.size.is_infinite();
        self.size = size;
        if first {
            return;
        }
        if grown || !size.is_finite() {
            self.forget();
            return;
        }
        self.stored = (self.stored + 1).min(DEPTH);
        self.next = (column + 1) % DEPTH;
        for other in 0..self.stored {
            let product = self.product(&self.changes[column], &self.changes[other]);
            self.products[(column, other)] = product;
            self.products[(other, column)] = product;
        }
        let Some(gamma) = self.combination() else {
            self.forget();
            return;
        };
        let columns = self.images.iter().zip(&self.moves);
        for (share, (image, by)) in gamma.iter().zip(columns).take(self.stored) {
            for (force, image) in forces.iter_mut().zip(image) {
                *force -= image * *share;
            }
            for (moved, by) in moved.iter_mut().zip(by) {
                *moved -= by * *share;
            }
        }
    }

    fn product(&self, a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
        let pairs = a.iter().zip(b).zip(&self.weights);
        pairs.map(|((a, b), weight)| weight * a.dot(b)).sum()
    }

    /// `γ`; `None` if the changes do not determine it.
    fn combination(&self) -> Option<SVector<f64, DEPTH>> {
        let mut matrix = self.products;
        let mut rhs = SVector::<f64, DEPTH>::zeros();
        for column in 0..DEPTH {
            if column < self.stored {
                rhs[column] = self.product(&self.changes[column], &self.change);
                matrix[(column, column)] *= 1.0 + RIDGE;
            } else {
                matrix.row_mut(column).fill(0.0);
                matrix.column_mut(column).fill(0.0);
                matrix[(column, column)] = 1.0;
            }
        }
        let gamma = matrix.cholesky()?.solve(&rhs);
        gamma.iter().all(|share| share.is_finite()).then_some(gamma)
    }
}

/// No pull, and no more friction than the cone allows for the normal force.
pub(super) fn within_cone(force: &Vector3<f64>, friction: f64) -> Vector3<f64> {
    if force.x <= 0.0 {
        return Vector3::zeros();
    }
    let (length, radius) = (force.y.hypot(force.z), friction * force.x);
    if length <= radius {
        return *force;
    }
    let share = radius / length;
    Vector3::new(force.x, share * force.y, share * force.z)
}
