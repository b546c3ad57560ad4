//! `--random N`: generated queries, checked by exact arithmetic.

use std::collections::BTreeMap;

use impinge_ccd_oracle::generate::{self, Family};
use impinge_ccd_oracle::{ExactQuery, Kind};
use impinge_geometry::ccd::{self, CcdRule, Toi};
use nalgebra::Vector3;
use rayon::prelude::*;

use super::Table;

/// Queries between two lines of progress.
const REPORT: u64 = 1_000_000;

/// Queries per parallel task.
const TASK: usize = 2_000;

/// Largest number of failures that are listed.
const NAMED: usize = 10;

/// Counts of some queries.
#[derive(Clone, Default)]
struct Tally {
    queries: u64,
    touching: u64,
    misses: u64,
    late: u64,
    false_alarms: u64,
    work_limited: u64,
    /// Numbers of missed or late queries.
    failures: Vec<u64>,
}

/// Checks queries `0 .. count` of a seed; prints one line per family.
pub(super) fn fill(table: &mut Table, count: u64, seed: u64) {
    let mut families: BTreeMap<Family, Tally> = BTreeMap::new();
    let mut from = 0;
    while from < count {
        let to = count.min(from + REPORT);
        let starts: Vec<u64> = (from..to).step_by(TASK).collect();
        let tasks: Vec<BTreeMap<Family, Tally>> = starts
            .into_par_iter()
            .map(|first| {
                let mut families = BTreeMap::new();
                for number in first..to.min(first + TASK as u64) {
                    judge(seed, number, &mut families);
                }
                families
            })
            .collect();
        for (family, tally) in tasks.into_iter().flatten() {
            families.entry(family).or_default().absorb(tally);
        }
        from = to;
        if count > REPORT {
            let failures: usize = families.values().map(|tally| tally.failures.len()).sum();
            println!("{from} of {count} generated queries, {failures} failures");
        }
    }
    print(table, families, seed);
}

fn print(table: &mut Table, families: BTreeMap<Family, Tally>, seed: u64) {
    println!(
        "{:<42}{:>10}{:>10}{:>8}{:>6}{:>10}{:>10}",
        format!("generated queries of seed {seed}, by family"),
        "queries",
        "touch",
        "misses",
        "late",
        "alarms",
        "limited"
    );
    let mut all = Tally::default();
    for (family, tally) in families {
        tally.print(&format!("{family:?}"));
        all.absorb(tally);
    }
    all.print("all");
    for number in all.failures.iter().take(NAMED) {
        println!("  failure: query {number} of seed {seed}");
    }
    println!();
    table.figure(
        "ccd generated: queries, of which touch, false alarms",
        format!("{}, {}, {}", all.queries, all.touching, all.false_alarms),
    );
    table.exactly("ccd generated: impacts missed", all.misses as usize, 0);
    table.exactly("ccd generated: impacts reported late", all.late as usize, 0);
}

/// Rules alternate, the default one most often.
fn rule(number: u64, separation: f64) -> CcdRule {
    let default = CcdRule {
        minimum_separation: separation,
        ..CcdRule::default()
    };
    // Families and kinds alternate within 22 numbers.
    match number / (2 * Family::ALL.len() as u64) % 8 {
        0 => CcdRule {
            time_tolerance: 0.0,
            work_limit: 4096,
            ..default
        },
        1 => CcdRule {
            work_limit: 3,
            ..default
        },
        2 => CcdRule {
            time_tolerance: 0.1,
            distance_tolerance: 1e-3,
            ..default
        },
        _ => default,
    }
}

fn judge(seed: u64, number: u64, families: &mut BTreeMap<Family, Tally>) {
    let generated = generate::query(seed, number);
    let (start, end) = (
        generated.start.map(Vector3::from),
        generated.end.map(Vector3::from),
    );
    let rule = rule(number, generated.separation);
    let answer = match generated.kind {
        Kind::VertexFace => ccd::vertex_face(&start, &end, &rule),
        Kind::EdgeEdge => ccd::edge_edge(&start, &end, &rule),
    };
    let exact = ExactQuery::new(
        generated.kind,
        &generated.start,
        &generated.end,
        generated.separation,
    );
    let tally = families.entry(generated.family).or_default();
    tally.queries += 1;
    let Some(exact) = exact else {
        // All generated numbers are finite, so the exact oracle failed.
        tally.misses += 1;
        tally.failures.push(number);
        return;
    };
    match answer {
        Toi::Separated => {
            if exact.touches() {
                tally.touching += 1;
                tally.misses += 1;
                tally.failures.push(number);
            }
        }
        Toi::Impact { time, work_limited } => {
            tally.work_limited += u64::from(work_limited);
            if exact.touches_before(time) {
                tally.touching += 1;
                tally.late += 1;
                tally.failures.push(number);
            } else if exact.touches() {
                tally.touching += 1;
            } else {
                tally.false_alarms += 1;
            }
        }
    }
}

impl Tally {
    fn absorb(&mut self, mut other: Self) {
        self.queries += other.queries;
        self.touching += other.touching;
        self.misses += other.misses;
        self.late += other.late;
        self.false_alarms += other.false_alarms;
        self.work_limited += other.work_limited;
        self.failures.append(&mut other.failures);
    }

    fn print(&self, name: &str) {
        println!(
            "  {name:<40}{:>10}{:>10}{:>8}{:>6}{:>10}{:>10}",
            self.queries,
            self.touching,
            self.misses,
            self.late,
            self.false_alarms,
            self.work_limited
        );
    }
}
