//! Stiffness at rest of bodies whose strains are constraints in stiffness form.

use crate::model::Model;
use impinge_contact::constraint::{
    Condenser, Evaluation, GeometricStiffness, Placement, StiffnessSum,
};
use impinge_krylov::block::SymmetricBlockMatrix;

/// Adds `Δt² K + Δt C` of these bodies at rest to `A`: meshless and plastic solids, and sheets of quadrilaterals.
pub(crate) fn add_strains_at_rest(
    model: &Model,
    time_step: f64,
    matrix: &mut SymmetricBlockMatrix,
) {
    let at_rest = Placement::new(
        (&model.points.rest, &model.unknowns.block_of_point),
        (&[], &[]),
    );
    let mode = GeometricStiffness::Projected;
    let (mut evaluation, mut condenser) = (Evaluation::default(), Condenser::default());
    // Of particles alone: nothing is left to be projected.
    let mut sum = StiffnessSum::default();
    // No force acts at rest.
    let rhs = &mut vec![0.0; matrix.len()][..];
    for strain in &model.constraints.soft[model.constraints.soft_links..] {
        evaluation.rows(strain, &at_rest);
        if !condenser.prepare(strain, &evaluation) {
            continue;
        }
        condenser.scatter(&evaluation, time_step, matrix, rhs);
        // In principal stretches, the resistance to shear is geometric stiffness.
        if mode.evaluate(strain, &mut evaluation, &at_rest, &condenser.lambda) {
            sum.scatter(strain, &evaluation, time_step, matrix);
        }
    }
}
