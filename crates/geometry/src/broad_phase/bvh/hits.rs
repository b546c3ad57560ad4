//! Overlaps of the features of a cluster with those of a list, as bits.

use super::features::CLUSTER;
use super::gathered::ROOM;

/// Words of bits for the longest list.
const WORDS: usize = ROOM.div_ceil(64);

/// Bits of the list for one feature.
#[derive(Clone, Copy, Default)]
struct Word {
    met: u64,
    feature: u32,
    /// Index of the feature in the surface.
    id: u32,
    /// Place of the first bit in the list.
    from: u32,
}

/// Pairs as words of bits.
pub(super) struct Hits {
    /// As many as the features of a cluster may give, and two more that are read ahead.
    words: [Word; 3 * CLUSTER * WORDS + 2],
    len: usize,
    pairs: u32,
    doubtful: bool,
}

impl Default for Hits {
    fn default() -> Self {
        Self {
            words: [Word::default(); 3 * CLUSTER * WORDS + 2],
            len: 0,
            pairs: 0,
            doubtful: false,
        }
    }
}

impl Hits {
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.pairs = 0;
        self.doubtful = false;
    }

    /// Records the features of the list, from a place on, that a feature meets.
    #[inline(always)]
    pub(super) fn note(&mut self, feature: usize, id: u32, from: usize, met: u64) {
        self.words[self.len] = Word {
            met,
            feature: feature as u32,
            id,
            from: from as u32,
        };
        // Written in any case, and kept if not empty: no branch to mispredict.
        self.len += usize::from(met != 0);
        self.pairs += met.count_ones();
    }

    /// Records whether single precision leaves some of the pairs undecided.
    #[inline(always)]
    pub(super) fn doubt(&mut self, whether: bool) {
        self.doubtful |= whether;
    }

    /// Whether single precision leaves some of the pairs undecided.
    #[inline(always)]
    pub(super) fn are_doubtful(&self) -> bool {
        self.doubtful
    }

    /// The indices of each pair in the surface: that of the feature, that of `ids` by the place in the list.
    #[inline(always)]
    pub(super) fn ids<'a>(&'a self, ids: &'a [u32; ROOM]) -> impl Iterator<Item = [u32; 2]> + 'a {
        let mut at = 0;
        // Read ahead, so that the next pair need not wait for it.
        let (mut met, mut next) = (self.words[0].met, self.words[1].met);
        (0..self.pairs).map(move |_| {
            let word = &self.words[at];
            // There are no bits beyond the capacity, so the remainder is the place itself.
            let place = (word.from + met.trailing_zeros()) as usize % ROOM;
            let rest = met & (met - 1);
            at += usize::from(rest == 0);
            met = if rest == 0 { next } else { rest };
            next = self.words[at + 1].met;
            [word.id, ids[place]]
        })
    }

    /// Calls for each pair: place in the cluster, place in the list.
    ///
    /// One loop over all pairs, as the number of pairs in a word is not predictable.
    #[inline(always)]
    pub(super) fn each(&self, mut pair: impl FnMut(usize, usize)) {
        let mut at = 0;
        let mut met = self.words[0].met;
        for _ in 0..self.pairs {
            let word = &self.words[at];
            pair(
                word.feature as usize,
                word.from as usize + met.trailing_zeros() as usize,
            );
            met &= met - 1;
            at += usize::from(met == 0);
            let next = self.words[at].met;
            met = if met == 0 { next } else { met };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_back_in_the_order_they_were_noted() {
        let mut hits = Hits::default();
        for _ in 0..2 {
            hits.clear();
            hits.each(|_, _| panic!("nothing was noted"));
            hits.note(3, 10 + 3, 0, 0);
            hits.note(4, 10 + 4, 64, 0b1010);
            hits.note(5, 10 + 5, 0, 0);
            hits.note(7, 10 + 7, 128, 1 << 63);
            hits.note(8, 10 + 8, 0, 0);
            let mut pairs = Vec::new();
            hits.each(|feature, place| pairs.push((feature, place)));
            assert_eq!(pairs, [(4, 65), (4, 67), (7, 191)]);
            let ids: [u32; ROOM] = std::array::from_fn(|place| 1000 + place as u32);
            let pairs: Vec<_> = hits.ids(&ids).collect();
            assert_eq!(pairs, [[14, 1065], [14, 1067], [17, 1191]]);
        }
    }

    #[test]
    fn there_is_room_for_everything() {
        let mut hits = Hits::default();
        for feature in 0..3 * CLUSTER {
            for word in 0..WORDS {
                hits.note(feature, 0, 64 * word, u64::MAX);
            }
        }
        let mut count = 0;
        hits.each(|feature, place| {
            assert_eq!((feature, place), (count / ROOM, count % ROOM));
            count += 1;
        });
        assert_eq!(count, 3 * CLUSTER * ROOM);
    }
}
