//! Isosurface stuffing: from a watertight surface to tetrahedra of bounded dihedral angles.
//!
//! [`hexahedra`] fills the same surfaces with hexahedra.
//!
//! 1. [`inside`]: exact classification of the points of a body-centred cubic [`lattice`].
//! 2. [`cuts`]: crossings of lattice edges and the surface.
//! 3. [`warp`]: lattice points next to a crossing move onto it.
//! 4. [`stencil`]: the inner part of each lattice tetrahedron becomes one to three tetrahedra.
//! 5. [`manifold`]: removal of pieces that are connected by an edge or a node only.
//!
//! # Source
//! Labelle and Shewchuk, "Isosurface stuffing: fast tetrahedral meshes with good dihedral angles", 2007, §3 (uniform
//! elements), <https://doi.org/10.1145/1276377.1276448>. Differs from it in: signs from exact winding numbers about a
//! triangle mesh instead of an implicit function; diagonals by node number where both choices are mirror images; also
//! step 5.

mod cuts;
mod error;
mod hexahedra;
mod inside;
mod lattice;
mod manifold;
mod options;
mod stencil;
mod warp;

use nalgebra::Vector3;
use rayon::prelude::*;

pub use error::StuffingError;
pub use hexahedra::{HexahedralFilling, hexahedralize};
pub use options::StuffingOptions;

use cuts::Cut;
use inside::Sign;
use lattice::Lattice;
use stencil::{Key, Nodes};
use warp::Warped;

use super::measure::{tet_dihedral_cosines, tet_volume};
use super::topology::part_count;
use super::{TetMesh, TriangleMesh};
use crate::exact::surface_intersections;
use crate::surface::CollisionSurface;

/// Result of [`tetrahedralize`] in numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StuffingReport {
    /// Lattice constant (m): the requested size, or slightly less so that the longest side of the bounding box is a
    /// whole number of it.
    pub constant: f64,
    /// Smallest and largest dihedral angle of all tetrahedra (degrees).
    pub dihedral: [f64; 2],
    /// Volume enclosed by the surface (m³).
    pub surface_volume: f64,
    /// Volume of the tetrahedra (m³).
    pub volume: f64,
    /// Nodes of the surface that were welded because they coincide.
    pub welded: usize,
    /// Tetrahedra that were removed because they were connected by an edge or a node only.
    pub removed: usize,
    /// Connected parts of the surface, cavities included.
    pub surface_parts: usize,
    /// Connected parts of the tetrahedral mesh.
    pub parts: usize,
}

/// Fills a watertight surface with tetrahedra of about `options.size`, all dihedral angles between 9° and 162°.
///
/// The surface may have several parts, which must not touch; a part that lies inside another and is wound inwards is a
/// cavity. Coincident nodes are welded first. The tetrahedra lie in a regular lattice aligned with the axes and
/// anchored at the lower corner of the bounding box, so a box is exact if its sides are multiples of the size; other
/// sharp edges are rounded within one element. Surface nodes lie on the given surface.
///
/// The result does not depend on the number of threads.
///
/// # Errors
/// [`StuffingError`] naming the triangle or edge: surfaces that are open, wound inwards, not manifold, nested the wrong
/// way or intersecting themselves, and sizes that are too small or too large for the shape.
///
/// # Cost
/// About `12 V / size³` tetrahedra for a volume `V`, whatever the number of triangles. Memory for one sign and one
/// number per lattice point of the bounding box.
///
/// ```
/// use impinge_geometry::mesh::{StuffingOptions, generate, tetrahedralize};
///
/// let ball = generate::sphere_surface(0.5, 16)?;
/// let (mesh, report) = tetrahedralize(&ball, &StuffingOptions::new(0.1))?;
/// mesh.surface()?.check_closed()?;
/// assert!(report.dihedral[0] > 9.0 && report.dihedral[1] < 162.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn tetrahedralize(
    surface: &TriangleMesh,
    options: &StuffingOptions,
) -> Result<(TetMesh, StuffingReport), StuffingError> {
    let (welded, lattice) = prepare(surface, options)?;
    let surface_volume = welded.signed_volume();
    let stuffing = Stuffing::new(&welded, lattice)?;
    let mut tets = stuffing.fill();
    let mut on_surface = stuffing.surface_nodes();
    let removed = manifold::make_manifold(&mut tets, &mut on_surface, |tet| {
        tet_volume(tet.map(|key| stuffing.position(key)))
    });
    let constant = stuffing.lattice.constant;
    if tets.is_empty() {
        return Err(too_coarse(options, constant, 0.0));
    }
    let mesh = stuffing.into_mesh(tets)?;
    let volume = mesh.volume();
    let part = volume / surface_volume;
    if (part - 1.0).abs() > options.volume_tolerance {
        return Err(too_coarse(options, constant, part));
    }
    let report = StuffingReport {
        constant,
        dihedral: dihedral_range(&mesh),
        surface_volume,
        volume,
        welded: surface.vertices().len() - welded.vertices().len(),
        removed,
        surface_parts: part_count(welded.triangles(), welded.vertices().len()),
        parts: part_count(mesh.tets(), mesh.nodes().len()),
    };
    Ok((mesh, report))
}

/// Smallest and largest dihedral angle of a mesh (degrees).
pub fn dihedral_range(mesh: &TetMesh) -> [f64; 2] {
    let (least, most) = (0..mesh.tets().len())
        .into_par_iter()
        .map(|tet| {
            tet_dihedral_cosines(mesh.corners(tet))
                .into_iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), c| {
                    (least.min(c), most.max(c))
                })
        })
        .reduce(
            || (f64::INFINITY, f64::NEG_INFINITY),
            |a, b| (a.0.min(b.0), a.1.max(b.1)),
        );
    [most, least].map(|cosine| cosine.clamp(-1.0, 1.0).acos().to_degrees())
}

/// The surface without coincident nodes, checked, and the lattice that fills it.
fn prepare(
    surface: &TriangleMesh,
    options: &StuffingOptions,
) -> Result<(TriangleMesh, Lattice), StuffingError> {
    options.check()?;
    let welded = surface.welded()?;
    check_surface(&welded)?;
    let (lower, upper) = bounds(welded.vertices());
    let lattice = Lattice::around(&lower, &upper, options)?;
    check_count(welded.signed_volume(), &lattice, options)?;
    Ok((welded, lattice))
}

/// A closed manifold wound outwards that does not intersect itself.
fn check_surface(surface: &TriangleMesh) -> Result<(), StuffingError> {
    surface.check_closed_outwards()?;
    let points = surface.vertices();
    let touching = CollisionSurface::of_body(surface.triangles().to_vec(), points.len());
    match surface_intersections(points, &touching, 1).first() {
        None => Ok(()),
        Some(pair) => Err(StuffingError::SelfIntersection {
            triangles: pair.triangles,
            place: surface.corners(pair.triangles[0] as usize)[0].into(),
        }),
    }
}

/// The error for a filling with this share of the volume, in a lattice with this constant (m).
fn too_coarse(options: &StuffingOptions, constant: f64, part: f64) -> StuffingError {
    StuffingError::TooCoarse {
        size: options.size,
        part: 100.0 * part,
        finer: 0.5 * constant,
    }
}

/// Bounds the number of tetrahedra: twelve per cube of the lattice.
fn check_count(
    volume: f64,
    lattice: &Lattice,
    options: &StuffingOptions,
) -> Result<(), StuffingError> {
    let needed = 12.0 * volume / lattice.constant.powi(3);
    let limit = options.most_tets as f64;
    if needed <= limit {
        return Ok(());
    }
    Err(StuffingError::TooFine {
        size: options.size,
        what: "tetrahedra",
        needed,
        limit,
        coarser: lattice.coarser(needed / limit),
    })
}

fn bounds(points: &[Vector3<f64>]) -> (Vector3<f64>, Vector3<f64>) {
    points
        .iter()
        .fold((points[0], points[0]), |(lower, upper), p| {
            (lower.inf(p), upper.sup(p))
        })
}

/// The lattice after warping.
struct Stuffing {
    lattice: Lattice,
    signs: Vec<Sign>,
    warped: Warped,
    cuts: Vec<Cut>,
}

impl Stuffing {
    fn new(surface: &TriangleMesh, lattice: Lattice) -> Result<Self, StuffingError> {
        let mut signs = inside::signs(surface, &lattice)?;
        let mut cuts = cuts::cuts(surface, &lattice, &signs);
        let warped = warp::warp(&lattice, &mut signs, &mut cuts);
        Ok(Self {
            lattice,
            signs,
            warped,
            cuts,
        })
    }

    /// All inner tetrahedra, positively oriented.
    fn fill(&self) -> Vec<[Key; 4]> {
        let [x, y, z] = self.lattice.cubes();
        let slabs: Vec<Vec<[Key; 4]>> = (0..x)
            .into_par_iter()
            .map(|i| {
                let mut tets = Vec::new();
                for j in 0..y {
                    for k in 0..z {
                        for (axis, inner) in
                            [i + 1 < x, j + 1 < y, k + 1 < z].into_iter().enumerate()
                        {
                            if inner {
                                for corners in self.lattice.tets_at_face([i, j, k], axis) {
                                    stencil::fill(corners, self, &mut tets);
                                }
                            }
                        }
                    }
                }
                for tet in &mut tets {
                    if tet_volume(tet.map(|key| self.position(key))) < 0.0 {
                        tet.swap(2, 3);
                    }
                }
                tets
            })
            .collect();
        slabs.concat()
    }

    /// Marks the keys that lie on the surface.
    fn surface_nodes(&self) -> Vec<bool> {
        let points = self.signs.iter().map(|&sign| sign == Sign::On);
        points.chain(self.cuts.iter().map(|_| true)).collect()
    }

    fn position(&self, key: Key) -> Vector3<f64> {
        match (key as usize).checked_sub(self.lattice.len()) {
            Some(cut) => cuts::position(&self.lattice, &self.cuts[cut]),
            None if self.signs[key as usize] == Sign::On => self
                .warped
                .binary_search_by_key(&key, |&(point, _)| point)
                .map_or_else(|_| self.lattice.position(key), |place| self.warped[place].1),
            None => self.lattice.position(key),
        }
    }

    /// Numbers the used nodes, ascending by key.
    fn into_mesh(self, mut tets: Vec<[Key; 4]>) -> Result<TetMesh, StuffingError> {
        let mut number = vec![u32::MAX; self.lattice.len() + self.cuts.len()];
        for &key in tets.as_flattened() {
            number[key as usize] = 0;
        }
        let mut nodes = Vec::new();
        for (key, slot) in (0u32..).zip(&mut number) {
            if *slot == 0 {
                *slot = nodes.len() as u32;
                nodes.push(self.position(key));
            }
        }
        for key in tets.as_flattened_mut() {
            *key = number[*key as usize];
        }
        Ok(TetMesh::new(nodes, tets)?)
    }
}

impl Nodes for Stuffing {
    fn sign(&self, point: u32) -> Sign {
        self.signs[point as usize]
    }

    fn cut(&self, inner: u32, outer: u32) -> Key {
        let place = self
            .cuts
            .binary_search_by_key(&(inner, outer), |cut| (cut.inner, cut.outer));
        // Every edge from inside to outside has a crossing.
        (self.lattice.len() + place.unwrap_or_else(|place| place)) as Key
    }

    fn is_better(&self, first: &[[Key; 4]], second: &[[Key; 4]]) -> bool {
        let largest_cosine = |tets: &[[Key; 4]]| {
            tets.iter()
                .flat_map(|tet| {
                    let mut corners = tet.map(|key| self.position(key));
                    if tet_volume(corners) < 0.0 {
                        corners.swap(2, 3);
                    }
                    tet_dihedral_cosines(corners)
                })
                .fold(f64::NEG_INFINITY, f64::max)
        };
        largest_cosine(first) < largest_cosine(second)
    }
}
