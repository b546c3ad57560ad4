//! Chooses the points that BDF2 or implicit Euler moves, and stores the history of BDF2.

use super::{Synchronous, moved_by_euler::MovedByEuler};
use crate::{
    contacts::contact::Contact,
    flight::second_order::{StepVelocities, is_of_second_order},
    history::History,
    model::{Model, PointMotion},
    rigid::RigidState,
    state::State,
    step::{assemble::rigid::RigidChange, context::StepContext},
};
use impinge_contact::constraint::Term;
use nalgebra::Vector3;

impl Synchronous {
    /// `κ` of the free rigid bodies at the start of an attempt; empty with implicit Euler. Points of contacts move by
    /// implicit Euler from the start.
    pub(super) fn ratios_of_rigid(&mut self, context: StepContext<'_>) -> Vec<f64> {
        let StepContext { model, state, .. } = context;
        if !self.flight.is_second_order() {
            return Vec::new();
        }
        let ratio = self.flight.largest_ratio();
        let mut ratios: Vec<f64> = (0..model.rigid.len())
            .map(|index| {
                if self.flight.is_constrained(model, index) {
                    0.0
                } else {
                    ratio
                }
            })
            .collect();
        for &point in self.contacts.as_slice().iter().flat_map(Contact::stencil) {
            match model.unknowns.motion_of_point[point as usize] {
                PointMotion::Free(block) => {
                    self.flight.move_by_euler(model, state, block as usize);
                }
                PointMotion::Rigid(index) => ratios[index as usize] = 0.0,
                PointMotion::Prescribed(_) => {}
            }
        }
        ratios
    }

    /// Lets the points and rigid bodies of all contacts move by implicit Euler, in the assembled equations.
    pub(super) fn move_contacts_by_euler(&mut self, context: StepContext<'_>) {
        if !self.flight.is_second_order() {
            return;
        }
        let model = context.model;
        for index in 0..self.contacts.as_slice().len() {
            let contact = &self.contacts.as_slice()[index];
            let (points, count) = (contact.points, usize::from(contact.point_count));
            for point in &points[..count] {
                match model.unknowns.motion_of_point[*point as usize] {
                    PointMotion::Free(block) => self.move_node_by_euler(context, block as usize),
                    PointMotion::Rigid(index) => self.move_rigid_by_euler(context, index as usize),
                    PointMotion::Prescribed(_) => {}
                }
            }
        }
    }

    fn move_node_by_euler(&mut self, context: StepContext<'_>, block: usize) {
        let (flight, problem) = (&mut self.flight, &mut self.problem);
        let before = (self.iterate).move_by_euler(context, flight, block, problem);
        (self.moved_by_euler).extend(before.map(|ratio| MovedByEuler::Node { block, ratio }));
    }

    fn move_rigid_by_euler(&mut self, context: StepContext<'_>, index: usize) {
        let before = (self.rigid).move_by_euler(context, index, &mut self.problem);
        (self.moved_by_euler).extend(before.map(|start| MovedByEuler::Rigid { index, start }));
    }

    /// Puts the nodes and rigid bodies that moved by implicit Euler back to second order, and returns them.
    ///
    /// Equations are assembled as at the start of the attempt and changed for these afterwards. Assembling them again,
    /// for other bodies, then gives the same bits.
    pub(super) fn move_back(&mut self, context: StepContext<'_>) -> Vec<MovedByEuler> {
        let StepContext { model, state, .. } = context;
        let moved = std::mem::take(&mut self.moved_by_euler);
        for one in &moved {
            match one {
                MovedByEuler::Node { block, ratio } => {
                    self.flight.set_ratio(model, state, *block, *ratio);
                }
                MovedByEuler::Rigid { index, start } => self.rigid.move_back(*index, start),
            }
        }
        moved
    }

    /// Lets them move by implicit Euler again, in the equations that were assembled meanwhile. A failed assembly needs
    /// no such call, because the next attempt plans the flight of all bodies anew.
    pub(super) fn move_again(&mut self, context: StepContext<'_>, moved: &[MovedByEuler]) {
        for one in moved {
            match *one {
                MovedByEuler::Node { block, .. } => self.move_node_by_euler(context, block),
                MovedByEuler::Rigid { index, .. } => self.move_rigid_by_euler(context, index),
            }
        }
    }

    /// What the next step needs to know of the points, before the attempt becomes the new `state`; nothing with
    /// implicit Euler.
    pub(super) fn history_of_points(
        &self,
        model: &Model,
        state: &State,
        time_step: f64,
    ) -> Option<History> {
        if !is_of_second_order(model) {
            return None;
        }
        let mut means = self.known_velocity.clone();
        let mut velocities = means.clone();
        let solved = self.solution.velocity.chunks_exact(3);
        for (mean, &point) in solved.zip(&model.unknowns.point_of_block) {
            let point = point as usize;
            means[point] = Vector3::from_column_slice(mean);
            velocities[point] = self.flight.end_of(point, &means[point]);
        }
        let touched = (state.history.is_empty()).then(|| self.touched(model).0);
        let step = StepVelocities {
            end: &velocities,
            means: &means,
            time_step,
        };
        Some((self.flight).leave(model, state, step, touched.as_deref()))
    }

    /// Adds the rigid bodies to the history of points, and gives it to the new `state`; `start` is the state of rigid
    /// bodies at the start of the step.
    pub(super) fn leave_history(
        &self,
        model: &Model,
        state: &mut State,
        start: &[RigidState],
        mut history: History,
    ) {
        let touched = (state.history.is_empty()).then(|| self.touched(model).1);
        let step = RigidChange {
            start,
            end: &state.rigid,
        };
        let solved = &self.solution.velocity;
        history.rigid = (self.rigid).leave(model, step, solved, touched.as_deref());
        state.history = history;
    }

    /// The points and the free rigid bodies that contacts touch, and what constraints connect these to.
    fn touched(&self, model: &Model) -> (Vec<bool>, Vec<bool>) {
        let mut points = vec![false; model.points.rest.len()];
        let mut rigid = vec![false; model.rigid.len()];
        let mut solids = vec![false; model.geometry.solid_count()];
        for &point in (self.contacts.as_slice().iter()).flat_map(Contact::stencil) {
            solids[model.geometry.solid_of_point(point)] = true;
        }
        let constraints = model.constraints.rows.iter().chain(&model.constraints.soft);
        let links: Vec<Vec<usize>> = constraints
            .map(|one| {
                let terms = one.points().iter().flat_map(|point| &point.terms);
                let mut solids: Vec<usize> = terms
                    .map(|term| match *term {
                        Term::Particle { index, .. } => model.geometry.solid_of_point(index as u32),
                        Term::Body { index, .. } => model.rigid[index].body,
                    })
                    .collect();
                solids.dedup();
                solids
            })
            .filter(|solids| solids.len() > 1)
            .collect();
        let mut spreads = true;
        while spreads {
            spreads = false;
            for link in &links {
                let some = link.iter().any(|&solid| solids[solid]);
                let all = link.iter().all(|&solid| solids[solid]);
                if some && !all {
                    for &solid in link {
                        solids[solid] = true;
                    }
                    spreads = true;
                }
            }
        }
        for (point, touched) in points.iter_mut().enumerate() {
            *touched = solids[model.geometry.solid_of_point(point as u32)];
        }
        for (body, touched) in model.rigid.iter().zip(&mut rigid) {
            *touched = solids[body.body];
        }
        (points, rigid)
    }
}
