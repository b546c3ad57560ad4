//! Checks `energies.csv`: adds the balance sheet up again, and proves the momentum balance of every body.
//!
//! The energies of a row and the one before differ by the sum of its causes, whose closing error is rounding; the sums
//! over bodies are those of `steps.csv`. Momentum changes by the impulses of a row. What gravity gives follows from the
//! scene; between frames that are one straight motion apart, momentum follows from positions, and contact impulses
//! from the contact forces of the frame. The rest for a body that nothing holds is at most what the residual
//! of the step allows.

use super::{Finding, Problem};
use crate::balance::BodyBalance;
use crate::flight::second_order::is_of_second_order;
use crate::model::Model;
use crate::output::energies::{ENERGIES_CSV, balance_of, columns};
use crate::output::statistics::{for_each_row, number};
use crate::output::steps::STEPS_CSV;
use crate::output::{Frame, OutputError, column_names};
use nalgebra::Vector3;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Largest closing error of a row over its largest entry. Forces of a solve and of the state differ by rounding.
const CLOSES: f64 = 1e-8;

/// Rounding of sums over the sum of the absolute values of their terms.
const ROUNDING: f64 = 1e-9;

/// Largest number of reported findings.
const MOST: usize = 8;

/// The balance sheet of a run.
pub(super) struct Sheet {
    /// Balances of the steps that frames show, by body.
    shown: BTreeMap<u64, Vec<BodyBalance>>,
}

/// Step, energies (J), momentum residual (N·s) and substeps of a row of `steps.csv`.
struct StepRow {
    energies: [f64; 3],
    residual: f64,
    substeps: f64,
}

impl Sheet {
    /// Reads and checks the table in `folder`, and keeps the rows of the steps in `frames`; `None` without a table.
    /// `model` is that of the scene, if it is known.
    pub(super) fn read(
        folder: &Path,
        model: Option<&Model>,
        frames: &BTreeSet<u64>,
        findings: &mut Vec<Finding>,
    ) -> Option<Self> {
        if !folder.join(ENERGIES_CSV).exists() {
            return None;
        }
        let mut found = |problem| findings.push(Finding::of_file(ENERGIES_CSV, problem));
        let read = steps_of(folder).and_then(|steps| {
            let mut adder = Adder {
                model,
                free: model.map(free_bodies).unwrap_or_default(),
                steps,
                last: Vec::new(),
                row: 0,
                wrong: Vec::new(),
                sums: BTreeMap::new(),
                shown: frames.iter().map(|&step| (step, Vec::new())).collect(),
            };
            for_each_row(&folder.join(ENERGIES_CSV), &columns(), |row| {
                adder.take(row)
            })?;
            Ok(adder.finish())
        });
        match read {
            Ok((wrong, shown)) => {
                let count = wrong.len();
                for what in wrong.into_iter().take(MOST) {
                    found(Problem::Disagrees(what));
                }
                if count > MOST {
                    let more = format!("{} more of its rows are wrong", count - MOST);
                    found(Problem::Disagrees(more));
                }
                Some(Self { shown })
            }
            Err(error) => {
                found(Problem::Unreadable(error.to_string()));
                None
            }
        }
    }

    /// Compares contact impulses, and with implicit Euler momentum, of the step that leads from the frame `start` to
    /// `end` in one straight motion. Returns the first body that is off, and what.
    pub(super) fn compare(
        &self,
        model: &Model,
        step: u64,
        start: &Frame,
        end: &Frame,
    ) -> Vec<String> {
        let Some(rows) = self.shown.get(&step) else {
            return Vec::new();
        };
        let h = model.settings.time_step;
        let mut off = Vec::new();
        for (index, (row, body)) in rows.iter().zip(&model.geometry.bodies).enumerate() {
            let (mut momentum, mut size) = (Vector3::zeros(), 0.0);
            let (mut impulse, mut impulse_size) = (Vector3::zeros(), 0.0);
            for point in body.points.clone() {
                let mass = model.points.mass[point];
                let (from, to) = (start.points[point], end.points[point]);
                momentum += (to - from) * (mass / h);
                size += mass * ((from.amax() + to.amax()) / h + end.velocities[point].amax());
                impulse += end.contact_forces[point] * h;
                impulse_size += end.contact_forces[point].amax() * h;
            }
            let exceeds = |a: Vector3<f64>, b: [f64; 3], size: f64| {
                let off = (a - Vector3::from(b)).amax();
                off.is_nan() || off > ROUNDING * size
            };
            if !is_of_second_order(model)
                && !body.free_rigid
                && exceeds(momentum, row.momentum, size)
            {
                off.push(format!(
                    "step {step}, body {index}: its momentum is not that of the positions"
                ));
            }
            if exceeds(impulse, row.contact_impulse, impulse_size) {
                off.push(format!(
                    "step {step}, body {index}: its contact impulse is not that of the contact forces"
                ));
            }
        }
        off
    }
}

/// Bodies that gravity and contacts alone act on, with the number of their points and their mass (kg).
fn free_bodies(model: &Model) -> Vec<Option<(f64, f64)>> {
    let tied = model.tied_bodies();
    (model.geometry.bodies.iter().enumerate())
        .map(|(index, body)| {
            let is_free = |point: usize| {
                !model.unknowns.motion_of_point[point].is_prescribed()
                    && model.points.mass_damping[point] == 0.0
                    && model.points.pull[point] == Vector3::zeros()
            };
            let is_joined = (model.rigid.iter()).any(|rigid| rigid.body == index)
                && !model.constraints.rows.is_empty();
            let is_loaded = model.loads.are_on(index, &body.points);
            (!tied[index] && !is_joined && !is_loaded && body.points.clone().all(is_free))
                .then(|| (body.points.len() as f64, model.body_mass(index)))
        })
        .collect()
}

fn steps_of(folder: &Path) -> Result<BTreeMap<u64, StepRow>, OutputError> {
    let names = column_names();
    let place = |name: &str| names.iter().position(|known| *known == name).unwrap_or(0);
    let energies = ["kinetic_energy", "gravitational_energy", "elastic_energy"].map(place);
    let (residual, substeps) = (place("momentum_residual"), place("substeps"));
    let mut steps = BTreeMap::new();
    for_each_row(&folder.join(STEPS_CSV), &names, |fields| {
        let mut all = [0.0; 3];
        for (value, &column) in all.iter_mut().zip(&energies) {
            *value = number(fields, column)?;
        }
        let row = StepRow {
            energies: all,
            residual: number(fields, residual)?,
            substeps: number(fields, substeps)?,
        };
        steps.insert(fields.get(0)?.parse().ok()?, row);
        Some(())
    })?;
    Ok(steps)
}

/// Adds the rows up.
struct Adder<'a> {
    model: Option<&'a Model>,
    free: Vec<Option<(f64, f64)>>,
    steps: BTreeMap<u64, StepRow>,
    /// The latest row of each body.
    last: Vec<BodyBalance>,
    /// Number of rows so far.
    row: usize,
    wrong: Vec<String>,
    /// Energies of each step over all bodies, and the sum of absolute values (J).
    sums: BTreeMap<u64, [f64; 4]>,
    shown: BTreeMap<u64, Vec<BodyBalance>>,
}

impl Adder<'_> {
    fn take(&mut self, row: &csv::StringRecord) -> Option<()> {
        let step: u64 = row.get(0)?.parse().ok()?;
        let body: usize = row.get(2)?.parse().ok()?;
        let balance = balance_of(row)?;
        self.row += 1;
        if step == 0 {
            if body != self.last.len() {
                let what = format!(
                    "its row {} is not that of body {}",
                    self.row,
                    self.last.len()
                );
                self.wrong.push(what);
            }
            self.last.push(balance);
        } else {
            let bodies = self.last.len().max(1);
            if self.row - 1 != step as usize * bodies + body || body >= bodies {
                self.wrong.push(format!(
                    "its row {} is not in the order of steps and bodies",
                    self.row
                ));
                return Some(());
            }
            let before = std::mem::replace(&mut self.last[body], balance);
            self.compare(step, body, &before, &balance);
        }
        let sums = self.sums.entry(step).or_default();
        let energies = [balance.kinetic, balance.gravity, balance.elastic];
        for (sum, energy) in sums.iter_mut().zip(energies) {
            *sum += energy;
        }
        sums[3] += energies.iter().map(|energy| energy.abs()).sum::<f64>();
        if let Some(shown) = self.shown.get_mut(&step) {
            shown.push(balance);
        }
        Some(())
    }

    fn compare(&mut self, step: u64, body: usize, before: &BodyBalance, row: &BodyBalance) {
        let mut found = |what: &str| self.wrong.push(format!("step {step}, body {body}: {what}"));
        let causes: f64 = row.causes().iter().map(|(_, cause)| cause).sum();
        let gap = row.stored() - before.stored() - causes;
        let size = row.largest().max(before.largest());
        if gap.is_nan() || gap.abs() > ROUNDING * size {
            found("its energies do not change by the sum of their causes");
        }
        if row.closing.is_nan() || row.closing.abs() > CLOSES * size {
            found("its closing error is more than rounding");
        }
        let [old, new, given, contact, other] = [
            before.momentum,
            row.momentum,
            row.given_impulse,
            row.contact_impulse,
            row.other_impulse,
        ]
        .map(Vector3::from);
        let gap = new - old - given - contact - other;
        let size = old.amax() + new.amax() + given.amax() + contact.amax() + other.amax();
        if gap.amax().is_nan() || gap.amax() > ROUNDING * size {
            found("its momentum does not change by the sum of its impulses");
        }
        let free = self.free.get(body).copied().flatten();
        if let (Some(model), Some((points, mass))) = (self.model, free) {
            let expected = model.settings.gravity * (mass * model.settings.time_step);
            if (given - expected).amax() > ROUNDING * (size + expected.amax()) {
                found("its given impulse is not that of gravity");
            }
            // The first step of second order puts momentum ahead.
            let is_ahead = step == 1 && is_of_second_order(model);
            if let (Some(of_step), 0.0, false) = (self.steps.get(&step), row.forces, is_ahead) {
                let allowed = points.sqrt() * of_step.residual * of_step.substeps;
                if other.norm() > allowed * (1.0 + ROUNDING) + ROUNDING * size {
                    found("its momentum changes without a force");
                }
            }
        }
    }

    fn finish(mut self) -> (Vec<String>, BTreeMap<u64, Vec<BodyBalance>>) {
        for (step, row) in &self.steps {
            let Some(sums) = self.sums.get(step) else {
                self.wrong.push(format!("it has no rows of step {step}"));
                continue;
            };
            let is_off = |(sum, energy): (&f64, &f64)| (sum - energy).abs() > ROUNDING * sums[3];
            if sums.iter().zip(&row.energies).any(is_off) {
                let what =
                    format!("its energies of step {step} do not add up to those of {STEPS_CSV}");
                self.wrong.push(what);
            }
        }
        (self.wrong, self.shown)
    }
}
