//! Velocities and multipliers: warm start and result of a method.

use crate::ContactProblem;
use nalgebra::Vector3;

/// State of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ContactState {
    /// Separated: no force.
    #[default]
    Inactive,
    /// Contact with slip: friction is on the right-hand side.
    Sliding,
    /// Contact without slip: friction is an unknown.
    Sticking,
}

/// Forces and state of one contact. Forces act on the first side (the one the normal points to).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Multipliers {
    /// Inactive, sliding or sticking.
    pub state: ContactState,
    /// `λ`: normal force (N).
    pub lambda: f64,
    /// `γ`: friction force while sticking (N).
    pub gamma: [f64; 2],
    /// `γ'`: friction force while sliding (N).
    pub sliding_force: [f64; 2],
    /// `δ`: unit estimate of the slip direction; zero if unknown.
    pub slip_direction: [f64; 2],
    /// `max(λ, 0)` at the previous evaluation (N), the older half of the moving average `λ'`.
    pub previous_lambda: f64,
}

impl Multipliers {
    /// The friction force `F = γ + γ'` (N).
    pub fn friction_force(&self) -> [f64; 2] {
        [
            self.gamma[0] + self.sliding_force[0],
            self.gamma[1] + self.sliding_force[1],
        ]
    }

    /// Normal and friction force `(λ, F₁, F₂)` in the axes of the contact's rows (N).
    pub fn force(&self) -> Vector3<f64> {
        let [f1, f2] = self.friction_force();
        Vector3::new(self.lambda, f1, f2)
    }

    /// The unknowns `(λ, γ₁, γ₂)` (N).
    pub(crate) fn solved_force(&self) -> Vector3<f64> {
        Vector3::new(self.lambda, self.gamma[0], self.gamma[1])
    }

    /// [`force`](Self::force) without a normal force that pulls (N).
    pub(crate) fn pressing_force(&self) -> Vector3<f64> {
        let [f1, f2] = self.friction_force();
        Vector3::new(self.lambda.max(0.0), f1, f2)
    }

    /// Adds `factor` times `change` to `(λ, γ)`.
    pub(crate) fn add_scaled(&mut self, factor: f64, change: Vector3<f64>) {
        self.lambda += factor * change[0];
        self.gamma[0] += factor * change[1];
        self.gamma[1] += factor * change[2];
    }

    /// A new contact: active, without force. Slides along `slip` (m) if it exceeds `slip_tolerance` (m), else sticks;
    /// without friction it always slides.
    pub fn fresh(slip: [f64; 2], friction: f64, slip_tolerance: f64) -> Self {
        let force = Vector3::zeros();
        if friction == 0.0 {
            Self::sliding(&force, [0.0; 2])
        } else if slip[0].hypot(slip[1]) > slip_tolerance {
            Self::sliding(&force, direction(slip))
        } else {
            Self::sticking(&force)
        }
    }

    /// A contact that sticks under the force `(λ, F₁, F₂)` (N).
    pub(crate) fn sticking(force: &Vector3<f64>) -> Self {
        Self {
            state: ContactState::Sticking,
            lambda: force.x,
            gamma: [force.y, force.z],
            previous_lambda: force.x.max(0.0),
            ..Self::default()
        }
    }

    /// A contact that slides along `slip_direction` under the force `(λ, F₁, F₂)` (N).
    pub(crate) fn sliding(force: &Vector3<f64>, slip_direction: [f64; 2]) -> Self {
        Self {
            state: ContactState::Sliding,
            lambda: force.x,
            sliding_force: [force.y, force.z],
            slip_direction,
            previous_lambda: force.x.max(0.0),
            ..Self::default()
        }
    }

    /// A contact that slides against the friction force in `(λ, F₁, F₂)` (N).
    pub(crate) fn sliding_against(force: &Vector3<f64>) -> Self {
        Self::sliding(force, direction([-force.y, -force.z]))
    }
}

/// The unit vector along `of`; zero if `of` is.
pub(crate) fn direction(of: [f64; 2]) -> [f64; 2] {
    let length = of[0].hypot(of[1]);
    if length > 0.0 {
        of.map(|x| x / length)
    } else {
        [0.0; 2]
    }
}

/// Warm start and result of a contact method.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactSolution {
    /// `v`: end-of-step velocity, 3 per block (m/s; rad/s in rotation blocks).
    pub velocity: Vec<f64>,
    /// One entry per contact.
    pub contacts: Vec<Multipliers>,
    /// `λ` of every constraint row.
    pub constraints: Vec<f64>,
}

impl ContactSolution {
    /// No velocity, every contact inactive.
    pub fn at_rest(problem: &ContactProblem) -> Self {
        Self {
            velocity: vec![0.0; problem.unknowns()],
            contacts: vec![Multipliers::default(); problem.contacts()],
            constraints: vec![0.0; problem.constraints.len()],
        }
    }

    /// Puts its velocities and contacts, those of `blocks` and `contacts`, into the solution of the whole.
    pub(crate) fn store_in(&self, blocks: &[u32], contacts: &[u32], whole: &mut Self) {
        for (v, &block) in self.velocity.chunks_exact(3).zip(blocks) {
            whole.velocity[3 * block as usize..][..3].copy_from_slice(v);
        }
        for (multipliers, &contact) in self.contacts.iter().zip(contacts) {
            whole.contacts[contact as usize] = *multipliers;
        }
    }
}
