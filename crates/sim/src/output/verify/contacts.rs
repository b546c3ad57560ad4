//! Checks the contacts beside a frame against its contact forces.

use super::beside::read_beside;
use super::bodies::{FORCE_ROUNDING, UNIT_TOLERANCE};
use super::examine::{Examiner, Listed, Stamp, report};
use super::{Problem, Verification};
use crate::output::companions::Companion;
use crate::output::{Frame, FrameContacts, contacts, names};
use nalgebra::Vector3;

impl Examiner<'_> {
    /// Checks the contacts beside a frame, if the list has them.
    pub(super) fn contacts(&self, listed: Listed<'_>, frame: &Frame, result: &mut Verification) {
        let entry = listed.entry();
        let Some(checksum) = entry.contacts else {
            return;
        };
        let stamp = Stamp {
            file: Companion::Contacts.file(listed.index),
            time: Some(entry.time),
        };
        let (folder, checksum) = (listed.folder, Some(checksum));
        let Some(stored) = read_beside(folder, &stamp, checksum, contacts::decode, result) else {
            return;
        };
        if let Some(what) = self.misfit(&stored, frame) {
            report(result, &stamp, Problem::Disagrees(what));
        }
        result.contacts += stored.contacts.len();
    }

    /// How `stored` disagrees with `frame`, if it does.
    fn misfit(&self, stored: &FrameContacts, frame: &Frame) -> Option<String> {
        let half_spaces = self
            .manifest
            .map_or(&[][..], |manifest| &manifest.half_spaces);
        let planes = half_spaces
            .iter()
            .map(|plane| names::printable(&plane.name));
        if !frame
            .names
            .iter()
            .cloned()
            .chain(planes)
            .eq(stored.names.iter().cloned())
        {
            return Some("its names are not those of the frame and of the half-spaces".to_owned());
        }
        let bodies = frame.names.len();
        let (mut forces, mut sizes) = (vec![Vector3::zeros(); bodies], vec![0.0_f64; bodies]);
        for (index, contact) in stored.contacts.iter().enumerate() {
            let force = contact.normal_force + contact.friction_force;
            let numbers = (contact.place.iter())
                .chain(contact.slip.iter())
                .chain(force.iter())
                .chain([&contact.gap, &contact.friction]);
            let is_finite = numbers.copied().all(f64::is_finite);
            let is_unit = (contact.normal.norm() - 1.0).abs() <= UNIT_TOLERANCE;
            if !is_finite || !is_unit {
                return Some(format!(
                    "contact {index} has a number that is not finite, or a normal that is no unit vector"
                ));
            }
            for (body, sign) in contact.bodies.into_iter().zip([1.0, -1.0]) {
                // A half-space is no part of the frame.
                if let Some(sum) = forces.get_mut(body as usize) {
                    *sum += force * sign;
                    sizes[body as usize] += force.amax();
                }
            }
        }
        (0..bodies).find_map(|body| {
            let (sum, size) = self.bodies.contact_force(body as u32, frame);
            let allowed = FORCE_ROUNDING * (size + sizes[body]);
            let off = (forces[body] - sum).amax();
            (off.is_nan() || off > allowed).then(|| {
                format!(
                    "its forces on {} sum to {:?} N, those of the frame to {:?} N",
                    frame.names[body],
                    <[f64; 3]>::from(forces[body]),
                    <[f64; 3]>::from(sum)
                )
            })
        })
    }
}
