//! Heavy loads on a cable: Table 1 of the paper, the boundary of stability, lateral offsets.

use std::error::Error;

use impinge_contact::constraint::GeometricStiffness;
use impinge_sim::constrained::{Cable, ConstrainedSystem};
use nalgebra::Vector3;

use super::super::{Extent, table::Table};
use super::stepper;

/// Step of all runs (s).
const STEP: f64 = 0.01;

/// Load up to which the cable is stable without geometric stiffness: `h² T < m l` (kg).
const HEAVIEST: f64 = 50.0 / (STEP * STEP * 9.81);

/// Elongation (relative) beyond which a run has failed.
const FAILED: f64 = 0.5;

/// 10 m, 500 kg, tilted so that rounding seeds sideways motion; gravity along it.
fn cable(load: f64) -> Cable {
    Cable {
        links: 10,
        link_length: 1.0,
        node_mass: 50.0,
        end_mass: load,
        along: Vector3::new(1.0, 2.0, 3.0).normalize(),
        compliance: 0.0,
    }
}

/// Largest elongation in percent over `steps`, or the step at which it failed.
fn run(
    cable: &Cable,
    system: &mut ConstrainedSystem,
    stiffness: GeometricStiffness,
    dry_solves: u32,
    steps: u32,
) -> Result<Result<f64, u32>, Box<dyn Error>> {
    let mut stepper = stepper(system, stiffness, dry_solves)?;
    let mut worst = 0.0_f64;
    for step in 1..=steps {
        if stepper.advance(system, STEP).is_err() {
            return Ok(Err(step));
        }
        let strain = cable.largest_strain(system);
        if strain.is_nan() || strain > FAILED {
            return Ok(Err(step));
        }
        worst = worst.max(strain);
    }
    Ok(Ok(100.0 * worst))
}

fn show(result: Result<f64, u32>) -> String {
    match result {
        Ok(percent) => format!("{percent:.1e} %"),
        Err(step) => format!("fails at step {step}"),
    }
}

fn verdict(table: &mut Table, case: &str, result: Result<f64, u32>, bound: f64) {
    match result {
        Ok(percent) => table.at_most(case, percent, bound),
        Err(step) => table.certain(&format!("{case}: fails at step {step}"), false),
    }
}

/// Table 1: elongation in percent by load.
pub(super) fn loads(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let steps = match extent {
        Extent::Quick => 200,
        Extent::Full => 1000,
    };
    for (load, bound) in [
        (1e4, 1e-12),
        (1e5, 1e-12),
        (1e9, 1e-12),
        (1e12, 1e-12),
        (1e15, 1e-5),
        (1e18, 1e-2),
    ] {
        let cable = cable(load);
        let mut system = cable.build(cable.along * 9.81)?;
        let without = run(&cable, &mut system, GeometricStiffness::None, 0, steps)?;
        let word = if load < HEAVIEST { "holds" } else { "fails" };
        let case = format!("{load:.0e} kg without geometric stiffness {word}");
        table.certain(
            &format!("{case} ({})", show(without)),
            without.is_ok() == (load < HEAVIEST),
        );
        let mut system = cable.build(cable.along * 9.81)?;
        let with = run(&cable, &mut system, GeometricStiffness::Projected, 1, steps)?;
        verdict(
            table,
            &format!("elongation (%), {load:.0e} kg"),
            with,
            bound,
        );
    }
    Ok(())
}

/// Without geometric stiffness a taut link is stable for `h² T < m l`: here up to 51 to 52 t.
pub(super) fn boundary(table: &mut Table) -> Result<(), Box<dyn Error>> {
    for (load, holds) in [(48e3, true), (60e3, false)] {
        let cable = cable(load);
        let mut system = cable.build(cable.along * 9.81)?;
        let result = run(&cable, &mut system, GeometricStiffness::None, 0, 1500)?;
        let word = if holds { "holds" } else { "fails" };
        table.certain(
            &format!(
                "{load:.0e} kg without geometric stiffness {word} ({})",
                show(result)
            ),
            result.is_ok() == holds,
        );
    }
    Ok(())
}

/// Directions of offsets.
#[derive(Clone, Copy, PartialEq)]
enum Offset {
    /// Perpendicular to the cable.
    Sideways,
    /// Any: long links pull the load up within a step, short ones push it down.
    Anywhere,
}

/// Offsets of every particle, with and without dry solves of the first step.
pub(super) fn offsets(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let steps = match extent {
        Extent::Quick => 100,
        Extent::Full => 400,
    };
    let few: &[u32] = &[0, 1, 3];
    let many: &[u32] = &[0, 1, 3, 8];
    for (offset, direction, dry_solves) in [
        (1e-9, Offset::Anywhere, few),
        (1e-6, Offset::Anywhere, few),
        (1e-3, Offset::Sideways, many),
        (1e-3, Offset::Anywhere, many),
    ] {
        for load in [1e4, 1e9, 1e12, 1e15] {
            for &dry in dry_solves {
                let cable = cable(load);
                let mut system = cable.build(cable.along * 9.81)?;
                displace(&mut system, &cable.along, offset, direction);
                let result = run(
                    &cable,
                    &mut system,
                    GeometricStiffness::Projected,
                    dry,
                    steps,
                )?;
                let word = match direction {
                    Offset::Sideways => " sideways",
                    Offset::Anywhere => "",
                };
                let case = format!("offset {offset:.0e} m{word}, {load:.0e} kg, {dry} dry solves");
                let far = direction == Offset::Sideways && dry == 3 && load <= 1e12;
                let required = dry == 1 && offset < 1e-4 || far || dry == 8;
                if required {
                    // An offset is itself a strain; a lateral one is of second order.
                    verdict(table, &case, result, 1.0);
                } else {
                    table.figure(&case, show(result));
                }
            }
        }
    }
    Ok(())
}

/// Moves particles by up to `offset` (m) per direction, pseudo-randomly.
fn displace(system: &mut ConstrainedSystem, along: &Vector3<f64>, offset: f64, direction: Offset) {
    let mut state = 12345_u64;
    for x in system.positions.iter_mut().skip(1) {
        let mut by = Vector3::zeros();
        for axis in 0..3 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            by[axis] = offset * ((state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0);
        }
        if direction == Offset::Sideways {
            by -= along * along.dot(&by);
        }
        *x += by;
    }
}
