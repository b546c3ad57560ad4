//! Energies of elements, several at once.

use super::ElasticModel;
use super::model::Cell;
use crate::lanes::{LANES, Mat3, on_lanes};
use nalgebra::{Matrix3, Vector3};
use pulp::{Simd, WithSimd};

impl ElasticModel {
    /// Writes the energies of consecutive tetrahedra from `first` on, J; zero where they have none.
    pub(super) fn tet_energies_into(
        &self,
        first: usize,
        positions: &[Vector3<f64>],
        energies: &mut [f64],
    ) {
        on_lanes(OfTets {
            model: self,
            first,
            positions,
            energies,
        });
    }

    /// `Σ w Ψ(F)` over the points of a hexahedron, J.
    pub(super) fn cell_energy(&self, cell: &Cell, positions: &[Vector3<f64>]) -> f64 {
        on_lanes(OfCell {
            model: self,
            cell,
            positions,
        })
    }
}

struct OfTets<'a> {
    model: &'a ElasticModel,
    first: usize,
    positions: &'a [Vector3<f64>],
    energies: &'a mut [f64],
}

impl WithSimd for OfTets<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            model,
            mut first,
            positions,
            energies,
        } = self;
        let mut rest = energies;
        while !rest.is_empty() {
            let material = model.material_index(first);
            let most = rest.len().min(S::F64_LANES);
            let mut count = 1;
            while count < most && model.material_index(first + count) == material {
                count += 1;
            }
            let mut deformations = [Matrix3::zeros(); LANES];
            for (lane, deformation) in deformations.iter_mut().enumerate().take(S::F64_LANES) {
                *deformation = model.deformation(first + lane.min(count - 1), positions);
            }
            let deformations = Mat3::gather(simd, |lane| &deformations[lane]);
            let densities = model.material(first).energy_densities(&deformations);
            let (group, after) = rest.split_at_mut(count);
            for (lane, energy) in group.iter_mut().enumerate() {
                *energy = if model.is_filling(first + lane) {
                    0.0
                } else {
                    model.elements()[first + lane].volume * densities.lane(lane)
                };
            }
            first += count;
            rest = after;
        }
    }
}

struct OfCell<'a> {
    model: &'a ElasticModel,
    cell: &'a Cell,
    positions: &'a [Vector3<f64>],
}

impl WithSimd for OfCell<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let current = self.cell.element.gather(self.positions);
        let material = self.model.material(self.cell.tets[0] as usize);
        let mut sum = 0.0;
        for points in self.cell.element.points.chunks(S::F64_LANES) {
            let mut deformations = [Matrix3::zeros(); LANES];
            for (deformation, at) in deformations.iter_mut().zip(points) {
                *deformation = at.deformation(&current);
            }
            let deformations = Mat3::gather(simd, |lane| &deformations[lane]);
            let densities = material.energy_densities(&deformations);
            for (lane, at) in points.iter().enumerate() {
                sum += at.volume * densities.lane(lane);
            }
        }
        sum
    }
}
