//! `cargo xtask conformance`: one table per layer of what it guarantees, what was measured, and whether that holds.

mod contact;
mod fem;
mod friction;
mod geometry;
mod krylov;
mod sim;
mod table;

use std::error::Error;
use std::path::PathBuf;

use clap::ValueEnum;
use table::Table;

/// What to compare.
#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Layers [default: all]
    #[arg(value_enum)]
    layers: Vec<Layer>,
    /// The cases that take seconds, as in `ci` (this is the default)
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Larger cases, and times that are worth reading
    #[arg(long)]
    full: bool,
    /// Folder with the continuous collision queries [default: $IMPINGE_DATA/ccd]
    #[arg(long, value_name = "FOLDER")]
    ccd: Option<PathBuf>,
    /// Also solve every friction problem (.fcp) of this folder, with the layer `contact`
    #[arg(long, value_name = "FOLDER")]
    problems: Option<PathBuf>,
    /// Method for --problems: auto, pgs, newton or admm
    #[arg(
        long,
        value_name = "NAME",
        default_value = "auto",
        requires = "problems"
    )]
    method: String,
    /// Bound on both errors of every one of --problems
    #[arg(long, value_name = "T", default_value_t = 1e-8, requires = "problems")]
    tolerance: f64,
}

impl Options {
    /// All layers, quickly.
    pub(crate) fn quick() -> Self {
        Self::default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Layer {
    Geometry,
    Krylov,
    Fem,
    Contact,
    Sim,
}

/// How much to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Quick,
    Full,
}

/// Prints the tables of the chosen layers; true if every guarantee holds.
pub(crate) fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let extent = if options.full && !options.quick {
        Extent::Full
    } else {
        Extent::Quick
    };
    let mut holds = true;
    for &layer in Layer::value_variants() {
        if !options.layers.is_empty() && !options.layers.contains(&layer) {
            continue;
        }
        let mut table = Table::new(&format!("{layer:?}").to_lowercase());
        match layer {
            Layer::Geometry => geometry::fill(&mut table, options.ccd.as_deref(), extent)?,
            Layer::Krylov => krylov::fill(&mut table, extent)?,
            Layer::Fem => fem::fill(&mut table)?,
            Layer::Contact => contact::fill(&mut table, extent)?,
            Layer::Sim => sim::fill(&mut table, extent)?,
        }
        table.print();
        holds &= table.holds();
        if let (Layer::Contact, Some(folder)) = (layer, &options.problems) {
            holds &= friction::run(folder, &options.method, options.tolerance)?;
        }
    }
    Ok(holds)
}
