//! The assembled Delassus operator `W = J C Jᵀ` in 3×3 blocks.

use super::compliance::Compliance;
use super::contact_nodes::ContactNodes;
use super::operator::DelassusOperator;
use super::row_cache::RowCache;
use crate::delassus::BlockRows;
use nalgebra::{Matrix3, Vector3};

/// Marks a place without a response.
const NOWHERE: usize = usize::MAX;

/// `W` with the displacements of the present forces.
#[derive(Default)]
pub(super) struct Assembled {
    /// Exactly symmetric: its rows are read as columns.
    pub(super) w: BlockRows,
    /// `W f`, updated with every change of a force.
    moved: Vec<Vector3<f64>>,
}

impl Assembled {
    /// Builds `W`: one response of the compliance per contact and part, then a product per pair of contacts with a
    /// common part. Blocks of pairs in `kept` are copied.
    ///
    /// Only pairs in ascending order are computed, so `W` is exactly symmetric. The result does not depend on `kept` as
    /// long as contacts keep their order.
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
        // About a third of all contacts have no force.
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
