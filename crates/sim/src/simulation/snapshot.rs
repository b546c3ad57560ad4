//! Snapshots: a simulation saved in memory, to continue from later, bit for bit.

use super::{AnyStepper, Simulation};
use crate::{
    error::{SimError, StepError, StepFailure, control::ControlError},
    model::{Load, PointMotion},
    scene::RigidMotion,
    state::State,
    stepper::Constrained,
};
use std::collections::BTreeMap;

/// A simulation at one instant: its state, and all changes by a program.
///
/// It does not hold controllers, observers or the contact method.
#[derive(Debug, Clone)]
pub struct Snapshot {
    fingerprint: u64,
    state: State,
    given: Vec<Load>,
    motions: Vec<RigidMotion>,
    motion_of_point: Vec<PointMotion>,
    frictions: BTreeMap<[usize; 2], f64>,
}

impl Snapshot {
    /// Its state.
    pub fn state(&self) -> &State {
        &self.state
    }
}

impl Simulation {
    /// Saves the simulation in memory.
    pub fn save(&self) -> Snapshot {
        Snapshot {
            fingerprint: self.fingerprint,
            state: self.state.clone(),
            given: self.model.loads.all_given().to_vec(),
            motions: self.model.unknowns.motions.clone(),
            motion_of_point: self.model.unknowns.motion_of_point.clone(),
            frictions: self.model.geometry.frictions.clone(),
        }
    }

    /// Returns to a snapshot of this simulation, or of another one of the same scene. The following steps equal those
    /// after the snapshot was taken, bit for bit.
    ///
    /// # Errors
    /// [`ControlError::NotRestorable`] for a snapshot of another scene, and for a stepper that keeps more than the
    /// state between steps: the asynchronous one, and extensions that say so. [`SimError`] if the stepper cannot be set
    /// up.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SimError> {
        let refused = |problem: &str| {
            Err(ControlError::NotRestorable {
                problem: problem.to_owned(),
            }
            .into())
        };
        let fits = snapshot.fingerprint == self.fingerprint
            && snapshot.state.positions.len() == self.state.positions.len()
            && snapshot.given.len() == self.model.loads.all_given().len()
            && snapshot.state.rigid.len() == self.state.rigid.len();
        if !fits {
            return refused("it is of another scene; use a simulation of the same scene");
        }
        if !self.is_resumable() {
            return refused(
                "the stepper keeps more than the state between steps; use the synchronous stepper, or run again from \
                 the start",
            );
        }
        self.model.loads.set_all_given(&snapshot.given);
        self.model.unknowns.motions.clone_from(&snapshot.motions);
        self.model.move_points(snapshot.motion_of_point.clone());
        (self.model.geometry.frictions).clone_from(&snapshot.frictions);
        self.state.clone_from(&snapshot.state);
        self.rebuild()
    }

    /// Replaces the stepper by a new one that continues from the present state.
    fn rebuild(&mut self) -> Result<(), SimError> {
        match &mut self.stepper {
            AnyStepper::Constrained(stepper) => {
                **stepper = Constrained::new(&self.model, &self.state)?;
            }
            AnyStepper::Synchronous(_) => self.renew(false)?,
            AnyStepper::Asynchronous(_) | AnyStepper::Extension(_) => {}
        }
        self.heed(&self.interrupt.clone());
        Ok(())
    }

    /// The same after a failed step with the number `step`.
    pub(super) fn restart(&mut self, step: u64) -> Result<(), StepError> {
        self.rebuild().map_err(|error| StepError {
            step: step + 1,
            time: self.state.time,
            shortest: self.model.settings.time_step,
            failure: StepFailure::Release {
                problem: error.to_string(),
            },
            unsolved: None,
        })
    }
}
