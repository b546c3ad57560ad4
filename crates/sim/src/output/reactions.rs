//! `reactions.csv`: forces and torques of held nodes, of driven bodies and obstacles, and of joints, in every step.

use std::path::Path;

use super::OutputError;
use super::rows::{KeptRows, Table};
use crate::measure::reactions::{Reaction, ReactionKind};
use crate::scene::Scene;
use crate::simulation::Simulation;

/// Name of the file.
pub(super) const REACTIONS_CSV: &str = "reactions.csv";

/// Columns of the file, in order.
pub(super) const COLUMNS: [&str; 14] = [
    "step", "time", "kind", "name", "body", "x", "y", "z", "force_x", "force_y", "force_z",
    "torque_x", "torque_y", "torque_z",
];

/// Writer of `reactions.csv`.
#[derive(Debug)]
pub struct ReactionsCsv(Table);

impl ReactionsCsv {
    /// Creates the file, with its header, in `folder`; `None` if `scene` turns it off or `simulation` has no
    /// source of a reaction.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub fn create(
        folder: impl AsRef<Path>,
        scene: &Scene,
        simulation: &Simulation,
    ) -> Result<Option<Self>, OutputError> {
        let path = folder.as_ref().join(REACTIONS_CSV);
        if !has_any(scene, simulation, &path)? {
            return Ok(None);
        }
        Ok(Some(Self(Table::create(path, &COLUMNS)?)))
    }

    /// The rows of the file in `folder` up to `step`, after which the run resumes; `None` as for
    /// [`create`](Self::create). `simulation` is at its start.
    ///
    /// # Errors
    /// [`OutputError::Format`] if it has other columns, or an error of the operating system.
    pub fn kept(
        folder: impl AsRef<Path>,
        scene: &Scene,
        simulation: &Simulation,
        step: u64,
    ) -> Result<Option<KeptRows>, OutputError> {
        let path = folder.as_ref().join(REACTIONS_CSV);
        if !has_any(scene, simulation, &path)? {
            return Ok(None);
        }
        // Released nodes have no reaction, so a step may have no row.
        KeptRows::read_sparse(&path, &COLUMNS, step).map(Some)
    }

    /// Resumes after the rows that are `kept`; removes later ones.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system.
    pub fn resume(kept: KeptRows) -> Result<Self, OutputError> {
        kept.open().map(Self)
    }

    /// Appends the reactions of the last step of `simulation`.
    ///
    /// # Errors
    /// [`OutputError`] of the operating system, for example for a full disk.
    pub fn rows(&mut self, simulation: &Simulation) -> Result<(), OutputError> {
        let reactions = of(simulation, self.0.path())?;
        let state = simulation.state();
        let leading = [state.step.to_string(), format!("{:?}", state.time)];
        self.0
            .append(reactions.iter().map(|reaction| fields(&leading, reaction)))
    }
}

/// Whether a table of the reactions has rows.
fn has_any(scene: &Scene, simulation: &Simulation, path: &Path) -> Result<bool, OutputError> {
    Ok(scene.stores_reactions() && !of(simulation, path)?.is_empty())
}

/// The reactions; an error is one of the table at `path`.
fn of<'s>(simulation: &'s Simulation, path: &Path) -> Result<Vec<Reaction<'s>>, OutputError> {
    let unknown = |error| OutputError::format(path, format!("reactions are unknown: {error}"));
    simulation.reactions().map_err(unknown)
}

/// The name of a kind in the table.
pub(super) fn name_of(kind: ReactionKind) -> &'static str {
    match kind {
        ReactionKind::Held => "held",
        ReactionKind::Driven => "driven",
        ReactionKind::Joint => "joint",
    }
}

fn fields(leading: &[String; 2], reaction: &Reaction<'_>) -> Vec<String> {
    let names = [name_of(reaction.kind), reaction.name, reaction.body];
    let numbers = (reaction.place.iter())
        .chain(reaction.force.iter())
        .chain(reaction.torque.iter());
    // The shortest text that reads back as the same double.
    let numbers = numbers.map(|number| format!("{number:?}"));
    let names = names.into_iter().map(str::to_owned);
    leading
        .iter()
        .cloned()
        .chain(names)
        .chain(numbers)
        .collect()
}
