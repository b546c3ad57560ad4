//! Force and stiffness of elements: the interface of all kinds of elements, and the linear tetrahedron.

use crate::kinematics::rotations;
use crate::lanes::{LANES, Lanes, Mat3, Vec3, dot, plus, scaled};
use crate::material::CorotationalLinear;
use crate::{Material, QuadraturePoint};
use nalgebra::{Matrix3, Vector3};
use pulp::Simd;

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

/// An element at the current positions of its `N` vertices.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a, const N: usize, K> {
    pub(super) kernel: &'a K,
    pub(super) current: [Vector3<f64>; N],
    pub(super) stiffness_scale: f64,
}

/// Integration over an element of `N` vertices.
pub(super) trait Kernel<const N: usize, const P: usize>: Copy {
    /// Elements that are computed at once; at most the number of lanes.
    const GROUP: usize;

    /// The same element with its vertices in another order.
    fn reordered(&self, order: &[usize; N]) -> Self;

    /// Computes the elements of a group and gives each to `take`, in their order.
    fn systems<S: Simd>(
        simd: S,
        material: &Material,
        group: &[Placed<'_, N, Self>],
        force_scale: f64,
        take: impl FnMut(usize, ElementSystem<N, P>),
    );

    /// Computes the elastic forces alone, times `force_scale`.
    fn forces<S: Simd>(
        simd: S,
        material: &Material,
        group: &[Placed<'_, N, Self>],
        force_scale: f64,
        take: impl FnMut(usize, [Vector3<f64>; N]),
    );
}

impl Kernel<4, 10> for QuadraturePoint<4> {
    const GROUP: usize = LANES;

    fn reordered(&self, order: &[usize; 4]) -> Self {
        Self {
            volume: self.volume,
            shape_gradients: order.map(|vertex| self.shape_gradients[vertex]),
        }
    }

    #[inline(always)]
    fn systems<S: Simd>(
        simd: S,
        material: &Material,
        group: &[Placed<'_, 4, Self>],
        force_scale: f64,
        mut take: impl FnMut(usize, ElementSystem<4, 10>),
    ) {
        let tets = Tets::gather(simd, group);
        let stiffness_scale = gather(simd, group, |at| at.stiffness_scale) * tets.volume;
        let force_scale = tets.volume * force_scale;
        let (forces, blocks) = match material {
            Material::Corotational(material) => {
                corotational(material, &tets, force_scale, stiffness_scale)
            }
            _ => general(material, &tets, force_scale, stiffness_scale),
        };
        for lane in 0..group.len() {
            let mut system = ElementSystem {
                forces: forces_of(&forces, lane),
                blocks: [Matrix3::zeros(); 10],
            };
            for (block, of_lanes) in system.blocks.iter_mut().zip(&blocks) {
                *block = of_lanes.lane(lane);
            }
            take(lane, system);
        }
    }

    #[inline(always)]
    fn forces<S: Simd>(
        simd: S,
        material: &Material,
        group: &[Placed<'_, 4, Self>],
        force_scale: f64,
        mut take: impl FnMut(usize, [Vector3<f64>; 4]),
    ) {
        let tets = Tets::gather(simd, group);
        let stress = material.stresses(&tets.deformation);
        let forces = tets.forces(&stress, tets.volume * force_scale);
        for lane in 0..group.len() {
            take(lane, forces_of(&forces, lane));
        }
    }
}

/// Tetrahedra in lanes; lanes without a tetrahedron repeat the last one.
struct Tets<S: Simd> {
    volume: Lanes<S>,
    /// Shape gradients of the last three vertices; those of all four sum to zero.
    gradients: [Vec3<S>; 3],
    deformation: Mat3<S>,
}

#[inline(always)]
fn gather<S: Simd, const N: usize, K>(
    simd: S,
    group: &[Placed<'_, N, K>],
    of: impl Fn(&Placed<'_, N, K>) -> f64,
) -> Lanes<S> {
    Lanes::gather(simd, |lane| of(&group[lane.min(group.len() - 1)]))
}

impl<S: Simd> Tets<S> {
    #[inline(always)]
    fn gather(simd: S, group: &[Placed<'_, 4, QuadraturePoint<4>>]) -> Self {
        let mut edges = [[Lanes::splat(simd, 0.0); 3]; 3];
        let mut gradients = edges;
        for vertex in 0..3 {
            for i in 0..3 {
                edges[vertex][i] = gather(simd, group, |at| {
                    at.current[vertex + 1][i] - at.current[0][i]
                });
                gradients[vertex][i] =
                    gather(simd, group, |at| at.kernel.shape_gradients[vertex + 1][i]);
            }
        }
        Self {
            volume: gather(simd, group, |at| at.kernel.volume),
            gradients,
            deformation: Mat3::of(simd, |i, j| {
                edges[0][i] * gradients[0][j]
                    + edges[1][i] * gradients[1][j]
                    + edges[2][i] * gradients[2][j]
            }),
        }
    }

    /// `−scale P ∇N_a` of the four vertices.
    #[inline(always)]
    fn forces(&self, stress: &Mat3<S>, scale: Lanes<S>) -> [Vec3<S>; 4] {
        let [g1, g2, g3] = self.gradients;
        balanced([
            scaled(stress.times_vector(g1), -scale),
            scaled(stress.times_vector(g2), -scale),
            scaled(stress.times_vector(g3), -scale),
        ])
    }
}

/// Vectors of four vertices that sum to zero.
#[inline(always)]
fn balanced<S: Simd>([x1, x2, x3]: [Vec3<S>; 3]) -> [Vec3<S>; 4] {
    let [x, y, z] = plus(plus(x1, x2), x3);
    [[-x, -y, -z], x1, x2, x3]
}

#[inline(always)]
fn forces_of<S: Simd>(forces: &[Vec3<S>; 4], lane: usize) -> [Vector3<f64>; 4] {
    let mut all = [Vector3::zeros(); 4];
    for (force, of_lanes) in all.iter_mut().zip(forces) {
        for i in 0..3 {
            force[i] = of_lanes[i].lane(lane);
        }
    }
    all
}

/// Closed form of the rotated linear-elasticity matrix: with `r_a = R ∇N_a`, `R K⁰_ab Rᵀ = w₀ (μ ((∇N_a·∇N_b) I + r_b
/// r_aᵀ) + λ r_a r_bᵀ)`.
#[inline(always)]
fn corotational<S: Simd>(
    material: &CorotationalLinear,
    tets: &Tets<S>,
    force_scale: Lanes<S>,
    stiffness_scale: Lanes<S>,
) -> ([Vec3<S>; 4], [Mat3<S>; 10]) {
    let f = &tets.deformation;
    let rotation = rotations(f);
    let [g1, g2, g3] = tets.gradients;
    let r = balanced([
        rotation.times_vector(g1),
        rotation.times_vector(g2),
        rotation.times_vector(g3),
    ]);

    // P ∇N_a = 2μ F ∇N_a + factor r_a
    let of_deformation = force_scale * -2.0 * material.lame().shear_modulus();
    let of_rotation = -force_scale * material.rotation_coefficients(f, &rotation);
    let mut forces = [g1, g2, g3];
    for (force, r) in forces.iter_mut().zip(&r[1..]) {
        let of_stretch = scaled(f.times_vector(*force), of_deformation);
        *force = plus(of_stretch, scaled(*r, of_rotation));
    }
    let forces = balanced(forces);

    let mu = stiffness_scale * material.lame().shear_modulus();
    let lambda = stiffness_scale * material.lame().first();
    let mut blocks = [rotation; 10];
    for (block, (a, b)) in blocks.iter_mut().zip(HALF) {
        let (ra, rb) = (r[a], r[b]);
        let (mu_b, lambda_b) = (scaled(rb, mu), scaled(rb, lambda));
        let isotropic = dot(ra, mu_b);
        for j in 0..3 {
            for i in 0..3 {
                block.0[j][i] = mu_b[i] * ra[j] + ra[i] * lambda_b[j];
            }
            block.0[j][j] = block.0[j][j] + isotropic;
        }
    }
    (forces, blocks)
}

/// Any isotropic material, from its stress and its tangent in principal axes. The blocks of a row sum to zero.
#[inline(always)]
fn general<S: Simd>(
    material: &Material,
    tets: &Tets<S>,
    force_scale: Lanes<S>,
    stiffness_scale: Lanes<S>,
) -> ([Vec3<S>; 4], [Mat3<S>; 10]) {
    let responses = material.responses(&tets.deformation);
    let forces = tets.forces(&responses.stress, force_scale);
    let [b11, b12, b13, b22, b23, b33] =
        responses.gradient_blocks(&tets.gradients, stiffness_scale);
    let b01 = rest(&b11, &b12.transposed(), &b13.transposed());
    let b02 = rest(&b12, &b22, &b23.transposed());
    let b03 = rest(&b13, &b23, &b33);
    let b00 = rest(&b01, &b02, &b03);
    (forces, [b00, b01, b02, b03, b11, b12, b13, b22, b23, b33])
}

/// The block that makes the sum of four zero.
#[inline(always)]
fn rest<S: Simd>(a: &Mat3<S>, b: &Mat3<S>, c: &Mat3<S>) -> Mat3<S> {
    let mut sum = *a;
    for j in 0..3 {
        let [x, y, z] = plus(plus(a.0[j], b.0[j]), c.0[j]);
        sum.0[j] = [-x, -y, -z];
    }
    sum
}
