//! Progress of a long comparison on a terminal; elsewhere a line for every compared step.

use std::io::{IsTerminal as _, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Steps of one scene.
pub(super) struct Progress {
    scene: &'static str,
    bar: ProgressBar,
    begin: Instant,
}

impl Progress {
    pub(super) fn new(scene: &'static str, steps: u64) -> Self {
        let bar = ProgressBar::new(steps);
        if let Ok(style) = ProgressStyle::with_template(
            "{prefix} {bar:30} {pos}/{len}  {elapsed} done, {eta} left  {msg}",
        ) {
            bar.set_style(style);
        }
        bar.set_prefix(scene);
        bar.enable_steady_tick(Duration::from_millis(500));
        Self {
            scene,
            bar,
            begin: Instant::now(),
        }
    }

    /// Shows the method at work.
    pub(super) fn announce(&self) -> impl Fn(u64, &str) + Send + Sync + 'static {
        let bar = self.bar.clone();
        move |step, method| bar.set_message(format!("step {step}: {method}"))
    }

    /// Counts a step; `compared` if methods solved its problems.
    pub(super) fn step(&self, step: u64, compared: bool) {
        self.bar.inc(1);
        if compared && !stderr().is_terminal() {
            let seconds = self.begin.elapsed().as_secs_f64();
            eprintln!("{}: step {step} compared after {seconds:.0} s", self.scene);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
