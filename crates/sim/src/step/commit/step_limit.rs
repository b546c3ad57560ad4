//! Whether a step is certainly stable without geometric stiffness.

use crate::{model::Model, rigid::RigidState, state::State};
use impinge_contact::constraint::{
    BodyBlocks, Definiteness, Evaluation, Frame, GeometricStiffness, Placement,
};
use nalgebra::Matrix3;

/// A step that may be too long for the forces of constraints.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StepLimit {
    /// The constraint among the model's rows that limits the step most.
    constraint: usize,
    /// Longest step that is certainly stable (s).
    longest: f64,
}

/// Stiffness of forces in the motion of one block.
#[derive(Debug, Clone, Copy, Default)]
struct Pull {
    /// `Σ_j ‖K̃_ij‖` over all constraints (N/m).
    sum: f64,
    /// The constraint with the largest share (N/m).
    largest: (f64, usize),
}

impl Pull {
    fn add(&mut self, stiffness: f64, constraint: usize) {
        self.sum += stiffness;
        if stiffness > self.largest.0 {
            self.largest = (stiffness, constraint);
        }
    }
}

impl StepLimit {
    /// Whether steps of `model` need to be judged.
    pub(crate) fn applies(model: &Model) -> bool {
        model.constraints.geometric_stiffness == GeometricStiffness::None
            && !model.constraints.rows.is_empty()
    }

    /// The limit under the forces of `state`; `None` if the step of `model` is certainly short enough.
    ///
    /// Without `K̃` a force keeps its direction during a step. Motions across it then oscillate as by symplectic Euler,
    /// which is stable up to `h ω = 2`. By Gershgorin's theorem `ω²` is at most the largest `Σ_j ‖K̃_ij‖/m_i`, so
    /// `h² Σ_j ‖K̃_ij‖ ≤ 4 m_i` suffices: for a chain of particles `h² T ≤ m l` (Tournier et al. 2015, Table 1).
    /// Rotations count as velocities at the radius of gyration, without the joint that ties them to the centre of
    /// mass: for long arms the limit is far too short. Forces that push have no restoring part and limit no step.
    pub(crate) fn of(model: &Model, state: &State) -> Option<Self> {
        let frequencies = pulls(model, state)
            .into_iter()
            .enumerate()
            .map(|(block, pull)| (pull.sum / mass(model, block), pull.largest.1));
        let (fastest, constraint) = frequencies.max_by(|a, b| a.0.total_cmp(&b.0))?;
        let longest = 2.0 / fastest.sqrt();
        (longest < model.settings.time_step).then_some(Self {
            constraint,
            longest,
        })
    }

    /// The message to the user about the step that ended at `time` (s).
    pub(crate) fn message(&self, model: &Model, time: f64) -> String {
        format!(
            "without geometric stiffness, steps of {:.3e} s may be too long: at {time:.3} s, only steps up to {:.3e} s \
             are certainly stable, mostly because of the force of {}; longer ones are taken nevertheless\n  mend: \
             shorten time.step, or write solver.joint_stiffness = \"projected\"",
            model.settings.time_step, self.longest, model.constraints.rows[self.constraint].name
        )
    }
}

/// The restoring stiffness of the forces of `state` in the motion of every block.
fn pulls(model: &Model, state: &State) -> Vec<Pull> {
    let frames: Vec<Frame> = state.rigid.iter().map(RigidState::frame).collect();
    let bodies: Vec<Option<BodyBlocks>> = (model.rigid.iter().zip(&state.rigid))
        .map(|(body, at)| {
            let turn = at.pose.orientation.to_rotation_matrix().into_inner();
            Some(BodyBlocks {
                first: body.first_block,
                axes: turn * body.inertia.unit_axes(),
            })
        })
        .collect();
    let placement = Placement::new(
        (&state.positions, &model.unknowns.block_of_point),
        (&frames, &bodies),
    );
    let mut pulls = vec![Pull::default(); model.blocks()];
    let mut evaluation = Evaluation::default();
    let mut first = 0;
    for (index, constraint) in model.constraints.rows.iter().enumerate() {
        let rows = first..first + constraint.rows();
        first = rows.end;
        let Some(lambda) = state.joint_forces.get(rows) else {
            continue;
        };
        evaluation.rows(constraint, &placement);
        evaluation.stiffness(constraint, &placement, lambda, Definiteness::Negative);
        let count = evaluation.blocks.len();
        for (place, &block) in evaluation.blocks.iter().enumerate() {
            let row = &evaluation.stiffness[place * count..][..count];
            pulls[block as usize].add(row.iter().map(norm).sum(), index);
        }
        for arm in &evaluation.turning {
            if let Some(of) = bodies[arm.body] {
                let stiffness = of.axes.tr_mul(&(arm.stiffness() * of.axes));
                pulls[of.first as usize + 1].add(norm(&stiffness), index);
            }
        }
    }
    pulls
}

/// Mass of a block (kg). Rotations of a rigid body have that of the body, as velocities at the radius of gyration.
fn mass(model: &Model, block: usize) -> f64 {
    let points = &model.unknowns.point_of_block;
    if let Some(&point) = points.get(block) {
        model.points.mass[point as usize]
    } else {
        model.rigid[(block - points.len()) / 2].inertia.mass()
    }
}

/// Spectral norm; 0 for a matrix that is not finite.
fn norm(matrix: &Matrix3<f64>) -> f64 {
    let square = matrix.tr_mul(matrix);
    if square.iter().all(|entry| entry.is_finite()) {
        square.symmetric_eigenvalues().max().max(0.0).sqrt()
    } else {
        0.0
    }
}
