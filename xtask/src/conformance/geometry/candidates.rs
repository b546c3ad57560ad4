//! `--pile RINGS`: counts and times of the broad phase and of the step size.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use impinge_geometry::CollisionSurface;
use impinge_geometry::broad_phase::{Aabb, BroadPhase, BruteForce, Bvh, CandidateSet, TreeUpdate};
use impinge_geometry::ccd::{CandidateImpact, CcdRule, LinearMotion, earliest_impact};
use impinge_geometry::mesh::generate::{RingShape, ring};
use nalgebra::{Rotation3, Vector3};

use super::Table;

/// Repetitions of each stage; the fastest counts, since other load disturbed it least.
const ROUNDS: usize = 9;

/// Largest number of triangles for brute force.
const MOST_FOR_BRUTE_FORCE: usize = 3_000;

/// A surface and its motion.
struct Case {
    name: String,
    surface: CollisionSurface,
    start: Vec<Vector3<f64>>,
    end: Vec<Vector3<f64>>,
}

/// Seconds of each stage.
#[derive(Clone, Copy)]
struct Times {
    build: f64,
    refit: f64,
    collect: f64,
    step_size: f64,
}

/// Counts and times of a number of threads.
struct Outcome {
    candidates: CandidateSet,
    earliest: Option<CandidateImpact>,
    times: Times,
}

/// Examines a generated pile of rings.
pub(super) fn pile(table: &mut Table, rings: u32) -> Result<(), Box<dyn Error>> {
    measure(table, &Case::pile(rings)?)
}

impl Case {
    /// Rings on each other in all orientations, in a lattice as wide as high, each drifting by a few millimetres.
    fn pile(rings: u32) -> Result<Self, Box<dyn Error>> {
        let shape = ring(RingShape {
            major_radius: 0.05,
            section: 0.02,
            segments: 18,
        })?;
        let outside = shape.surface()?;
        let count = shape.nodes().len() as u32;
        // A ring is 0.12 wide and 0.02 high; tilted slightly, rows of this spacing interlock without much overlap. The
        // smallest row that makes the heap no higher than wide: n rows of n, and layers 0.035 / 0.125 as high.
        let row = (1..=rings)
            .find(|n| u64::from(*n).pow(3) * 25 >= u64::from(rings) * 7)
            .unwrap_or(1);
        let (mut triangles, mut group) = (Vec::new(), Vec::new());
        let (mut start, mut end) = (Vec::new(), Vec::new());
        for body in 0..rings {
            let phase = f64::from(body);
            let place = Vector3::new(
                0.125 * f64::from(body % row),
                0.125 * f64::from(body / row % row),
                0.035 * f64::from(body / row / row),
            );
            let tilt = Rotation3::from_euler_angles(
                0.15 * (1.7 * phase).sin(),
                0.15 * (2.3 * phase).sin(),
                phase,
            );
            let drift = 0.004
                * Vector3::new(
                    (3.1 * phase).sin(),
                    (4.7 * phase).sin(),
                    (5.3 * phase).sin(),
                );
            triangles.extend(
                outside
                    .triangles()
                    .iter()
                    .map(|corners| corners.map(|corner| body * count + corner)),
            );
            group.extend((0..count).map(|_| body));
            for node in shape.nodes() {
                let at = tilt * node + place;
                start.push(at);
                end.push(at + drift);
            }
        }
        Ok(Self {
            name: format!("pile of {rings} rings"),
            surface: CollisionSurface::new(
                triangles,
                start.len(),
                group,
                vec![false; rings as usize],
            ),
            start,
            end,
        })
    }

    fn boxes(&self) -> Vec<Aabb> {
        self.start
            .iter()
            .zip(&self.end)
            .map(|(start, end)| Aabb::from_points([start, end]))
            .collect()
    }
}

fn measure(table: &mut Table, case: &Case) -> Result<(), Box<dyn Error>> {
    let boxes = case.boxes();
    let mut outcomes = Vec::new();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        outcomes.push(pool.install(|| run(case, &boxes)));
    }
    let [one, two] = [&outcomes[0], &outcomes[1]];
    print(case, one, two);

    let name = &case.name;
    table.figure(
        &format!("{name}: vertex-face, edge-edge candidates"),
        format!(
            "{}, {}",
            one.candidates.vertex_face.len(),
            one.candidates.edge_edge.len()
        ),
    );
    table.certain(
        &format!("{name}: 2 threads find the same as 1"),
        one.candidates == two.candidates && one.earliest == two.earliest,
    );
    if case.surface.triangles().len() <= MOST_FOR_BRUTE_FORCE {
        let mut expected = CandidateSet::default();
        BruteForce.collect(&case.surface, &boxes, &mut expected);
        table.certain(
            &format!("{name}: the candidates are those of brute force"),
            one.candidates == expected,
        );
    }
    Ok(())
}

/// Runs all stages on the threads of the present pool.
fn run(case: &Case, boxes: &[Aabb]) -> Outcome {
    let surface = &case.surface;
    let motion = LinearMotion {
        start: &case.start,
        end: &case.end,
    };
    let rule = CcdRule::default();
    let mut candidates = CandidateSet::default();
    let mut earliest = None;
    let mut fastest = Times {
        build: f64::INFINITY,
        refit: f64::INFINITY,
        collect: f64::INFINITY,
        step_size: f64::INFINITY,
    };
    // Building ignores the previous tree, so a few rounds with new trees suffice.
    let mut trees = Bvh::new();
    for _ in 0..ROUNDS.div_ceil(3) {
        trees = Bvh::new();
        timed(&mut fastest.build, || trees.update(surface, boxes));
    }
    for _ in 0..ROUNDS {
        let update = timed(&mut fastest.refit, || trees.update(surface, boxes));
        // The same boxes again need no rebuild.
        debug_assert_eq!(update, TreeUpdate::Refitted);
        timed(&mut fastest.collect, || {
            trees.find(surface, boxes, &mut candidates);
        });
    }
    for _ in 0..ROUNDS {
        earliest = timed(&mut fastest.step_size, || {
            earliest_impact(surface, &candidates, motion, &rule)
        });
    }
    Outcome {
        candidates,
        earliest,
        times: fastest,
    }
}

fn timed<T>(fastest: &mut f64, work: impl FnOnce() -> T) -> T {
    let clock = Instant::now();
    let result = work();
    *fastest = fastest.min(clock.elapsed().as_secs_f64());
    result
}

fn print(case: &Case, one: &Outcome, two: &Outcome) {
    let triangles = case.surface.triangles().len();
    println!(
        "{}: {triangles} triangles, {} edges, {} vertices; boxes of the straight motion",
        case.name,
        case.surface.edges().len(),
        case.surface.vertices().len()
    );
    println!(
        "  candidates: {} vertex-face, {} edge-edge; step size {}",
        one.candidates.vertex_face.len(),
        one.candidates.edge_edge.len(),
        match one.earliest {
            None => "1 (no impact)".to_owned(),
            Some(impact) => format!("{:.9} of the motion, {:?}", impact.time, impact.pair),
        }
    );
    println!(
        "  {:<30}{:>12}{:>12}{:>10}",
        format!("fastest of {ROUNDS}, ms"),
        "1 thread",
        "2 threads",
        "ratio"
    );
    let row = |stage: &str, one: f64, two: f64| {
        println!(
            "  {stage:<30}{:>12.3}{:>12.3}{:>10.2}",
            1e3 * one,
            1e3 * two,
            one / two
        );
    };
    let (a, b) = (one.times, two.times);
    row("build", a.build, b.build);
    row("refit", a.refit, b.refit);
    row("collect", a.collect, b.collect);
    row("step size", a.step_size, b.step_size);
    row("refit + collect", a.refit + a.collect, b.refit + b.collect);
    let pass = box_pass(triangles);
    let levels = triangles.max(2).ilog2() + 1;
    let roof = pass * f64::from(levels);
    let output = copy_pass(&vec![[1_u32; 2]; one.candidates.len()]);
    println!(
        "  reading and writing the {triangles} boxes once, one thread: {:.3} ms; once for each of {levels} levels of a \
         binary tree: {:.3} ms; refit + collect is {:.2} of that, and {:.2} of it with reading and writing the \
         candidates once, {:.3} ms",
        1e3 * pass,
        1e3 * roof,
        (a.refit + a.collect) / roof,
        (a.refit + a.collect) / (roof + output),
        1e3 * output
    );
    println!();
}

/// Seconds to read one box per triangle and write it elsewhere.
fn box_pass(triangles: usize) -> f64 {
    copy_pass(&vec![Aabb::from_point(&Vector3::zeros()); triangles])
}

/// Seconds to read an array and write it elsewhere.
fn copy_pass<T: Copy>(from: &[T]) -> f64 {
    // Written once, so that the time excludes page faults.
    let mut to = from.to_vec();
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        timed(&mut fastest, || {
            black_box(&mut to).copy_from_slice(black_box(from));
        });
    }
    fastest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_pile_has_the_candidates_of_brute_force() {
        let mut table = Table::new("candidates");
        pile(&mut table, 12).expect("rings are shapes");
        assert!(table.holds());
    }
}
