//! Redundant rigid rows, found before the first step; inconsistent ones are rejected.

use super::super::{ConstrainedError, ConstrainedSystem};
use super::ConstrainedStepper;
use impinge_contact::constraint::redundancy::{DependentRow, dependent_rows};

/// Inconsistency of rigid rows (m, or rad) that counts as rounding of a scene file.
const SLOPPY: f64 = 1e-6;

impl ConstrainedStepper {
    /// Lists redundant rigid rows, and rejects inconsistent ones, unless there are too many to look.
    pub(super) fn find_dependent(
        &mut self,
        system: &ConstrainedSystem,
    ) -> Result<(), ConstrainedError> {
        self.start(system, 1.0);
        self.forces.clone_from(&system.forces);
        self.assemble(system, 1.0);
        let Some(mut dependent) = dependent_rows(&self.problem.constraints) else {
            return Ok(());
        };
        // One group per constraint in compliance form.
        let of_group: Vec<usize> = (0..system.constraints.len())
            .filter(|&index| !self.condensed[index])
            .collect();
        for row in &mut dependent {
            row.group = of_group[row.group];
        }
        let misfit = dependent
            .iter()
            .fold(0.0, |most: f64, row| most.max(row.misfit.abs()));
        if misfit > SLOPPY {
            let wrong = dependent.iter().filter(|row| row.misfit.abs() > SLOPPY);
            let name = |row: &DependentRow| {
                let constraint = &system.constraints[row.group];
                format!("{} ({})", row.group, constraint.name)
            };
            let mut names: Vec<String> = wrong.map(name).collect();
            names.dedup();
            return Err(ConstrainedError::Contradiction {
                names: names.join(", "),
                misfit,
            });
        }
        self.dependent = Some(dependent);
        Ok(())
    }
}
