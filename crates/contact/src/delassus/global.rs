//! Friction problems before condensation: `M v = H r + f`, `u = Hᵀ v + b`.

use super::{BlockRows, FrictionError, FrictionProblem};
use impinge_krylov::direct::SparseLu;
use nalgebra::{Matrix3, Vector3};
use nalgebra_sparse::CscMatrix;
use std::borrow::Cow;

/// Largest `|M − Mᵀ|` over `max |M|` (1) that passes for rounding of `M`: single precision, or six printed digits, with
/// a margin of ten. A gyroscopic or damping term that makes `M` asymmetric on purpose is far above.
const MASS_ROUNDING: f64 = 1e-5;

/// A friction problem before condensation.
///
/// | field | symbol | shape |
/// |---|---|---|
/// | `mass` | `M` | `n × n` |
/// | `directions` | `H` | `n × 3nc` |
/// | `forces` | `f` | `n` |
/// | `offsets` | `b` | 3 per contact |
/// | `friction` | `μ` | 1 per contact |
#[derive(Debug, Clone)]
pub struct GlobalFrictionProblem {
    /// Name of the problem.
    pub name: String,
    /// `M`, used as given: not assumed symmetric.
    pub mass: CscMatrix<f64>,
    /// `H`, one column per contact component.
    pub directions: CscMatrix<f64>,
    /// `f`.
    pub forces: Vec<f64>,
    /// `b`.
    pub offsets: Vec<Vector3<f64>>,
    /// `μ`.
    pub friction: Vec<f64>,
}

impl GlobalFrictionProblem {
    /// The same problem in the contacts alone: `W = Hᵀ M⁻¹ H`, `q = Hᵀ M⁻¹ f + b`.
    ///
    /// # Errors
    /// [`FrictionError::SingularMass`], [`FrictionError::Size`], or what [`FrictionProblem::new`] finds.
    ///
    /// # Cost
    /// One sparse LU of `M` and `3nc` solves.
    pub fn condense(&self) -> Result<FrictionProblem, FrictionError> {
        self.check()?;
        let contacts = self.friction.len();
        let mut lu = self.factorize()?;
        // Columns of H by the rows they touch: a solve is compared with the columns that meet it, not with all.
        let mut columns_of_row = vec![Vec::new(); self.mass.nrows()];
        for (column, lane) in self.directions.col_iter().enumerate() {
            for (&row, &value) in lane.row_indices().iter().zip(lane.values()) {
                columns_of_row[row].push((column, value));
            }
        }
        let mut triplets = Vec::new();
        let mut solved = vec![0.0; self.mass.nrows()];
        let mut lane = vec![Vector3::zeros(); 3 * contacts];
        for contact in 0..contacts {
            lane.fill(Vector3::zeros());
            for axis in 0..3 {
                solved.fill(0.0);
                let column = self.directions.col(3 * contact + axis);
                for (&row, &value) in column.row_indices().iter().zip(column.values()) {
                    solved[row] = value;
                }
                lu.solve_in_place(&mut solved);
                for (&x, meeting) in solved.iter().zip(&columns_of_row) {
                    for &(other, value) in meeting {
                        lane[other][axis] += value * x;
                    }
                }
            }
            for other in 0..contacts {
                let block = Matrix3::from_fn(|k, axis| lane[3 * other + k][axis]);
                if block != Matrix3::zeros() {
                    triplets.push((other, contact, block));
                }
            }
        }
        solved.copy_from_slice(&self.forces);
        lu.solve_in_place(&mut solved);
        let q = self.contact_velocity(&solved);
        let w = BlockRows::from_triplets(contacts, triplets)?;
        FrictionProblem::new(self.name.clone(), w, q, self.friction.clone())
    }

    /// Largest `|M − Mᵀ|` over `max |M|` (1); 0 where `M` is not square.
    pub fn asymmetry(&self) -> f64 {
        let most = |matrix: &CscMatrix<f64>| {
            let values = matrix.values().iter();
            values.fold(0.0, |most: f64, value| most.max(value.abs()))
        };
        let largest = most(&self.mass);
        if self.mass.nrows() != self.mass.ncols() || largest == 0.0 {
            return 0.0;
        }
        most(&(&self.mass - &self.mass.transpose())) / largest
    }

    /// [`condense`](Self::condense) for an ill-conditioned `M` with rounding errors too.
    ///
    /// The inverse of `M` magnifies its asymmetry by up to the condition number. If `W` is therefore not symmetric,
    /// although `M` is symmetric up to rounding, the problem of `(M + Mᵀ)/2` replaces the given one. It is returned
    /// with the condensed problem, because the reactions belong to its bodies.
    ///
    /// # Errors
    /// Those of [`condense`](Self::condense).
    pub fn condense_rounded(&self) -> Result<(FrictionProblem, Cow<'_, Self>), FrictionError> {
        match self.condense() {
            Err(FrictionError::NotSymmetric { .. }) if self.asymmetry() <= MASS_ROUNDING => {
                let symmetric = Self {
                    mass: (&self.mass + &self.mass.transpose()) * 0.5,
                    ..self.clone()
                };
                Ok((symmetric.condense()?, Cow::Owned(symmetric)))
            }
            condensed => Ok((condensed?, Cow::Borrowed(self))),
        }
    }

    /// `v = M⁻¹ (H r + f)`.
    ///
    /// # Errors
    /// [`FrictionError::SingularMass`] or [`FrictionError::Size`].
    pub fn velocity(&self, reactions: &[Vector3<f64>]) -> Result<Vec<f64>, FrictionError> {
        self.check()?;
        let mut v = self.loads(reactions)?;
        self.factorize()?.solve_in_place(&mut v);
        Ok(v)
    }

    /// `H r + f`.
    fn loads(&self, reactions: &[Vector3<f64>]) -> Result<Vec<f64>, FrictionError> {
        FrictionError::check_size("r", reactions.len(), self.friction.len())?;
        let mut loads = self.forces.clone();
        for (column, lane) in self.directions.col_iter().enumerate() {
            let reaction = reactions[column / 3][column % 3];
            for (&row, &value) in lane.row_indices().iter().zip(lane.values()) {
                loads[row] += value * reaction;
            }
        }
        Ok(loads)
    }

    /// `u = Hᵀ v + b`.
    ///
    /// # Panics
    /// If `velocity` is not as long as `M` has rows.
    #[track_caller]
    pub fn contact_velocity(&self, velocity: &[f64]) -> Vec<Vector3<f64>> {
        assert_eq!(
            velocity.len(),
            self.mass.nrows(),
            "one velocity per unknown"
        );
        let mut u = self.offsets.clone();
        for (column, lane) in self.directions.col_iter().enumerate() {
            for (&row, &value) in lane.row_indices().iter().zip(lane.values()) {
                u[column / 3][column % 3] += value * velocity[row];
            }
        }
        u
    }

    fn factorize(&self) -> Result<SparseLu, FrictionError> {
        let unknowns = self.mass.nrows();
        let singular = |_| FrictionError::SingularMass { unknowns };
        let mut lu = SparseLu::new(&self.mass).map_err(singular)?;
        lu.factorize(&self.mass).map_err(singular)?;
        // A zero pivot shows in a solve.
        let mut probe = vec![1.0; unknowns];
        lu.solve_in_place(&mut probe);
        if probe.iter().all(|x| x.is_finite()) {
            Ok(lu)
        } else {
            Err(FrictionError::SingularMass { unknowns })
        }
    }

    pub(super) fn check(&self) -> Result<(), FrictionError> {
        let contacts = self.friction.len();
        let unknowns = self.mass.nrows();
        for (what, found, expected) in [
            ("M's columns", self.mass.ncols(), unknowns),
            ("H's rows", self.directions.nrows(), unknowns),
            ("H's columns", self.directions.ncols(), 3 * contacts),
            ("f", self.forces.len(), unknowns),
            ("b", self.offsets.len(), contacts),
        ] {
            FrictionError::check_size(what, found, expected)?;
        }
        let finite = |what, numbers: &[f64]| match numbers.iter().position(|x| !x.is_finite()) {
            Some(index) => Err(FrictionError::NotFinite {
                what,
                index,
                value: numbers[index],
            }),
            None => Ok(()),
        };
        finite("stored value of M", self.mass.values())?;
        finite("stored value of H", self.directions.values())?;
        finite("f", &self.forces)
    }
}
