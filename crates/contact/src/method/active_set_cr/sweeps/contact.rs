//! A contact in the form that sweeps need: its data in one place, and rows between points, which are multiples of one
//! frame, as that frame with a weight per block.

use super::window::Window;
use crate::sweep::{SweptContacts, relax};
use crate::{ContactProblem, ContactState, Multipliers, Tolerances, law::coulomb::onto_disk};
use nalgebra::{Matrix2x3, Matrix3, Vector3};

/// Largest number of blocks of a contact between points: a vertex and a triangle, or two edges.
const MOST_POINTS: usize = 4;

/// Largest relative difference of rows from multiples of one frame: rounding of the weight times the frame.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Changes in a sweep over contacts.
#[derive(Debug, Default, Clone, Copy)]
pub(in super::super) struct SweepChange {
    /// Number of contacts that changed state.
    pub(in super::super) changes: u64,
    /// Largest change of a force, as the displacement of its own contact in tolerances.
    pub(in super::super) largest: f64,
}

/// The diagonal mass matrix `M = ℓ D`, and the tolerances of displacements.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Metric<'a> {
    /// `D⁻¹` (1/kg).
    inverse: &'a [f64],
    /// `1/ℓ`.
    bounded: f64,
    /// Inverse tolerances of gaps and slips (1/m).
    per_gap: f64,
    per_slip: f64,
    /// Whether slips have the tolerance of gaps.
    relaxed: bool,
}

impl<'a> Metric<'a> {
    pub(in super::super) fn new(
        inverse: &'a [f64],
        bound: f64,
        tolerances: &Tolerances,
        relaxed: bool,
    ) -> Self {
        let slip = if relaxed {
            tolerances.gap
        } else {
            tolerances.slip
        };
        Self {
            inverse,
            bounded: bound.recip(),
            per_gap: tolerances.gap.recip(),
            per_slip: slip.recip(),
            relaxed,
        }
    }
}

impl SweepChange {
    pub(super) fn add(&mut self, own: Self) {
        self.changes += own.changes;
        self.largest = self.largest.max(own.largest);
    }
}

/// A contact in the form that sweeps need.
#[derive(Debug, Clone, Copy)]
pub(super) struct SweptContact {
    /// Its number in the problem.
    contact: u32,
    rows: Rows,
    /// `(c_n, c_t)` (m).
    offset: Vector3<f64>,
    /// `μ`.
    friction: f64,
    /// Inverse displacement scales of gap and slip.
    per_scale: [f64; 2],
    /// `W_n` and `W_t` with `D⁻¹` for `A⁻¹` (m/N).
    normal_compliance: f64,
    tangential_compliance: f64,
    /// `(λ, F)` (N).
    pub(super) force: Vector3<f64>,
    pub(super) state: ContactState,
}

/// Rows `[w n; a t₁; a t₂]` on every block, with one frame and a weight per block.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rows {
    /// Rows of weight 1 (s).
    frame: Matrix3<f64>,
    /// `w`, and `a` if it differs: a sticking contact may be anchored at another point than the closest one.
    weights: [f64; MOST_POINTS],
    tangential_weights: [f64; MOST_POINTS],
    blocks: [u32; MOST_POINTS],
    /// Number of weights; 0 if the rows have no common frame and are read from the problem.
    count: u32,
    /// Whether the weights are the same for all rows.
    uniform: bool,
}

impl Rows {
    /// Rows without a common frame.
    const GENERAL: Self = Self {
        frame: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        weights: [0.0; MOST_POINTS],
        tangential_weights: [0.0; MOST_POINTS],
        blocks: [0; MOST_POINTS],
        count: 0,
        uniform: true,
    };

    /// The rows of a contact; general ones if there is no common frame, as with rigid bodies.
    fn of(blocks: &[u32], jacobians: &[Matrix3<f64>]) -> Self {
        if blocks.is_empty() || blocks.len() > MOST_POINTS {
            return Self::GENERAL;
        }
        let mut rows = Self {
            count: blocks.len() as u32,
            ..Self::GENERAL
        };
        rows.blocks[..blocks.len()].copy_from_slice(blocks);
        let mut normal = Vector3::zeros();
        let mut tangents = Matrix2x3::zeros();
        for jacobian in jacobians {
            let row = jacobian.row(0).transpose();
            let pair = jacobian.fixed_rows::<2>(1);
            if row.norm_squared() > normal.norm_squared() {
                normal = row;
            }
            if pair.norm_squared() > tangents.norm_squared() {
                tangents.copy_from(&pair);
            }
        }
        rows.frame.set_row(0, &normal.transpose());
        rows.frame.fixed_rows_mut::<2>(1).copy_from(&tangents);
        let squares = [normal.norm_squared(), tangents.norm_squared()];
        let roundings = [normal.amax(), tangents.amax()].map(|size| ROUNDING * size);
        for (place, jacobian) in jacobians.iter().enumerate() {
            let row = jacobian.row(0).transpose();
            let pair = jacobian.fixed_rows::<2>(1);
            let weight = row.dot(&normal) / squares[0];
            let tangential = pair.dot(&tangents) / squares[1];
            let off = [
                (row - normal * weight).amax(),
                (pair - tangents * tangential).amax(),
            ];
            // NaN has no common frame.
            if !(off[0] <= roundings[0] && off[1] <= roundings[1]) {
                return Self::GENERAL;
            }
            rows.weights[place] = weight;
            rows.tangential_weights[place] = tangential;
            rows.uniform &= (weight - tangential).abs() <= ROUNDING;
        }
        rows
    }

    /// Blocks with one of both sets of weights.
    #[inline]
    fn points<'a>(
        &'a self,
        weights: &'a [f64; MOST_POINTS],
    ) -> impl Iterator<Item = (u32, f64)> + 'a {
        let count = self.count as usize;
        (self.blocks[..count].iter().copied()).zip(weights[..count].iter().copied())
    }

    /// `[J; J_t] v`.
    #[inline]
    fn displacement(&self, v: &Window<'_>) -> Vector3<f64> {
        let mean = |weights| {
            let add = |sum: Vector3<f64>, (block, weight)| sum + v.at(block) * weight;
            self.points(weights).fold(Vector3::zeros(), add)
        };
        let mut moved = self.frame * mean(&self.weights);
        if !self.uniform {
            let tangential = mean(&self.tangential_weights);
            for row in 1..3 {
                moved[row] = self.frame.row(row).transpose().dot(&tangential);
            }
        }
        moved
    }

    /// Calls `add` with every block and its part of `[J; J_t]ᵀ force`.
    #[inline]
    fn impulses(&self, force: &Vector3<f64>, mut add: impl FnMut(u32, Vector3<f64>)) {
        if self.uniform {
            let impulse = self.frame.tr_mul(force);
            for (block, weight) in self.points(&self.weights) {
                add(block, impulse * weight);
            }
            return;
        }
        let normal = self.frame.row(0).transpose() * force[0];
        let tangential = self.frame.tr_mul(&Vector3::new(0.0, force[1], force[2]));
        let both = self.points(&self.weights).zip(self.tangential_weights);
        for ((block, weight), tangential_weight) in both {
            add(block, normal * weight + tangential * tangential_weight);
        }
    }
}

impl SweptContact {
    /// A contact of the problem with its force; `compliance` is `[W_n, W_t]` (m/N).
    pub(super) fn of(
        problem: &ContactProblem,
        contact: u32,
        multipliers: &Multipliers,
        [normal_compliance, tangential_compliance]: [f64; 2],
    ) -> Self {
        let index = contact as usize;
        let (blocks, jacobians) = problem.row(index);
        Self {
            contact,
            rows: Rows::of(blocks, jacobians),
            offset: problem.offset(index),
            friction: problem.friction(index),
            per_scale: problem.displacement_scales(index).map(f64::recip),
            normal_compliance,
            tangential_compliance,
            force: multipliers.pressing_force(),
            state: multipliers.state,
        }
    }

    /// `[J; J_t] v`.
    #[inline]
    fn displacement(&self, problem: &ContactProblem, v: &Window<'_>) -> Vector3<f64> {
        if self.rows.count == 0 {
            let (blocks, jacobians) = problem.row(self.contact as usize);
            let rows = blocks.iter().zip(jacobians);
            let add = |sum, (&block, jacobian): (_, &Matrix3<f64>)| sum + jacobian * v.at(block);
            return rows.fold(Vector3::zeros(), add);
        }
        self.rows.displacement(v)
    }

    /// `v += D⁻¹ [J; J_t]ᵀ force`.
    #[inline]
    fn push(
        &self,
        problem: &ContactProblem,
        force: &Vector3<f64>,
        inverse: &[f64],
        v: &mut Window<'_>,
    ) {
        let mut add = |block: u32, impulse: Vector3<f64>| {
            let inverse = &inverse[3 * block as usize..][..3];
            let v = v.of_block(block);
            for axis in 0..3 {
                v[axis] += impulse[axis] * inverse[axis];
            }
        };
        if self.rows.count == 0 {
            let (blocks, jacobians) = problem.row(self.contact as usize);
            for (&block, jacobian) in blocks.iter().zip(jacobians) {
                add(block, jacobian.tr_mul(force));
            }
            return;
        }
        self.rows.impulses(force, add);
    }

    /// `v += M⁻¹ [J; J_t]ᵀ (λ, F)`.
    pub(super) fn push_whole(
        &self,
        problem: &ContactProblem,
        metric: Metric<'_>,
        v: &mut Window<'_>,
    ) {
        if self.force != Vector3::zeros() {
            let force = self.force * metric.bounded;
            self.push(problem, &force, metric.inverse, v);
        }
    }

    /// The force `(λ, F)` that meets the laws of the contact at displacement `moved` (m), if it differs; and its change
    /// in tolerances. The normal row has a softness of `softness` times its compliance.
    #[inline]
    fn solve(
        &mut self,
        moved: &Vector3<f64>,
        softness: f64,
        metric: Metric<'_>,
    ) -> (Option<Vector3<f64>>, f64) {
        let normal = self.normal_compliance * (metric.bounded + softness);
        let tangential = self.tangential_compliance * metric.bounded;
        let old = self.force;
        let lambda = (old[0] - moved[0] / normal).max(0.0);
        let wanted = [
            old[1] - moved[1] / tangential,
            old[2] - moved[2] / tangential,
        ];
        let (friction, state) = onto_disk(wanted, self.friction * lambda);
        self.state = if lambda > 0.0 {
            state
        } else {
            ContactState::Inactive
        };
        let new = Vector3::new(lambda, friction[0], friction[1]);
        let change = new - old;
        if change == Vector3::zeros() {
            return (None, 0.0);
        }
        let slipped = tangential * change[1].abs().max(change[2].abs());
        let [gap_scale, slip_scale] = self.per_scale;
        let slip_scale = if metric.relaxed {
            gap_scale
        } else {
            slip_scale
        };
        let largest = (slipped * metric.per_slip * slip_scale)
            .max(normal * change[0].abs() * metric.per_gap * gap_scale);
        (Some(new), largest)
    }
}

/// Contacts that are swept in order, with their velocities.
pub(super) struct Part<'a, 'v> {
    pub(super) problem: &'a ContactProblem,
    pub(super) softness: f64,
    pub(super) metric: Metric<'a>,
    pub(super) contacts: &'a mut [SweptContact],
    pub(super) v: &'a mut Window<'v>,
    pub(super) swept: SweepChange,
}

impl Part<'_, '_> {
    /// Solves one contact for its laws and updates the velocities; returns the change of its force in tolerances.
    #[inline]
    pub(super) fn meet_laws(&mut self, place: usize) -> f64 {
        let largest = relax(self, place);
        self.swept.largest = self.swept.largest.max(largest);
        largest
    }
}

impl SweptContacts for Part<'_, '_> {
    #[inline]
    fn force(&mut self, place: usize) -> &mut Vector3<f64> {
        &mut self.contacts[place].force
    }

    #[inline]
    fn displacement(&self, place: usize) -> Vector3<f64> {
        let contact = &self.contacts[place];
        contact.displacement(self.problem, self.v) - contact.offset
    }

    #[inline]
    fn solve(&mut self, place: usize, moved: &Vector3<f64>) -> (Option<Vector3<f64>>, f64) {
        let contact = &mut self.contacts[place];
        let before = contact.state;
        let solved = contact.solve(moved, self.softness, self.metric);
        self.swept.changes += u64::from(contact.state != before);
        solved
    }

    #[inline]
    fn respond(&mut self, place: usize, change: &Vector3<f64>) {
        let change = change * self.metric.bounded;
        self.contacts[place].push(self.problem, &change, self.metric.inverse, self.v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ContactRow,
        frame::ContactFrame,
        method::rows::{add_impulse, displacement},
    };
    use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
    use proptest::prelude::*;

    /// A contact of four blocks whose rows are a frame times weights. Tangential weights differ by `shift`, and one
    /// frame is rotated by `twist`.
    fn problem(normal: Vector3<f64>, weights: [f64; 4], shift: f64, twist: f64) -> ContactProblem {
        let pattern = BlockPattern::from_pairs(4, std::iter::empty());
        let mut momentum = SymmetricBlockMatrix::zeros(pattern);
        for block in 0..4 {
            *momentum.diagonal_block_mut(block) = Matrix3::identity();
        }
        let mut problem = ContactProblem::new(1e-3, momentum, vec![0.0; 12]);
        let frame = ContactFrame::around(normal);
        let [t1, t2] = frame.tangents;
        let frame =
            Matrix3::from_rows(&[frame.normal.transpose(), t1.transpose(), t2.transpose()]) * 1e-3;
        let turned = Matrix3::identity() + Vector3::new(0.3, -0.2, 0.5).cross_matrix() * twist;
        let weighted =
            |w: f64| Matrix3::from_diagonal(&Vector3::new(w, w + shift, w + shift)) * frame;
        let mut entries: Vec<_> = (0..4).zip(weights.map(weighted)).collect();
        entries[2].1 *= turned;
        problem.push(&ContactRow {
            entries: &entries,
            offset: Vector3::new(1e-5, -2e-5, 3e-5),
            friction: 0.4,
        });
        problem
    }

    fn swept(problem: &ContactProblem) -> SweptContact {
        SweptContact::of(problem, 0, &Multipliers::default(), [1.0, 1.0])
    }

    proptest! {
        /// With or without a common frame, displacements and impulses are those of the problem's rows.
        #[test]
        fn rows_are_those_of_the_problem(
            normal in prop::array::uniform3(-1.0..1.0_f64),
            weights in prop::array::uniform4(-1.0..1.0_f64),
            shift in prop::sample::select(vec![0.0, 1e-9, 0.3]),
            twist in prop::sample::select(vec![0.0, 1e-9, 1.0]),
            v in prop::array::uniform12(-1.0..1.0_f64),
            inverse in prop::array::uniform12(0.1..10.0_f64),
        ) {
            let Some(normal) = Vector3::from(normal).try_normalize(1e-3) else { return Ok(()) };
            prop_assume!(weights[2].abs() > 1e-3);
            let problem = problem(normal, weights, shift, twist);
            let own = swept(&problem);
            prop_assert_eq!(own.rows.count, if twist == 0.0 { 4 } else { 0 });
            prop_assert_eq!(own.rows.uniform, shift == 0.0 || twist != 0.0);

            let mut copy = v;
            let off = own.displacement(&problem, &Window::all(&mut copy)) - displacement(&problem, 0, &v);
            prop_assert!(off.amax() < 1e-17, "{}", off);

            let force = Vector3::new(3.0, -1.0, 2.0);
            let (mut pushed, mut impulse) = ([0.0; 12], [0.0; 12]);
            own.push(&problem, &force, &inverse, &mut Window::all(&mut pushed));
            add_impulse(&problem, 0, &force, &mut impulse);
            for ((pushed, impulse), inverse) in pushed.iter().zip(impulse).zip(inverse) {
                prop_assert!((pushed - impulse * inverse).abs() < 1e-16);
            }
        }
    }

    /// A contact with a half-space has one block, and so has a vertex on a prescribed body.
    #[test]
    fn one_block_is_its_own_frame() {
        let rows = Rows::of(&[7], &[Matrix3::identity() * -2.0]);
        assert_eq!((rows.count, rows.blocks[0]), (1, 7));
        assert_eq!((rows.weights[0], rows.tangential_weights[0]), (1.0, 1.0));
        assert!(rows.uniform);
        assert_eq!(rows.frame, Matrix3::identity() * -2.0);
        assert_eq!(Rows::of(&[], &[]).count, 0);
    }
}
