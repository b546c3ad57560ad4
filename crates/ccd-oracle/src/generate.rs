//! Queries by number: random, degenerate, and within rounding of contact.
//!
//! Query `n` of a seed depends on these two numbers alone, so work can be divided in any way and a number identifies a
//! failure.

use crate::{Corners, Kind};

/// A query with its purpose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Generated {
    /// Purpose of the query.
    pub family: Family,
    /// Kind of the primitives.
    pub kind: Kind,
    /// Corners at the start.
    pub start: Corners,
    /// Corners at the end.
    pub end: Corners,
    /// Distance at which the primitives touch.
    pub separation: f64,
}

/// Purpose of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Arbitrary corners in a cube: half of the queries pass at a distance.
    Uniform,
    /// An exact contact at a dyadic time.
    Contact,
    /// A contact with some end coordinates changed by little, down to one unit in the last place.
    NearContact,
    /// A contact at the very end of the step, or just beyond it.
    Grazing,
    /// Corners on a tiny lattice: parallel edges, collapsed triangles, coincident corners, rest.
    Lattice,
    /// Nearly parallel edges, nearly collapsed triangles.
    Sliver,
    /// Touching, or nearly touching, at the start.
    CoincidentStart,
    /// All corners in one plane, or nearly so, at all times.
    Coplanar,
    /// A near contact far from the origin.
    FarAway,
    /// A near contact with coordinates of very different or extreme magnitude.
    Magnitude,
    /// No motion, or the same motion of all corners.
    Rigid,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 11] = [
        Self::Uniform,
        Self::Contact,
        Self::NearContact,
        Self::Grazing,
        Self::Lattice,
        Self::Sliver,
        Self::CoincidentStart,
        Self::Coplanar,
        Self::FarAway,
        Self::Magnitude,
        Self::Rigid,
    ];
}

/// Query number `number` of the sequence `seed`. Families and kinds take turns.
pub fn query(seed: u64, number: u64) -> Generated {
    let mut random = Random::new(seed, number);
    let families = Family::ALL.len() as u64;
    let family = Family::ALL[(number % families) as usize];
    let kind = if (number / families).is_multiple_of(2) {
        Kind::VertexFace
    } else {
        Kind::EdgeEdge
    };
    let (start, mut end) = match family {
        Family::Uniform => {
            let reach = random.choose(&[0.1, 1.0, 3.0]);
            let start = random.corners(|random| random.between(-1.0, 1.0));
            let step = random.corners(|random| random.between(-reach, reach));
            (start, combine(&start, &step, |x, d| x + d))
        }
        Family::Contact | Family::NearContact => random.contact(kind, 1.0),
        Family::Grazing => {
            // Cut just before or just after the contact, which is at the end of the exact motion.
            let (start, end) = random.contact_at(kind, 1.0, 1.0);
            let bits = random.choose(&[20, 40, 50, 52, 53]);
            let cut = 1.0 + random.choose(&[-1.0, 1.0]) * 2_f64.powi(-bits);
            (start, combine(&start, &end, |x, y| x + (y - x) * cut))
        }
        Family::Lattice => {
            let mut place = |random: &mut Random| random.choose(&[-1.0, 0.0, 1.0]);
            (random.corners(&mut place), random.corners(&mut place))
        }
        Family::Sliver => random.sliver(kind),
        Family::CoincidentStart => {
            // The reversed motion has the contact at its end, so this one has it at its start.
            let (start, end) = random.contact_at(kind, 1.0, 1.0);
            (end, start)
        }
        Family::Coplanar => random.coplanar(kind),
        Family::FarAway => {
            let shift = 2_f64.powi(random.below(60) as i32);
            let (start, end) = random.contact(kind, 1.0);
            let direction: [f64; 3] = std::array::from_fn(|_| random.choose(&[-1.0, 0.0, 1.0]));
            let moved = |corners: Corners| {
                corners.map(|x| std::array::from_fn(|c| x[c] + shift * direction[c]))
            };
            (moved(start), moved(end))
        }
        Family::Magnitude => {
            let (start, end) = random.contact(kind, 1.0);
            let common = random.choose(&[-1040, -1000, -300, -100, 0, 0, 100, 240, 300, 900]);
            let stretch: [f64; 3] =
                std::array::from_fn(|_| 2_f64.powi(common + random.below(41) as i32 - 20));
            let scaled =
                |corners: Corners| corners.map(|x| std::array::from_fn(|c| x[c] * stretch[c]));
            (scaled(start), scaled(end))
        }
        Family::Rigid => {
            let start = random.contact(kind, 1.0).1;
            let step = random.choose(&[0.0, 0.25, 1e-17]);
            let along: [f64; 3] = std::array::from_fn(|_| step * random.between(-1.0, 1.0));
            (
                start,
                start.map(|x| std::array::from_fn(|c| x[c] + along[c])),
            )
        }
    };
    if !matches!(family, Family::Uniform | Family::Contact | Family::Lattice) {
        random.disturb(&mut end);
    }
    let separation = random.separation(&start, &end);
    Generated {
        family,
        kind,
        start,
        end,
        separation,
    }
}

fn combine(a: &Corners, b: &Corners, f: impl Fn(f64, f64) -> f64) -> Corners {
    std::array::from_fn(|k| std::array::from_fn(|c| f(a[k][c], b[k][c])))
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014,
/// <https://doi.org/10.1145/2660193.2660195>): short, and independent of the versions of a library.
struct Random(u64);

impl Random {
    fn new(seed: u64, number: u64) -> Self {
        let mut random = Self(seed);
        let mixed = random.next();
        Self(mixed ^ number.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn between(&mut self, lower: f64, upper: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        lower + (upper - lower) * unit
    }

    fn choose<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    fn corners(&mut self, mut coordinate: impl FnMut(&mut Self) -> f64) -> Corners {
        let mut corners = [[0.0; 3]; 4];
        for x in corners.as_flattened_mut() {
            *x = coordinate(self);
        }
        corners
    }

    /// A coordinate of few digits, so that sums and products of a few coordinates are exact.
    fn short(&mut self) -> f64 {
        match self.below(4) {
            0 => self.choose(&[-1.0, 0.0, 1.0]),
            1 => (self.below(1 << 20) as f64 - 524_288.0) / 65536.0,
            _ => (self.below(129) as f64 - 64.0) / 4.0,
        }
    }

    fn contact(&mut self, kind: Kind, scale: f64) -> (Corners, Corners) {
        let time = self.choose(&[1.0, 0.5, 0.25, 0.125, 0.75, 0.375]);
        self.contact_at(kind, time, scale)
    }

    /// A motion with a contact at `time`; exact if `time` is a power of two.
    fn contact_at(&mut self, kind: Kind, time: f64, scale: f64) -> (Corners, Corners) {
        let start = self.corners(|random| scale * random.short());
        let mut at = self.corners(|random| scale * random.short());
        self.close(kind, &mut at);
        (start, combine(&start, &at, |x, y| x + (y - x) / time))
    }

    /// Moves the first corner so that the primitives touch, exactly for few digits.
    fn close(&mut self, kind: Kind, at: &mut Corners) {
        let mut eighths = [self.below(9), self.below(9)];
        eighths.sort_unstable();
        let weights = [eighths[0], eighths[1] - eighths[0], 8 - eighths[1]].map(|w| w as f64 / 8.0);
        let parameter = self.choose(&[0.0, 0.5, 0.75, 0.875]);
        for c in 0..3 {
            at[0][c] = match kind {
                Kind::VertexFace => (0..3).map(|k| weights[k] * at[k + 1][c]).sum(),
                // a0 + s (a1 − a0) = q solved for a0, with 1 − s a power of two.
                Kind::EdgeEdge => {
                    let q = at[2][c] * (weights[0] + weights[1]) + at[3][c] * weights[2];
                    (q - parameter * at[1][c]) / (1.0 - parameter)
                }
            };
        }
    }

    /// A contact of primitives that are nearly collapsed, or nearly parallel, at its time or always.
    fn sliver(&mut self, kind: Kind) -> (Corners, Corners) {
        let time = self.choose(&[1.0, 0.5, 0.25]);
        let thinness = 2_f64.powi(-(self.below(52) as i32));
        let always = self.below(2) == 0;
        let flatten = |random: &mut Self, corners: &mut Corners| {
            let along: [f64; 3] = std::array::from_fn(|_| random.short());
            for k in 1..4 {
                let step = random.short();
                for c in 0..3 {
                    corners[k][c] = corners[1][c] + step * along[c] + thinness * corners[k][c];
                }
            }
        };
        let mut start = self.corners(Self::short);
        let mut at = self.corners(Self::short);
        if always {
            flatten(self, &mut start);
        }
        flatten(self, &mut at);
        self.close(kind, &mut at);
        (start, combine(&start, &at, |x, y| x + (y - x) / time))
    }

    /// A motion within a plane, or slightly out of it.
    fn coplanar(&mut self, kind: Kind) -> (Corners, Corners) {
        let (mut start, mut end) = self.contact(kind, 1.0);
        let axis = self.below(3) as usize;
        let lift = self.choose(&[0.0, 0.0, 1e-40, 1e-16, 1e-8]);
        for corner in start.iter_mut().chain(&mut end) {
            corner[axis] *= lift;
        }
        // Rotated out of the coordinate plane, exactly.
        if self.below(2) == 0 {
            let other = (axis + 1) % 3;
            for corner in start.iter_mut().chain(&mut end) {
                corner[axis] += corner[other];
            }
        }
        (start, end)
    }

    /// Changes some coordinates by little: one unit in the last place, or up to a millionth.
    fn disturb(&mut self, corners: &mut Corners) {
        if self.below(4) == 0 {
            return;
        }
        for x in corners.as_flattened_mut() {
            if *x == 0.0 {
                // Rarely a number next to zero, which makes integers of a thousand digits.
                *x = match self.below(256) {
                    0 => f64::from_bits(1),
                    1..16 => 2_f64.powi(-40),
                    _ => 0.0,
                };
                continue;
            }
            match self.below(6) {
                0 => *x = x.next_up(),
                1 => *x = x.next_down(),
                2 => {
                    let size = 2_f64.powi(-30 - self.below(25) as i32);
                    *x += *x * self.between(-8.0, 8.0) * size;
                }
                _ => {}
            }
        }
    }

    /// Mostly zero, else of the order of the distances between corners, sometimes exactly one of them.
    fn separation(&mut self, start: &Corners, end: &Corners) -> f64 {
        let at = if self.below(2) == 0 { start } else { end };
        let distance = (0..3)
            .map(|c| (at[0][c] - at[2][c]).abs())
            .fold(0.0, f64::max);
        let chosen = match self.below(10) {
            0 => distance,
            1 => distance * self.between(0.0, 1.0),
            2 => distance * 1e-6,
            _ => 0.0,
        };
        if chosen.is_finite() { chosen } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_names_one_query_of_finite_numbers() {
        for number in 0..20_000 {
            let generated = query(1, number);
            assert_eq!(generated, query(1, number));
            assert!(
                generated
                    .start
                    .iter()
                    .chain(&generated.end)
                    .flatten()
                    .all(|x| x.is_finite()),
                "{number}: {generated:?}"
            );
        }
        assert_ne!(query(1, 0), query(2, 0));
    }
}
