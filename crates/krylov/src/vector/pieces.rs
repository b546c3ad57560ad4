//! Fused passes over several vectors: several operations per entry in one pass, and sums over all entries.
//!
//! Memory bandwidth limits passes over long vectors, so one fused pass is faster than one pass per operation.

/// Entries in a piece, a multiple of three: eight vectors of such pieces fit into a common second-level cache.
const PIECE: usize = 3 * 4096;

/// Most pieces of vectors that the calling thread handles alone.
const ALONE: usize = 4;

/// Cut of `length` entries into two parts: the left part is the largest power-of-two number of pieces that leaves a
/// nonempty right part.
fn cut(length: usize) -> usize {
    length.div_ceil(PIECE).next_power_of_two() / 2 * PIECE
}

fn pays(length: usize) -> bool {
    length > ALONE * PIECE && rayon::current_num_threads() > 1
}

/// Calls `kernel` with pieces of `written` and `read` at the same positions, in parallel for long vectors.
///
/// Pieces start at multiples of three entries. `kernel` must compute every entry, or every three, independently of the
/// others: then the result does not depend on threads.
///
/// # Panics
/// If the lengths differ.
#[track_caller]
pub fn for_pieces<const M: usize, const N: usize>(
    written: [&mut [f64]; M],
    read: [&[f64]; N],
    kernel: &(impl Fn([&mut [f64]; M], [&[f64]; N]) + Sync),
) {
    let length = common_length(written.iter().map(|x| x.len()), &read);
    update(written, read, length, pays(length), kernel);
}

/// Sums the results of `kernel` over all pieces along a tree that depends on the length alone: the same bits for any
/// number of threads.
///
/// Pieces start at multiples of three entries.
///
/// # Panics
/// If the lengths differ.
#[track_caller]
pub fn sum_pieces<const N: usize, const S: usize>(
    read: [&[f64]; N],
    kernel: &(impl Fn([&[f64]; N]) -> [f64; S] + Sync),
) -> [f64; S] {
    let length = common_length(std::iter::empty(), &read);
    reduce(read, length, pays(length), kernel)
}

#[track_caller]
fn common_length(mut written: impl Iterator<Item = usize>, read: &[&[f64]]) -> usize {
    let mut read = read.iter().map(|x| x.len());
    let length = written.next().or_else(|| read.next()).unwrap_or(0);
    assert!(
        written.chain(read).all(|other| other == length),
        "vectors of unequal length"
    );
    length
}

fn update<const M: usize, const N: usize>(
    written: [&mut [f64]; M],
    read: [&[f64]; N],
    length: usize,
    parallel: bool,
    kernel: &(impl Fn([&mut [f64]; M], [&[f64]; N]) + Sync),
) {
    if !parallel || length <= PIECE {
        return kernel(written, read);
    }
    let middle = cut(length);
    let mut halves = written.map(|x| x.split_at_mut(middle));
    let left = halves.each_mut().map(|(left, _)| std::mem::take(left));
    let right = halves.map(|(_, right)| right);
    let (read_left, read_right) = split(read, middle);
    rayon::join(
        || update(left, read_left, middle, true, kernel),
        || update(right, read_right, length - middle, true, kernel),
    );
}

fn reduce<const N: usize, const S: usize>(
    read: [&[f64]; N],
    length: usize,
    parallel: bool,
    kernel: &(impl Fn([&[f64]; N]) -> [f64; S] + Sync),
) -> [f64; S] {
    if length <= PIECE {
        return kernel(read);
    }
    let middle = cut(length);
    let (left, right) = split(read, middle);
    let sum_left = || reduce(left, middle, parallel, kernel);
    let sum_right = || reduce(right, length - middle, parallel, kernel);
    let (left, right) = if parallel {
        rayon::join(sum_left, sum_right)
    } else {
        (sum_left(), sum_right())
    };
    std::array::from_fn(|i| left[i] + right[i])
}

fn split<const N: usize>(vectors: [&[f64]; N], middle: usize) -> ([&[f64]; N], [&[f64]; N]) {
    (vectors.map(|x| &x[..middle]), vectors.map(|x| &x[middle..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        pool.install(work)
    }

    fn wave(length: usize, rate: f64) -> Vec<f64> {
        (0..length).map(|i| (rate * i as f64).sin()).collect()
    }

    #[test]
    fn every_entry_is_met_once() {
        for length in [0, 3, PIECE, PIECE + 3, 7 * PIECE + 9] {
            let a = wave(length, 0.1);
            let (mut x, mut y) = (wave(length, 0.7), vec![1.0; length]);
            let expected: Vec<f64> = x.iter().zip(&a).map(|(x, a)| x + 2.0 * a).collect();
            with_threads(3, || {
                for_pieces([&mut x, &mut y], [&a], &|[x, y], [a]| {
                    for ((x, y), a) in x.iter_mut().zip(y).zip(a) {
                        *x += 2.0 * a;
                        *y += 1.0;
                    }
                });
            });
            assert_eq!(x, expected);
            assert!(y.iter().all(|&times| times.to_bits() == 2.0_f64.to_bits()));
        }
    }

    #[test]
    fn sums_have_the_same_bits_on_any_number_of_threads() {
        let length = 11 * PIECE + 6;
        let (a, b) = (wave(length, 0.37), wave(length, 1.3));
        let sums = |[a, b]: [&[f64]; 2]| {
            let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            [dot, a.len() as f64]
        };
        let alone = with_threads(1, || sum_pieces([&a, &b], &sums));
        assert_eq!(alone[1].to_bits(), (length as f64).to_bits());
        let exact: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        assert!((alone[0] - exact).abs() < 1e-10);
        for threads in [2, 5] {
            let shared = with_threads(threads, || sum_pieces([&a, &b], &sums));
            assert_eq!(alone.map(f64::to_bits), shared.map(f64::to_bits));
        }
    }

    #[test]
    #[should_panic(expected = "unequal length")]
    fn unequal_lengths_are_refused() {
        for_pieces([&mut [1.0, 2.0]], [&[1.0]], &|_, _| {});
    }
}
