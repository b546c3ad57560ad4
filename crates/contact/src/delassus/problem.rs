//! A bare friction problem: `W`, `q`, `mu`.

use super::{BlockRows, FrictionError};
use nalgebra::Vector3;

/// Largest `|W − Wᵀ|` over `max |W|` that counts as rounding of a stored matrix.
///
/// Files of single-precision programs have up to 2e-3; a missing factor or triangle is far above.
const ASYMMETRY: f64 = 1e-2;

/// `u = W r + q` with Signorini's and Coulomb's laws at every contact, at the level of velocities.
///
/// | field | symbol | shape |
/// |---|---|---|
/// | `delassus` | `W` | `3nc × 3nc` |
/// | `free_velocity` | `q` | 3 per contact |
/// | `friction` | `μ` | 1 per contact |
///
/// Components of every contact are `(N, T₁, T₂)`: `u_N > 0` separates, `r_N > 0` pushes apart. Units are the caller's.
#[derive(Debug, Clone, PartialEq)]
pub struct FrictionProblem {
    name: String,
    delassus: BlockRows,
    free_velocity: Vec<Vector3<f64>>,
    friction: Vec<f64>,
}

impl FrictionProblem {
    /// A validated problem.
    ///
    /// `W` is used as given, with the rounding of its symmetry.
    ///
    /// # Errors
    /// [`FrictionError`] for arrays that do not fit, numbers that are not finite, negative coefficients, a `W` that is
    /// far from symmetric or that leaves a contact no normal compliance.
    pub fn new(
        name: impl Into<String>,
        delassus: BlockRows,
        free_velocity: Vec<Vector3<f64>>,
        friction: Vec<f64>,
    ) -> Result<Self, FrictionError> {
        let problem = Self {
            name: name.into(),
            delassus,
            free_velocity,
            friction,
        };
        problem.check_numbers()?;
        problem.check_diagonal()?;
        problem.check_symmetry()?;
        Ok(problem)
    }

    /// Name of the problem.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.friction.len()
    }

    /// `W`.
    pub fn delassus(&self) -> &BlockRows {
        &self.delassus
    }

    /// `q`: relative velocity of each contact without any reaction.
    pub fn free_velocity(&self) -> &[Vector3<f64>] {
        &self.free_velocity
    }

    /// `μ` of each contact.
    pub fn friction(&self) -> &[f64] {
        &self.friction
    }

    /// The same with the symmetric part of `W`, the problem of methods that read one triangle.
    #[must_use]
    pub fn symmetric_part(&self) -> Self {
        Self {
            delassus: self.delassus.symmetric_part(),
            ..self.clone()
        }
    }

    fn check_numbers(&self) -> Result<(), FrictionError> {
        let contacts = self.contacts();
        FrictionError::check_size("q", self.free_velocity.len(), contacts)?;
        FrictionError::check_size("W", self.delassus.size(), contacts)?;
        for (contact, &value) in self.friction.iter().enumerate() {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(FrictionError::NegativeFriction { contact, value });
            }
        }
        for (contact, q) in self.free_velocity.iter().enumerate() {
            FrictionError::check_finite("q of contact", contact, q)?;
        }
        for contact in 0..contacts {
            for block in self.delassus.row(contact).1 {
                FrictionError::check_finite("W in the row of contact", contact, block)?;
            }
        }
        Ok(())
    }

    fn check_diagonal(&self) -> Result<(), FrictionError> {
        for contact in 0..self.contacts() {
            let diagonal = self.delassus.diagonal(contact).diagonal();
            if diagonal[0] <= 0.0 {
                let value = diagonal[0];
                return Err(FrictionError::NoCompliance { contact, value });
            }
            for axis in 1..3 {
                let value = diagonal[axis];
                if value < 0.0 {
                    return Err(FrictionError::NegativeDiagonal {
                        contact,
                        axis,
                        value,
                    });
                }
            }
        }
        Ok(())
    }

    fn check_symmetry(&self) -> Result<(), FrictionError> {
        let w = &self.delassus;
        let largest = (0..w.size())
            .flat_map(|row| w.row(row).1)
            .fold(0.0, |most: f64, block| most.max(block.amax()));
        for row in 0..w.size() {
            let (columns, blocks) = w.row(row);
            for (&column, block) in columns.iter().zip(blocks) {
                let column = column as usize;
                let (mirrored, mirror_blocks) = w.row(column);
                let difference = match mirrored.binary_search(&(row as u32)) {
                    Ok(place) => (block - mirror_blocks[place].transpose()).amax(),
                    Err(_) => block.amax(),
                };
                if difference > ASYMMETRY * largest {
                    return Err(FrictionError::NotSymmetric {
                        row,
                        column,
                        difference,
                        largest,
                    });
                }
            }
        }
        Ok(())
    }
}
