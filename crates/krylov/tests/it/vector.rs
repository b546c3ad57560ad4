//! Reductions and updates.

use impinge_krylov::vector::{advance, axpy, dot, dot_pair, norm_squared, xpby};
use proptest::prelude::*;

use crate::common::{Numbers, ROUNDING, same_on_all_pools};

proptest! {
    #[test]
    fn dot_is_the_sum_of_products(length in 0_usize..5000, seed in any::<u64>()) {
        let mut numbers = Numbers::new(seed);
        let (a, b) = (numbers.vector(length), numbers.vector(length));
        let expected: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        prop_assert!((dot(&a, &b) - expected).abs() < ROUNDING * (1.0 + length as f64));
    }

    #[test]
    fn fused_kernels_have_the_bits_of_the_plain_ones(length in 0_usize..5000, seed in any::<u64>()) {
        let mut numbers = Numbers::new(seed);
        let [a, b, c, d] = [(); 4].map(|()| numbers.vector(length));
        let pair = dot_pair(&a, &b, &c);
        prop_assert_eq!(pair.0.to_bits(), dot(&a, &b).to_bits());
        prop_assert_eq!(pair.1.to_bits(), dot(&a, &c).to_bits());

        let (mut x, mut r) = (c.clone(), d.clone());
        let squared = advance(0.3, &a, &b, &mut x, &mut r);
        let (mut x_plain, mut r_plain) = (c, d);
        axpy(0.3, &a, &mut x_plain);
        axpy(-0.3, &b, &mut r_plain);
        prop_assert_eq!(x, x_plain);
        prop_assert_eq!(squared.to_bits(), norm_squared(&r).to_bits());
        prop_assert_eq!(r, r_plain);
    }
}

#[test]
fn long_vectors_have_the_same_bits_on_all_pools() {
    let mut numbers = Numbers::new(3);
    let length = 1_234_567;
    let [a, b, c] = [(); 3].map(|()| numbers.vector(length));
    same_on_all_pools(|| {
        let (mut x, mut r) = (a.clone(), b.clone());
        let squared = advance(0.7, &c, &a, &mut x, &mut r);
        xpby(&c, 0.1, &mut x);
        axpy(0.2, &b, &mut r);
        let pair = dot_pair(&a, &b, &c);
        let mut bits = vec![squared, dot(&a, &b), pair.0, pair.1];
        bits.extend(x);
        bits.extend(r);
        bits
    });
}
