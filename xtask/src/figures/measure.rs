//! Runs a scene and takes the time of each step.

use std::error::Error;
use std::time::Instant;

use cpu_time::ThreadTime;
use impinge_sim::report::StageTimes;
use impinge_sim::{Scene, Simulation, StepReport};

use super::Context;

/// A measured run.
pub(super) struct Measured {
    /// Deformable elements of the scene.
    pub(super) elements: usize,
    /// Reports of the steps; their stage times are the least of all repetitions.
    pub(super) reports: Vec<StepReport>,
    /// Times of the steps (s), each the least of all repetitions: processor time on one thread, wall time on more.
    pub(super) seconds: Vec<f64>,
}

/// A run to be measured.
pub(super) struct Case<'a> {
    /// Shown while it runs.
    pub(super) what: &'a str,
    pub(super) scene: &'a Scene,
    pub(super) steps: u64,
    pub(super) threads: usize,
    /// Repetitions give the same bits. They differ in time only, by the other work of the machine.
    pub(super) repetitions: u32,
}

impl Measured {
    /// Runs a case.
    ///
    /// # Errors
    /// If the scene is unsound, or a step is not solved.
    pub(super) fn new(context: &Context, case: &Case<'_>) -> Result<Self, Box<dyn Error>> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(case.threads)
            .build()?;
        let mut best: Option<Self> = None;
        for repetition in 1..=case.repetitions {
            let what = if case.repetitions > 1 {
                format!("{}, {repetition} of {}", case.what, case.repetitions)
            } else {
                case.what.to_owned()
            };
            context.progress.run(&what, case.steps);
            let progress = &context.progress;
            let run = pool.install(|| once(case, || progress.step()))?;
            match &mut best {
                None => best = Some(run),
                Some(best) => best.take_least(&run),
            }
        }
        best.ok_or_else(|| "a case is run at least once".into())
    }

    fn take_least(&mut self, other: &Self) {
        for (mine, its) in self.seconds.iter_mut().zip(&other.seconds) {
            *mine = mine.min(*its);
        }
        for (mine, its) in self.reports.iter_mut().zip(&other.reports) {
            let (mine, its) = (&mut mine.times, &its.times);
            *mine = StageTimes {
                assemble: mine.assemble.min(its.assemble),
                detect: mine.detect.min(its.detect),
                formulate: mine.formulate.min(its.formulate),
                resolve: mine.resolve.min(its.resolve),
                refine: mine.refine.min(its.refine),
                commit: mine.commit.min(its.commit),
            };
        }
    }

    /// Time of all steps (s).
    pub(super) fn total(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// Mean time of a step (s).
    pub(super) fn per_step(&self) -> f64 {
        self.total() / self.seconds.len() as f64
    }

    /// Mean iterations of a step.
    pub(super) fn iterations(&self) -> f64 {
        let sum: u64 = self.reports.iter().map(|report| report.iterations).sum();
        sum as f64 / self.reports.len() as f64
    }

    /// Kinetic, elastic and gravitational energy at the end (J).
    pub(super) fn energy(&self) -> f64 {
        self.reports.last().map_or(f64::NAN, energy)
    }
}

/// Kinetic, elastic and gravitational energy (J).
pub(super) fn energy(report: &StepReport) -> f64 {
    report.kinetic_energy + report.elastic_energy + report.gravitational_energy
}

fn once(case: &Case<'_>, count: impl Fn()) -> Result<Measured, String> {
    let mut simulation = Simulation::new(case.scene).map_err(|error| error.to_string())?;
    let elements = simulation.model().elements.tets.len();
    let (mut reports, mut seconds) = (Vec::new(), Vec::new());
    for step in 1..=case.steps {
        let (wall, processor) = (Instant::now(), ThreadTime::now());
        let report = simulation
            .advance()
            .map_err(|error| format!("step {step}: {error}"))?;
        seconds.push(if case.threads == 1 {
            processor.elapsed().as_secs_f64()
        } else {
            wall.elapsed().as_secs_f64()
        });
        reports.push(report);
        count();
    }
    Ok(Measured {
        elements,
        reports,
        seconds,
    })
}
