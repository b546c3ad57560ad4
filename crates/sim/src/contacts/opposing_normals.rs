//! Pairs that touch at the same place with opposite normals.
//!
//! A vertex that has slid past a side of a face may approach the plane of the face from behind, while a contact with
//! the edge at that side has the right normal. A row for each clamps the same points: forces become large, and no
//! solution satisfies both gaps. Both gaps are nearly one vector, measured along opposite normals, so one pair starts
//! behind its own normal. The normal of that pair is flipped; if the pair were dropped, it would collide again. Rows
//! change from round to round, so every solve checks this first. Without this rule the coarse armadillo between rollers
//! takes two and a half times the iterations in steps of 10 ms, and many steps are divided.

use crate::contacts::conflict::row_cosine;
use crate::contacts::{
    contact::{Contact, ContactKey},
    linearise::{IN_FRONT, closest_direction},
};
use impinge_contact::{Multipliers, frame::ContactFrame};
use nalgebra::Vector3;

/// Cosine below which two rows or two normals are opposite (1), -0.95 to -0.8: points between them are clamped rather
/// than pushed aside.
pub(crate) const OPPOSITE: f64 = -0.9;

/// Flips the normal of every pair that starts the step behind it while another pair has the opposite row. `positions`
/// (m) are those at the start. The flipped pair loses its force; the other one keeps the difference of both.
pub(crate) fn turn_opposed(contacts: &mut [Contact], positions: &[Vector3<f64>]) {
    let is_pair = |contact: &Contact| !matches!(contact.key, ContactKey::VertexHalfSpace { .. });
    let behind: Vec<usize> = (0..contacts.len())
        .filter(|&index| is_pair(&contacts[index]) && starts_behind(&contacts[index], positions))
        .collect();
    if behind.is_empty() {
        return;
    }
    let pairs = (contacts.iter().enumerate()).filter(|(_, contact)| is_pair(contact));
    let mut by_dominant: Vec<(u32, usize)> = pairs
        .map(|(index, contact)| (dominant(contact), index))
        .collect();
    by_dominant.sort_unstable();
    for turned in behind {
        let one = &contacts[turned];
        let at_its_points = one.stencil().iter().flat_map(|&point| {
            let first = by_dominant.partition_point(|entry| entry.0 < point);
            (by_dominant[first..].iter()).take_while(move |entry| entry.0 == point)
        });
        let ahead = at_its_points
            .map(|&(_, other)| other)
            .filter(|&other| contacts[other].distance > one.distance)
            .find(|&other| are_opposed(one, &contacts[other]));
        if let Some(ahead) = ahead {
            let lambda = one.multipliers.lambda;
            let left = &mut contacts[ahead].multipliers;
            left.lambda = (left.lambda - lambda).max(0.0);
            left.previous_lambda = left.lambda;
            turn_round(&mut contacts[turned], positions);
        }
    }
}

/// Whether a pair starts behind its normal by its row, and is not in front of it by its closest points. A vertex in a
/// narrow crease is in front of both walls, although a row linearised elsewhere may say otherwise.
fn starts_behind(contact: &Contact, positions: &[Vector3<f64>]) -> bool {
    contact.distance < 0.0
        && closest_direction(contact.key, &contact.gather(positions))
            .is_some_and(|apart| apart.dot(&contact.frame.normal) < IN_FRONT)
}

fn are_opposed(one: &Contact, other: &Contact) -> bool {
    // A cheap test first: the cosine of two rows never exceeds the cosine of their normals in size.
    one.frame.normal.dot(&other.frame.normal).abs() > -OPPOSITE && row_cosine(one, other) < OPPOSITE
}

/// The point with the largest weight; an opposite row acts on it too.
fn dominant(contact: &Contact) -> u32 {
    let points = contact.stencil().iter().zip(&contact.weights);
    let largest = points.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
    largest.map_or(contact.points[0], |(&point, _)| point)
}

fn turn_round(contact: &mut Contact, positions: &[Vector3<f64>]) {
    contact.frame = ContactFrame::around(-contact.frame.normal);
    contact.distance = -contact.distance;
    contact.multipliers = Multipliers::default();
    contact.anchored = false;
    contact.drop_anchor(&contact.gather(positions));
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_contact::ContactState;

    /// Point 0 beside the side from 1 to 2 of a face whose third corner is 3, and 4 at the other end of an edge from 0.
    const AT: [[f64; 3]; 5] = [
        [0.4, -1e-4, -8e-6],
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.4, -1.0, -0.2],
    ];

    fn pushing(
        key: ContactKey,
        points: &[u32],
        weights: [f64; 4],
        normal: Vector3<f64>,
        lambda: f64,
    ) -> Contact {
        let mut contact = Contact::bare(key, points, normal);
        contact.weights = weights;
        contact.multipliers.state = ContactState::Sticking;
        contact.multipliers.lambda = lambda;
        let corners = contact.gather(&AT.map(Vector3::from));
        contact.distance = normal.dot(&contact.gap_vector(&corners));
        contact
    }

    fn face(normal: Vector3<f64>, lambda: f64) -> Contact {
        let key = ContactKey::VertexFace { vertex: 0, face: 5 };
        pushing(key, &[0, 1, 2, 3], [1.0, -0.6, -0.4, 0.0], normal, lambda)
    }

    fn edges(normal: Vector3<f64>, lambda: f64) -> Contact {
        let key = ContactKey::EdgeEdge {
            first: 6,
            second: 7,
        };
        let weights = [0.999, 0.001, -0.6, -0.4];
        pushing(key, &[0, 4, 1, 2], weights, normal, lambda)
    }

    #[test]
    fn a_contact_behind_its_normal_is_flipped_without_its_force() {
        let up = Vector3::z();
        let tilted = Vector3::new(0.1, 0.0, -1.0).normalize();
        for turned_first in [true, false] {
            let mut contacts = [face(up, 540.0), edges(tilted, 515.0)];
            if !turned_first {
                contacts.reverse();
            }
            turn_opposed(&mut contacts, &AT.map(Vector3::from));
            if !turned_first {
                contacts.reverse();
            }
            let [face, edges] = contacts;
            assert_eq!(face.frame.normal, -up);
            assert!((face.distance - 8e-6).abs() < 1e-18, "{}", face.distance);
            assert_eq!(face.multipliers, Multipliers::default());
            assert_eq!(edges.frame.normal, tilted);
            assert!(edges.multipliers.lambda.abs() < 1e-12, "515 N less 540 N");
        }
    }

    /// A vertex beside a side. The direction to its closest point is more lateral than normal, so that only the edges
    /// there determine its side of the face. With friction, two clamping rows would leave the solver without a
    /// solution.
    #[test]
    fn a_face_does_not_decide_for_points_beside_it() {
        let at = [
            [-0.036_330_096, 0.080_282_584, 0.046_546_901],
            [-0.030_239_279, 0.093_005_790, 0.044_414_224],
            [-0.038_982_494, 0.074_723_642, 0.047_479_149],
            [-0.013_090_790, 0.085_728_801, 0.050_653_425],
            [-0.010_537_855, 0.083_296_750, 0.041_737_844],
        ]
        .map(Vector3::from);
        let normal = Vector3::new(-0.224_081_33, 0.277_702_95, 0.934_167_35);
        let mut beside = face(normal, 0.0);
        beside.weights = [1.0, -0.318_019_76, -0.681_738_2, -0.000_242_04];
        beside.distance = normal.dot(&beside.gap_vector(&beside.gather(&at)));
        assert!(beside.distance < 0.0, "{}", beside.distance);
        let down = Vector3::new(-0.147_085_9, -0.094_718_36, -0.984_578_17);
        let mut crossing = edges(down, 5.0);
        crossing.weights = [1.0, 0.0, -0.320_195_89, -0.679_804_11];
        crossing.distance = 1.2e-6;
        let before = [beside, crossing];
        let mut contacts = before;
        turn_opposed(&mut contacts, &at);
        assert_eq!(contacts[0].frame.normal, -normal);
        assert_eq!(contacts[0].distance.to_bits(), (-beside.distance).to_bits());
        assert!(
            (contacts[1].multipliers.lambda - 5.0).abs() < 1e-12,
            "the other had none"
        );
    }

    /// A vertex in a narrow crease is in front of both walls. The row of one wall was linearised before the vertex
    /// slid.
    #[test]
    fn the_walls_of_a_crease_stay() {
        let mut at = AT;
        at[0] = [0.4, 0.2, 1e-5];
        let positions = at.map(Vector3::from);
        let mut stale = face(Vector3::z(), 10.0);
        stale.distance = -1e-5;
        let before = [stale, edges(-Vector3::z(), 10.0)];
        let mut contacts = before;
        assert!(are_opposed(&contacts[0], &contacts[1]));
        turn_opposed(&mut contacts, &positions);
        assert_eq!(contacts, before);
    }

    #[test]
    fn pairs_that_agree_or_are_pressed_from_two_sides_stay() {
        let up = Vector3::z();
        let across = Vector3::new(1.0, 0.0, 0.4).normalize();
        for others in [
            edges(up, 1.0),
            edges(-across, 1.0),
            // Another face, on the other side of the vertex.
            pushing(
                ContactKey::VertexFace { vertex: 0, face: 9 },
                &[0, 2, 3, 4],
                [1.0, 0.0, -0.5, -0.5],
                -up,
                1.0,
            ),
        ] {
            let before = [face(up, 1.0), others];
            let mut contacts = before;
            turn_opposed(&mut contacts, &AT.map(Vector3::from));
            assert_eq!(contacts, before);
        }
    }
}
