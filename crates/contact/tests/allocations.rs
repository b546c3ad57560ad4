//! A second solve of the same size allocates nothing.

#![expect(
    unsafe_code,
    reason = "an allocator that counts must implement an unsafe trait; it passes everything on to the system's"
)]

#[path = "it/support/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the main test binary, which uses all of it"
)]
mod support;

use impinge_contact::method::active_set_cr::{
    ActiveSetCr, ActiveSetCrSettings, DuplicateRule, EvaluationSchedule, PreconditionerKind,
};
use impinge_contact::{ContactSolution, ContactSolver, Termination};
use nalgebra::Vector3;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::lattice::{GroundScene, Lattice};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Whether this thread counts: the test harness allocates on its own threads.
    static COUNTED: Cell<bool> = const { Cell::new(false) };
}

fn count() {
    if COUNTED.get() {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: forwards to the system's allocator, which keeps the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` or `realloc` above, that is from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as for `dealloc`; the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A single test: another one in parallel would be counted too.
#[test]
fn second_solve_allocates_nothing() {
    rayon::broadcast(|_| COUNTED.set(true));
    COUNTED.set(true);
    let lattice = Lattice::block([5, 5, 4], 0.02, 5e5, Vector3::new(0.0, 0.0, 1e-4));
    let mut scene = GroundScene::new(
        lattice,
        |x| Vector3::new(0.2 + x.y, 0.1 - x.x, -0.5),
        Vector3::new(0.0, 0.0, -9.81),
        0.5,
    );
    for preconditioner in [PreconditionerKind::Full, PreconditionerKind::Diagonal] {
        for duplicates in [DuplicateRule::Similarity, DuplicateRule::PerPair] {
            for schedule in [
                EvaluationSchedule::Interval,
                EvaluationSchedule::AtConvergence,
            ] {
                let mut solver = ActiveSetCr::new(ActiveSetCrSettings {
                    preconditioner,
                    duplicates,
                    schedule,
                    ..ActiveSetCrSettings::default()
                });
                let first = scene.problem();
                let mut solution = ContactSolution::at_rest(&first);
                let report = solver
                    .solve(&first, &mut solution)
                    .expect("a sound problem");
                assert_eq!(report.termination, Termination::Converged);
                scene.solution = solution;
                scene.commit();
                let second = scene.problem();
                let mut solution = ContactSolution::at_rest(&second);
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                let report = solver
                    .solve(&second, &mut solution)
                    .expect("a sound problem");
                let after = ALLOCATIONS.load(Ordering::Relaxed);
                assert!(report.iterations > 0);
                assert_eq!(after - before, 0, "{:?}", solver.settings);
            }
        }
    }
}
