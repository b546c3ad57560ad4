//! Contacts built exactly.

use impinge_geometry::ccd::{CcdRule, Toi, edge_edge, vertex_face};
use nalgebra::Vector3;
use proptest::prelude::*;

use super::Query;

/// A quarter-integer point: sums and products of a few such numbers are exact.
fn exact_point() -> impl Strategy<Value = Vector3<f64>> {
    prop_oneof![
        prop::array::uniform3((-64..64).prop_map(|i| f64::from(i) / 4.0)),
        // Few values, so that parallel edges and collapsed triangles are common.
        prop::array::uniform3((-1..=1).prop_map(f64::from)),
    ]
    .prop_map(Vector3::from)
}

/// Weights in eighths that sum to one.
fn exact_weights() -> impl Strategy<Value = [f64; 3]> {
    (0..=8_i32, 0..=8_i32).prop_map(|(i, j)| {
        let (i, j) = (i.min(j), i.max(j));
        [i, j - i, 8 - j].map(|k| f64::from(k) / 8.0)
    })
}

/// Four moving corners that touch exactly at `time`; every number is exact.
#[derive(Clone, Debug)]
struct Contact {
    start: [Vector3<f64>; 4],
    end: [Vector3<f64>; 4],
    time: f64,
}

impl Contact {
    /// Completes three free motions by the first corner, which must be at `place` at `time`.
    fn complete(
        first: Vector3<f64>,
        start: [Vector3<f64>; 3],
        at_contact: [Vector3<f64>; 3],
        place: Vector3<f64>,
        time: f64,
    ) -> Self {
        let end = |from: Vector3<f64>, at: Vector3<f64>| from + (at - from) / time;
        Self {
            start: [first, start[0], start[1], start[2]],
            end: [
                end(first, place),
                end(start[0], at_contact[0]),
                end(start[1], at_contact[1]),
                end(start[2], at_contact[2]),
            ],
            time,
        }
    }

    fn map(&self, change: impl Fn(Vector3<f64>) -> Vector3<f64>) -> Self {
        Self {
            start: self.start.map(&change),
            end: self.end.map(&change),
            time: self.time,
        }
    }

    fn reordered(&self, order: [usize; 4]) -> Self {
        Self {
            start: order.map(|k| self.start[k]),
            end: order.map(|k| self.end[k]),
            time: self.time,
        }
    }

    fn check(&self, query: Query) -> Result<(), TestCaseError> {
        match query(&self.start, &self.end, &CcdRule::default()) {
            Toi::Separated => prop_assert!(false, "missed"),
            Toi::Impact { time, .. } => prop_assert!((0.0..=self.time).contains(&time)),
        }
        Ok(())
    }
}

/// A first corner, the other three at the start and at the contact, and its time.
type ContactParts = (Vector3<f64>, [Vector3<f64>; 3], [Vector3<f64>; 3], f64);

fn contact_parts() -> impl Strategy<Value = ContactParts> {
    (
        exact_point(),
        prop::array::uniform3(exact_point()),
        prop::array::uniform3(exact_point()),
        prop::sample::select(vec![1.0, 0.5, 0.25, 0.125]),
    )
}

fn vertex_face_contact() -> impl Strategy<Value = Contact> {
    (contact_parts(), exact_weights()).prop_map(|((p, start, at, time), w)| {
        let place = at[0] * w[0] + at[1] * w[1] + at[2] * w[2];
        Contact::complete(p, start, at, place, time)
    })
}

fn edge_edge_contact() -> impl Strategy<Value = Contact> {
    // a0 + s (a1 − a0) = q solved for a0, with 1 − s a power of two.
    let parameter = prop::sample::select(vec![0.0, 0.5, 0.75, 0.875]);
    (contact_parts(), exact_weights(), parameter).prop_map(|((a0, start, at, time), w, s)| {
        let q = at[1] * (w[0] + w[1]) + at[2] * w[2];
        let place = (q - at[0] * s) / (1.0 - s);
        Contact::complete(a0, start, at, place, time)
    })
}

/// Changes that keep all numbers exact: with a shift of 2⁴⁰ only the last bits hold the differences.
fn exact_changes() -> impl Strategy<Value = (f64, i32)> {
    (
        prop::sample::select(vec![0.0, 1.0, 1024.0, 1_099_511_627_776.0]),
        -40..40,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn exact_vertex_face_contacts_are_found(contact in vertex_face_contact(), (shift, power) in exact_changes()) {
        let moved = contact
            .map(|p| (p + Vector3::new(shift, -shift, shift)) * 2_f64.powi(power));
        for order in [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 2, 1]] {
            contact.reordered(order).check(vertex_face)?;
            moved.reordered(order).check(vertex_face)?;
        }
    }

    #[test]
    fn exact_edge_edge_contacts_are_found(contact in edge_edge_contact(), (shift, power) in exact_changes()) {
        let moved = contact
            .map(|p| (p + Vector3::new(shift, -shift, shift)) * 2_f64.powi(power));
        for order in [[0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 3, 2], [2, 3, 0, 1]] {
            contact.reordered(order).check(edge_edge)?;
            moved.reordered(order).check(edge_edge)?;
        }
    }
}
