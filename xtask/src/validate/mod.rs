//! `cargo xtask validate`: simulations compared with closed forms, independent computations and each other.
//!
//! Every row has a case, the value of theory, the value of the program, and the bound on their difference. The row of a
//! known failure states the condition for its repair, and fails the suite when it holds.

mod contact;
mod energy;
mod friction;
mod invariance;
mod mesh;
mod page;
mod rigid;
mod row;
mod run;
mod solid;
mod spin;
mod theory;
mod thin;

use std::error::Error;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cpu_time::ThreadTime;
pub(crate) use row::Row;
use row::{Rows, Verdict};

/// Selection of comparisons.
#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Finer meshes, shorter steps and more cases
    #[arg(long)]
    full: bool,
    /// Only families and cases whose name contains one of these
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Also write the tables as a Markdown page
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

/// Extent of the comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Quick,
    Full,
}

impl Extent {
    /// Size of a case: small in the quick form.
    fn choose<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// Simulates and adds rows.
type Fill = fn(&mut Rows, Extent) -> Result<(), Box<dyn Error>>;

/// Number of its family, name and simulations of a case.
type Chosen = (usize, &'static str, Fill);

/// Cases on one subject.
struct Family {
    name: &'static str,
    /// One sentence for the page.
    about: &'static str,
    cases: &'static [(&'static str, Fill)],
}

const FAMILIES: [Family; 8] = [
    solid::FAMILY,
    thin::FAMILY,
    contact::FAMILY,
    friction::FAMILY,
    rigid::FAMILY,
    energy::FAMILY,
    spin::FAMILY,
    invariance::FAMILY,
];

/// The rows of a case, and their cost.
struct Done {
    family: usize,
    case: &'static str,
    rows: Vec<Row>,
    /// CPU seconds.
    seconds: f64,
}

/// The rows of the families and cases whose name contains `name`.
///
/// # Errors
/// If a simulation stops, or no case has such a name.
pub(crate) fn rows_of(name: &str, full: bool) -> Result<Vec<Row>, Box<dyn Error>> {
    let options = Options {
        full,
        only: vec![name.to_owned()],
        page: None,
    };
    let extent = if full { Extent::Full } else { Extent::Quick };
    let chosen = options.chosen()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut all = Rows::default();
    pool.install(|| {
        for (_, case, fill) in chosen {
            fill(&mut all, extent).map_err(|error| format!("{case}: {error}"))?;
        }
        Ok::<_, String>(())
    })?;
    Ok(all.0)
}

/// Compares the chosen cases with theory; true if every guarantee holds and every known failure still fails.
pub(crate) fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let extent = if options.full {
        Extent::Full
    } else {
        Extent::Quick
    };
    let chosen = options.chosen()?;
    let done = compare(&chosen, extent)?;
    if let Some(path) = &options.page {
        page::write(path, options, &done)?;
        println!("page: {}", path.display());
    }
    let count = |verdict| rows(&done).filter(|row| row.verdict() == verdict).count();
    println!(
        "{} rows hold, {} known failures, {} to promote, {} broken, {} empty; {:.0} s of CPU",
        count(Verdict::Holds),
        count(Verdict::Known),
        count(Verdict::Promote),
        count(Verdict::Broken),
        count(Verdict::Empty),
        done.iter().map(|done| done.seconds).sum::<f64>(),
    );
    Ok(rows(&done).all(|row| row.verdict().passes()))
}

fn rows(done: &[Done]) -> impl Iterator<Item = &Row> {
    done.iter().flat_map(|done| &done.rows)
}

impl Options {
    /// The chosen cases: at least one.
    fn chosen(&self) -> Result<Vec<Chosen>, Box<dyn Error>> {
        let chosen: Vec<Chosen> = (FAMILIES.iter().enumerate())
            .flat_map(|(family, of)| {
                of.cases
                    .iter()
                    .map(move |&(case, fill)| (family, case, fill))
            })
            .filter(|&(family, case, _)| self.names(FAMILIES[family].name, case))
            .collect();
        if chosen.is_empty() {
            let names = FAMILIES
                .iter()
                .flat_map(|of| of.cases.iter().map(|(case, _)| *case));
            let names: Vec<&str> = FAMILIES.iter().map(|of| of.name).chain(names).collect();
            return Err(format!("no case has such a name; there are {}", names.join(", ")).into());
        }
        Ok(chosen)
    }

    fn names(&self, family: &str, case: &str) -> bool {
        let holds = |name: &String| family.contains(name.as_str()) || case.contains(name.as_str());
        self.only.is_empty() || self.only.iter().any(holds)
    }
}

/// Runs the cases, each on one thread, in parallel on all processors, and prints them as they end.
fn compare(chosen: &[Chosen], extent: Extent) -> Result<Vec<Done>, Box<dyn Error>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let pools: Vec<rayon::ThreadPool> = (0..workers)
        .map(|_| rayon::ThreadPoolBuilder::new().num_threads(1).build())
        .collect::<Result<_, _>>()?;
    std::thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| {
                while let Some(&(family, case, fill)) =
                    chosen.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let result = pool.install(|| carry_out(case, fill, extent));
                    let (rows, seconds) = result;
                    let mut done = done
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner);
                    print(FAMILIES[family].name, case, &rows, seconds);
                    done.push(Done {
                        family,
                        case,
                        rows,
                        seconds,
                    });
                }
            });
        }
    });
    let mut done = done
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let place = |of: &Done| {
        chosen
            .iter()
            .position(|&(family, case, _)| (family, case) == (of.family, of.case))
    };
    done.sort_by_key(place);
    Ok(done)
}

/// The rows of one case. A case that ends early or has no row gets a failing row.
fn carry_out(case: &str, fill: Fill, extent: Extent) -> (Vec<Row>, f64) {
    let clock = ThreadTime::now();
    let mut rows = Rows::default();
    let end = fill(&mut rows, extent);
    let problem = match end {
        Err(error) => Some(error.to_string()),
        Ok(()) if rows.0.is_empty() => Some("the case has no rows".to_owned()),
        Ok(()) => None,
    };
    if let Some(problem) = problem {
        rows.attempt(
            case,
            f64::NAN,
            Err(problem),
            row::Within::Absolute(f64::NAN),
        );
    }
    (rows.0, clock.elapsed().as_secs_f64())
}

fn print(family: &str, case: &str, rows: &[Row], seconds: f64) {
    println!("\n{family}: {case}  ({seconds:.1} s)");
    for row in rows {
        let [case, expected, got, deviation, bound, order, verdict] = row.columns();
        println!(
            "  {case:<80}{expected:>13}{got:>13}{deviation:>9}{bound:>13}{order:>6}  {verdict}"
        );
        if !row.remark().is_empty() {
            println!("      {}", row.remark());
        }
    }
}
