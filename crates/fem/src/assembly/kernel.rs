//! Force and stiffness of one element.

use crate::element::deformation;
use crate::kinematics::rotation_factor;
use crate::material::{CorotationalLinear, Hyperelastic, Response};
use crate::{Material, Tangent};
use nalgebra::{Matrix3, Vector3};

/// The ten blocks of the upper triangle of an element matrix, by local vertices.
pub(super) const HALF: [(usize, usize); 10] = [
    (0, 0),
    (0, 1),
    (0, 2),
    (0, 3),
    (1, 1),
    (1, 2),
    (1, 3),
    (2, 2),
    (2, 3),
    (3, 3),
];

/// Elastic forces and stiffness of an element, multiplied by the scales of the system being assembled.
pub(super) struct ElementSystem {
    /// Forces on the four vertices, times the force scale.
    pub(super) forces: [Vector3<f64>; 4],
    /// Blocks `K_ab` in the order of [`HALF`], times the stiffness scale.
    pub(super) blocks: [Matrix3<f64>; 10],
}

/// Computes an element at the current positions of its vertices.
///
/// `force_scale` and `stiffness_scale` include the rest volume.
#[inline]
pub(super) fn element_system(
    material: &Material,
    current: &[Vector3<f64>; 4],
    gradients: &[Vector3<f64>; 4],
    force_scale: f64,
    stiffness_scale: f64,
) -> ElementSystem {
    let f = deformation(current, gradients);
    match material {
        Material::Corotational(material) => {
            corotational(material, &f, gradients, force_scale, stiffness_scale)
        }
        Material::StVenantKirchhoff(material) => general(
            &material.convex_response(&f),
            gradients,
            force_scale,
            stiffness_scale,
        ),
        Material::NeoHookean(material) => general(
            &material.convex_response(&f),
            gradients,
            force_scale,
            stiffness_scale,
        ),
    }
}

/// Closed form of the turned linear-elasticity matrix: with `r_a = R ∇N_a`,
/// `R K⁰_ab Rᵀ = w₀ (μ ((∇N_a·∇N_b) I + r_b r_aᵀ) + λ r_a r_bᵀ)`.
#[inline]
fn corotational(
    material: &CorotationalLinear,
    f: &Matrix3<f64>,
    gradients: &[Vector3<f64>; 4],
    force_scale: f64,
    stiffness_scale: f64,
) -> ElementSystem {
    let rotation = rotation_factor(f);
    let [r1, r2, r3] = [
        rotation * gradients[1],
        rotation * gradients[2],
        rotation * gradients[3],
    ];
    let r = [-(r1 + r2 + r3), r1, r2, r3];

    // P ∇N_a = 2μ F ∇N_a + factor r_a
    let of_deformation = -2.0 * force_scale * material.lame().shear_modulus();
    let of_rotation = -force_scale * material.rotation_coefficient(f, &rotation);
    let [f1, f2, f3] = [1, 2, 3].map(|a| f * gradients[a] * of_deformation + r[a] * of_rotation);

    let mu = stiffness_scale * material.lame().shear_modulus();
    let lambda = stiffness_scale * material.lame().first();
    let blocks = HALF.map(|(a, b)| {
        let (ra, rb) = (&r[a], &r[b]);
        let (mu_b, lambda_b) = (rb * mu, rb * lambda);
        let isotropic = ra.dot(&mu_b);
        let mut block = mu_b * ra.transpose() + ra * lambda_b.transpose();
        block[(0, 0)] += isotropic;
        block[(1, 1)] += isotropic;
        block[(2, 2)] += isotropic;
        block
    });
    ElementSystem {
        forces: [-(f1 + f2 + f3), f1, f2, f3],
        blocks,
    }
}

/// Any isotropic material, from its stress and its tangent in principal axes.
fn general(
    response: &Response,
    gradients: &[Vector3<f64>; 4],
    force_scale: f64,
    stiffness_scale: f64,
) -> ElementSystem {
    let [f1, f2, f3] = [1, 2, 3].map(|a| response.stress * gradients[a] * -force_scale);
    let Tangent { left, right, .. } = response.tangent;
    let turned = gradients.map(|gradient| right.tr_mul(&gradient));
    let scaled = left * stiffness_scale;
    let blocks = HALF.map(|(a, b)| {
        scaled * response.tangent.principal_block(&turned[a], &turned[b]) * left.transpose()
    });
    ElementSystem {
        forces: [-(f1 + f2 + f3), f1, f2, f3],
        blocks,
    }
}
