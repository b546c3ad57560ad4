//! Stress and tangent at the deformations of several elements.

use super::tangent::{PAIRS, clamp_negative_eigenvalues};
use super::{Response, Tangent};
use crate::lanes::{Lanes, Mat3, Vec3, scaled};
use nalgebra::Vector3;
use pulp::Simd;

/// [`Response`] in every lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Responses<S: Simd> {
    pub(crate) stress: Mat3<S>,
    pub(crate) left: Mat3<S>,
    pub(crate) right: Mat3<S>,
    pub(crate) stretch: Mat3<S>,
    pub(crate) shear: Vec3<S>,
    pub(crate) twist: Vec3<S>,
}

impl<S: Simd> Responses<S> {
    /// The responses of the lanes by their indices.
    pub(crate) fn gather(simd: S, of: impl Fn(usize) -> Response) -> Self {
        let mut all = [None; 8];
        for (lane, response) in all.iter_mut().enumerate().take(S::F64_LANES) {
            *response = Some(of(lane));
        }
        let at = |entry: &dyn Fn(&Response) -> f64| {
            Lanes::gather(simd, |lane| all[lane].as_ref().map_or(0.0, entry))
        };
        let vector = |of: &dyn Fn(&Response) -> Vector3<f64>| {
            [0, 1, 2].map(|i| at(&|response: &Response| of(response)[i]))
        };
        Self {
            stress: Mat3::of(simd, |i, j| at(&|response| response.stress[(i, j)])),
            left: Mat3::of(simd, |i, j| at(&|response| response.tangent.left[(i, j)])),
            right: Mat3::of(simd, |i, j| at(&|response| response.tangent.right[(i, j)])),
            stretch: Mat3::of(simd, |i, j| {
                at(&|response| response.tangent.stretch[(i, j)])
            }),
            shear: vector(&|response| response.tangent.shear),
            twist: vector(&|response| response.tangent.twist),
        }
    }

    /// The response of one lane.
    #[inline(always)]
    pub(crate) fn lane(&self, lane: usize) -> Response {
        let vector = |x: &Vec3<S>| Vector3::new(x[0].lane(lane), x[1].lane(lane), x[2].lane(lane));
        Response {
            stress: self.stress.lane(lane),
            tangent: Tangent {
                left: self.left.lane(lane),
                right: self.right.lane(lane),
                stretch: self.stretch.lane(lane),
                shear: vector(&self.shear),
                twist: vector(&self.twist),
            },
        }
    }

    /// [`Tangent::projected`] in every lane.
    #[inline(always)]
    pub(crate) fn projected(mut self, twist_cap: f64) -> Self {
        self.clamp_stretch();
        let zero = Lanes::splat(self.stress.simd(), 0.0);
        for pair in 0..3 {
            self.shear[pair] = zero.max(self.shear[pair]);
            self.twist[pair] = zero.max(self.twist[pair]).min(zero + twist_cap);
        }
        self
    }

    /// Takes the negative eigenvalues off the stretch stiffness. Sylvester's criterion with a margin for rounding
    /// decides the common case.
    #[inline(always)]
    fn clamp_stretch(&mut self) {
        let [[h00, h10, h20], [_, h11, h21], [_, _, h22]] = self.stretch.0;
        let mut scale = h00.abs();
        for entry in [h10, h20, h11, h21, h22] {
            scale = scale.max(entry.abs());
        }
        let margin = scale * 1e-12;
        let minor = h00 * h11 - h10 * h10;
        let determinant =
            h22 * minor - h21 * (h00 * h21 - h10 * h20) + h20 * (h10 * h21 - h11 * h20);
        let positive = (margin.less(h00))
            .and((margin * scale).less(minor))
            .and((margin * scale * scale).less(determinant));
        if !positive.all() {
            self.clamp_lanes();
        }
    }

    #[cold]
    #[inline(never)]
    fn clamp_lanes(&mut self) {
        for lane in 0..S::F64_LANES {
            let clamped = clamp_negative_eigenvalues(&self.stretch.lane(lane));
            self.stretch.set_lane(lane, &clamped);
        }
    }

    /// Stiffness blocks per rest volume of the six pairs of three shape gradients, times a scale: (1,1), (1,2), (1,3),
    /// (2,2), (2,3), (3,3).
    #[inline(always)]
    pub(crate) fn gradient_blocks(
        &self,
        gradients: &[Vec3<S>; 3],
        scale: Lanes<S>,
    ) -> [Mat3<S>; 6] {
        let turned = [
            self.right.transposed_times_vector(gradients[0]),
            self.right.transposed_times_vector(gradients[1]),
            self.right.transposed_times_vector(gradients[2]),
        ];
        let left = Mat3([
            scaled(self.left.0[0], scale),
            scaled(self.left.0[1], scale),
            scaled(self.left.0[2], scale),
        ]);
        let mut even = self.shear;
        let mut odd = self.shear;
        for pair in 0..3 {
            even[pair] = (self.shear[pair] + self.twist[pair]) * 0.5;
            odd[pair] = (self.shear[pair] - self.twist[pair]) * 0.5;
        }
        let mut blocks = [self.stress; 6];
        let mut index = 0;
        for a in 0..3 {
            for b in a..3 {
                let block = self.principal_block(turned[a], turned[b], [even, odd]);
                blocks[index] = left.times(&block).times_transposed(&self.left);
                index += 1;
            }
        }
        blocks
    }

    /// The block in the axes `U` for gradients given in the axes `V`; see [`Tangent`].
    #[inline(always)]
    fn principal_block(&self, a: Vec3<S>, b: Vec3<S>, [even, odd]: [Vec3<S>; 2]) -> Mat3<S> {
        let h = &self.stretch.0;
        let mut block = self.stretch;
        for i in 0..3 {
            block.0[i][i] = h[i][i] * a[i] * b[i];
        }
        for (pair, (i, j)) in PAIRS.into_iter().enumerate() {
            block.0[i][i] = block.0[i][i] + even[pair] * (a[j] * b[j]);
            block.0[j][j] = block.0[j][j] + even[pair] * (a[i] * b[i]);
            let (ij, ji) = (a[i] * b[j], a[j] * b[i]);
            block.0[j][i] = h[j][i] * ij + odd[pair] * ji;
            block.0[i][j] = h[j][i] * ji + odd[pair] * ij;
        }
        block
    }
}
