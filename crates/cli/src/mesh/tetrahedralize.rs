//! `impinge mesh tetrahedralize`: from a watertight surface to a solid.

use impinge_geometry::io::{read_triangle_mesh, write_tet_mesh};
use impinge_geometry::mesh::{
    MeshSummary, StuffingOptions, StuffingReport, tetrahedralize as fill_surface,
};

use crate::arguments::Tetrahedralize;
use crate::exit::{Code, Failure};
use crate::terminal;
use crate::threads::use_threads;

/// Reads the surface, fills it and writes the solid.
pub(crate) fn tetrahedralize(options: &Tetrahedralize) -> Result<(), Failure> {
    use_threads(options.threads)?;
    let mut surface =
        read_triangle_mesh(&options.from).map_err(|error| Failure::bad_input(&error))?;
    if options.scale.to_bits() != 1.0_f64.to_bits() {
        surface = surface
            .map_vertices(|vertex| vertex * options.scale)
            .map_err(|error| Failure::bad_input(&error))?;
    }
    let mut stuffing = StuffingOptions::new(options.size);
    stuffing.volume_tolerance = options.volume_tolerance;
    stuffing.most_tets = options.most_tets;
    let (mesh, report) = fill_surface(&surface, &stuffing).map_err(|error| {
        Failure::new(
            Code::BadInput,
            format!("{}: {error}", options.from.display()),
        )
    })?;
    write_tet_mesh(&options.to, &mesh)
        .map_err(|error| Failure::new(Code::Output, error.to_string()))?;
    if options.quiet {
        return Ok(());
    }
    for remark in remarks(&report) {
        terminal::remark(&remark);
    }
    let summary = MeshSummary::of_solid(&mesh).map_err(|error| Failure::bad_input(&error))?;
    terminal::say(&format!(
        "{}\n{summary}\ndihedral angles        {:.2}° to {:.2}°\nvolume filled          {:.2} % of the surface's",
        options.to.display(),
        report.dihedral[0],
        report.dihedral[1],
        100.0 * report.volume / report.surface_volume,
    ))?;
    Ok(())
}

/// Unusual properties of the result.
fn remarks(report: &StuffingReport) -> Vec<String> {
    let mut remarks = Vec::new();
    if report.welded > 0 {
        remarks.push(format!(
            "{} coincident surface nodes were merged",
            report.welded
        ));
    }
    if report.removed > 0 {
        remarks.push(format!(
            "{} tetrahedra connected through an edge or a node only were removed; a smaller --size resolves such \
             details",
            report.removed
        ));
    }
    if report.parts > report.surface_parts {
        remarks.push(format!(
            "the solid has {} parts, the surface {}: thin details were lost; use a smaller --size",
            report.parts, report.surface_parts
        ));
    }
    remarks
}
