//! A polynomial condition on time.

use num_bigint::Sign;

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
pub(crate) enum Throughout {
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

    pub(crate) fn throughout(&self) -> Throughout {
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
