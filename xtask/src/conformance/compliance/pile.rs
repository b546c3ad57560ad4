//! A pile with warped compliance: guarantees of the whole run, and the time of a step.

use std::error::Error;
use std::time::Instant;

use cpu_time::ProcessTime;
use impinge_geometry::exact::surface_intersections;
use impinge_sim::Simulation;

use super::super::{Extent, table::Table};
use super::{median, shipped};

/// Four of the forty bodies, with a downward velocity, so that they meet soon.
const SMALL: [&str; 5] = [
    "title=\"Four soft bodies rain into a pile\"",
    "body.0.copies.count=4",
    "body.0.copies.columns=[1, 1]",
    "body.0.velocity=[0, 0, -4]",
    "time.duration=0.5",
];

/// Interval of the steps that are checked for crossing triangles.
const CHECKED: u64 = 50;

/// Longest mean step (s).
const LONGEST: f64 = 0.3;

/// `dino_rain`, on one thread. Thin ears may fold, so the number of inverted elements is a figure.
pub(super) fn fill(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let overrides = match extent {
        Extent::Quick => &SMALL[..],
        Extent::Full => &[],
    };
    let scene = shipped("dino_rain", overrides)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let begin = Instant::now();
    let mut simulation = pool.install(|| Simulation::new(&scene))?;
    let preparation = begin.elapsed().as_secs_f64();
    let steps = scene.time.steps();
    let (mut seconds, mut contacts, mut crossings) = (Vec::new(), 0, 0);
    let (mut inexact, mut unmet, mut gains, mut inverted) = (0, 0, 0, 0);
    for step in 0..steps {
        let begin = ProcessTime::now();
        let report = pool.install(|| simulation.advance())?;
        seconds.push(begin.elapsed().as_secs_f64());
        contacts = contacts.max(report.active);
        inexact += report.inexact_solves;
        unmet += report.unmet_momentum;
        gains += report.energy_gains;
        inverted = inverted.max(report.inverted_elements);
        if step % CHECKED == CHECKED - 1 {
            let (model, state) = (simulation.model(), simulation.state());
            crossings += surface_intersections(&state.positions, &model.geometry.surface, 1).len();
        }
    }
    table.figure("dino_rain: preparation, s", format!("{preparation:.2}"));
    table.figure("dino_rain: most inverted elements", inverted.to_string());
    table.exactly("dino_rain: steps taken", seconds.len(), steps as usize);
    table.at_least("dino_rain: most active contacts", f64::from(contacts), 1.0);
    table.exactly(
        &format!("dino_rain: crossing triangles in every {CHECKED}th step"),
        crossings,
        0,
    );
    table.exactly(
        "dino_rain: solves beyond their tolerances",
        inexact as usize,
        0,
    );
    table.exactly(
        "dino_rain: parts of steps beyond twice the momentum tolerance",
        unmet as usize,
        0,
    );
    table.exactly("dino_rain: steps that gain energy", gains as usize, 0);
    if extent == Extent::Full {
        times(table, seconds);
    }
    Ok(())
}

/// Aims for the processor time of steps, whose times are `seconds`: it depends on the machine.
fn times(table: &mut Table, seconds: Vec<f64>) {
    let mean = |s: &[f64]| s.iter().sum::<f64>() / s.len() as f64;
    table.aim_at_most(
        "dino_rain: mean step of the whole run, processor s",
        mean(&seconds),
        LONGEST,
    );
    // All bodies land on each other in this part; the mean of the whole run would hide its cost.
    let early = seconds.len() / 8;
    for (part, name) in seconds.chunks(early).zip(["first", "second"]) {
        table.aim_at_most(
            &format!("dino_rain: mean step of the {name} 1.25 s, processor s"),
            mean(part),
            LONGEST,
        );
    }
    let worst = seconds.chunks(early / 5).map(mean).fold(0.0, f64::max);
    table.figure(
        "dino_rain: mean step of the slowest quarter of a second, processor s",
        format!("{worst:.2}"),
    );
    table.figure(
        "dino_rain: median step, processor s",
        format!("{:.3}", median(seconds)),
    );
}
