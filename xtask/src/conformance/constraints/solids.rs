//! Solids as constraints in scenes: both forms of a cantilever, energy of swinging bodies, the conjugate-residual
//! method with rows, and the speed of every example.

use std::error::Error;
use std::path::Path;

use cpu_time::ProcessTime;
use impinge_sim::{Scene, Simulation};

use super::super::{Extent, table::Table};

/// A shipped scene with overrides.
pub(super) fn shipped(name: &str, overrides: &[&str]) -> Result<Simulation, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let scene = Scene::load(folder.join(name).with_extension("toml"), overrides)?;
    Ok(Simulation::new(&scene)?)
}

/// Energy after each step (J), until one fails.
fn energies(simulation: &mut Simulation, steps: u32) -> Vec<f64> {
    let mut energies = Vec::new();
    for _ in 0..steps {
        let Ok(report) = simulation.advance() else {
            break;
        };
        energies.push(report.kinetic_energy + report.elastic_energy + report.gravitational_energy);
    }
    energies
}

/// Distance between the beams of `scenes/cantilever.toml` at rest, over their deflection.
///
/// They coincide at rest only: in motion, the forces of rows belong to the end of a step and their directions to its
/// start, while a stiffness takes both from the start. The beams are therefore damped; the table shows their remaining
/// motion.
pub(super) fn cantilever(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let (cells, steps) = match extent {
        Extent::Quick => ("[5, 1, 1]", 600),
        Extent::Full => ("[10, 2, 2]", 900),
    };
    for model in ["corotational", "st_venant_kirchhoff", "neo_hookean"] {
        let mut keys = vec![
            format!("body.0.mesh.cuboid.cells={cells}"),
            format!("body.1.mesh.cuboid.cells={cells}"),
            format!("body.2.mesh.hexahedra.cells={cells}"),
        ];
        for body in 0..3 {
            keys.push(format!("body.{body}.material.model={model}"));
            // s; critical for the first mode of the longer beam.
            keys.push(format!("body.{body}.material.stiffness_damping=0.3"));
        }
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let mut simulation = shipped("cantilever", &keys)?;
        energies(&mut simulation, steps - 1);
        let before = simulation.state().positions.clone();
        energies(&mut simulation, 1);
        let (model_of, x) = (simulation.model(), &simulation.state().positions);
        let [stiff, rows, _] = [0, 1, 2].map(|body| model_of.geometry.bodies[body].points.clone());
        let fall = |point: usize| model_of.points.rest[point].z - x[point].z;
        let (mut apart, mut sag, mut moved) = (0.0_f64, 0.0_f64, 0.0_f64);
        for (a, b) in stiff.zip(rows) {
            moved = moved.max((x[a] - before[a]).amax().max((x[b] - before[b]).amax()));
            apart = apart.max((fall(a) - fall(b)).abs());
            sag = sag.max(fall(a));
        }
        table.at_most(
            &format!("cantilever, {model}: motion in the last step"),
            moved / sag,
            1e-6,
        );
        table.at_most(
            &format!("cantilever, {model}: compliance against stiffness"),
            apart / sag,
            1e-6,
        );
    }
    Ok(())
}

/// Swinging chain, cable and cloth: no step gains energy, over the largest kinetic energy so far.
pub(super) fn swinging(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let seconds = match extent {
        Extent::Quick => 2.0,
        Extent::Full => 60.0,
    };
    for name in ["rigid_chain_10", "cable_crane", "hanging_cloth"] {
        let mut simulation = shipped(name, &[])?;
        let (mut before, mut most, mut gain) = (f64::INFINITY, 0.0_f64, f64::NEG_INFINITY);
        while simulation.state().time < seconds {
            let report = simulation.advance()?;
            let energy =
                report.kinetic_energy + report.elastic_energy + report.gravitational_energy;
            most = most.max(report.kinetic_energy);
            let rise = energy - before;
            // `max` would drop NaN.
            if before.is_finite() && (rise > gain || rise.is_nan()) {
                gain = rise;
            }
            before = energy;
        }
        table.at_most(
            &format!("swinging {name}: energy gained in a step, relative"),
            gain / most,
            1e-9,
        );
    }
    Ok(())
}

/// A cable round a post with friction by conjugate residuals with multipliers: every accepted solve meets its
/// tolerances. Steps are divided as far as that needs: at 4 ms rounding decides whether a solve ends. The distance of
/// its points from those by factorisation (m) is a figure, since subdivision may differ.
pub(super) fn residuals_with_rows(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let steps = match extent {
        Extent::Quick => 10,
        Extent::Full => 40,
    };
    let mut ends = Vec::new();
    for method in ["compliant-kkt", "cr-multipliers"] {
        let key = format!("solver.method={method}");
        let mut simulation = shipped("cable_round_post", &[&key, "time.minimum_step=1e-6"])?;
        let (mut unmet, mut iterations) = (0, 0);
        for _ in 0..steps {
            let report = simulation.advance()?;
            unmet += report.inexact_solves as usize;
            iterations += report.iterations;
        }
        let case = format!("cable round a post, {method}");
        table.exactly(&format!("{case}: solves beyond tolerance"), unmet, 0);
        table.figure(
            &format!("{case}: iterations a step"),
            (iterations / steps).to_string(),
        );
        ends.push(simulation.state().positions.clone());
    }
    let distances = ends[0].iter().zip(&ends[1]).map(|(a, b)| (a - b).norm());
    table.figure(
        "cable round a post: distance of the two (m)",
        format!("{:.1e}", distances.fold(0.0, f64::max)),
    );
    Ok(())
}

/// Steps per second of processor time, all threads together, of every shipped scene with constraints.
pub(super) fn rates(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let (before, steps) = match extent {
        Extent::Quick => (3, 20),
        Extent::Full => (20, 200),
    };
    for name in [
        "bow_and_arrow",
        "cable_crane",
        "cable_impact",
        "cable_round_post",
        "cantilever",
        "chain_impact",
        "chain_round_post",
        "cloth_over_post",
        "complex_materials",
        "hanging_cloth",
        "knee",
        "orthotropic_patch",
        "ragdoll_on_liana",
        "rigid_chain_10",
        "rigid_chain_50",
        "stiff_cloth_fem",
        "trampoline",
    ] {
        let mut simulation = shipped(name, &[])?;
        energies(&mut simulation, before);
        let start = ProcessTime::try_now()?;
        let done = energies(&mut simulation, steps).len();
        let rate = done as f64 / start.try_elapsed()?.as_secs_f64();
        table.figure(&format!("{name}: steps a second"), format!("{rate:.0}"));
    }
    Ok(())
}
