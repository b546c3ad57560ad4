//! `energies.csv`: the balance sheet of every body and step.

use std::fmt::{self, Write};
use std::io;
use std::path::Path;

use super::OutputError;
use super::rows::{KeptRows, Table, encode, open_table};
use super::statistics::{for_each_row_of, number};
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

/// The numbers of a row, in order.
pub(super) fn numbers(of: &BodyBalance) -> impl Iterator<Item = f64> {
    let energies = [of.kinetic, of.gravity, of.elastic].into_iter();
    let causes = of.causes().into_iter().map(|(_, cause)| cause);
    energies
        .chain(causes)
        .chain(vectors(of).into_iter().flat_map(|(_, vector)| vector))
}

/// The vectors of a row with their names, in order.
fn vectors(of: &BodyBalance) -> [(&'static str, [f64; 3]); 4] {
    [
        ("momentum", of.momentum),
        ("given_impulse", of.given_impulse),
        ("contact_impulse", of.contact_impulse),
        ("other_impulse", of.other_impulse),
    ]
}

/// Columns of the file, in order.
pub(super) fn columns() -> Vec<String> {
    let none = BodyBalance::default();
    let scalars = [
        "step", "time", "body", "name", "kinetic", "gravity", "elastic",
    ]
    .into_iter();
    let causes = none.causes().into_iter().map(|(name, _)| name);
    let mut columns: Vec<String> = scalars.chain(causes).map(str::to_owned).collect();
    for (name, _) in vectors(&none) {
        columns.extend(["x", "y", "z"].map(|axis| format!("{name}_{axis}")));
    }
    columns
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

/// Rows that a resumed run keeps, and their sums.
#[derive(Debug)]
pub struct KeptEnergies {
    rows: KeptRows,
    totals: EnergyTotals,
}

/// Writer of `energies.csv`; the rows of each step are on disk before the next step begins.
#[derive(Debug)]
pub struct EnergiesCsv {
    table: Table,
    /// Name of each body as a field with its comma, and of the joints last.
    names: Vec<String>,
    totals: EnergyTotals,
    /// Text of the rows of a step.
    text: String,
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
        let path = folder.as_ref().join(ENERGIES_CSV);
        let names = names(model).map_err(|source| OutputError::write(&path, source))?;
        let mut energies = Self {
            table: Table::create(path, &columns())?,
            names,
            totals: EnergyTotals::default(),
            text: String::new(),
        };
        energies.append(start.step, start.time, &StepBalance::at(model, start))?;
        Ok(energies)
    }

    /// The rows of the file in `folder` up to `step`, after which the run resumes; `None` if the run has no such file.
    ///
    /// # Errors
    /// [`OutputError::Format`] if it has other columns, a step has no row or a row is damaged, or an error of the
    /// operating system.
    pub fn kept(folder: impl AsRef<Path>, step: u64) -> Result<Option<KeptEnergies>, OutputError> {
        let path = folder.as_ref().join(ENERGIES_CSV);
        if !path.exists() {
            return Ok(None);
        }
        let rows = KeptRows::read(&path, &columns(), step, |last, next| {
            next <= last.saturating_add(1)
        })?;
        let totals = EnergyTotals::of_rows(rows.reader(&columns())?, &path)?;
        Ok(Some(KeptEnergies { rows, totals }))
    }

    /// Resumes after the rows that are `kept`; removes later ones.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub fn resume(kept: KeptEnergies, model: &Model) -> Result<Self, OutputError> {
        let KeptEnergies { rows, totals } = kept;
        let names = names(model).map_err(|source| OutputError::write(rows.path(), source))?;
        Ok(Self {
            table: rows.open()?,
            totals,
            names,
            text: String::new(),
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

    /// Sums of the rows so far.
    pub(super) fn totals(&self) -> EnergyTotals {
        self.totals
    }

    fn append(&mut self, step: u64, time: f64, balance: &StepBalance) -> Result<(), OutputError> {
        self.text.clear();
        let joints = self.names.len() - 1;
        let leading = format!("{step},{time:?},");
        for (index, body) in balance.bodies.iter().enumerate() {
            let name = &self.names[index.min(joints)];
            self.text += &leading;
            push(&mut self.text, format_args!("{index},{name}"));
            for (place, number) in numbers(body).enumerate() {
                if place > 0 {
                    self.text.push(',');
                }
                // The shortest text that reads back as the same double; most entries are 0.
                if number == 0.0 {
                    self.text.push('0');
                } else {
                    push(&mut self.text, format_args!("{number:?}"));
                }
            }
            self.text.push('\n');
        }
        self.table.append_encoded(self.text.as_bytes())?;
        for (index, body) in balance.bodies.iter().enumerate() {
            self.totals.add(body, step == 0, index == 0);
        }
        Ok(())
    }
}

fn push(text: &mut String, formatted: fmt::Arguments<'_>) {
    text.write_fmt(formatted).expect("a string takes any text");
}

/// Names of the bodies and mesh obstacles, then of the joints, each as a field of a row with the comma after it.
fn names(model: &Model) -> io::Result<Vec<String>> {
    let geometry = &model.geometry;
    let bodies = geometry.bodies.iter().chain(&geometry.obstacles);
    let names = bodies.map(|body| body.name.as_str()).chain([JOINTS]);
    names
        .map(|name| {
            let mut row = encode([[name, ""]])?;
            row.pop();
            String::from_utf8(row).map_err(io::Error::other)
        })
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
        Self::of_rows(open_table(&path, &columns())?, &path).map(Some)
    }

    /// Reads rows of the table at `path`.
    fn of_rows<R: io::Read>(reader: csv::Reader<R>, path: &Path) -> Result<Self, OutputError> {
        let (mut totals, mut last) = (Self::default(), None);
        for_each_row_of(reader, path, columns().len(), |row| {
            let step: u64 = row.get(0)?.parse().ok()?;
            totals.add(&balance_of(row)?, step == 0, last != Some(step));
            last = Some(step);
            Some(())
        })?;
        Ok(totals)
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
