//! Alternating directions: a linear solve with `W + ρ D`, a projection on the cones, a multiplier.

use super::progress::{Progress, cone_projection};
use super::{
    FrictionError, FrictionMethod, FrictionProblem, FrictionReport, FrictionSolver, Target,
};
use crate::Interrupt;
use impinge_krylov::direct::SparseLu;
use nalgebra::Vector3;
use nalgebra_sparse::CscMatrix;

/// Over-relaxation that Eckstein & Bertsekas recommend.
const RELAXATION: f64 = 1.6;

/// Number of iterations between two evaluations of the errors and the balance.
const LOOK: u64 = 10;

/// `ρ` changes when one residual is this much larger than the other, by the square root of their ratio.
const IMBALANCE: f64 = 5.0;

/// ADMM with one weight per contact, `D_i = mean(diag W_ii) I`, and a factor `ρ` that balances its two residuals.
///
/// ```text
/// (W + ρ D) r = −q − μ‖ξ_T‖ e_N − ξ + ρ D z
/// z = P_K(r + (ρ D)⁻¹ ξ)
/// ξ ← ξ + ρ D (r − z)                 at the solution ξ = −û
/// ```
///
/// # Source
/// Acary, Brémond & Huber 2018 for the problem; Boyd et al. 2011, <https://doi.org/10.1561/2200000016>, 3.4.1 and
/// 3.4.3; differs from them in: the slip term `μ‖ξ_T‖` renewed at every iteration.
#[derive(Debug, Clone)]
pub struct Admm {
    /// Largest number of iterations.
    pub max_iterations: u64,
    progress: Progress,
}

impl Default for Admm {
    fn default() -> Self {
        Self::new(20_000)
    }
}

impl Admm {
    /// A solver with this limit.
    pub fn new(max_iterations: u64) -> Self {
        Self {
            max_iterations,
            progress: Progress::default(),
        }
    }
}

/// The state of one solve.
struct Splitting {
    diagonal: Vec<f64>,
    rho: f64,
    matrix: CscMatrix<f64>,
    lu: SparseLu,
    z: Vec<Vector3<f64>>,
    xi: Vec<Vector3<f64>>,
    stacked: Vec<f64>,
}

impl Splitting {
    fn new(problem: &FrictionProblem, start: &[Vector3<f64>]) -> Result<Self, FrictionError> {
        let contacts = problem.contacts();
        let w = problem.delassus();
        let matrix = w.to_csc();
        let lu = SparseLu::new(&matrix).map_err(|_| FrictionError::TooLarge { contacts })?;
        // ξ = −û of the start: a solution is a fixed point.
        let xi = (0..contacts).map(|i| {
            let u = w.row_times(i, start) + problem.free_velocity()[i];
            -Vector3::new(u.x + problem.friction()[i] * u.y.hypot(u.z), u.y, u.z)
        });
        Ok(Self {
            diagonal: w.mean_diagonals(),
            rho: 1.0,
            lu,
            z: start.to_vec(),
            xi: xi.collect(),
            stacked: vec![0.0; 3 * contacts],
            matrix,
        })
    }

    /// Factorises `W + ρ D`; false if it is singular.
    fn factorize(&mut self, problem: &FrictionProblem) -> bool {
        let fresh = problem.delassus().to_csc();
        self.matrix.values_mut().copy_from_slice(fresh.values());
        for column in 0..self.stacked.len() {
            let start = self.matrix.col_offsets()[column];
            let rows = &self.matrix.row_indices()[start..self.matrix.col_offsets()[column + 1]];
            let place = start + rows.partition_point(|&row| row < column);
            self.matrix.values_mut()[place] += self.rho * self.diagonal[column / 3];
        }
        self.lu.factorize(&self.matrix).is_ok()
    }

    /// One iteration; returns the primal `‖√D (r − z)‖` and the dual residual `ρ ‖√D Δz‖`, both in the same unit.
    fn iterate(&mut self, problem: &FrictionProblem) -> [f64; 2] {
        for (i, load) in self.stacked.chunks_exact_mut(3).enumerate() {
            let xi = self.xi[i];
            let slip = problem.friction()[i] * xi.y.hypot(xi.z);
            let target =
                self.z[i] * (self.rho * self.diagonal[i]) - problem.free_velocity()[i] - xi;
            load.copy_from_slice(&[target.x - slip, target.y, target.z]);
        }
        self.lu.solve_in_place(&mut self.stacked);
        let [mut primal, mut dual] = [0.0; 2];
        for (i, r) in self.stacked.chunks_exact(3).enumerate() {
            let weight = self.rho * self.diagonal[i];
            let r = Vector3::new(r[0], r[1], r[2]);
            let relaxed = r * RELAXATION + self.z[i] * (1.0 - RELAXATION);
            let z = cone_projection(&(relaxed + self.xi[i] / weight), problem.friction()[i]);
            self.xi[i] += (relaxed - z) * weight;
            primal += self.diagonal[i] * (r - z).norm_squared();
            dual += self.diagonal[i] * (z - self.z[i]).norm_squared();
            self.z[i] = z;
        }
        [primal.sqrt(), self.rho * dual.sqrt()]
    }
}

impl FrictionSolver for Admm {
    fn solve(
        &mut self,
        problem: &FrictionProblem,
        reactions: &mut [Vector3<f64>],
        target: &Target,
    ) -> Result<FrictionReport, FrictionError> {
        let (mut report, error) =
            (self.progress).start(FrictionMethod::Admm, problem, reactions, *target)?;
        if error > target.tolerance {
            let mut splitting = Splitting::new(problem, reactions)?;
            let mut sound = splitting.factorize(problem);
            while sound
                && self.progress.least > target.tolerance
                && report.admm_iterations < self.max_iterations
                && !self.progress.interrupt.is_raised()
            {
                let [primal, dual] = splitting.iterate(problem);
                report.admm_iterations += 1;
                if !report.admm_iterations.is_multiple_of(LOOK) {
                    continue;
                }
                let error = self.progress.check(problem, &splitting.z, &mut report);
                self.progress.offer(&splitting.z, error);
                let ratio = primal / dual;
                if ratio.is_finite()
                    && !(1.0 / IMBALANCE..=IMBALANCE).contains(&ratio)
                    && ratio > 0.0
                {
                    splitting.rho *= ratio.sqrt().clamp(0.1, 10.0);
                    sound = splitting.factorize(problem);
                }
            }
        }
        Ok(self.progress.finish(reactions, *target, report))
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.progress.interrupt = interrupt.clone();
    }
}
