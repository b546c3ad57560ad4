//! Share of the memory bandwidth that the half-stored block product reaches.
//!
//! The product reads each block once, so it is compared with the STREAM triad `a = b + s c`, measured in the same
//! process in turns with the product. Bytes counted: 76 per stored block (72 of values, 4 of index), and `x` and `y`
//! once each; 24 per triad entry. The sum of all entries reads the blocks and does nothing else.

use std::hint::black_box;
use std::time::Instant;

use impinge_krylov::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::Matrix3;
use rayon::prelude::*;

/// One measured case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bandwidth {
    /// Block rows of the matrix.
    pub(super) nodes: usize,
    /// Fastest triad, in GB/s.
    pub(super) triad: f64,
    /// Fastest product, in GB/s.
    product: f64,
    /// Fastest sum of all entries on one thread, in GB/s.
    reading: f64,
}

impl Bandwidth {
    /// Product bandwidth over triad bandwidth, each at its fastest.
    pub(super) fn share(&self) -> f64 {
        self.product / self.triad
    }

    /// Bandwidth of reading the blocks over triad bandwidth, each at its fastest.
    pub(super) fn share_of_reading(&self) -> f64 {
        self.reading / self.triad
    }
}

/// Measures products of the tetrahedral grid of `axis³` nodes, numbered along a Morton curve.
pub(super) fn measure(axis: u32, threads: usize, rounds: usize) -> Bandwidth {
    let matrix = tetrahedral_grid(axis);
    let stored_blocks = matrix.pattern().slots();
    let bytes = (76 * stored_blocks + 16 * matrix.len()) as f64;
    let x: Vec<f64> = (0..matrix.len()).map(|i| (i % 17) as f64 - 8.0).collect();
    let mut y = vec![0.0; matrix.len()];
    let mut scratch = vec![0.0; matrix.scratch_len()];
    let mut triad = Triad::new(8_000_000);

    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool of threads");
    // Small matrices are repeated so that the clock resolves the time.
    let repeats = 1 + 250_000 / stored_blocks;
    let block_bytes = 72.0 * stored_blocks as f64;
    let reading = (0..rounds)
        .map(|_| repeats as f64 * block_bytes / seconds(1, || read(&matrix, repeats)) / 1e9)
        .fold(0.0, f64::max);
    let (mut fastest_triad, mut fastest_product) = (0.0_f64, 0.0_f64);
    pool.install(|| {
        for _ in 0..rounds {
            let rate = Triad::BYTES * triad.len() as f64 / seconds(threads, || triad.run(threads));
            fastest_triad = fastest_triad.max(rate / 1e9);
            let product = seconds(threads, || {
                for _ in 0..repeats {
                    matrix.multiply(black_box(&x), black_box(&mut y), &mut scratch);
                }
            }) / repeats as f64;
            fastest_product = fastest_product.max(bytes / product / 1e9);
        }
    });
    Bandwidth {
        nodes: matrix.blocks(),
        triad: fastest_triad,
        product: fastest_product,
        reading,
    }
}

/// Sums all entries of a matrix, `repeats` times.
fn read(matrix: &SymmetricBlockMatrix, repeats: usize) {
    for _ in 0..repeats {
        let mut sums = Matrix3::zeros();
        for block in black_box(matrix.values()) {
            sums += block;
        }
        black_box(sums);
    }
}

/// The STREAM triad.
struct Triad {
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
}

impl Triad {
    const BYTES: f64 = 24.0;

    fn new(length: usize) -> Self {
        Self {
            a: vec![1.0; length],
            b: vec![2.0; length],
            c: vec![3.0; length],
        }
    }

    fn len(&self) -> usize {
        self.a.len()
    }

    fn run(&mut self, threads: usize) {
        let s = black_box(0.5);
        let piece = self.a.len().div_ceil(threads);
        self.a
            .par_chunks_mut(piece)
            .zip(self.b.par_chunks(piece))
            .zip(self.c.par_chunks(piece))
            .for_each(|((a, b), c)| {
                for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                    *a = b + s * c;
                }
            });
        black_box(&self.a);
    }
}

/// The time of `work`: processor time if this thread works alone, so that other programs do not count, else wall time.
fn seconds(threads: usize, work: impl FnOnce()) -> f64 {
    let wall = Instant::now();
    let processor = processor_seconds();
    work();
    match (threads, processor, processor_seconds()) {
        (1, Some(start), Some(end)) => end - start,
        _ => wall.elapsed().as_secs_f64(),
    }
}

/// Processor time of the calling thread, on systems that report it (Linux).
fn processor_seconds() -> Option<f64> {
    // The kernel updates the time when the thread yields.
    std::thread::yield_now();
    let account = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = account.split_whitespace().next()?.parse().ok()?;
    Some(1e-9 * nanoseconds as f64)
}

/// A matrix with the connectivity of a grid of cubes, each split into six tetrahedra (Kuhn): 14 neighbours inside.
fn tetrahedral_grid(axis: u32) -> SymmetricBlockMatrix {
    let mut nodes: Vec<[u32; 3]> = (0..axis)
        .flat_map(|i| (0..axis).flat_map(move |j| (0..axis).map(move |k| [i, j, k])))
        .collect();
    nodes.sort_by_key(|&node| morton(node));
    let flat = |[i, j, k]: [u32; 3]| ((i * axis + j) * axis + k) as usize;
    let mut number = vec![0_u32; nodes.len()];
    for (new, &node) in nodes.iter().enumerate() {
        number[flat(node)] = new as u32;
    }
    // Kuhn's edges leave a node along every sum of distinct axes.
    let pairs = nodes.iter().flat_map(|&[i, j, k]| {
        let number = &number;
        (1_u32..8).filter_map(move |axes| {
            let end = [i + (axes & 1), j + (axes >> 1 & 1), k + (axes >> 2)];
            end.iter()
                .all(|&c| c < axis)
                .then(|| (number[flat([i, j, k])], number[flat(end)]))
        })
    });
    let mut matrix = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(nodes.len(), pairs));
    for (slot, block) in matrix.values_mut().iter_mut().enumerate() {
        *block = Matrix3::from_fn(|r, c| ((slot + 3 * r.min(c) + r.max(c)) % 11) as f64 - 5.0);
    }
    matrix
}

/// Interleaves the bits of three coordinates.
fn morton(node: [u32; 3]) -> u64 {
    (0..21).fold(0, |code, bit| {
        node.iter().enumerate().fold(code, |code, (axis, &c)| {
            code | u64::from(c >> bit & 1) << (3 * bit + axis as u32)
        })
    })
}
