//! Changes between steps: forces, prescribed motions and friction.

use super::{AnyStepper, Simulation};
use crate::{
    error::control::ControlError,
    measure::body::{BodyView, Pose},
    model::PointMotion,
    scene::{MotionLeg, RigidMotion},
};
use nalgebra::Vector3;

/// The part that a prescribed motion moves: a rigid body or an obstacle, or nodes of a deformable body.
struct Driven {
    name: String,
    /// A solid as a whole, whose pose is that of its own frame.
    solid: Option<usize>,
    points: Vec<usize>,
    /// Centre of the motion, if it stands still so far (m).
    center: Vector3<f64>,
}

impl Simulation {
    /// Sets the force on a body for all following steps (N), in addition to gravity, contacts and forces of the scene.
    ///
    /// On a rigid body it acts at the centre of mass; on a deformable one it is spread over the free nodes by their
    /// mass. Zero removes it.
    ///
    /// # Errors
    /// [`ControlError`] for an unknown name, a prescribed body, an obstacle, a number that is not finite, or a stepper
    /// other than the synchronous one.
    pub fn set_force(&mut self, body: &str, force: [f64; 3]) -> Result<(), ControlError> {
        let index = self.loadable(body, "force")?;
        check_finite(&force, "force (N)", body)?;
        self.model.loads.given_mut(index).force = force.into();
        Ok(())
    }

    /// Sets the torque on a body about its centre of mass for all following steps (N·m), in world axes.
    ///
    /// On a deformable body it acts as forces `m α × r` on the free nodes at the arms `r` from their centre of mass.
    ///
    /// # Errors
    /// As [`set_force`](Self::set_force).
    pub fn set_torque(&mut self, body: &str, torque: [f64; 3]) -> Result<(), ControlError> {
        let index = self.loadable(body, "torque")?;
        check_finite(&torque, "torque (N·m)", body)?;
        self.model.loads.given_mut(index).torque = torque.into();
        Ok(())
    }

    /// Sets the velocity (m/s) of the centre of a prescribed motion from now on; its angular velocity stays. Later
    /// velocities of the scene do not apply.
    ///
    /// `name` is a rigid body with a `motion`, an obstacle with a mesh, or `BODY/NAME` for nodes that an entry of
    /// `fixed` holds; without a name of its own, the first entry is `BODY/held 1`. The centre is that of the scene's
    /// `motion`; where that stands still, the `position` of the body.
    ///
    /// # Errors
    /// [`ControlError`] for an unknown name, something without a prescribed motion, a number that is not finite, or the
    /// asynchronous stepper.
    pub fn set_velocity(&mut self, name: &str, velocity: [f64; 3]) -> Result<(), ControlError> {
        let driven = self.driven(name)?;
        check_finite(&velocity, "velocity (m/s)", name)?;
        let time = self.state.time;
        let motion = self.own_motion(&driven);
        let (_, turning) = motion.velocities_at(time);
        motion.redirect(time, velocity.into(), turning);
        Ok(())
    }

    /// Sets the angular velocity (rad/s) of a prescribed motion about its centre from now on; the velocity of the
    /// centre stays. Otherwise as [`set_velocity`](Self::set_velocity).
    ///
    /// # Errors
    /// As [`set_velocity`](Self::set_velocity).
    pub fn set_angular_velocity(
        &mut self,
        name: &str,
        angular_velocity: [f64; 3],
    ) -> Result<(), ControlError> {
        let driven = self.driven(name)?;
        check_finite(&angular_velocity, "angular velocity (rad/s)", name)?;
        let time = self.state.time;
        let motion = self.own_motion(&driven);
        let (velocity, _) = motion.velocities_at(time);
        motion.redirect(time, velocity, angular_velocity.into());
        Ok(())
    }

    /// Makes the point at `place` (m) the centre of a prescribed motion from now on: the point whose velocity
    /// [`set_velocity`](Self::set_velocity) sets, and about which the rest turns.
    ///
    /// # Errors
    /// As [`set_velocity`](Self::set_velocity).
    pub fn set_center(&mut self, name: &str, place: [f64; 3]) -> Result<(), ControlError> {
        let driven = self.driven(name)?;
        check_finite(&place, "centre (m)", name)?;
        let time = self.state.time;
        self.own_motion(&driven).recenter(time, place.into());
        Ok(())
    }

    /// Makes a prescribed rigid body or obstacle reach `pose` at the end of the next step, by constant velocities, and
    /// stand still from then on. Bodies in its way are pushed; where none can give way, the step is an error.
    ///
    /// # Errors
    /// As [`set_velocity`](Self::set_velocity); also for held nodes of a deformable body, which have no pose.
    pub fn set_pose(&mut self, name: &str, pose: Pose) -> Result<(), ControlError> {
        let driven = self.driven(name)?;
        check_finite(&pose.position.into(), "position (m)", name)?;
        let turn = pose.orientation.coords;
        if !turn.iter().all(|x| x.is_finite()) {
            return Err(not_finite("orientation", name, turn[0]));
        }
        let Some(solid) = driven.solid else {
            return Err(ControlError::Refused {
                body: name.to_owned(),
                problem: "are nodes of a deformable body, which have no pose".to_owned(),
                mend: "use set_velocity and set_angular_velocity".to_owned(),
            });
        };
        let origin = self.model.geometry.solid(solid).origin;
        let (time, step) = (self.state.time, self.model.settings.time_step);
        let end = (self.state.step + 1) as f64 * step;
        let duration = end - time;
        let motion = self.own_motion(&driven);
        let turned = pose.orientation * origin.rotation.inverse();
        let arm = origin.position - motion.center;
        let shift = pose.position - turned * arm - motion.center;
        let velocity = (shift - motion.shift_at(time)) / duration;
        let turn = turned * motion.turn_at(time).unwrap_or_default().inverse();
        motion.redirect(time, velocity, turn.scaled_axis() / duration);
        motion.then.push(MotionLeg {
            at: end,
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
        });
        Ok(())
    }

    /// Sets the Coulomb friction coefficient `μ` between two bodies, obstacles or half-spaces, in the place of the
    /// geometric mean of their own. It also holds for their present contacts, from the next step on. The same name
    /// twice means contacts of a body with itself.
    ///
    /// # Errors
    /// [`ControlError`] for an unknown name, or a coefficient that is negative or not finite.
    pub fn set_friction(
        &mut self,
        first: &str,
        second: &str,
        coefficient: f64,
    ) -> Result<(), ControlError> {
        let (a, b) = (self.solid(first)?, self.solid(second)?);
        if matches!(self.stepper, AnyStepper::Asynchronous(_)) {
            return Err(ControlError::Stepper {
                stepper: "asynchronous",
                change: "a change of friction",
            });
        }
        if !(coefficient.is_finite() && coefficient >= 0.0) {
            return Err(ControlError::Value {
                quantity: "friction coefficient (1)",
                of: format!("`{first}` and `{second}`"),
                value: coefficient,
                range: "0 or more",
            });
        }
        (self.model.geometry.frictions).insert([a.min(b), a.max(b)], coefficient);
        for contact in &mut self.state.contacts {
            contact.friction = self.model.geometry.friction_of(contact.key);
        }
        Ok(())
    }

    /// Number of a body that forces can move.
    fn loadable(&self, name: &str, what: &'static str) -> Result<usize, ControlError> {
        let stepper = match &self.stepper {
            AnyStepper::Asynchronous(_) => Some("asynchronous"),
            AnyStepper::Constrained(_) => Some("constrained"),
            AnyStepper::Synchronous(_) | AnyStepper::Extension(_) => None,
        };
        let index = self.solid(name)?;
        if let Some(stepper) = stepper {
            return Err(ControlError::Stepper {
                stepper,
                change: "forces that change",
            });
        }
        if index >= self.model.geometry.bodies.len() {
            return Err(ControlError::Refused {
                body: name.to_owned(),
                problem: format!("is an obstacle, which no {what} moves"),
                mend: "use set_velocity or set_pose, or make it a body".to_owned(),
            });
        }
        let view = BodyView::new(&self.model, &self.state, index);
        if view.is_some_and(|view| view.is_prescribed()) {
            return Err(ControlError::Refused {
                body: name.to_owned(),
                problem: format!("has a prescribed motion, which no {what} changes"),
                mend: "use set_velocity or set_pose, or leave `motion` or `fixed` out of the scene"
                    .to_owned(),
            });
        }
        Ok(index)
    }

    /// The part that the prescribed motion of that name moves.
    fn driven(&self, name: &str) -> Result<Driven, ControlError> {
        if matches!(self.stepper, AnyStepper::Asynchronous(_)) {
            return Err(ControlError::Stepper {
                stepper: "asynchronous",
                change: "a change of prescribed motions",
            });
        }
        let is_prescribed =
            |point: usize| self.model.unknowns.motion_of_point[point].is_prescribed();
        let refused = |problem: &str, mend: &str| {
            Err(ControlError::Refused {
                body: name.to_owned(),
                problem: problem.to_owned(),
                mend: mend.to_owned(),
            })
        };
        if let Some(held) = self.model.held.iter().find(|held| held.name == name) {
            let points: Vec<usize> = held.points.iter().map(|&point| point as usize).collect();
            return match points.first() {
                None => refused(
                    "hold no node: earlier entries of `fixed` hold them",
                    "name those",
                ),
                Some(&first) if is_prescribed(first) => Ok(Driven {
                    name: name.to_owned(),
                    solid: None,
                    points,
                    center: self.model.geometry.solid(held.body).origin.position,
                }),
                Some(_) => refused(
                    "are released",
                    "leave `until` out of the scene, or set a force",
                ),
            };
        }
        let index = match self.solid(name) {
            Err(ControlError::Unknown { name, .. }) if name.contains('/') => {
                return Err(ControlError::Unknown {
                    what: "set of held nodes",
                    name,
                    known: self
                        .model
                        .held
                        .iter()
                        .map(|held| held.name.clone())
                        .collect(),
                });
            }
            found => found?,
        };
        let geometry = &self.model.geometry;
        if index >= geometry.solid_count() {
            return refused(
                "is a half-space, which cannot move",
                "use a `cuboid` obstacle",
            );
        }
        let solid = geometry.solid(index);
        if !solid.is_rigid() {
            return refused(
                "deforms, so it has no prescribed motion as a whole",
                &format!("hold nodes by `fixed` in the scene, and name `{name}/held 1`"),
            );
        }
        if !is_prescribed(solid.points.start) {
            return refused(
                "is moved by forces",
                "use set_force and set_torque, or give it a `motion` in the scene",
            );
        }
        Ok(Driven {
            name: name.to_owned(),
            solid: Some(index),
            points: solid.points.clone().collect(),
            center: solid.origin.position,
        })
    }

    /// The motion of `driven`, which nothing else shares from now on.
    fn own_motion(&mut self, driven: &Driven) -> &mut RigidMotion {
        let unknowns = &mut self.model.unknowns;
        let PointMotion::Prescribed(present) = unknowns.motion_of_point[driven.points[0]] else {
            unreachable!("`{}` was found to be prescribed", driven.name);
        };
        let shared = PointMotion::Prescribed(present);
        let sharing = unknowns
            .motion_of_point
            .iter()
            .filter(|of| **of == shared)
            .count();
        let mut index = present as usize;
        if sharing > driven.points.len() {
            let copy = unknowns.motions[index].clone();
            index = unknowns.motions.len();
            unknowns.motions.push(copy);
            for &point in &driven.points {
                unknowns.motion_of_point[point] = PointMotion::Prescribed(index as u32);
            }
        }
        let motion = &mut unknowns.motions[index];
        if motion.is_rest() {
            // The centre of a motion at rest has no meaning.
            motion.center = driven.center;
        }
        motion
    }
}

fn check_finite(values: &[f64; 3], quantity: &'static str, of: &str) -> Result<(), ControlError> {
    match values.iter().find(|value| !value.is_finite()) {
        None => Ok(()),
        Some(&value) => Err(not_finite(quantity, of, value)),
    }
}

fn not_finite(quantity: &'static str, of: &str, value: f64) -> ControlError {
    ControlError::Value {
        quantity,
        of: format!("`{of}`"),
        value,
        range: "finite",
    }
}
