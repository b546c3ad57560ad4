//! Polynomials on an interval in Bernstein form, with integer coefficients, up to a positive factor.
//!
//! Only signs and roots are needed, so every operation may multiply all coefficients by the same positive number. This
//! keeps them integers.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Zero};

use crate::form::Form;

/// Coefficients `b_0 … b_n` of `Σ b_i C(n, i) (1 − τ)^(n−i) τ^i`, with `τ` from 0 to 1 along the interval.
#[derive(Clone, Debug)]
pub(crate) struct Bernstein(pub(crate) Vec<BigInt>);

/// Numbers of negative, zero and positive coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signs {
    pub(crate) negative: usize,
    pub(crate) zero: usize,
    pub(crate) positive: usize,
}

impl Bernstein {
    /// The polynomial over the whole step.
    pub(crate) fn of(form: &Form) -> Self {
        let n = form.degree();
        let common = common_multiple(n);
        Self(
            form.0
                .iter()
                .enumerate()
                .map(|(i, c)| c * (common / binomial(n, i)))
                .collect(),
        )
    }

    /// Coefficients in powers of `τ`, lowest first.
    pub(crate) fn to_powers(&self) -> Vec<BigInt> {
        let n = self.0.len() - 1;
        (0..=n)
            .map(|j| {
                let sum = (0..=j).fold(BigInt::zero(), |sum, i| {
                    let term = &self.0[i] * binomial(j, i);
                    if (j - i) % 2 == 0 {
                        sum + term
                    } else {
                        sum - term
                    }
                });
                sum * binomial(n, j)
            })
            .collect()
    }

    /// From coefficients in powers of `τ`, lowest first.
    pub(crate) fn from_powers(powers: &[BigInt]) -> Self {
        let n = powers.len() - 1;
        let common = common_multiple(n);
        Self(
            (0..=n)
                .map(|i| {
                    (0..=i).fold(BigInt::zero(), |sum, j| {
                        sum + &powers[j] * (binomial(i, j) * common / binomial(n, j))
                    })
                })
                .collect(),
        )
    }

    /// Value at the start of the interval, up to a positive factor; hence its sign.
    pub(crate) fn at_start(&self) -> Sign {
        self.0[0].sign()
    }

    /// Sign of the value at the end of the interval.
    pub(crate) fn at_end(&self) -> Sign {
        self.0[self.0.len() - 1].sign()
    }

    pub(crate) fn signs(&self) -> Signs {
        let mut signs = Signs {
            negative: 0,
            zero: 0,
            positive: 0,
        };
        for coefficient in &self.0 {
            match coefficient.sign() {
                Sign::Minus => signs.negative += 1,
                Sign::NoSign => signs.zero += 1,
                Sign::Plus => signs.positive += 1,
            }
        }
        signs
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.iter().all(Zero::is_zero)
    }

    /// Sign changes along the coefficients, without the zeros.
    ///
    /// At least the number of roots in the open interval, and of the same parity (Descartes).
    pub(crate) fn variations(&self) -> usize {
        let mut last = Sign::NoSign;
        let mut changes = 0;
        for sign in self.0.iter().map(BigInt::sign) {
            if sign != Sign::NoSign {
                changes += usize::from(last != Sign::NoSign && sign != last);
                last = sign;
            }
        }
        changes
    }

    /// Both halves of the interval.
    pub(crate) fn halves(&self) -> (Self, Self) {
        self.cut(&BigInt::one(), &BigInt::one())
    }

    /// The parts before and after `τ = before / (before + after)`, by de Casteljau's scheme.
    fn cut(&self, before: &BigInt, after: &BigInt) -> (Self, Self) {
        let n = self.0.len() - 1;
        let halving = before.is_one() && after.is_one();
        let total = before + after;
        let mut row = self.0.clone();
        let (mut left, mut right) = (vec![BigInt::zero(); n + 1], vec![BigInt::zero(); n + 1]);
        for step in 0..=n {
            // The row holds `total^step` times the values of the scheme.
            let missing = n - step;
            if halving {
                left[step] = &row[0] << missing;
                right[missing] = &row[missing] << missing;
            } else {
                let factor = total.pow(missing as u32);
                left[step] = &row[0] * &factor;
                right[missing] = &row[missing] * &factor;
            }
            for i in 0..missing {
                row[i] = if halving {
                    &row[i] + &row[i + 1]
                } else {
                    &row[i] * after + &row[i + 1] * before
                };
            }
        }
        (Self(left), Self(right))
    }

    /// The polynomial over `[from, to]` instead of `[0, 1]`; they may be equal.
    pub(crate) fn restricted(&self, from: f64, to: f64) -> Self {
        let ((from, from_exponent), (to, to_exponent)) = (dyadic(from), dyadic(to));
        let exponent = from_exponent.min(to_exponent).min(0);
        let over = |numerator: BigInt, own: i32| numerator << (own - exponent).unsigned_abs();
        let (from, to) = (over(from, from_exponent), over(to, to_exponent));
        let whole = BigInt::one() << exponent.unsigned_abs();
        let mut part = self.clone();
        if to != whole {
            part = part.cut(&to, &(whole - &to)).0;
        }
        if !from.is_zero() {
            part = part.cut(&from, &(to - &from)).1;
        }
        part
    }
}

/// A finite number as an integer times a power of two, the integer odd or zero.
pub(crate) fn dyadic(value: f64) -> (BigInt, i32) {
    let (mantissa, exponent, sign) = num_traits::float::FloatCore::integer_decode(value);
    if mantissa == 0 {
        return (BigInt::zero(), 0);
    }
    let shift = mantissa.trailing_zeros();
    (
        BigInt::from(mantissa >> shift) * sign,
        i32::from(exponent) + shift.cast_signed(),
    )
}

/// `C(n, k)`; the degrees here are small.
fn binomial(n: usize, k: usize) -> u64 {
    (1..=k.min(n - k) as u64).fold(1, |value, i| value * (n as u64 + 1 - i) / i)
}

/// Least common multiple of `C(n, 0) … C(n, n)`.
fn common_multiple(n: usize) -> u64 {
    (0..=n).fold(1, |multiple, k| multiple.lcm(&binomial(n, k)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(values: &[i64]) -> Vec<BigInt> {
        values.iter().map(|&v| BigInt::from(v)).collect()
    }

    /// Value at `τ`, up to the unknown positive factor, by floating-point arithmetic.
    fn value(polynomial: &Bernstein, tau: f64) -> f64 {
        let mut row: Vec<f64> = polynomial
            .0
            .iter()
            .map(|b| b.to_string().parse().expect("an integer is a number"))
            .collect();
        while row.len() > 1 {
            row = row
                .windows(2)
                .map(|pair| pair[0] * (1.0 - tau) + pair[1] * tau)
                .collect();
        }
        row[0]
    }

    #[test]
    fn powers_and_back_is_the_same_polynomial() {
        let powers = integers(&[-3, 5, 0, 7, -2, 1, 4]);
        let back = Bernstein::from_powers(&powers).to_powers();
        for (a, b) in powers.iter().zip(&back) {
            assert_eq!(a * &back[0], b * &powers[0]);
        }
    }

    #[test]
    fn a_restriction_has_the_values_of_the_whole() {
        let whole = Bernstein(integers(&[7, -3, 2, 11, -20]));
        let (from, to) = (0.125, 0.6875);
        let part = whole.restricted(from, to);
        let factor = value(&part, 0.5) / value(&whole, 0.5 * (from + to));
        assert!(factor > 0.0);
        for tau in [0.0, 0.2, 0.7, 1.0] {
            let expected = factor * value(&whole, from + tau * (to - from));
            assert!((value(&part, tau) - expected).abs() <= 1e-12 * factor * 20.0);
        }
        let point = whole.restricted(0.25, 0.25);
        assert_eq!(point.at_start(), point.at_end());
    }

    #[test]
    fn numbers_are_split_exactly() {
        assert_eq!(dyadic(-0.75), (BigInt::from(-3), -2));
        assert_eq!(dyadic(6.0), (BigInt::from(3), 1));
        assert_eq!(dyadic(f64::from_bits(1)), (BigInt::from(1), -1074));
        assert_eq!(dyadic(0.0), (BigInt::zero(), 0));
    }
}
