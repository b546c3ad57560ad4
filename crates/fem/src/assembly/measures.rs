//! Questions about one configuration: energy, forces, volume ratios, stresses.

use super::ElasticModel;
use super::reduce::reduce;
use crate::kinematics::determinant;
use crate::material::Hyperelastic;
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// The most compressed tetrahedron of a configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeRatio {
    /// Current over rest volume, `det F`; negative if inverted, NaN if a position is.
    pub ratio: f64,
    /// Index of the tetrahedron.
    pub element: usize,
}

impl ElasticModel {
    /// Elastic energy `Σ w₀ Ψ(F)` of a configuration (positions in m), J. Same bits for any number of threads.
    ///
    /// # Panics
    /// If `positions` is not one per point.
    #[track_caller]
    pub fn energy(&self, positions: &[Vector3<f64>]) -> f64 {
        self.check(positions);
        let piece = |range: Range<usize>| {
            range
                .filter(|&e| !self.is_filling(e))
                .map(|e| {
                    self.elements()[e].volume
                        * self
                            .material(e)
                            .energy_density(&self.deformation(e, positions))
                })
                .sum()
        };
        reduce(
            0..self.elements().len(),
            &piece,
            &|left: f64, right: f64| left + right,
        )
    }

    /// Writes the elastic force on every point, N: `f = −∂E/∂x`.
    ///
    /// One thread; the solution of a step uses [`Assembler::assemble`](super::Assembler::assemble) instead.
    ///
    /// # Panics
    /// If `positions` or `forces` is not one per point.
    #[track_caller]
    pub fn elastic_force_into(&self, positions: &[Vector3<f64>], forces: &mut [Vector3<f64>]) {
        self.check(positions);
        assert_eq!(forces.len(), self.points(), "one force per point");
        forces.fill(Vector3::zeros());
        for (e, element) in self.elements().iter().enumerate() {
            if self.is_filling(e) {
                continue;
            }
            for (node, force) in element
                .nodes
                .into_iter()
                .zip(self.element_forces(e, positions))
            {
                forces[node as usize] += force;
            }
        }
    }

    /// Elastic forces of one tetrahedron on its four points, N.
    ///
    /// # Panics
    /// If there is no such tetrahedron.
    pub fn element_forces(&self, element: usize, positions: &[Vector3<f64>]) -> [Vector3<f64>; 4] {
        let stress = self
            .material(element)
            .stress(&self.deformation(element, positions));
        self.elements()[element].forces(&stress)
    }

    /// The smallest `det F` of all tetrahedra, and where; `None` for a model without tetrahedra. A NaN counts as the
    /// smallest; of equal values the first element is named.
    ///
    /// # Panics
    /// If `positions` is not one per point.
    #[track_caller]
    pub fn minimum_volume_ratio(&self, positions: &[Vector3<f64>]) -> Option<VolumeRatio> {
        self.check(positions);
        let smaller = |left: Option<VolumeRatio>, right: Option<VolumeRatio>| match (left, right) {
            (Some(l), Some(r)) if !l.ratio.is_nan() && (r.ratio.is_nan() || r.ratio < l.ratio) => {
                Some(r)
            }
            (None, right) => right,
            (left, _) => left,
        };
        let piece = |range: Range<usize>| {
            range
                .map(|element| {
                    Some(VolumeRatio {
                        ratio: self.volume_ratio(element, positions),
                        element,
                    })
                })
                .fold(None, smaller)
        };
        reduce(0..self.elements().len(), &piece, &smaller)
    }

    /// The first tetrahedron whose volume is not positive (inverted, flat, or with a NaN position).
    ///
    /// Not an error in itself: the materials are defined there, and bodies recover from inversion.
    ///
    /// # Panics
    /// If `positions` is not one per point.
    #[track_caller]
    pub fn first_inverted_element(&self, positions: &[Vector3<f64>]) -> Option<usize> {
        self.check(positions);
        // Asked as "not positive", so that NaN is found too.
        let positive = |element: &usize| self.volume_ratio(*element, positions) > 0.0;
        (0..self.elements().len()).find(|element| !positive(element))
    }

    /// Number of tetrahedra whose volume is not positive (inverted, flat, or with a NaN position).
    ///
    /// # Panics
    /// If `positions` is not one per point.
    #[track_caller]
    pub fn inverted_elements(&self, positions: &[Vector3<f64>]) -> usize {
        self.check(positions);
        let positive = |element: usize| self.volume_ratio(element, positions) > 0.0;
        (0..self.elements().len())
            .filter(|&element| !positive(element))
            .count()
    }

    /// Cauchy stress `P Fᵀ / det F` of a tetrahedron, Pa; `None` unless its volume is positive.
    ///
    /// # Panics
    /// If there is no such tetrahedron.
    pub fn cauchy_stress(
        &self,
        element: usize,
        positions: &[Vector3<f64>],
    ) -> Option<Matrix3<f64>> {
        let deformation = self.deformation(element, positions);
        let ratio = determinant(&deformation);
        (ratio > 0.0)
            .then(|| self.material(element).stress(&deformation) * deformation.transpose() / ratio)
    }

    /// Writes the von Mises stress of every tetrahedron, Pa: `√(3/2) ‖dev σ‖` with `σ = P Fᵀ / |det F|`.
    ///
    /// The absolute value gives inverted tetrahedra the magnitude of their tractions per current area; for a
    /// tetrahedron that is exactly flat the result is infinite or NaN.
    ///
    /// # Panics
    /// If `positions` is not one per point or `stresses` not one per tetrahedron.
    #[track_caller]
    pub fn von_mises_into(&self, positions: &[Vector3<f64>], stresses: &mut [f64]) {
        self.check(positions);
        assert_eq!(
            stresses.len(),
            self.elements().len(),
            "one stress per tetrahedron"
        );
        for (element, stress) in stresses.iter_mut().enumerate() {
            let deformation = self.deformation(element, positions);
            let kirchhoff = self.material(element).stress(&deformation) * deformation.transpose();
            let deviator = kirchhoff - Matrix3::from_diagonal_element(kirchhoff.trace() / 3.0);
            *stress = 1.5_f64.sqrt() * deviator.norm() / determinant(&deformation).abs();
        }
    }

    /// Deformation gradient of a tetrahedron.
    ///
    /// # Panics
    /// If there is no such tetrahedron.
    #[inline]
    pub fn deformation(&self, element: usize, positions: &[Vector3<f64>]) -> Matrix3<f64> {
        let element = &self.elements()[element];
        element.deformation(&element.gather(positions))
    }

    /// `det F` of a tetrahedron.
    fn volume_ratio(&self, element: usize, positions: &[Vector3<f64>]) -> f64 {
        determinant(&self.deformation(element, positions))
    }

    #[track_caller]
    fn check(&self, positions: &[Vector3<f64>]) {
        assert_eq!(positions.len(), self.points(), "one position per point");
    }
}
