//! The queue of events.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What an event is. Events at the same instant run in this order: certificates before forces, so that a layer called at
/// an instant is there for what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EventKind {
    /// Prescribed vertices get their next velocity.
    Script,
    /// A vertex may leave the volume that the broad phase holds it in.
    Volume,
    /// Two features may come closer than the next layer.
    Slab,
    /// A penalty layer ticks, for all pairs that have it; of several at one instant the deepest first.
    Layer,
    /// Elastic and other forces of one clock tick.
    Force,
}

/// One entry: ordered by time, kind and number, so that no two events ever tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// The bits of a time that is not negative are ordered like the time.
    time: u64,
    kind: EventKind,
    id: u32,
    generation: u32,
}

/// An event that is due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When (s).
    pub time: f64,
    /// What.
    pub kind: EventKind,
    /// Which of its kind.
    pub id: u32,
    /// Which version of it; an older one than its owner's is void.
    pub generation: u32,
}

impl From<Entry> for Event {
    fn from(entry: Entry) -> Self {
        Self {
            time: f64::from_bits(entry.time),
            kind: entry.kind,
            id: entry.id,
            generation: entry.generation,
        }
    }
}

/// Events in the order of their times; what was re-dated stays until it comes up or is swept out.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    heap: BinaryHeap<Reverse<Entry>>,
}

impl Queue {
    /// Adds an event. One that is infinitely far away is not kept.
    #[inline]
    pub(super) fn push(&mut self, event: Event) {
        debug_assert!(event.time >= 0.0, "an event before time 0");
        if event.time == f64::INFINITY {
            return;
        }
        self.heap.push(Reverse(Entry {
            // Adding 0 turns a negative zero into a positive one.
            time: (event.time + 0.0).to_bits(),
            kind: event.kind,
            id: event.id,
            generation: event.generation,
        }));
    }

    /// The first event, if it is not later than `limit` (s).
    #[inline]
    pub(super) fn pop(&mut self, limit: f64) -> Option<Event> {
        let Reverse(entry) = *self.heap.peek()?;
        let event = Event::from(entry);
        if event.time > limit {
            return None;
        }
        self.heap.pop();
        Some(event)
    }

    /// All entries in no particular order, void ones included.
    pub(super) fn iter(&self) -> impl Iterator<Item = Event> + '_ {
        self.heap.iter().map(|Reverse(entry)| Event::from(*entry))
    }

    /// Number of entries, void ones included.
    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }

    /// Throws out the entries that `valid` (kind, id, generation) does not know.
    pub(super) fn sweep(&mut self, valid: impl Fn(EventKind, u32, u32) -> bool) {
        self.heap
            .retain(|Reverse(entry)| valid(entry.kind, entry.id, entry.generation));
    }
}
