//! Extrapolation factor of the prediction steps.

/// Estimate of the least curvature over the least one that a step met (1): a step mixes curvatures. Values from 0.18 to
/// 0.25 serve; larger ones slow down large piles.
const SHARE_OF_LEAST: f64 = 0.2;

/// `β` of `y⁺ = v⁺ + β (v⁺ − v)`.
///
/// Nesterov's `β` grows towards 1 and overshoots beyond the value that suits the problem. With curvatures between `μ`
/// and `ℓ` the best constant is `(1 − √(μ/ℓ)) / (1 + √(μ/ℓ))` (Nesterov, *Introductory Lectures on Convex
/// Optimization*, 2004, 2.2.1), so growth ends there. `μ` is unknown, but no step has a smaller curvature.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extrapolation {
    /// `β` of the next step.
    pub(super) beta: f64,
    /// Nesterov's `t`.
    inertia: f64,
    least_curvature: f64,
}

impl Default for Extrapolation {
    fn default() -> Self {
        Self {
            beta: 0.0,
            inertia: 1.0,
            least_curvature: f64::INFINITY,
        }
    }
}

impl Extrapolation {
    /// Takes a step with `curvature` into account. Steps are made for curvatures up to `bound`; `turned` says whether
    /// the step went against the extrapolation.
    pub(super) fn follow(&mut self, turned: bool, curvature: f64, bound: f64) {
        // A step that did not move has a curvature that is not a number.
        self.least_curvature = self.least_curvature.min(curvature);
        if turned {
            (self.beta, self.inertia) = (0.0, 1.0);
            return;
        }
        let grown = 0.5 * (1.0 + (1.0 + 4.0 * self.inertia * self.inertia).sqrt());
        let growing = (self.inertia - 1.0) / grown;
        self.inertia = grown;
        let ratio = (SHARE_OF_LEAST * self.least_curvature / bound)
            .clamp(0.0, 1.0)
            .sqrt();
        self.beta = growing.min((1.0 - ratio) / (1.0 + ratio));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Iterations to a three-hundredth of the start, about as far as solves go, on the quadratic with `curvatures`.
    fn iterations(curvatures: &[f64], follow: impl Fn(&mut Extrapolation, bool, f64)) -> u32 {
        let bound = curvatures.iter().copied().fold(0.0, f64::max);
        let mut extrapolation = Extrapolation::default();
        let mut last = vec![1.0; curvatures.len()];
        let mut y = last.clone();
        for count in 1..10_000 {
            let next: Vec<f64> = (y.iter().zip(curvatures))
                .map(|(y, a)| y - a * y / bound)
                .collect();
            let step = || next.iter().zip(&y).map(|(next, y)| next - y);
            let square: f64 = step().map(|s| s * s).sum();
            let along: f64 = step().zip(curvatures).map(|(s, a)| a * s * s).sum();
            let against: f64 = (step().zip(next.iter().zip(&last)))
                .map(|(s, (next, last))| -s * (next - last))
                .sum();
            follow(&mut extrapolation, against > 0.0, along / square);
            let beta = extrapolation.beta;
            y = (next.iter().zip(&last))
                .map(|(next, last)| next + beta * (next - last))
                .collect();
            let left: f64 = next.iter().map(|x| x * x).sum();
            if left < (curvatures.len() as f64) / (300.0 * 300.0) {
                return count;
            }
            last = next;
        }
        panic!("it does not end");
    }

    #[test]
    fn an_end_to_the_growth_saves_steps() {
        for least in [0.02, 0.05] {
            let curvatures: Vec<f64> = (0..50)
                .map(|i| least + (1.2 - least) * f64::from(i) / 49.0)
                .collect();
            let with = iterations(&curvatures, |e, turned, curvature| {
                e.follow(turned, curvature, 1.2);
            });
            let without = iterations(&curvatures, |e, turned, _| e.follow(turned, 0.0, 1.2));
            assert!(
                5 * with < 4 * without,
                "from {least}: {with}, {without} without"
            );
        }
    }

    #[test]
    fn it_grows_as_nesterov_says_and_ends_where_the_curvature_does() {
        let mut extrapolation = Extrapolation::default();
        let mut grown = Vec::new();
        for _ in 0..60 {
            extrapolation.follow(false, 0.05, 1.0);
            grown.push(extrapolation.beta);
        }
        assert!(grown[0].abs() < 1e-15);
        assert!((grown[1] - 0.281_753).abs() < 1e-6, "{}", grown[1]);
        assert!(grown.is_sorted());
        // √(0.2 · 0.05) = 0.1
        assert!((grown[59] - 0.9 / 1.1).abs() < 1e-12);
        extrapolation.follow(true, f64::NAN, 1.0);
        assert!(extrapolation.beta.abs() < 1e-15);
        extrapolation.follow(false, f64::NAN, 1.0);
        extrapolation.follow(false, f64::NAN, 1.0);
        assert!((extrapolation.beta - grown[1]).abs() < 1e-15);
    }
}
