//! Bodies whose strains are constraints: solids and sheets, in compliance or in stiffness form.
//!
//! Elastic tetrahedra and hexahedra in stiffness form are not among them: `impinge_fem` assembles those faster. All
//! others are integration points of a strain between nodes ([`strain`](impinge_contact::constraint::strain)): of
//! tetrahedra, of hexahedra, of quadrilaterals, or meshless. The tetrahedra of such a body fill it: they give its mass
//! and surface, and the deformation of frames.

mod material;
mod points;
mod stress;

pub(crate) use material::strain_form;
pub(crate) use points::{Elements, Sheet, StrainBody, Strains, strain_constraints};
pub(crate) use stress::{StressElement, StressLaw, StressPoint};

/// For each tetrahedron, the cell of eight corners in `cells` that it is part of, if any.
pub(crate) fn cells_of_tets(tets: &[[u32; 4]], cells: &[[u32; 8]]) -> Vec<Option<u32>> {
    let points = cells.iter().flatten().max().map_or(0, |&most| most + 1);
    let mut around = vec![Vec::new(); points as usize];
    for (index, cell) in cells.iter().enumerate() {
        for &corner in cell {
            around[corner as usize].push(index);
        }
    }
    let of = |tet: &[u32; 4]| {
        let first = around.get(tet[0] as usize)?;
        let inside = |&&index: &&usize| tet.iter().all(|node| cells[index].contains(node));
        first.iter().find(inside).map(|&index| index as u32)
    };
    tets.iter().map(of).collect()
}
