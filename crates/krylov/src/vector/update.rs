//! Updates in place: each entry is computed independently of the others, so the result does not depend on threads.

use super::reduce::block_dot;
use super::{BLOCK, PARALLEL_PIECE, cut, pays};

/// `x ← a x`.
pub fn scale(a: f64, x: &mut [f64]) {
    for value in x {
        *value *= a;
    }
}

/// `y ← y + a x`.
///
/// # Panics
/// If the lengths differ.
#[track_caller]
pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    assert_eq!(x.len(), y.len(), "vectors of unequal length");
    zip_update(x, y, pays(x.len()), &|x, y| {
        for (x, y) in x.iter().zip(y) {
            *y += a * x;
        }
    });
}

/// `y ← x + b y`.
///
/// # Panics
/// If the lengths differ.
#[track_caller]
pub fn xpby(x: &[f64], b: f64, y: &mut [f64]) {
    assert_eq!(x.len(), y.len(), "vectors of unequal length");
    zip_update(x, y, pays(x.len()), &|x, y| {
        for (x, y) in x.iter().zip(y) {
            *y = x + b * *y;
        }
    });
}

/// The step of every conjugate-direction method in one pass: `x ← x + a p`, `r ← r − a q`; returns the new `r · r`,
/// with the bits of [`norm_squared`](super::norm_squared).
///
/// # Panics
/// If the lengths differ.
#[track_caller]
pub fn advance(a: f64, p: &[f64], q: &[f64], x: &mut [f64], r: &mut [f64]) -> f64 {
    let n = p.len();
    assert!(
        q.len() == n && x.len() == n && r.len() == n,
        "vectors of unequal length"
    );
    tree_advance(a, [p, q], [x, r], pays(n))
}

fn zip_update(
    x: &[f64],
    y: &mut [f64],
    parallel: bool,
    kernel: &(impl Fn(&[f64], &mut [f64]) + Sync),
) {
    if !parallel || x.len() <= PARALLEL_PIECE {
        return kernel(x, y);
    }
    let middle = cut(x.len());
    let (x0, x1) = x.split_at(middle);
    let (y0, y1) = y.split_at_mut(middle);
    rayon::join(
        || zip_update(x0, y0, true, kernel),
        || zip_update(x1, y1, true, kernel),
    );
}

/// [`advance`] of `[x, r]` along the directions `[p, q]`, in halves of the vectors.
fn tree_advance(a: f64, [p, q]: [&[f64]; 2], [x, r]: [&mut [f64]; 2], parallel: bool) -> f64 {
    if p.len() <= BLOCK {
        for (x, p) in x.iter_mut().zip(p) {
            *x += a * p;
        }
        for (r, q) in r.iter_mut().zip(q) {
            *r -= a * q;
        }
        return block_dot(r, r);
    }
    let middle = cut(p.len());
    let (p0, p1) = p.split_at(middle);
    let (q0, q1) = q.split_at(middle);
    let (x0, x1) = x.split_at_mut(middle);
    let (r0, r1) = r.split_at_mut(middle);
    let (left, right) = if parallel && p.len() > PARALLEL_PIECE {
        rayon::join(
            || tree_advance(a, [p0, q0], [x0, r0], true),
            || tree_advance(a, [p1, q1], [x1, r1], true),
        )
    } else {
        (
            tree_advance(a, [p0, q0], [x0, r0], false),
            tree_advance(a, [p1, q1], [x1, r1], false),
        )
    };
    left + right
}
