//! Writing format 4.1 ASCII.

use std::io::{self, Write};

use crate::mesh::TetMesh;

/// Writes one volume entity with all nodes and tetrahedra, tags from 1 in mesh order.
pub(in crate::io) fn write(out: &mut impl Write, mesh: &TetMesh) -> io::Result<()> {
    let (nodes, tets) = (mesh.nodes(), mesh.tets());
    let (lower, upper) = nodes
        .iter()
        .fold((nodes[0], nodes[0]), |(lower, upper), p| {
            (lower.inf(p), upper.sup(p))
        });
    writeln!(out, "$MeshFormat\n4.1 0 8\n$EndMeshFormat")?;

    // No points, curves or surfaces; one volume with its bounding box, no physical groups, no bounding surfaces.
    writeln!(out, "$Entities\n0 0 0 1")?;
    writeln!(
        out,
        "1 {:e} {:e} {:e} {:e} {:e} {:e} 0 0",
        lower.x, lower.y, lower.z, upper.x, upper.y, upper.z
    )?;
    writeln!(out, "$EndEntities")?;

    let count = nodes.len();
    writeln!(out, "$Nodes\n1 {count} 1 {count}\n3 1 0 {count}")?;
    for tag in 1..=count {
        writeln!(out, "{tag}")?;
    }
    for p in nodes {
        writeln!(out, "{:e} {:e} {:e}", p.x, p.y, p.z)?;
    }
    writeln!(out, "$EndNodes")?;

    let count = tets.len();
    writeln!(out, "$Elements\n1 {count} 1 {count}\n3 1 4 {count}")?;
    for (tag, corners) in (1..).zip(tets) {
        let [a, b, c, d] = corners.map(|node| node + 1);
        writeln!(out, "{tag} {a} {b} {c} {d}")?;
    }
    writeln!(out, "$EndElements")
}
