//! `impinge sweep`: one scene with several values of its keys, and one table of all runs.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use impinge_report::Draft;
use impinge_sim::Scene;
use impinge_sim::output::{Point, Row, Study};
use indicatif::ProgressBar;

use super::arguments::Sweep;
use super::exit::{Code, Failure};
use super::interrupt::Interrupt;
use super::run::{default_folder, progress_bar, steps_of};
use super::terminal;

/// Name of the table.
const TABLE: &str = "sweep.csv";

/// Time between two looks at a run.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Time for a run to end by itself after an interrupt: a step of a large scene.
const GRACE: Duration = Duration::from_secs(10);

/// Runs the scene of `options` for every point of the grid, and writes the table.
pub(crate) fn sweep(options: &Sweep) -> Result<(), Failure> {
    let study = Study::parse(&options.grid).map_err(|error| Failure::bad_input(&error))?;
    // A scene that cannot be read fails once, not once for each run.
    Scene::load(&options.scene, &options.overrides)?;
    let folder = if let Some(folder) = &options.out {
        folder.clone()
    } else {
        let mut name = default_folder(&options.scene)?.into_os_string();
        name.push(".sweep");
        name.into()
    };
    let draft = claim(&folder)?;
    let points = study.points();
    let jobs = options
        .jobs
        .map_or_else(processors, usize::from)
        .min(points.len());
    let interrupt = Interrupt::listen();
    let bar = progress_bar(points.len() as u64, options.quiet);
    let work = Work {
        options,
        folder: &folder,
        points: &points,
        threads: (processors() / jobs).max(1),
        next: AtomicUsize::new(0),
        rows: Mutex::new(vec![None; points.len()]),
        interrupt: &interrupt,
        bar: &bar,
    };
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| work.take_runs());
        }
    });
    bar.finish_and_clear();
    let rows = work
        .rows
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let done = rows.iter().flatten().count();
    let rows: Vec<(Point, Row)> = points
        .into_iter()
        .zip(rows)
        .filter_map(|(point, row)| Some((point, row?)))
        .collect();
    draft
        .finish(&study.table(&rows)?)
        .map_err(|error| Failure::new(Code::Output, error.to_string()))?;
    if interrupt.requested() {
        return Err(Failure::new(
            Code::Interrupted,
            format!("{done} runs have ended; the same command does the others"),
        ));
    }
    judge(&folder, &rows, options.quiet)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The table, in a folder that exists.
fn claim(folder: &Path) -> Result<Draft, Failure> {
    let unwritten = |message: String| Failure::new(Code::Output, message);
    std::fs::create_dir_all(folder).map_err(|error| {
        unwritten(format!(
            "{} cannot be made: {error}\n  mend: give another folder with --out",
            folder.display()
        ))
    })?;
    Draft::claim(&folder.join(TABLE)).map_err(|error| unwritten(error.to_string()))
}

/// The runs, taken one after the other by some threads.
struct Work<'a> {
    options: &'a Sweep,
    folder: &'a Path,
    points: &'a [Point],
    /// Threads of each run.
    threads: usize,
    next: AtomicUsize,
    rows: Mutex<Vec<Option<Row>>>,
    interrupt: &'a Interrupt,
    bar: &'a ProgressBar,
}

impl Work<'_> {
    fn take_runs(&self) {
        while !self.interrupt.requested() {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(point) = self.points.get(index) else {
                break;
            };
            let row = self.row(point);
            self.rows.lock().unwrap_or_else(PoisonError::into_inner)[index] = row;
            self.bar.inc(1);
        }
    }

    /// The row of a run, which is done unless it has ended before; `None` after an interrupt.
    fn row(&self, point: &Point) -> Option<Row> {
        let overrides = [self.options.overrides.as_slice(), &point.overrides].concat();
        let scene = match Scene::load(&self.options.scene, &overrides) {
            Ok(scene) => scene,
            Err(error) => return Some(Row::failed(error.to_string())),
        };
        let steps = steps_of(&scene, self.options.steps, self.options.until);
        let folder = self.folder.join(&point.folder);
        if let Some(row) = Row::of(&folder, &scene, steps) {
            return Some(row);
        }
        let ended = self.run(&folder, &overrides, steps);
        if self.interrupt.requested() {
            return Row::of(&folder, &scene, steps);
        }
        Some(match ended {
            Ok((status, message)) => Row::of(&folder, &scene, steps)
                .unwrap_or_else(|| Row::failed(reason(status, &message))),
            Err(error) => Row::failed(format!("the run could not be started: {error}")),
        })
    }

    /// Runs the program, and returns its end and its messages.
    fn run(
        &self,
        folder: &Path,
        overrides: &[String],
        steps: u64,
    ) -> std::io::Result<(ExitStatus, String)> {
        let program: PathBuf = std::env::current_exe()?;
        let mut command = Command::new(program);
        command.arg("run").arg(&self.options.scene);
        command.args(["--quiet", "--steps", &steps.to_string()]);
        command.args(["--threads", &self.threads.to_string()]);
        command.arg("--out").arg(folder);
        for pair in overrides {
            command.args(["--set", pair]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let messages = child.stderr.take();
        let reader = thread::spawn(move || {
            let mut bytes = Vec::new();
            // The rows that were read before an error are shown, too.
            if let Some(mut messages) = messages {
                drop(messages.read_to_end(&mut bytes));
            }
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let status = self.wait(&mut child)?;
        Ok((status, reader.join().unwrap_or_default()))
    }

    /// Waits for the end of a run. An interrupt reaches it, too, if it came from the terminal; otherwise it is ended.
    fn wait(&self, child: &mut Child) -> std::io::Result<ExitStatus> {
        let mut interrupted: Option<Instant> = None;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            if self.interrupt.requested() {
                let since = interrupted.get_or_insert_with(Instant::now);
                if since.elapsed() > GRACE {
                    child.kill()?;
                }
            }
            thread::sleep(LOOK_EVERY);
        }
    }
}

/// Why a run has no result.
fn reason(status: ExitStatus, message: &str) -> String {
    let message = message.trim();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    if message.is_empty() {
        format!("the run ended without a result: {status}")
    } else {
        message.to_owned()
    }
}

/// Prints the result; an error if not all runs completed.
fn judge(folder: &Path, rows: &[(Point, Row)], quiet: bool) -> Result<(), Failure> {
    let count = |status: &str| rows.iter().filter(|(_, row)| row.status == status).count();
    let [completed, inexact] = ["completed", "inexact"].map(count);
    let failed = rows.len() - completed - inexact;
    let table = folder.join(TABLE);
    if !quiet {
        terminal::say(&format!(
            "{} runs: {completed} completed, {inexact} inexact, {failed} failed; table in {}",
            rows.len(),
            table.display()
        ))?;
    }
    if failed > 0 {
        // Where all fail, most often the grid has a mistake.
        let first = match rows.first() {
            Some((_, row)) if failed == rows.len() => format!("; the first: {}", row.message),
            _ => String::new(),
        };
        let table = table.display();
        let message = format!("{failed} runs failed; {table} has their messages{first}");
        Err(Failure::new(Code::Stopped, message))
    } else if inexact > 0 {
        Err(Failure::new(
            Code::Inexact,
            format!(
                "in {inexact} runs a guarantee does not hold; {} names it",
                table.display()
            ),
        ))
    } else {
        Ok(())
    }
}
