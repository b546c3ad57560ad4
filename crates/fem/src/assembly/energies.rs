//! Energies of elements, four at once.

use super::ElasticModel;
use super::model::Cell;
use crate::lanes::{LANES, Lanes, Mat3, on_four};
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
        on_four(OfTets {
            model: self,
            first,
            positions,
            energies,
        });
    }

    /// `Σ w Ψ(F)` over the points of a hexahedron, J.
    pub(super) fn cell_energy(&self, cell: &Cell, positions: &[Vector3<f64>]) -> f64 {
        on_four(OfCell {
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
        for of_group in energies.chunks_mut(LANES) {
            let mut deformations = [Matrix3::zeros(); LANES];
            for (lane, deformation) in deformations.iter_mut().enumerate() {
                let tet = first + lane.min(of_group.len() - 1);
                *deformation = model.deformation(tet, positions);
            }
            let deformations = Mat3::gather(simd, |lane| &deformations[lane]);
            let material = model.material_index(first);
            let is_same = |tet: usize| model.material_index(tet) == material;
            let densities = if (first..first + of_group.len()).all(is_same) {
                model.material(first).energy_densities(&deformations)
            } else {
                Lanes::gather(simd, |lane| {
                    let tet = first + lane.min(of_group.len() - 1);
                    let all = model.material(tet).energy_densities(&deformations);
                    all.lane(lane)
                })
            };
            for (lane, energy) in of_group.iter_mut().enumerate() {
                let tet = first + lane;
                *energy = if model.is_filling(tet) {
                    0.0
                } else {
                    model.elements()[tet].volume * densities.lane(lane)
                };
            }
            first += LANES;
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
        for points in self.cell.element.points.chunks(LANES) {
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
