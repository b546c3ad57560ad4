//! Checks `reactions.csv` against the scene and the frames.

use super::bodies::{Bodies, FORCE_ROUNDING};
use super::expected::Expected;
use super::tables::is_time_of;
use super::{Finding, Problem};
use crate::measure::reactions::{ReactionKind, reactions};
use crate::output::reactions::{COLUMNS, REACTIONS_CSV, name_of};
use crate::output::statistics::{for_each_row, number};
use crate::output::{Frame, FrameEntry, names};
use nalgebra::Vector3;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Forces on driven bodies and obstacles that nothing but contacts acts on, by step.
#[derive(Default)]
pub(super) struct ReactionRows(BTreeMap<u64, Vec<Driven>>);

/// Force on a driven body.
struct Driven {
    time: f64,
    body: String,
    /// In N.
    force: Vector3<f64>,
}

impl ReactionRows {
    /// Reads and checks the table in `folder`; `None` if its scene has none stored or cannot be built.
    pub(super) fn read(
        folder: &Path,
        expected: &Expected,
        findings: &mut Vec<Finding>,
    ) -> Option<Self> {
        let run = expected.run.as_ref()?;
        let known: BTreeSet<(&str, &str, &str)> = (reactions(&run.model, &run.state).ok()?.iter())
            .map(|reaction| (name_of(reaction.kind), reaction.name, reaction.body))
            .collect();
        if !expected.scene.stores_reactions() || known.is_empty() {
            return None;
        }
        // Joints act on driven bodies, too.
        let has_joints = !expected.scene.joints.is_empty();
        let mut rows = Self::default();
        let (mut last, mut wrong) = (0, None);
        let read = for_each_row(&folder.join(REACTIONS_CSV), &COLUMNS, |fields| {
            let (step, time) = (fields.get(0)?.parse().ok()?, number(fields, 1)?);
            let of = (fields.get(2)?, fields.get(3)?, fields.get(4)?);
            let mut numbers = [0.0; 9];
            for (index, value) in numbers.iter_mut().enumerate() {
                *value = number(fields, 5 + index).filter(|number| number.is_finite())?;
            }
            let is_next = step >= last && is_time_of(time, step, expected.scene.time.step);
            if wrong.is_none() && !is_next {
                wrong = Some(format!(
                    "a row of step {step} is not in order, or has another time"
                ));
            }
            if wrong.is_none() && !known.contains(&of) {
                wrong = Some(format!("the scene has no {} {} on {}", of.0, of.1, of.2));
            }
            last = step;
            if of.0 == name_of(ReactionKind::Driven) && !has_joints {
                let force = Vector3::new(numbers[3], numbers[4], numbers[5]);
                let body = names::printable(of.2);
                let of_step = rows.0.entry(step).or_default();
                of_step.push(Driven { time, body, force });
            }
            Some(())
        });
        let problem = match read {
            Err(error) => Some(Problem::Unreadable(error.to_string())),
            Ok(()) => wrong.map(Problem::Disagrees),
        };
        if let Some(problem) = problem {
            findings.push(Finding::of_file(REACTIONS_CSV, problem));
            return None;
        }
        Some(rows)
    }

    /// Checks that the reaction of a driven body balances the contact forces on it in the `frame` of `entry`.
    pub(super) fn compare(
        &self,
        bodies: &Bodies,
        entry: &FrameEntry,
        frame: &Frame,
        findings: &mut Vec<Finding>,
    ) {
        let rows = self.0.get(&entry.step).into_iter().flatten();
        // The last frame of a stopped run may lie within a step, which has no rows.
        for row in rows.filter(|row| row.time.to_bits() == entry.time.to_bits()) {
            let Driven {
                body: name,
                force: reaction,
                ..
            } = row;
            let mut named = (0u32..)
                .zip(&frame.names)
                .filter(|(_, other)| *other == name);
            let (Some((body, _)), None) = (named.next(), named.next()) else {
                // The name does not tell which of several bodies it is.
                continue;
            };
            let (force, size) = bodies.contact_force(body, frame);
            let off = (reaction + force).amax();
            if off.is_nan() || off > FORCE_ROUNDING * size {
                findings.push(Finding {
                    file: REACTIONS_CSV.to_owned(),
                    time: Some(entry.time),
                    problem: Problem::Disagrees(format!(
                        "the reaction of {name} does not balance the contact forces on it"
                    )),
                });
            }
        }
    }
}
