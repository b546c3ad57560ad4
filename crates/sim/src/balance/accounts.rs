//! The accounts of the balance: one for every solid, and one for all joints.

use crate::model::Model;
use impinge_contact::constraint::{Constraint, Term};

/// The account of each solid and of each constraint.
#[derive(Debug, Clone, Default)]
pub(crate) struct Accounts {
    solids: usize,
    /// The account of each row, list after list: in compliance form, in stiffness form, between held points.
    of_row: Vec<u32>,
    has_joints: bool,
    /// Damping time of each account (s): the ratio of damping and stiffness of its elements, or of its constraints in
    /// stiffness form.
    damping_times: Vec<f64>,
    /// Whether anything is damped in proportion to its stiffness.
    is_damped: bool,
}

impl Accounts {
    /// The accounts of a model. A constraint belongs to a body if it connects points of one of its components alone,
    /// otherwise to the joints.
    pub(crate) fn new(model: &Model) -> Self {
        let solids = model.geometry.solid_count();
        let constraints = &model.constraints;
        let rows = (constraints.rows.iter().enumerate())
            .map(|(index, one)| (one, model.components.of_row(index).is_some()));
        let soft = (constraints.soft.iter().enumerate())
            .map(|(index, one)| (one, model.components.of_soft(index).is_some()));
        let held = constraints.held.iter().map(|one| (one, true));
        let mut of_row = Vec::new();
        for (constraint, is_own) in rows.chain(soft).chain(held) {
            let solid = first_particle(constraint)
                .filter(|_| is_own)
                .map_or(solids, |point| model.geometry.solid_of_point(point));
            of_row.extend(std::iter::repeat_n(solid as u32, constraint.rows()));
        }
        let mut damping_times = vec![0.0; solids + 1];
        for (index, body) in model.geometry.bodies.iter().enumerate() {
            let elastic = &model.elements.elastic;
            if let Some(tet) = body.tets.clone().find(|&tet| elastic.is_stiff(tet)) {
                damping_times[index] = elastic.damping(tet).stiffness();
            }
        }
        let mut first: usize = constraints.rows.iter().map(Constraint::rows).sum();
        for constraint in &constraints.soft {
            let account = of_row[first] as usize;
            if account < solids {
                damping_times[account] = constraint.damping;
            }
            first += constraint.rows();
        }
        let thin = &model.elements.thin;
        let mut times = (damping_times.iter().copied())
            .chain((constraints.rows.iter().chain(&constraints.soft)).map(|one| one.damping))
            .chain(thin.springs.iter().map(|(time, _)| *time))
            .chain(thin.hinges.iter().map(|(time, _)| *time));
        Self {
            solids,
            is_damped: times.any(|time| time > 0.0),
            damping_times,
            has_joints: of_row.contains(&(solids as u32)),
            of_row,
        }
    }

    /// Number of accounts: that of the joints is the last.
    pub(crate) fn count(&self) -> usize {
        self.solids + 1
    }

    /// The account of the joints.
    pub(crate) fn joints(&self) -> usize {
        self.solids
    }

    /// Whether a constraint belongs to it.
    pub(crate) fn has_joints(&self) -> bool {
        self.has_joints
    }

    /// Damping times (s), one per account.
    pub(crate) fn damping_times(&self) -> &[f64] {
        &self.damping_times
    }

    /// Whether anything is damped in proportion to its stiffness.
    pub(crate) fn is_damped(&self) -> bool {
        self.is_damped
    }

    /// The account of the constraint with the first row `row`.
    pub(crate) fn of_row(&self, row: usize) -> usize {
        self.of_row[row] as usize
    }
}

fn first_particle(constraint: &Constraint) -> Option<u32> {
    let mut terms = constraint.points().iter().flat_map(|point| &point.terms);
    terms.find_map(|term| match *term {
        Term::Particle { index, .. } => Some(index as u32),
        Term::Body { .. } => None,
    })
}
