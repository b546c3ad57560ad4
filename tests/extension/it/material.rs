//! A material: neo-Hookean, written from its energy.

use crate::support::{THROW, broken, run, simulation};
use impinge_fem::{CustomMaterial, Hyperelastic, MaterialError, Tangent};
use impinge_sim::extension::{ExtensionKind, Extensions};
use impinge_sim::{SimError, Simulation};
use nalgebra::{Matrix3, Vector3};

/// `Ψ = (μ/2)(Σσᵢ² − 3) − μ ln J + (λ/2) ln² J`, for elements that do not invert.
struct NeoHookean {
    mu: f64,
    lambda: f64,
}

impl NeoHookean {
    fn new(young: f64, poisson: f64) -> Self {
        Self {
            mu: young / (2.0 * (1.0 + poisson)),
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
        }
    }
}

impl Hyperelastic for NeoHookean {
    fn energy_density(&self, f: &Matrix3<f64>) -> f64 {
        let log = f.determinant().ln();
        0.5 * self.mu * (f.norm_squared() - 3.0) - self.mu * log + 0.5 * self.lambda * log * log
    }

    fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        let log = f.determinant().ln();
        let inverse = f.try_inverse().expect("a regular deformation").transpose();
        f * self.mu + inverse * (self.lambda * log - self.mu)
    }

    fn exact_tangent(&self, f: &Matrix3<f64>) -> Tangent {
        let svd = f.svd(true, true);
        let left = svd.u.expect("left axes");
        let right = svd.v_t.expect("right axes").transpose();
        let s: Vector3<f64> = svd.singular_values;
        let (mu, lambda) = (self.mu, self.lambda);
        let beta = mu - lambda * s.product().ln();
        let stretch = Matrix3::from_fn(|i, j| {
            let own = if i == j {
                mu + beta / (s[i] * s[i])
            } else {
                0.0
            };
            own + lambda / (s[i] * s[j])
        });
        let pairs = [(0, 1), (0, 2), (1, 2)];
        // (pᵢ − pⱼ)/(σᵢ − σⱼ) and (pᵢ + pⱼ)/(σᵢ + σⱼ) of p = μσ − β/σ.
        let shear = pairs.map(|(i, j)| mu + beta / (s[i] * s[j]));
        let twist = pairs.map(|(i, j)| mu - beta / (s[i] * s[j]));
        Tangent {
            left,
            right,
            stretch,
            shear: Vector3::from(shear),
            twist: Vector3::from(twist),
        }
    }
}

/// Distance that positions may differ by (m): rounding of two ways to compute one stress, over 40 steps with contact.
const SAME: f64 = 1e-9;

#[test]
fn a_material_from_its_energy_moves_as_ours() {
    let own = run(THROW, Extensions::new(), 40);
    let material = CustomMaterial::new("mine", NeoHookean::new(1e5, 0.3)).expect("consistent");
    let extended = run(THROW, Extensions::new().material("cube", material), 40);
    let apart = own.positions.iter().zip(&extended.positions);
    let apart = apart.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(apart < SAME, "{apart:e} m");
    // The cube is deformed: another material would have moved otherwise.
    let soft = CustomMaterial::new("soft", NeoHookean::new(5e4, 0.3)).expect("consistent");
    let other = run(THROW, Extensions::new().material("cube", soft), 40);
    let apart = own.positions.iter().zip(&other.positions);
    assert!(apart.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) > 1e-4);
}

/// One contract broken: a stress that is not the derivative of the energy.
struct Inconsistent(NeoHookean);

impl Hyperelastic for Inconsistent {
    fn energy_density(&self, f: &Matrix3<f64>) -> f64 {
        1.01 * self.0.energy_density(f)
    }

    fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        self.0.stress(f)
    }

    fn exact_tangent(&self, f: &Matrix3<f64>) -> Tangent {
        self.0.exact_tangent(f)
    }
}

/// Another: NaN beyond a compression that is not among the samples of the check.
struct Undefined(NeoHookean);

impl Hyperelastic for Undefined {
    fn energy_density(&self, f: &Matrix3<f64>) -> f64 {
        self.0.energy_density(f)
    }

    fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        let beyond = if f.determinant() < 0.9 { f64::NAN } else { 1.0 };
        self.0.stress(f) * beyond
    }

    fn exact_tangent(&self, f: &Matrix3<f64>) -> Tangent {
        self.0.exact_tangent(f)
    }
}

#[test]
fn an_inconsistent_material_is_refused() {
    let refused = CustomMaterial::new("torn", Inconsistent(NeoHookean::new(1e5, 0.3)));
    let Err(MaterialError::Custom { name, problem }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(name, "torn");
    assert!(problem.contains("derivative of its energy"), "{problem}");
}

#[test]
fn a_material_that_gives_nan_ends_the_step_by_its_name() {
    let material = CustomMaterial::new("undefined", Undefined(NeoHookean::new(2e3, 0.3)));
    let material = material.expect("sound at the samples");
    let mut simulation = simulation(THROW, Extensions::new().material("cube", material));
    let error = (0..40).find_map(|_| simulation.advance().err());
    let error = error.expect("a compression below 0.9");
    broken(&error, ExtensionKind::Material, "undefined");
    assert!(
        simulation
            .state()
            .positions
            .iter()
            .flatten()
            .all(|x| x.is_finite())
    );
}

#[test]
fn a_material_without_its_body_is_refused() {
    let material = CustomMaterial::new("mine", NeoHookean::new(1e5, 0.3)).expect("consistent");
    let extensions = Extensions::new().material("ball", material);
    let Err(SimError::Extension(error)) =
        Simulation::extended(&crate::support::scene(THROW), extensions)
    else {
        panic!("there is no ball");
    };
    assert!(error.to_string().contains("`ball`"), "{error}");
}
