//! The constant part of a simulation.

mod build;
mod builder;
mod components;
mod constraints;
mod elements;
mod frictions;
mod lines;
mod loads;
mod materials;
mod method_keys;
mod notices;
mod points;
mod settings;
mod solver;
mod start;
mod touching;
mod unknowns;

pub use components::Components;
pub use constraints::Constraints;
pub use elements::Elements;
pub use lines::Line;
pub(crate) use lines::LineConstraint;
pub use loads::{Load, Loads};
pub(crate) use materials::BodyMaterials;
pub use notices::{Notices, TouchingStart};
pub use points::{HeldPoints, Points};
pub use settings::Settings;
pub use unknowns::{PointMotion, Unknowns};

use crate::{geometry::Geometry, rigid::RigidBody};
use impinge_contact::constraint::{Constraint, Term};

/// The constant part of a simulation: meshes, masses, materials, topology, parameters.
///
/// Between steps, prescribed nodes are released, given forces take their values of the next step, and a program may
/// change forces, prescribed motions and friction.
///
/// Points are numbered consecutively: deformable bodies first, each along a space-filling curve, then rigid bodies,
/// then mesh obstacles.
#[derive(Debug)]
pub struct Model {
    /// The solids, and the features of their surfaces that may touch.
    pub geometry: Geometry,
    /// Material points of all solids.
    pub points: Points,
    /// Free rigid bodies.
    pub rigid: Vec<RigidBody>,
    /// Points of deformable bodies that prescribed motions hold, by entry of `fixed`.
    pub held: Vec<HeldPoints>,
    /// Forces and torques on bodies in addition to gravity.
    pub loads: Loads,
    /// Elements of deformable bodies.
    pub elements: Elements,
    /// Joints, links, and strains that are constraints.
    pub constraints: Constraints,
    /// Connected components of deformable bodies.
    pub components: Components,
    /// The motion of each point, and the blocks of unknowns.
    pub unknowns: Unknowns,
    /// Parameters of a step.
    pub settings: Settings,
    /// Notices to the user.
    pub notices: Notices,
}

impl Model {
    /// Messages to the user about how the scene was read.
    pub(crate) fn notices(&self) -> Vec<String> {
        let touching = self
            .notices
            .touching
            .as_ref()
            .map(|touching| touching.notice(&self.geometry));
        touching
            .into_iter()
            .chain(self.notices.doubtful_joints.iter().cloned())
            .collect()
    }

    /// Number of blocks of unknowns: free nodes, and two for every free rigid body.
    pub fn blocks(&self) -> usize {
        self.unknowns.point_of_block.len() + 2 * self.rigid.len()
    }

    /// The body of a block of unknowns, in the order of [`Geometry::bodies`].
    pub(crate) fn body_of_block(&self, block: usize) -> usize {
        match self.unknowns.point_of_block.get(block) {
            Some(&point) => self.geometry.solid_of_point(point),
            None => self.rigid[(block - self.unknowns.point_of_block.len()) / 2].body,
        }
    }

    /// Mass of a body (kg); 0 for obstacles and rigid bodies with a prescribed motion.
    pub fn body_mass(&self, index: usize) -> f64 {
        match self.rigid.iter().find(|rigid| rigid.body == index) {
            Some(rigid) => rigid.inertia.mass(),
            None => self.points.mass[self.geometry.solid(index).points.clone()]
                .iter()
                .sum(),
        }
    }

    /// Whether each body is held at a point, or has rows or links of its own. All other bodies move under forces alone.
    pub(crate) fn tied_bodies(&self) -> Vec<bool> {
        let is_held = |point: usize| self.unknowns.motion_of_point[point].is_prescribed();
        let mut tied: Vec<bool> = (self.geometry.bodies.iter())
            .map(|body| body.points.clone().any(is_held))
            .collect();
        let rows = self
            .constraints
            .rows
            .iter()
            .chain(&self.constraints.soft[..self.constraints.soft_links]);
        for term in rows.flat_map(Constraint::points).flat_map(|p| &p.terms) {
            if let Term::Particle { index, .. } = *term
                && let Some(tied) = tied.get_mut(self.geometry.solid_of_point(index as u32))
            {
                *tied = true;
            }
        }
        tied
    }

    /// Frees the points whose prescribed motion ends by `time` (s), and renumbers the unknowns. Returns the former
    /// motions of the points, which [`move_points`](Self::move_points) can restore; `None` if no motion ends.
    pub(crate) fn release(&mut self, time: f64) -> Option<Vec<PointMotion>> {
        let ended: Vec<bool> = self
            .unknowns
            .motions
            .iter()
            .map(|m| m.has_ended(time))
            .collect();
        let let_go = |motion: &PointMotion| matches!(*motion, PointMotion::Prescribed(by) if ended[by as usize]);
        if !self.unknowns.motion_of_point.iter().any(let_go) {
            return None;
        }
        let before = self.unknowns.motion_of_point.clone();
        let after = before.iter().map(|motion| match motion {
            motion if let_go(motion) => PointMotion::Free(u32::MAX),
            motion => *motion,
        });
        self.move_points(after.collect());
        Some(before)
    }

    /// Sets the motion of each point, and numbers the unknowns accordingly.
    pub(crate) fn move_points(&mut self, motions: Vec<PointMotion>) {
        self.unknowns = Unknowns::new(
            motions,
            std::mem::take(&mut self.unknowns.motions),
            &mut self.rigid,
            &self.elements,
            &self.constraints,
        );
    }

    /// Name of a solid that a prescribed motion moves.
    pub(crate) fn name_of_moved(&self, motion: u32) -> String {
        let moved = PointMotion::Prescribed(motion);
        self.unknowns
            .motion_of_point
            .iter()
            .position(|&of_point| of_point == moved)
            .map_or_else(String::new, |point| {
                self.geometry
                    .solid(self.geometry.surface.group()[point] as usize)
                    .name
                    .clone()
            })
    }
}
