//! `cargo xtask conformance`: one table per layer of guarantees, measurements and verdicts; every contact method side
//! by side; and a page of all tables.

mod asynchronous;
mod compliance;
mod constraints;
mod contact;
mod fem;
mod friction;
mod geometry;
mod krylov;
mod lattice;
mod methods;
mod overlap;
mod parts;
mod progress;
mod report;
mod scenes;
mod sim;
mod sweeps;
mod table;

use std::error::Error;
use std::path::PathBuf;

use clap::ValueEnum;
use impinge_report::SceneRecord;
use table::Table;

/// Selection of comparisons.
#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Layers [default: all]
    #[arg(value_enum)]
    layers: Vec<Layer>,
    /// Larger cases, and meaningful times; otherwise those of `ci`, which take seconds
    #[arg(long)]
    full: bool,
    /// Only these contact scenes [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    scenes: Vec<String>,
    /// File of the report; tables of its numbers go beside it [default: target/conformance/report.html]
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(
        flatten,
        next_help_heading = "Parts of the geometry table; named ones alone"
    )]
    geometry: geometry::Parts,
    /// Also solve every friction problem (.fcp) of this folder, with the layer `contact`
    #[arg(long, value_name = "FOLDER")]
    problems: Option<PathBuf>,
    /// Methods for --problems, a table each: auto, pgs, newton or admm
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "auto",
        requires = "problems"
    )]
    method: Vec<String>,
    /// Bound on both errors of every one of --problems
    #[arg(long, value_name = "T", default_value_t = 1e-8, requires = "problems")]
    tolerance: f64,
}

impl Options {
    /// All layers, quickly.
    pub(crate) fn quick() -> Self {
        Self::default()
    }

    fn extent(&self) -> Extent {
        if self.full {
            Extent::Full
        } else {
            Extent::Quick
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Layer {
    Geometry,
    Krylov,
    Fem,
    Contact,
    /// Warped against exact compliance: errors and times
    Compliance,
    /// Stable constrained dynamics: loads, chains, condition numbers
    Constraints,
    Sim,
    /// The asynchronous stepper: events, growth with size, shares of time
    Asynchronous,
    /// Cost over step length, stiffness and number of bodies, and rest over ten seconds
    Sweeps,
    /// Every contact method on the problems of whole scenes
    Methods,
}

impl Layer {
    /// As in commands and tables.
    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// Extent of the comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Quick,
    Full,
}

/// A row of a table.
pub(crate) struct Judged {
    pub(crate) layer: Layer,
    pub(crate) case: String,
    pub(crate) measured: String,
    pub(crate) bound: String,
    /// `holds` or `BROKEN`, of an aim `reached` or `MISSED`, and empty for a figure without a bound.
    pub(crate) verdict: &'static str,
}

/// Guarantees, aims and figures of some layers.
#[derive(Default)]
pub(crate) struct Guarantees {
    pub(crate) rows: Vec<Judged>,
    /// The layers that left cases out for want of data.
    pub(crate) skipped: Vec<Layer>,
}

/// Measures the guarantees of `layers`; of [`Layer::Methods`] only those of `scenes`.
pub(crate) fn guarantees(
    layers: &[Layer],
    scenes: &[&str],
    full: bool,
) -> Result<Guarantees, Box<dyn Error>> {
    let options = Options {
        layers: layers.to_vec(),
        scenes: scenes.iter().map(|&scene| scene.to_owned()).collect(),
        full,
        ..Options::default()
    };
    let mut found = Guarantees::default();
    for (layer, table) in fill(&options)?.tables {
        if table.is_skipped() {
            found.skipped.push(layer);
        }
        for row in table.rows {
            found.rows.push(Judged {
                layer,
                verdict: row.verdict(),
                case: row.case,
                measured: row.measured,
                bound: row.bound,
            });
        }
    }
    Ok(found)
}

/// The tables of the chosen layers.
struct Filled {
    tables: Vec<(Layer, Table)>,
    scenes: Vec<SceneRecord>,
    problems_hold: bool,
}

/// Prints the tables of the chosen layers, and writes their page; true if every guarantee holds.
pub(crate) fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let Filled {
        tables,
        scenes,
        problems_hold,
    } = fill(options)?;
    let tables: Vec<Table> = tables.into_iter().map(|(_, table)| table).collect();
    let path = options.report.clone().unwrap_or_else(report::place);
    report::write(&path, options.extent(), &tables, &scenes)?;
    println!("report: {}, its numbers in *.csv beside it", path.display());
    Ok(problems_hold && tables.iter().all(Table::holds))
}

/// Measures, and prints, the tables of the chosen layers.
fn fill(options: &Options) -> Result<Filled, Box<dyn Error>> {
    let extent = options.extent();
    let chosen = options.geometry.are_chosen();
    if chosen && !options.layers.is_empty() && !options.layers.contains(&Layer::Geometry) {
        return Err("the parts of the geometry table were named, but that layer was not".into());
    }
    let mut tables = Vec::new();
    let mut scenes = Vec::new();
    let mut problems_hold = true;
    for &layer in Layer::value_variants() {
        if !options.layers.is_empty() && !options.layers.contains(&layer) {
            continue;
        }
        if options.layers.is_empty() && chosen && layer != Layer::Geometry {
            continue;
        }
        let mut table = Table::new(&layer.name());
        match layer {
            Layer::Geometry => geometry::fill(&mut table, options, extent)?,
            Layer::Krylov => krylov::fill(&mut table, extent)?,
            Layer::Fem => fem::fill(&mut table)?,
            Layer::Contact => contact::fill(&mut table, extent)?,
            Layer::Compliance => compliance::fill(&mut table, extent)?,
            Layer::Constraints => constraints::fill(&mut table, extent)?,
            Layer::Sim => sim::fill(&mut table, extent)?,
            Layer::Asynchronous => asynchronous::fill(&mut table, extent)?,
            Layer::Sweeps => sweeps::fill(&mut table, extent)?,
            Layer::Methods => scenes = methods::fill(&mut table, extent, &options.scenes)?,
        }
        table.finish();
        tables.push((layer, table));
        if let (Layer::Contact, Some(folder)) = (layer, &options.problems) {
            for method in &options.method {
                problems_hold &= friction::run(folder, method, options.tolerance)?;
            }
        }
    }
    Ok(Filled {
        tables,
        scenes,
        problems_hold,
    })
}
