//! Clocks of the joints of a scene.

use super::unknowns::{Block, Blocks};
use crate::error::asynchronous::SystemError;
use crate::model::Model;
use crate::rigid::{RigidBody, RigidState};
use crate::state::State;
use crate::stepper::asynchronous::clock::nested_period;
use crate::stepper::asynchronous::system::{ClockedJoint, JointGroup};
use impinge_contact::constraint::redundancy::MOST_ROWS;
use impinge_contact::constraint::{Configuration, Constraint, Evaluation, Frame, Placement, Term};
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// The joints of a scene, with the longest periods that their own vibration admits.
pub(in super::super) struct JointClocks {
    /// Springs, with their periods (s).
    springs: Vec<(f64, ClockedJoint)>,
    /// Those without compliance that are connected.
    hard: Vec<Vec<ClockedJoint>>,
}

/// The step lengths that periods follow from.
#[derive(Clone, Copy)]
pub(in super::super) struct Steps {
    /// `h ω` of a spring, at most (1).
    pub(in super::super) force_step: f64,
    /// Longest period (s); the others are this one divided by powers of two.
    pub(in super::super) longest_period: f64,
}

impl JointClocks {
    /// The joints of `model` at `state`; points have these `masses` (kg), infinite where they are prescribed.
    ///
    /// # Errors
    /// [`SystemError::ManyRows`] for a body with more rows of joints without compliance than their equations can have.
    pub(in super::super) fn new(
        model: &Model,
        state: &State,
        masses: &[f64],
        steps: Steps,
    ) -> Result<Self, SystemError> {
        let constraints = &model.constraints;
        let all = constraints.rows.iter().chain(&constraints.soft);
        let mut joints: Vec<ClockedJoint> = all
            .enumerate()
            .map(|(index, constraint)| ClockedJoint {
                constraint: constraint.clone(),
                change: None,
                index,
            })
            .collect();
        for changing in &constraints.changing {
            joints[changing.index].change = Some(changing.change.clone());
        }
        let (hard, springs): (Vec<_>, Vec<_>) =
            (joints.into_iter()).partition(|joint| joint.constraint.is_hard());
        check_rows(&hard, masses)?;
        let vibrations = Vibrations::new(model, state, masses, &springs);
        let dated = springs.into_iter().map(|spring| {
            let square = vibrations.frequency_squared(&spring.constraint);
            let longest = steps.force_step / square.sqrt();
            (nested_period(steps.longest_period, longest), spring)
        });
        Ok(Self {
            springs: dated.collect(),
            hard: connected(hard, masses),
        })
    }

    /// The shortest period of a spring (s).
    pub(in super::super) fn shortest(&self) -> Option<f64> {
        let periods = self.springs.iter().map(|(period, _)| *period);
        periods.min_by(f64::total_cmp)
    }

    /// Lowers the shortest period of each point to that of its springs.
    pub(in super::super) fn note(&self, fastest: &mut [f64]) {
        for (period, spring) in &self.springs {
            for holder in holders(&spring.constraint) {
                if let Holder::Point(point) = holder {
                    fastest[point] = fastest[point].min(*period);
                }
            }
        }
    }

    /// The joints by clocks. No joint ticks more slowly than the fastest term at its points, of which `fastest` has the
    /// periods (s), or than the fastest spring at its bodies. Joints without compliance on common vertices or bodies
    /// share one clock, since each answers the impulses of the others.
    pub(in super::super) fn groups(self, fastest: &[f64], steps: Steps) -> Vec<JointGroup> {
        let mut of_springs = BTreeMap::new();
        let mut groups: Vec<JointGroup> = Vec::new();
        for (period, spring) in self.springs {
            let at_points = holders(&spring.constraint).map(|holder| match holder {
                Holder::Point(point) => fastest[point],
                Holder::Body(_) => f64::INFINITY,
            });
            let period = at_points.fold(period, f64::min);
            for holder in holders(&spring.constraint) {
                let known: &mut f64 = of_springs.entry(holder).or_insert(period);
                *known = known.min(period);
            }
            let known =
                (groups.iter_mut()).find(|group| group.period.to_bits() == period.to_bits());
            match known {
                Some(group) => group.joints.push(spring),
                None => groups.push(JointGroup {
                    period,
                    joints: vec![spring],
                }),
            }
        }
        groups.sort_by(|a, b| b.period.total_cmp(&a.period));
        for joints in self.hard {
            let all = joints.iter().flat_map(|joint| holders(&joint.constraint));
            let periods = all.map(|holder| {
                let of_springs = of_springs.get(&holder).copied();
                let of_terms = match holder {
                    Holder::Point(point) => fastest[point],
                    Holder::Body(_) => f64::INFINITY,
                };
                of_terms.min(of_springs.unwrap_or(f64::INFINITY))
            });
            groups.push(JointGroup {
                period: periods.fold(steps.longest_period, f64::min),
                joints,
            });
        }
        groups
    }
}

/// A vertex or a free rigid body that a joint holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    Point(usize),
    Body(usize),
}

/// The vertices and bodies that a joint holds, each once or more.
fn holders(constraint: &Constraint) -> impl Iterator<Item = Holder> {
    let terms = constraint.points().iter().flat_map(|point| &point.terms);
    terms.map(|term| match *term {
        Term::Particle { index, .. } => Holder::Point(index),
        Term::Body { index, .. } => Holder::Body(index),
    })
}

/// The vertices and bodies that a joint holds and impulses move, each once.
fn moved(constraint: &Constraint, masses: &[f64]) -> Vec<Holder> {
    let is_moved = |holder: &Holder| match *holder {
        Holder::Point(point) => masses[point].is_finite(),
        Holder::Body(_) => true,
    };
    let mut moved: Vec<Holder> = holders(constraint).filter(is_moved).collect();
    moved.sort_unstable();
    moved.dedup();
    moved
}

/// All rows of one body are coupled with each other, so there is a limit to their number.
fn check_rows(hard: &[ClockedJoint], masses: &[f64]) -> Result<(), SystemError> {
    let mut rows = BTreeMap::new();
    for joint in hard {
        for holder in moved(&joint.constraint, masses) {
            *rows.entry(holder).or_insert(0) += joint.constraint.rows();
        }
    }
    match rows.values().max() {
        Some(&rows) if rows > MOST_ROWS => Err(SystemError::ManyRows {
            rows,
            most: MOST_ROWS,
        }),
        _ => Ok(()),
    }
}

/// Joints in sets that have no moved vertex and no body in common, in the order of their first ones.
fn connected(joints: Vec<ClockedJoint>, masses: &[f64]) -> Vec<Vec<ClockedJoint>> {
    let mut sets: Vec<Option<(Vec<Holder>, Vec<ClockedJoint>)>> = Vec::new();
    let mut set_of: BTreeMap<Holder, usize> = BTreeMap::new();
    for joint in joints {
        let mut held = moved(&joint.constraint, masses);
        let mut known: Vec<usize> = held
            .iter()
            .filter_map(|of| set_of.get(of).copied())
            .collect();
        known.sort_unstable();
        known.dedup();
        let mut members = Vec::new();
        for &set in &known {
            if let Some((of_set, joints)) = sets[set].take() {
                held.extend(of_set);
                members.extend(joints);
            }
        }
        members.push(joint);
        let set = known.first().copied().unwrap_or(sets.len());
        if set == sets.len() {
            sets.push(None);
        }
        held.sort_unstable();
        held.dedup();
        set_of.extend(held.iter().map(|&of| (of, set)));
        sets[set] = Some((held, members));
    }
    sets.into_iter()
        .flatten()
        .map(|(_, joints)| joints)
        .collect()
}

/// The mobility that springs meet at the start; each has a share of the mass of its vertices and bodies.
struct Vibrations<'a> {
    positions: &'a [Vector3<f64>],
    frames: Vec<Frame>,
    blocks: Blocks,
    masses: &'a [f64],
    rigid: &'a [RigidBody],
    /// Number of springs at each point and body.
    users: [Vec<f64>; 2],
}

impl<'a> Vibrations<'a> {
    fn new(
        model: &'a Model,
        state: &'a State,
        masses: &'a [f64],
        springs: &[ClockedJoint],
    ) -> Self {
        let mut users = [vec![0.0; masses.len()], vec![0.0; model.rigid.len()]];
        for holder in springs
            .iter()
            .flat_map(|spring| holders(&spring.constraint))
        {
            match holder {
                Holder::Point(point) => users[0][point] += 1.0,
                Holder::Body(body) => users[1][body] += 1.0,
            }
        }
        let frames = state.rigid.iter().map(RigidState::frame);
        Self {
            positions: &state.positions,
            frames: frames.collect(),
            blocks: Blocks::new(masses, model.rigid.len()),
            masses,
            rigid: &model.rigid,
            users,
        }
    }

    /// A bound of `ω²` of a spring in every orientation of its bodies: `‖C⁻¹‖ Σ |J|² w` over its unknowns, where `w` is
    /// `1/m` of a vertex, and `1/m + |r|²/I` of a body with the arm `r` and its least moment of inertia `I`. The rows
    /// of a spring are orthogonal, so `|J|` is the largest of one row.
    fn frequency_squared(&self, spring: &Constraint) -> f64 {
        let placement = Placement {
            state: Configuration {
                particles: self.positions,
                frames: &self.frames,
            },
            layout: self.blocks.layout(),
        };
        let mut at = Evaluation::default();
        at.rows(spring, &placement);
        let count = at.blocks.len();
        let mobility = |(place, &block): (usize, &u32)| {
            let mobility = match self.blocks.meaning(block) {
                Block::Vertex(point) => self.users[0][point] / self.masses[point],
                Block::Center(body) => self.users[1][body] * self.mobility_of(body, spring),
                // Those of centres include the rotation.
                Block::Turn(_) => 0.0,
            };
            let rows = at.jacobian.iter().skip(place).step_by(count);
            mobility * rows.map(Vector3::norm_squared).fold(0.0, f64::max)
        };
        let mobility: f64 = at.blocks.iter().enumerate().map(mobility).sum();
        let stiffness = spring.stiffness().map_or(0.0, |stiffness| {
            let row_sums = stiffness.row_iter().map(|row| row.abs().sum());
            row_sums.fold(0.0, f64::max)
        });
        stiffness * mobility
    }

    fn mobility_of(&self, body: usize, spring: &Constraint) -> f64 {
        let terms = spring.points().iter().flat_map(|point| &point.terms);
        let arms = terms.map(|term| match term {
            Term::Body { index, arm, .. } if *index == body => arm.norm_squared(),
            _ => 0.0,
        });
        let inertia = &self.rigid[body].inertia;
        let least = inertia.inertia().symmetric_eigenvalues().min();
        1.0 / inertia.mass() + arms.fold(0.0, f64::max) / least
    }
}
