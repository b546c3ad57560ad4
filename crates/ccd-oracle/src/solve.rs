//! Whether polynomial conditions have a common solution in an interval.

use num_bigint::Sign;

use crate::algebraic;
use crate::bernstein::Bernstein;

/// A condition on time.
#[derive(Clone, Debug)]
pub(crate) enum Constraint {
    /// The polynomial vanishes.
    Zero(Bernstein),
    /// It is not negative.
    NotNegative(Bernstein),
    /// It is positive; only for polynomials that are nowhere negative.
    Positive(Bernstein),
}

/// Result of the Bernstein coefficients for a whole closed interval.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Throughout {
    Holds,
    Fails,
    Open,
}

impl Constraint {
    pub(crate) fn polynomial(&self) -> &Bernstein {
        match self {
            Self::Zero(p) | Self::NotNegative(p) | Self::Positive(p) => p,
        }
    }

    pub(crate) fn map(&self, change: impl FnOnce(&Bernstein) -> Bernstein) -> Self {
        match self {
            Self::Zero(p) => Self::Zero(change(p)),
            Self::NotNegative(p) => Self::NotNegative(change(p)),
            Self::Positive(p) => Self::Positive(change(p)),
        }
    }

    pub(crate) fn halves(&self) -> (Self, Self) {
        let (left, right) = self.polynomial().halves();
        (self.map(|_| left), self.map(|_| right))
    }

    /// Whether the condition holds if its polynomial has this sign.
    pub(crate) fn admits(&self, sign: Sign) -> bool {
        match self {
            Self::Zero(_) => sign == Sign::NoSign,
            Self::NotNegative(_) => sign != Sign::Minus,
            Self::Positive(_) => sign == Sign::Plus,
        }
    }

    pub(crate) fn fails_throughout(&self) -> bool {
        self.throughout() == Throughout::Fails
    }

    fn throughout(&self) -> Throughout {
        // A polynomial lies in the hull of its Bernstein coefficients.
        let signs = self.polynomial().signs();
        let (holds, fails) = match self {
            Self::Zero(_) => (
                signs.negative + signs.positive == 0,
                signs.zero + signs.positive == 0 || signs.zero + signs.negative == 0,
            ),
            Self::NotNegative(_) => (signs.negative == 0, signs.zero + signs.positive == 0),
            Self::Positive(_) => (
                signs.negative + signs.zero == 0,
                signs.negative + signs.positive == 0,
            ),
        };
        match (holds, fails) {
            (true, _) => Throughout::Holds,
            (_, true) => Throughout::Fails,
            _ => Throughout::Open,
        }
    }
}

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
