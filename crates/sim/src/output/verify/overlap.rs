//! Pairs of boxes that overlap, by sorting along one axis.

use nalgebra::Vector3;

/// The smallest box around some points (m).
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    lower: Vector3<f64>,
    upper: Vector3<f64>,
}

/// Around nothing.
impl Default for Bounds {
    fn default() -> Self {
        Self {
            lower: Vector3::repeat(f64::INFINITY),
            upper: Vector3::repeat(f64::NEG_INFINITY),
        }
    }
}

impl Bounds {
    /// The box of `points`, of which there is at least one.
    pub(super) fn around<'a>(points: impl IntoIterator<Item = &'a Vector3<f64>>) -> Self {
        points
            .into_iter()
            .fold(Self::default(), |bounds, point| Self {
                lower: bounds.lower.inf(point),
                upper: bounds.upper.sup(point),
            })
    }

    /// The box of both.
    pub(super) fn merged(self, other: Self) -> Self {
        Self {
            lower: self.lower.inf(&other.lower),
            upper: self.upper.sup(&other.upper),
        }
    }

    /// The box extended by `margin` on all sides (m).
    pub(super) fn grown(self, margin: f64) -> Self {
        Self {
            lower: self.lower.add_scalar(-margin),
            upper: self.upper.add_scalar(margin),
        }
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|axis| {
            self.lower[axis] <= other.upper[axis] && other.lower[axis] <= self.upper[axis]
        })
    }
}

/// Calls `take` once for every pair of a box of `first` and a box of `second` with a common point, by their indices.
pub(super) fn for_each_overlap(
    first: &[Bounds],
    second: &[Bounds],
    mut take: impl FnMut(usize, usize),
) {
    let all = || first.iter().chain(second);
    let lowest = all().fold(Vector3::repeat(f64::INFINITY), |low, bounds| {
        low.inf(&bounds.lower)
    });
    let highest = all().fold(Vector3::repeat(f64::NEG_INFINITY), |high, bounds| {
        high.sup(&bounds.lower)
    });
    let axis = (highest - lowest).imax();
    let sorted = |boxes: &[Bounds]| {
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        order.sort_unstable_by(|&a, &b| boxes[a].lower[axis].total_cmp(&boxes[b].lower[axis]));
        order
    };
    let (ahead, behind) = (sorted(first), sorted(second));
    // Of two overlapping boxes, one starts inside the other.
    let mut from = 0;
    for &i in &ahead {
        let begin = first[i].lower[axis];
        while from < behind.len() && second[behind[from]].lower[axis] < begin {
            from += 1;
        }
        for &j in &behind[from..] {
            if second[j].lower[axis] > first[i].upper[axis] {
                break;
            }
            if first[i].overlaps(&second[j]) {
                take(i, j);
            }
        }
    }
    let mut from = 0;
    for &j in &behind {
        let begin = second[j].lower[axis];
        while from < ahead.len() && first[ahead[from]].lower[axis] <= begin {
            from += 1;
        }
        for &i in &ahead[from..] {
            if first[i].lower[axis] > second[j].upper[axis] {
                break;
            }
            if first[i].overlaps(&second[j]) {
                take(i, j);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_overlap_is_found_once() {
        let mut state = 1u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            // Few distinct values, so that boxes start and end at the same place.
            ((state >> 40) % 16) as f64
        };
        let mut boxes = |count: usize| -> Vec<Bounds> {
            let mut corner = || Vector3::new(random(), random(), random());
            (0..count)
                .map(|_| Bounds::around(&[corner(), corner()]))
                .collect()
        };
        for _ in 0..20 {
            let (first, second) = (boxes(12), boxes(9));
            let mut found = Vec::new();
            for_each_overlap(&first, &second, |i, j| found.push((i, j)));
            let mut expected = Vec::new();
            for (i, a) in first.iter().enumerate() {
                for (j, b) in second.iter().enumerate() {
                    if a.overlaps(b) {
                        expected.push((i, j));
                    }
                }
            }
            found.sort_unstable();
            assert_eq!(found, expected);
        }
    }
}
