//! Gauss-Seidel sweeps over the contacts with a diagonal mass matrix: contacts are solved for their laws one by one,
//! and velocities are updated at once.
//!
//! Sweeps are bound by memory access, so all data of a contact are in one place.

mod contact;
mod tree;
mod window;

use crate::{
    ContactProblem, ContactState, Multipliers, method::rows::add_impulse,
    problem::CONTACTS_PER_TASK,
};
pub(super) use contact::{Metric, SweepChange};
use contact::{Part, SweptContact};
use nalgebra::Vector3;
use rayon::prelude::*;
use tree::Tree;

/// Smallest number of contacts of a part that is divided, and of a sweep by several threads: fewer do not repay it.
const LEAST: usize = 3000;

/// The contacts of a problem, their forces and states.
#[derive(Debug, Default)]
pub(super) struct PredictedContacts {
    /// In the order of the tree.
    contacts: Vec<SweptContact>,
    tree: Tree,
    /// Position of each contact of the problem in this order.
    places: Vec<u32>,
    /// Softness of normal rows over their compliance.
    softness: f64,
    /// Smallest number of contacts of a part that is divided.
    least: usize,
}

impl PredictedContacts {
    /// Loads the contacts with their forces. `compliance_of` gives `W_n` and `W_t` of a contact (m/N).
    pub(super) fn begin(
        &mut self,
        problem: &ContactProblem,
        start: &[Multipliers],
        softness: f64,
        compliance_of: impl Fn(usize) -> [f64; 2] + Sync,
    ) {
        self.least = LEAST;
        self.load(problem, start, softness, compliance_of);
    }

    fn load(
        &mut self,
        problem: &ContactProblem,
        start: &[Multipliers],
        softness: f64,
        compliance_of: impl Fn(usize) -> [f64; 2] + Sync,
    ) {
        self.softness = softness;
        let blocks_of = (0..start.len()).map(|contact| problem.row(contact).0);
        (self.tree).build(problem.momentum.blocks(), self.least, blocks_of);
        self.places.resize(start.len(), 0);
        let order = self.tree.order();
        for (place, &contact) in (0..).zip(order) {
            self.places[contact as usize] = place;
        }
        let swept = |&contact: &u32| {
            let multipliers = &start[contact as usize];
            let compliance = compliance_of(contact as usize);
            SweptContact::of(problem, contact, multipliers, compliance)
        };
        (order.par_iter().with_min_len(CONTACTS_PER_TASK))
            .map(swept)
            .collect_into_vec(&mut self.contacts);
    }

    /// `(λ, F)` of a contact (N).
    pub(super) fn force(&self, contact: usize) -> Vector3<f64> {
        self.contacts[self.places[contact] as usize].force
    }

    pub(super) fn state(&self, contact: usize) -> ContactState {
        self.contacts[self.places[contact] as usize].state
    }

    /// `r += [J; J_t]ᵀ (λ, F)`.
    pub(super) fn add_impulses(&self, problem: &ContactProblem, r: &mut [f64]) {
        for contact in 0..self.places.len() {
            add_impulse(problem, contact, &self.force(contact), r);
        }
    }

    /// `v += M⁻¹ [J; J_t]ᵀ (λ, F)`.
    pub(super) fn push_all(&mut self, problem: &ContactProblem, metric: Metric<'_>, v: &mut [f64]) {
        self.tree
            .visit(&mut self.contacts, v, true, &|_, contacts, v| {
                for contact in contacts {
                    contact.push_whole(problem, metric, v);
                }
                SweepChange::default()
            });
    }

    /// Solves one contact after the other for its laws and updates `v`.
    pub(super) fn sweep_all(
        &mut self,
        problem: &ContactProblem,
        metric: Metric<'_>,
        v: &mut [f64],
    ) -> SweepChange {
        self.sweep_parts((problem, metric), true, v, |touching, part| {
            touching.clear();
            touching.reserve(part.contacts.len());
            for place in 0..part.contacts.len() {
                let before = part.contacts[place].force[0];
                part.meet_laws(place);
                if before.max(part.contacts[place].force[0]) > 0.0 {
                    touching.push(place as u32);
                }
            }
        })
    }

    /// The same for the contacts with a force in the last sweep over all; other contacts that close wait for the next
    /// step. Contacts that change by less than `settled`, a displacement over its tolerance, are left out later.
    pub(super) fn sweep_touching(
        &mut self,
        problem: &ContactProblem,
        metric: Metric<'_>,
        settled: f64,
        v: &mut [f64],
    ) -> SweepChange {
        let parallel = self.tree.touching() >= self.least;
        self.sweep_parts((problem, metric), parallel, v, |touching, part| {
            touching.retain(|&place| part.meet_laws(place as usize) >= settled);
        })
    }

    /// Calls `work` with every part of the tree and the list of its contacts that touch.
    fn sweep_parts(
        &mut self,
        (problem, metric): (&ContactProblem, Metric<'_>),
        parallel: bool,
        v: &mut [f64],
        work: impl Fn(&mut Vec<u32>, &mut Part<'_, '_>) + Sync,
    ) -> SweepChange {
        let softness = self.softness;
        self.tree
            .visit(&mut self.contacts, v, parallel, &|touching, contacts, v| {
                let mut part = Part {
                    problem,
                    softness,
                    metric,
                    contacts,
                    v,
                    swept: SweepChange::default(),
                };
                work(touching, &mut part);
                part.swept
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContactRow, Tolerances, frame::ContactFrame};
    use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
    use nalgebra::Matrix3;
    use proptest::prelude::*;

    const BLOCKS: usize = 40;
    const COMPLIANCE: [f64; 2] = [2e-6, 2e-6];

    /// A contact between a block and another block, or an obstacle.
    type Pair = (u32, Option<u32>, [f64; 3]);

    fn pairs() -> impl Strategy<Value = Vec<Pair>> {
        let block = 0..BLOCKS as u32;
        let other = prop::option::weighted(0.8, (0..5_u32, prop::bool::weighted(0.1)));
        let pair = (block, other, prop::array::uniform3(-1.0..1.0_f64));
        prop::collection::vec(
            pair.prop_map(|(block, other, normal)| {
                // Mostly between near neighbours.
                let other =
                    other.map(|(by, far)| (block + 1 + by + 15 * u32::from(far)) % BLOCKS as u32);
                (block, other, normal)
            }),
            0..60,
        )
    }

    fn problem(pairs: &[Pair]) -> ContactProblem {
        let pattern = BlockPattern::from_pairs(BLOCKS, std::iter::empty());
        let mut problem = ContactProblem::new(
            1e-3,
            SymmetricBlockMatrix::zeros(pattern),
            vec![0.0; 3 * BLOCKS],
        );
        for (block, other, normal) in pairs {
            let normal = Vector3::from(*normal) + Vector3::z() * 0.1;
            let frame = ContactFrame::around(normal.normalize());
            let [t1, t2] = frame.tangents.map(|tangent| tangent.transpose());
            let rows = Matrix3::from_rows(&[frame.normal.transpose(), t1, t2]) * 1e-3;
            let mut entries = vec![(*block, rows)];
            entries.extend(
                other
                    .filter(|other| other != block)
                    .map(|other| (other, -rows)),
            );
            problem.push(&ContactRow {
                entries: &entries,
                offset: Vector3::new(1e-4, 0.0, 0.0),
                friction: 0.4,
            });
        }
        problem
    }

    fn velocities() -> Vec<f64> {
        (0..3 * BLOCKS).map(|i| (0.37 * i as f64).sin()).collect()
    }

    /// Forces and velocities after some sweeps in parts of at least `least` contacts.
    fn swept(
        problem: &ContactProblem,
        least: usize,
        threads: usize,
    ) -> (PredictedContacts, Vec<f64>) {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        let inverse = vec![1.0; 3 * BLOCKS];
        let tolerances = Tolerances {
            momentum: 1e-6,
            gap: 1e-6,
            slip: 1e-7,
        };
        let metric = Metric::new(&inverse, 2.0, &tolerances, false);
        let start = vec![Multipliers::default(); problem.contacts()];
        // All sweeps are parallel, however few contacts there are.
        let (mut contacts, mut v) = (PredictedContacts::default(), velocities());
        pool.install(|| {
            // The tree is built a second time in the same memory.
            for least in [3, least] {
                contacts.least = least;
                contacts.load(problem, &start, 0.0, |_| COMPLIANCE);
            }
            contacts.sweep_all(problem, metric, &mut v);
            contacts.sweep_touching(problem, metric, 0.0, &mut v);
            contacts.sweep_touching(problem, metric, 0.1, &mut v);
            contacts.push_all(problem, metric, &mut v);
        });
        (contacts, v)
    }

    fn bits(numbers: &[f64]) -> Vec<u64> {
        numbers.iter().map(|number| number.to_bits()).collect()
    }

    proptest! {
        /// Sweeps in parts, on one thread or four, equal sequential sweeps in the order of the parts, bit for bit.
        #[test]
        fn parts_are_swept_as_if_one_after_the_other(pairs in pairs()) {
            let problem = problem(&pairs);
            let (alone, v) = swept(&problem, 4, 1);
            let (shared, shared_v) = swept(&problem, 4, 4);
            prop_assert_eq!(bits(&v), bits(&shared_v));

            let order: Vec<_> = alone.tree.order().iter().map(|&contact| contact as usize).collect();
            let reordered: Vec<_> = order.iter().map(|&contact| pairs[contact]).collect();
            let (whole, whole_v) = swept(&self::problem(&reordered), usize::MAX, 1);
            prop_assert_eq!(bits(&v), bits(&whole_v));
            for (place, &contact) in order.iter().enumerate() {
                for (other, contact_of_other) in [(&shared, contact), (&whole, place)] {
                    let force = other.force(contact_of_other);
                    prop_assert_eq!(bits(alone.force(contact).as_slice()), bits(force.as_slice()));
                    prop_assert_eq!(alone.state(contact), other.state(contact_of_other));
                }
            }
        }
    }

    /// A chain of blocks, each in contact with the next, is divided in the middle, with one contact between the halves.
    #[test]
    fn a_chain_is_cut_in_the_middle() {
        let pairs: Vec<Pair> = (0..39)
            .map(|block| (block, Some(block + 1), [0.0; 3]))
            .collect();
        let (contacts, _) = swept(&problem(&pairs), 20, 1);
        let expected: Vec<u32> = (0..19).chain(20..39).chain([19]).collect();
        assert_eq!(contacts.tree.order(), expected);
    }
}
