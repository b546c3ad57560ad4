//! Runs the continuous collision queries of a folder of CSV files and prints misses, false alarms and times.
//!
//! `cargo run --release -p impinge-geometry --example ccd_queries -- FOLDER [TIME_TOLERANCE [DISTANCE_TOLERANCE
//! [WORK_LIMIT]]]`
#![expect(
    clippy::print_stdout,
    reason = "a report to the terminal is this program's purpose"
)]

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use impinge_geometry::ccd::{self, CcdRule, Toi};
use nalgebra::Vector3;

/// Repetitions per query; the fastest counts, as it is the least disturbed one.
const ROUNDS: u32 = 15;
/// Calls per timed round, so that the cost of reading the clock is negligible.
const CALLS: u32 = 20;

#[derive(Default)]
struct Tally {
    queries: usize,
    colliding: usize,
    misses: usize,
    late: usize,
    false_alarms: usize,
    work_limited: usize,
    /// Largest `toi_lo − time` over the colliding queries.
    earliness: f64,
    nanoseconds: Vec<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: ccd_queries FOLDER")?;
    let mut rule = CcdRule::default();
    if let Some(tolerance) = std::env::args().nth(2) {
        rule.time_tolerance = tolerance.parse()?;
    }
    if let Some(tolerance) = std::env::args().nth(3) {
        rule.distance_tolerance = tolerance.parse()?;
    }
    if let Some(limit) = std::env::args().nth(4) {
        rule.work_limit = limit.parse()?;
    }
    println!("{rule:?}");
    println!(
        "{:<26} {:>7} {:>7} {:>6} {:>5} {:>6} {:>7} {:>9} {:>9} {:>9} {:>9}",
        "file, scene",
        "queries",
        "collide",
        "misses",
        "late",
        "alarms",
        "limited",
        "early",
        "median ns",
        "p99 ns",
        "max ns"
    );
    for file in ["queries_vf", "queries_ee", "supplement_vf", "supplement_ee"] {
        let mut scenes = run(&Path::new(&folder).join(format!("{file}.csv")), &rule)?;
        let mut sum = Tally::default();
        for (scene, tally) in &mut scenes {
            print(scene, tally);
            sum.queries += tally.queries;
            sum.colliding += tally.colliding;
            sum.misses += tally.misses;
            sum.late += tally.late;
            sum.false_alarms += tally.false_alarms;
            sum.work_limited += tally.work_limited;
            sum.earliness = sum.earliness.max(tally.earliness);
            sum.nanoseconds.append(&mut tally.nanoseconds);
        }
        print(file, &mut sum);
    }
    Ok(())
}

fn print(name: &str, tally: &mut Tally) {
    tally.nanoseconds.sort_unstable_by(f64::total_cmp);
    let at = |percent: usize| tally.nanoseconds[(tally.nanoseconds.len() - 1) * percent / 100];
    println!(
        "{name:<26} {:>7} {:>7} {:>6} {:>5} {:>6} {:>7} {:>9.1e} {:>9.0} {:>9.0} {:>9.0}",
        tally.queries,
        tally.colliding,
        tally.misses,
        tally.late,
        tally.false_alarms,
        tally.work_limited,
        tally.earliness,
        at(50),
        at(99),
        at(100)
    );
}

fn run(path: &Path, rule: &CcdRule) -> Result<BTreeMap<String, Tally>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let mut scenes: BTreeMap<String, Tally> = BTreeMap::new();
    for line in text.lines().skip(2) {
        let fields: Vec<&str> = line.split(',').collect();
        let numbers = fields[8..]
            .iter()
            .map(|number| number.parse())
            .collect::<Result<Vec<f64>, _>>()?;
        let point = |k: usize| Vector3::new(numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]);
        let start: [_; 4] = std::array::from_fn(point);
        let end: [_; 4] = std::array::from_fn(|k| point(k + 4));
        let query = if fields[1] == "vf" {
            ccd::vertex_face
        } else {
            ccd::edge_edge
        };

        let mut fastest = f64::INFINITY;
        for _ in 0..ROUNDS {
            let clock = Instant::now();
            for _ in 0..CALLS {
                black_box(query(black_box(&start), black_box(&end), rule));
            }
            fastest = fastest.min(clock.elapsed().as_nanos() as f64 / f64::from(CALLS));
        }

        let tally = scenes.entry(fields[2].to_owned()).or_default();
        tally.queries += 1;
        tally.nanoseconds.push(fastest);
        match (fields[4] == "1", query(&start, &end, rule)) {
            (true, Toi::Separated) => tally.misses += 1,
            (true, Toi::Impact { time, work_limited }) => {
                tally.colliding += 1;
                tally.work_limited += usize::from(work_limited);
                tally.late += usize::from(time > fields[6].parse()?);
                tally.earliness = tally.earliness.max(fields[5].parse::<f64>()? - time);
            }
            (false, Toi::Impact { work_limited, .. }) => {
                tally.false_alarms += 1;
                tally.work_limited += usize::from(work_limited);
            }
            (false, Toi::Separated) => {}
        }
    }
    Ok(scenes)
}
