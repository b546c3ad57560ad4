//! Rigid bodies within a step: their part of the momentum system, their rows and their motion.
//!
//! # The motion that is proven collision-free
//! At the end of a step a rigid body has the pose `x + Δt u`, `exp(Δt ω) R`, with its exact shape. In between, its
//! surface points move straight from start to end, like all other points. Continuous collision detection proves this
//! motion free of collisions, frames store it and `verify` checks it. Along the chords the body is the image of its
//! shape under the linear maps `(1 − t) I + t exp(Δt ω)`. For a rotation by `θ` in one step their determinant is at
//! least `cos²(θ/2)`. So below half a turn the body neither folds nor intersects itself; halfway it is only narrower
//! across the axis, by a factor `cos(θ/2)`. [`LARGEST_TURN`] limits this to 3 %; steps with larger rotations are
//! subdivided.
//!
//! # Exact rows
//! `u + ω × ρ`, with the arm `ρ` at the start of the step, is the derivative of the motion. The end of the arc differs
//! from it by about `½ (Δt ‖ω‖)² ‖ρ‖`. This remainder is evaluated at the last solved velocity, divided by `Δt` and
//! added to the known velocities of the points, like the motion of prescribed points. So the gaps of the solver are
//! those of the pose, once the velocities of consecutive solves have converged.

use crate::balance::UnknownsStart;
use crate::flight::second_order::lead;
use crate::history::RigidHistory;
use crate::rigid::{RigidBody, RigidState};
use crate::{error::StepFailure, model::Model, state::State};
use impinge_contact::constraint::Frame;
use impinge_contact::{ContactProblem, ContactSolution};
use impinge_fem::RigidPose;
use nalgebra::{Matrix3, Vector3};

use crate::contacts::contact::Contact;
use crate::model::PointMotion;
use crate::step::context::StepContext;

/// Largest rotation of a body in one substep, and of an obstacle in one trajectory piece (rad): halfway the body is 3 %
/// narrower. Larger rotations subdivide the step.
pub(crate) const LARGEST_TURN: f64 = 0.5;

/// The start of a rigid body in a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RigidStart {
    /// `κ`.
    ratio: f64,
    /// Its momentum over its mass, and `Bᵀ L` over its mass (m/s).
    velocities: [Vector3<f64>; 2],
}

/// Scratch for one rigid body.
#[derive(Debug, Clone)]
struct Stepping {
    /// `B` halfway through the step: `ω = B w` (1/m).
    axes: Matrix3<f64>,
    /// `κ`, and the momentum that the body starts from over its mass (m/s), and `Bᵀ L` over it (m/s).
    ratio: f64,
    starts: [Vector3<f64>; 2],
    /// `I_w` there (kg·m²).
    inertia: Matrix3<f64>,
    end: RigidPose,
    /// Change of the known remainder of its points in the last solve (m).
    remainder_change: f64,
}

impl Stepping {
    /// `(1 + κ)²`.
    fn inertia_factor(&self) -> f64 {
        (1.0 + self.ratio).powi(2)
    }

    /// `I_w B w`, the mean angular momentum for solved unknowns (N·m·s).
    fn mean_angular_momentum(&self, solved: &Vector3<f64>) -> Vector3<f64> {
        // `L = I_w B w = m B⁻ᵀ w`, and `m B⁻ᵀ = I_w B` because `Bᵀ I_w B = m I`.
        self.inertia * (self.axes * solved)
    }
}

/// Momentum over the mass (m/s) and angular momentum (N·m·s) that a step with `κ` starts from.
fn starts(at: &RigidState, history: Option<&RigidHistory>, ratio: f64) -> [Vector3<f64>; 2] {
    let own = [at.velocity, at.angular_momentum];
    let Some(RigidHistory { leads, means }) = history else {
        return own;
    };
    [0, 1].map(|i| own[i] + leads[i] + (own[i] + means[i] * (1.0 + ratio)) * ratio)
}

/// The states of the free rigid bodies at both ends of a step.
#[derive(Clone, Copy)]
pub(crate) struct RigidChange<'a> {
    pub(crate) start: &'a [RigidState],
    pub(crate) end: &'a [RigidState],
}

/// Scratch of all rigid bodies.
#[derive(Debug, Default)]
pub(crate) struct RigidStep {
    bodies: Vec<Stepping>,
}

impl RigidStep {
    /// Adds the rigid bodies to the momentum system.
    pub(crate) fn add(&self, context: StepContext<'_>, problem: &mut ContactProblem) {
        let model = context.model;
        for (index, (rigid, stepping)) in model.rigid.iter().zip(&self.bodies).enumerate() {
            let mass = rigid.inertia.mass();
            let [linear, angular] = blocks(rigid.first_block);
            let inertia = mass * stepping.inertia_factor();
            for block in [linear, angular] {
                *problem.momentum.diagonal_block_mut(block) = Matrix3::identity() * inertia;
            }
            let [start, spin_impulse] = &stepping.starts;
            let mut impulse = (start + model.settings.gravity * context.time_step) * mass;
            let load = model.loads.of_rigid(index);
            if !load.is_zero() {
                impulse += load.force * context.time_step;
            }
            put(&mut problem.rhs, linear, &impulse);
            put(&mut problem.rhs, angular, spin_impulse);
        }
    }

    /// Places the axes of the rigid bodies, and starts their unknowns from the motion without contact.
    ///
    /// The angular block is `Bᵀ I_w B = m I` with the axes at the midpoint of the free turn, and its right-hand side
    /// `Bᵀ L` for the angular momentum `L`: without contact the solve then gives the mean angular velocity of the
    /// implicit midpoint rule ([`RigidInertia::free_spin`](impinge_fem::RigidInertia::free_spin)), with contact the
    /// change of angular momentum is the moment of the contact impulses, exactly. `ratios` are the `κ` of the bodies in
    /// a step of second order ([`second_order`]).
    ///
    /// [`second_order`]: crate::flight::second_order
    ///
    /// # Errors
    /// [`StepFailure::TurnsTooFar`] if a body would turn too far.
    pub(crate) fn start(
        &mut self,
        context: StepContext<'_>,
        ratios: &[f64],
        velocity: &mut [f64],
        motion: &mut PointMotions<'_>,
    ) -> Result<(), StepFailure> {
        let StepContext { model, state, .. } = context;
        let time_step = context.time_step;
        self.bodies.clear();
        for (index, (rigid, at)) in model.rigid.iter().zip(&state.rigid).enumerate() {
            let mass = rigid.inertia.mass();
            let orientation = &at.pose.orientation;
            let spin = rigid
                .inertia
                .free_spin(orientation, &at.angular_momentum, time_step);
            let halfway = at.pose.advanced(&Vector3::zeros(), &spin, 0.5 * time_step);
            let halfway = halfway.orientation;
            let axes = halfway.to_rotation_matrix().into_inner() * rigid.inertia.unit_axes();

            let [linear, angular] = blocks(rigid.first_block);
            let ratio = ratios.get(index).copied().unwrap_or(0.0);
            let history = state.history.rigid.get(index);
            let starts = place(context, index, &axes, starts(at, history, ratio));
            let factor = (1.0 + ratio).powi(2);
            let start = if ratio > 0.0 {
                starts[0] / factor
            } else {
                at.velocity
            };
            put(velocity, linear, &start);
            put(velocity, angular, &(starts[1] / (mass * factor)));
            self.bodies.push(Stepping {
                axes,
                ratio,
                starts,
                inertia: rigid.inertia.world_inertia(&halfway),
                end: at.pose,
                remainder_change: 0.0,
            });
        }
        self.follow(context, velocity, motion)
    }

    /// Lets body `index` move by implicit Euler, also in the equations of the problem. Returns its former start, or
    /// `None` if it already moves so.
    pub(crate) fn move_by_euler(
        &mut self,
        context: StepContext<'_>,
        index: usize,
        problem: &mut ContactProblem,
    ) -> Option<RigidStart> {
        let StepContext { model, state, .. } = context;
        let stepping = &mut self.bodies[index];
        if stepping.ratio <= 0.0 {
            return None;
        }
        let (rigid, at) = (&model.rigid[index], &state.rigid[index]);
        let mass = rigid.inertia.mass();
        let surplus = mass * (stepping.inertia_factor() - 1.0);
        let starts = starts(at, state.history.rigid.get(index), 0.0);
        let starts = place(context, index, &stepping.axes, starts);
        let changes = [
            (starts[0] - stepping.starts[0]) * mass,
            starts[1] - stepping.starts[1],
        ];
        let before = RigidStart {
            ratio: stepping.ratio,
            velocities: stepping.starts,
        };
        stepping.ratio = 0.0;
        stepping.starts = starts;
        for (block, change) in blocks(rigid.first_block).into_iter().zip(changes) {
            *problem.momentum.diagonal_block_mut(block) -= Matrix3::identity() * surplus;
            let impulse = get(&problem.rhs, block) + change;
            put(&mut problem.rhs, block, &impulse);
        }
        Some(before)
    }

    /// Gives body `index` the start that [`move_by_euler`](Self::move_by_euler) returned, for the next equations.
    pub(crate) fn move_back(&mut self, index: usize, start: &RigidStart) {
        let stepping = &mut self.bodies[index];
        stepping.ratio = start.ratio;
        stepping.starts = start.velocities;
    }

    /// The starts of the unknowns of every body.
    pub(crate) fn all_starts(&self, model: &Model) -> Vec<UnknownsStart> {
        let of_body = |(stepping, rigid): (&Stepping, &RigidBody)| {
            let [start, spin] = stepping.starts;
            let mass = rigid.inertia.mass();
            UnknownsStart {
                inertia_factor: stepping.inertia_factor(),
                velocities: [start, spin / mass],
            }
        };
        self.bodies.iter().zip(&model.rigid).map(of_body).collect()
    }

    /// Poses and points at the end of the step from solved velocities, and the remainder of points that rows do not
    /// contain.
    ///
    /// # Errors
    /// [`StepFailure::TurnsTooFar`] if a body turns by more than [`LARGEST_TURN`].
    pub(crate) fn follow(
        &mut self,
        context: StepContext<'_>,
        velocity: &[f64],
        motion: &mut PointMotions<'_>,
    ) -> Result<(), StepFailure> {
        let StepContext { model, state, .. } = context;
        let time_step = context.time_step;
        for ((rigid, at), stepping) in model.rigid.iter().zip(&state.rigid).zip(&mut self.bodies) {
            let [linear, angular] = blocks(rigid.first_block);
            let u = get(velocity, linear);
            let spin = stepping.axes * get(velocity, angular);
            check_turn(spin.norm() * time_step, || {
                model.geometry.bodies[rigid.body].name.clone()
            })?;
            stepping.end = at.pose.advanced(&u, &spin, time_step);
            stepping.remainder_change = 0.0;
            for (point, arm) in rigid.points.clone().zip(&rigid.arms) {
                let start = state.positions[point];
                let end = stepping.end.place(arm);
                let linearised = u + spin.cross(&(start - at.pose.center));
                let remainder = (end - start) / time_step - linearised;
                let change = (remainder - motion.known_velocity[point]).norm() * time_step;
                stepping.remainder_change = stepping.remainder_change.max(change);
                motion.known_velocity[point] = remainder;
                motion.end[point] = end;
            }
        }
        Ok(())
    }

    /// `B` of every body, halfway through the free turn (1/m).
    pub(crate) fn all_axes(&self) -> Vec<Matrix3<f64>> {
        self.bodies.iter().map(|body| body.axes).collect()
    }

    /// `B` of body `index`, halfway through the free turn: `ω = B w` (1/m).
    pub(crate) fn axes(&self, index: usize) -> Matrix3<f64> {
        self.bodies[index].axes
    }

    /// Rows of body `index` on `w` for a point at `arm` (m), the centre of mass to the point at the start of the step.
    ///
    /// Its rows on `u` are the `rows` on the point's own velocity.
    pub(crate) fn angular_rows(
        &self,
        index: usize,
        rows: &Matrix3<f64>,
        arm: &Vector3<f64>,
    ) -> Matrix3<f64> {
        angular_rows(rows, arm, &self.bodies[index].axes)
    }

    /// Frames at the end of the step.
    pub(crate) fn end_frames(&self) -> impl Iterator<Item = Frame> {
        self.bodies.iter().map(|body| Frame {
            center: body.end.center,
            orientation: body.end.orientation,
        })
    }

    /// The contacts whose gaps or slips in the latest solve differ too much from those of its end poses.
    pub(crate) fn unsettled<'a>(
        &self,
        model: &Model,
        contacts: &'a [Contact],
        time_step: f64,
    ) -> impl Iterator<Item = &'a Contact> {
        let moved = |&point: &u32| match model.unknowns.motion_of_point[point as usize] {
            PointMotion::Rigid(rigid) => self.bodies[rigid as usize].remainder_change,
            _ => 0.0,
        };
        contacts.iter().filter(move |contact| {
            let moved = contact.stencil().iter().map(moved).fold(0.0, f64::max);
            let pair = model.geometry.scale_of(contact.key);
            moved > model.geometry.tolerances.remainder(pair, time_step)
        })
    }

    /// Work of the given loads of rigid bodies on the motion from `state` to the end of the step (J).
    pub(crate) fn work_of_loads(
        &self,
        model: &Model,
        state: &State,
        velocity: &[f64],
        time_step: f64,
    ) -> f64 {
        let of_body = |(index, at): (usize, &RigidState)| {
            let (load, stepping) = (model.loads.of_rigid(index), &self.bodies[index]);
            let [_, angular] = blocks(model.rigid[index].first_block);
            let turn = stepping.axes * get(velocity, angular) * time_step;
            load.force.dot(&(stepping.end.center - at.pose.center)) + load.torque.dot(&turn)
        };
        state.rigid.iter().enumerate().map(of_body).sum()
    }

    /// History of the bodies for the next step of second order, after [`accept`](Self::accept). `touched`, for a first
    /// step only, marks the bodies in contact; the momentum of the others is ahead by their acceleration.
    pub(crate) fn leave(
        &self,
        model: &Model,
        step: RigidChange<'_>,
        velocity: &[f64],
        touched: Option<&[bool]>,
    ) -> Vec<RigidHistory> {
        let ends = step.start.iter().zip(step.end);
        let bodies = model.rigid.iter().zip(ends).zip(&self.bodies);
        (bodies.enumerate())
            .map(|(index, ((rigid, (start, end)), stepping))| {
                let [linear, angular] = blocks(rigid.first_block);
                let changes = [
                    end.velocity - start.velocity,
                    end.angular_momentum - start.angular_momentum,
                ];
                let is_ahead =
                    stepping.ratio > 0.0 || touched.is_some_and(|touched| !touched[index]);
                RigidHistory {
                    leads: changes.map(|change| if is_ahead { lead(change) } else { change * 0.0 }),
                    means: [
                        get(velocity, linear),
                        stepping.mean_angular_momentum(&get(velocity, angular)),
                    ],
                }
            })
            .collect()
    }

    /// Sets the state of the rigid bodies and their points to the end of the step.
    pub(crate) fn accept(&self, model: &Model, state: &mut State, velocity: &[f64]) {
        let bodies = model.rigid.iter().zip(&mut state.rigid).zip(&self.bodies);
        for (index, ((rigid, at), stepping)) in bodies.enumerate() {
            let [linear, angular] = blocks(rigid.first_block);
            at.pose = stepping.end;
            at.velocity = get(velocity, linear);
            at.angular_momentum = stepping.mean_angular_momentum(&get(velocity, angular));
            if let (true, Some(history)) = (stepping.ratio > 0.0, state.history.rigid.get(index)) {
                at.velocity += (at.velocity - history.means[0]) * stepping.ratio;
                at.angular_momentum += (at.angular_momentum - history.means[1]) * stepping.ratio;
            }
            rigid.write_points(at, &mut state.positions, &mut state.velocities);
        }
    }
}

/// Adds the torque on body `index` to its start, and turns that into its axes.
fn place(
    context: StepContext<'_>,
    index: usize,
    axes: &Matrix3<f64>,
    [start, mut angular_momentum]: [Vector3<f64>; 2],
) -> [Vector3<f64>; 2] {
    let load = context.model.loads.of_rigid(index);
    if !load.is_zero() {
        angular_momentum += load.torque * context.time_step;
    }
    [start, axes.tr_mul(&angular_momentum)]
}

/// Values that the rigid bodies write for all points of the model.
pub(crate) struct PointMotions<'a> {
    /// Positions at the end of the step (m).
    pub(crate) end: &'a mut [Vector3<f64>],
    /// The part of the mean velocity that no unknown represents (m/s).
    pub(crate) known_velocity: &'a mut [Vector3<f64>],
}

/// Rejects rotations that would narrow a body too much along its chords.
pub(crate) fn check_turn(angle: f64, body: impl Fn() -> String) -> Result<(), StepFailure> {
    if angle <= LARGEST_TURN {
        Ok(())
    } else {
        Err(StepFailure::TurnsTooFar {
            body: body(),
            degrees: angle.to_degrees(),
        })
    }
}

/// Rows on `w` of a material point at `arm`, from the `rows` on its own velocity: `n · (ω × ρ) = (ρ × n) · B w`.
fn angular_rows(rows: &Matrix3<f64>, arm: &Vector3<f64>, axes: &Matrix3<f64>) -> Matrix3<f64> {
    -(rows * arm.cross_matrix()) * axes
}

/// Gives every rigid body that was `solved` the velocity that closes its momentum balance exactly, after methods that
/// leave those of deformable bodies open.
///
/// Its blocks are multiples of the identity, without coupling to others, so the remaining residual is rounding.
pub(crate) fn balance_rigid(
    model: &Model,
    problem: &ContactProblem,
    solution: &mut ContactSolution,
    solved: &[bool],
) {
    let Some(first) = model.rigid.first().map(|rigid| rigid.first_block as usize) else {
        return;
    };
    let of_solved: Vec<_> = (model.rigid.iter())
        .filter(|rigid| solved[rigid.body])
        .collect();
    for rigid in &of_solved {
        let own = 3 * rigid.first_block as usize..3 * (rigid.first_block as usize + 2);
        solution.velocity[own.clone()].copy_from_slice(&problem.rhs[own]);
    }
    for (contact, multipliers) in solution.contacts.iter().enumerate() {
        let force = multipliers.force();
        let (blocks, jacobians) = problem.row(contact);
        for (&block, jacobian) in blocks.iter().zip(jacobians) {
            if block as usize >= first && solved[model.body_of_block(block as usize)] {
                let impulse = get(&solution.velocity, block as usize) + jacobian.tr_mul(&force);
                put(&mut solution.velocity, block as usize, &impulse);
            }
        }
    }
    for rigid in of_solved {
        for block in blocks(rigid.first_block) {
            let impulse = get(&solution.velocity, block);
            let inertia = problem.momentum.diagonal_block(block)[(0, 0)];
            put(&mut solution.velocity, block, &(impulse / inertia));
        }
    }
}

fn blocks(first: u32) -> [usize; 2] {
    [first as usize, first as usize + 1]
}

fn get(values: &[f64], block: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&values[3 * block..][..3])
}

fn put(values: &mut [f64], block: usize, value: &Vector3<f64>) {
    values[3 * block..][..3].copy_from_slice(value.as_slice());
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;

    /// The rows of a rigid side are the derivative of the end of its material point, at rest: central differences, with
    /// a measured order of 2.
    #[test]
    fn rows_are_the_derivative_of_the_motion() {
        let arm = Vector3::new(0.3, -0.1, 0.2);
        let time_step = 0.1;
        // Three axes of different lengths, not aligned with the body.
        let axes = Matrix3::new(2.0, 0.3, 0.0, -0.4, 3.0, 0.1, 0.2, 0.0, 5.0);
        let pose = RigidPose {
            center: Vector3::new(1.0, 2.0, 3.0),
            orientation: UnitQuaternion::from_scaled_axis(Vector3::new(0.4, 1.0, -0.3)),
        };
        let (normal, t1, t2) = (
            Vector3::new(2.0, -1.0, 2.0) / 3.0,
            Vector3::new(2.0, 2.0, -1.0) / 3.0,
            Vector3::new(-1.0, 2.0, 2.0) / 3.0,
        );
        let frame =
            Matrix3::from_rows(&[normal.transpose(), t1.transpose(), t2.transpose()]) * time_step;
        let (linear, angular) = (
            frame,
            angular_rows(&frame, &(pose.orientation * arm), &axes),
        );
        let moved = |u: Vector3<f64>, w: Vector3<f64>| {
            let end = pose.advanced(&u, &(axes * w), time_step);
            frame * (end.place(&arm) - pose.place(&arm)) / time_step
        };
        let error = |h: f64| {
            let mut worst: f64 = 0.0;
            for axis in 0..3 {
                let by = Vector3::ith(axis, h);
                let zero = Vector3::zeros();
                let du = (moved(by, zero) - moved(-by, zero)) / (2.0 * h);
                let dw = (moved(zero, by) - moved(zero, -by)) / (2.0 * h);
                assert!((du - linear.column(axis)).amax() < 1e-9);
                worst = worst.max((dw - angular.column(axis)).amax());
            }
            worst
        };
        let [coarse, fine] = [error(1e-1), error(5e-2)];
        let order = (coarse / fine).log2();
        assert!(
            (order - 2.0).abs() < 0.05,
            "order {order}: {coarse:e}, {fine:e}"
        );
        assert!(error(1e-3) < 1e-6 * angular.amax());
    }

    /// Rows and remainder together are the exact motion, for any angular velocity.
    #[test]
    fn rows_and_remainder_give_the_exact_end() {
        let arm = Vector3::new(0.3, -0.1, 0.2);
        let pose = RigidPose {
            center: Vector3::new(1.0, 2.0, 3.0),
            orientation: UnitQuaternion::from_scaled_axis(Vector3::new(0.4, 1.0, -0.3)),
        };
        let (u, spin, time_step) = (
            Vector3::new(1.0, 2.0, 3.0),
            Vector3::new(4.0, -3.0, 2.0),
            0.05,
        );
        let rho = pose.orientation * arm;
        let (linear, unit) = (Matrix3::identity() * time_step, Matrix3::identity());
        let linearised = linear * u + angular_rows(&linear, &rho, &unit) * spin;
        let end = pose.advanced(&u, &spin, time_step).place(&arm) - pose.place(&arm);
        let bend = 0.5 * (time_step * spin.norm()).powi(2) * rho.norm();
        assert!((end - linearised).norm() <= bend);
        assert!(
            (end - linearised).norm() > 0.1 * bend,
            "the remainder is not nothing"
        );
    }
}
