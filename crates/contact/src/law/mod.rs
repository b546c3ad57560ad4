//! Laws of contact and friction for one contact.

pub(crate) mod coulomb;
