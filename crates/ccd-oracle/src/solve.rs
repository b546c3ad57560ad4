//! Whether polynomial conditions have a common solution in an interval.

use num_bigint::Sign;

use crate::algebraic;
use crate::constraint::{Constraint, Throughout};

/// Halvings of an interval before root isolation. No answer depends on it.
const DEPTH: u32 = 6;

/// Whether all constraints hold together at some time of the interval, with or without its end.
///
/// The set of such times must contain its infimum, except where a [`Constraint::Positive`] begins to hold; such an
/// infimum may be missed if it is no root of the other polynomials. See [`features`](crate::features) for why this
/// suffices.
pub(crate) fn solvable(constraints: Vec<Constraint>, end_included: bool) -> bool {
    search(constraints, end_included, DEPTH)
}

fn search(mut constraints: Vec<Constraint>, end_included: bool, depth: u32) -> bool {
    if constraints.iter().any(Constraint::fails_throughout) {
        return false;
    }
    constraints.retain(|constraint| constraint.throughout() == Throughout::Open);

    let at_start = |c: &Constraint| c.admits(c.polynomial().at_start());
    let at_end = |c: &Constraint| c.admits(c.polynomial().at_end());
    if constraints.iter().all(at_start) || (end_included && constraints.iter().all(at_end)) {
        return true;
    }
    match constraints.as_slice() {
        // A polynomial that is nowhere negative and not zero is positive somewhere in between.
        [Constraint::Positive(_)] => return true,
        // Its sign changes, so it has a zero in between.
        [Constraint::Zero(p)] if opposed(p.at_start(), p.at_end()) => return true,
        _ => {}
    }
    if depth == 0 {
        return algebraic::solvable_at_a_root(&constraints);
    }
    let (left, right) = constraints.iter().map(Constraint::halves).unzip();
    search(left, true, depth - 1) || search(right, end_included, depth - 1)
}

fn opposed(a: Sign, b: Sign) -> bool {
    a != Sign::NoSign && b == -a
}
