//! The assembled Delassus operator `W = J C Jᵀ` in 3×3 blocks.

use super::compliance::Compliance;
use super::contact_nodes::ContactNodes;
use super::operator::DelassusOperator;
use super::row_cache::RowCache;
use crate::delassus::BlockRows;
use nalgebra::{Matrix3, Vector3};

/// Marks a place that no response is asked of.
const NOWHERE: usize = usize::MAX;

/// `W` with the displacements under the forces of the moment.
#[derive(Default)]
pub(super) struct Assembled {
    /// Symmetric to the last bit: its rows are read as columns.
    pub(super) w: BlockRows,
    /// `W f`, kept up to date.
    moved: Vec<Vector3<f64>>,
}

impl Assembled {
    /// Builds `W`: one response of the compliance per contact and part it touches, then a product per pair of contacts
    /// that share a part. What two contacts make of each other is taken from `kept` where it knows both.
    ///
    /// Only pairs in order are computed: `W` is symmetric to the last bit, and the same whatever was kept as long as
    /// contacts keep their order.
    pub(super) fn new(
        nodes: &ContactNodes,
        compliance: &mut dyn Compliance,
        cache: &mut RowCache,
    ) -> Self {
        let mut rows = cache.take(nodes);
        let (mut response, mut index, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (part, list) in nodes.on_part.iter().enumerate() {
            for (first, pushed) in list.iter().enumerate() {
                let unmatched = || {
                    let later = list[first..].iter();
                    later.filter(|felt| !cache.knows(felt.contact, pushed.contact))
                };
                for &place in &places {
                    index[place] = NOWHERE;
                }
                places.clear();
                for (place, _) in unmatched().flat_map(|felt| &felt.rows) {
                    if index.len() <= *place {
                        index.resize(place + 1, NOWHERE);
                    }
                    if index[*place] == NOWHERE {
                        index[*place] = places.len();
                        places.push(*place);
                    }
                }
                if places.is_empty() {
                    continue;
                }
                compliance.respond(part, &pushed.rows, &places, &mut response);
                for felt in unmatched() {
                    let mut block = Matrix3::zeros();
                    for (place, jacobian) in &felt.rows {
                        block += jacobian * response[index[*place]];
                    }
                    rows.add(felt.contact, pushed.contact, &block);
                }
            }
        }
        Self {
            moved: vec![Vector3::zeros(); nodes.contacts],
            w: rows.finish(),
        }
    }
}

impl DelassusOperator for Assembled {
    fn load(&mut self, forces: &[Vector3<f64>]) {
        self.moved.clear();
        self.moved.resize(self.w.size(), Vector3::zeros());
        // A third of all contacts stand open.
        for (contact, force) in forces.iter().enumerate() {
            self.change(contact, force);
        }
    }

    fn moved(&mut self) -> &mut Vec<Vector3<f64>> {
        &mut self.moved
    }

    fn displacement(&self, contact: usize) -> Vector3<f64> {
        self.moved[contact]
    }

    fn own(&self, contact: usize) -> &Matrix3<f64> {
        self.w.diagonal(contact)
    }

    fn change(&mut self, contact: usize, by: &Vector3<f64>) {
        if *by != Vector3::zeros() {
            self.w.add_row_transposed(contact, by, &mut self.moved);
        }
    }

    fn restrict(&self, contacts: &[u32], out: &mut BlockRows) {
        self.w.restrict_into(contacts, out);
    }
}
