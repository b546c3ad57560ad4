//! sim: rings fall into a heap; no intersection, exact momentum, bounded energy, the same bits on any number of
//! threads.

use std::error::Error;

use impinge_contact::ContactState;
use impinge_sim::report::StageTimes;
use impinge_sim::{Scene, Simulation, State, StepReport};
use nalgebra::Vector3;

use super::overlap::overlaps;
use super::{Extent, table::Table};

/// A heap of rings between walls, with a downward velocity so that they meet soon.
const SCENE: &str = r#"
title = "A few rings fall into a heap"
[time]
step = 1e-3
duration = 1.0
[[body]]
name = "ring"
mesh = { ring = { major_radius = 0.05, section = 0.02 } }
material = { young = 5e5, poisson = 0.2, density = 1000 }
position = [0, 0, 0.07]
velocity = [0, 0, -1]
copies = { count = 8, columns = [2, 2], random_rotation = true, seed = 3 }
[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// Result of a run.
#[derive(Default)]
struct Run {
    reports: Vec<StepReport>,
    end: Option<State>,
    overlaps: usize,
    momentum_error: f64,
    energy_excess: f64,
    gaps_outside: usize,
    contacts: usize,
}

pub(super) fn fill(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let (rings, steps) = match extent {
        Extent::Quick => (8, 120),
        Extent::Full => (40, 400),
    };
    let scene = Scene::parse(
        "conformance.toml",
        SCENE,
        &[format!("body.0.copies.count={rings}")],
    )?;
    let mut runs = Vec::new();
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        // Equal bits have equal certificates, so one run suffices.
        let certify = threads == 1;
        runs.push(pool.install(|| take(&scene, steps, certify).map_err(|e| e.to_string()))?);
    }
    let first = &runs[0];
    table.figure(
        "rings, steps, contacts at the end",
        format!("{rings}, {steps}, {}", first.contacts),
    );
    table.certain("rings touch", first.contacts > 0);
    table.exactly(
        "triangle pairs that intersect (exact), points below a half-space, any step",
        first.overlaps,
        0,
    );
    table.exactly("active gaps outside (0, eps2)", first.gaps_outside, 0);
    table.at_most(
        "momentum against weight and contact forces, over weight",
        first.momentum_error,
        1e-10,
    );
    table.at_most(
        "increase of energy over its bound",
        first.energy_excess,
        1.0,
    );
    let total = |count: fn(&StepReport) -> u32| first.reports.iter().map(count).sum::<u32>();
    table.exactly(
        "solves that missed their tolerance",
        total(|report| report.inexact_solves) as usize,
        0,
    );
    table.figure(
        "attempts rolled back",
        total(|report| report.rejected).to_string(),
    );
    for (run, threads) in runs.iter().zip([1, 2, 7]).skip(1) {
        table.certain(
            &format!("same reports and states on 1 and {threads} threads"),
            run.reports == first.reports && same_bits(run.end.as_ref(), first.end.as_ref()),
        );
    }
    Ok(())
}

/// Takes `steps` steps; with `certify`, checks each of them.
fn take(scene: &Scene, steps: u64, certify: bool) -> Result<Run, Box<dyn Error>> {
    let mut simulation = Simulation::new(scene)?;
    let model_mass: f64 = simulation.model().points.mass.iter().sum();
    let step = simulation.model().settings.time_step;
    let gravity = simulation.model().settings.gravity;
    // Momentum residual allowed by solves and by the one linearisation of a rotation.
    let residual = {
        let model = simulation.model();
        let masses = (0..model.geometry.bodies.len()).map(|body| model.body_mass(body));
        let lightest = masses.fold(f64::INFINITY, f64::min);
        let fall = if gravity == Vector3::zeros() {
            model.geometry.largest_clearance()
        } else {
            gravity.norm() * step * step
        };
        1e-3 * lightest * fall / step
    };
    let weight_impulse = model_mass * gravity.norm() * step;
    let mut run = Run::default();
    let mut before: Option<(Vector3<f64>, f64)> = None;
    for _ in 0..steps {
        let mut report = simulation.advance()?;
        report.times = StageTimes::default();
        if certify {
            let (model, state) = (simulation.model(), simulation.state());
            run.overlaps += overlaps(model, state);
            let clearance = model.geometry.largest_clearance();
            if report.active > 0 {
                // A contact with clamped weights is kept apart at the impact, and may be farther apart at the end of
                // the step.
                let loose = report.loose_contacts > 0;
                run.gaps_outside += usize::from(report.minimum_gap <= 0.0);
                run.gaps_outside += usize::from(!loose && report.maximum_gap >= clearance);
            }
            let momentum = Vector3::from(report.momentum);
            let energy =
                report.kinetic_energy + report.elastic_energy + report.gravitational_energy;
            // The forces of a subdivided step are those of its last substep only.
            if let (Some((momentum_before, energy_before)), 1) = (before, report.substeps) {
                let expected = (gravity * model_mass + Vector3::from(report.contact_force)) * step;
                let error = (momentum - momentum_before - expected).norm() / weight_impulse;
                run.momentum_error = run.momentum_error.max(error);
                let forces: f64 = active(state)
                    .map(|contact| contact.multipliers.lambda)
                    .sum();
                let speed = state
                    .velocities
                    .iter()
                    .map(Vector3::norm_squared)
                    .sum::<f64>()
                    .sqrt();
                let bound = forces * clearance + speed * residual;
                run.energy_excess = run.energy_excess.max((energy - energy_before) / bound);
            }
            before = Some((momentum, energy));
        }
        run.reports.push(report);
    }
    run.contacts = active(simulation.state()).count();
    run.end = Some(simulation.state().clone());
    Ok(run)
}

fn active(state: &State) -> impl Iterator<Item = &impinge_sim::contacts::contact::Contact> {
    state
        .contacts
        .iter()
        .filter(|contact| contact.multipliers.state != ContactState::Inactive)
}

fn same_bits(a: Option<&State>, b: Option<&State>) -> bool {
    let bits = |state: &State| -> Vec<u64> {
        let vectors = (state.positions.iter().chain(&state.velocities)).chain(&state.accelerations);
        vectors
            .flat_map(|v| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
            .collect()
    };
    matches!((a, b), (Some(a), Some(b)) if bits(a) == bits(b))
}
