//! The ledger: adds the substeps of a step up to its balance sheet.

use super::accounts::Accounts;
use super::damping::Damping;
use super::energies::{Energies, Stored};
use super::held::{Held, add_changes};
use super::sheet::{BodyBalance, StepBalance};
use super::substep::Substep;
use super::works::{WorkSpace, Works, add};
use crate::measure::strains::constraint_energies;
use crate::model::Model;
use crate::state::State;

/// Keeps the accounts of a model from step to step; valid while the same points are free.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    accounts: Accounts,
    /// Energies at the end of the last substep, if the next one starts there.
    last: Option<Vec<Stored>>,
    next: Vec<Stored>,
    of_tets: Vec<f64>,
    space: WorkSpace,
    damping: Damping,
    held: Held,
    /// Whether the latest substep is the first of second order, which puts momentum ahead.
    is_first: bool,
    /// Work from outside in the latest substep (J).
    from_outside: f64,
    /// Sums over the substeps of the step.
    step: Vec<BodyBalance>,
}

impl Ledger {
    /// A ledger for `model`.
    pub(crate) fn new(model: &Model) -> Self {
        Self {
            accounts: Accounts::new(model),
            ..Self::default()
        }
    }

    /// Starts the sheet of a step at `state`.
    pub(crate) fn open(&mut self, model: &Model, state: &State) {
        self.step.clear();
        self.step
            .resize(self.accounts.count(), BodyBalance::default());
        if self.last.is_none() {
            self.store(model, state);
            self.last = Some(std::mem::take(&mut self.next));
        }
    }

    /// Forgets the energies, if the next step starts from another state than the last one ended with.
    pub(crate) fn forget(&mut self) {
        self.last = None;
    }

    fn store(&mut self, model: &Model, state: &State) -> Energies {
        let (of_tets, next) = (&mut self.of_tets, &mut self.next);
        Energies::by_account(model, state, &self.accounts, of_tets, next)
    }

    /// Computes the works of a substep before its state is taken.
    pub(crate) fn measure(&mut self, substep: &Substep<'_>) {
        self.is_first = substep.start.history.is_empty();
        self.space.measure(&self.accounts, substep);
        let works = &mut self.space.works;
        self.damping.add(&self.accounts, substep, works);
        self.held.add(&self.accounts, substep, works);
        add_changes(&self.accounts, substep, works);
    }

    /// Takes the elastic energy before plastic flow: `state` is the end of the substep, with the plastic strains of its
    /// start.
    pub(crate) fn before_flow(&mut self, model: &Model, state: &State) {
        self.flow(model, state, 1.0);
    }

    /// Takes the elastic energy after plastic flow.
    pub(crate) fn after_flow(&mut self, model: &Model, state: &State) {
        self.flow(model, state, -1.0);
    }

    fn flow(&mut self, model: &Model, state: &State, sign: f64) {
        if state.plastic_strains.is_empty() {
            return;
        }
        for (first, is_held, energy) in constraint_energies(model, state) {
            let works = &mut self.space.works[self.accounts.of_row(first)];
            works.columns.plastic -= sign * energy;
            if is_held {
                works.plastic_between_held -= sign * energy;
            }
        }
    }

    /// Ends a substep with its new state. Returns the energies of the whole.
    pub(crate) fn close(&mut self, model: &Model, state: &State) -> Energies {
        let energies = self.store(model, state);
        if self.is_first {
            self.put_ahead(model, state);
        }
        let last = self.last.get_or_insert_default();
        last.resize(self.accounts.count(), Stored::default());
        for rigid in &model.rigid {
            let works = &mut self.space.works[rigid.body];
            works.inertia =
                self.next[rigid.body].kinetic - last[rigid.body].kinetic - works.on_rigid;
        }
        // Joints have no motion of their own: their forces are elastic ones that work on bodies.
        let joints = &mut self.space.works[self.accounts.joints()];
        joints.elastic -= joints.columns.joints;
        self.from_outside = 0.0;
        for (((sum, works), before), after) in (self.step.iter_mut().zip(&self.space.works))
            .zip(&*last)
            .zip(&self.next)
        {
            let columns = columns(works, before, after);
            self.from_outside += columns.outside_work();
            sum.add(&columns);
        }
        std::mem::swap(last, &mut self.next);
        energies
    }

    /// Books the leads of free points and rigid bodies.
    fn put_ahead(&mut self, model: &Model, state: &State) {
        let works = &mut self.space.works;
        for (point, lead) in state.history.leads.iter().enumerate() {
            if model.unknowns.block_of_point[point].is_some() {
                let columns = &mut works[model.geometry.solid_of_point(point as u32)].columns;
                add(
                    &mut columns.other_impulse,
                    &(lead * model.points.mass[point]),
                );
            }
        }
        for (rigid, history) in model.rigid.iter().zip(&state.history.rigid) {
            let ahead = history.leads[0] * rigid.inertia.mass();
            add(&mut works[rigid.body].columns.other_impulse, &ahead);
        }
    }

    /// Work from outside in the substep that was closed last (J).
    pub(crate) fn outside_work(&self) -> f64 {
        self.from_outside
    }

    /// The sheet of the step that ends with `state`.
    pub(crate) fn sheet(&self, model: &Model, state: &State) -> StepBalance {
        let mut bodies = self.step.clone();
        for (body, stored) in bodies.iter_mut().zip(self.last.iter().flatten()) {
            body.kinetic = stored.kinetic;
            body.gravity = stored.gravity;
            body.elastic = stored.elastic;
        }
        sheet_of(model, state, &self.accounts, bodies)
    }
}

impl StepBalance {
    /// The sheet of the start: energies and momentum.
    pub(crate) fn at(model: &Model, state: &State) -> Self {
        let mut ledger = Ledger::new(model);
        ledger.open(model, state);
        ledger.sheet(model, state)
    }
}

/// A sheet with the momentum of `state`, `m ℓ` in a step of second order.
fn sheet_of(
    model: &Model,
    state: &State,
    accounts: &Accounts,
    mut bodies: Vec<BodyBalance>,
) -> StepBalance {
    for body in &mut bodies {
        body.momentum = [0.0; 3];
    }
    for (point, &mass) in model.points.mass.iter().enumerate() {
        if mass > 0.0 {
            let lead = state.history.leads.get(point).copied().unwrap_or_default();
            let momentum = (state.velocities[point] + lead) * mass;
            let body = &mut bodies[model.geometry.solid_of_point(point as u32)];
            add(&mut body.momentum, &momentum);
        }
    }
    for (index, (rigid, at)) in model.rigid.iter().zip(&state.rigid).enumerate() {
        let history = state.history.rigid.get(index).copied().unwrap_or_default();
        let momentum = (at.velocity + history.leads[0]) * rigid.inertia.mass();
        add(&mut bodies[rigid.body].momentum, &momentum);
    }
    if !accounts.has_joints() {
        bodies.truncate(accounts.joints());
    }
    StepBalance { bodies }
}

/// The columns of one substep that are no states.
fn columns(works: &Works, before: &Stored, after: &Stored) -> BodyBalance {
    let mut columns = works.columns;
    // Constraints between held points take their energy from what moves these.
    let held = after.between_held - before.between_held - works.plastic_between_held;
    columns.prescribed += held;
    let elastic = after.elastic - before.elastic;
    columns.numerical =
        works.inertia - columns.impact + works.elastic - held + elastic - columns.plastic;
    let stored = |of: &Stored| of.kinetic + of.gravity + of.elastic;
    let causes: f64 = columns.causes().iter().map(|(_, cause)| cause).sum();
    columns.closing = stored(after) - stored(before) - causes;
    columns
}
