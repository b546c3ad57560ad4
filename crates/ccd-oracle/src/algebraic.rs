//! Signs of polynomials at the real roots of other polynomials.
//!
//! # Source
//! Root isolation by Descartes' rule in Bernstein form, as in Lane and Riesenfeld, "Bounds on a polynomial", 1981,
//! <https://doi.org/10.1007/BF01941796>.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{Signed, Zero};

use crate::bernstein::Bernstein;
use crate::constraint::Constraint;

/// Halvings before a search for repeated or common roots. No answer depends on it.
const PATIENCE: u32 = 24;

/// Whether all constraints hold at a root, inside the open interval, of one of the polynomials.
pub(crate) fn solvable_at_a_root(constraints: &[Constraint]) -> bool {
    let is_root = |constraint: &&Constraint| !constraint.polynomial().is_zero();
    let zero = constraints
        .iter()
        .filter(|constraint| matches!(constraint, Constraint::Zero(_)))
        .filter(is_root)
        .min_by_key(|constraint| constraint.polynomial().0.len());
    if let Some(zero) = zero {
        // All solutions are roots of this polynomial.
        return at_some_root(zero.polynomial(), constraints);
    }
    constraints
        .iter()
        // A [`Constraint::Positive`] never holds at a root of its own polynomial.
        .filter(|constraint| matches!(constraint, Constraint::NotNegative(_)))
        .filter(is_root)
        .any(|constraint| at_some_root(constraint.polynomial(), constraints))
}

/// Whether the constraints hold at a root of `polynomial` inside the open interval.
fn at_some_root(polynomial: &Bernstein, constraints: &[Constraint]) -> bool {
    at_each_root(polynomial, constraints, Some(PATIENCE)).unwrap_or_else(|| {
        let simple = Bernstein::from_powers(&without_repetition(&polynomial.to_powers()));
        at_each_root(&simple, constraints, None).unwrap_or(false)
    })
}

/// As [`at_some_root`]; `None` if an interval halved `patience` times may still have several roots.
///
/// A polynomial without repeated roots has at most one sign variation on a short enough interval, so for such a
/// polynomial the search ends without a limit.
fn at_each_root(
    polynomial: &Bernstein,
    constraints: &[Constraint],
    patience: Option<u32>,
) -> Option<bool> {
    match (polynomial.variations(), patience) {
        (0, _) => return Some(false),
        (1, _) => return Some(at_the_root(polynomial, constraints)),
        (_, Some(0)) => return None,
        _ => {}
    }
    let patience = patience.map(|patience| patience - 1);
    let (left, right) = polynomial.halves();
    let (left_constraints, right_constraints): (Vec<_>, Vec<_>) =
        constraints.iter().map(Constraint::halves).unzip();
    if right.at_start() == Sign::NoSign && hold_at_start(&right_constraints) {
        return Some(true);
    }
    let before = at_each_root(&left, &left_constraints, patience);
    if before == Some(true) {
        return before;
    }
    let after = at_each_root(&right, &right_constraints, patience);
    match (before, after) {
        (_, Some(true)) => after,
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

fn hold_at_start(constraints: &[Constraint]) -> bool {
    constraints
        .iter()
        .all(|c| c.admits(c.polynomial().at_start()))
}

/// Whether the constraints hold at the only root of `polynomial` inside the open interval, a simple one.
fn at_the_root(polynomial: &Bernstein, constraints: &[Constraint]) -> bool {
    let mut polynomial = polynomial.clone();
    let before = first_sign(&polynomial);
    let mut others = constraints.to_vec();
    for halvings in 0.. {
        if halvings == PATIENCE {
            // Some are likely zero at the root, which only a common factor can prove. The others are not zero there, so
            // on a short enough interval they keep their sign.
            let powers = polynomial.to_powers();
            let (zero, rest): (Vec<_>, Vec<_>) = others
                .into_iter()
                .partition(|constraint| shares_root(&powers, constraint));
            if !zero
                .iter()
                .all(|constraint| constraint.admits(Sign::NoSign))
            {
                return false;
            }
            others = rest;
        }
        let mut undecided = Vec::new();
        for constraint in others {
            let signs = constraint.polynomial().signs();
            let sign = match (signs.negative, signs.positive) {
                (0, 0) => Sign::NoSign,
                (0, _) => Sign::Plus,
                (_, 0) => Sign::Minus,
                _ => {
                    undecided.push(constraint);
                    continue;
                }
            };
            if !constraint.admits(sign) {
                return false;
            }
        }
        if undecided.is_empty() {
            return true;
        }
        let (left, right) = polynomial.halves();
        let (left_others, right_others): (Vec<_>, Vec<_>) =
            undecided.iter().map(Constraint::halves).unzip();
        (polynomial, others) = match right.at_start() {
            Sign::NoSign => return hold_at_start(&right_others),
            middle if middle == before => (right, right_others),
            _ => (left, left_others),
        };
    }
    unreachable!("the loop has no end but its returns")
}

/// Whether a constraint's polynomial is zero at the only root of `powers` inside the open interval.
///
/// A common factor has that root or none, so the parity of its variations decides.
fn shares_root(powers: &[BigInt], constraint: &Constraint) -> bool {
    let common = greatest_common_divisor(powers, &constraint.polynomial().to_powers());
    common.len() > 1 && Bernstein::from_powers(&common).variations() % 2 == 1
}

/// Sign just after the start of the interval.
fn first_sign(polynomial: &Bernstein) -> Sign {
    polynomial
        .0
        .iter()
        .map(BigInt::sign)
        .find(|&sign| sign != Sign::NoSign)
        .unwrap_or(Sign::NoSign)
}

/// The polynomial (powers, lowest first) with every root made simple.
fn without_repetition(powers: &[BigInt]) -> Vec<BigInt> {
    let powers = primitive(powers.to_vec());
    let derivative: Vec<BigInt> = (1_u32..).zip(&powers[1..]).map(|(k, c)| c * k).collect();
    let common = greatest_common_divisor(&powers, &derivative);
    if common.len() <= 1 {
        return powers;
    }
    // The division is exact. All signs of the quotient may change together, which moves no root.
    primitive(quotient(powers, &common))
}

/// Greatest common divisor up to a constant factor, by primitive pseudo-remainders; a constant if there is none.
fn greatest_common_divisor(a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
    let (mut a, mut b) = (primitive(a.to_vec()), primitive(b.to_vec()));
    if a.len() < b.len() {
        std::mem::swap(&mut a, &mut b);
    }
    while !b.is_empty() {
        let remainder = primitive(pseudo_remainder(a, &b));
        a = std::mem::replace(&mut b, remainder);
    }
    a
}

/// A nonzero multiple of `a` modulo `b`.
fn pseudo_remainder(mut a: Vec<BigInt>, b: &[BigInt]) -> Vec<BigInt> {
    let lead = &b[b.len() - 1];
    while a.len() >= b.len() {
        let (offset, top) = (a.len() - b.len(), a[a.len() - 1].clone());
        for coefficient in &mut a {
            *coefficient *= lead;
        }
        for (i, coefficient) in b.iter().enumerate() {
            a[offset + i] -= &top * coefficient;
        }
        trim(&mut a);
    }
    a
}

/// A nonzero multiple of `a / b`, which must leave no remainder.
fn quotient(mut a: Vec<BigInt>, b: &[BigInt]) -> Vec<BigInt> {
    let lead = &b[b.len() - 1];
    let mut quotient = vec![BigInt::zero(); a.len() + 1 - b.len()];
    while a.len() >= b.len() {
        let (offset, top) = (a.len() - b.len(), a[a.len() - 1].clone());
        for coefficient in a.iter_mut().chain(&mut quotient) {
            *coefficient *= lead;
        }
        quotient[offset] += &top;
        for (i, coefficient) in b.iter().enumerate() {
            a[offset + i] -= &top * coefficient;
        }
        trim(&mut a);
    }
    quotient
}

/// Without leading zeros and without a common factor of the coefficients; empty for the zero polynomial.
fn primitive(mut powers: Vec<BigInt>) -> Vec<BigInt> {
    trim(&mut powers);
    let content = powers
        .iter()
        .fold(BigInt::zero(), |content, c| content.gcd(c));
    if content.is_positive() {
        for coefficient in &mut powers {
            *coefficient /= &content;
        }
    }
    powers
}

fn trim(powers: &mut Vec<BigInt>) {
    while powers.last().is_some_and(Zero::is_zero) {
        powers.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(values: &[i64]) -> Vec<BigInt> {
        values.iter().map(|&v| BigInt::from(v)).collect()
    }

    fn product(a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
        let mut product = vec![BigInt::zero(); a.len() + b.len() - 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                product[i + j] += x * y;
            }
        }
        product
    }

    #[test]
    fn common_divisors_are_found_up_to_a_constant() {
        let (f, g, h) = (
            integers(&[-1, 3]),
            integers(&[2, 0, 5]),
            integers(&[7, -2, 1]),
        );
        let common = greatest_common_divisor(&product(&f, &g), &product(&f, &h));
        assert_eq!(common.len(), 2);
        assert_eq!(&common[0] * 3, &common[1] * -1);
        assert_eq!(greatest_common_divisor(&g, &h).len(), 1);
    }

    #[test]
    fn repeated_roots_become_simple() {
        let f = integers(&[-1, 3]);
        let g = integers(&[2, 0, 5]);
        let simple = without_repetition(&product(&product(&f, &f), &g));
        assert_eq!(simple.len(), 4);
        assert_eq!(simple.len(), without_repetition(&product(&f, &g)).len());
    }

    #[test]
    fn a_double_root_between_dyadic_numbers_is_a_solution() {
        // −(3τ − 1)² ≥ 0 only at 1/3, where 1 − 3τ ≥ 0 holds and 2 − 7τ ≥ 0 does not.
        let square = Bernstein::from_powers(&integers(&[-1, 6, -9]));
        let touching = Bernstein::from_powers(&integers(&[1, -3]));
        let failing = Bernstein::from_powers(&integers(&[2, -7]));
        let holds = |other: &Bernstein| {
            solvable_at_a_root(&[
                Constraint::NotNegative(square.clone()),
                Constraint::NotNegative(other.clone()),
            ])
        };
        assert!(holds(&touching));
        assert!(!holds(&failing));
    }
}
