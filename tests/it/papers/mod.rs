//! The papers' own scenes do what the papers say of them; `docs/papers.md` lists them.

mod harmon;
mod saupin;
mod tournier;
mod verschoor;

use impinge_sim::StepReport;

/// Largest opening of a hard joint (m): ten gap tolerances.
const CLOSED: f64 = 1e-5;

/// Mechanical energy (J) at the end of a step.
fn energy(report: &StepReport) -> f64 {
    report.kinetic_energy + report.elastic_energy + report.gravitational_energy
}
