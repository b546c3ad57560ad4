//! The elastic terms of a whole surface.

use super::error::check_not_negative;
use super::{EdgeSpring, Hinge, Membrane, ThinError};
use nalgebra::Vector3;

/// Material of a thin body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShellMaterial {
    /// Mass per area (kg/m²), greater than 0.
    pub density: f64,
    /// `E t`: stretching stiffness (N/m), not negative.
    pub stretch: f64,
    /// Poisson's ratio, at least 0 and below 1; `None` for springs along the edges instead of triangles.
    pub poisson: Option<f64>,
    /// `k_b`: bending stiffness (J), not negative; see [`Hinge`].
    pub bend: f64,
}

/// Elastic terms and lumped masses of a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shell {
    /// One per edge, unless the material has a Poisson's ratio.
    pub springs: Vec<EdgeSpring>,
    /// One per triangle, if the material has a Poisson's ratio.
    pub membranes: Vec<Membrane>,
    /// One per edge between two triangles, unless the bending stiffness is 0.
    pub hinges: Vec<Hinge>,
    /// Mass of each point (kg): a third of the mass of each of its triangles.
    pub masses: Vec<f64>,
}

impl Shell {
    /// The terms of `triangles` with the rest positions `rest` (m).
    ///
    /// A spring along an edge gets the stiffness `E t A / l̄` (N) of the triangles beside it, of total area `A`: on a
    /// regular lattice this is a material of Young's modulus `E` and Poisson's ratio 1/3.
    ///
    /// # Errors
    /// [`ThinError`] naming the first invalid triangle, edge or coefficient.
    ///
    /// # Panics
    /// If a triangle names a point that does not exist.
    pub fn new(
        rest: &[Vector3<f64>],
        triangles: &[[u32; 3]],
        material: &ShellMaterial,
    ) -> Result<Self, ThinError> {
        if !(material.density > 0.0 && material.density.is_finite()) {
            return Err(ThinError::Coefficient {
                what: "the mass per area (kg/m²)",
                value: material.density,
                range: "greater than 0",
            });
        }
        check_not_negative("the stretching stiffness (N/m)", material.stretch)?;
        let gather = |points: &[u32; 3]| points.map(|point| rest[point as usize]);
        let mut shell = Self {
            masses: vec![0.0; rest.len()],
            ..Self::default()
        };
        let mut areas = Vec::with_capacity(triangles.len());
        for triangle in triangles {
            let [a, b, c] = gather(triangle);
            let area = 0.5 * (b - a).cross(&(c - a)).norm();
            if !(area > 0.0 && area.is_finite()) {
                return Err(ThinError::RestArea { points: *triangle });
            }
            for &point in triangle {
                shell.masses[point as usize] += material.density * area / 3.0;
            }
            areas.push(area);
        }
        if let Some(poisson) = material.poisson {
            for triangle in triangles {
                let rest = gather(triangle);
                let membrane = Membrane::new(*triangle, &rest, material.stretch, poisson)?;
                shell.membranes.push(membrane);
            }
        }
        for side in edges_with_triangles(triangles)? {
            let [a, b] = side.points.map(|point| rest[point as usize]);
            if material.poisson.is_none() {
                let area: f64 = side.triangles.iter().flatten().map(|&t| areas[t]).sum();
                let stiffness = material.stretch * area / (a - b).norm();
                shell
                    .springs
                    .push(EdgeSpring::new(side.points, &[a, b], stiffness)?);
            }
            if let ([Some(_), Some(_)], true) = (side.triangles, material.bend > 0.0) {
                let points = [side.points[0], side.points[1], side.wings[0], side.wings[1]];
                let at = points.map(|point| rest[point as usize]);
                shell.hinges.push(Hinge::new(points, &at, material.bend)?);
            }
        }
        Ok(shell)
    }

    /// Energy of all terms (J).
    ///
    /// # Panics
    /// If a point does not exist.
    pub fn energy(&self, x: &[Vector3<f64>]) -> f64 {
        let springs = self.springs.iter().map(|t| t.energy(&at(x, &t.points)));
        let membranes = self.membranes.iter().map(|t| t.energy(&at(x, &t.points)));
        let hinges = self.hinges.iter().map(|t| t.energy(&at(x, &t.points)));
        springs.sum::<f64>() + membranes.sum::<f64>() + hinges.sum::<f64>()
    }
}

fn at<const N: usize>(x: &[Vector3<f64>], points: &[u32; N]) -> [Vector3<f64>; N] {
    points.map(|point| x[point as usize])
}

/// An edge with the one or two triangles beside it.
struct Side {
    /// In the direction of the first triangle.
    points: [u32; 2],
    triangles: [Option<usize>; 2],
    wings: [u32; 2],
}

/// All edges, ascending.
fn edges_with_triangles(triangles: &[[u32; 3]]) -> Result<Vec<Side>, ThinError> {
    let mut sides: Vec<([u32; 2], usize, [u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
    for (index, &[a, b, c]) in triangles.iter().enumerate() {
        for (from, to, wing) in [(a, b, c), (b, c, a), (c, a, b)] {
            sides.push(([from.min(to), from.max(to)], index, [from, to], wing));
        }
    }
    sides.sort_unstable();
    sides
        .chunk_by(|a, b| a.0 == b.0)
        .map(|group| match *group {
            [(_, triangle, points, wing)] => Ok(Side {
                points,
                triangles: [Some(triangle), None],
                wings: [wing, wing],
            }),
            [(_, first, points, wing), (_, second, _, other)] => Ok(Side {
                points,
                triangles: [Some(first), Some(second)],
                wings: [wing, other],
            }),
            _ => Err(ThinError::Branching {
                points: group[0].0,
                triangles: group.len(),
            }),
        })
        .collect()
}
