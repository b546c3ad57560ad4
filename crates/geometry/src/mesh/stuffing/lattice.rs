//! The body-centred cubic lattice of the elements.
//!
//! Points are the *corners* of a grid of cubes and the cubes' *centres*. Points have doubled coordinates: corners are
//! even along all three axes, centres odd. Each tetrahedron of the lattice joins two neighbouring centres with an edge
//! of the face between them. It has two long edges of the lattice constant `a`, opposite to each other, and four short
//! ones of `√3/2 a`.

use nalgebra::Vector3;

use super::{StuffingError, StuffingOptions};

/// Layers of free cubes around the surface, so that all points on the rim are outside.
const PAD: usize = 1;

/// Most lattice points: some 0.7 GB of signs and numbers.
const MOST_POINTS: f64 = (1 << 26) as f64;

/// Largest coordinate in lattice constants: leaves a quarter of the digits for positions within one cube.
const MOST_COORDINATE: f64 = 1e12;

/// Rounding allowance for numbers of cubes, in lattice constants.
const FIT: f64 = 1e-9;

/// One of the 14 neighbours of a point: its offset in doubled coordinates.
pub(super) type Offset = [i64; 3];

/// The six neighbours along long edges, then the eight along short ones; opposite ones are 3 and 4 places apart.
pub(super) const NEIGHBOURS: [Offset; 14] = [
    [-2, 0, 0],
    [0, -2, 0],
    [0, 0, -2],
    [2, 0, 0],
    [0, 2, 0],
    [0, 0, 2],
    [-1, -1, -1],
    [-1, -1, 1],
    [-1, 1, -1],
    [-1, 1, 1],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [1, -1, -1],
];

/// Number of [`NEIGHBOURS`] along long edges.
pub(super) const LONG_NEIGHBOURS: usize = 6;

/// A finite piece of the lattice; its points are numbered along z first, the corners before the centres.
#[derive(Debug, Clone)]
pub(super) struct Lattice {
    /// Position of the lowest corner of the bounding box, which is the corner point `[PAD, PAD, PAD]`.
    anchor: Vector3<f64>,
    /// Longest side of the bounding box (m).
    longest: f64,
    /// The lattice constant `a` (m).
    pub(super) constant: f64,
    /// Cubes along each axis.
    cubes: [usize; 3],
}

impl Lattice {
    /// The lattice around a box, its constant fitted so that the longest side is a whole number of cubes.
    pub(super) fn around(
        lower: &Vector3<f64>,
        upper: &Vector3<f64>,
        options: &StuffingOptions,
    ) -> Result<Self, StuffingError> {
        let size = options.size;
        let extent = upper - lower;
        let longest = extent.max();
        let along = (longest / size - FIT).ceil().max(1.0);
        let constant = longest / along;
        let furthest = lower.amax().max(upper.amax());
        if furthest / constant > MOST_COORDINATE {
            return Err(StuffingError::TooFineForCoordinates { size, furthest });
        }
        let count =
            |axis: usize| (extent[axis] / constant - FIT).ceil().max(1.0) + (2 * PAD) as f64;
        let points = 2.0 * count(0) * count(1) * count(2);
        let coarser = coarser(longest, constant, points / MOST_POINTS);
        if points > MOST_POINTS {
            return Err(StuffingError::TooFine {
                size,
                what: "lattice points",
                needed: points,
                limit: MOST_POINTS,
                coarser,
            });
        }
        #[expect(clippy::cast_sign_loss, reason = "counts are at least 1")]
        let cubes = [count(0) as usize, count(1) as usize, count(2) as usize];
        Ok(Self {
            anchor: *lower,
            longest,
            constant,
            cubes,
        })
    }

    /// A size for which the number of cubes falls by at least the factor `excess`.
    pub(super) fn coarser(&self, excess: f64) -> f64 {
        coarser(self.longest, self.constant, excess)
    }

    /// Number of points.
    pub(super) fn len(&self) -> usize {
        let [x, y, z] = self.cubes;
        (x + 1) * (y + 1) * (z + 1) + x * y * z
    }

    /// Cubes along each axis.
    pub(super) fn cubes(&self) -> [usize; 3] {
        self.cubes
    }

    /// Number of the first centre.
    fn first_center(&self) -> usize {
        let [x, y, z] = self.cubes;
        (x + 1) * (y + 1) * (z + 1)
    }

    /// The point of doubled coordinates `place`, all of one parity and inside the lattice.
    pub(super) fn number(&self, place: [usize; 3]) -> u32 {
        let [_, y, z] = self.cubes;
        let [i, j, k] = place.map(|coordinate| coordinate / 2);
        let number = if place[0].is_multiple_of(2) {
            (i * (y + 1) + j) * (z + 1) + k
        } else {
            self.first_center() + (i * y + j) * z + k
        };
        number as u32
    }

    /// Doubled coordinates of a point.
    pub(super) fn place(&self, number: u32) -> [usize; 3] {
        let [_, y, z] = self.cubes;
        let (rest, sizes, odd) = match (number as usize).checked_sub(self.first_center()) {
            None => (number as usize, [y + 1, z + 1], 0),
            Some(rest) => (rest, [y, z], 1),
        };
        let (column, k) = (rest / sizes[1], rest % sizes[1]);
        let (i, j) = (column / sizes[0], column % sizes[0]);
        [2 * i + odd, 2 * j + odd, 2 * k + odd]
    }

    /// The point at `offset` from `place`, if the lattice has it.
    pub(super) fn neighbour(&self, place: [usize; 3], offset: Offset) -> Option<u32> {
        let mut other = [0; 3];
        for axis in 0..3 {
            other[axis] = place[axis].checked_add_signed(offset[axis] as isize)?;
            if other[axis] > 2 * self.cubes[axis] {
                return None;
            }
        }
        Some(self.number(other))
    }

    /// Coordinate along `axis` of all points with the doubled coordinate `doubled`.
    ///
    /// Strictly increasing, and the same number for every point of a lattice plane: the exact tests rely on both.
    pub(super) fn coordinate(&self, axis: usize, doubled: usize) -> f64 {
        let steps = doubled as f64 - (2 * PAD) as f64;
        self.anchor[axis] + 0.5 * self.constant * steps
    }

    /// The doubled coordinate (not rounded) of `coordinate` along `axis`.
    pub(super) fn doubled(&self, axis: usize, coordinate: f64) -> f64 {
        2.0 * (coordinate - self.anchor[axis]) / self.constant + (2 * PAD) as f64
    }

    /// Position of a point.
    pub(super) fn position(&self, number: u32) -> Vector3<f64> {
        let place = self.place(number);
        Vector3::from_fn(|axis, _| self.coordinate(axis, place[axis]))
    }

    /// The tetrahedra around the face between the cube at `cube` and the next one along `axis`, positively oriented:
    /// two centres, then two corners.
    pub(super) fn tets_at_face(&self, cube: [usize; 3], axis: usize) -> [[u32; 4]; 4] {
        let first = cube.map(|index| 2 * index + 1);
        let mut second = first;
        second[axis] += 2;
        // Counter-clockwise about the axis.
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let corner = |at_u: usize, at_v: usize| {
            let mut place = first;
            place[axis] += 1;
            place[u] = place[u] - 1 + 2 * at_u;
            place[v] = place[v] - 1 + 2 * at_v;
            self.number(place)
        };
        let ring = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
        let (first, second) = (self.number(first), self.number(second));
        [0, 1, 2, 3].map(|side| [first, second, ring[side], ring[(side + 1) % 4]])
    }
}

/// See [`Lattice::coarser`]: whole cubes along the longest side, so that fitting does not refine them again.
fn coarser(longest: f64, constant: f64, excess: f64) -> f64 {
    let wanted = 1.05 * constant * excess.cbrt();
    longest / (longest / wanted).floor().max(1.0)
}
