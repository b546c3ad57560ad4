//! constraints: elongation under load, lateral offsets, falling chains, condition numbers, solids in both forms, steps
//! a second.

mod chains;
mod condition;
mod modes;
mod solids;
mod tension;

use std::error::Error;

use cpu_time::ProcessTime;
use impinge_contact::constraint::GeometricStiffness;
use impinge_sim::constrained::{
    Cable, ConstrainedStepper, ConstrainedSystem, Sheet, SheetMaterial, StepSettings,
};
use nalgebra::Vector3;

use super::{Extent, table::Table};

pub(super) fn fill(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    tension::loads(table, extent)?;
    tension::boundary(table)?;
    tension::offsets(table, extent)?;
    chains::particles(table, extent)?;
    chains::bodies(table, extent)?;
    chains::longest_step(table, extent)?;
    condition::numbers(table, extent)?;
    if matches!(extent, Extent::Full) {
        condition::minres(table)?;
    }
    solids::cantilever(table, extent)?;
    modes::scenes(table, extent)?;
    solids::swinging(table, extent)?;
    rates(table, extent)?;
    solids::rates(table, extent)?;
    solids::residuals_with_rows(table, extent)?;
    Ok(())
}

/// A stepper with or without geometric stiffness, with `dry_solves` in the first step.
fn stepper(
    system: &mut ConstrainedSystem,
    stiffness: GeometricStiffness,
    dry_solves: u32,
) -> Result<ConstrainedStepper, Box<dyn Error>> {
    let settings = StepSettings {
        geometric_stiffness: stiffness,
        dry_solves,
        ..StepSettings::default()
    };
    Ok(ConstrainedStepper::new(system, settings)?)
}

/// Required steps a second on one core of the two examples with a figure in the paper.
const REQUIRED_RATE: f64 = 1000.0;

/// Steps a second on one core, of the examples with a figure.
fn rates(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let steps = match extent {
        Extent::Quick => 200,
        Extent::Full => 2000,
    };
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    let cable = |links: usize| Cable {
        links,
        link_length: 0.1,
        node_mass: 1.0,
        end_mass: 100.0,
        along: Vector3::x(),
        compliance: 0.0,
    };
    for links in [10, 100] {
        let mut system = cable(links).build(gravity)?;
        let rate = measure(&mut system, 0.04, steps)?;
        let case = format!("{links} links, 1:100, h = 0.04 s: steps a second");
        rate_of(table, &case, rate, links == 100 && extent == Extent::Full);
    }
    let sheet = Sheet {
        nodes: 10,
        edge: 1.0,
        node_mass: 0.01,
        material: SheetMaterial::Distances { compliance: 0.0 },
        whole_row: true,
    };
    let mut system = sheet.build(gravity)?;
    for i in 0..10 {
        system.masses[sheet.node(i, 9)] = 5.0;
    }
    let rate = measure(&mut system, 0.01, steps)?;
    let case = "10 x 10 sheet of hard threads, weights 1:500, h = 0.01 s: steps a second";
    rate_of(table, case, rate, extent == Extent::Full);
    Ok(())
}

/// A row with a bound if the user asked for times, else a figure: a check must not depend on the machine's load.
fn rate_of(table: &mut Table, case: &str, rate: f64, required: bool) {
    if required {
        table.at_least(case, rate, REQUIRED_RATE);
    } else {
        table.figure(case, format!("{rate:.0}"));
    }
}

/// Steps per second of processor time over all threads: neither other load nor a second core matters.
fn measure(system: &mut ConstrainedSystem, h: f64, steps: u32) -> Result<f64, Box<dyn Error>> {
    let mut stepper = stepper(system, GeometricStiffness::Projected, 1)?;
    for _ in 0..20 {
        stepper.advance(system, h)?;
    }
    let start = ProcessTime::try_now()?;
    for _ in 0..steps {
        stepper.advance(system, h)?;
    }
    Ok(f64::from(steps) / start.try_elapsed()?.as_secs_f64())
}
