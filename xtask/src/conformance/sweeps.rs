//! sweeps: cost of the default method over step length, stiffness and number of bodies, and whether bodies at rest stay
//! at rest.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use cpu_time::ProcessTime;
use impinge_sim::{Model, Scene, Simulation, State};
use nalgebra::Vector3;

use super::{Extent, table::Table};

/// Largest ratio of iterations per simulated second over a sweep (figure 9 and section 6.1 of the paper).
const FACTOR: f64 = 2.0;

/// Young's modulus (Pa) of figure 9.
const STIFF: f64 = 5e6;

/// Largest aimed exponent of the time of a step over the number of bodies.
const GROWTH: f64 = 1.1;

/// Exponent beyond which some stage is quadratic in the number of bodies.
const STEEP: f64 = 1.5;

/// Most kinetic energy at rest, over the potential energy at the start.
const AT_REST: f64 = 1e-8;

/// Time at which scenes are at rest (s).
const SETTLED: f64 = 1.0;

pub(super) fn fill(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    lengths_of_the_step(table, extent)?;
    stiffness(table, extent)?;
    rest(table, extent)?;
    if extent == Extent::Full {
        number_of_bodies(table)?;
    }
    Ok(())
}

/// The pyramid of figure 8 (e), whose cost figure 9 shows.
struct Pyramid {
    /// Name of the scene, which has one list of bodies per layer.
    scene: &'static str,
    layers: usize,
    bodies: u32,
}

impl Pyramid {
    /// All 140 bodies, or a small one with coarse meshes.
    fn of(extent: Extent) -> Self {
        let (scene, layers, bodies) = match extent {
            Extent::Quick => ("pyramid_small", 3, 14),
            Extent::Full => ("pyramid", 7, 140),
        };
        Self {
            scene,
            layers,
            bodies,
        }
    }

    /// Iterations per simulated second, for one step length (s) and one Young's modulus (Pa), over the
    /// first `duration` (s).
    fn cost(&self, step: f64, young: f64, duration: f64) -> Result<f64, Box<dyn Error>> {
        let mut settings = vec![format!("time.step={step}")];
        settings
            .extend((0..self.layers).map(|layer| format!("body.{layer}.material.young={young}")));
        let mut simulation = Simulation::new(&shipped(self.scene, &settings)?)?;
        #[expect(clippy::cast_sign_loss, reason = "both are positive")]
        let steps = (duration / step).round() as u64;
        let mut iterations = 0;
        for _ in 0..steps {
            iterations += simulation.advance()?.iterations;
        }
        Ok(iterations as f64 / duration)
    }
}

fn lengths_of_the_step(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let (steps, duration): (&[f64], f64) = match extent {
        Extent::Quick => (&[1e-3, 2e-3], 0.1),
        Extent::Full => (&[5e-4, 1e-3, 2e-3, 4e-3], 1.0),
    };
    let pyramid = Pyramid::of(extent);
    let name = format!("pyramid of {}", pyramid.bodies);
    let mut costs = Vec::new();
    for &step in steps {
        let cost = pyramid.cost(step, STIFF, duration)?;
        table.figure(
            &format!("{name}, step {step:e} s: iterations a simulated second"),
            format!("{cost:.0}"),
        );
        costs.push(cost);
    }
    table.at_most(
        &format!("{name}, over the steps: largest over smallest"),
        spread(&costs),
        FACTOR,
    );
    Ok(())
}

fn stiffness(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    if extent == Extent::Quick {
        return Ok(());
    }
    let pyramid = Pyramid::of(extent);
    let name = format!("pyramid of {}", pyramid.bodies);
    let mut costs = Vec::new();
    for young in [3.125e5, 6.25e5, 1.25e6, 2.5e6, STIFF] {
        let cost = pyramid.cost(1e-3, young, 1.0)?;
        table.figure(
            &format!("{name}, {young:e} Pa: iterations a simulated second"),
            format!("{cost:.0}"),
        );
        costs.push(cost);
    }
    table.at_most(
        &format!("{name}, over the stiffnesses: largest over smallest"),
        spread(&costs),
        FACTOR,
    );
    Ok(())
}

fn spread(costs: &[f64]) -> f64 {
    let smallest = costs.iter().copied().fold(f64::INFINITY, f64::min);
    costs.iter().copied().fold(0.0, f64::max) / smallest
}

/// Stacks and arches: remaining motion at rest, and its extent.
fn rest(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let scenes: &[(&str, &[&str], f64)] = match extent {
        Extent::Quick => &[("rigid_stack", &["body.0.copies.count=4"], 1.0)],
        Extent::Full => &[("rigid_stack", &[], 10.0), ("arch", &[], 10.0)],
    };
    for &(name, settings, duration) in scenes {
        let mut simulation = Simulation::new(&shipped(name, settings)?)?;
        let step = simulation.model().settings.time_step;
        let eps2 = simulation.model().geometry.largest_clearance();
        // Of the first step; the fall of a body during it is negligible.
        let potential = simulation.advance()?.gravitational_energy;
        while simulation.state().time < SETTLED - 0.5 * step {
            simulation.advance()?;
        }
        let settled = centres(simulation.model(), simulation.state());
        let (mut kinetic, mut drift) = (0.0_f64, 0.0_f64);
        while simulation.state().time < SETTLED + duration - 0.5 * step {
            kinetic = kinetic.max(simulation.advance()?.kinetic_energy);
            let now = centres(simulation.model(), simulation.state());
            let moved = now.iter().zip(&settled).map(|(a, b)| (a - b).norm());
            drift = moved.fold(drift, f64::max);
        }
        table.at_most(
            &format!("{name}: kinetic energy over {duration} s, over the first potential"),
            kinetic / potential,
            AT_REST,
        );
        table.at_most(
            &format!("{name}: drift of a body over {duration} s, over eps2"),
            drift / eps2,
            1.0,
        );
    }
    Ok(())
}

/// Centre of each body.
fn centres(model: &Model, state: &State) -> Vec<Vector3<f64>> {
    model
        .geometry
        .bodies
        .iter()
        .map(|body| {
            let points = &state.positions[body.points.clone()];
            points.iter().sum::<Vector3<f64>>() / points.len() as f64
        })
        .collect()
}

/// Rings in boxes with a floor proportional to their number, so that all piles are equally high: processor time of one
/// thread, and wall time with all.
fn number_of_bodies(table: &mut Table) -> Result<(), Box<dyn Error>> {
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let work = timed_piles(table, &alone, &[0, 1, 2, 3, 4])?;
    for (exponent, (part, ..)) in exponents(&work.processor).into_iter().zip(PARTS) {
        let what = format!("rings, {part}, 60 to 960: exponent of processor time over bodies");
        table.aim_at_most(&what, exponent, GROWTH);
        table.at_most(&format!("{what}, at the very most"), exponent, STEEP);
    }
    // Wall time is the user's.
    let all = rayon::ThreadPoolBuilder::new().build()?;
    let threads = all.current_num_threads();
    if threads > 1 {
        let shared = timed_piles(table, &all, &[0, 4])?;
        for (exponent, (part, ..)) in exponents(&shared.passed).into_iter().zip(PARTS) {
            let what = format!("rings, {part}, 60 to 960: exponent of time with {threads} threads");
            table.aim_at_most(&what, exponent, GROWTH);
        }
    }
    Ok(())
}

/// While the pile forms, and once it rests (s).
const PARTS: [(&str, f64, f64); 2] = [("forming", 0.3, 0.7), ("at rest", 0.7, 0.85)];

/// Medians over the steps of each part, for each number of bodies (s).
#[derive(Default)]
struct Costs {
    processor: [Vec<f64>; 2],
    passed: [Vec<f64>; 2],
}

/// Runs the piles of `doublings` doublings.
fn timed_piles(
    table: &mut Table,
    pool: &rayon::ThreadPool,
    doublings: &[usize],
) -> Result<Costs, Box<dyn Error>> {
    const COLUMNS: [(u32, u32); 5] = [(2, 4), (4, 4), (4, 8), (8, 8), (8, 16)];
    let threads = match pool.current_num_threads() {
        1 => "one thread".to_owned(),
        many => format!("{many} threads"),
    };
    let mut costs = Costs::default();
    for &doubled in doublings {
        let (nx, ny) = COLUMNS[doubled];
        let count = 60 << doubled;
        let (x, y) = (0.065 * f64::from(nx), 0.065 * f64::from(ny));
        let settings = [
            format!("body.0.copies.count={count}"),
            format!("body.0.copies.columns=[{nx}, {ny}]"),
            format!("obstacle.1.shape.half_space.point=[{}, 0, 0]", -x),
            format!("obstacle.2.shape.half_space.point=[{x}, 0, 0]"),
            format!("obstacle.3.shape.half_space.point=[0, {}, 0]", -y),
            format!("obstacle.4.shape.half_space.point=[0, {y}, 0]"),
        ];
        let mut simulation = Simulation::new(&shipped("rings", &settings)?)?;
        let parts = PARTS.map(|(_, from, to)| [from, to]);
        let spent =
            pool.install(|| timed(&mut simulation, parts).map_err(|error| error.to_string()))?;
        for (part, ([processor, passed], (name, ..))) in spent.into_iter().zip(PARTS).enumerate() {
            table.figure(
                &format!("{count} rings, {name}, {threads}: time a step, s, of the processor (passed), medians"),
                format!("{processor:.3} ({passed:.3})"),
            );
            costs.processor[part].push(processor);
            costs.passed[part].push(passed);
        }
    }
    Ok(costs)
}

/// Exponents of the first and last cost of steps in each part, from 60 to 960 bodies.
fn exponents(costs: &[Vec<f64>; 2]) -> [f64; 2] {
    let doublings = 4.0;
    costs
        .each_ref()
        .map(|costs| (costs[costs.len() - 1] / costs[0]).log2() / doublings)
}

/// Times of the steps in each of `parts` `[from, to]` (s), to the end of the last: medians of processor and wall time
/// (s).
fn timed(
    simulation: &mut Simulation,
    parts: [[f64; 2]; 2],
) -> Result<[[f64; 2]; 2], Box<dyn Error>> {
    let mut seconds: [[Vec<f64>; 2]; 2] = Default::default();
    while simulation.state().time < parts[1][1] {
        let (work, begin) = (ProcessTime::try_now()?, Instant::now());
        let time = simulation.advance()?.time;
        let spent = [work.try_elapsed()?, begin.elapsed()];
        for (seconds, [from, to]) in seconds.iter_mut().zip(parts) {
            if time > from && time <= to {
                for (seconds, spent) in seconds.iter_mut().zip(spent) {
                    seconds.push(spent.as_secs_f64());
                }
            }
        }
    }
    let median = |mut seconds: Vec<f64>| {
        seconds.sort_by(f64::total_cmp);
        seconds[seconds.len() / 2]
    };
    Ok(seconds.map(|part| part.map(median)))
}

fn shipped(name: &str, settings: &[impl AsRef<str>]) -> Result<Scene, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../scenes")
        .join(name)
        .with_extension("toml");
    Ok(Scene::load(path, settings)?)
}
