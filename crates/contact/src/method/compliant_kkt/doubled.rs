//! Sums of products in about twice the working precision, for residuals of iterative refinement.

/// `s + e` with `s = a + b` rounded: the error of an addition (Knuth).
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// Upper and lower half of the bits of a number (Dekker).
#[inline]
fn split(a: f64) -> (f64, f64) {
    // 2²⁷ + 1.
    let scaled = 134_217_729.0 * a;
    let high = scaled - (scaled - a);
    (high, a - high)
}

/// A running sum with its rounding error.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Doubled {
    high: f64,
    low: f64,
}

impl Doubled {
    pub(super) fn new(value: f64) -> Self {
        Self {
            high: value,
            low: 0.0,
        }
    }

    /// Adds `a b`, its own rounding error included. Exact halves need `|a|, |b| < 1e290`.
    #[inline]
    pub(super) fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        let ((ah, al), (bh, bl)) = (split(a), split(b));
        let error = ((ah * bh - product) + ah * bl + al * bh) + al * bl;
        let (sum, lost) = two_sum(self.high, product);
        self.high = sum;
        self.low += lost + error;
    }

    pub(super) fn value(self) -> f64 {
        self.high + self.low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelled_digits_are_kept() {
        let mut sum = Doubled::new(1.0);
        sum.add_product(1e16, 3.0);
        sum.add_product(-3e16, 1.0);
        assert_eq!(sum.value().to_bits(), 1.0_f64.to_bits());
        // (1 + ε)² = 1 + 2ε + ε²: the last term is below the precision of the product.
        let a = 1.0 + f64::EPSILON;
        let mut square = Doubled::new(-1.0 - 2.0 * f64::EPSILON);
        square.add_product(a, a);
        let expected = f64::EPSILON * f64::EPSILON;
        assert_eq!(square.value().to_bits(), expected.to_bits());
    }
}
