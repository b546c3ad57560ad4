//! `cargo xtask figures`: the measurements by which the step is judged, as one page.
//!
//! A section runs simulations and yields rows of quantity, scene, value, bound and verdict. Laws of physics fail the
//! command; times, iterations and their ratios do not, since they depend on the machine and on its other work.

mod bandwidth;
mod boxes;
mod crush;
mod delassus;
mod falls;
mod figure;
mod growth;
mod large_steps;
mod laws;
mod measure;
mod page;
mod problems;
mod product;
mod progress;
mod scenes;
mod size;
mod threads;

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use figure::{Figure, Grid, Verdict};
use progress::Progress;

/// Selection of measurements.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Larger scenes, longer runs and more repetitions
    #[arg(long)]
    full: bool,
    /// Only these sections, by name
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Also write the tables as a Markdown page
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

/// Settings of the measurements of a section.
struct Context {
    full: bool,
    progress: Progress,
}

impl Context {
    /// Size of a case: small in the quick form.
    fn choose<T>(&self, quick: T, full: T) -> T {
        if self.full { full } else { quick }
    }
}

/// The tables of one section.
#[derive(Default)]
struct Sheet {
    /// Plain numbers, without verdicts.
    grids: Vec<Grid>,
    figures: Vec<Figure>,
}

/// Measures and fills the tables.
type Measure = fn(&mut Sheet, &Context) -> Result<(), Box<dyn Error>>;

/// Measurements on one subject.
struct Section {
    /// Name for `--only`.
    name: &'static str,
    title: &'static str,
    /// Content and purpose of the table.
    about: &'static str,
    /// Whether the quick form leaves it out.
    long: bool,
    measure: Measure,
}

const SECTIONS: [Section; 20] = [
    laws::SPIN,
    laws::PENDULUM,
    laws::ORDERS,
    laws::BALANCE,
    laws::DISTANT,
    large_steps::RINGS,
    large_steps::STACK,
    growth::GROWTH,
    threads::THREADS,
    boxes::BOXES,
    product::PRODUCT,
    size::SIZE,
    crush::THROWN,
    crush::FIRST_STEPS,
    crush::ROLLERS,
    crush::FINE_ROLLERS,
    crush::BUNNIES,
    crush::ARMADILLOS,
    delassus::DELASSUS,
    problems::PROBLEMS,
];

/// A measured section.
struct Done {
    section: &'static Section,
    sheet: Sheet,
    /// Wall time (s).
    seconds: f64,
}

/// Measures the chosen sections, one after the other so that they do not disturb each other's times; true if every law
/// holds.
pub(crate) fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    static ALL: [Section; SECTIONS.len()] = SECTIONS;
    let names: Vec<&str> = ALL.iter().map(|section| section.name).collect();
    if let Some(unknown) = options
        .only
        .iter()
        .find(|name| !names.contains(&name.as_str()))
    {
        return Err(format!(
            "there is no section `{unknown}`; there are {}",
            names.join(", ")
        )
        .into());
    }
    let chosen: Vec<&'static Section> = ALL
        .iter()
        .filter(|section| {
            if options.only.is_empty() {
                options.full || !section.long
            } else {
                options.only.iter().any(|name| name == section.name)
            }
        })
        .collect();
    let context = Context {
        full: options.full,
        progress: Progress::new(chosen.len()),
    };
    let mut done = Vec::new();
    for section in chosen {
        context.progress.section(section.name);
        let clock = Instant::now();
        let mut sheet = Sheet::default();
        if let Err(error) = (section.measure)(&mut sheet, &context) {
            sheet
                .figures
                .push(Figure::law(section.title, "").failed(error.to_string()));
        }
        let of = Done {
            section,
            sheet,
            seconds: clock.elapsed().as_secs_f64(),
        };
        context.progress.pause(|| print(&of));
        done.push(of);
    }
    drop(context);
    if let Some(path) = &options.page {
        page::write(path, options, &done)?;
        println!("page: {}", path.display());
    }
    let count = |verdict| {
        figures(&done)
            .filter(|row| row.verdict() == verdict)
            .count()
    };
    println!(
        "{} rows hold, {} broken, {} outside their bound, {} skipped; {:.0} s",
        count(Verdict::Holds),
        count(Verdict::Broken),
        count(Verdict::Missed),
        count(Verdict::Skipped),
        done.iter().map(|done| done.seconds).sum::<f64>(),
    );
    Ok(count(Verdict::Broken) == 0)
}

fn figures(done: &[Done]) -> impl Iterator<Item = &Figure> {
    done.iter().flat_map(|done| &done.sheet.figures)
}

fn print(done: &Done) {
    println!(
        "\n{}: {}  ({:.1} s)",
        done.section.name, done.section.title, done.seconds
    );
    for grid in &done.sheet.grids {
        println!("  {}", grid.about);
        for line in grid.lines() {
            let cells: Vec<String> = line.iter().map(|cell| format!("{cell:>24}")).collect();
            println!("  {}", cells.concat());
        }
    }
    for row in &done.sheet.figures {
        let [quantity, scene, value, bound, verdict] = row.columns();
        println!("  {quantity:<58} {scene:<34}{value:>12}{bound:>16}  {verdict}");
    }
}
