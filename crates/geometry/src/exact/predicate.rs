//! Signs of determinants, and planar projections in which they may be evaluated.

use nalgebra::Vector3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Orientation of an ordered tuple of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orientation {
    /// Positive area or volume.
    Positive,
    /// All in one line, or one plane.
    Degenerate,
    /// Negative area or volume.
    Negative,
}

impl Orientation {
    fn of(determinant: f64) -> Self {
        if determinant > 0.0 {
            Self::Positive
        } else if determinant < 0.0 {
            Self::Negative
        } else {
            Self::Degenerate
        }
    }

    /// Whether one is positive and the other negative.
    pub(super) fn opposes(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::Positive, Self::Negative) | (Self::Negative, Self::Positive)
        )
    }
}

/// Whether no two of the signs oppose each other.
pub(super) fn all_on_one_side(signs: [Orientation; 3]) -> bool {
    !(signs.contains(&Orientation::Positive) && signs.contains(&Orientation::Negative))
}

/// Exact sign of the volume `det(b − a, c − a, d − a) / 6` of the tetrahedron `[a, b, c, d]`.
///
/// Positive if `a, b, c` run counter-clockwise seen from `d`'s opposite side, that is, if `d` lies on the side of the
/// plane to which `(b − a) × (c − a)` points.
pub fn tet_orientation(tet: &[Vector3<f64>; 4]) -> Orientation {
    let coord = |p: &Vector3<f64>| Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    };
    let [a, b, c, d] = tet.each_ref().map(coord);
    // `orient3d` is the sign of det(a − d, b − d, c − d), the negative of this one.
    Orientation::of(-orient3d(a, b, c, d))
}

/// A coordinate plane onto which points are projected by dropping one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projection {
    axes: [usize; 2],
}

impl Projection {
    const ALL: [Self; 3] = [
        Self { axes: [0, 1] },
        Self { axes: [1, 2] },
        Self { axes: [2, 0] },
    ];

    /// A projection that is one-to-one on the plane of three points; `None` if they lie in one line.
    ///
    /// Each projected area is one component of the plane's normal.
    pub(super) fn of_plane(triangle: &[Vector3<f64>; 3]) -> Option<Self> {
        let [a, b, c] = triangle;
        Self::ALL
            .into_iter()
            .find(|projection| projection.orientation(a, b, c) != Orientation::Degenerate)
    }

    /// Exact sign of the projected triangle's area.
    pub(super) fn orientation(
        self,
        a: &Vector3<f64>,
        b: &Vector3<f64>,
        c: &Vector3<f64>,
    ) -> Orientation {
        let coord = |p: &Vector3<f64>| Coord {
            x: p[self.axes[0]],
            y: p[self.axes[1]],
        };
        Orientation::of(orient2d(coord(a), coord(b), coord(c)))
    }
}

/// Whether a point lies in the box of a segment; for a point of the segment's line, whether it lies on the segment.
pub(super) fn in_box(point: &Vector3<f64>, ends: &[Vector3<f64>; 2]) -> bool {
    let [from, to] = ends;
    (0..3).all(|c| from[c].min(to[c]) <= point[c] && point[c] <= from[c].max(to[c]))
}
