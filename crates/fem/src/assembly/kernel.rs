//! Force and stiffness of one element: the interface of all kinds of elements, and the linear tetrahedron.

use crate::element::deformation;
use crate::kinematics::rotation_factor;
use crate::material::{CorotationalLinear, Hyperelastic, Response};
use crate::{Material, QuadraturePoint, Tangent};
use nalgebra::{Matrix3, Vector3};

/// The pairs of `N` local vertices in the upper triangle of an element matrix, row by row.
pub(super) const fn half<const N: usize, const P: usize>() -> [(usize, usize); P] {
    let mut pairs = [(0, 0); P];
    let (mut a, mut b, mut index) = (0, 0, 0);
    while index < P {
        pairs[index] = (a, b);
        index += 1;
        b += 1;
        if b == N {
            a += 1;
            b = a;
        }
    }
    pairs
}

/// The ten pairs of a tetrahedron.
const HALF: [(usize, usize); 10] = half::<4, 10>();

/// Elastic forces and stiffness of an element of `N` vertices and `P` pairs, times the scales of the assembled system.
pub(super) struct ElementSystem<const N: usize, const P: usize> {
    /// Forces on the vertices, times the force scale.
    pub(super) forces: [Vector3<f64>; N],
    /// Blocks `K_ab` in the order of [`half`], times the stiffness scale.
    pub(super) blocks: [Matrix3<f64>; P],
}

/// Integration over an element of `N` vertices.
pub(super) trait Kernel<const N: usize, const P: usize>: Copy {
    /// The same element with its vertices in another order.
    fn reordered(&self, order: &[usize; N]) -> Self;

    /// Computes the element at the current positions of its vertices.
    fn system(
        &self,
        material: &Material,
        current: &[Vector3<f64>; N],
        force_scale: f64,
        stiffness_scale: f64,
    ) -> ElementSystem<N, P>;

    /// Computes the elastic forces alone, times `force_scale`.
    fn forces(
        &self,
        material: &Material,
        current: &[Vector3<f64>; N],
        force_scale: f64,
    ) -> [Vector3<f64>; N];
}

impl Kernel<4, 10> for QuadraturePoint<4> {
    fn reordered(&self, order: &[usize; 4]) -> Self {
        Self {
            volume: self.volume,
            shape_gradients: order.map(|vertex| self.shape_gradients[vertex]),
        }
    }

    #[inline]
    fn system(
        &self,
        material: &Material,
        current: &[Vector3<f64>; 4],
        force_scale: f64,
        stiffness_scale: f64,
    ) -> ElementSystem<4, 10> {
        let gradients = &self.shape_gradients;
        let f = deformation(current, gradients);
        let (force_scale, stiffness_scale) =
            (force_scale * self.volume, stiffness_scale * self.volume);
        let response = match material {
            Material::Corotational(material) => {
                return corotational(material, &f, gradients, force_scale, stiffness_scale);
            }
            _ => material.convex_response(&f),
        };
        general(&response, gradients, force_scale, stiffness_scale)
    }

    #[inline]
    fn forces(
        &self,
        material: &Material,
        current: &[Vector3<f64>; 4],
        force_scale: f64,
    ) -> [Vector3<f64>; 4] {
        let gradients = &self.shape_gradients;
        let stress = material.stress(&deformation(current, gradients));
        let [f1, f2, f3] = [1, 2, 3].map(|a| stress * gradients[a] * -(force_scale * self.volume));
        [-(f1 + f2 + f3), f1, f2, f3]
    }
}

/// Closed form of the rotated linear-elasticity matrix: with `r_a = R ∇N_a`, `R K⁰_ab Rᵀ = w₀ (μ ((∇N_a·∇N_b) I + r_b
/// r_aᵀ) + λ r_a r_bᵀ)`.
#[inline]
fn corotational(
    material: &CorotationalLinear,
    f: &Matrix3<f64>,
    gradients: &[Vector3<f64>; 4],
    force_scale: f64,
    stiffness_scale: f64,
) -> ElementSystem<4, 10> {
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
) -> ElementSystem<4, 10> {
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
