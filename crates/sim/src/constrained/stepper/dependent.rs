//! Redundant rigid rows, found before the first step; inconsistent ones are rejected.

use super::super::{ConstrainedError, ConstrainedSystem};
use super::ConstrainedStepper;
use impinge_contact::constraint::GeometricStiffness;
use impinge_contact::constraint::redundancy::{DependentRow, dependent_rows};

/// Inconsistency of rigid rows (m, or rad) that counts as rounding of a scene file.
const SLOPPY: f64 = 1e-6;

impl ConstrainedStepper {
    /// Lists redundant rigid rows; rejects inconsistent ones.
    pub(super) fn find_dependent(
        &mut self,
        system: &ConstrainedSystem,
    ) -> Result<(), ConstrainedError> {
        self.start(system, 1.0);
        self.forces.clone_from(&system.forces);
        let mode = std::mem::replace(
            &mut self.settings.geometric_stiffness,
            GeometricStiffness::None,
        );
        self.assemble(system, 1.0);
        self.settings.geometric_stiffness = mode;
        let mut diagonal = vec![0.0; self.problem.unknowns()];
        self.problem.momentum.diagonal_into(&mut diagonal);
        let inverse: Vec<f64> = diagonal.iter().map(|d| d.recip()).collect();
        let rows = &self.problem.constraints;
        self.dependent = dependent_rows(rows, &inverse);
        // One group per constraint in compliance form.
        let of_group: Vec<usize> = (0..system.constraints.len())
            .filter(|&index| !self.condensed[index])
            .collect();
        for row in &mut self.dependent {
            row.group = of_group[row.group];
        }
        let misfit = self
            .dependent
            .iter()
            .fold(0.0, |most: f64, row| most.max(row.misfit.abs()));
        if misfit > SLOPPY {
            let wrong = self
                .dependent
                .iter()
                .filter(|row| row.misfit.abs() > SLOPPY);
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
        Ok(())
    }
}
