//! Measures of one configuration: energy, forces, volume ratios, stresses.

use super::ElasticModel;
use super::model::Cell;
use super::reduce::{LEAF, fill, fill_pieces, reduce};
use crate::Material;
use crate::kinematics::determinant;
use crate::material::Hyperelastic;
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// The most compressed element of a configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeRatio {
    /// Current over rest volume, `det F`; negative if inverted, NaN if a position is NaN.
    pub ratio: f64,
    /// Index of the tetrahedron; for a hexahedron, of its first tetrahedron.
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
            let mut energies = [0.0; LEAF];
            let energies = &mut energies[..range.len()];
            self.tet_energies_into(range.start, positions, energies);
            energies.iter().sum()
        };
        let of_cells = |range: Range<usize>| {
            let cells = self.cells()[range].iter().filter(|cell| cell.stiff);
            cells.map(|cell| self.cell_energy(cell, positions)).sum()
        };
        let sum = |left: f64, right: f64| left + right;
        reduce(0..self.elements().len(), &piece, &sum)
            + reduce(0..self.cells().len(), &of_cells, &sum)
    }

    /// Elastic energy of some tetrahedra, and of the hexahedra whose first tetrahedron is among them, J.
    ///
    /// # Panics
    /// If `positions` is not one per point, or there are no such tetrahedra.
    #[track_caller]
    pub fn energy_of(&self, tets: Range<usize>, positions: &[Vector3<f64>]) -> f64 {
        self.check(positions);
        let cells = self.stiff_cells().map(|(_, cell)| cell);
        let of_cells: f64 = cells
            .filter(|cell| tets.contains(&(cell.tets[0] as usize)))
            .map(|cell| self.cell_energy(cell, positions))
            .sum();
        let mut energies = vec![0.0; tets.len()];
        self.tet_energies_into(tets.start, positions, &mut energies);
        let of_tets: f64 = energies.iter().sum();
        of_tets + of_cells
    }

    /// Writes the elastic energy of every tetrahedron, J; that of a hexahedron is at its first tetrahedron. Returns
    /// their sum, with the bits of [`energy`](Self::energy).
    ///
    /// # Panics
    /// If `positions` is not one per point or `energies` not one per tetrahedron.
    #[track_caller]
    pub fn energies_into(&self, positions: &[Vector3<f64>], energies: &mut [f64]) -> f64 {
        self.check(positions);
        assert_eq!(
            energies.len(),
            self.elements().len(),
            "one energy per tetrahedron"
        );
        fill_pieces(energies, 0, &|first, piece| {
            self.tet_energies_into(first, positions, piece);
        });
        let mut of_cells = vec![0.0; self.cells().len()];
        let of_cell = |index: usize| {
            let cell = &self.cells()[index];
            if cell.stiff {
                self.cell_energy(cell, positions)
            } else {
                0.0
            }
        };
        fill(&mut of_cells, 0, &of_cell);
        let sum = |left: f64, right: f64| left + right;
        let total = [&*energies, &of_cells].map(|all| {
            let piece = |range: Range<usize>| all[range].iter().sum();
            reduce(0..all.len(), &piece, &sum)
        });
        for (cell, energy) in self.cells().iter().zip(of_cells) {
            energies[cell.tets[0] as usize] += energy;
        }
        total[0] + total[1]
    }

    /// Writes the elastic force on every point, N: `f = −∂E/∂x`.
    ///
    /// Runs on one thread; time steps use [`Assembler::assemble`](super::Assembler::assemble) instead.
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
        for (_, cell) in self.stiff_cells() {
            let current = cell.element.gather(positions);
            let material = self.material(cell.tets[0] as usize);
            for at in &cell.element.points {
                let stress = material.stress(&at.deformation(&current)) * at.volume;
                for (node, gradient) in cell.element.nodes.iter().zip(&at.shape_gradients) {
                    forces[*node as usize] -= stress * gradient;
                }
            }
        }
    }

    /// The first tetrahedron of a material from outside whose energy or response is not finite, with the material's
    /// name. For a hexahedron its first tetrahedron is returned.
    ///
    /// # Panics
    /// If `positions` is not one per point.
    #[track_caller]
    pub fn broken_material(&self, positions: &[Vector3<f64>]) -> Option<(&str, usize)> {
        self.check(positions);
        let custom = |element: usize| match self.material(element) {
            Material::Custom(material) => Some(material),
            _ => None,
        };
        let tets = (0..self.elements().len()).filter(|&e| !self.is_filling(e));
        let of_tets = tets.filter_map(|e| {
            let material = custom(e)?;
            let sound = material.is_finite_at(&self.deformation(e, positions));
            (!sound).then(|| (material.name(), e))
        });
        let of_cells = self.stiff_cells().filter_map(|(_, cell)| {
            let element = cell.tets[0] as usize;
            let material = custom(element)?;
            let current = cell.element.gather(positions);
            let mut points = cell.element.points.iter();
            let sound = points.all(|at| material.is_finite_at(&at.deformation(&current)));
            (!sound).then(|| (material.name(), element))
        });
        of_tets.chain(of_cells).next()
    }

    /// Whether a material is from outside.
    pub fn has_custom_materials(&self) -> bool {
        let is_custom = |material: &Material| matches!(material, Material::Custom(_));
        self.materials().iter().any(is_custom)
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

    /// The smallest `det F` of all elements, with its element; `None` for a model without elements. A NaN counts as the
    /// smallest; of equal values the first element is returned.
    ///
    /// The value of a hexahedron is the smallest at its Gauss points, at its corners and in the tetrahedra that fill
    /// it.
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
        let of_tets = |range: Range<usize>| {
            range
                .map(|element| {
                    Some(VolumeRatio {
                        ratio: self.volume_ratio(element, positions),
                        element,
                    })
                })
                .fold(None, smaller)
        };
        let of_cells = |range: Range<usize>| {
            self.cells()[range]
                .iter()
                .map(|cell| {
                    Some(VolumeRatio {
                        ratio: cell.element.volume_ratio(&cell.element.gather(positions)),
                        element: cell.tets[0] as usize,
                    })
                })
                .fold(None, smaller)
        };
        smaller(
            reduce(0..self.elements().len(), &of_tets, &smaller),
            reduce(0..self.cells().len(), &of_cells, &smaller),
        )
    }

    /// The same of the elements with tetrahedra in a range: those of one body.
    ///
    /// # Panics
    /// If `positions` is not one per point, or there are no such tetrahedra.
    #[track_caller]
    pub fn smallest_volume_ratio_in(
        &self,
        tets: Range<usize>,
        positions: &[Vector3<f64>],
    ) -> Option<f64> {
        self.check(positions);
        let of_tets = tets.clone().map(|tet| self.volume_ratio(tet, positions));
        let cells = self.cells().iter();
        let own = cells.filter(|cell| tets.contains(&(cell.tets[0] as usize)));
        let of_cells = own.map(|cell| cell.element.volume_ratio(&cell.element.gather(positions)));
        // A NaN stays.
        (of_tets.chain(of_cells)).reduce(|least, ratio| {
            if ratio < least || ratio.is_nan() {
                ratio
            } else {
                least
            }
        })
    }

    /// Number of elements whose volume is not positive somewhere (inverted, flat, or with a NaN position); a hexahedron
    /// counts once, by its Gauss points, its corners and the tetrahedra that fill it.
    ///
    /// # Panics
    /// If `positions` is not one per point.
    #[track_caller]
    pub fn inverted_elements(&self, positions: &[Vector3<f64>]) -> usize {
        self.check(positions);
        // Not `ratio <= 0.0` alone: NaN counts too.
        let inverted = |ratio: f64| ratio.is_nan() || ratio <= 0.0;
        let of_tets = |range: Range<usize>| {
            let alone = range.filter(|&tet| self.cell_of_tet(tet).is_none());
            let ratios = alone.map(|tet| self.volume_ratio(tet, positions));
            ratios.filter(|&ratio| inverted(ratio)).count()
        };
        let of_cells = |range: Range<usize>| {
            let folded = |cell: &&Cell| {
                let current = cell.element.gather(positions);
                let mut tets = cell.tets.iter();
                inverted(cell.element.volume_ratio(&current))
                    || tets.any(|&tet| inverted(self.volume_ratio(tet as usize, positions)))
            };
            self.cells()[range].iter().filter(folded).count()
        };
        let sum = |left: usize, right: usize| left + right;
        reduce(0..self.elements().len(), &of_tets, &sum)
            + reduce(0..self.cells().len(), &of_cells, &sum)
    }

    /// Writes the von Mises stress of every tetrahedron, Pa ([`Hyperelastic::von_mises`] of its material). All
    /// tetrahedra of a hexahedron get the mean over its Gauss points, weighted by volume.
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
            if self.cell_of_tet(element).is_none() {
                let deformation = self.deformation(element, positions);
                *stress = self.material(element).von_mises(&deformation);
            }
        }
        for cell in self.cells() {
            let current = cell.element.gather(positions);
            let material = self.material(cell.tets[0] as usize);
            let points = cell.element.points.iter();
            let sum: f64 = points
                .map(|at| at.volume * material.von_mises(&at.deformation(&current)))
                .sum();
            let mean = sum / cell.element.volume();
            for &tet in &cell.tets {
                stresses[tet as usize] = mean;
            }
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
