//! Compares several methods on the problems of a run, each from the same warm start.

use std::sync::{Arc, Mutex, PoisonError};

use cpu_time::ProcessTime;
use impinge_contact::{ContactSolution, ContactSolver, Method, Termination, residual_under};
use serde::Serialize;

use crate::stepper::{Solve, SolveObserver};

/// The effort of one method for all solves of one step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct StepEffort {
    /// Number of the step.
    pub step: u64,
    /// Number of solves: the islands of all collision rounds of the step, including rejected attempts.
    pub solves: u32,
    /// The most contacts of a collision round.
    pub contacts: usize,
    /// Iterations of all solves.
    pub iterations: u64,
    /// Products with the momentum matrix, those of the iterations included.
    pub products: u64,
    /// Changes of contact states in all solves.
    pub state_changes: u64,
    /// Processor time of all solves (s).
    pub seconds: f64,
    /// Solves whose independent residual misses the tolerances of an accepted solve.
    pub unmet: u32,
    /// Unmet solves that the method reported as converged.
    pub false_claims: u32,
    /// Solves whose solution has a non-finite number, or that were rejected.
    pub not_finite: u32,
    /// Solves with relaxed friction.
    pub relaxed: u32,
    /// Largest momentum residual over its tolerance. NaN after a rejected solve, as are the following.
    pub momentum: f64,
    /// Largest normal residual over its tolerance.
    pub normal: f64,
    /// Largest friction residual, by the method's own law, over the slip or gap tolerance, whichever is larger.
    pub friction: f64,
    /// Deepest penetration of the linearised contacts over the gap tolerance.
    pub penetration: f64,
}

/// One method and its effort, step by step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodRecord {
    /// Its name as given by the user.
    pub name: String,
    /// The method with its settings.
    pub settings: Method,
    /// Its effort in each compared step.
    pub steps: Vec<StepEffort>,
    /// Why it rejected a problem, for the first such problem.
    pub refusal: Option<String>,
}

/// Mean and median of a quantity over steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Average {
    /// Arithmetic mean over the steps, in the unit of the quantity.
    pub mean: f64,
    /// Median over the steps, in the unit of the quantity.
    pub median: f64,
}

impl Average {
    /// Of `values`; zero if there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        if values.is_empty() {
            return Self::default();
        }
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let median = if values.len().is_multiple_of(2) {
            0.5 * (values[middle - 1] + values[middle])
        } else {
            values[middle]
        };
        Self {
            mean: values.iter().sum::<f64>() / values.len() as f64,
            median,
        }
    }
}

impl MethodRecord {
    /// Averages of `value` over the steps.
    pub fn average(&self, value: impl Fn(&StepEffort) -> f64) -> Average {
        Average::of(self.steps.iter().map(value))
    }

    /// Largest `value` of the steps, at least 0; NaN if one of them is.
    pub fn worst(&self, value: impl Fn(&StepEffort) -> f64) -> f64 {
        self.steps.iter().map(value).fold(0.0, larger)
    }

    /// Sum of `count` over the steps.
    pub fn total(&self, count: impl Fn(&StepEffort) -> u32) -> u32 {
        self.steps.iter().map(count).sum()
    }
}

/// The larger of two numbers, or NaN if one of them is.
fn larger(most: f64, x: f64) -> f64 {
    // The form of the comparison keeps a NaN in `most`.
    if x.is_nan() || x > most { x } else { most }
}

/// Observes a run and solves each of its problems by every method.
///
/// A clone shares the records: one goes to the simulation, another reads the records.
#[derive(Clone)]
pub struct Comparison {
    contenders: Arc<Mutex<Vec<Contender>>>,
    announce: Option<Announce>,
}

/// Called with the step and the name of the method before a solve.
type Announce = Arc<dyn Fn(u64, &str) + Send + Sync>;

struct Contender {
    record: MethodRecord,
    /// Has the tolerances of the latest solve.
    solver: Box<dyn ContactSolver + Send>,
    solution: ContactSolution,
    /// The latest round.
    round: u32,
    /// Contacts of the islands that were solved in it.
    contacts: usize,
}

impl Comparison {
    /// Compares `methods`, each with its displayed name; tolerances are those of the run.
    pub fn new(methods: impl IntoIterator<Item = (String, Method)>) -> Self {
        let contenders = methods
            .into_iter()
            .map(|(name, settings)| Contender {
                record: MethodRecord {
                    name,
                    settings,
                    steps: Vec::new(),
                    refusal: None,
                },
                solver: settings.solver(),
                solution: ContactSolution::default(),
                round: 0,
                contacts: 0,
            })
            .collect();
        Self {
            contenders: Arc::new(Mutex::new(contenders)),
            announce: None,
        }
    }

    /// Calls `announce` with the number of the step and the name of the method before every solve, since some methods
    /// are slow.
    #[must_use]
    pub fn announcing(self, announce: impl Fn(u64, &str) + Send + Sync + 'static) -> Self {
        Self {
            announce: Some(Arc::new(announce)),
            ..self
        }
    }

    /// The records up to now.
    pub fn records(&self) -> Vec<MethodRecord> {
        let contenders = self
            .contenders
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        contenders.iter().map(|c| c.record.clone()).collect()
    }
}

impl SolveObserver for Comparison {
    fn wants_bodies(&self) -> bool {
        let contenders = self
            .contenders
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        contenders
            .iter()
            .any(|contender| contender.record.settings.needs_bodies())
    }

    fn solved(&mut self, solve: &Solve<'_>) {
        let mut contenders = (self.contenders.lock()).unwrap_or_else(PoisonError::into_inner);
        for contender in contenders.iter_mut() {
            if let Some(announce) = &self.announce {
                announce(solve.stamp.step, &contender.record.name);
            }
            contender.solve(solve);
        }
    }
}

impl Contender {
    fn solve(&mut self, solve: &Solve<'_>) {
        let tolerances = solve.method.tolerances();
        let settings = &mut self.record.settings;
        if settings.tolerances() != tolerances {
            *settings.tolerances_mut() = tolerances;
            self.solver = settings.solver();
        }
        self.solution.velocity.clone_from(&solve.start.velocity);
        self.solution.contacts.clone_from(&solve.start.contacts);
        let constraints = &solve.start.constraints;
        self.solution.constraints.clone_from(constraints);
        if let Some(bodies) = solve.bodies {
            self.solver.know_bodies(bodies);
        }
        // Process time excludes other programs. Other threads of this process are idle: the run waits meanwhile.
        let begin = ProcessTime::try_now();
        let solved = self.solver.solve(solve.problem, &mut self.solution);
        let seconds = begin
            .and_then(|begin| begin.try_elapsed())
            .map_or(f64::NAN, |time| time.as_secs_f64());

        let steps = &mut self.record.steps;
        if steps
            .last()
            .is_none_or(|last| last.step != solve.stamp.step)
        {
            steps.push(StepEffort {
                step: solve.stamp.step,
                ..StepEffort::default()
            });
        }
        let Some(effort) = steps.last_mut() else {
            return;
        };
        effort.solves += 1;
        if effort.solves == 1 || self.round != solve.stamp.round {
            self.contacts = 0;
        }
        self.round = solve.stamp.round;
        self.contacts += solve.problem.contacts();
        effort.contacts = effort.contacts.max(self.contacts);
        effort.seconds += seconds;
        let report = match solved {
            Ok(report) => report,
            Err(error) => {
                // There is no solution; the record must not look like a good one.
                effort.unmet += 1;
                effort.not_finite += 1;
                effort.momentum = f64::NAN;
                effort.normal = f64::NAN;
                effort.friction = f64::NAN;
                effort.penetration = f64::NAN;
                self.record.refusal.get_or_insert_with(|| error.to_string());
                return;
            }
        };
        let judged = residual_under(settings.friction_law(), solve.problem, &self.solution);
        effort.iterations += report.iterations;
        effort.products += report.iterations + report.extra_products;
        effort.state_changes += report.state_changes;
        effort.relaxed += u32::from(report.relaxed);
        let met = judged.meets(&tolerances);
        let broken = report.termination == Termination::Breakdown;
        effort.unmet += u32::from(broken || !met);
        effort.false_claims += u32::from(!met && report.termination == Termination::Converged);
        let velocity = &self.solution.velocity;
        let residuals = [judged.momentum, judged.normal, judged.friction];
        let finite = velocity.iter().chain(&residuals).all(|x| x.is_finite());
        effort.not_finite += u32::from(!finite);
        effort.momentum = larger(effort.momentum, judged.momentum / tolerances.momentum);
        effort.normal = larger(effort.normal, judged.normal / tolerances.gap);
        effort.friction = larger(effort.friction, judged.over(&tolerances).slip);
        effort.penetration = larger(effort.penetration, judged.penetration / tolerances.gap);
    }
}
