//! The asynchronous stepper: safety and conservation as guarantees, speed, growth and shares of time as figures.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use cpu_time::ThreadTime;
use impinge_geometry::exact::surface_intersections;
use impinge_sim::Scene;
use impinge_sim::model::Model;
use impinge_sim::stepper::Stepper;
use impinge_sim::stepper::asynchronous::{Asynchronous, EventKind};

use super::Extent;
use super::table::Table;

/// Cells along a side of the falling sheet; twice the square is the number of triangles.
const SIDES: [u32; 4] = [22, 50, 100, 224];

/// A scene that ran to its end or to a stop.
struct Run {
    model: Model,
    stepper: Asynchronous,
    /// CPU time of the steps.
    cpu: Duration,
    intersections: usize,
    stopped: Option<String>,
}

fn shipped(
    name: &str,
    overrides: &[String],
    steps: u64,
    profile: bool,
) -> Result<Run, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../scenes")
        .join(name);
    let scene = Scene::load(path, overrides)?;
    let (model, mut state) = Model::new(&scene)?;
    let settings = scene.asynchronous.ok_or("not an asynchronous scene")?;
    let mut stepper = Asynchronous::new(&model, &state, &settings)?;
    if profile {
        stepper.measure_times();
    }
    let (mut cpu, mut intersections, mut stopped) = (Duration::ZERO, 0, None);
    for _ in 0..steps {
        let begin = ThreadTime::now();
        let advanced = stepper.advance(&model, &mut state);
        cpu += begin.elapsed();
        intersections += surface_intersections(&state.positions, &model.surface, 1).len();
        if let Err(error) = advanced {
            stopped = Some(error.to_string());
            break;
        }
    }
    Ok(Run {
        model,
        stepper,
        cpu,
        intersections,
        stopped,
    })
}

/// Fills the table.
pub(super) fn fill(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    scenes(table, extent)?;
    shares(table, extent)?;
    growth(table, extent)
}

/// No state of any scene intersects.
fn scenes(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    for (name, overrides, steps) in [
        (
            "falling_sheet.toml",
            [
                "body.0.mesh.grid.cells=[12,12]",
                "asynchronous.thickness=0.008",
            ],
            100,
        ),
        (
            "particle_and_curtains.toml",
            [
                "body.0.mesh.grid.cells=[8,8]",
                "asynchronous.thickness=0.02",
            ],
            100,
        ),
        (
            "trash_compactor.toml",
            [
                "body.0.mesh.sphere.subdivisions=2",
                "asynchronous.thickness=0.004",
            ],
            40,
        ),
        (
            "bed_of_nails.toml",
            [
                "body.0.mesh.grid.cells=[8,8]",
                "asynchronous.thickness=0.002",
            ],
            40,
        ),
    ] {
        let overrides: Vec<String> = match extent {
            Extent::Quick => overrides.map(str::to_owned).to_vec(),
            Extent::Full => Vec::new(),
        };
        let steps = match extent {
            Extent::Quick => steps / 4,
            Extent::Full => steps,
        };
        let run = shipped(name, &overrides, steps, false)?;
        let statistics = run.stepper.statistics();
        table.exactly(
            &format!("{name}: intersecting states"),
            run.intersections,
            0,
        );
        table.figure(
            &format!("{name}: triangles, events, events/s, deepest layer"),
            format!(
                "{}, {:.1e}, {:.1e}, {}",
                run.model.surface.triangles().len(),
                statistics.events() as f64,
                statistics.events() as f64 / run.cpu.as_secs_f64(),
                statistics.deepest_layer
            ),
        );
        if let Some(message) = run.stopped {
            table.figure(&format!("{name}: stopped"), message);
        }
    }
    Ok(())
}

/// Share of time by kind of event, beside those of the paper's reef knot.
fn shares(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let steps = if extent == Extent::Full { 100 } else { 20 };
    let run = shipped("falling_sheet.toml", &[], steps, true)?;
    let statistics = run.stepper.statistics();
    let total = run.cpu.as_secs_f64();
    for (kind, what, paper) in [
        (EventKind::Force, "forces", "4.8"),
        (EventKind::Layer, "layers", "0.09"),
        (EventKind::Slab, "slabs", "0.9 + 1.0"),
        (EventKind::Volume, "volumes", "5.2 + 23.0"),
    ] {
        table.figure(
            &format!("falling_sheet: {what}, % of time (paper's knot: {paper})"),
            format!(
                "{:.1}",
                100.0 * statistics.time_of(kind).as_secs_f64() / total
            ),
        );
    }
    Ok(())
}

/// Cost of an event against the number of triangles.
fn growth(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let sides = if extent == Extent::Full {
        &SIDES[..]
    } else {
        &SIDES[..2]
    };
    let mut first: Option<(f64, f64)> = None;
    for &side in sides {
        let cell = 0.4 / f64::from(side);
        let overrides = [
            format!("body.0.mesh.grid.cells=[{side},{side}]"),
            format!("asynchronous.thickness={}", 0.2 * cell),
            // The same clocks at every size: mass per vertex and stiffness of a spring both go with the cell.
            "time.step=1e-3".to_owned(),
        ];
        let run = shipped("falling_sheet.toml", &overrides, 40, false)?;
        let triangles = run.model.surface.triangles().len() as f64;
        let cost = run.cpu.as_secs_f64() / run.stepper.statistics().events() as f64;
        table.figure(
            &format!("falling_sheet of {triangles} triangles: ns an event"),
            format!("{:.0}", 1e9 * cost),
        );
        let (least, reference) = *first.get_or_insert((triangles, cost));
        if extent == Extent::Full && triangles > least {
            table.at_most(
                &format!("falling_sheet of {triangles} triangles: cost over that of log N"),
                cost / reference / (triangles.ln() / least.ln()),
                1.0,
            );
        }
    }
    Ok(())
}
