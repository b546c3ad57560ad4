//! geometry: no missed impact, no missed pair, well-filled surfaces, element counts of shapes.

mod candidates;
mod filling;
mod queries;
mod random;

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use impinge_geometry::CollisionSurface;
use impinge_geometry::broad_phase::{
    Aabb, BroadPhase, BroadPhaseChoice, BruteForce, Bvh, CandidateSet,
};
use impinge_geometry::mesh::generate::{RingShape, ring};
use nalgebra::Vector3;

use super::{Extent, Options, table::Table};

/// Generated queries in the quick and in the full form.
const GENERATED: [u64; 2] = [5_000, 10_000_000];

/// Rings of the full form: half a million triangles.
const RINGS: u32 = 3_472;

/// Parts of the geometry table alone.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct Parts {
    /// Runs every query file of this folder [default: $IMPINGE_DATA/ccd]
    #[arg(long, value_name = "FOLDER")]
    ccd: Option<PathBuf>,
    /// Judges this many generated collision queries by exact arithmetic [default: 5000; 10 million with --full]
    #[arg(long, value_name = "N")]
    random: Option<u64>,
    /// Seed of the generated queries
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Measures the broad phase and the step size on a generated pile of this many rings of 144 triangles [default
    /// with --full: 3472]
    #[arg(long, value_name = "RINGS")]
    pile: Option<u32>,
    /// Fills surfaces with tetrahedra: simple shapes; with --full also large ones and those of $IMPINGE_DATA/meshes
    #[arg(long)]
    filling: bool,
}

impl Parts {
    /// Whether particular parts are selected, and so nothing else.
    pub(super) fn are_chosen(&self) -> bool {
        self.ccd.is_some() || self.random.is_some() || self.pile.is_some() || self.filling
    }
}

pub(super) fn fill(
    table: &mut Table,
    options: &Options,
    extent: Extent,
) -> Result<(), Box<dyn Error>> {
    let parts = &options.geometry;
    if let Some(folder) = &parts.ccd {
        // Its times are a result, so they are measured with care.
        queries::fill(table, folder, Extent::Full)?;
    }
    if let Some(count) = parts.random {
        random::fill(table, count, parts.seed);
    }
    if let Some(rings) = parts.pile {
        candidates::pile(table, rings)?;
    }
    let data = std::env::var_os("IMPINGE_DATA").map(PathBuf::from);
    let meshes = data.as_ref().map(|data| data.join("meshes"));
    if parts.filling {
        filling::fill(table, meshes.as_deref(), extent)?;
    }
    if parts.are_chosen() {
        return Ok(());
    }
    let data = data.ok_or(
        "the geometry table needs the continuous collision queries: name their folder with --ccd FOLDER, or set \
         IMPINGE_DATA to the folder that holds ccd/",
    )?;
    queries::fill(table, &data.join("ccd"), extent)?;
    let [quick, full] = GENERATED;
    let count = if extent == Extent::Full { full } else { quick };
    random::fill(table, count, parts.seed);
    if extent == Extent::Full {
        candidates::pile(table, RINGS)?;
    }
    filling::fill(table, meshes.as_deref(), extent)?;
    shapes(table)?;
    moving_pile(table)?;
    compare(table)
}

/// The ring with the counts of the paper.
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

/// Bodies of the pile that brute force can check.
const FEW_RINGS: u32 = 6;

/// Bodies of the pile on which broad phases are timed.
const MANY_RINGS: u32 = 200;

/// Motions of the pile that broad phases are timed on; the first one, which builds the trees, does not count.
const TIMED_MOTIONS: u32 = 5;

/// Every broad phase finds the pairs of our own; their times as ratios.
fn compare(table: &mut Table) -> Result<(), Box<dyn Error>> {
    let (surface, points) = rings(MANY_RINGS)?;
    let mut own = Vec::new();
    for choice in BroadPhaseChoice::all() {
        let mut phase = choice.start();
        let (mut seconds, mut all) = (0.0, Vec::new());
        for step in 0..=TIMED_MOTIONS {
            let boxes = boxes(&points, step);
            let mut found = CandidateSet::default();
            let clock = Instant::now();
            phase.collect(&surface, &boxes, &mut found);
            if step > 0 {
                seconds += clock.elapsed().as_secs_f64();
            }
            all.push(found);
        }
        let pairs: usize = all.iter().map(CandidateSet::len).sum();
        if choice == BroadPhaseChoice::default() {
            own = vec![(seconds, all)];
            table.figure(
                &format!("broad phase `{}`: pairs in a pile of rings", choice.name()),
                format!("{pairs}"),
            );
        } else if let [(of_own, expected)] = own.as_slice() {
            table.certain(
                &format!("broad phase `{}` = our own, {pairs} pairs", choice.name()),
                all == *expected,
            );
            table.figure(
                &format!("broad phase `{}`: time over our own", choice.name()),
                format!("{:.1}", seconds / of_own),
            );
        }
    }
    Ok(())
}

/// Boxes of points on their way in one of the motions of a pile.
fn boxes(points: &[Vector3<f64>], step: u32) -> Vec<Aabb> {
    let swept = |(i, x): (usize, &Vector3<f64>)| {
        let turn = f64::from(step) + i as f64;
        let motion = 0.004 * Vector3::new(turn.sin(), turn.cos(), (2.0 * turn).sin());
        Aabb::from_points([x, &(x + motion)]).inflated(1e-4)
    };
    points.iter().enumerate().map(swept).collect()
}

/// A surface and its points.
type Pile = (CollisionSurface, Vec<Vector3<f64>>);

/// A diagonal pile of rings that touch their neighbours.
fn rings(bodies: u32) -> Result<Pile, Box<dyn Error>> {
    let mesh = ring(RingShape {
        major_radius: 0.05,
        section: 0.02,
        segments: 18,
    })?;
    let outside = mesh.surface()?;
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
    let passive = vec![false; bodies as usize];
    let surface = CollisionSurface::new(triangles, points.len(), group, passive);
    Ok((surface, points))
}

/// The broad phase finds the pairs of brute force, from one moving pile to the next, refitted in between.
fn moving_pile(table: &mut Table) -> Result<(), Box<dyn Error>> {
    let (surface, points) = rings(FEW_RINGS)?;
    let (mut fast, mut oracle) = (Bvh::new(), BruteForce);
    let (mut found, mut expected) = (CandidateSet::default(), CandidateSet::default());
    let (mut pairs, mut equal) = (0, true);
    for step in 0..5 {
        let boxes = boxes(&points, step);
        fast.collect(&surface, &boxes, &mut found);
        oracle.collect(&surface, &boxes, &mut expected);
        pairs += expected.len();
        equal &= found == expected;
    }
    table.certain(
        &format!("broad phase = brute force, {pairs} pairs in 5 motions"),
        equal,
    );
    Ok(())
}
