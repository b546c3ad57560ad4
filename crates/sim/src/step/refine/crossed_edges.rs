//! Test helpers: two crossed edges, and a contact between them.

use crate::contacts::contact::{Contact, ContactKey};
use nalgebra::Vector3;

/// Two edges that cross at the origin, the first along x and `height` above the second, which is along y.
pub(crate) fn crossed(height: f64) -> [Vector3<f64>; 4] {
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z() * height);
    [z - x, z + x, -y, y]
}

/// A contact of these edges, with a normal tilted (rad) from the vertical along x.
pub(crate) fn contact(first: u32, second: u32, tilt: f64) -> Contact {
    let normal = Vector3::new(tilt.sin(), 0.0, tilt.cos());
    let key = ContactKey::EdgeEdge { first, second };
    let mut contact = Contact::bare(key, &[0, 1, 2, 3], normal);
    contact.weights = [0.5, 0.5, -0.5, -0.5];
    contact
}
