//! `steps.csv`: one row per step.

use std::path::Path;

use super::OutputError;
use super::rows::{KeptRows, Table};
use crate::report::{StageTimes, StepReport};

/// A number of a row: counts are written without a decimal point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Count(u64),
    Real(f64),
}

impl Number {
    fn text(self) -> String {
        match self {
            Self::Count(count) => count.to_string(),
            // The shortest text that reads back as the same double.
            Self::Real(value) => format!("{value:?}"),
        }
    }
}

/// The columns in order. Destructuring the report makes a field without a column a compile error.
#[expect(
    clippy::too_many_lines,
    reason = "a table: one line per column, in the order of the file"
)]
pub(super) fn columns(report: &StepReport) -> Vec<(&'static str, Number)> {
    use Number::{Count, Real};
    let StepReport {
        step,
        time,
        substeps,
        rejected,
        iterations,
        prediction_iterations,
        extra_products,
        evaluations,
        state_changes,
        rounds,
        newton_rounds,
        contacts_added,
        relinearised,
        removed,
        box_overruns,
        active,
        sticking,
        sliding,
        inactive,
        vertex_face_candidates,
        edge_edge_candidates,
        broad_phase_collections,
        ccd_queries,
        momentum_residual,
        momentum_tolerance,
        nonlinear_residual,
        normal_residual,
        friction_residual,
        minimum_gap,
        maximum_gap,
        minimum_volume_ratio,
        kinetic_energy,
        elastic_energy,
        gravitational_energy,
        momentum,
        angular_momentum,
        contact_force,
        least_squares_solves,
        relaxed_solves,
        rescued_solves,
        inexact_solves,
        unmet_momentum,
        energy_gains,
        crossings,
        inverted_elements,
        preconditioner_fallbacks,
        loose_contacts,
        ccd_work_limits,
        times,
        balance: _,
    } = *report;
    let StageTimes {
        assemble,
        detect,
        formulate,
        resolve,
        refine,
        commit,
    } = times;
    vec![
        ("step", Count(step)),
        ("time", Real(time)),
        ("substeps", Count(substeps.into())),
        ("rejected", Count(rejected.into())),
        ("iterations", Count(iterations)),
        ("prediction_iterations", Count(prediction_iterations)),
        ("extra_products", Count(extra_products)),
        ("evaluations", Count(evaluations)),
        ("state_changes", Count(state_changes)),
        ("rounds", Count(rounds.into())),
        ("newton_rounds", Count(newton_rounds.into())),
        ("contacts_added", Count(contacts_added.into())),
        ("relinearised", Count(relinearised.into())),
        ("removed", Count(removed.into())),
        ("box_overruns", Count(box_overruns.into())),
        ("active", Count(active.into())),
        ("sticking", Count(sticking.into())),
        ("sliding", Count(sliding.into())),
        ("inactive", Count(inactive.into())),
        (
            "vertex_face_candidates",
            Count(vertex_face_candidates.into()),
        ),
        ("edge_edge_candidates", Count(edge_edge_candidates.into())),
        (
            "broad_phase_collections",
            Count(broad_phase_collections.into()),
        ),
        ("ccd_queries", Count(ccd_queries)),
        ("momentum_residual", Real(momentum_residual)),
        ("momentum_tolerance", Real(momentum_tolerance)),
        ("nonlinear_residual", Real(nonlinear_residual)),
        ("normal_residual", Real(normal_residual)),
        ("friction_residual", Real(friction_residual)),
        ("minimum_gap", Real(minimum_gap)),
        ("maximum_gap", Real(maximum_gap)),
        ("minimum_volume_ratio", Real(minimum_volume_ratio)),
        ("kinetic_energy", Real(kinetic_energy)),
        ("elastic_energy", Real(elastic_energy)),
        ("gravitational_energy", Real(gravitational_energy)),
        ("momentum_x", Real(momentum[0])),
        ("momentum_y", Real(momentum[1])),
        ("momentum_z", Real(momentum[2])),
        ("angular_momentum_x", Real(angular_momentum[0])),
        ("angular_momentum_y", Real(angular_momentum[1])),
        ("angular_momentum_z", Real(angular_momentum[2])),
        ("contact_force_x", Real(contact_force[0])),
        ("contact_force_y", Real(contact_force[1])),
        ("contact_force_z", Real(contact_force[2])),
        ("least_squares_solves", Count(least_squares_solves.into())),
        ("relaxed_solves", Count(relaxed_solves.into())),
        ("rescued_solves", Count(rescued_solves.into())),
        ("inexact_solves", Count(inexact_solves.into())),
        ("unmet_momentum", Count(unmet_momentum.into())),
        ("energy_gains", Count(energy_gains.into())),
        ("crossings", Count(crossings.into())),
        ("inverted_elements", Count(inverted_elements.into())),
        (
            "preconditioner_fallbacks",
            Count(preconditioner_fallbacks.into()),
        ),
        ("loose_contacts", Count(loose_contacts.into())),
        ("ccd_work_limits", Count(ccd_work_limits.into())),
        ("time_assemble", Real(assemble)),
        ("time_detect", Real(detect)),
        ("time_formulate", Real(formulate)),
        ("time_resolve", Real(resolve)),
        ("time_refine", Real(refine)),
        ("time_commit", Real(commit)),
        ("time_total", Real(times.total())),
    ]
}

/// Names of the columns in order; the wall-clock ones begin with `time_`.
pub fn column_names() -> Vec<&'static str> {
    columns(&StepReport::default())
        .into_iter()
        .map(|(name, _)| name)
        .collect()
}

/// Name of the file.
pub(super) const STEPS_CSV: &str = "steps.csv";

/// Writer of `steps.csv`; each row is on disk before the next step begins.
#[derive(Debug)]
pub struct StepsCsv(Table);

impl StepsCsv {
    /// Creates the file, with its header, in `folder`.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub fn create(folder: impl AsRef<Path>) -> Result<Self, OutputError> {
        Table::create(folder.as_ref().join(STEPS_CSV), &column_names()).map(Self)
    }

    /// The rows of the file in `folder` up to `step`, after which the run resumes.
    ///
    /// # Errors
    /// [`OutputError::Format`] if it has other columns or a step has no row, or an error of the operating system.
    pub fn kept(folder: impl AsRef<Path>, step: u64) -> Result<KeptRows, OutputError> {
        let path = folder.as_ref().join(STEPS_CSV);
        KeptRows::read(&path, &column_names(), step, |last, next| {
            last.checked_add(1) == Some(next)
        })
    }

    /// Resumes after the rows that are `kept`; removes later ones.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub fn resume(kept: KeptRows) -> Result<Self, OutputError> {
        kept.open().map(Self)
    }

    /// Appends the row of one step.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system, for example for a full disk.
    pub fn row(&mut self, report: &StepReport) -> Result<(), OutputError> {
        let row = columns(report).into_iter();
        self.0.append([row.map(|(_, number)| number.text())])
    }
}
