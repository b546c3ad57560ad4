//! Polynomials in time as homogeneous forms `Σ c_i (1 − t)^(n−i) t^i`; their products are convolutions.

use num_bigint::BigInt;
use num_traits::Zero;

/// Coefficients `c_0 … c_n`; a form of degree `n` has `n + 1` of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form(pub(crate) Vec<BigInt>);

/// A vector of forms.
pub(crate) type Form3 = [Form; 3];

impl Form {
    /// The linear motion from `start` to `end`.
    pub(crate) fn linear(start: &BigInt, end: &BigInt) -> Self {
        Self(vec![start.clone(), end.clone()])
    }

    /// The constant `value` as a form of degree zero.
    pub(crate) fn constant(value: BigInt) -> Self {
        Self(vec![value])
    }

    pub(crate) fn degree(&self) -> usize {
        self.0.len() - 1
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = vec![BigInt::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Self(product)
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let degree = self.degree().max(other.degree());
        let (a, b) = (self.raised(degree), other.raised(degree));
        Self(a.0.into_iter().zip(b.0).map(|(a, b)| a + b).collect())
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        let degree = self.degree().max(other.degree());
        let (a, b) = (self.raised(degree), other.raised(degree));
        Self(a.0.into_iter().zip(b.0).map(|(a, b)| a - b).collect())
    }

    /// The same polynomial as a form of a higher degree: multiplied by powers of `(1 − t) + t = 1`.
    fn raised(&self, degree: usize) -> Self {
        let one = Self(vec![BigInt::from(1), BigInt::from(1)]);
        (self.degree()..degree).fold(self.clone(), |form, _| form.times(&one))
    }
}

pub(crate) fn dot(a: &Form3, b: &Form3) -> Form {
    a[0].times(&b[0])
        .plus(&a[1].times(&b[1]))
        .plus(&a[2].times(&b[2]))
}

pub(crate) fn cross(a: &Form3, b: &Form3) -> Form3 {
    std::array::from_fn(|c| {
        let (i, j) = ((c + 1) % 3, (c + 2) % 3);
        a[i].times(&b[j]).minus(&a[j].times(&b[i]))
    })
}

pub(crate) fn difference(a: &Form3, b: &Form3) -> Form3 {
    std::array::from_fn(|c| a[c].minus(&b[c]))
}
