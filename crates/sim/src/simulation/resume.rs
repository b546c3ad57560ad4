//! Resuming from the state of another simulation of the same scene, after checks that it fits.

use super::{AnyStepper, Simulation, check_start};
use crate::{
    contacts::contact::{Contact, ContactKey},
    error::SimError,
    flight::second_order::is_of_second_order,
    state::State,
    stepper::{Constrained, Synchronous},
};

impl Simulation {
    /// Resumes from `state` of another simulation of the same scene. The following steps equal those of that simulation
    /// bit for bit.
    ///
    /// # Errors
    /// [`SimError::NotResumable`] if `state` is of another scene, if this simulation has already taken steps, or for
    /// the asynchronous stepper, whose clocks are not in the state. The simulation is then unchanged.
    pub fn resume(&mut self, state: State) -> Result<(), SimError> {
        self.check_resumable(&state)
            .map_err(|problem| SimError::NotResumable { problem })?;
        match &mut self.stepper {
            AnyStepper::Constrained(stepper) => **stepper = Constrained::new(&self.model, &state)?,
            AnyStepper::Synchronous(stepper) => {
                let mut renewed = Synchronous::extended(&self.model, stepper.extensions())?;
                if stepper.keeps_balance() {
                    renewed.keep_balance(&self.model);
                }
                **stepper = renewed;
            }
            AnyStepper::Asynchronous(_) | AnyStepper::Extension(_) => {}
        }
        self.state = state;
        self.heed(&self.interrupt.clone());
        Ok(())
    }

    /// Checks that the simulation can resume from `state`; the error is the reason.
    fn check_resumable(&self, state: &State) -> Result<(), String> {
        if !self.is_resumable() {
            return Err(
                "the asynchronous stepper cannot be resumed, because checkpoints do not hold its event times; run the \
                 scene without --resume"
                    .to_owned(),
            );
        }
        if self.state.step > 0 {
            // Nodes released in its own steps would stay released.
            return Err("the simulation has already advanced; create a new one".to_owned());
        }
        self.check_sizes(state)?;
        self.check_history(state)?;
        if !state.is_finite() {
            return Err(
                "it holds numbers that are not finite; run the scene from its start".to_owned(),
            );
        }
        if !state.contacts.iter().all(|contact| self.knows(contact)) {
            return Err(
                "contacts of the stored state refer to points that the scene does not have; use the scene of the run"
                    .to_owned(),
            );
        }
        if !self.fits_rigid_bodies(state) {
            return Err(
                "its rigid bodies are not where their points are; run the scene from its start"
                    .to_owned(),
            );
        }
        if !matches!(self.stepper, AnyStepper::Constrained(_))
            && let Err(overlap) = check_start(&self.model, &state.positions)
        {
            return Err(format!("bodies of the stored state intersect: {overlap}"));
        }
        Ok(())
    }

    /// Checks that `state` is as large as that of this scene; the error is the reason.
    fn check_sizes(&self, state: &State) -> Result<(), String> {
        let sizes = [
            (
                "positions",
                state.positions.len(),
                self.state.positions.len(),
            ),
            (
                "velocities",
                state.velocities.len(),
                self.state.velocities.len(),
            ),
            (
                "accelerations",
                state.accelerations.len(),
                self.state.accelerations.len(),
            ),
            ("rigid bodies", state.rigid.len(), self.state.rigid.len()),
            (
                "forces of joints",
                state.joint_forces.len(),
                self.joint_forces(state.step),
            ),
            (
                "plastic strains",
                state.plastic_strains.len(),
                self.state.plastic_strains.len(),
            ),
        ];
        for (what, found, expected) in sizes {
            if found != expected {
                return Err(format!(
                    "the stored state has {found} {what}, the scene {expected}; use the scene of the run"
                ));
            }
        }
        Ok(())
    }

    /// Checks that `state` keeps of its last step what this scene needs; the error is the reason.
    fn check_history(&self, state: &State) -> Result<(), String> {
        let history = &state.history;
        let [points, rigid] = if history.is_empty() {
            [0; 2]
        } else {
            [state.velocities.len(), state.rigid.len()]
        };
        let fits = (history.leads.len(), history.means.len()) == (points, points)
            && history.rigid.len() == rigid
            && (history.is_empty() || is_of_second_order(&self.model));
        if !fits {
            return Err(
                "its data of the last step are those of another scene or integrator; use the scene of the run"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Number of joint rows with forces in a state of the stepper after so many steps.
    fn joint_forces(&self, steps: u64) -> usize {
        match &self.stepper {
            AnyStepper::Constrained(stepper) if steps > 0 => stepper.rows(),
            _ => self.state.joint_forces.len(),
        }
    }

    /// Whether the points and features of `contact` exist in the model.
    fn knows(&self, contact: &Contact) -> bool {
        let surface = &self.model.geometry.surface;
        let (points, edges) = (self.model.points.rest.len(), surface.edges().len());
        let all_below =
            |indices: &[u32], bound: usize| indices.iter().all(|&i| (i as usize) < bound);
        let features = match contact.key {
            ContactKey::VertexFace { vertex, face } => {
                all_below(&[vertex], points) && all_below(&[face], surface.triangles().len())
            }
            ContactKey::EdgeEdge { first, second } => all_below(&[first, second], edges),
            ContactKey::VertexEdge { vertex, edge } => {
                all_below(&[vertex], points) && all_below(&[edge], edges)
            }
            ContactKey::VertexVertex { first, second } => all_below(&[first, second], points),
            ContactKey::VertexHalfSpace { vertex, half_space } => {
                all_below(&[vertex], points)
                    && all_below(&[half_space], self.model.geometry.half_spaces.len())
            }
        };
        features
            && usize::from(contact.point_count) <= contact.points.len()
            && all_below(contact.stencil(), points)
    }

    /// Whether the points of rigid bodies match their poses in `state`.
    fn fits_rigid_bodies(&self, state: &State) -> bool {
        let (mut positions, mut velocities) = (state.positions.clone(), state.velocities.clone());
        for (rigid, at) in self.model.rigid.iter().zip(&state.rigid) {
            rigid.write_points(at, &mut positions, &mut velocities);
        }
        positions == state.positions && velocities == state.velocities
    }
}
