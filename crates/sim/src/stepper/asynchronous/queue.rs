//! The queue of events.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Kinds of events. Events at the same instant run in this order: certificates before forces, so that a layer activated
/// at an instant acts at that instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EventKind {
    /// Prescribed vertices get their next velocity.
    Script,
    /// The points of a free rigid body get the velocities of its next straight piece.
    Rigid,
    /// A vertex may leave its k-DOP in the broad phase.
    Volume,
    /// Two features may come closer than the thickness of the next layer.
    Slab,
    /// A penalty layer ticks for all of its pairs; at one instant, the deepest layer first.
    Layer,
    /// Elastic and other forces of one clock tick.
    Force,
    /// Joints of one clock tick, after all impulses that their forces shall answer.
    Joint,
}

/// An entry of the queue, ordered by time, kind and number, so that two entries never tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// Non-negative floating-point numbers have the order of their bits.
    time: u64,
    kind: EventKind,
    id: u32,
    generation: u32,
}

/// A scheduled event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Time (s).
    pub time: f64,
    /// Kind.
    pub kind: EventKind,
    /// Number within its kind.
    pub id: u32,
    /// Version; the event is void if its owner has a newer one.
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

/// Events in the order of their times. Void entries stay until they are popped or removed.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    heap: BinaryHeap<Reverse<Entry>>,
}

impl Queue {
    /// Adds an event, unless its time is infinite.
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

    /// Removes the entries for which `valid` (kind, id, generation) is false.
    pub(super) fn remove_void(&mut self, valid: impl Fn(EventKind, u32, u32) -> bool) {
        self.heap
            .retain(|Reverse(entry)| valid(entry.kind, entry.id, entry.generation));
    }
}
