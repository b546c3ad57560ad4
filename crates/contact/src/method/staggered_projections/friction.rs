//! The friction projection: maximum dissipation within bounds from the fixed normal forces.

use super::half::{Goal, Half, Proposal, ProposalView};
use super::kkt::Kkt;
use super::system::Row;
use crate::method::masked_rows::{ACROSS, RowMask};
use crate::{ContactProblem, ContactSolution, ContactState, FrictionLaw, Multipliers};
use nalgebra::Vector3;

/// Friction state of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Grip {
    /// No normal force, or no friction.
    #[default]
    Off,
    /// No slip.
    Stick,
    /// Cone: the largest force, opposite to the slip, whose direction is solved for.
    Slide,
    /// Pyramid: each component is free (0) or at its bound (−1, +1), and at least one is at its bound.
    Bound([i8; 2]),
}

impl Grip {
    /// The state with these bounds of its components.
    fn of(sides: [i8; 2]) -> Self {
        if sides == [0; 2] {
            Self::Stick
        } else {
            Self::Bound(sides)
        }
    }

    /// The bounds of its components.
    fn sides(self) -> [i8; 2] {
        match self {
            Self::Bound(sides) => sides,
            Self::Off | Self::Stick | Self::Slide => [0; 2],
        }
    }
}

/// States and bounds of the projection.
#[derive(Debug, Default)]
pub(super) struct FrictionHalf {
    law: FrictionLaw,
    grip: Vec<Grip>,
    /// `μ max(λ, 0)` (N).
    radius: Vec<f64>,
}

impl FrictionHalf {
    /// Sets the states of a warm start.
    pub(super) fn start(&mut self, law: FrictionLaw, solution: &ContactSolution) {
        self.law = law;
        self.grip.clear();
        self.grip
            .extend(solution.contacts.iter().map(|m| match m.state {
                ContactState::Inactive => Grip::Off,
                ContactState::Sliding if law == FrictionLaw::Cone => Grip::Slide,
                ContactState::Sliding | ContactState::Sticking => Grip::Stick,
            }));
        self.radius.clear();
        self.radius.resize(solution.contacts.len(), 0.0);
    }

    pub(super) fn grip(&self, contact: usize) -> Grip {
        self.grip[contact]
    }

    /// Computes the bounds from the normal forces, and limits the forces to them.
    pub(super) fn bound(
        &mut self,
        problem: &ContactProblem,
        solution: &mut ContactSolution,
        kkt: &mut Kkt,
        goal: &Goal<'_>,
    ) {
        for (contact, multipliers) in solution.contacts.iter_mut().enumerate() {
            let tolerance = goal.displacement(problem, contact);
            let radius = problem.friction(contact) * multipliers.lambda.max(0.0);
            self.radius[contact] = radius;
            let force = multipliers.gamma;
            let size = force[0].hypot(force[1]);
            let excess = kkt.system.tangential_compliance(contact) * (size - radius);
            let (grip, bounded) = if radius == 0.0 {
                (Grip::Off, [0.0; 2])
            } else {
                match (self.grip[contact], self.law) {
                    (Grip::Slide, _) if size > 0.0 => (Grip::Slide, scaled(force, radius / size)),
                    (Grip::Stick, FrictionLaw::Cone) if excess > tolerance => {
                        (Grip::Slide, scaled(force, radius / size))
                    }
                    (Grip::Off | Grip::Slide, _) => (Grip::Stick, force),
                    (grip, FrictionLaw::Cone) => (grip, force),
                    (grip, FrictionLaw::Pyramid) => boxed(grip, force, radius),
                }
            };
            self.grip[contact] = grip;
            let change = Vector3::new(0.0, bounded[0] - force[0], bounded[1] - force[1]);
            if change != Vector3::zeros() {
                kkt.add_force(problem, contact, &change);
                multipliers.gamma = bounded;
            }
        }
    }

    fn propose_in_cone(
        &self,
        contact: usize,
        multipliers: &Multipliers,
        view: &ProposalView,
    ) -> Option<Proposal<Grip>> {
        let radius = self.radius[contact];
        let force = multipliers.gamma;
        let slip = [view.displacement[1], view.displacement[2]];
        let (size, slipped) = (force[0].hypot(force[1]), slip[0].hypot(slip[1]));
        let along = force[0] * slip[0] + force[1] * slip[1];
        let with = |state, [x, y]: [f64; 2], worth| Proposal {
            state,
            force: Vector3::new(multipliers.lambda, x, y),
            worth,
        };
        let excess = view.tangential_compliance * (size - radius);
        match self.grip[contact] {
            Grip::Stick if excess > view.tolerance && along <= size * view.noise => {
                Some(with(Grip::Slide, scaled(force, radius / size), excess))
            }
            Grip::Slide if along > 0.0 && slipped > view.tolerance => {
                Some(with(Grip::Stick, force, slipped))
            }
            Grip::Slide if excess.abs() > view.tolerance && size > 0.0 => Some(with(
                Grip::Slide,
                scaled(force, radius / size),
                excess.abs(),
            )),
            _ => None,
        }
    }

    fn propose_in_pyramid(
        &self,
        contact: usize,
        multipliers: &Multipliers,
        view: &ProposalView,
    ) -> Option<Proposal<Grip>> {
        let radius = self.radius[contact];
        if self.grip[contact] == Grip::Off {
            return None;
        }
        let mut sides = self.grip[contact].sides();
        let mut force = multipliers.gamma;
        let mut worth: f64 = 0.0;
        for axis in 0..2 {
            let slip = view.displacement[1 + axis];
            let excess = view.tangential_compliance * (force[axis].abs() - radius);
            let side = f64::from(sides[axis]);
            if sides[axis] == 0 {
                if excess > view.tolerance && slip * force[axis].signum() <= view.noise {
                    sides[axis] = if force[axis] > 0.0 { 1 } else { -1 };
                    force[axis] = radius.copysign(force[axis]);
                    worth = worth.max(excess);
                }
            } else if side * slip > view.tolerance {
                sides[axis] = 0;
                worth = worth.max(slip.abs());
            }
        }
        (worth > 0.0).then(|| Proposal {
            state: Grip::of(sides),
            force: Vector3::new(multipliers.lambda, force[0], force[1]),
            worth,
        })
    }
}

impl Half for FrictionHalf {
    type State = Grip;

    fn row(&self, contact: usize, multipliers: &Multipliers, moved: &Vector3<f64>) -> Row {
        let [x, y] = multipliers.gamma;
        let (tangential, softness) = match self.grip[contact] {
            Grip::Off => ([0.0; 3], 0.0),
            Grip::Stick => ([1.0, 0.0, 1.0], 0.0),
            Grip::Bound([first, second]) => {
                let free = |side: i8| if side == 0 { 1.0 } else { 0.0 };
                ([free(first), 0.0, free(second)], 0.0)
            }
            Grip::Slide => {
                let size = x.hypot(y);
                let (x, y) = (x / size, y / size);
                let slipped = -(moved[1] * x + moved[2] * y);
                (
                    [y * y, -x * y, x * x],
                    (slipped.max(0.0) / size).max(f64::MIN_POSITIVE),
                )
            }
        };
        Row {
            mask: RowMask {
                normal: 0.0,
                tangential,
            },
            softness,
        }
    }

    fn propose(
        &self,
        contact: usize,
        multipliers: &Multipliers,
        view: &ProposalView,
    ) -> Option<Proposal<Grip>> {
        match self.law {
            FrictionLaw::Cone => self.propose_in_cone(contact, multipliers, view),
            FrictionLaw::Pyramid => self.propose_in_pyramid(contact, multipliers, view),
        }
    }

    fn set(&mut self, contact: usize, state: Grip) {
        self.grip[contact] = state;
    }

    fn share(&self, contact: usize) -> f64 {
        if self.grip[contact] == Grip::Slide {
            ACROSS
        } else {
            1.0
        }
    }
}

fn scaled(force: [f64; 2], factor: f64) -> [f64; 2] {
    [force[0] * factor, force[1] * factor]
}

/// Moves bounded components to their bounds; free components beyond them become bounded.
fn boxed(grip: Grip, force: [f64; 2], radius: f64) -> (Grip, [f64; 2]) {
    let mut sides = grip.sides();
    let mut bounded = force;
    for axis in 0..2 {
        if sides[axis] == 0 && force[axis].abs() > radius {
            sides[axis] = if force[axis] > 0.0 { 1 } else { -1 };
        }
        if sides[axis] != 0 {
            bounded[axis] = radius * f64::from(sides[axis]);
        }
    }
    (Grip::of(sides), bounded)
}
