//! The watched pairs of features, with their layers and certificates.

use impinge_contact::penalty::{Anchor, Proximity};
use impinge_geometry::kinetic::PairKind;
use nalgebra::Vector3;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The features of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Features {
    /// A point and a triangle, or two edges (by index, the smaller first).
    Two(PairKind, [u32; 2]),
    /// A point and a half-space.
    Plane(u32, u32),
}

/// A watched pair.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) features: Features,
    /// Its points; for a half-space, all are the same.
    pub(super) points: [u32; 4],
    /// Direction of the certificate.
    pub(super) normal: Vector3<f64>,
    /// Layers `1 … depth` are active.
    pub(super) proximity: Proximity,
    /// Place of sticking, while its first layer is in compression with friction.
    pub(super) anchor: Option<Anchor>,
    /// For speculation: number of layers at the start of the window or of its repeated rest.
    pub(super) depth_at_start: u32,
    /// For speculation: later numbers of layers, with their times (s).
    pub(super) changes: Vec<(f64, u32)>,
    /// For speculation: whether it missed a layer that it now has.
    pub(super) missed: bool,
    /// For speculation: number of layers that it must keep to the end of the window.
    pub(super) kept: u32,
    /// Expiry time of its certificate (s), as in the queue.
    pub(super) due: f64,
    pub(super) generation: u32,
    /// `μ`.
    pub(super) friction: f64,
    /// Whether the slot is in use.
    pub(super) alive: bool,
}

impl Pair {
    /// Number of distinct points.
    #[inline]
    pub(super) fn distinct(&self) -> &[u32] {
        match self.features {
            Features::Two(..) => &self.points,
            Features::Plane(..) => &self.points[..1],
        }
    }
}

/// Distance, direction and weights of a pair at one instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    pub(super) distance: f64,
    pub(super) normal: Vector3<f64>,
    pub(super) weights: [f64; 4],
}

/// A hash of one multiplication and a shift: keys are short and trusted, and no result depends on their order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0.rotate_left(26) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// All pairs, by features and by point. Numbers of removed pairs are reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    slots: Vec<Pair>,
    free: Vec<u32>,
    of_features: HashMap<Features, u32, BuildHasherDefault<KeyHasher>>,
    /// Pairs at each point, in the order of insertion.
    of_point: Vec<Vec<u32>>,
}

impl Pairs {
    pub(super) fn new(points: usize) -> Self {
        Self {
            of_point: vec![Vec::new(); points],
            ..Self::default()
        }
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> &Pair {
        &self.slots[id as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, id: u32) -> &mut Pair {
        &mut self.slots[id as usize]
    }

    #[inline]
    pub(super) fn knows(&self, features: &Features) -> bool {
        self.of_features.contains_key(features)
    }

    /// The watched pair of these features, if any.
    pub(super) fn find(&self, features: &Features) -> Option<u32> {
        self.of_features.get(features).copied()
    }

    /// Number of pairs at a point.
    #[inline]
    pub(super) fn count_at(&self, point: u32) -> usize {
        self.of_point[point as usize].len()
    }

    /// The pair with index `index` at a point.
    #[inline]
    pub(super) fn at(&self, point: u32, index: usize) -> u32 {
        self.of_point[point as usize][index]
    }

    /// Number of pairs.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// All pairs, and unused slots.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Pair> + '_ {
        self.slots.iter_mut()
    }

    /// Numbers of all pairs, ascending.
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.slots.len() as u32).filter(|&id| self.get(id).alive)
    }

    pub(super) fn insert(&mut self, features: Features, points: [u32; 4], friction: f64) -> u32 {
        let id = self.free.pop().unwrap_or(self.slots.len() as u32);
        let pair = Pair {
            features,
            points,
            normal: Vector3::zeros(),
            proximity: Proximity::default(),
            anchor: None,
            depth_at_start: 0,
            changes: Vec::new(),
            missed: false,
            kept: 0,
            due: f64::INFINITY,
            // A slot keeps counting, so that events of its former pair are void.
            generation: self
                .slots
                .get(id as usize)
                .map_or(0, |pair| pair.generation),
            friction,
            alive: true,
        };
        for &point in pair.distinct() {
            self.of_point[point as usize].push(id);
        }
        self.of_features.insert(features, id);
        if (id as usize) < self.slots.len() {
            self.slots[id as usize] = pair;
        } else {
            self.slots.push(pair);
        }
        id
    }

    pub(super) fn remove(&mut self, id: u32) {
        let pair = &mut self.slots[id as usize];
        debug_assert_eq!(pair.proximity.depth, 0, "a pair with layers is not dropped");
        pair.alive = false;
        pair.generation += 1;
        pair.due = f64::INFINITY;
        let pair = &self.slots[id as usize];
        self.of_features.remove(&pair.features);
        for &point in pair.distinct() {
            let list = &mut self.of_point[point as usize];
            if let Some(place) = list.iter().position(|&known| known == id) {
                list.swap_remove(place);
            }
        }
        self.free.push(id);
    }
}
