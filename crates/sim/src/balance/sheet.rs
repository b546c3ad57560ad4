//! The balance sheet of a step, as a report holds it; `output/energies.rs` writes its rows.

use serde::Serialize;

/// Energies of one body at the end of a step, the causes of the change of their sum in it, and the same of momentum.
///
/// The sum of `kinetic`, `gravity` and `elastic` grows by the sum of the others. Losses are negative. `docs/balance.md`
/// has the formulas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct BodyBalance {
    /// Kinetic energy (J).
    pub kinetic: f64,
    /// Potential energy of gravity, 0 at the origin (J).
    pub gravity: f64,
    /// Elastic energy (J).
    pub elastic: f64,
    /// Work of nodal forces (J).
    pub pulls: f64,
    /// Work of forces of extensions (J).
    pub forces: f64,
    /// Work of the forces that move points with a prescribed motion, or that change lengths and limits of joints (J).
    pub prescribed: f64,
    /// Work of joints on the body (J).
    pub joints: f64,
    /// Work of normal contact forces (J).
    pub contact: f64,
    /// Work of friction (J).
    pub friction: f64,
    /// Loss by the change of velocity that contact impulses make (J).
    pub impact: f64,
    /// Work of damping (J).
    pub damping: f64,
    /// Change of the elastic energy by plastic flow (J).
    pub plastic: f64,
    /// Work of the momentum residual that the solve leaves (J).
    pub residual: f64,
    /// Numerical dissipation (J): of the integrator, and of elastic forces that are linear in a step.
    pub numerical: f64,
    /// Closing error (J): the change of the energies minus the sum of their causes.
    pub closing: f64,
    /// Momentum at the end of the step (N·s).
    pub momentum: [f64; 3],
    /// Impulse of gravity and nodal forces (N·s).
    pub given_impulse: [f64; 3],
    /// Impulse of contacts (N·s).
    pub contact_impulse: [f64; 3],
    /// Impulse of joints, of forces that hold points, of damping and of extensions, with the residual (N·s).
    pub other_impulse: [f64; 3],
}

impl BodyBalance {
    /// Sum of kinetic, gravitational and elastic energy (J).
    pub fn stored(&self) -> f64 {
        self.kinetic + self.gravity + self.elastic
    }

    /// The causes of their change with their names, in the order of the table (J); the closing error is the last.
    pub fn causes(&self) -> [(&'static str, f64); 12] {
        [
            ("pulls", self.pulls),
            ("forces", self.forces),
            ("prescribed", self.prescribed),
            ("joints", self.joints),
            ("contact", self.contact),
            ("friction", self.friction),
            ("impact", self.impact),
            ("damping", self.damping),
            ("plastic", self.plastic),
            ("residual", self.residual),
            ("numerical", self.numerical),
            ("closing", self.closing),
        ]
    }

    /// The largest absolute value of an energy or a cause (J).
    pub fn largest(&self) -> f64 {
        let stored = [self.kinetic, self.gravity, self.elastic];
        let causes = self.causes().map(|(_, cause)| cause);
        stored
            .iter()
            .chain(&causes)
            .fold(0.0, |most, x| most.max(x.abs()))
    }

    /// Work from outside (J): of nodal forces, forces of extensions, prescribed motions, and changes of joints.
    pub fn outside_work(&self) -> f64 {
        self.pulls + self.forces + self.prescribed
    }
}

/// The balance sheet of a step.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StepBalance {
    /// One for each body and mesh obstacle, in the order of [`Manifest::bodies`](crate::output::Manifest::bodies), then
    /// one for all joints, if there are any.
    pub bodies: Vec<BodyBalance>,
}

impl StepBalance {
    /// Sums over all bodies and joints.
    pub fn total(&self) -> BodyBalance {
        let mut total = BodyBalance::default();
        for body in &self.bodies {
            total.add(body);
        }
        total
    }
}

impl BodyBalance {
    /// Adds another balance.
    pub(crate) fn add(&mut self, other: &Self) {
        let Self {
            kinetic,
            gravity,
            elastic,
            pulls,
            forces,
            prescribed,
            joints,
            contact,
            friction,
            impact,
            damping,
            plastic,
            residual,
            numerical,
            closing,
            momentum,
            given_impulse,
            contact_impulse,
            other_impulse,
        } = other;
        for (sum, value) in [
            (&mut self.kinetic, kinetic),
            (&mut self.gravity, gravity),
            (&mut self.elastic, elastic),
            (&mut self.pulls, pulls),
            (&mut self.forces, forces),
            (&mut self.prescribed, prescribed),
            (&mut self.joints, joints),
            (&mut self.contact, contact),
            (&mut self.friction, friction),
            (&mut self.impact, impact),
            (&mut self.damping, damping),
            (&mut self.plastic, plastic),
            (&mut self.residual, residual),
            (&mut self.numerical, numerical),
            (&mut self.closing, closing),
        ] {
            *sum += value;
        }
        for (sums, values) in [
            (&mut self.momentum, momentum),
            (&mut self.given_impulse, given_impulse),
            (&mut self.contact_impulse, contact_impulse),
            (&mut self.other_impulse, other_impulse),
        ] {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += value;
            }
        }
    }
}
