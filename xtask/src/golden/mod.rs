//! `cargo xtask golden`: the check that a refactoring does not change one bit of a result.
//!
//! Short scenes cover every stepper, method, material and kind of body, each on one thread and on two; contact and
//! friction problems are solved by every method that supports them. `tests/golden/golden.txt` has a hash of each
//! result, with a few plain numbers that make differences readable.
//!
//! - `golden record --because "..."` writes the file, with the reason in its head
//! - `golden check` names the results that differ, and the first difference
//! - `golden check --numeric` compares the plain numbers only: the last bits of elementary functions and of fused
//!   products depend on the processor
//!
//! - `cases`: the scenes, as overrides of shipped ones
//! - `play`: runs a case and collects its results on disk
//! - `digest`: hashes of these results, without times and names
//! - `problems`, `friction`: problems solved by every method
//! - `jobs`: all of these, in parallel
//! - `book`: the file of results
//! - `compare`: comparison of two books

mod book;
mod cases;
mod compare;
mod digest;
mod friction;
mod jobs;
mod play;
mod problems;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use book::Book;
use compare::Difference;

/// Operations on the stored results.
#[derive(clap::Subcommand)]
pub(crate) enum Task {
    /// Runs everything and writes the results; needs IMPINGE_DATA
    Record {
        /// The reason why results change, in one sentence
        #[arg(long, value_name = "SENTENCE")]
        because: String,
    },
    /// Runs everything and compares; exit code 1 if a result differs
    Check(Check),
}

/// Options of the comparison.
#[derive(clap::Args, Default)]
pub(crate) struct Check {
    /// Compare the plain numbers to 1e-6 instead of hashes: for processors other than that of the record
    #[arg(long)]
    numeric: bool,
    /// Only cases whose name contains one of these
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
}

impl Check {
    /// Compares plain numbers only.
    pub(crate) fn numeric() -> Self {
        Self {
            numeric: true,
            only: Vec::new(),
        }
    }
}

/// Records or compares; true if nothing differs.
pub(crate) fn run(task: &Task) -> Result<bool, Box<dyn Error>> {
    match task {
        Task::Record { because } => record(because),
        Task::Check(options) => check(options),
    }
}

fn record(because: &str) -> Result<bool, Box<dyn Error>> {
    if because.trim().is_empty() || because.contains('\n') {
        return Err("--because: give the reason why results change, in one line".into());
    }
    if data().is_none() {
        return Err("IMPINGE_DATA is not set: the record would lack the cases that need it".into());
    }
    let mut results = jobs::run(&[])?;
    if !results.holds() {
        return Ok(false);
    }
    jobs::soften(&mut results.lines)?;
    let reasons = match Book::read(&place()) {
        Ok(book) => book.reasons,
        Err(_) => Vec::new(),
    };
    let mut book = Book {
        reasons,
        machine: book::machine(),
        lines: results.lines,
    };
    book.reasons
        .push(format!("{}: {}", book::today()?, because.trim()));
    book.write(&place())?;
    println!("{} results in {}", book.lines.len(), place().display());
    Ok(true)
}

/// Compares all results, or those of some cases, with the record; true if all are equal.
pub(crate) fn check(options: &Check) -> Result<bool, Box<dyn Error>> {
    let book = Book::read(&place())?;
    let clock = Instant::now();
    let results = jobs::run(&options.only)?;
    let chosen: BTreeSet<&str> = results.cases.iter().map(String::as_str).collect();
    let (known, skipped): (Vec<_>, Vec<_>) = (book.lines.into_iter())
        .filter(|line| jobs::is_chosen(&line.case, &options.only))
        .partition(|line| chosen.contains(line.case.as_str()) || data().is_some());
    if !skipped.is_empty() {
        println!(
            "{} results need IMPINGE_DATA, which is not set",
            skipped.len()
        );
    }
    let bits = compare::bits(&known, &results.lines);
    let numbers = compare::numbers(&known, &results.lines);
    let differ = if options.numeric { &numbers } else { &bits };
    differ.iter().for_each(print);
    let here = book::machine();
    if here != book.machine {
        println!("recorded on {}, compared on {here}", book.machine);
    }
    println!(
        "{} results of {} cases: {} differ in bits, {} in numbers; {:.0} s",
        results.lines.len(),
        results.cases.len(),
        compare::results(&bits),
        compare::results(&numbers),
        clock.elapsed().as_secs_f64()
    );
    Ok(differ.is_empty() && results.holds())
}

fn print(difference: &Difference) {
    println!("{difference}");
}

/// The folder that `IMPINGE_DATA` names.
fn data() -> Option<PathBuf> {
    std::env::var_os("IMPINGE_DATA")
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from)
}

/// The root of the workspace.
fn root() -> PathBuf {
    let xtask = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_owned()
}

/// The file of the record.
fn place() -> PathBuf {
    root().join("tests/golden/golden.txt")
}
