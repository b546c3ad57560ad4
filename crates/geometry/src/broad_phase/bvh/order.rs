//! Pairs from several lists, in ascending order.

use rayon::prelude::*;

/// Runs of pairs with the same first feature are sorted by insertion up to this length: nearly all have one to three.
const SHORT: usize = 16;

/// Pairs and features for each part of the work: parts read all lists, so a few large ones are best.
const LEAST_PART: usize = 1 << 14;

type Pair = [u32; 2];

/// Writes all pairs of `lists` to `out`, ascending. `ends` is scratch; first features are below `features`.
///
/// Pairs are counted by their first feature, put into the place that follows, and the short runs that arise are sorted:
/// two passes over the lists in place of a sort over all.
pub(super) fn merge<'a>(
    lists: impl Iterator<Item = &'a [Pair]> + Clone + Sync,
    features: usize,
    ends: &mut Vec<u32>,
    out: &mut Vec<Pair>,
) {
    let total = lists.clone().map(<[Pair]>::len).sum();
    // Not cleared: all of it is written below.
    out.resize(total, [0; 2]);
    ends.resize(features, 0);
    if total == 0 {
        return;
    }
    if u32::try_from(total).is_err() {
        // More than 32 GB of pairs: beyond what is counted in `ends`.
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
        place(lists, 0, ends, out);
        return;
    }
    let counts: Vec<usize> = ends
        .par_chunks_mut(part)
        .enumerate()
        .map(|(index, ends)| count(lists.clone(), index * part, ends))
        .collect();
    let mut rest = out.as_mut_slice();
    let mut outs = Vec::with_capacity(counts.len());
    for count in counts {
        let (own, others) = rest.split_at_mut(count);
        outs.push(own);
        rest = others;
    }
    ends.par_chunks_mut(part)
        .zip(outs)
        .enumerate()
        .for_each(|(index, (ends, out))| place(lists.clone(), index * part, ends, out));
}

/// Counts the pairs by first feature, from `from` on; their number is returned.
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

/// Puts the pairs that were counted into their places.
fn place<'a>(
    lists: impl Iterator<Item = &'a [Pair]>,
    from: usize,
    ends: &mut [u32],
    out: &mut [Pair],
) {
    let mut start = 0;
    for end in ends.iter_mut() {
        start += std::mem::replace(end, start);
    }
    for list in lists {
        for &pair in list {
            if let Some(end) = ends.get_mut((pair[0] as usize).wrapping_sub(from)) {
                out[*end as usize] = pair;
                *end += 1;
            }
        }
    }
    let mut start = 0;
    for &end in &*ends {
        let run = &mut out[start as usize..end as usize];
        if run.len() > SHORT {
            run.sort_unstable_by_key(|pair| pair[1]);
        } else {
            for next in 1..run.len() {
                let mut place = next;
                while place > 0 && run[place - 1][1] > run[place][1] {
                    run.swap(place - 1, place);
                    place -= 1;
                }
            }
        }
        start = end;
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
        // Not the order they are wanted in.
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
                let (mut ends, mut out) = (vec![7; 3], vec![[9, 9]; 11]);
                for _ in 0..2 {
                    pool.install(|| {
                        merge(
                            lists.iter().map(Vec::as_slice),
                            features.max(5) as usize,
                            &mut ends,
                            &mut out,
                        );
                    });
                    assert_eq!(out, expected, "{features} {pairs} {threads}");
                }
            }
        }
    }
}
