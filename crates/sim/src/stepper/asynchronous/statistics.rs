//! What happened, by kind of event.

use super::force::ForceKind;
use super::queue::EventKind;
use std::time::Duration;

/// How long vertices flew straight before an event moved them, by powers of two of a second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepHistogram {
    counts: [u64; Self::BINS],
}

impl StepHistogram {
    const BINS: usize = 48;

    /// Counts a step (s); 0 is none.
    #[inline]
    pub(super) fn count(&mut self, step: f64) {
        if step > 0.0 {
            // The exponent of a double: `2^-n ≤ step < 2^(1-n)`.
            let exponent = (step.to_bits() >> 52) as usize;
            let bin = 1023_usize.saturating_sub(exponent).min(Self::BINS - 1);
            self.counts[bin] += 1;
        }
    }

    /// Adds another count.
    pub(super) fn add(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// What came since an earlier count.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let mut counts = self.counts;
        for (count, before) in counts.iter_mut().zip(&earlier.counts) {
            *count -= before;
        }
        Self { counts }
    }

    /// Pairs of `2^-n` (s) and the number of steps at least as long but shorter than twice that, longest first; the first
    /// one holds all longer ones, too, the last one all shorter ones. Empty ones are left out.
    pub fn bins(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        (0_i32..)
            .zip(&self.counts)
            .filter(|(_, count)| **count > 0)
            .map(|(bin, &count)| (2.0_f64.powi(-bin), count))
    }
}

impl Default for StepHistogram {
    fn default() -> Self {
        Self {
            counts: [0; Self::BINS],
        }
    }
}

/// Counts since the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// Force terms evaluated, by [`ForceKind`].
    pub force_terms: [u64; 5],
    /// Layers that ticked for a pair.
    pub layer_ticks: u64,
    /// Those of them that were pressed.
    pub layer_pushes: u64,
    /// Certificates of pairs that ended.
    pub slab_lapses: u64,
    /// Certificates of pairs looked at because a point broke its promise.
    pub slabs_redated: u64,
    /// Volumes of vertices that might have been left.
    pub volume_lapses: u64,
    /// Those of them that had to be made anew.
    pub volumes_rebuilt: u64,
    /// Windows of speculation that stood.
    pub windows: u64,
    /// Times that a window, or the rest of one, was run again.
    pub windows_returned: u64,
    /// Those of them in which a part of the window stood.
    pub windows_resumed: u64,
    /// Events taken back by that; the other counts leave them out.
    pub events_in_vain: u64,
    /// Velocities given to prescribed vertices.
    pub script_ticks: u64,
    /// Kicks that broke the promise of a vertex.
    pub promises_broken: u64,
    /// Layers called.
    pub activations: u64,
    /// Layers that left.
    pub deactivations: u64,
    /// Pairs taken up by the broad phase.
    pub pairs_taken_up: u64,
    /// Pairs that it dropped.
    pub pairs_dropped: u64,
    /// Deepest layer ever called.
    pub deepest_layer: u32,
    /// Smallest distance seen at a tick of a pressed layer (m).
    pub smallest_distance: f64,
    /// Straight flights of vertices.
    pub steps: StepHistogram,
    /// Times, if they are measured.
    pub times: Times,
}

/// Where the time goes, as the paper's profile tells it apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// By [`EventKind`], without what events date anew.
    pub events: [Duration; 5],
    /// Of the forces among them, by [`ForceKind`].
    pub forces: [Duration; 5],
    /// Dating volumes anew, because a promise was broken.
    pub volumes_redated: Duration,
    /// Dating certificates of pairs anew, because a promise was broken.
    pub slabs_redated: Duration,
}

impl Times {
    /// Of one kind of event, without what it dates anew.
    pub fn of(&self, kind: EventKind) -> Duration {
        self.events[kind as usize]
    }

    /// Dating certificates anew.
    pub fn redating(&self) -> Duration {
        self.volumes_redated + self.slabs_redated
    }

    /// All of it.
    pub fn total(&self) -> Duration {
        self.events.iter().sum::<Duration>() + self.redating()
    }
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            force_terms: [0; 5],
            layer_ticks: 0,
            layer_pushes: 0,
            slab_lapses: 0,
            slabs_redated: 0,
            volume_lapses: 0,
            volumes_rebuilt: 0,
            windows: 0,
            windows_returned: 0,
            windows_resumed: 0,
            events_in_vain: 0,
            script_ticks: 0,
            promises_broken: 0,
            activations: 0,
            deactivations: 0,
            pairs_taken_up: 0,
            pairs_dropped: 0,
            deepest_layer: 0,
            smallest_distance: f64::INFINITY,
            steps: StepHistogram::default(),
            times: Times::default(),
        }
    }
}

impl Statistics {
    /// All events: force terms, ticks of layers for pairs, ends of certificates, scripts. Certificates that were only
    /// dated anew are not events.
    pub fn events(&self) -> u64 {
        self.force_terms.iter().sum::<u64>()
            + self.layer_ticks
            + self.slab_lapses
            + self.volume_lapses
            + self.script_ticks
    }

    /// Force terms of one kind.
    pub fn terms_of(&self, kind: ForceKind) -> u64 {
        self.force_terms[kind as usize]
    }
}
