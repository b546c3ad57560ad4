//! Further falls of the rings: in other orientations, and by another method.

use super::Context;
use super::figure::Figure;
use super::large_steps::{Prepare, REPETITIONS, STEPS};
use super::measure::{Case, Measured};
use crate::page::digits;

/// Number of falls, each with other orientations, over which energies are averaged; the seed of the scene is 1.
const FALLS: u32 = 5;

/// The falls of one integrator, of which the `first` is measured already, one run for each of [`STEPS`].
pub(super) struct Falls<'a> {
    pub(super) context: &'a Context,
    /// Name of the scene, and duration (s).
    pub(super) scene: (&'a str, f64),
    pub(super) integrator: &'a str,
    pub(super) prepare: Prepare<'a>,
    pub(super) first: &'a [Result<Measured, String>],
}

impl Falls<'_> {
    /// Rows of the energy at the end, in the mean of several falls, and of its spread; `bound` belongs to a step (s).
    pub(super) fn energies(&self, bound: impl Fn(f64) -> f64) -> Vec<Figure> {
        let energies: Vec<_> = (STEPS.iter().zip(self.first))
            .map(|(&step, first)| self.energies_in_steps(step, first))
            .collect();
        let rows = STEPS.iter().zip(&energies).skip(1);
        rows.flat_map(|(&step, energies_in_long)| {
            let at = format!("{}, {} ms", self.integrator, digits(1e3 * step));
            let mean = Figure::law(
                format!("energy at the end, {at}, change from 1 ms, mean of {FALLS} falls"),
                self.scene.0,
            )
            .at_most(bound(step));
            let spread = Figure::speed(
                format!("standard deviation of that change, {at}"),
                self.scene.0,
            );
            match (&energies[0], energies_in_long) {
                (Ok(base), Ok(long)) => {
                    let changes = base.iter().zip(long).map(|(base, long)| long / base - 1.0);
                    let (of_mean, deviation) = mean_and_deviation(&changes.collect::<Vec<_>>());
                    [mean.value(of_mean.abs()), spread.value(deviation)]
                }
                (Err(error), _) | (_, Err(error)) => [mean, spread].map(|row| row.failed(error)),
            }
        })
        .collect()
    }

    /// Energies at the end of all falls (J).
    fn energies_in_steps(
        &self,
        step: f64,
        first: &Result<Measured, String>,
    ) -> Result<Vec<f64>, String> {
        let first = first.as_ref().map_err(Clone::clone)?.energy();
        let others = (2..=FALLS).map(|seed| {
            let orientations = format!("body.0.copies.seed={seed}");
            Ok(self
                .run(&format!("fall {seed}"), step, orientations, 1)?
                .energy())
        });
        std::iter::once(Ok(first)).chain(others).collect()
    }

    /// The CPU with `exact-compliance`, which has exact factors of every body, over that of the default method; `run`
    /// is an index into [`STEPS`].
    pub(super) fn exact_factors(&self, run: usize) -> Figure {
        let step = STEPS[run];
        let figure = Figure::speed(
            format!(
                "CPU of `exact-compliance` over that of `cr`, {}, {} ms",
                self.integrator,
                digits(1e3 * step)
            ),
            self.scene.0,
        );
        let method = "solver.method=exact-compliance".to_owned();
        let measured = self.run("exact-compliance", step, method, REPETITIONS);
        match (&self.first[run], measured) {
            (Ok(base), Ok(exact)) => figure.value(exact.total() / base.total()),
            (Err(error), _) => figure.failed(error),
            (_, Err(error)) => figure.failed(error),
        }
    }

    fn run(
        &self,
        what: &str,
        step: f64,
        further: String,
        repetitions: u32,
    ) -> Result<Measured, String> {
        let (name, duration) = self.scene;
        let run = || {
            let scene = (self.prepare)(&[
                format!("time.step={step:e}"),
                format!("time.integrator={}", self.integrator),
                further,
            ])?;
            #[expect(clippy::cast_sign_loss, reason = "durations are positive")]
            let steps = (duration / step).round() as u64;
            Measured::new(
                self.context,
                &Case {
                    what: &format!(
                        "{name}, {}, {} ms, {what}",
                        self.integrator,
                        digits(1e3 * step)
                    ),
                    scene: &scene,
                    steps,
                    threads: 1,
                    repetitions,
                },
            )
        };
        run().map_err(|error| error.to_string())
    }
}

/// Mean of some values, and their standard deviation as a sample.
fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_those_of_a_sample() {
        let (mean, deviation) = mean_and_deviation(&[-1.0, -3.0, -5.0]);
        assert!((mean + 3.0).abs() < 1e-15);
        assert!((deviation - 2.0).abs() < 1e-15);
    }
}
