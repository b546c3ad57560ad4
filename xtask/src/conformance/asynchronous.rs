//! The asynchronous stepper: safety and conservation as guarantees; speed, growth and shares of time as figures.

mod paths;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use impinge_geometry::kinetic::separating_slab::{distance_waiting_time, slab_waiting_time};
use impinge_geometry::kinetic::{MovingPoint, PairKind};
use impinge_sim::model::Model;
use impinge_sim::scene::Detection;
use impinge_sim::stepper::Stepper;
use impinge_sim::stepper::asynchronous::force::ForceKind;
use impinge_sim::stepper::asynchronous::{Asynchronous, EventKind, Settings, Statistics};
use impinge_sim::{Scene, State};
use nalgebra::Vector3;
use parry3d_f64::math::{Pose, Vector as ParryVector};
use parry3d_f64::query::ClosestPoints;
use parry3d_f64::query::PointQuery;
use parry3d_f64::query::details::closest_points_segment_segment;
use parry3d_f64::shape::{Segment, Triangle};
use rayon::ThreadPoolBuilder;

use super::Extent;
use super::overlap::overlaps;
use super::table::Table;
use paths::{Paths, Verdict};

/// Cells along a side of the falling sheet; the number of triangles is twice the square.
const SIDES: [u32; 4] = [22, 50, 100, 224];

/// Instants at which a pair is checked during its certificate.
const SAMPLES: u32 = 8;

/// Longest sampled part of a certificate (s).
const LONGEST_CERTIFICATE: f64 = 10.0;

/// The scenes, each with overrides that make it small and its contacts early, and the number of steps.
const SCENES: [(&str, &[&str], u64); 6] = [
    (
        "falling_sheet.toml",
        &[
            "body.0.mesh.grid.cells=[12,12]",
            "asynchronous.thickness=0.008",
        ],
        100,
    ),
    (
        "particle_and_curtains.toml",
        &[
            "body.0.mesh.grid.cells=[8,8]",
            "asynchronous.thickness=0.02",
            "obstacle.0.motion.then.0.at=0.06",
            "obstacle.0.motion.then.1.at=0.07",
        ],
        40,
    ),
    (
        "trash_compactor.toml",
        &[
            "body.0.mesh.sphere.subdivisions=2",
            "asynchronous.thickness=0.004",
        ],
        40,
    ),
    (
        "bed_of_nails.toml",
        &[
            "body.0.mesh.grid.cells=[8,8]",
            "asynchronous.thickness=0.002",
            "body.1.fixed.0.motion.then.0.at=0.03",
        ],
        80,
    ),
    (
        "projectiles_on_nails.toml",
        &["body.0.copies.count=1", "body.1.mesh.sphere.subdivisions=2"],
        40,
    ),
    (
        "reef_knot.toml",
        &[
            "body.0.mesh.file.path=meshes/reef_knot_a_coarse.obj",
            "asynchronous.thickness=0.0007",
        ],
        40,
    ),
];

/// Checks per step, each of which starts new paths: short paths have few pairs.
const LOOKS: u32 = 10;

/// A scene that ran to its end or to a stop.
struct Run {
    model: Model,
    stepper: Asynchronous,
    /// CPU time of the steps.
    cpu: Duration,
    overlaps: usize,
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
        stepper.measure_times(1);
    }
    let mut cpu = Duration::ZERO;
    let (mut found, mut stopped) = (0, None);
    for _ in 0..steps {
        let begin = ThreadTime::now();
        let advanced = stepper.advance(&model, &mut state);
        cpu += begin.elapsed();
        found += overlaps(&model, &state);
        if let Err(error) = advanced {
            stopped = Some(error.to_string());
            break;
        }
    }
    Ok(Run {
        model,
        stepper,
        cpu,
        overlaps: found,
        stopped,
    })
}

/// Fills the table.
pub(super) fn fill(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    slabs(table, extent);
    safety(table, extent)?;
    // Figures of one core.
    let pool = ThreadPoolBuilder::new().num_threads(1).build()?;
    let figures = |table: &mut Table| {
        scenes(table, extent)?;
        shares(table, extent)?;
        growth(table, extent)
    };
    pool.install(|| figures(table).map_err(|error: Box<dyn Error>| error.to_string()))?;
    back_ends(table, extent)
}

/// Distance of two features (m), by code that is independent of the certificates.
fn distance_by_library(kind: PairKind, at: &[Vector3<f64>; 4]) -> f64 {
    let [a, b, c, d] = at.map(|x| ParryVector::new(x.x, x.y, x.z));
    match kind {
        PairKind::VertexFace => Triangle::new(b, c, d).distance_to_local_point(a, true),
        PairKind::EdgeEdge => {
            let (first, second) = (Segment::new(a, b), Segment::new(c, d));
            let ends = closest_points_segment_segment(&Pose::IDENTITY, &first, &second, f64::MAX);
            match ends {
                ClosestPoints::WithinMargin(p, q) => (p - q).length(),
                ClosestPoints::Intersecting => 0.0,
                ClosestPoints::Disjoint => f64::INFINITY,
            }
        }
    }
}

/// Random pairs in random motion: none comes closer than its certificate promises before the expiry time.
fn slabs(table: &mut Table, extent: Extent) {
    let count = if extent == Extent::Full {
        1_000_000
    } else {
        50_000
    };
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / 2.0_f64.powi(52) - 1.0
    };
    let mut late = 0;
    for number in 0..count {
        let kind = [PairKind::VertexFace, PairKind::EdgeEdge][number % 2];
        let mut vector = || Vector3::new(random(), random(), random());
        let points: [MovingPoint; 4] =
            std::array::from_fn(|_| MovingPoint::steady(vector(), vector()));
        let closest = kind.closest(&points.map(|point| point.position));
        let separation = closest.distance * random().abs();
        let wait = slab_waiting_time(kind, &closest.normal, &points, separation)
            .max(distance_waiting_time(
                kind,
                closest.distance,
                &points,
                separation,
            ))
            .min(LONGEST_CERTIFICATE);
        let is_late = (0..=SAMPLES).any(|sample| {
            let time = wait * f64::from(sample) / f64::from(SAMPLES);
            let at = points.map(|point| point.position + point.velocity * time);
            distance_by_library(kind, &at) < separation - 1e-12
        });
        late += usize::from(is_late);
    }
    table.exactly(
        &format!("certificates of {count} random pairs: late ones"),
        late,
        0,
    );
}

/// Target speed-up of speculation over certificates. Out of reach while both share the cost of forces and layers.
const SPECULATION: f64 = 10.0;

/// One run of [`back_ends`].
struct BackEnd {
    state: State,
    /// Wall time (s).
    wall: f64,
    statistics: Statistics,
}

/// The first `steps` of a scene by one back end, on the threads of the present pool.
fn back_end(
    name: &str,
    steps: u64,
    detection: Detection,
    velocity_bound: f64,
) -> Result<BackEnd, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../scenes")
        .join(name);
    let scene = Scene::load(path, &[""; 0])?;
    let (model, mut state) = Model::new(&scene)?;
    let settings = scene.asynchronous.ok_or("not an asynchronous scene")?;
    let mut stepper = Asynchronous::tuned(&model, &state, &settings, |settings| {
        settings.detection = detection;
        settings.velocity_bound = velocity_bound;
    })?;
    let begin = Instant::now();
    for _ in 0..steps {
        stepper.advance(&model, &mut state)?;
    }
    Ok(BackEnd {
        wall: begin.elapsed().as_secs_f64(),
        statistics: stepper.statistics().clone(),
        state,
    })
}

/// Speculation against certificates: the same bits. Wall time is compared with certificates, and with certificates for
/// one velocity that every velocity impulse reschedules (the paper's), on one thread and on all.
fn back_ends(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let share = if extent == Extent::Full { 1 } else { 4 };
    let one_thread = ThreadPoolBuilder::new().num_threads(1).build()?;
    let threads = rayon::current_num_threads();
    for (name, most) in [("trash_compactor.toml", 80), ("reef_knot.toml", 40)] {
        let run = |detection: Detection, velocity_bound: f64| {
            back_end(name, most / share, detection, velocity_bound)
        };
        let alone = |detection: Detection, velocity_bound: f64| {
            one_thread.install(|| run(detection, velocity_bound).map_err(|error| error.to_string()))
        };
        let velocity_bound = Settings::default().velocity_bound;
        let kinetic = alone(Detection::Kinetic, velocity_bound)?;
        let paper = alone(Detection::Kinetic, 0.0)?;
        let speculative = alone(Detection::Speculative, velocity_bound)?;
        let kinetic_shared = run(Detection::Kinetic, velocity_bound)?;
        let speculative_shared = run(Detection::Speculative, velocity_bound)?;
        let others = [&paper, &speculative, &kinetic_shared, &speculative_shared];
        table.certain(
            &format!("{name}: all back ends give the same bits, on one thread and on {threads}"),
            others.iter().all(|other| other.state == kinetic.state),
        );
        table.aim_at_least(
            &format!("{name}: speculation, times as fast as certificates with velocity bounds"),
            kinetic_shared.wall / speculative_shared.wall,
            SPECULATION,
        );
        table.figure(
            &format!("{name}: the same on one thread; over certificates for one velocity"),
            format!(
                "{:.2}; {:.2}",
                kinetic.wall / speculative.wall,
                paper.wall / speculative.wall
            ),
        );
        table.figure(
            &format!("{name}: speculation on {threads} threads over certificates for one velocity"),
            format!("{:.2}", paper.wall / speculative_shared.wall),
        );
        let statistics = &speculative.statistics;
        table.figure(
            &format!("{name}: windows, of those done again, % of events in vain"),
            format!(
                "{}, {}, {:.0}",
                statistics.windows,
                statistics.windows_returned,
                100.0 * statistics.events_in_vain as f64
                    / (statistics.events() + statistics.events_in_vain) as f64
            ),
        );
    }
    Ok(())
}

/// No state of any scene has intersections.
fn scenes(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    for (name, overrides, steps) in SCENES {
        let overrides: Vec<String> = match extent {
            Extent::Quick => overrides.iter().map(ToString::to_string).collect(),
            Extent::Full => Vec::new(),
        };
        let steps = match extent {
            Extent::Quick => steps / 4,
            Extent::Full => steps,
        };
        let run = shipped(name, &overrides, steps, false)?;
        let statistics = run.stepper.statistics();
        table.exactly(
            &format!("{name}: triangle pairs that intersect (exact), points below a half-space"),
            run.overlaps,
            0,
        );
        table.figure(
            &format!("{name}: triangles, events, events/s, deepest layer"),
            format!(
                "{}, {:.1e}, {:.1e}, {}",
                run.model.geometry.surface.triangles().len(),
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

/// On no straight piece of a path does a feature meet another, in any of the scenes.
fn safety(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    for (name, overrides, steps) in SCENES {
        let steps = match extent {
            Extent::Quick => steps / 4,
            Extent::Full => steps,
        };
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../scenes")
            .join(name);
        let scene = Scene::load(path, overrides)?;
        let (model, state) = Model::new(&scene)?;
        let settings = scene.asynchronous.ok_or("not an asynchronous scene")?;
        let mut engine = Asynchronous::tuned(&model, &state, &settings, |settings| {
            settings.detection = Detection::Kinetic;
        })?
        .into_engine();
        let free: Vec<u32> = (0_u32..)
            .zip(engine.vertices())
            .filter(|(_, vertex)| vertex.inverse_mass > 0.0)
            .map(|(point, _)| point)
            .collect();
        let (mut verdict, mut below) = (Verdict::default(), 0);
        for look in 0..steps * u64::from(LOOKS) {
            let until = (look + 1) as f64 * model.settings.time_step / f64::from(LOOKS);
            let mut paths = Paths::begin(engine.vertices(), engine.now());
            while engine.step(until)?.is_some() {
                paths.note(engine.vertices());
            }
            engine.run(until)?;
            paths.end(engine.vertices(), until);
            verdict.add(paths.judge(engine.surface()));
            for half_space in &model.geometry.half_spaces {
                let normal = half_space.normal;
                below += paths.below(&free, &normal, normal.dot(&half_space.point));
            }
        }
        table.exactly(
            &format!("{name}: features that met on their way (C6)"),
            verdict.met + below,
            0,
        );
        table.certain(
            &format!("{name}: layers pushed and pairs were near meanwhile"),
            engine.statistics().layer_pushes > 0 && verdict.pieces > 0,
        );
        table.figure(
            &format!("{name}: pairs, straight pieces judged, of those by exact arithmetic"),
            format!("{}, {}, {}", verdict.pairs, verdict.pieces, verdict.exact),
        );
    }
    Ok(())
}

/// Shares of time in the paper's scene and in a simple one. The paper's columns are events and rescheduled
/// certificates.
fn shares(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let steps = if extent == Extent::Full { 40 } else { 10 };
    for name in ["reef_knot", "falling_sheet"] {
        let run = shipped(&format!("{name}.toml"), &[], steps, true)?;
        let times = &run.stepper.statistics().times;
        let total = times.total().as_secs_f64();
        let share = |time: Duration| format!("{:.1}", 100.0 * time.as_secs_f64() / total);
        let given = times.forces[ForceKind::Given as usize];
        let elastic = times.of(EventKind::Force).saturating_sub(given);
        let both = |event: EventKind, redated: Duration| {
            format!("{} + {}", share(times.of(event)), share(redated))
        };
        for (what, shares, paper) in [
            ("elastic forces", share(elastic), "4.8"),
            ("given forces", share(given), "-"),
            ("layers", share(times.of(EventKind::Layer)), "0.09"),
            (
                "slabs, events + re-dating",
                both(EventKind::Slab, times.slabs_redated),
                "0.9 + 1.0",
            ),
            (
                "volumes, events + re-dating",
                both(EventKind::Volume, times.volumes_redated),
                "5.2 + 23.0",
            ),
        ] {
            table.figure(
                &format!("{name}: {what}, % of time (paper's knot: {paper})"),
                shares,
            );
        }
    }
    Ok(())
}

/// Cost of an event against the number of triangles, as a sheet hits a ball.
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
            // The same clocks at every size: mass per vertex and stiffness of a spring both scale with the cell.
            "time.step=1e-3".to_owned(),
            // In contact for most of the time; free fall would measure forces only.
            "body.0.position=[0.02,0.01,0.11]".to_owned(),
            "body.0.velocity=[0,0,-2]".to_owned(),
        ];
        let run = shipped("falling_sheet.toml", &overrides, 16, true)?;
        let triangles = run.model.geometry.surface.triangles().len() as f64;
        let statistics = run.stepper.statistics();
        table.certain(
            &format!("falling_sheet of {triangles} triangles: in contact meanwhile"),
            statistics.layer_pushes > 0,
        );
        let triangles_of = format!("falling_sheet of {triangles} triangles");
        let cost = run.cpu.as_secs_f64() / statistics.events() as f64;
        table.figure(
            &format!("{triangles_of}: ns an event"),
            format!("{:.0}", 1e9 * cost),
        );
        // Most events are cheap forces, so the kinds of contact events have their own figures.
        let of_kinds = [
            (EventKind::Volume, statistics.volume_lapses),
            (EventKind::Slab, statistics.slab_lapses),
            (EventKind::Layer, statistics.layer_ticks),
        ]
        .map(|(kind, count)| statistics.times.of(kind).as_secs_f64() / count as f64);
        let [volume, slab, layer] = of_kinds.map(|cost| 1e9 * cost);
        table.figure(
            &format!("{triangles_of}: ns by the clock a volume, certificate, tick of a layer"),
            format!("{volume:.0}, {slab:.0}, {layer:.0}"),
        );
        let (least, reference) = *first.get_or_insert((triangles, cost));
        if extent == Extent::Full && triangles > least {
            table.at_most(
                &format!("{triangles_of}: cost over that of log N"),
                cost / reference / (triangles.ln() / least.ln()),
                1.0,
            );
        }
    }
    Ok(())
}
