//! `energies.csv`: the balance sheet of every body and step.

use std::path::Path;

use super::OutputError;
use super::rows::{KeptRows, Table};
use super::statistics::{for_each_row, number};
use crate::balance::{BodyBalance, StepBalance};
use crate::model::Model;
use crate::report::StepReport;
use crate::state::State;
use serde::Serialize;

/// Name of the file.
pub(super) const ENERGIES_CSV: &str = "energies.csv";

/// Name in the row of all joints.
pub(super) const JOINTS: &str = "(joints)";

/// Columns before the numbers.
pub(super) const LEADING: usize = 4;

/// The numbers of a row with their names, in order.
pub(super) fn numbers(of: &BodyBalance) -> Vec<(String, f64)> {
    let energies = [
        ("kinetic", of.kinetic),
        ("gravity", of.gravity),
        ("elastic", of.elastic),
    ];
    let energies = energies.into_iter().chain(of.causes());
    let mut numbers: Vec<_> = energies
        .map(|(name, energy)| (name.to_owned(), energy))
        .collect();
    for (name, vector) in [
        ("momentum", of.momentum),
        ("given_impulse", of.given_impulse),
        ("contact_impulse", of.contact_impulse),
        ("other_impulse", of.other_impulse),
    ] {
        let axes = ["x", "y", "z"].into_iter().zip(vector);
        numbers.extend(axes.map(|(axis, value)| (format!("{name}_{axis}"), value)));
    }
    numbers
}

/// Columns of the file, in order.
pub(super) fn columns() -> Vec<String> {
    let leading: [&str; LEADING] = ["step", "time", "body", "name"];
    let numbers = numbers(&BodyBalance::default());
    (leading.map(str::to_owned).into_iter())
        .chain(numbers.into_iter().map(|(name, _)| name))
        .collect()
}

/// The balance of a row; `None` if a number is damaged.
pub(super) fn balance_of(row: &csv::StringRecord) -> Option<BodyBalance> {
    let mut at = LEADING;
    let mut next = || {
        at += 1;
        number(row, at - 1)
    };
    let mut body = BodyBalance {
        kinetic: next()?,
        gravity: next()?,
        elastic: next()?,
        pulls: next()?,
        forces: next()?,
        prescribed: next()?,
        joints: next()?,
        contact: next()?,
        friction: next()?,
        impact: next()?,
        damping: next()?,
        plastic: next()?,
        residual: next()?,
        numerical: next()?,
        closing: next()?,
        ..BodyBalance::default()
    };
    for vector in [
        &mut body.momentum,
        &mut body.given_impulse,
        &mut body.contact_impulse,
        &mut body.other_impulse,
    ] {
        *vector = [next()?, next()?, next()?];
    }
    Some(body)
}

/// Writer of `energies.csv`; the rows of each step are on disk before the next step begins.
#[derive(Debug)]
pub struct EnergiesCsv {
    table: Table,
    names: Vec<String>,
}

impl EnergiesCsv {
    /// Creates the file, with its header and the rows of the start, in `folder`.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub fn create(
        folder: impl AsRef<Path>,
        model: &Model,
        start: &State,
    ) -> Result<Self, OutputError> {
        let table = Table::create(folder.as_ref().join(ENERGIES_CSV), &columns())?;
        let mut energies = Self {
            table,
            names: names(model),
        };
        energies.append(start.step, start.time, &StepBalance::at(model, start))?;
        Ok(energies)
    }

    /// The rows of the file in `folder` up to `step`, after which the run resumes; `None` if the run has no such file.
    ///
    /// # Errors
    /// [`OutputError::Format`] if it has other columns or a step has no row, or an error of the operating system.
    pub fn kept(folder: impl AsRef<Path>, step: u64) -> Result<Option<KeptRows>, OutputError> {
        let path = folder.as_ref().join(ENERGIES_CSV);
        if !path.exists() {
            return Ok(None);
        }
        KeptRows::read(&path, &columns(), step, |last, next| {
            next <= last.saturating_add(1)
        })
        .map(Some)
    }

    /// Resumes after the rows that are `kept`; removes later ones.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub fn resume(kept: KeptRows, model: &Model) -> Result<Self, OutputError> {
        Ok(Self {
            table: kept.open()?,
            names: names(model),
        })
    }

    /// Appends the rows of one step, if it has a balance.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system, for example for a full disk.
    pub fn rows(&mut self, report: &StepReport) -> Result<(), OutputError> {
        match &report.balance {
            Some(balance) => self.append(report.step, report.time, balance),
            None => Ok(()),
        }
    }

    fn append(&mut self, step: u64, time: f64, balance: &StepBalance) -> Result<(), OutputError> {
        let rows = balance.bodies.iter().enumerate().map(|(index, body)| {
            let name = self.names.get(index).map_or(JOINTS, String::as_str);
            let leading = [
                step.to_string(),
                format!("{time:?}"),
                index.to_string(),
                name.to_owned(),
            ];
            let numbers = numbers(body).into_iter().map(|(_, number)| text(number));
            leading.into_iter().chain(numbers).collect::<Vec<_>>()
        });
        self.table.append(rows)
    }
}

/// The shortest text that reads back as the same double; most entries are 0.
fn text(number: f64) -> String {
    if number == 0.0 {
        "0".to_owned()
    } else {
        format!("{number:?}")
    }
}

fn names(model: &Model) -> Vec<String> {
    let geometry = &model.geometry;
    (geometry.bodies.iter().chain(&geometry.obstacles))
        .map(|body| body.name.clone())
        .collect()
}

/// Sums of the table over all bodies and steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(super) struct EnergyTotals {
    /// Energies at the start and the end (J).
    start: [f64; 3],
    end: [f64; 3],
    /// Sums of the causes (J).
    pulls: f64,
    forces: f64,
    prescribed: f64,
    joints: f64,
    contact: f64,
    friction: f64,
    impact: f64,
    damping: f64,
    plastic: f64,
    residual: f64,
    numerical: f64,
    closing: f64,
    /// Largest closing error of a row over the largest entry of the row.
    largest_closing: f64,
}

impl EnergyTotals {
    /// Reads the table in `folder`; `None` if there is none.
    ///
    /// # Errors
    /// [`OutputError::Format`] naming a damaged row, or an error of the operating system.
    pub(super) fn of(folder: &Path) -> Result<Option<Self>, OutputError> {
        let path = folder.join(ENERGIES_CSV);
        if !path.exists() {
            return Ok(None);
        }
        let (mut totals, mut last) = (Self::default(), None);
        for_each_row(&path, &columns(), |row| {
            let step: u64 = row.get(0)?.parse().ok()?;
            totals.add(&balance_of(row)?, step == 0, last != Some(step));
            last = Some(step);
            Some(())
        })?;
        Ok(Some(totals))
    }

    fn add(&mut self, body: &BodyBalance, is_start: bool, is_first: bool) {
        if is_first {
            self.end = [0.0; 3];
        }
        let energies = [body.kinetic, body.gravity, body.elastic];
        for (end, energy) in self.end.iter_mut().zip(energies) {
            *end += energy;
        }
        if is_start {
            self.start = self.end;
        }
        self.pulls += body.pulls;
        self.forces += body.forces;
        self.prescribed += body.prescribed;
        self.joints += body.joints;
        self.contact += body.contact;
        self.friction += body.friction;
        self.impact += body.impact;
        self.damping += body.damping;
        self.plastic += body.plastic;
        self.residual += body.residual;
        self.numerical += body.numerical;
        self.closing += body.closing;
        let largest = body.largest();
        if largest > 0.0 {
            self.largest_closing = self.largest_closing.max(body.closing.abs() / largest);
        }
    }
}
