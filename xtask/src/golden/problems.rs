//! The contact problem of a run with the most contacts, solved by every method that supports it.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use impinge_contact::compliance::TurnedBodies;
use impinge_contact::{ContactError, ContactSolution, Method, StoredProblem};
use impinge_sim::stepper::{Solve, SolveObserver};

use super::book::Line;
use super::digest;

/// Iteration limit for methods that do not converge; their iterate there is a result, too.
const MOST_ITERATIONS: u64 = 500;

/// Keeps the problem with the most contacts; clones share it.
#[derive(Clone, Default)]
pub(super) struct Largest(Arc<Mutex<Option<Kept>>>);

/// A problem, its warm start and the data of its bodies.
struct Kept {
    bytes: Vec<u8>,
    contacts: usize,
    bodies: Option<Arc<TurnedBodies>>,
}

impl SolveObserver for Largest {
    fn solved(&mut self, solve: &Solve<'_>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let contacts = solve.problem.contacts();
        if kept.as_ref().is_none_or(|kept| contacts > kept.contacts) {
            let stored = StoredProblem {
                problem: solve.problem.clone(),
                start: solve.start.clone(),
                method: solve.method,
                origin: impinge_contact::stored::Origin::default(),
            };
            *kept = Some(Kept {
                bytes: stored.to_bytes(),
                contacts,
                bodies: solve.bodies.cloned(),
            });
        }
    }

    fn wants_bodies(&self) -> bool {
        true
    }
}

impl Largest {
    /// The results of all methods on the problem, read from its file.
    pub(super) fn results(&self, case: &str) -> Result<Vec<Line>, Box<dyn Error>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(kept) = kept.as_ref() else {
            return Err("no contact problem was solved".into());
        };
        let contacts = kept.contacts as f64;
        let mut lines = vec![Line::new(case, "problem", &kept.bytes).with("contacts", contacts)];
        let stored = StoredProblem::from_bytes(&kept.bytes)?;
        for name in Method::NAMES.into_iter().chain(Method::VARIANTS) {
            let mut method = Method::named(name, stored.method.tolerances())?;
            *method.max_iterations_mut() = MOST_ITERATIONS;
            let mut solver = method.solver();
            if let Some(bodies) = &kept.bodies {
                solver.know_bodies(bodies);
            }
            let mut solution = stored.start.clone();
            let quantity = format!("solve_{name}");
            lines.push(match solver.solve(&stored.problem, &mut solution) {
                Ok(report) => {
                    let mut bytes = bytes(&solution);
                    bytes.extend(report.iterations.to_le_bytes());
                    let speed = solution.velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
                    let force = solution.contacts.iter().map(|of| of.lambda).sum::<f64>();
                    let line = Line::new(case, quantity, &bytes);
                    line.with("velocity", speed).with("normal_force", force)
                }
                // The refusal of a problem is a result, its message is not.
                Err(ContactError::Setting { .. }) => return Err("a setting is refused".into()),
                Err(_) => Line::refused(case, quantity),
            });
        }
        Ok(lines)
    }
}

/// All bits of a solution.
fn bytes(solution: &ContactSolution) -> Vec<u8> {
    let mut bytes = digest::bits(solution.velocity.iter().chain(&solution.constraints));
    for contact in &solution.contacts {
        bytes.push(contact.state as u8);
        bytes.extend(digest::bits(&[contact.lambda, contact.previous_lambda]));
        let pairs = [contact.gamma, contact.sliding_force, contact.slip_direction];
        bytes.extend(digest::bits(pairs.as_flattened()));
    }
    bytes
}
