//! Pairs from several lists, in ascending order.

use rayon::prelude::*;

use super::lanes::{LANES, Lanes, OnLanes, on_widest};

/// Longest run of pairs with the same first feature that is ordered by counting; most have one to six.
const SHORT: usize = 2 * LANES;

/// Least number of pairs and features of a part of the work. Every part reads all lists, so a few large ones are best.
const LEAST_PART: usize = 1 << 14;

type Pair = [u32; 2];

/// Scratch of [`merge`].
#[derive(Default)]
pub(super) struct Scratch {
    /// Number of pairs of each first feature, then the end of its run.
    ends: Vec<u32>,
    /// Second features in the order of the first ones, and space for reading beyond them.
    seconds: Vec<u32>,
}

/// Writes all pairs of `lists` to `out`, ascending. First features are below `features`.
///
/// A counting sort by the first feature, then one by the second within each short run: two passes over the lists and
/// one over the runs.
pub(super) fn merge<'a>(
    lists: impl Iterator<Item = &'a [Pair]> + Clone + Send + Sync,
    features: usize,
    scratch: &mut Scratch,
    out: &mut Vec<Pair>,
) {
    let Scratch { ends, seconds } = scratch;
    let total: usize = lists.clone().map(<[Pair]>::len).sum();
    // Not cleared: all of it is overwritten below.
    out.resize(total, [0; 2]);
    ends.resize(features, 0);
    if total == 0 {
        return;
    }
    if u32::try_from(total).is_err() {
        // More than 32 GB of pairs: beyond the range of `ends`.
        let mut rest = out.as_mut_slice();
        for list in lists {
            let (own, others) = rest.split_at_mut(list.len());
            own.copy_from_slice(list);
            rest = others;
        }
        out.par_sort_unstable();
        return;
    }
    let parts = rayon::current_num_threads()
        .min(features.max(total) / LEAST_PART)
        .max(1);
    let part = features.div_ceil(parts);
    if parts == 1 {
        count(lists.clone(), 0, ends);
        seconds.resize(total + SHORT, 0);
        on_widest(PairPlacer {
            lists,
            from: 0,
            ends,
            seconds,
            out,
        });
        return;
    }
    let counts: Vec<usize> = ends
        .par_chunks_mut(part)
        .enumerate()
        .map(|(index, ends)| count(lists.clone(), index * part, ends))
        .collect();
    seconds.resize(total + counts.len() * SHORT, 0);
    let (mut rest, mut rest_of_seconds) = (out.as_mut_slice(), seconds.as_mut_slice());
    let mut parts = Vec::with_capacity(counts.len());
    for ((index, count), ends) in counts.into_iter().enumerate().zip(ends.chunks_mut(part)) {
        let (out, others) = rest.split_at_mut(count);
        let (seconds, other_seconds) = rest_of_seconds.split_at_mut(count + SHORT);
        parts.push(PairPlacer {
            lists: lists.clone(),
            from: index * part,
            ends,
            seconds,
            out,
        });
        (rest, rest_of_seconds) = (others, other_seconds);
    }
    parts.into_par_iter().for_each(on_widest);
}

/// Counts the pairs by first feature, from `from` on; returns their number.
fn count<'a>(lists: impl Iterator<Item = &'a [Pair]>, from: usize, counts: &mut [u32]) -> usize {
    counts.fill(0);
    let mut total = 0;
    for list in lists {
        for &[first, _] in list {
            if let Some(count) = counts.get_mut((first as usize).wrapping_sub(from)) {
                *count += 1;
                total += 1;
            }
        }
    }
    total
}

/// Moves counted pairs to their places.
struct PairPlacer<'a, L> {
    lists: L,
    /// First of the first features.
    from: usize,
    ends: &'a mut [u32],
    /// [`SHORT`] longer than the number of pairs.
    seconds: &'a mut [u32],
    out: &'a mut [Pair],
}

impl<'a, L: Iterator<Item = &'a [Pair]>> OnLanes for PairPlacer<'_, L> {
    type Output = ();

    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        let Self {
            lists,
            from,
            ends,
            seconds,
            out,
        } = self;
        let mut start = 0;
        for end in ends.iter_mut() {
            start += std::mem::replace(end, start);
        }
        for list in lists {
            for &[first, second] in list {
                if let Some(end) = ends.get_mut((first as usize).wrapping_sub(from)) {
                    seconds[*end as usize] = second;
                    *end += 1;
                }
            }
        }
        let mut start = 0;
        for (first, &end) in (from as u32..).zip(&*ends) {
            let end = end as usize;
            if end - start > SHORT {
                let run = &mut seconds[start..end];
                run.sort_unstable();
                for (pair, &second) in out[start..end].iter_mut().zip(&*run) {
                    *pair = [first, second];
                }
            } else if end > start {
                place_run(
                    lanes,
                    first,
                    end - start,
                    &seconds[start..],
                    &mut out[start..],
                );
            }
            start = end;
        }
    }
}

/// Moves the first `len` second features to their places.
///
/// Four at a time, as lengths of runs are not predictable. Surplus entries lie after the run, and the next run
/// overwrites them.
#[inline(always)]
fn place_run(lanes: impl Lanes, first: u32, len: usize, seconds: &[u32], out: &mut [Pair]) {
    let (run, _) = seconds[..SHORT].as_chunks();
    let within = !(u32::MAX << len);
    for from in (0..len).step_by(4) {
        for place in from..from + 4 {
            let own = seconds[place];
            let less = lanes.less(&run[0], own) | lanes.less(&run[1], own) << LANES;
            let rank = (less & within).count_ones() as usize;
            let rank = if place < len { rank } else { place };
            if let Some(pair) = out.get_mut(rank) {
                *pair = [first, own];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of `count` features in lists, some features with many and most with none or a few.
    fn lists(features: u32, pairs: u32) -> Vec<Vec<Pair>> {
        let mut state = 1_u64;
        let mut next = |bound: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(bound)) as u32
        };
        let mut all: Vec<Pair> = (0..pairs)
            .map(|pair| {
                let first = if pair % 3 == 0 {
                    next(5)
                } else {
                    next(features)
                };
                [first, next(1_000_000)]
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        // An order other than the sorted one.
        all.sort_by_key(|pair| pair[1] % 1009);
        all.chunks(700).map(<[Pair]>::to_vec).collect()
    }

    #[test]
    fn pairs_ascend_for_any_number_of_threads_and_whatever_was_there() {
        for (features, pairs) in [(1, 0), (1, 1), (5, 40), (60_000, 90_000)] {
            let lists = lists(features, pairs);
            let mut expected = lists.concat();
            expected.sort_unstable();
            for threads in [1, 2, 5] {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .expect("threads");
                let mut scratch = Scratch {
                    ends: vec![7; 3],
                    seconds: vec![9; 11],
                };
                let mut out = vec![[9, 9]; 11];
                for _ in 0..2 {
                    pool.install(|| {
                        merge(
                            lists.iter().map(Vec::as_slice),
                            features.max(5) as usize,
                            &mut scratch,
                            &mut out,
                        );
                    });
                    assert_eq!(out, expected, "{features} {pairs} {threads}");
                }
            }
        }
    }
}
