//! Force and stiffness of a trilinear hexahedron.

use super::kernel::{ElementSystem, Kernel, Placed, half};
use crate::kinematics::rotations;
use crate::lanes::{LANES, Mat3};
use crate::material::{CorotationalLinear, Response};
use crate::{Material, QuadraturePoint};
use nalgebra::{Matrix3, Vector3};
use pulp::Simd;

/// The pairs of a hexahedron.
const HALF: [(usize, usize); 36] = half::<8, 36>();

type HexSystem = ElementSystem<8, 36>;

impl Kernel<8, 36> for [QuadraturePoint<8>; 8] {
    // The lanes are Gauss points.
    const GROUP: usize = 1;

    fn reordered(&self, order: &[usize; 8]) -> Self {
        self.map(|point| QuadraturePoint {
            volume: point.volume,
            shape_gradients: order.map(|vertex| point.shape_gradients[vertex]),
        })
    }

    #[inline(always)]
    fn systems<S: Simd>(
        simd: S,
        material: &Material,
        group: &[Placed<'_, 8, Self>],
        force_scale: f64,
        mut take: impl FnMut(usize, HexSystem),
    ) {
        for (index, at) in group.iter().enumerate() {
            let mut system = HexSystem {
                forces: [Vector3::zeros(); 8],
                blocks: [Matrix3::zeros(); 36],
            };
            for first in (0..8).step_by(S::F64_LANES) {
                let deformations = deformations(simd, at, first);
                let scales = [force_scale, at.stiffness_scale];
                if let Material::Corotational(material) = material {
                    let rotations = rotations(&deformations);
                    for lane in 0..S::F64_LANES {
                        let of_point = (deformations.lane(lane), rotations.lane(lane));
                        let point = &at.kernel[first + lane];
                        add_corotational(material, point, of_point, scales, &mut system);
                    }
                } else {
                    let responses = material.responses(&deformations);
                    for lane in 0..S::F64_LANES {
                        let point = &at.kernel[first + lane];
                        add_general(&responses.lane(lane), point, scales, &mut system);
                    }
                }
            }
            if let Material::Corotational(material) = material {
                finish_corotational(material, &mut system);
            }
            take(index, system);
        }
    }

    #[inline(always)]
    fn forces<S: Simd>(
        simd: S,
        material: &Material,
        group: &[Placed<'_, 8, Self>],
        force_scale: f64,
        mut take: impl FnMut(usize, [Vector3<f64>; 8]),
    ) {
        for (index, at) in group.iter().enumerate() {
            let mut forces = [Vector3::zeros(); 8];
            for first in (0..8).step_by(S::F64_LANES) {
                let stresses = material.stresses(&deformations(simd, at, first));
                for lane in 0..S::F64_LANES {
                    let point = &at.kernel[first + lane];
                    let stress = stresses.lane(lane) * (force_scale * point.volume);
                    for (force, gradient) in forces.iter_mut().zip(&point.shape_gradients) {
                        *force -= stress * gradient;
                    }
                }
            }
            take(index, forces);
        }
    }
}

/// The deformation gradients of consecutive Gauss points.
#[inline(always)]
fn deformations<S: Simd>(
    simd: S,
    at: &Placed<'_, 8, [QuadraturePoint<8>; 8]>,
    first: usize,
) -> Mat3<S> {
    let mut of_points = [Matrix3::zeros(); LANES];
    for (lane, deformation) in of_points.iter_mut().enumerate().take(S::F64_LANES) {
        *deformation = at.kernel[first + lane].deformation(&at.current);
    }
    Mat3::gather(simd, |lane| &of_points[lane])
}

/// Adds linear elasticity rotated by `R` of a Gauss point, up to [`finish_corotational`].
fn add_corotational(
    material: &CorotationalLinear,
    point: &QuadraturePoint<8>,
    (f, rotation): (Matrix3<f64>, Matrix3<f64>),
    [force_scale, stiffness_scale]: [f64; 2],
    system: &mut HexSystem,
) {
    let mu = material.lame().shear_modulus();
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

/// With `r_a = R ∇N_a`, `K_ab = μ (tr M I + Mᵀ) + λ M`, `M = Σ w r_a r_bᵀ` over the points.
fn finish_corotational(material: &CorotationalLinear, system: &mut HexSystem) {
    let (mu, lambda) = (material.lame().shear_modulus(), material.lame().first());
    for block in &mut system.blocks {
        let isotropic = Matrix3::from_diagonal_element(mu * block.trace());
        *block = *block * lambda + block.transpose() * mu + isotropic;
    }
}

/// Adds any isotropic material at a Gauss point, from its stress and its tangent in principal axes.
fn add_general(
    response: &Response,
    point: &QuadraturePoint<8>,
    [force_scale, stiffness_scale]: [f64; 2],
    system: &mut HexSystem,
) {
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

/// Index of a pair `a ≤ b` in [`HALF`].
const fn place(a: usize, b: usize) -> usize {
    a * (15 - a) / 2 + b
}
