//! A contact solver: the conjugate-residual method, counted.

use crate::support::{THROW, bits, broken, run, simulation, touches_plate};
use impinge_contact::method::active_set_cr::{ActiveSetCr, ActiveSetCrSettings};
use impinge_contact::{
    ContactError, ContactProblem, ContactReport, ContactSolution, ContactSolver, Interrupt,
    Tolerances,
};
use impinge_sim::extension::{ExtensionKind, Extensions};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Iteration limit of scenes.
const MAX_ITERATIONS: u64 = 5000;

struct Counted {
    inner: ActiveSetCr,
    calls: Arc<AtomicU64>,
}

impl Counted {
    fn new(calls: &Arc<AtomicU64>) -> Self {
        let settings = ActiveSetCrSettings {
            max_iterations: MAX_ITERATIONS,
            ..ActiveSetCrSettings::default()
        };
        Self {
            inner: ActiveSetCr::new(settings),
            calls: Arc::clone(calls),
        }
    }
}

impl ContactSolver for Counted {
    fn solve(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> Result<ContactReport, ContactError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.inner.solve(problem, solution)
    }

    fn set_tolerances(&mut self, tolerances: Tolerances) {
        self.inner.set_tolerances(tolerances);
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.inner.heed(interrupt);
    }
}

#[test]
fn a_wrapped_method_gives_the_same_bits_and_counts_its_calls() {
    let calls = Arc::new(AtomicU64::new(0));
    let extensions = Extensions::new().contact_solver("counted", Counted::new(&calls));
    let mut simulation = simulation(THROW, extensions);
    let mut rounds = 0;
    for _ in 0..40 {
        rounds += u64::from(simulation.advance().expect("a step").rounds);
    }
    // Every round solves one island or more.
    assert!(calls.load(Ordering::Relaxed) >= rounds);
    let own = run(THROW, Extensions::new(), 40);
    assert!(touches_plate(&own));
    assert_eq!(bits(&own), bits(simulation.state()));
}

/// Contracts broken: a solution that is too short, or not a number.
struct Broken(fn(&mut ContactSolution));

impl ContactSolver for Broken {
    fn solve(
        &mut self,
        _: &ContactProblem,
        solution: &mut ContactSolution,
    ) -> Result<ContactReport, ContactError> {
        (self.0)(solution);
        Ok(ContactReport::default())
    }

    fn set_tolerances(&mut self, _: Tolerances) {}

    fn heed(&mut self, _: &Interrupt) {}
}

#[test]
fn a_broken_solution_ends_the_step_by_the_name_of_the_solver() {
    let cases: [(fn(&mut ContactSolution), &str); 2] = [
        (
            |solution| solution.velocity.truncate(3),
            "3 entries of velocity",
        ),
        (|solution| solution.velocity[4] = f64::NAN, "not finite"),
    ];
    for (breaks, expected) in cases {
        let extensions = Extensions::new().contact_solver("broken", Broken(breaks));
        let mut simulation = simulation(THROW, extensions);
        let start = bits(simulation.state());
        let error = simulation.advance().expect_err("a broken solution");
        let extension = broken(&error, ExtensionKind::ContactSolver, "broken");
        assert!(extension.problem.contains(expected), "{extension}");
        assert_eq!(bits(simulation.state()), start);
    }
}

/// A solver that reports convergence without a solution does not end a step.
#[test]
fn convergence_counts_only_if_the_residual_confirms_it() {
    let extensions = Extensions::new().contact_solver("idle", Idle);
    let mut simulation = simulation(THROW, extensions);
    let mut advanced = (0..40).map(|_| simulation.advance());
    let error = advanced.find_map(Result::err).expect("no solution");
    assert!(
        error.to_string().contains("`idle` did not converge"),
        "{error}"
    );
}

struct Idle;

impl ContactSolver for Idle {
    fn solve(
        &mut self,
        _: &ContactProblem,
        _: &mut ContactSolution,
    ) -> Result<ContactReport, ContactError> {
        Ok(ContactReport {
            termination: impinge_contact::Termination::Converged,
            ..ContactReport::default()
        })
    }

    fn set_tolerances(&mut self, _: Tolerances) {}

    fn heed(&mut self, _: &Interrupt) {}
}
