//! Rows and geometric stiffness against differences of `φ`; sums over translations; definiteness.

use super::catalogue::{Numbers, State, all};
use impinge_contact::constraint::{
    BodyBlocks, Configuration, Constraint, Definiteness, Evaluation, Frame, Layout, Placement,
};
use impinge_krylov::direct::symmetric_eigen;
use nalgebra::{DMatrix, DVector, Matrix3, UnitQuaternion, Vector3};
use proptest::prelude::*;

/// Blocks: eight particles, then two for each of three bodies.
const BLOCKS: usize = 8 + 2 * 3;

struct Blocks {
    particles: Vec<Option<u32>>,
    bodies: Vec<Option<BodyBlocks>>,
}

impl Blocks {
    fn new() -> Self {
        Self {
            particles: (0..8).map(Some).collect(),
            bodies: (0..3)
                .map(|body| {
                    Some(BodyBlocks {
                        first: 8 + 2 * body,
                        axes: Matrix3::identity(),
                    })
                })
                .collect(),
        }
    }

    fn placement<'a>(&'a self, state: &'a State) -> Placement<'a> {
        Placement {
            state: Configuration {
                particles: &state.particles,
                frames: &state.frames,
            },
            layout: Layout {
                particles: &self.particles,
                bodies: &self.bodies,
            },
        }
    }
}

/// `φ` after a displacement `by`, one vector per block; rotations in exponential coordinates.
fn value_at(constraint: &Constraint, state: &State, by: &DVector<f64>) -> DVector<f64> {
    let block = |index: usize| Vector3::from_column_slice(&by.as_slice()[3 * index..][..3]);
    let moved = State {
        particles: (state.particles.iter().enumerate())
            .map(|(i, x)| x + block(i))
            .collect(),
        frames: (state.frames.iter().enumerate())
            .map(|(i, frame)| Frame {
                center: frame.center + block(8 + 2 * i),
                orientation: UnitQuaternion::from_scaled_axis(block(9 + 2 * i)) * frame.orientation,
            })
            .collect(),
    };
    let blocks = Blocks::new();
    let mut evaluation = Evaluation::default();
    evaluation.rows(constraint, &blocks.placement(&moved));
    DVector::from_vec(evaluation.value)
}

/// Dense rows and stiffness.
fn evaluate(
    constraint: &Constraint,
    state: &State,
    lambda: &[f64],
    definiteness: Definiteness,
) -> (DMatrix<f64>, DMatrix<f64>) {
    let blocks = Blocks::new();
    let placement = blocks.placement(state);
    let mut evaluation = Evaluation::default();
    evaluation.rows(constraint, &placement);
    evaluation.stiffness(constraint, &placement, lambda, definiteness);
    let count = evaluation.blocks.len();
    let mut rows = DMatrix::zeros(constraint.rows(), 3 * BLOCKS);
    let mut stiffness = DMatrix::zeros(3 * BLOCKS, 3 * BLOCKS);
    for (a, &block) in evaluation.blocks.iter().enumerate() {
        let at = 3 * block as usize;
        for row in 0..constraint.rows() {
            let entry = evaluation.jacobian[row * count + a].transpose();
            rows.fixed_view_mut::<1, 3>(row, at).copy_from(&entry);
        }
        for (b, &other) in evaluation.blocks.iter().enumerate() {
            stiffness
                .fixed_view_mut::<3, 3>(at, 3 * other as usize)
                .copy_from(&evaluation.stiffness[a * count + b]);
        }
    }
    for arm in &evaluation.turning {
        let at = 3 * (9 + 2 * arm.body);
        let mut block = stiffness.fixed_view_mut::<3, 3>(at, at);
        block += arm.stiffness();
    }
    (rows, stiffness)
}

fn difference_rows(constraint: &Constraint, state: &State, h: f64) -> DMatrix<f64> {
    let mut rows = DMatrix::zeros(constraint.rows(), 3 * BLOCKS);
    for unknown in 0..3 * BLOCKS {
        let mut by = DVector::zeros(3 * BLOCKS);
        by[unknown] = h;
        let change = value_at(constraint, state, &by) - value_at(constraint, state, &-&by);
        rows.set_column(unknown, &(change / (2.0 * h)));
    }
    rows
}

/// `∇²(λ·φ)` by central differences of values alone.
fn difference_stiffness(
    constraint: &Constraint,
    state: &State,
    lambda: &DVector<f64>,
    touched: &[usize],
    h: f64,
) -> DMatrix<f64> {
    let mut hessian = DMatrix::zeros(3 * BLOCKS, 3 * BLOCKS);
    let at = |i: usize, k: usize, si: f64, sk: f64| {
        let mut by = DVector::zeros(3 * BLOCKS);
        by[i] += si * h;
        by[k] += sk * h;
        lambda.dot(&value_at(constraint, state, &by))
    };
    for &i in touched {
        for &k in touched.iter().filter(|&&k| k <= i) {
            let value = (at(i, k, 1.0, 1.0) - at(i, k, 1.0, -1.0) - at(i, k, -1.0, 1.0)
                + at(i, k, -1.0, -1.0))
                / (4.0 * h * h);
            hessian[(i, k)] = value;
            hessian[(k, i)] = value;
        }
    }
    hessian
}

/// Length scale of the derivatives: 1, and for principal stretches their smallest distance, because `φᵢ` has the second
/// derivative `1/(σᵢ − σⱼ)`, and growing higher ones.
fn length_scale(name: &str, constraint: &Constraint, state: &State) -> f64 {
    if !name.starts_with("stretches") {
        return 1.0;
    }
    let value = value_at(constraint, state, &DVector::zeros(3 * BLOCKS));
    let [s1, s2, s3] = [value[0], value[1], value[2]].map(|phi| 1.0 + phi);
    (s1 - s2).min(s2 - s3).min(s2 + s3).min(1.0)
}

proptest! {
    #![proptest_config(crate::support::cases(3))]

    /// Rows to 1e-8, with order 2; stiffness to 1e-5, exactly symmetric.
    #[test]
    fn rows_and_stiffness_are_derivatives(seed in any::<u64>()) {
        let mut numbers = Numbers::new(seed);
        let state = State::random(&mut numbers);
        for (name, constraint) in all(&mut numbers) {
            let lambda: Vec<f64> = (0..constraint.rows()).map(|_| numbers.number()).collect();
            let (rows, stiffness) = evaluate(&constraint, &state, &lambda, Definiteness::Exact);
            let scale = length_scale(name, &constraint, &state);
            if scale < 1e-3 {
                // For closer stretches, differences of values lose all digits of the second derivative.
                continue;
            }
            // Errors are (h/d)² from curvature and ε/h from rounding: least at h³ = ε d².
            let h = 1e-6_f64.min((f64::EPSILON * scale * scale).cbrt());
            let error = (&rows - difference_rows(&constraint, &state, h)).norm() / rows.norm();
            prop_assert!(error < 1e-8, "{name}: rows {error:e}");
            let step = 1e-3_f64.min(2e-2 * scale);
            let coarse = (&rows - difference_rows(&constraint, &state, 2.0 * step)).norm();
            let fine = (&rows - difference_rows(&constraint, &state, step)).norm();
            prop_assert!(
                fine < 1e-9 * rows.norm() || (coarse / fine - 4.0).abs() < 0.5,
                "{name}: order of the rows, {coarse:e} {fine:e}"
            );
            prop_assert_eq!(&stiffness, &stiffness.transpose(), "{}: symmetry", name);
            let touched: Vec<usize> = (0..3 * BLOCKS)
                .filter(|&i| rows.column(i).amax() > 0.0 || stiffness.column(i).amax() > 0.0)
                .collect();
            let lambda = DVector::from_vec(lambda);
            // (h/d)² against ε d/h²: least at h⁴ = ε d³.
            let h = 2e-4_f64.min((f64::EPSILON * scale.powi(3)).powf(0.25) * 2.0);
            let by_values = difference_stiffness(&constraint, &state, &lambda, &touched, h);
            let size = stiffness.norm().max(lambda.norm() * rows.norm() * 1e-2);
            let error = (&stiffness - by_values).norm() / size;
            prop_assert!(error < 1e-5, "{name}: stiffness {error:e}");
        }
    }

    /// No law resists a common translation of its points, unless it is fixed to the world.
    #[test]
    fn stiffness_sums_to_zero_over_translations(seed in any::<u64>()) {
        let mut numbers = Numbers::new(seed);
        let state = State::random(&mut numbers);
        for (name, constraint) in all(&mut numbers) {
            let to_the_world = constraint.points().iter().any(|p| p.constant.norm() > 0.0);
            if to_the_world || name == "skinned triangle" {
                continue;
            }
            let lambda: Vec<f64> = (0..constraint.rows()).map(|_| numbers.number()).collect();
            for definiteness in [Definiteness::Exact, Definiteness::Negative] {
                let (rows, stiffness) = evaluate(&constraint, &state, &lambda, definiteness);
                for axis in 0..3 {
                    let mut along = DVector::zeros(3 * BLOCKS);
                    for block in (0..8).chain([8, 10, 12]) {
                        along[3 * block + axis] = 1.0;
                    }
                    let resisted = (&stiffness * &along).amax();
                    prop_assert!(
                        resisted < 1e-12 * (stiffness.amax() + rows.amax()),
                        "{name}: {resisted:e}"
                    );
                    // Forces cancel, so momentum is conserved.
                    prop_assert!((&rows * &along).amax() < 1e-12 * rows.amax(), "{name}: rows");
                }
            }
        }
    }

    /// Projected stiffness never pushes, and equals the exact one if that is negative semi-definite.
    #[test]
    fn projected_stiffness_resists(seed in any::<u64>()) {
        let mut numbers = Numbers::new(seed);
        let state = State::random(&mut numbers);
        for (name, constraint) in all(&mut numbers) {
            if constraint.points().iter().any(|p| !p.terms.iter().all(is_particle))
                && constraint.law().projects_itself()
            {
                // The stiffness of arms is summed per body before it is projected.
                continue;
            }
            let lambda: Vec<f64> = (0..constraint.rows()).map(|_| numbers.number()).collect();
            let (_, exact) = evaluate(&constraint, &state, &lambda, Definiteness::Exact);
            let (_, projected) = evaluate(&constraint, &state, &lambda, Definiteness::Negative);
            let rounding = 1e-12 * exact.amax();
            prop_assert!(largest_eigenvalue(&projected) <= rounding, "{name}");
            if largest_eigenvalue(&exact) <= rounding {
                prop_assert!((&exact - &projected).amax() <= 1e2 * rounding, "{name}: changed");
            }
        }
    }
}

fn largest_eigenvalue(matrix: &DMatrix<f64>) -> f64 {
    let (values, _) = symmetric_eigen(matrix).expect("finite");
    values.last().copied().unwrap_or(0.0)
}

fn is_particle(term: &impinge_contact::constraint::Term) -> bool {
    matches!(term, impinge_contact::constraint::Term::Particle { .. })
}

/// `Jᵀ λ = −∂V/∂x` with `V = ½ φᵀ C⁻¹ φ` and `λ = −C⁻¹ φ`; the wrong sign makes simulations explode.
#[test]
fn forces_are_minus_the_gradient_of_the_energy() {
    let mut numbers = Numbers::new(5);
    let state = State::random(&mut numbers);
    for (name, constraint) in all(&mut numbers) {
        let n = constraint.rows();
        let root = DMatrix::from_fn(n, n, |_, _| numbers.number());
        let stiffness = &root * root.transpose() + DMatrix::identity(n, n);
        let energy = |by: &DVector<f64>| {
            let value = value_at(&constraint, &state, by);
            0.5 * value.dot(&(&stiffness * &value))
        };
        let lambda = -&stiffness * value_at(&constraint, &state, &DVector::zeros(3 * BLOCKS));
        let (rows, _) = evaluate(&constraint, &state, lambda.as_slice(), Definiteness::Exact);
        let force = rows.tr_mul(&lambda);
        let h = 1e-5;
        for unknown in 0..3 * BLOCKS {
            let mut by = DVector::zeros(3 * BLOCKS);
            by[unknown] = h;
            let slope = (energy(&by) - energy(&-&by)) / (2.0 * h);
            let error = (force[unknown] + slope).abs();
            assert!(error < 1e-7 * (1.0 + force.amax()), "{name}: {error:e}");
        }
    }
}
