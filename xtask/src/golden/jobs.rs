//! All cases, several at once, each on one thread and on two.

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::book::Line;
use super::cases::{CASES, Case};
use super::friction::{self, Bare};
use super::{compare, data, play};

/// Threads that each case is run on; the results of all must be the same.
const THREADS: [usize; 2] = [1, 2];

/// What the cases left.
pub(super) struct Results {
    pub(super) lines: Vec<Line>,
    /// Names of the cases that were run.
    pub(super) cases: Vec<String>,
    /// Cases that failed or depend on the number of threads.
    broken: usize,
}

impl Results {
    /// Whether every case has results, the same for any number of threads.
    pub(super) fn holds(&self) -> bool {
        self.broken == 0
    }
}

/// One thing to run.
enum Work {
    Scene(&'static Case),
    Friction(Bare),
}

impl Work {
    fn name(&self) -> String {
        match self {
            Self::Scene(case) => case.name.to_owned(),
            Self::Friction(bare) => bare.name(),
        }
    }

    fn results(&self) -> Result<Vec<Line>, Box<dyn Error>> {
        match self {
            Self::Scene(case) => play::results(case),
            Self::Friction(bare) => bare.results(),
        }
    }
}

/// Whether a case is one of those that were asked for.
pub(super) fn is_chosen(case: &str, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|name| case.contains(name.as_str()))
}

/// Runs the chosen cases.
pub(super) fn run(only: &[String]) -> Result<Results, Box<dyn Error>> {
    let data = data();
    let scenes = CASES.iter().filter(|case| !case.data || data.is_some());
    let mut work: Vec<Work> = scenes.map(Work::Scene).collect();
    if let Some(data) = &data {
        work.extend(friction::all(data)?.into_iter().map(Work::Friction));
    }
    work.retain(|work| is_chosen(&work.name(), only));
    let done = on_all_processors(&work)?;

    let mut results = Results {
        lines: Vec::new(),
        cases: Vec::new(),
        broken: 0,
    };
    for (work, ends) in work.iter().zip(done) {
        let name = work.name();
        let [one, two] = ends;
        match (one, two) {
            (Ok(one), Ok(two)) => {
                let differences = compare::bits(&one, &two);
                for difference in &differences {
                    println!("2 threads instead of 1: {difference}");
                }
                results.broken += usize::from(!differences.is_empty());
                results.lines.extend(one);
                results.cases.push(name);
            }
            (Err(error), _) | (_, Err(error)) => {
                println!("{name}: {error}");
                results.broken += 1;
                results.cases.push(name);
            }
        }
    }
    Ok(results)
}

/// What a case left, or why it left nothing.
type End = Result<Vec<Line>, String>;

/// The ends of each piece of work, on one thread and on two.
fn on_all_processors(work: &[Work]) -> Result<Vec<[End; 2]>, Box<dyn Error>> {
    let next = AtomicUsize::new(0);
    let ends: Vec<Mutex<End>> = (0..THREADS.len() * work.len())
        .map(|_| Mutex::new(Err("it was not run".to_owned())))
        .collect();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let mut pools = Vec::new();
    for _ in 0..workers {
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pools.push([pool(THREADS[0])?, pool(THREADS[1])?]);
    }
    std::thread::scope(|scope| {
        for pools in &pools {
            scope.spawn(|| {
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    let Some(end) = ends.get(job) else { break };
                    let (work, pool) = (&work[job / 2], &pools[job % 2]);
                    let result = pool.install(|| work.results().map_err(|error| error.to_string()));
                    *end.lock().unwrap_or_else(PoisonError::into_inner) = result;
                }
            });
        }
    });
    let mut ends =
        (ends.into_iter()).map(|end| end.into_inner().unwrap_or_else(PoisonError::into_inner));
    let mut pairs = Vec::with_capacity(work.len());
    while let (Some(one), Some(two)) = (ends.next(), ends.next()) {
        pairs.push([one, two]);
    }
    Ok(pairs)
}
