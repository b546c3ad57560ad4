//! The trilinear hexahedron.

use crate::kinematics::determinant;
use nalgebra::{Matrix3, Vector3};

/// Corners of the reference cube `[-1, 1]³`: four around the bottom, then the four above them.
const CORNERS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

/// Neighbours of each corner along its three edges, in the order of a right-handed frame.
const NEIGHBOURS: [[usize; 3]; 8] = [
    [1, 3, 4],
    [2, 0, 5],
    [3, 1, 6],
    [0, 2, 7],
    [7, 5, 0],
    [4, 6, 1],
    [5, 7, 2],
    [6, 4, 3],
];

/// A corner whose edges span less than this fraction of `(longest edge)³` is flat.
const FLAT: f64 = 1e-13;

/// A trilinear hexahedron with 2×2×2 Gauss points, exact for energies up to cubic in each coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HexElement {
    /// Indices of the eight points: four around the bottom, then the four above them.
    pub nodes: [u32; 8],
    /// The Gauss points, in the order of their nearest corners.
    pub points: [QuadraturePoint<8>; 8],
    /// Triple product of the edges at each corner at rest, m³; positive.
    corners: [f64; 8],
}

/// A quadrature point of an element of `N` nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuadraturePoint<const N: usize> {
    /// Rest volume of its share of the element, m³.
    pub volume: f64,
    /// Gradients `∇N_a` of the shape functions at rest, 1/m; they sum to zero.
    pub shape_gradients: [Vector3<f64>; N],
}

impl<const N: usize> QuadraturePoint<N> {
    /// Deformation gradient `F = Σ_a x_a ∇N_aᵀ` from edges, so that a common translation of the points cancels first.
    #[inline]
    pub fn deformation(&self, current: &[Vector3<f64>; N]) -> Matrix3<f64> {
        let mut deformation = Matrix3::zeros();
        for (x, gradient) in current.iter().zip(&self.shape_gradients).skip(1) {
            deformation += (x - current[0]) * gradient.transpose();
        }
        deformation
    }
}

impl HexElement {
    /// The element of eight rest positions (m).
    ///
    /// # Errors
    /// The smallest ratio of the edges' triple product at a corner to the cube of the longest edge (NaN included) if a
    /// corner is inverted or flat.
    pub fn new(nodes: [u32; 8], rest: &[Vector3<f64>; 8]) -> Result<Self, f64> {
        let corners = triple_products(rest);
        let longest = (0..8)
            .flat_map(|a| NEIGHBOURS[a].map(|b| (rest[b] - rest[a]).norm()))
            .fold(0.0, f64::max);
        let least = corners.iter().fold(f64::INFINITY, |least: f64, &corner| {
            if corner.is_nan() {
                corner
            } else {
                least.min(corner)
            }
        }) / (longest * longest * longest);
        let points = CORNERS.map(|corner| quadrature_point(rest, corner.map(|c| c / 3_f64.sqrt())));
        let positive = points.iter().all(|point| point.volume > 0.0);
        if least > FLAT && positive {
            Ok(Self {
                nodes,
                points,
                corners,
            })
        } else {
            Err(least)
        }
    }

    /// Positions of its eight points.
    #[inline]
    pub fn gather(&self, positions: &[Vector3<f64>]) -> [Vector3<f64>; 8] {
        self.nodes.map(|node| positions[node as usize])
    }

    /// Rest volume, m³.
    pub fn volume(&self) -> f64 {
        self.points.iter().map(|point| point.volume).sum()
    }

    /// The smallest `det F` at its Gauss points and corners; a NaN counts as the smallest.
    pub fn volume_ratio(&self, current: &[Vector3<f64>; 8]) -> f64 {
        let inside = self
            .points
            .iter()
            .map(|point| determinant(&point.deformation(current)));
        let corners = triple_products(current);
        let outside = corners
            .iter()
            .zip(&self.corners)
            .map(|(now, rest)| now / rest);
        inside.chain(outside).fold(f64::INFINITY, |least, ratio| {
            if ratio < least || ratio.is_nan() {
                ratio
            } else {
                least
            }
        })
    }
}

/// Triple product of the edges at each corner.
fn triple_products(x: &[Vector3<f64>; 8]) -> [f64; 8] {
    std::array::from_fn(|a| {
        let [e1, e2, e3] = NEIGHBOURS[a].map(|b| x[b] - x[a]);
        e1.cross(&e2).dot(&e3)
    })
}

/// The Gauss point at `at` in the reference cube; its volume is not positive if the element is folded there.
fn quadrature_point(rest: &[Vector3<f64>; 8], at: [f64; 3]) -> QuadraturePoint<8> {
    let parametric = CORNERS.map(|c| {
        let factor = |axis: usize| 1.0 + c[axis] * at[axis];
        Vector3::new(
            c[0] * factor(1) * factor(2),
            c[1] * factor(0) * factor(2),
            c[2] * factor(0) * factor(1),
        ) * 0.125
    });
    let mut jacobian = Matrix3::zeros();
    for (x, slope) in rest.iter().zip(&parametric) {
        jacobian += (x - rest[0]) * slope.transpose();
    }
    // The eight Gauss weights are 1.
    let (volume, inverse) = (determinant(&jacobian), jacobian.try_inverse());
    match inverse {
        Some(inverse) => QuadraturePoint {
            volume,
            shape_gradients: parametric.map(|slope| inverse.tr_mul(&slope)),
        },
        None => QuadraturePoint {
            volume: 0.0,
            shape_gradients: [Vector3::zeros(); 8],
        },
    }
}
