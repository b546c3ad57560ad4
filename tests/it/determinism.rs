//! One set of bits: for any number of threads, and for a run resumed from its state.

use crate::rigid::{IMPACT, TUMBLE};
use crate::support::{COLLISION, STACK, THROW, bits, scene, simulation, without_times};
use impinge_sim::stepper::{Stepper, Synchronous};
use impinge_sim::{Model, State, StepReport};

const STEPS: u64 = 60;

fn run(text: &str, threads: usize) -> (Vec<StepReport>, State) {
    run_with(text, threads, &[])
}

fn run_with(text: &str, threads: usize, overrides: &[&str]) -> (Vec<StepReport>, State) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool of threads");
    pool.install(|| {
        let mut simulation = simulation(text, overrides);
        let reports = (0..STEPS)
            .map(|_| without_times(simulation.advance().expect("a plain scene is solved")))
            .collect();
        (reports, simulation.state().clone())
    })
}

#[test]
fn threads_do_not_change_a_bit() {
    for text in [THROW, STACK, COLLISION, IMPACT, TUMBLE] {
        let (reports, state) = run(text, 1);
        for threads in [2, 7] {
            let (others, other) = run(text, threads);
            for (one, many) in reports.iter().zip(&others) {
                assert_eq!(one, many, "{threads} threads, step {}", one.step);
            }
            assert_eq!(bits(&state), bits(&other), "{threads} threads");
            assert_eq!(state.contacts, other.contacts, "{threads} threads");
        }
    }
}

/// Candidates are the same set in the same order, whichever broad phase finds them.
#[test]
fn broad_phases_do_not_change_a_bit() {
    for text in [THROW, STACK, COLLISION, IMPACT, TUMBLE] {
        let (reports, state) = run(text, 2);
        let (others, other) = run_with(text, 2, &["solver.broad_phase=parry"]);
        assert_eq!(reports, others);
        assert_eq!(bits(&state), bits(&other));
        assert_eq!(state.contacts, other.contacts);
    }
}

/// A state is complete: a new stepper continues from it with the same bits.
#[test]
fn a_restart_continues_bit_for_bit() {
    for text in [THROW, STACK, COLLISION, IMPACT, TUMBLE] {
        let (model, mut state) = Model::new(&scene(text, &[])).expect("a plain scene");
        let mut stepper = Synchronous::new(&model).expect("the elements fit their pattern");
        for _ in 0..STEPS / 2 {
            stepper
                .advance(&model, &mut state)
                .expect("a plain scene is solved");
        }
        let mut resumed = state.clone();
        let mut fresh = Synchronous::new(&model).expect("the elements fit their pattern");
        for _ in 0..STEPS / 2 {
            let report = stepper
                .advance(&model, &mut state)
                .expect("a plain scene is solved");
            let again = fresh
                .advance(&model, &mut resumed)
                .expect("a plain scene is solved");
            assert_eq!(
                without_candidates(report),
                without_candidates(again),
                "the reports of a step differ"
            );
            assert_eq!(bits(&state), bits(&resumed), "step {}", state.step);
            assert_eq!(state, resumed, "step {}", state.step);
        }
    }
}

/// Candidates persist over steps while they cover the motion. Their number depends on the time of collection; the
/// colliding pairs do not.
fn without_candidates(report: StepReport) -> StepReport {
    StepReport {
        vertex_face_candidates: 0,
        edge_edge_candidates: 0,
        broad_phase_collections: 0,
        box_overruns: 0,
        ..without_times(report)
    }
}
