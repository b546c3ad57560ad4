//! The matrix-free Delassus operator: velocities of contact nodes are updated, and `W` is never assembled.

use super::compliance::Compliance;
use super::contact_nodes::ContactNodes;
use super::operator::DelassusOperator;
use crate::delassus::BlockRows;
use nalgebra::{Matrix3, Vector3};

/// Velocities of all contact nodes due to the present forces.
///
/// Memory and time of a sweep are proportional to the pairs of contact nodes on a body, not to the pairs of contacts.
/// These are fewer if many contacts share nodes.
pub(super) struct MatrixFree {
    parts: Vec<PartCompliance>,
    /// Velocity of each contact node due to the forces, by parts (m/s).
    moved: Vec<Vector3<f64>>,
    /// Per contact, its rows on each part: `(part, index of the touched node, [J; J_t])`.
    rows: Vec<Vec<(usize, usize, Matrix3<f64>)>>,
    own: Vec<Matrix3<f64>>,
}

struct PartCompliance {
    /// `C` between contact nodes, by columns.
    compliance: Vec<Matrix3<f64>>,
    /// Number of its first node among all, and number of its nodes.
    first: usize,
    nodes: usize,
}

impl MatrixFree {
    /// Computes one response of the compliance per contact node.
    pub(super) fn new(nodes: &ContactNodes, compliance: &mut dyn Compliance) -> Self {
        let mut out = Self {
            parts: Vec::with_capacity(nodes.on_part.len()),
            moved: Vec::new(),
            rows: vec![Vec::new(); nodes.contacts],
            own: vec![Matrix3::zeros(); nodes.contacts],
        };
        let mut response = Vec::new();
        for (index, list) in nodes.on_part.iter().enumerate() {
            let places = nodes.places(index);
            let mut part = PartCompliance {
                compliance: Vec::with_capacity(places.len() * places.len()),
                first: out.moved.len(),
                nodes: places.len(),
            };
            out.moved.resize(part.first + part.nodes, Vector3::zeros());
            for &place in &places {
                let unit = [(place, Matrix3::identity())];
                compliance.respond(index, &unit, &places, &mut response);
                part.compliance.extend_from_slice(&response);
            }
            for touch in list {
                let rows = touch.rows.iter().map(|(place, jacobian)| {
                    let node = places.partition_point(|other| other < place);
                    (index, node, *jacobian)
                });
                out.rows[touch.contact].extend(rows);
            }
            out.parts.push(part);
        }
        for contact in 0..nodes.contacts {
            if let Some(own) = out.block(contact, contact) {
                out.own[contact] = (own + own.transpose()) * 0.5;
            }
        }
        out
    }

    /// Block of `W` between two contacts, if they have a common part.
    fn block(&self, felt: usize, pushed: usize) -> Option<Matrix3<f64>> {
        let mut block = None;
        for (part, here, jacobian) in &self.rows[felt] {
            for (other, there, impulse) in &self.rows[pushed] {
                if part == other {
                    let c = self.parts[*part].between(*here, *there);
                    *block.get_or_insert_with(Matrix3::zeros) += jacobian * c * impulse.transpose();
                }
            }
        }
        block
    }
}

impl PartCompliance {
    fn between(&self, felt: usize, pushed: usize) -> &Matrix3<f64> {
        &self.compliance[pushed * self.nodes + felt]
    }
}

impl DelassusOperator for MatrixFree {
    fn load(&mut self, forces: &[Vector3<f64>]) {
        self.moved.fill(Vector3::zeros());
        for (contact, force) in forces.iter().enumerate() {
            self.change(contact, force);
        }
    }

    fn moved(&mut self) -> &mut Vec<Vector3<f64>> {
        &mut self.moved
    }

    fn displacement(&self, contact: usize) -> Vector3<f64> {
        let mut sum = Vector3::zeros();
        for (part, node, jacobian) in &self.rows[contact] {
            sum += jacobian * self.moved[self.parts[*part].first + node];
        }
        sum
    }

    fn own(&self, contact: usize) -> &Matrix3<f64> {
        &self.own[contact]
    }

    fn restrict(&self, contacts: &[u32], out: &mut BlockRows) {
        out.clear();
        for &felt in contacts {
            for (column, &pushed) in contacts.iter().enumerate() {
                if let Some(block) = self.block(felt as usize, pushed as usize) {
                    out.push(column, &block);
                }
            }
            out.end_row();
        }
    }

    fn change(&mut self, contact: usize, by: &Vector3<f64>) {
        if *by == Vector3::zeros() {
            return;
        }
        for (part, node, jacobian) in &self.rows[contact] {
            let impulse = jacobian.tr_mul(by);
            let part = &self.parts[*part];
            let column = &part.compliance[node * part.nodes..][..part.nodes];
            for (moved, c) in self.moved[part.first..].iter_mut().zip(column) {
                *moved += c * impulse;
            }
        }
    }
}
