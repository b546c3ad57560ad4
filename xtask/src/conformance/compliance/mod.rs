//! compliance: warped against exact; cost and error at one set of contacts and over whole scenes.

mod cost;
mod pile;
mod refine;
mod shape;

use std::error::Error;

use super::{Extent, table::Table};

/// The pile needs IMPINGE_DATA; whole chains and the whole pile need `--full`.
pub(super) fn fill(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    refine::fill(table, extent)?;
    cost::fill(table, extent)?;
    if extent == Extent::Full {
        shape::fill(table)?;
    }
    if std::env::var_os("IMPINGE_DATA").is_none() {
        table.skip_without_data("pile");
        return Ok(());
    }
    pile::fill(table, extent)
}

/// A shipped scene.
fn shipped(name: &str, overrides: &[&str]) -> Result<impinge_sim::Scene, Box<dyn Error>> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../scenes")
        .join(name)
        .with_extension("toml");
    Ok(impinge_sim::Scene::load(path, overrides)?)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
