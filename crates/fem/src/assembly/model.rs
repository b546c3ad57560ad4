//! Constant data of the elastic bodies.

use crate::{FemError, HexElement, Material, RayleighDamping, TetElement};
use nalgebra::Vector3;

/// The six edges of a tetrahedron, by local vertices.
const EDGES: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];

/// Linear tetrahedra and trilinear hexahedra over one array of points, with their materials, densities and damping.
///
/// The points of all bodies live in one array; bodies differ only by the material, density and damping of their
/// tetrahedra. Tetrahedra fill each hexahedron and set its material; its strains are its own. A model without
/// tetrahedra is valid (a scene of rigid bodies).
#[derive(Clone, Debug)]
pub struct ElasticModel {
    points: usize,
    elements: Vec<TetElement>,
    materials: Vec<Material>,
    material_of_tet: Vec<u32>,
    density_of_tet: Vec<f64>,
    damping_of_tet: Vec<RayleighDamping>,
    /// Tetrahedra without energy, in bodies whose strains are measured elsewhere.
    filling: Vec<bool>,
    /// The hexahedron that a tetrahedron fills in part; its corners share the mass of the tetrahedron.
    cell_of_tet: Vec<Option<u32>>,
    cells: Vec<Cell>,
}

/// A hexahedron and the tetrahedra that fill it.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) element: HexElement,
    /// At least one tetrahedron, ascending.
    pub(super) tets: Vec<u32>,
    /// Whether it has energy and stiffness; otherwise its strains are measured elsewhere.
    pub(super) stiff: bool,
}

impl ElasticModel {
    /// Computes the element data of a rest configuration; no damping.
    ///
    /// # Shapes and units
    /// | name | shape | unit |
    /// |---|---|---|
    /// | `rest` | all points | m |
    /// | `tets` | number of tetrahedra | point indices |
    /// | `materials` | any | Pa |
    /// | `material_of_tet` | number of tetrahedra | index into `materials` |
    /// | `density_of_tet` | number of tetrahedra | kg/m³ |
    ///
    /// # Errors
    /// [`FemError`] naming the first unusable point or tetrahedron: a rest position that is not finite, an index out of
    /// range, a rest volume that is not positive, an unknown material, a density that is not positive.
    ///
    /// # Panics
    /// If `material_of_tet` or `density_of_tet` is not as long as `tets`.
    #[track_caller]
    pub fn new(
        rest: &[Vector3<f64>],
        tets: &[[u32; 4]],
        materials: &[Material],
        material_of_tet: &[u32],
        density_of_tet: &[f64],
    ) -> Result<Self, FemError> {
        assert_eq!(
            material_of_tet.len(),
            tets.len(),
            "one material index per tetrahedron"
        );
        assert_eq!(
            density_of_tet.len(),
            tets.len(),
            "one density per tetrahedron"
        );
        if let Some(point) = rest.iter().position(|x| x.iter().any(|c| !c.is_finite())) {
            return Err(FemError::RestPosition {
                point,
                position: rest[point].into(),
            });
        }
        for (element, &density) in density_of_tet.iter().enumerate() {
            if !(density > 0.0 && density.is_finite()) {
                return Err(FemError::Density { element, density });
            }
            let material = material_of_tet[element];
            if material as usize >= materials.len() {
                return Err(FemError::MaterialIndex {
                    element,
                    material,
                    materials: materials.len(),
                });
            }
        }
        let elements = tets
            .iter()
            .enumerate()
            .map(|(element, nodes)| rest_element(rest, element, *nodes))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            points: rest.len(),
            damping_of_tet: vec![RayleighDamping::NONE; elements.len()],
            filling: vec![false; elements.len()],
            cell_of_tet: vec![None; elements.len()],
            cells: Vec::new(),
            elements,
            materials: materials.to_vec(),
            material_of_tet: material_of_tet.to_vec(),
            density_of_tet: density_of_tet.to_vec(),
        })
    }

    /// The same model with Rayleigh damping, one pair of coefficients per tetrahedron.
    ///
    /// # Panics
    /// If `damping_of_tet` is not as long as the number of tetrahedra.
    #[track_caller]
    #[must_use]
    pub fn with_damping(mut self, damping_of_tet: &[RayleighDamping]) -> Self {
        assert_eq!(
            damping_of_tet.len(),
            self.elements.len(),
            "one pair of damping coefficients per tetrahedron"
        );
        self.damping_of_tet.copy_from_slice(damping_of_tet);
        self
    }

    /// The same model with some filling tetrahedra: they have mass, mass-proportional damping and a deformation, but
    /// neither energy nor stiffness. The strains of such a body are measured elsewhere: by constraint rows, in larger
    /// cells, or between points without elements.
    ///
    /// # Panics
    /// If `filling` is not as long as the number of tetrahedra.
    #[track_caller]
    #[must_use]
    pub fn with_filling(mut self, filling: &[bool]) -> Self {
        let tets = self.elements.len();
        assert_eq!(filling.len(), tets, "one flag per tetrahedron");
        self.filling.copy_from_slice(filling);
        self
    }

    /// The same model with hexahedra: four points around the bottom, then the four above them.
    ///
    /// A tetrahedron in `cell_of_tet` fills a part of that hexahedron: it has mass and mass-proportional damping, which
    /// the eight corners share evenly, but neither energy nor stiffness. The hexahedron has the material and the
    /// damping of its first tetrahedron. It has energy and stiffness if it is `stiff`; otherwise its strains are
    /// measured elsewhere.
    ///
    /// # Errors
    /// [`FemError::RestHexahedron`] naming the first one that is flat or folded at rest.
    ///
    /// # Panics
    /// If `rest` is not one position per point, `cell_of_tet` not one entry per tetrahedron or `stiff` not one flag per
    /// hexahedron, if a point or a hexahedron does not exist, or a hexahedron has no tetrahedron.
    #[track_caller]
    pub fn with_hexahedra(
        mut self,
        rest: &[Vector3<f64>],
        hexahedra: &[[u32; 8]],
        cell_of_tet: &[Option<u32>],
        stiff: &[bool],
    ) -> Result<Self, FemError> {
        assert_eq!(rest.len(), self.points, "one rest position per point");
        assert_eq!(
            cell_of_tet.len(),
            self.elements.len(),
            "one hexahedron or none per tetrahedron"
        );
        assert_eq!(stiff.len(), hexahedra.len(), "one flag per hexahedron");
        self.cells.clear();
        for (cell, (&nodes, &stiff)) in hexahedra.iter().zip(stiff).enumerate() {
            let corners = nodes.map(|node| rest[node as usize]);
            let element = HexElement::new(nodes, &corners)
                .map_err(|ratio| FemError::RestHexahedron { cell, nodes, ratio })?;
            self.cells.push(Cell {
                element,
                tets: Vec::new(),
                stiff,
            });
        }
        for (tet, cell) in (0u32..).zip(cell_of_tet) {
            if let Some(cell) = *cell {
                self.cells[cell as usize].tets.push(tet);
                self.filling[tet as usize] = true;
            }
        }
        assert!(
            self.cells.iter().all(|cell| !cell.tets.is_empty()),
            "a hexahedron without tetrahedra has no material"
        );
        self.cell_of_tet.copy_from_slice(cell_of_tet);
        Ok(self)
    }

    /// Whether a tetrahedron has mass, but neither energy nor stiffness.
    ///
    /// # Panics
    /// If there is no such tetrahedron.
    #[inline]
    pub fn is_filling(&self, element: usize) -> bool {
        self.filling[element]
    }

    /// Whether a tetrahedron, or the hexahedron that it is part of, has energy and stiffness.
    ///
    /// # Panics
    /// If there is no such tetrahedron.
    pub fn is_stiff(&self, element: usize) -> bool {
        let cell = self.cell_of_tet[element];
        cell.map_or(!self.filling[element], |cell| {
            self.cells[cell as usize].stiff
        })
    }

    /// Number of points, including those without tetrahedra.
    pub fn points(&self) -> usize {
        self.points
    }

    /// The elements, in the order of the tetrahedra given.
    pub fn elements(&self) -> &[TetElement] {
        &self.elements
    }

    /// The material of a tetrahedron.
    ///
    /// # Panics
    /// If there is no such tetrahedron.
    #[inline]
    pub fn material(&self, element: usize) -> &Material {
        &self.materials[self.material_of_tet[element] as usize]
    }

    /// The damping of a tetrahedron.
    ///
    /// # Panics
    /// If there is no such tetrahedron.
    pub fn damping(&self, element: usize) -> RayleighDamping {
        self.damping_of_tet[element]
    }

    /// Number of hexahedra.
    pub fn hexahedra(&self) -> usize {
        self.cells.len()
    }

    /// The tetrahedra that fill a hexahedron, ascending.
    ///
    /// # Panics
    /// If there is no such hexahedron.
    pub fn tets_of_hexahedron(&self, hexahedron: usize) -> &[u32] {
        &self.cells[hexahedron].tets
    }

    /// The hexahedron that a tetrahedron fills in part.
    pub(super) fn cell_of_tet(&self, tet: usize) -> Option<u32> {
        self.cell_of_tet[tet]
    }

    /// The hexahedra with their tetrahedra.
    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The hexahedra with energy and stiffness, with their indices.
    pub(super) fn stiff_cells(&self) -> impl Iterator<Item = (usize, &Cell)> {
        self.cells.iter().enumerate().filter(|(_, cell)| cell.stiff)
    }

    /// All materials.
    pub(super) fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// Index of the material of a tetrahedron.
    pub(super) fn material_index(&self, element: usize) -> u32 {
        self.material_of_tet[element]
    }

    /// Lumped mass of every point, kg: a quarter of the mass of each of its tetrahedra, an eighth of that of its cells;
    /// zero for points without elements.
    pub fn lumped_mass(&self) -> Vec<f64> {
        self.lump(|_| 1.0)
    }

    /// Mass-proportional damping of every point, kg/s: as the lumped mass, weighted with `a_M`.
    pub fn lumped_mass_damping(&self) -> Vec<f64> {
        self.lump(|element| self.damping_of_tet[element].mass())
    }

    fn lump(&self, weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut lumped = vec![0.0; self.points];
        for (index, element) in self.elements.iter().enumerate() {
            let mass = self.density_of_tet[index] * element.volume * weight(index);
            let cell = self.cell_of_tet[index].map(|cell| &self.cells[cell as usize]);
            let nodes = cell.map_or(element.nodes.as_slice(), |cell| &cell.element.nodes);
            for &node in nodes {
                lumped[node as usize] += mass / nodes.len() as f64;
            }
        }
        lumped
    }

    /// The pairs of different blocks that the elements couple, for building a
    /// [`BlockPattern`](impinge_krylov::BlockPattern); with repetitions.
    ///
    /// `block_of_point` is the matrix block of each point, `None` for a prescribed point.
    ///
    /// # Panics
    /// If `block_of_point` is shorter than the number of points.
    #[track_caller]
    pub fn block_pairs<'a>(
        &'a self,
        block_of_point: &'a [Option<u32>],
    ) -> impl Iterator<Item = (u32, u32)> + 'a {
        assert_eq!(
            block_of_point.len(),
            self.points,
            "one optional block per point"
        );
        let blocks = |node: u32| block_of_point[node as usize];
        let pair = |(a, b): (Option<u32>, Option<u32>)| Some((a?.min(b?), a?.max(b?)));
        let stiff = (self.elements.iter().zip(&self.filling)).filter(|(_, filling)| !**filling);
        let of_tets = stiff.flat_map(move |(element, _)| {
            let blocks = element.nodes.map(blocks);
            EDGES
                .into_iter()
                .filter_map(move |(a, b)| pair((blocks[a], blocks[b])))
        });
        let of_cells = self.stiff_cells().flat_map(move |(_, cell)| {
            let blocks = cell.element.nodes.map(blocks);
            let pairs = (0..8).flat_map(|a| (a + 1..8).map(move |b| (a, b)));
            pairs.filter_map(move |(a, b): (usize, usize)| pair((blocks[a], blocks[b])))
        });
        of_tets.chain(of_cells)
    }
}

fn rest_element(
    rest: &[Vector3<f64>],
    element: usize,
    nodes: [u32; 4],
) -> Result<TetElement, FemError> {
    if let Some(&point) = nodes.iter().find(|&&node| node as usize >= rest.len()) {
        return Err(FemError::PointIndex {
            element,
            point,
            points: rest.len(),
        });
    }
    TetElement::new(nodes, &nodes.map(|node| rest[node as usize])).map_err(|volume| {
        FemError::RestVolume {
            element,
            nodes,
            volume,
        }
    })
}
