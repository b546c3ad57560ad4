//! Positions and rotations of the copies of a body, identical on every machine.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::format::Copies;

/// Offset of copy `index` from the middle of the lowest layer (m).
pub(super) fn grid_offset(copies: &Copies, spacing: &Vector3<f64>, index: u32) -> Vector3<f64> {
    let [nx, ny] = copies.columns;
    let (column, layer) = (index % (nx * ny), index / (nx * ny));
    let cell = Vector3::new(
        f64::from(column % nx) - 0.5 * f64::from(nx - 1),
        f64::from(column / nx) - 0.5 * f64::from(ny - 1),
        f64::from(layer),
    );
    cell.component_mul(spacing)
}

/// SplitMix64 (Steele, Lea, Flood 2014, <https://doi.org/10.1145/2714064.2660195>). It uses integer operations only, so
/// every platform draws the same numbers.
#[derive(Debug, Clone)]
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[-1, 1)`.
    fn symmetric(&mut self) -> f64 {
        // The upper 53 bits are exact in a double.
        (self.next() >> 11) as f64 * (2.0 / (1u64 << 53) as f64) - 1.0
    }

    /// Uniform over all rotations: a unit quaternion by rejection from the cube. It needs no sine or cosine, whose last
    /// bits differ between platforms.
    pub(super) fn rotation(&mut self) -> UnitQuaternion<f64> {
        loop {
            let [w, i, j, k] = [(); 4].map(|()| self.symmetric());
            let square = w * w + i * i + j * j + k * k;
            if (0.01..=1.0).contains(&square) {
                return UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs of the reference implementation for the seed 1234567.
    #[test]
    fn splitmix_draws_the_published_numbers() {
        let mut random = SplitMix64::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    /// The mean of uniform rotations of a fixed vector is zero, and its mean square along an axis a third.
    #[test]
    fn rotations_prefer_no_direction() {
        let mut random = SplitMix64::new(7);
        let count = 20_000;
        let turned: Vec<_> = (0..count)
            .map(|_| random.rotation() * Vector3::z())
            .collect();
        let mean = turned.iter().sum::<Vector3<f64>>() / f64::from(count);
        let square = turned
            .iter()
            .map(|v| v.component_mul(v))
            .sum::<Vector3<f64>>()
            / f64::from(count);
        // Four standard deviations of both estimates.
        assert!(mean.amax() < 4.0 * (1.0 / 3.0 / f64::from(count)).sqrt());
        assert!(
            (square.add_scalar(-1.0 / 3.0)).amax() < 4.0 * (4.0 / 45.0 / f64::from(count)).sqrt()
        );
    }
}
