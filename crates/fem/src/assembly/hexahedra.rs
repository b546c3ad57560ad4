//! Force and stiffness of a trilinear hexahedron.

use super::kernel::{ElementSystem, Kernel, half};
use crate::kinematics::rotation_factor;
use crate::material::{CorotationalLinear, Hyperelastic};
use crate::{Material, QuadraturePoint};
use nalgebra::{Matrix3, Vector3};

/// The pairs of a hexahedron.
const HALF: [(usize, usize); 36] = half::<8, 36>();

type HexSystem = ElementSystem<8, 36>;

impl Kernel<8, 36> for [QuadraturePoint<8>; 8] {
    fn reordered(&self, order: &[usize; 8]) -> Self {
        self.map(|point| QuadraturePoint {
            volume: point.volume,
            shape_gradients: order.map(|vertex| point.shape_gradients[vertex]),
        })
    }

    fn system(
        &self,
        material: &Material,
        current: &[Vector3<f64>; 8],
        force_scale: f64,
        stiffness_scale: f64,
    ) -> HexSystem {
        match material {
            Material::Corotational(material) => {
                corotational(material, self, current, force_scale, stiffness_scale)
            }
            _ => general(material, self, current, force_scale, stiffness_scale),
        }
    }

    fn forces(
        &self,
        material: &Material,
        current: &[Vector3<f64>; 8],
        force_scale: f64,
    ) -> [Vector3<f64>; 8] {
        let mut forces = [Vector3::zeros(); 8];
        for point in self {
            let stress =
                material.stress(&point.deformation(current)) * (force_scale * point.volume);
            for (force, gradient) in forces.iter_mut().zip(&point.shape_gradients) {
                *force -= stress * gradient;
            }
        }
        forces
    }
}

fn empty() -> HexSystem {
    HexSystem {
        forces: [Vector3::zeros(); 8],
        blocks: [Matrix3::zeros(); 36],
    }
}

/// Linear elasticity rotated by `R` of each quadrature point: with `r_a = R ∇N_a`, `K_ab = μ (tr M I + Mᵀ) + λ M`, `M =
/// Σ w r_a r_bᵀ` over the points.
fn corotational(
    material: &CorotationalLinear,
    points: &[QuadraturePoint<8>; 8],
    current: &[Vector3<f64>; 8],
    force_scale: f64,
    stiffness_scale: f64,
) -> HexSystem {
    let mut system = empty();
    let mu = material.lame().shear_modulus();
    for point in points {
        let f = point.deformation(current);
        let rotation = rotation_factor(&f);
        let of_rotation = material.rotation_coefficient(&f, &rotation);
        let stress = (f * (2.0 * mu) + rotation * of_rotation) * (force_scale * point.volume);
        let r = point.shape_gradients.map(|gradient| rotation * gradient);
        for (force, gradient) in system.forces.iter_mut().zip(&point.shape_gradients) {
            *force -= stress * gradient;
        }
        let scaled = r.map(|r| r * (stiffness_scale * point.volume));
        for (block, (a, b)) in system.blocks.iter_mut().zip(HALF) {
            *block += scaled[a] * r[b].transpose();
        }
    }
    let lambda = material.lame().first();
    for block in &mut system.blocks {
        let isotropic = Matrix3::from_diagonal_element(mu * block.trace());
        *block = *block * lambda + block.transpose() * mu + isotropic;
    }
    system
}

/// Any isotropic material, from its stress and its tangent in principal axes at each point.
fn general(
    material: &Material,
    points: &[QuadraturePoint<8>; 8],
    current: &[Vector3<f64>; 8],
    force_scale: f64,
    stiffness_scale: f64,
) -> HexSystem {
    let mut system = empty();
    for point in points {
        let response = material.convex_response(&point.deformation(current));
        let stress = response.stress * (force_scale * point.volume);
        for (force, gradient) in system.forces.iter_mut().zip(&point.shape_gradients) {
            *force -= stress * gradient;
        }
        let tangent = &response.tangent;
        let axis = tangent.axis_blocks();
        let turned = (point.shape_gradients).map(|gradient| tangent.right.tr_mul(&gradient));
        let scaled = turned.map(|gradient| gradient * (stiffness_scale * point.volume));
        for (b, gradient) in turned.iter().enumerate() {
            let [first, second, third] = tangent.contracted(&axis, gradient);
            for (a, with) in scaled.iter().enumerate().take(b + 1) {
                system.blocks[place(a, b)] += first * with.x + second * with.y + third * with.z;
            }
        }
    }
    system
}

/// Index of a pair `a ≤ b` in [`HALF`].
const fn place(a: usize, b: usize) -> usize {
    a * (15 - a) / 2 + b
}
