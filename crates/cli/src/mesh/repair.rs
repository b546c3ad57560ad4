//! `impinge mesh repair`: repairs defects that have one evident remedy, and reports them.

use std::path::Path;

use impinge_geometry::io::{read_raw_solid, read_raw_surface, write_triangle_mesh};
use impinge_geometry::mesh::repair::RepairReport;

use super::{is_surface_file, unusable, write};
use crate::exit::{Code, Failure};
use crate::terminal;

/// Reads a mesh unchecked, repairs it, writes it and reports the changes.
pub(crate) fn repair(from: &Path, to: &Path, weld: Option<f64>) -> Result<(), Failure> {
    let solid = if is_surface_file(from) {
        None
    } else {
        let raw = read_raw_solid(from).map_err(|error| Failure::bad_input(&error))?;
        (!raw.tets.is_empty() || !raw.hexahedra.is_empty()).then_some(raw)
    };
    if let Some(raw) = solid {
        let (mesh, report) = raw
            .repaired_solid(weld)
            .map_err(|error| Failure::bad_input(&unusable(from, error)))?;
        write(&mesh, to)?;
        return tell(to, &report);
    }
    if !is_surface_file(to) {
        return Err(Failure::new(
            Code::BadInput,
            format!(
                "{} is a surface, which cannot be written as {}\n  mend: write an .obj or .stl file; `impinge mesh \
                 tetrahedralize` fills it",
                from.display(),
                to.display()
            ),
        ));
    }
    let (mesh, report) = read_raw_surface(from)
        .map_err(|error| Failure::bad_input(&error))?
        .repaired_surface(weld)
        .map_err(|error| Failure::bad_input(&unusable(from, error)))?;
    write_triangle_mesh(to, &mesh)
        .map_err(|error| Failure::new(Code::Output, error.to_string()))?;
    tell(to, &report)
}

fn tell(to: &Path, report: &RepairReport) -> Result<(), Failure> {
    terminal::say(format!("{}\n{report}", to.display()).trim_end())
}
