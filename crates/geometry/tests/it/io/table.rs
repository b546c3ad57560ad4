//! Properties of the real meshes, measured by other programs (four significant digits).

/// One file of the data folder's `meshes`.
pub(super) struct Row {
    pub(super) file: &'static str,
    pub(super) nodes: usize,
    /// 0 for a surface.
    pub(super) tets: usize,
    pub(super) triangles: usize,
    pub(super) size: [f64; 3],
    pub(super) lowest: [f64; 3],
    /// `None` for an open surface.
    pub(super) volume: Option<f64>,
    pub(super) smallest_tet: Option<f64>,
    pub(super) worst_quality: Option<f64>,
    /// Shortest edge of the surface.
    pub(super) shortest_edge: f64,
    pub(super) open_edges: usize,
    pub(super) chi: i64,
    pub(super) parts: usize,
}

/// All files with triangles, without the voussoirs of the arch.
pub(super) fn rows() -> Vec<Row> {
    let lines = include_str!("meshes.csv").lines();
    // The first line names the columns.
    lines.skip(1).map(Row::read).collect()
}

impl Row {
    fn read(line: &'static str) -> Self {
        let cells: Vec<&'static str> = line.split(',').collect();
        assert_eq!(cells.len(), 17, "{line}");
        let count = |cell: usize| cells[cell].parse().expect("a count");
        let number = |cell: usize| -> f64 { cells[cell].parse().expect("a number") };
        let optional = |cell: usize| (!cells[cell].is_empty()).then(|| number(cell));
        Self {
            file: cells[0],
            nodes: count(1),
            tets: count(2),
            triangles: count(3),
            size: [4, 5, 6].map(number),
            lowest: [7, 8, 9].map(number),
            volume: optional(10),
            smallest_tet: optional(11),
            worst_quality: optional(12),
            shortest_edge: number(13),
            open_edges: count(14),
            chi: cells[15].parse().expect("a whole number"),
            parts: count(16),
        }
    }
}

#[test]
fn the_table_is_whole() {
    assert_eq!(rows().len(), 68);
}
