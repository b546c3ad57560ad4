//! Nothing is allocated once a workspace has grown: a counting allocator sees no allocation in a repeated solve.
#![expect(
    unsafe_code,
    reason = "a global allocator can only be implemented unsafely; this one counts and forwards to the system's"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use impinge_krylov::{
    BlockJacobi, BlockPattern, ConjugateGradient, ConjugateResidual, KrylovMethod, LinearSystem,
    Minres, StoppingRule, SymmetricBlockMatrix, solve,
};
use nalgebra::Matrix3;

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Whether the allocations of this thread count; those of the test harness do not.
    static COUNTED: Cell<bool> = const { Cell::new(false) };
}

fn count() {
    if COUNTED.get() {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call is forwarded unchanged to the system allocator; the counter does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller upholds the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A chain with long-range couplings, positive definite.
fn matrix(blocks: u32) -> SymmetricBlockMatrix {
    let pairs = (0..blocks).flat_map(|i| [(i, i + 1), (i, i + 50), (i, i + 3000)]);
    let pattern = BlockPattern::from_pairs(blocks as usize, pairs.filter(|pair| pair.1 < blocks));
    let mut matrix = SymmetricBlockMatrix::zeros(pattern);
    matrix.values_mut().fill(-Matrix3::identity());
    for i in 0..blocks as usize {
        *matrix.diagonal_block_mut(i) = Matrix3::identity() * (6.1 + (i % 3) as f64);
    }
    matrix
}

/// Allocations of a repeated solve and of a preconditioner's update: the least of a few repetitions. An allocation of
/// the crate recurs in each of them; each rayon worker allocates once, when it first steals work.
fn allocations_of_repeated_solve(
    method: &mut dyn KrylovMethod,
    matrix: &SymmetricBlockMatrix,
) -> usize {
    let b = vec![1.0; matrix.len()];
    let mut x = vec![0.0; matrix.len()];
    let mut preconditioner = BlockJacobi::new(matrix).expect("positive definite");
    let rule = StoppingRule {
        relative: 1e-8,
        absolute: 0.0,
        max_iterations: 20,
    };
    let mut solve_again = || {
        x.fill(0.0);
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        preconditioner.update(matrix).expect("positive definite");
        let system = LinearSystem {
            operator: matrix,
            preconditioner: &preconditioner,
            rhs: &b,
        };
        let report = solve(method, &system, &mut x, &rule);
        assert!(report.iterations > 2);
        ALLOCATIONS.load(Ordering::Relaxed) - before
    };
    assert!(
        solve_again() > 0,
        "the first solve must be seen to grow its workspace"
    );
    (0..5).map(|_| solve_again()).min().unwrap_or(usize::MAX)
}

/// A single test, as there is one counter: a small system on the calling thread, a large one on a pool.
#[test]
fn repeated_solves_allocate_nothing() {
    let methods: [(&str, Box<dyn KrylovMethod + Send>); 3] = [
        ("CG", Box::new(ConjugateGradient::new())),
        ("CR", Box::new(ConjugateResidual::new())),
        ("MINRES", Box::new(Minres::new())),
    ];
    COUNTED.set(true);
    let (small, large) = (matrix(3000), matrix(90_000));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .start_handler(|_| COUNTED.set(true))
        .build()
        .unwrap();
    for (name, mut method) in methods {
        assert_eq!(
            allocations_of_repeated_solve(&mut *method, &small),
            0,
            "{name}"
        );
        let count = pool.install(|| allocations_of_repeated_solve(&mut *method, &large));
        assert_eq!(count, 0, "{name} on a pool");
    }
}
