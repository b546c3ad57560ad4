//! Progress of the measurements: a bar on a terminal, elsewhere a line for every run.

use std::io::{IsTerminal as _, stderr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Progress over sections, runs and their steps.
pub(super) struct Progress {
    bar: ProgressBar,
    sections: usize,
    begun: AtomicUsize,
    start: Instant,
}

impl Progress {
    pub(super) fn new(sections: usize) -> Self {
        let bar = ProgressBar::new(0);
        if let Ok(style) =
            ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} steps  {elapsed}  {msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(500));
        Self {
            bar,
            sections,
            begun: AtomicUsize::new(0),
            start: Instant::now(),
        }
    }

    /// Begins a section.
    pub(super) fn section(&self, name: &str) {
        let number = 1 + self.begun.fetch_add(1, Ordering::Relaxed);
        self.bar
            .set_prefix(format!("{number}/{} {name}", self.sections));
        self.run("", 0);
    }

    /// Begins a run of some steps.
    pub(super) fn run(&self, what: &str, steps: u64) {
        self.bar.set_length(steps);
        self.bar.set_position(0);
        self.bar.set_message(what.to_owned());
        if !stderr().is_terminal() {
            let seconds = self.start.elapsed().as_secs_f64();
            eprintln!("{seconds:6.0} s  {}  {what}", self.bar.prefix());
        }
    }

    /// Counts a step.
    pub(super) fn step(&self) {
        self.bar.inc(1);
    }

    /// Prints without the bar.
    pub(super) fn pause(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
