//! All cases in parallel, each on one thread and on two.

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::book::Line;
use super::cases::{CASES, Case};
use super::friction::{self, Bare};
use super::{compare, data, play};

/// Numbers of threads of each case; their results must be equal.
const THREADS: [usize; 2] = [1, 2];

/// Relative changes of gravity that represent the rounding of another processor: about fifty times that of a double,
/// since every operation rounds.
const NUDGES: [f64; 2] = [1e-14, -1e-14];

/// Results of the cases.
pub(super) struct Results {
    pub(super) lines: Vec<Line>,
    /// Names of the cases.
    pub(super) cases: Vec<String>,
    /// Number of cases that failed or depend on the number of threads.
    broken: usize,
}

impl Results {
    /// Whether every case has results that do not depend on the number of threads.
    pub(super) fn holds(&self) -> bool {
        self.broken == 0
    }
}

/// One job.
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

    fn results(&self, nudge: f64) -> Result<Vec<Line>, Box<dyn Error>> {
        match self {
            Self::Scene(case) => play::results(case, nudge),
            Self::Friction(bare) => bare.results(),
        }
    }
}

/// Whether a case is chosen by `only`.
pub(super) fn is_chosen(case: &str, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|name| case.contains(name.as_str()))
}

/// The chosen cases.
fn chosen(only: &[String]) -> Result<Vec<Work>, Box<dyn Error>> {
    let data = data();
    let scenes = CASES.iter().filter(|case| !case.data || data.is_some());
    let mut work: Vec<Work> = scenes.map(Work::Scene).collect();
    if let Some(data) = &data {
        work.extend(friction::all(data)?.into_iter().map(Work::Friction));
    }
    work.retain(|work| is_chosen(&work.name(), only));
    Ok(work)
}

/// Marks the numbers that rounding changes: those that differ after a tiny change of gravity.
pub(super) fn soften(lines: &mut [Line]) -> Result<(), Box<dyn Error>> {
    let work = chosen(&[])?;
    for nudge in NUDGES {
        for (work, ends) in work.iter().zip(on_all_processors(&work, nudge, 1)?) {
            for end in ends {
                let rounded = end.map_err(|error| format!("{}: {error}", work.name()))?;
                let name = work.name();
                let first = lines.partition_point(|line| line.case < name);
                let count = lines[first..].partition_point(|line| line.case == name);
                compare::soften(&mut lines[first..first + count], &rounded);
            }
        }
    }
    Ok(())
}

/// Runs the chosen cases; their results are sorted.
pub(super) fn run(only: &[String]) -> Result<Results, Box<dyn Error>> {
    let work = chosen(only)?;
    let done = on_all_processors(&work, 0.0, THREADS.len())?;

    let mut results = Results {
        lines: Vec::new(),
        cases: Vec::new(),
        broken: 0,
    };
    for (work, ends) in work.iter().zip(done) {
        let name = work.name();
        results.cases.push(name.clone());
        let ends: Result<Vec<Vec<Line>>, String> = ends.into_iter().collect();
        match ends.as_deref() {
            Ok([one, others @ ..]) => {
                let differences = others.iter().flat_map(|other| compare::bits(one, other));
                let differences: Vec<_> = differences.collect();
                for difference in &differences {
                    println!("2 threads instead of 1: {difference}");
                }
                results.broken += usize::from(!differences.is_empty());
                results.lines.extend_from_slice(one);
            }
            Ok([]) => {}
            Err(error) => {
                println!("{name}: {error}");
                results.broken += 1;
            }
        }
    }
    let key = |line: &Line| (line.case.clone(), line.quantity.clone());
    results.lines.sort_by_key(key);
    Ok(results)
}

/// Results of a case, or the reason why it has none.
type End = Result<Vec<Line>, String>;

/// The results of each job, on the first `kinds` numbers of threads.
fn on_all_processors(
    work: &[Work],
    nudge: f64,
    kinds: usize,
) -> Result<Vec<Vec<End>>, Box<dyn Error>> {
    let next = AtomicUsize::new(0);
    let ends: Vec<Mutex<End>> = (0..kinds * work.len())
        .map(|_| Mutex::new(Err("it was not run".to_owned())))
        .collect();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let mut pools = Vec::new();
    for _ in 0..workers {
        let pool = |&threads| {
            let pool = rayon::ThreadPoolBuilder::new();
            pool.num_threads(threads).build()
        };
        pools.push(
            THREADS[..kinds]
                .iter()
                .map(pool)
                .collect::<Result<Vec<_>, _>>()?,
        );
    }
    std::thread::scope(|scope| {
        for pools in &pools {
            scope.spawn(|| {
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    let Some(end) = ends.get(job) else { break };
                    let (work, pool) = (&work[job / kinds], &pools[job % kinds]);
                    let results = pool.install(|| work.results(nudge).map_err(|e| e.to_string()));
                    *end.lock().unwrap_or_else(PoisonError::into_inner) = results;
                }
            });
        }
    });
    let ends: Vec<End> = (ends.into_iter())
        .map(|end| end.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect();
    Ok(ends.chunks(kinds).map(<[End]>::to_vec).collect())
}
