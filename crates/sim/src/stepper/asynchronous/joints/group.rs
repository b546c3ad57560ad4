//! Joints that tick together, and the equations of those without compliance.

use super::coupling::Coupling;
use super::joint::{Joint, Rows};
use super::shared::Shared;
use super::unknowns::{Blocks, Held, Movers};
use crate::stepper::asynchronous::clock::Clock;
use crate::stepper::asynchronous::system::JointGroup;
use impinge_contact::constraint::{Evaluation, Placement, Term};
use nalgebra::{DVector, Vector3};
use std::f64::consts::PI;

/// Largest number of Newton steps at one tick (1): usually two are needed, and one more for each change of the
/// one-sided rows that act. A tick that needs more is divided, so a smaller number costs time only.
const ROUNDS: usize = 32;

/// Shortest period of joints without compliance, over the one that they have where it can be used (1). A motion that
/// needs a shorter one has no solution, whatever the period.
const SHORTEST: f64 = 1.0 / 1024.0;

/// A joint that no period closes.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenJoint {
    pub(super) name: String,
    /// Its misfit at the next tick (m, rad).
    pub(super) misfit: f64,
    /// The shortest period that was tried (s).
    pub(super) period: f64,
}

/// The state of a [`JointGroup`].
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) clock: Clock,
    /// The period that is used where it can be (s).
    undivided: f64,
    /// Period after the last tick (s); infinite before the first.
    elapsed: f64,
    pub(super) is_hard: bool,
    joints: Vec<Joint>,
    /// How joints without compliance act on each other, from their first tick on.
    coupling: Option<Coupling>,
    pub(super) held: Held,
    /// Velocities of the held vertices before an event of contact (m/s), for joints without compliance.
    before: Vec<Vector3<f64>>,
}

impl Group {
    pub(super) fn new(group: JointGroup) -> Self {
        let is_hard = group.is_hard();
        let JointGroup { period, joints } = group;
        let mut held = Held::default();
        let all = joints.iter().flat_map(|joint| joint.constraint.points());
        for term in all.flat_map(|point| &point.terms) {
            match *term {
                Term::Particle { index, .. } => held.points.push(index as u32),
                Term::Body { index, .. } => held.bodies.push(index as u32),
            }
        }
        for list in [&mut held.points, &mut held.bodies] {
            list.sort_unstable();
            list.dedup();
        }
        Self {
            undivided: period,
            elapsed: f64::INFINITY,
            // Velocities at the start may not fit joints without compliance, so their first tick is at time 0.
            clock: Clock {
                period,
                tick: u64::from(!is_hard),
            },
            is_hard,
            joints: joints.into_iter().map(Joint::new).collect(),
            coupling: None,
            held,
            before: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.joints.len()
    }

    /// Applies the impulses of one tick at `time` (s): the held vertices are at this time, the bodies were called. The
    /// clock then has the next tick.
    ///
    /// # Errors
    /// The joint without compliance that is farthest from being closed, if no period is short enough.
    pub(super) fn tick(
        &mut self,
        time: f64,
        shared: &mut Shared,
        movers: &mut Movers<'_>,
    ) -> Result<(), OpenJoint> {
        self.evaluate(time, shared, movers);
        if self.is_hard {
            self.close_dividing(time, shared, movers)?;
        } else {
            for joint in &self.joints {
                let impulse = joint.force_of_spring() * self.clock.period;
                joint.kick(&impulse, &shared.blocks, movers);
            }
        }
        self.wind();
        Ok(())
    }

    /// Keeps the velocities of the held vertices before an event of contact.
    pub(super) fn note_velocities(&mut self, movers: &Movers<'_>) {
        self.before.clear();
        let points = self.held.points.iter();
        self.before
            .extend(points.map(|&point| movers.vertices[point as usize].velocity));
    }

    /// Whether an event of contact pushed a held vertex or body.
    pub(super) fn is_pushed(&self, movers: &Movers<'_>) -> bool {
        let mut points = self.held.points.iter().zip(&self.before);
        points.any(|(&point, before)| movers.vertices[point as usize].velocity != *before)
            || movers.rigid.are_pushed(&self.held.bodies)
    }

    /// Answers the impulses of an event of contact at `time` (s), by impulses with which they do not change `J v` of
    /// the rows that pull. The held vertices are at this time, the bodies were called.
    pub(super) fn answer(&mut self, time: f64, shared: &mut Shared, movers: &mut Movers<'_>) {
        self.evaluate(time, shared, movers);
        let opening = |(joint, row): (&Joint, usize)| {
            let count = joint.at.blocks.len();
            let along = |(place, &block): (usize, &u32)| {
                let change = movers.change(shared.blocks.meaning(block), &self.held, &self.before);
                joint.at.jacobian[row * count + place].dot(&change)
            };
            joint.at.blocks.iter().enumerate().map(along).sum::<f64>()
        };
        let rows = |joint: &'_ Joint| 0..joint.at.value.len();
        let openings: Vec<f64> = (self.joints.iter())
            .flat_map(|joint| rows(joint).map(move |row| (joint, row)))
            .map(|of| -opening(of))
            .collect();
        let pulling = self.joints.iter().flat_map(Joint::rows);
        let pulling: Vec<bool> = pulling.map(|(pulls, _)| pulls).collect();
        // Impulses that have no answer open the joints until their next tick.
        self.add_impulses(&pulling, openings, &shared.blocks, movers);
    }

    /// Computes the rows, at `time` (s), and how they act on each other.
    fn evaluate(&mut self, time: f64, shared: &mut Shared, movers: &Movers<'_>) {
        let Shared { places, blocks, .. } = shared;
        places.update(&self.held, movers, time);
        let placement = Placement {
            state: places.configuration(),
            layout: blocks.layout(),
        };
        for joint in &mut self.joints {
            joint.evaluate(&placement, time);
        }
        if self.is_hard {
            let rows: Vec<&Evaluation> = self.joints.iter().map(|joint| &joint.at).collect();
            let coupling = (self.coupling).get_or_insert_with(|| Coupling::new(&rows));
            coupling.update(&rows, |block, j| movers.respond(blocks.meaning(block), j));
        }
    }

    /// Closes the joints without compliance at a tick, with shorter periods where that fails.
    fn close_dividing(
        &mut self,
        time: f64,
        shared: &mut Shared,
        movers: &mut Movers<'_>,
    ) -> Result<(), OpenJoint> {
        for joint in &mut self.joints {
            joint.force = joint.impulse / self.elapsed;
        }
        let kept = movers.keep(&self.held);
        loop {
            for joint in &mut self.joints {
                joint.impulse = joint.expected;
                joint.kick(&joint.impulse, &shared.blocks, movers);
            }
            if self.close(time, shared, movers) {
                for joint in &mut self.joints {
                    joint.expected = joint.impulse;
                }
                self.elapsed = self.clock.period;
                return Ok(());
            }
            let worst = (self.joints.iter())
                .max_by(|a, b| a.misfit().total_cmp(&b.misfit()))
                .map_or_else(OpenJoint::default, |joint| OpenJoint {
                    name: joint.constraint.name.clone(),
                    misfit: joint.misfit(),
                    period: self.clock.period,
                });
            movers.restore(&self.held, &kept);
            if self.clock.period <= self.undivided * SHORTEST {
                return Err(worst);
            }
            self.divide_period();
        }
    }

    /// Newton's method for joints that hold at the next tick. Returns whether they do.
    fn close(&mut self, time: f64, shared: &mut Shared, movers: &mut Movers<'_>) -> bool {
        let Clock { period, tick } = self.clock;
        let next = Clock {
            period,
            tick: tick + 1,
        };
        let (end, wait) = (next.due(), next.due() - time);
        for _ in 0..ROUNDS {
            // Beyond half a turn joints have no solution, whatever their equations say.
            if !movers.turn_less_than(PI, &self.held, wait) {
                return false;
            }
            shared.ahead.update(&self.held, movers, end);
            for joint in &mut self.joints {
                joint.look_ahead(&shared.ahead, end);
            }
            let is_closed = |joint: &Joint| joint.misfit() <= shared.tolerance;
            if self.joints.iter().all(is_closed) {
                return true;
            }
            let rows = || self.joints.iter().flat_map(Joint::rows);
            let acting: Vec<bool> = rows().map(|(pulls, value)| pulls || value < 0.0).collect();
            let speeds = rows().map(|(_, value)| -value / wait).collect();
            if !self.add_impulses(&acting, speeds, &shared.blocks, movers) {
                break;
            }
        }
        false
    }

    /// Adds the impulses that change `J v` of the rows that act by these speeds. Returns whether there are any.
    fn add_impulses(
        &mut self,
        acting: &[bool],
        speeds: Vec<f64>,
        blocks: &Blocks,
        movers: &mut Movers<'_>,
    ) -> bool {
        let Some(coupling) = &mut self.coupling else {
            return false;
        };
        let Some(change) = coupling.solve(acting, DVector::from_vec(speeds)) else {
            return false;
        };
        let mut first = 0;
        for joint in &mut self.joints {
            let count = joint.at.value.len();
            let added = joint.add(&change.as_slice()[first..first + count]);
            joint.kick(&added, blocks, movers);
            first += count;
        }
        true
    }

    /// Halves the period, from the present tick on.
    fn divide_period(&mut self) {
        let Clock { period, tick } = self.clock;
        self.clock = Clock {
            period: 0.5 * period,
            tick: 2 * tick,
        };
        for joint in &mut self.joints {
            joint.expected *= 0.5;
        }
    }

    /// Sets the clock to the next tick; a divided period is doubled where it can be.
    fn wind(&mut self) {
        self.clock.tick += 1;
        if self.clock.period < self.undivided && self.clock.tick.is_multiple_of(2) {
            self.clock = Clock {
                period: 2.0 * self.clock.period,
                tick: self.clock.tick / 2,
            };
            for joint in &mut self.joints {
                joint.expected *= 2.0;
            }
        }
    }

    /// Mean force of each joint without compliance over its last period (N, or N m), by row, with its place.
    pub(super) fn hard_forces(&self) -> impl Iterator<Item = (usize, Rows)> {
        let hard = self.joints.iter().filter(|_| self.is_hard);
        hard.map(|joint| (joint.index, joint.force))
    }
}
