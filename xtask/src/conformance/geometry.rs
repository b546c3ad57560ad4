//! geometry: no impact is missed, no pair is missed, shapes have their counts.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use impinge_geometry::CollisionSurface;
use impinge_geometry::broad_phase::{Aabb, BroadPhase, BruteForce, Bvh, CandidateSet};
use impinge_geometry::ccd::{self, CcdRule, Toi};
use impinge_geometry::mesh::generate::{RingShape, ring};
use nalgebra::Vector3;

use super::{Extent, table::Table};

/// Files of continuous collision queries with exact rational answers.
const QUERIES: [&str; 4] = ["queries_vf", "queries_ee", "supplement_vf", "supplement_ee"];

pub(super) fn fill(
    table: &mut Table,
    ccd: Option<&Path>,
    extent: Extent,
) -> Result<(), Box<dyn Error>> {
    let folder = match (ccd, std::env::var_os("IMPINGE_DATA")) {
        (Some(folder), _) => folder.to_owned(),
        (None, Some(data)) => PathBuf::from(data).join("ccd"),
        (None, None) => {
            return Err("the geometry table needs the continuous collision queries: name their folder with \
                        --ccd FOLDER, or set IMPINGE_DATA to the folder that holds ccd/"
                .into());
        }
    };
    for file in QUERIES {
        queries(table, &folder.join(format!("{file}.csv")), file, extent)?;
    }
    shapes(table)?;
    candidates(table)
}

/// What became of the queries of one scene.
#[derive(Default)]
struct Tally {
    queries: usize,
    misses: usize,
    late: usize,
    false_alarms: usize,
    nanoseconds: Vec<f64>,
}

impl Tally {
    fn at_percent(&self, percent: usize) -> f64 {
        self.nanoseconds[(self.nanoseconds.len() - 1) * percent / 100]
    }

    fn absorb(&mut self, other: &Self) {
        self.queries += other.queries;
        self.misses += other.misses;
        self.late += other.late;
        self.false_alarms += other.false_alarms;
        self.nanoseconds.extend_from_slice(&other.nanoseconds);
    }

    fn print(&mut self, name: &str) {
        self.nanoseconds.sort_unstable_by(f64::total_cmp);
        println!(
            "  {name:<40}{:>8}{:>8}{:>8}{:>8}{:>10.0}{:>10.0}",
            self.queries,
            self.misses,
            self.late,
            self.false_alarms,
            self.at_percent(50),
            self.at_percent(99)
        );
    }
}

/// Runs every query of a file; prints one line per scene.
fn queries(
    table: &mut Table,
    path: &Path,
    name: &str,
    extent: Extent,
) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        format!(
            "{}: {error}; --ccd FOLDER or IMPINGE_DATA names another place",
            path.display()
        )
    })?;
    let mut scenes: BTreeMap<String, Tally> = BTreeMap::new();
    for (number, line) in text.lines().enumerate().skip(2) {
        let place = |problem: &str| format!("{}:{}: {problem}", path.display(), number + 1);
        judge(line, extent, &mut scenes).ok_or_else(|| place("not a query of format 1"))?;
    }
    if scenes.is_empty() {
        return Err(format!("{}: no queries", path.display()).into());
    }
    println!(
        "{:<42}{:>8}{:>8}{:>8}{:>8}{:>10}{:>10}",
        format!("{name}, by scene"),
        "queries",
        "misses",
        "late",
        "alarms",
        "median ns",
        "p99 ns"
    );
    let mut all = Tally::default();
    for (scene, tally) in &mut scenes {
        tally.print(scene);
        all.absorb(tally);
    }
    all.print("all");
    println!();
    table.figure(
        &format!("ccd {name}: queries, false alarms"),
        format!("{}, {}", all.queries, all.false_alarms),
    );
    table.exactly(&format!("ccd {name}: impacts missed"), all.misses, 0);
    table.exactly(&format!("ccd {name}: impacts reported late"), all.late, 0);
    Ok(())
}

/// Runs the query on one line; `None` if it is not one.
fn judge(line: &str, extent: Extent, scenes: &mut BTreeMap<String, Tally>) -> Option<()> {
    // Repetitions, of which the fastest counts, and calls between two looks at the clock.
    let (rounds, calls) = match extent {
        Extent::Quick => (3, 4),
        Extent::Full => (15, 20),
    };
    let fields: Vec<&str> = line.split(',').collect();
    let numbers: Vec<f64> = fields
        .get(8..32)?
        .iter()
        .map(|number| number.parse().ok())
        .collect::<Option<_>>()?;
    let point = |k: usize| Vector3::new(numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]);
    let start: [_; 4] = std::array::from_fn(point);
    let end: [_; 4] = std::array::from_fn(|k| point(k + 4));
    let query = match fields[1] {
        "vf" => ccd::vertex_face,
        "ee" => ccd::edge_edge,
        _ => return None,
    };
    let rule = CcdRule::default();
    let mut fastest = f64::INFINITY;
    for _ in 0..rounds {
        let clock = Instant::now();
        for _ in 0..calls {
            black_box(query(black_box(&start), black_box(&end), &rule));
        }
        fastest = fastest.min(clock.elapsed().as_nanos() as f64 / f64::from(calls));
    }
    let tally = scenes
        .entry(format!("{} {}", fields[1], fields[2]))
        .or_default();
    tally.queries += 1;
    tally.nanoseconds.push(fastest);
    match (fields[4], query(&start, &end, &rule)) {
        ("1", Toi::Separated) => tally.misses += 1,
        ("1", Toi::Impact { time, .. }) => {
            // The first impact lies between two bounds: later than the upper one is too late.
            tally.late += usize::from(time > fields[6].parse().ok()?);
        }
        ("0", Toi::Impact { .. }) => tally.false_alarms += 1,
        ("0", Toi::Separated) => {}
        _ => return None,
    }
    Some(())
}

/// The ring that the method's paper counts.
fn shapes(table: &mut Table) -> Result<(), Box<dyn Error>> {
    let mesh = ring(RingShape {
        major_radius: 0.05,
        section: 0.02,
        segments: 18,
    })?;
    let surface = mesh.surface()?;
    table.exactly("ring: nodes", mesh.nodes().len(), 72);
    table.exactly("ring: tetrahedra", mesh.tets().len(), 108);
    table.exactly("ring: surface triangles", surface.triangles().len(), 144);
    table.exactly("ring: surface edges", surface.edges().len(), 216);
    Ok(())
}

/// The broad phase finds what brute force finds, from a moving pile to the next, refitting in between.
fn candidates(table: &mut Table) -> Result<(), Box<dyn Error>> {
    let mesh = ring(RingShape {
        major_radius: 0.05,
        section: 0.02,
        segments: 18,
    })?;
    let outside = mesh.surface()?;
    let bodies = 6_u32;
    let count = mesh.nodes().len();
    let (mut triangles, mut group, mut points) = (Vec::new(), Vec::new(), Vec::new());
    for body in 0..bodies {
        let offset = body * count as u32;
        triangles.extend(
            outside
                .triangles()
                .iter()
                .map(|t| t.map(|node| node + offset)),
        );
        group.extend(std::iter::repeat_n(body, count));
        let shift = Vector3::new(0.03, 0.01, 0.025) * f64::from(body);
        points.extend(mesh.nodes().iter().map(|x| x + shift));
    }
    let surface =
        CollisionSurface::new(triangles, points.len(), group, vec![false; bodies as usize]);
    let (mut fast, mut oracle) = (Bvh::new(), BruteForce);
    let (mut found, mut expected) = (CandidateSet::default(), CandidateSet::default());
    let (mut pairs, mut equal) = (0, true);
    for step in 0..5 {
        let boxes: Vec<Aabb> = points
            .iter()
            .enumerate()
            .map(|(i, x)| {
                let turn = f64::from(step) + i as f64;
                let motion = 0.004 * Vector3::new(turn.sin(), turn.cos(), (2.0 * turn).sin());
                Aabb::from_points([x, &(x + motion)]).inflated(1e-4)
            })
            .collect();
        fast.collect(&surface, &boxes, &mut found);
        oracle.collect(&surface, &boxes, &mut expected);
        pairs += expected.len();
        equal &= found.vertex_face == expected.vertex_face && found.edge_edge == expected.edge_edge;
    }
    table.certain(
        &format!("broad phase = brute force, {pairs} pairs in 5 motions"),
        equal,
    );
    Ok(())
}
