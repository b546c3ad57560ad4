//! Changes made by a repair.

use std::fmt;

use crate::mesh::MeshError;

/// Counts of the changes and of the remaining defects. `Display` prints a line for each that is not 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RepairReport {
    /// Hexahedra that were cut into six tetrahedra each.
    pub cut_hexahedra: usize,
    /// Nodes that were joined to another one.
    pub welded_nodes: usize,
    /// Welding distance (m).
    pub weld_distance: f64,
    /// Elements without area or volume that were removed.
    pub flat_elements: usize,
    /// Elements with the corners of another one that were removed.
    pub duplicate_elements: usize,
    /// Triangles of walls between two shells that were removed; the shells become one.
    pub wall_triangles: usize,
    /// Elements whose orientation was changed.
    pub reversed_elements: usize,
    /// Nodes that were added so that each sheet or part has its own nodes.
    pub split_nodes: usize,
    /// Largest distance between a split node and its original (m).
    pub split_distance: f64,
    /// Nodes of no element that were removed.
    pub unused_nodes: usize,
    /// Edges of the surface with a triangle on one side only, which remain.
    pub open_edges: usize,
    /// Pairs of triangles that intersect, which remain; counted up to a thousand.
    pub intersections: usize,
    /// The first intersecting pair, as triangles of the repaired mesh.
    pub first_intersection: Option<[u32; 2]>,
    /// A remaining place where the surface does not have two sides: an odd number of sheets at an edge, or a Möbius
    /// strip.
    pub defect: Option<MeshError>,
    /// Shells inside of another one and wound outwards, which remain.
    pub nested_shells: usize,
}

impl RepairReport {
    /// Whether nothing was changed.
    pub fn is_unchanged(&self) -> bool {
        [
            self.cut_hexahedra,
            self.welded_nodes,
            self.flat_elements,
            self.duplicate_elements,
            self.wall_triangles,
            self.reversed_elements,
            self.split_nodes,
            self.unused_nodes,
        ]
        .iter()
        .all(|&count| count == 0)
    }
}

impl fmt::Display for RepairReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = [
            (self.cut_hexahedra, "hexahedra cut into six tetrahedra each".to_owned()),
            (
                self.welded_nodes,
                format!("nodes joined to others within {:e} m", self.weld_distance),
            ),
            (self.flat_elements, "flat elements removed".to_owned()),
            (self.duplicate_elements, "duplicate elements removed".to_owned()),
            (
                self.wall_triangles,
                "triangles of walls between shells removed: those shells are one".to_owned(),
            ),
            (self.reversed_elements, "elements turned over".to_owned()),
            (
                self.split_nodes,
                format!(
                    "nodes added where the mesh touched itself, and moved apart by up to {:e} m",
                    self.split_distance
                ),
            ),
            (self.unused_nodes, "nodes of no element removed".to_owned()),
            (
                self.open_edges,
                "open edges remain: fine for a thin body or an obstacle, otherwise close the hole".to_owned(),
            ),
            (
                self.nested_shells,
                "shells remain inside others and are wound outwards: remove them, or reverse them if they are \
                 cavities".to_owned(),
            ),
        ];
        for (count, what) in lines.iter().filter(|(count, _)| *count > 0) {
            writeln!(f, "{count} {what}")?;
        }
        if let Some([first, second]) = self.first_intersection {
            writeln!(
                f,
                "{} pairs of triangles remain that intersect, the first being {first} and {second}: unite the shells \
                 in a modeller",
                self.intersections
            )?;
        }
        if let Some(defect) = &self.defect {
            writeln!(f, "a fault remains: {defect}")?;
        }
        if self.is_unchanged() {
            writeln!(f, "nothing to change")?;
        }
        Ok(())
    }
}
