//! Wall time per stage of the steps of a scene.

use std::error::Error;
use std::path::Path;

use impinge_sim::report::StageTimes;
use impinge_sim::{Scene, Simulation, StepReport};

/// Sums over the steps of one line.
#[derive(Default)]
struct Tally {
    steps: u64,
    iterations: u64,
    products: u64,
    rounds: u32,
    collections: u32,
    rejected: u32,
    times: StageTimes,
}

impl Tally {
    fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.iterations += report.iterations;
        self.products += report.iterations + report.extra_products;
        self.rounds += report.rounds;
        self.collections += report.broad_phase_collections;
        self.rejected += report.rejected;
        let (sum, times) = (&mut self.times, &report.times);
        sum.assemble += times.assemble;
        sum.detect += times.detect;
        sum.formulate += times.formulate;
        sum.resolve += times.resolve;
        sum.refine += times.refine;
        sum.commit += times.commit;
    }

    fn print(&self, at: &str, active: u32) {
        let per = 1.0 / self.steps.max(1) as f64;
        let times = &self.times;
        let milliseconds = [
            times.assemble,
            times.detect,
            times.formulate,
            times.resolve,
            times.refine,
            times.commit,
            times.total(),
        ]
        .map(|seconds| format!("{:>9.2}", 1e3 * per * seconds));
        println!(
            "{at:>8}{:>8.1}{:>9.1}{:>7.1}{:>7.2}{:>6}{:>8}{}",
            per * self.iterations as f64,
            per * self.products as f64,
            per * f64::from(self.rounds),
            per * f64::from(self.collections),
            self.rejected,
            active,
            milliseconds.concat()
        );
    }
}

/// Takes `steps` steps; each line is the mean over its share of them, the last one over all.
pub(super) fn run(
    path: &Path,
    steps: u64,
    lines: u64,
    overrides: &[String],
) -> Result<(), Box<dyn Error>> {
    let scene = Scene::load(path, overrides)?;
    let mut simulation = Simulation::new(&scene)?;
    println!(
        "{}: {} elements, {} free nodes, {} threads; per step, times in ms",
        path.display(),
        simulation.model().elements.tets.len(),
        simulation.model().blocks(),
        rayon::current_num_threads()
    );
    println!(
        "{:>8}{:>8}{:>9}{:>7}{:>7}{:>6}{:>8}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}",
        "time s",
        "iter",
        "products",
        "rounds",
        "broad",
        "rej",
        "active",
        "assemble",
        "detect",
        "formul.",
        "resolve",
        "refine",
        "commit",
        "total"
    );
    let share = (steps / lines.max(1)).max(1);
    let (mut line, mut all) = (Tally::default(), Tally::default());
    let mut active = 0;
    for step in 1..=steps {
        let report = simulation.advance()?;
        line.add(&report);
        all.add(&report);
        active = report.active;
        if step % share == 0 {
            line.print(&format!("{:.4}", report.time), active);
            line = Tally::default();
        }
    }
    all.print("all", active);
    let collision = all.times.detect + all.times.refine;
    println!(
        "candidate detection and continuous collision detection: {:.0} % of the time",
        100.0 * collision / all.times.total()
    );
    Ok(())
}
