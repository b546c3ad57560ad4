//! What each method needs for the problems of a run: all of them solve the same ones, from the same warm starts.

use std::sync::{Arc, Mutex, PoisonError};

use cpu_time::ProcessTime;
use impinge_contact::method::MethodError;
use impinge_contact::method::active_set_cr::Tolerances;
use impinge_contact::{
    ContactProblem, ContactSolution, ContactSolver, Method, Termination, residual_under,
};
use impinge_sim::stepper::{Solve, SolveObserver};

use super::scenes::Plan;

/// The methods: the default first, then the paper's, then their rivals.
pub(super) const METHODS: [&str; 8] = [
    "cr",
    "cr-whole",
    "cr-full",
    "cr-diagonal",
    "sp-active-set",
    "sp-2cr",
    "ica",
    "active-set",
];

/// The one that ratios refer to.
pub(super) const REFERENCE: &str = "cr-full";

/// What one method needed in one step. Residuals are the largest of its solves, over their tolerances.
#[derive(Clone, Copy, Default)]
pub(super) struct StepEffort {
    pub(super) step: u64,
    pub(super) contacts: usize,
    pub(super) iterations: u64,
    /// Products with the momentum matrix, those of the iterations included.
    pub(super) products: u64,
    pub(super) state_changes: u64,
    /// Processor time (s).
    pub(super) seconds: f64,
    /// Solves whose answer does not pass what an accepted solve has to pass.
    pub(super) unmet: u32,
    /// Those of them that the method called converged.
    pub(super) false_claims: u32,
    /// Solves whose answer holds a number that is not finite.
    pub(super) not_finite: u32,
    /// Solves whose friction was settled to the gap tolerance only.
    pub(super) relaxed: u32,
    pub(super) momentum: f64,
    pub(super) normal: f64,
    pub(super) friction: f64,
    pub(super) penetration: f64,
}

/// One method and its steps.
#[derive(Clone)]
pub(super) struct Effort {
    pub(super) name: &'static str,
    pub(super) steps: Vec<StepEffort>,
}

impl Effort {
    /// Mean and median over the steps.
    pub(super) fn average(&self, value: impl Fn(&StepEffort) -> f64) -> [f64; 2] {
        let mut values: Vec<f64> = self.steps.iter().map(value).collect();
        if values.is_empty() {
            return [f64::NAN; 2];
        }
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let median = if values.len().is_multiple_of(2) {
            0.5 * (values[middle - 1] + values[middle])
        } else {
            values[middle]
        };
        [values.iter().sum::<f64>() / values.len() as f64, median]
    }

    /// Largest over the steps; not a number if one is not.
    pub(super) fn worst(&self, value: impl Fn(&StepEffort) -> f64) -> f64 {
        let larger = |most: f64, x: f64| if x.is_nan() || x > most { x } else { most };
        self.steps.iter().map(value).fold(0.0, larger)
    }

    /// Sum over the steps.
    pub(super) fn total(&self, count: impl Fn(&StepEffort) -> u32) -> u32 {
        self.steps.iter().map(count).sum()
    }
}

/// A problem with its warm start.
#[derive(Clone)]
pub(super) struct Sample {
    pub(super) step: u64,
    pub(super) problem: ContactProblem,
    pub(super) start: ContactSolution,
    pub(super) tolerances: Tolerances,
}

/// Watches a run. A clone records in the same place: one goes to the simulation, another is asked for the records.
#[derive(Clone)]
pub(super) struct Watch(Arc<Mutex<Inner>>);

struct Inner {
    plan: Plan,
    contenders: Vec<Contender>,
    largest: Option<Sample>,
}

struct Contender {
    effort: Effort,
    settings: Method,
    solver: Box<dyn ContactSolver + Send>,
    solution: ContactSolution,
}

impl Watch {
    /// Compares all [`METHODS`] on the steps of `plan`, to the tolerances of the run.
    pub(super) fn new(plan: Plan, tolerances: Tolerances) -> Result<Self, MethodError> {
        let contenders = METHODS
            .iter()
            .map(|&name| {
                let settings = Method::named(name, tolerances)?;
                Ok(Contender {
                    effort: Effort {
                        name,
                        steps: Vec::new(),
                    },
                    settings,
                    solver: settings.solver(),
                    solution: ContactSolution::default(),
                })
            })
            .collect::<Result<_, MethodError>>()?;
        Ok(Self(Arc::new(Mutex::new(Inner {
            plan,
            contenders,
            largest: None,
        }))))
    }

    /// What was recorded, and the problem with the most contacts.
    pub(super) fn take(&self) -> (Vec<Effort>, Option<Sample>) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let efforts = inner.contenders.iter().map(|c| c.effort.clone()).collect();
        (efforts, inner.largest.take())
    }
}

impl SolveObserver for Watch {
    fn solved(&mut self, solve: &Solve<'_>) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let step = solve.stamp.step;
        if step < inner.plan.from || !(step - inner.plan.from).is_multiple_of(inner.plan.every) {
            return;
        }
        for contender in &mut inner.contenders {
            contender.solve(solve);
        }
        let contacts = solve.problem.contacts();
        let largest = inner.largest.as_ref().map_or(0, |s| s.problem.contacts());
        if contacts > largest {
            inner.largest = Some(Sample {
                step,
                problem: solve.problem.clone(),
                start: solve.start.clone(),
                tolerances: solve.method.tolerances(),
            });
        }
    }
}

impl Contender {
    fn solve(&mut self, solve: &Solve<'_>) {
        let tolerances = solve.method.tolerances();
        if self.settings.tolerances() != tolerances {
            *self.settings.tolerances_mut() = tolerances;
            self.solver = self.settings.solver();
        }
        self.solution.velocity.clone_from(&solve.start.velocity);
        self.solution.contacts.clone_from(&solve.start.contacts);
        let begin = ProcessTime::now();
        let solved = self.solver.solve(solve.problem, &mut self.solution);
        let seconds = begin.elapsed().as_secs_f64();

        let steps = &mut self.effort.steps;
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
        effort.contacts = effort.contacts.max(solve.problem.contacts());
        effort.seconds += seconds;
        let Ok(report) = solved else {
            effort.unmet += 1;
            return;
        };
        let judged = residual_under(self.settings.friction_law(), solve.problem, &self.solution);
        effort.iterations += report.iterations;
        effort.products += report.iterations + report.extra_products;
        effort.state_changes += report.state_changes;
        effort.relaxed += u32::from(report.relaxed);
        let met = judged.meets(&tolerances);
        effort.unmet += u32::from(!met);
        effort.false_claims += u32::from(!met && report.termination == Termination::Converged);
        let finite = self.solution.velocity.iter().all(|v| v.is_finite())
            && [judged.momentum, judged.normal, judged.friction]
                .iter()
                .all(|e| e.is_finite());
        effort.not_finite += u32::from(!finite);
        effort.momentum = effort.momentum.max(judged.momentum / tolerances.momentum);
        effort.normal = effort.normal.max(judged.normal / tolerances.gap);
        let slip = tolerances.slip.max(tolerances.gap);
        effort.friction = effort.friction.max(judged.friction / slip);
        effort.penetration = effort.penetration.max(judged.penetration / tolerances.gap);
    }
}
