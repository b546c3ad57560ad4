//! Statistics by kind of event.

use super::queue::EventKind;
use std::time::Duration;

/// Durations of trajectory pieces, by powers of two of a second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepHistogram {
    counts: [u64; Self::BINS],
}

impl StepHistogram {
    const BINS: usize = 48;

    /// Counts a piece of `step` (s), unless it is 0.
    #[inline]
    pub(super) fn count(&mut self, step: f64) {
        if step > 0.0 {
            // The exponent of a double: `2^-n ≤ step < 2^(1-n)`.
            let exponent = (step.to_bits() >> 52) as usize;
            let bin = 1023_usize.saturating_sub(exponent).min(Self::BINS - 1);
            self.counts[bin] += 1;
        }
    }

    /// Adds the counts of another histogram.
    pub(super) fn add(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// The counts since an earlier state.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let mut counts = self.counts;
        for (count, before) in counts.iter_mut().zip(&earlier.counts) {
            *count -= before;
        }
        Self { counts }
    }

    /// Pairs of a duration `2^-n` (s) and the number of pieces between it and twice that, longest first. The first bin
    /// includes all longer ones, the last all shorter ones. Empty bins are left out.
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
    /// Force terms evaluated, by [`ForceKind`](super::force::ForceKind).
    pub force_terms: [u64; 5],
    /// Ticks of layers, counted per pair.
    pub layer_ticks: u64,
    /// Ticks of layers in compression among them.
    pub layer_pushes: u64,
    /// Certificates of pairs that expired.
    pub slab_lapses: u64,
    /// Certificates of pairs that were rescheduled because a point left its velocity bound.
    pub slabs_redated: u64,
    /// k-DOPs that a vertex may have left.
    pub volume_lapses: u64,
    /// k-DOPs rebuilt among them.
    pub volumes_rebuilt: u64,
    /// Accepted windows of speculation.
    pub windows: u64,
    /// Repetitions of a window or of its rest.
    pub windows_returned: u64,
    /// Repetitions in which a part of the window was accepted.
    pub windows_resumed: u64,
    /// Events discarded by repetitions; the other counts exclude them.
    pub events_in_vain: u64,
    /// Velocities given to prescribed vertices.
    pub script_ticks: u64,
    /// Straight pieces of free rigid bodies, without those that start with impulses.
    pub rigid_pieces: u64,
    /// Ticks of joints, counted per joint.
    pub joint_ticks: u64,
    /// Impulses by which a vertex left its velocity bound.
    pub velocity_bounds_left: u64,
    /// Activations of layers.
    pub activations: u64,
    /// Deactivations of layers.
    pub deactivations: u64,
    /// Pairs added by the broad phase.
    pub pairs_taken_up: u64,
    /// Pairs removed by the broad phase.
    pub pairs_dropped: u64,
    /// Deepest layer ever active.
    pub deepest_layer: u32,
    /// Smallest distance at a tick of a layer in compression (m).
    pub smallest_distance: f64,
    /// Durations of trajectory pieces.
    pub steps: StepHistogram,
    /// Times, if measured.
    pub times: Times,
}

/// Run time by the categories of the profile in Harmon et al. 2012.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// By [`EventKind`], without the rescheduling by events.
    pub events: [Duration; 7],
    /// Of the forces among them, by [`ForceKind`](super::force::ForceKind).
    pub forces: [Duration; 5],
    /// Rescheduling of k-DOPs after a vertex left its velocity bound.
    pub volumes_redated: Duration,
    /// Rescheduling of certificates of pairs after a vertex left its velocity bound.
    pub slabs_redated: Duration,
}

impl Times {
    /// Time of one kind of event, without rescheduling.
    pub fn of(&self, kind: EventKind) -> Duration {
        self.events[kind as usize]
    }

    /// Time of rescheduling.
    pub fn redating(&self) -> Duration {
        self.volumes_redated + self.slabs_redated
    }

    /// Sum of all times.
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
            rigid_pieces: 0,
            joint_ticks: 0,
            velocity_bounds_left: 0,
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
    /// All events: force terms, ticks of layers per pair, expired certificates, scripts, pieces of rigid bodies,
    /// ticks of joints.
    /// Rescheduled certificates are no events.
    pub fn events(&self) -> u64 {
        self.force_terms.iter().sum::<u64>()
            + self.layer_ticks
            + self.slab_lapses
            + self.volume_lapses
            + self.script_ticks
            + self.rigid_pieces
            + self.joint_ticks
    }
}
