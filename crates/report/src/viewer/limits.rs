//! Extent of a film in space, and the ranges of its colours.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::shot::{NO_ELEMENTS, Shot};

/// Part of all values that is within the range of colours. A few values at sharp corners and impacts, far above all
/// others, would leave no colours for the rest.
const SHOWN: f64 = 0.99;

/// Classes of values per factor of two: the end of the colours is exact to 5 %.
const CLASSES: f32 = 16.0;

/// Smallest deviation from 1 at the ends of the range of volume ratios: without deformation they differ from 1 by
/// rounding only.
const LEAST_DEVIATION: f32 = 1e-3;

/// The values that colours and arrows scale with, over all shots.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Limits {
    /// Corners of the box around all positions (m).
    pub(crate) low: Vector3<f64>,
    pub(crate) high: Vector3<f64>,
    /// Von Mises stress (Pa).
    stress: Spread,
    /// Contact force on a node (N).
    force: Spread,
    /// Deviation of the volume ratio from 1.
    deviation: Spread,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            low: Vector3::repeat(f64::INFINITY),
            high: Vector3::repeat(f64::NEG_INFINITY),
            stress: Spread::default(),
            force: Spread::default(),
            deviation: Spread::default(),
        }
    }
}

impl Limits {
    /// Extends the limits to the values of `shot`.
    pub(crate) fn include(&mut self, shot: &Shot) {
        for &position in shot.positions.iter().chain(&shot.lines) {
            let position = Vector3::from(position).map(f64::from);
            self.low = self.low.inf(&position);
            self.high = self.high.sup(&position);
        }
        let within = |values: &[f32]| -> Vec<f32> {
            let known = values.iter().filter(|&&value| value > NO_ELEMENTS);
            known.copied().collect()
        };
        self.stress.include(within(&shot.stress));
        let ratios = within(&shot.ratio).into_iter();
        self.deviation
            .include(ratios.map(|ratio| (ratio - 1.0).abs()));
        let forces = shot.forces.iter();
        self.force
            .include(forces.map(|(_, force)| Vector3::from(*force).norm()));
    }

    /// Von Mises stress (Pa): end of the colours, and largest value.
    pub(crate) fn stress(&self) -> [f32; 2] {
        self.stress.ends()
    }

    /// Contact force on a node (N): end of the colours, and largest value.
    pub(crate) fn force(&self) -> [f32; 2] {
        self.force.ends()
    }

    /// Deviation of the volume ratio from 1: at the ends of the colours, and the largest.
    pub(crate) fn deviation(&self) -> [f32; 2] {
        self.deviation.ends().map(|end| end.max(LEAST_DEVIATION))
    }

    /// The eight corners of the box.
    pub(crate) fn corners(&self) -> [Vector3<f64>; 8] {
        std::array::from_fn(|corner| {
            Vector3::from_fn(|axis, _| {
                let end = if corner >> axis & 1 == 0 {
                    self.low
                } else {
                    self.high
                };
                end[axis]
            })
        })
    }
}

/// The positive values of a quantity, counted in classes.
#[derive(Debug, Clone, Default, PartialEq)]
struct Spread {
    counts: BTreeMap<i32, u64>,
    most: f32,
}

impl Spread {
    fn include(&mut self, values: impl IntoIterator<Item = f32>) {
        let values = values.into_iter();
        for value in values.filter(|value| value.is_finite() && *value > 0.0) {
            self.most = self.most.max(value);
            *self
                .counts
                .entry((value.log2() * CLASSES).floor() as i32)
                .or_default() += 1;
        }
    }

    /// End of the colours, and largest value.
    fn ends(&self) -> [f32; 2] {
        let all: u64 = self.counts.values().sum();
        let mut below = 0;
        let class = self.counts.iter().find(|(_, count)| {
            below += **count;
            below as f64 >= SHOWN * all as f64
        });
        let end = class.map_or(0.0, |(&class, _)| ((class + 1) as f32 / CLASSES).exp2());
        [end.min(self.most), self.most]
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn a_few_large_values_do_not_stretch_the_colours() {
        let mut spread = Spread::default();
        spread.include((0..199).map(|_| 1.0).chain([100.0, f32::NAN, 0.0]));
        let [end, most] = spread.ends();
        assert!((1.0..1.05).contains(&end), "{end}");
        assert_eq!(most.to_bits(), 100_f32.to_bits());
        assert!(
            Spread::default()
                .ends()
                .iter()
                .all(|end| end.abs() < f32::MIN_POSITIVE)
        );
    }
}
