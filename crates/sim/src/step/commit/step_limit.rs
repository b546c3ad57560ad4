//! The step that is certainly stable without geometric stiffness.

use crate::{model::Model, rigid::RigidState, state::State};
use impinge_contact::constraint::{
    BodyBlocks, Definiteness, Evaluation, Frame, GeometricStiffness, Placement,
};
use nalgebra::Matrix3;

/// A step that may be too long for the force of a constraint.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StepLimit {
    /// The constraint among the model's rows that limits the step most.
    constraint: usize,
    /// Longest step that is certainly stable (s).
    longest: f64,
}

/// Stiffness of forces in the movement of one block.
#[derive(Debug, Clone, Copy)]
struct Pull {
    /// `Σ K̃`, negative where forces restore (N/m).
    sum: Matrix3<f64>,
    /// The constraint with the largest part (N/m).
    largest: (f64, usize),
}

impl StepLimit {
    /// Whether steps of `model` need to be judged.
    pub(crate) fn applies(model: &Model) -> bool {
        model.constraints.geometric_stiffness == GeometricStiffness::None
            && !model.constraints.rows.is_empty()
    }

    /// The limit under the forces of `state`; `None` if the step of `model` is certainly short enough.
    ///
    /// Without `K̃` a force keeps its direction during a step. A mass `m` beside constraints whose forces have the
    /// stiffness `K̃` then oscillates as by symplectic Euler, which is stable up to `h ω = 2`. Two neighbours that move
    /// against each other have at most `ω² = 2 ‖K̃‖/m`, so `h² ‖K̃‖ ≤ 2 m` suffices: for a chain of particles
    /// `h² T ≤ m l` (Tournier et al. 2015, Table 1). Only points and centres of mass are judged. The rotation of a body
    /// is tied to its centre by the constraint itself; where it is unstable, steps gain energy and are counted.
    pub(crate) fn of(model: &Model, state: &State) -> Option<Self> {
        let pulls = pulls(model, state);
        let ratio = |block: usize| restoring(pulls[block].sum) / mass(model, block);
        let worst = (0..pulls.len()).max_by(|&a, &b| ratio(a).total_cmp(&ratio(b)))?;
        let longest = (2.0 / ratio(worst)).sqrt();
        (longest < model.settings.time_step).then(|| Self {
            constraint: pulls[worst].largest.1,
            longest,
        })
    }

    /// The message to the user, at the time (s) of the first such step.
    pub(crate) fn message(&self, model: &Model, time: f64) -> String {
        format!(
            "without geometric stiffness, steps of {:.3e} s may be too long for {} from {time:.3} s on: under its \
             force only steps up to {:.3e} s are certainly stable; longer ones are taken nevertheless\n  mend: \
             shorten time.step, or write solver.joint_stiffness = \"projected\"",
            model.settings.time_step, model.constraints.rows[self.constraint].name, self.longest
        )
    }
}

/// The stiffness of the forces of `state` in the movement of every point and of every centre of mass.
fn pulls(model: &Model, state: &State) -> Vec<Pull> {
    let frames: Vec<Frame> = state.rigid.iter().map(RigidState::frame).collect();
    let bodies: Vec<Option<BodyBlocks>> = (model.rigid.iter())
        .map(|body| {
            Some(BodyBlocks {
                first: body.first_block,
                axes: Matrix3::identity(),
            })
        })
        .collect();
    let placement = Placement::new(
        (&state.positions, &model.unknowns.block_of_point),
        (&frames, &bodies),
    );
    let none = Pull {
        sum: Matrix3::zeros(),
        largest: (0.0, 0),
    };
    let mut pulls = vec![none; model.blocks()];
    let mut evaluation = Evaluation::default();
    let mut first = 0;
    for (index, constraint) in model.constraints.rows.iter().enumerate() {
        let rows = first..first + constraint.rows();
        first = rows.end;
        let Some(lambda) = state.joint_forces.get(rows) else {
            continue;
        };
        evaluation.rows(constraint, &placement);
        evaluation.stiffness(constraint, &placement, lambda, Definiteness::Exact);
        let count = evaluation.blocks.len();
        for (place, &block) in evaluation.blocks.iter().enumerate() {
            let part = evaluation.stiffness[place * count + place];
            let pull = &mut pulls[block as usize];
            pull.sum += part;
            if part.norm() > pull.largest.0 {
                pull.largest = (part.norm(), index);
            }
        }
    }
    pulls
}

/// Mass that the movement of a block has (kg); infinite for rotations, which are not judged.
fn mass(model: &Model, block: usize) -> f64 {
    if let Some(&point) = model.unknowns.point_of_block.get(block) {
        return model.points.mass[point as usize];
    }
    let of_bodies = block - model.unknowns.point_of_block.len();
    if of_bodies.is_multiple_of(2) {
        model.rigid[of_bodies / 2].inertia.mass()
    } else {
        f64::INFINITY
    }
}

/// Largest restoring stiffness of a sum of `K̃` (N/m), at least 0.
fn restoring(stiffness: Matrix3<f64>) -> f64 {
    if stiffness.iter().all(|entry| entry.is_finite()) {
        (-stiffness.symmetric_eigenvalues().min()).max(0.0)
    } else {
        0.0
    }
}
