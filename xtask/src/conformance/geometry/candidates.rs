//! `--candidates FILE..` and `--pile RINGS`: counts and times of the broad phase and of the step size.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use impinge_geometry::CollisionSurface;
use impinge_geometry::broad_phase::{Aabb, BroadPhase, BruteForce, Bvh, CandidateSet, TreeUpdate};
use impinge_geometry::ccd::{CandidateImpact, CcdRule, LinearMotion, earliest_impact};
use impinge_geometry::io::{MeshIoError, read_triangle_mesh};
use impinge_geometry::mesh::generate::{RingShape, ring};
use nalgebra::{Rotation3, Vector3};

use super::Table;

/// Repetitions of each stage; the fastest counts, since other load disturbed it least.
const ROUNDS: usize = 9;

/// Largest number of triangles for brute force.
const MOST_FOR_BRUTE_FORCE: usize = 3_000;

/// Growth of the boxes of a surface at rest, over its largest extent.
const RESTING_INFLATION: f64 = 1e-3;

/// Reasons for an unusable input.
#[derive(Debug, thiserror::Error)]
pub(super) enum CandidatesError {
    /// A file is no surface.
    #[error(transparent)]
    Mesh(#[from] MeshIoError),
    /// Files neither single nor in pairs.
    #[error(
        "{count} files: name one surface, which then rests, or pairs FILE_START FILE_END of the same surface at the \
         start and the end of a step"
    )]
    Unpaired {
        /// How many there were.
        count: usize,
    },
    /// The positions of a pair do not match.
    #[error("{end} has {found} points and {start} has {expected}: the end of a step needs the same points",
    start = .start.display(), end = .end.display())]
    PointCount {
        /// The first file of the pair.
        start: PathBuf,
        /// The second.
        end: PathBuf,
        /// Points of the first.
        expected: usize,
        /// Points of the second.
        found: usize,
    },
    /// No threads.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A shape could not be made.
    #[error(transparent)]
    Shape(#[from] impinge_geometry::MeshError),
}

/// A surface and its motion.
struct Case {
    name: String,
    surface: CollisionSurface,
    start: Vec<Vector3<f64>>,
    end: Vec<Vector3<f64>>,
    /// Growth of the boxes (m).
    inflation: f64,
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

/// Examines surfaces from files.
pub(super) fn files(
    table: &mut Table,
    files: &[PathBuf],
    inflation: Option<f64>,
) -> Result<(), CandidatesError> {
    let pairs: Vec<(&Path, &Path)> = match files {
        [alone] => vec![(alone, alone)],
        several if several.len().is_multiple_of(2) => several
            .chunks(2)
            .map(|pair| (pair[0].as_path(), pair[1].as_path()))
            .collect(),
        several => {
            return Err(CandidatesError::Unpaired {
                count: several.len(),
            });
        }
    };
    for (start, end) in pairs {
        measure(table, &Case::read(start, end, inflation)?)?;
    }
    Ok(())
}

/// Examines a generated pile of rings.
pub(super) fn pile(
    table: &mut Table,
    rings: u32,
    inflation: Option<f64>,
) -> Result<(), CandidatesError> {
    measure(table, &Case::pile(rings, inflation)?)
}

impl Case {
    /// All triangles form one deformable body, so the surface is tested against itself.
    fn read(start: &Path, end: &Path, inflation: Option<f64>) -> Result<Self, CandidatesError> {
        let first = read_triangle_mesh(start)?;
        let last = read_triangle_mesh(end)?;
        let (expected, found) = (first.vertices().len(), last.vertices().len());
        if expected != found {
            return Err(CandidatesError::PointCount {
                start: start.to_owned(),
                end: end.to_owned(),
                expected,
                found,
            });
        }
        let rests = start == end;
        let whole = Aabb::from_points(first.vertices());
        let resting = RESTING_INFLATION * (whole.upper - whole.lower).max();
        let short = |path: &Path| {
            path.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        Ok(Self {
            name: if rests {
                short(start)
            } else {
                format!("{} to {}", short(start), short(end))
            },
            surface: CollisionSurface::new(
                first.triangles().to_vec(),
                expected,
                vec![0; expected],
                vec![false],
            ),
            start: first.vertices().to_vec(),
            end: last.vertices().to_vec(),
            inflation: inflation.unwrap_or(if rests { resting } else { 0.0 }),
        })
    }

    /// Rings on each other in all orientations, in a lattice as wide as high, each drifting by a few millimetres.
    fn pile(rings: u32, inflation: Option<f64>) -> Result<Self, CandidatesError> {
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
            inflation: inflation.unwrap_or(0.0),
        })
    }

    fn boxes(&self) -> Vec<Aabb> {
        self.start
            .iter()
            .zip(&self.end)
            .map(|(start, end)| Aabb::from_points([start, end]).inflated(self.inflation))
            .collect()
    }
}

fn measure(table: &mut Table, case: &Case) -> Result<(), CandidatesError> {
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
        "{}: {triangles} triangles, {} edges, {} vertices; boxes of the straight motion, grown by {:.3e} m",
        case.name,
        case.surface.edges().len(),
        case.surface.vertices().len(),
        case.inflation
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
        pile(&mut table, 12, None).expect("rings are shapes");
        assert!(table.holds());
    }

    #[test]
    fn files_must_come_alone_or_in_pairs() {
        let names = ["a.obj", "b.obj", "c.obj"].map(PathBuf::from);
        let error = files(&mut Table::new("candidates"), &names, None)
            .expect_err("three files")
            .to_string();
        assert!(error.contains("3 files") && error.contains("FILE_START FILE_END"));
    }
}
