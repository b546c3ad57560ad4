//! The inner part of a lattice tetrahedron, cut into tetrahedra.
//!
//! The quadrilateral that the surface cuts from a lattice face must be split alike from both sides, so the rule depends
//! on the face alone. Of its two inner corners, the diagonal starts at the one that a short edge joins to the outer
//! corner; if both edges are short, at the one of smaller number. (The paper decides those by a parity; both choices
//! are mirror images, so the angles are the same.) Around the outer corner of a tetrahedron, the two faces at its long
//! edge then agree. So the three diagonals of the prism under it never form a cycle, which no tetrahedra could fill.

use super::inside::Sign;
use crate::few::Few;

/// A node of the mesh: a lattice point, or a crossing numbered after all lattice points.
pub(super) type Key = u32;

/// Properties of the surrounding mesh that a stencil needs.
pub(super) trait Nodes {
    /// Sign of a lattice point.
    fn sign(&self, point: u32) -> Sign;
    /// The crossing between an inner and an outer lattice point.
    fn cut(&self, inner: u32, outer: u32) -> Key;
    /// Whether the first of two fillings of the same space has the better angles.
    fn is_better(&self, first: &[[Key; 4]], second: &[[Key; 4]]) -> bool;
}

/// Whether a long edge joins two corners: it joins 0 and 1, and 2 and 3.
fn joined_by_long_edge(first: usize, second: usize) -> bool {
    (first < 2) == (second < 2)
}

/// Adds the part of the tetrahedron `corners` that lies inside; the caller sets the orientation.
pub(super) fn fill(corners: [u32; 4], nodes: &impl Nodes, out: &mut Vec<[Key; 4]>) {
    let [mut inner, mut on, mut outer] = [(); 3].map(|()| Few::<usize, 4>::new());
    for (place, &corner) in corners.iter().enumerate() {
        match nodes.sign(corner) {
            Sign::Inside => inner.push(place),
            Sign::On => on.push(place),
            Sign::Outside => outer.push(place),
        }
    }
    let at = |place: usize| corners[place];
    let cut = |inside: usize, outside: usize| nodes.cut(corners[inside], corners[outside]);
    match (inner.as_slice(), on.as_slice(), outer.as_slice()) {
        ([], ..) => {}
        (_, _, []) => out.push(corners),
        (&[p], &[y, z], &[r]) => out.push([at(p), at(y), at(z), cut(p, r)]),
        (&[p], &[z], &[r, s]) => out.push([at(p), at(z), cut(p, r), cut(p, s)]),
        (&[p], [], &[r, s, t]) => out.push([at(p), cut(p, r), cut(p, s), cut(p, t)]),
        (&[p, q], &[z], &[r]) => {
            let (start, end) = diagonal(corners, p, q, r);
            out.push([at(start), at(end), cut(end, r), at(z)]);
            out.push([at(start), cut(start, r), cut(end, r), at(z)]);
        }
        (&[p, q, w], [], &[r]) => {
            let bottom = [p, q, w];
            let top = bottom.map(|place| cut(place, r));
            let starts =
                |i: usize, j: usize| diagonal(corners, bottom[i], bottom[j], r).0 == bottom[i];
            prism(
                bottom.map(at),
                top,
                [starts(0, 1), starts(0, 2), starts(1, 2)],
                out,
            );
        }
        (&[p, q], [], &[r, s]) => {
            // A prism between the triangles at p and q; its third quadrilateral is the surface, where either diagonal
            // is valid.
            let first = [at(p), cut(p, r), cut(p, s)];
            let second = [at(q), cut(q, r), cut(q, s)];
            let at_r = diagonal(corners, p, q, r).0 == p;
            let at_s = diagonal(corners, p, q, s).0 == p;
            // Quadrilaterals p-cr, p-cs, cr-cs. Either diagonal of a face may run from q to the crossing at p.
            let (mut one, mut other) = (Vec::with_capacity(3), Vec::with_capacity(3));
            let done = prism(first, second, [at_r, at_s, true], &mut one);
            let other_done = prism(first, second, [at_r, at_s, false], &mut other);
            if !done || (other_done && nodes.is_better(&other, &one)) {
                out.append(&mut other);
            } else {
                out.append(&mut one);
            }
        }
        _ => unreachable!("a tetrahedron has four corners"),
    }
}

/// Start and other end of the diagonal rule for the face of two inner corners and an outer one.
fn diagonal(corners: [u32; 4], p: usize, q: usize, r: usize) -> (usize, usize) {
    let q_starts = if joined_by_long_edge(p, r) {
        true
    } else if joined_by_long_edge(q, r) {
        false
    } else {
        corners[q] < corners[p]
    };
    if q_starts { (q, p) } else { (p, q) }
}

/// Fills the prism between two triangles; `from_bottom` says for the sides 01, 02 and 12 whether the diagonal starts
/// at the bottom of the smaller corner. Returns `false`, and adds nothing, if the diagonals form a cycle.
fn prism(bottom: [Key; 3], top: [Key; 3], from_bottom: [bool; 3], out: &mut Vec<[Key; 4]>) -> bool {
    let [d01, d02, d12] = from_bottom.map(usize::from);
    // Number of diagonals that start at the bottom of each corner.
    let starts = [d01 + d02, (1 - d01) + d12, (1 - d02) + (1 - d12)];
    let with = |count: usize| starts.iter().position(|&s| s == count);
    let (Some(i), Some(j), Some(k)) = (with(2), with(1), with(0)) else {
        return false;
    };
    out.push([bottom[i], bottom[j], bottom[k], top[k]]);
    out.push([bottom[i], bottom[j], top[j], top[k]]);
    out.push([bottom[i], top[i], top[j], top[k]]);
    true
}
