//! Polynomial conditions in time for a pair of features to be within the separation.
//!
//! The distance of two primitives is the least distance of those pairs of features whose closest points lie inside
//! both. With `s` the separation, and the corners moving, the conditions of each pair are these:
//!
//! | pair | lines or planes within `s` | closest points inside | meaningful if |
//! |---|---|---|---|
//! | vertex `p`, face `abc` | `((p − a) · n)² ≤ s² n·n`, `n = (b − a) × (c − a)` | weights times `n·n ≥ 0` | `n ≠ 0` |
//! | edges `u`, `v` | `((b0 − a0) · n)² ≤ s² n·n`, `n = u × v` | parameters times `n·n`, in `[0, n·n]` | `n ≠ 0` |
//! | vertex `p`, edge `e` from `a` | `((p − a) × e)² ≤ s² e·e` | `0 ≤ (p − a) · e ≤ e·e` | `e ≠ 0` |
//! | vertices | `(p − q)² ≤ s²` | | always |
//!
//! For `s = 0`, the condition is that the squared quantity vanishes. A feature that is not meaningful at some time has
//! collapsed into others, whose pairs are tested too. So the union over all pairs is exactly the set of times of
//! contact. It is closed because distance is continuous in time.

use num_bigint::BigInt;
use num_traits::Zero;

use crate::bernstein::{Bernstein, dyadic};
use crate::constraint::Constraint;
use crate::form::{Form, Form3, cross, difference, dot};
use crate::{Corners, Kind};

/// Conditions of one pair of features; the pair is within the separation if all hold.
#[derive(Clone, Debug)]
pub(crate) struct FeaturePair(Vec<Constraint>);

impl FeaturePair {
    pub(crate) fn constraints(&self) -> &[Constraint] {
        &self.0
    }
}

/// All pairs of features that may come within the separation; `None` if the numbers form no valid query.
pub(crate) fn pairs(
    kind: Kind,
    start: &Corners,
    end: &Corners,
    separation: f64,
) -> Option<Vec<FeaturePair>> {
    let numbers = || start.iter().chain(end).flatten().copied();
    if !numbers().chain([separation]).all(f64::is_finite) || separation < 0.0 {
        return None;
    }
    let unit = numbers()
        .chain([separation])
        .filter(|x| *x != 0.0)
        .map(|x| dyadic(x).1)
        .min()
        .unwrap_or(0);
    let integer = |x: f64| {
        let (mantissa, exponent) = dyadic(x);
        mantissa << (exponent - unit).max(0).unsigned_abs()
    };
    let corner = |k: usize| -> Form3 {
        std::array::from_fn(|c| Form::linear(&integer(start[k][c]), &integer(end[k][c])))
    };
    let pairs = Pairs {
        separation: integer(separation),
        coplanarity: None,
    };
    Some(match kind {
        Kind::VertexFace => pairs.vertex_face(&std::array::from_fn(corner)),
        Kind::EdgeEdge => pairs.edge_edge(&std::array::from_fn(corner)),
    })
}

struct Pairs {
    separation: BigInt,
    /// For separation zero: contact needs all four corners in one plane, which excludes most queries at once.
    coplanarity: Option<Constraint>,
}

impl Pairs {
    fn vertex_face(mut self, [p, a, b, c]: &[Form3; 4]) -> Vec<FeaturePair> {
        let (ab, ac, ap) = (difference(b, a), difference(c, a), difference(p, a));
        if self.apart_along_an_axis(&[ap.clone(), difference(p, b), difference(p, c)]) {
            return Vec::new();
        }
        let normal = cross(&ab, &ac);
        let Some(near) = self.plane(&normal, &ap) else {
            return Vec::new();
        };
        let squared = dot(&normal, &normal);
        let weight_b = dot(&cross(&ap, &ac), &normal);
        let weight_c = dot(&cross(&ab, &ap), &normal);
        let weight_a = squared.minus(&weight_b).minus(&weight_c);
        let mut pairs = vec![FeaturePair(vec![
            near,
            not_negative(&weight_a),
            not_negative(&weight_b),
            not_negative(&weight_c),
            positive(&squared),
        ])];
        for (from, to) in [(a, b), (b, c), (c, a)] {
            pairs.push(self.vertex_edge(p, from, to));
        }
        for corner in [a, b, c] {
            pairs.push(self.vertices(p, corner));
        }
        pairs
    }

    fn edge_edge(mut self, [a0, a1, b0, b1]: &[Form3; 4]) -> Vec<FeaturePair> {
        let (u, v, w) = (difference(a1, a0), difference(b1, b0), difference(b0, a0));
        let differences = [
            w.clone(),
            difference(b0, a1),
            difference(b1, a0),
            difference(b1, a1),
        ];
        if self.apart_along_an_axis(&differences) {
            return Vec::new();
        }
        let normal = cross(&u, &v);
        let Some(near) = self.plane(&normal, &w) else {
            return Vec::new();
        };
        let squared = dot(&normal, &normal);
        // u α − v β = w in the common plane (Cramer's rule).
        let alpha = dot(&cross(&w, &v), &normal);
        let beta = dot(&cross(&w, &u), &normal);
        let mut pairs = vec![FeaturePair(vec![
            near,
            not_negative(&alpha),
            not_negative(&squared.minus(&alpha)),
            not_negative(&beta),
            not_negative(&squared.minus(&beta)),
            positive(&squared),
        ])];
        for (end, from, to) in [(a0, b0, b1), (a1, b0, b1), (b0, a0, a1), (b1, a0, a1)] {
            pairs.push(self.vertex_edge(end, from, to));
        }
        for (end, other) in [(a0, b0), (a0, b1), (a1, b0), (a1, b1)] {
            pairs.push(self.vertices(end, other));
        }
        pairs
    }

    /// Whether all differences of corners stay beyond the separation on one side along some axis.
    ///
    /// They are linear, so their values at both ends decide.
    fn apart_along_an_axis(&self, differences: &[Form3]) -> bool {
        let below = -&self.separation;
        (0..3).any(|c| {
            let mut values = differences.iter().flat_map(|d| &d[c].0);
            values.clone().all(|x| *x > self.separation) || values.all(|x| *x < below)
        })
    }

    /// The planes are at most the separation apart; `None` if they never are, which holds for every other pair of
    /// features too.
    fn plane(&mut self, normal: &Form3, offset: &Form3) -> Option<Constraint> {
        let height = dot(normal, offset);
        if self.separation.is_zero() {
            let zero = zero(&height);
            if zero.fails_throughout() {
                return None;
            }
            self.coplanarity = Some(zero.clone());
            return Some(zero);
        }
        let reach = dot(normal, normal).times(&self.separation_squared());
        Some(not_negative(&reach.minus(&height.times(&height))))
    }

    fn vertex_edge(&self, p: &Form3, from: &Form3, to: &Form3) -> FeaturePair {
        let (edge, offset) = (difference(to, from), difference(p, from));
        let squared = dot(&edge, &edge);
        let along = dot(&offset, &edge);
        let area = cross(&offset, &edge);
        let mut constraints = self.vanishing_or_within(&area, &squared);
        constraints.extend([
            not_negative(&along),
            not_negative(&squared.minus(&along)),
            positive(&squared),
        ]);
        FeaturePair(constraints)
    }

    fn vertices(&self, p: &Form3, q: &Form3) -> FeaturePair {
        let one = Form::constant(BigInt::from(1));
        FeaturePair(self.vanishing_or_within(&difference(p, q), &one))
    }

    /// `vector · vector ≤ s² weight`.
    fn vanishing_or_within(&self, vector: &Form3, weight: &Form) -> Vec<Constraint> {
        if self.separation.is_zero() {
            return self
                .coplanarity
                .iter()
                .cloned()
                .chain(vector.iter().map(zero))
                .collect();
        }
        let reach = weight.times(&self.separation_squared());
        vec![not_negative(&reach.minus(&dot(vector, vector)))]
    }

    fn separation_squared(&self) -> Form {
        Form::constant(&self.separation * &self.separation)
    }
}

fn zero(form: &Form) -> Constraint {
    Constraint::Zero(Bernstein::of(form))
}

fn not_negative(form: &Form) -> Constraint {
    Constraint::NotNegative(Bernstein::of(form))
}

fn positive(form: &Form) -> Constraint {
    Constraint::Positive(Bernstein::of(form))
}
