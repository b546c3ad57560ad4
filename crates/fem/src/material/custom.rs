//! Materials from outside this crate.

use super::{Hyperelastic, Lame, MaterialError, Response, Tangent};
use nalgebra::{Matrix3, Vector3};
use std::fmt;
use std::sync::Arc;

/// Step of the central differences that compare stress and energy, relative to a stretch of 1. Their error is its
/// square, `1e-10`, and rounding over it, `1e-11`.
const STEP: f64 = 1e-5;

/// Allowed difference of a stress or tangent from a central difference, relative to the stiffness at rest. Any value
/// above `1e-8` passes consistent materials, and a wrong term of a derivative is far above `1e-4`.
const TOLERANCE: f64 = 1e-4;

/// A material from outside this crate, shared between threads.
///
/// # Example
/// A material whose stress is that of a neo-Hookean solid, twice as stiff:
/// ```
/// use impinge_fem::{CustomMaterial, Hyperelastic, Material, Tangent};
/// use nalgebra::Matrix3;
///
/// struct Doubled(Material);
///
/// impl Hyperelastic for Doubled {
///     fn energy_density(&self, f: &Matrix3<f64>) -> f64 {
///         2.0 * self.0.energy_density(f)
///     }
///     fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
///         2.0 * self.0.stress(f)
///     }
///     fn exact_tangent(&self, f: &Matrix3<f64>) -> Tangent {
///         let tangent = self.0.exact_tangent(f);
///         Tangent {
///             stretch: 2.0 * tangent.stretch,
///             shear: 2.0 * tangent.shear,
///             twist: 2.0 * tangent.twist,
///             ..tangent
///         }
///     }
/// }
///
/// let rubber = Doubled(Material::neo_hookean(1e5, 0.3)?);
/// let material = Material::Custom(CustomMaterial::new("doubled", rubber)?);
/// assert!((material.lame().young() - 2e5).abs() < 1e-6);
/// # Ok::<(), impinge_fem::MaterialError>(())
/// ```
#[derive(Clone)]
pub struct CustomMaterial {
    name: Arc<str>,
    law: Arc<dyn Hyperelastic + Send + Sync>,
    lame: Lame,
}

impl CustomMaterial {
    /// The material of `law` under a name for messages, after a check of its contract at rest and at a few
    /// deformations.
    ///
    /// # Errors
    /// [`MaterialError::Custom`] if a value is not finite, the stress at rest is not zero, the stress is not the
    /// derivative of the energy, the tangent not that of the stress, the response not that stress, or the tangent at
    /// rest not that of an isotropic solid.
    pub fn new(
        name: impl Into<String>,
        law: impl Hyperelastic + Send + 'static,
    ) -> Result<Self, MaterialError> {
        let name = name.into();
        match lame_of(&law).and_then(|lame| check(&law, &lame).map(|()| lame)) {
            Ok(lame) => Ok(Self {
                name: name.into(),
                law: Arc::new(law),
                lame,
            }),
            Err(problem) => Err(MaterialError::Custom { name, problem }),
        }
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The Lamé parameters of small strains, from the tangent at rest.
    pub fn lame(&self) -> Lame {
        self.lame
    }

    pub(super) fn law(&self) -> &(dyn Hyperelastic + Send + Sync) {
        &*self.law
    }

    /// Whether energy, response and tangent at a deformation are all finite.
    pub(crate) fn is_finite_at(&self, deformation: &Matrix3<f64>) -> bool {
        self.law.energy_density(deformation).is_finite()
            && is_finite(&self.law.convex_response(deformation))
    }
}

impl fmt::Debug for CustomMaterial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomMaterial")
            .field("name", &self.name)
            .field("lame", &self.lame)
            .finish_non_exhaustive()
    }
}

/// Materials are equal if they share one law.
impl PartialEq for CustomMaterial {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.law, &other.law) && self.name == other.name
    }
}

/// The Lamé parameters of the tangent at rest.
fn lame_of(law: &dyn Hyperelastic) -> Result<Lame, String> {
    let tangent = law.exact_tangent(&Matrix3::identity());
    // The stiffness of a shear mode is twice the shear modulus at rest.
    let (shear, first) = (0.5 * tangent.shear[0], tangent.stretch[(0, 1)]);
    let young = shear * (3.0 * first + 2.0 * shear) / (first + shear);
    let poisson = 0.5 * first / (first + shear);
    Lame::new(young, poisson).map_err(|_| {
        format!(
            "its tangent at rest has λ = {first:e} Pa and μ = {shear:e} Pa; Young's modulus must be positive, and \
             Poisson's ratio between -1 and 0.5"
        )
    })
}

/// Deformations that the contract is checked at: rest, shear, and a stretch with a rotation.
fn samples() -> [Matrix3<f64>; 3] {
    [
        Matrix3::identity(),
        Matrix3::new(1.0, 0.1, 0.0, 0.0, 1.05, 0.02, 0.0, 0.0, 0.95),
        Matrix3::new(0.1, -0.9, 0.0, 1.1, 0.2, 0.1, 0.0, 0.05, 1.02),
    ]
}

fn check(law: &dyn Hyperelastic, lame: &Lame) -> Result<(), String> {
    let allowed = TOLERANCE * (lame.first().abs() + 2.0 * lame.shear_modulus());
    let identity = Matrix3::identity();
    // NaN differs from everything.
    let differs = |a: &Matrix3<f64>, b: &Matrix3<f64>| {
        (a - b).iter().any(|x| x.is_nan() || x.abs() > allowed)
    };
    let at_rest = law.stress(&identity);
    if differs(&at_rest, &Matrix3::zeros()) {
        return Err(format!(
            "its stress at rest is {at_rest} Pa; a body at rest must be free of stress"
        ));
    }
    let tangent = law.exact_tangent(&identity);
    let isotropic = Matrix3::from_element(lame.first())
        + Matrix3::from_diagonal_element(2.0 * lame.shear_modulus());
    let shear = tangent.shear.add_scalar(-2.0 * lame.shear_modulus());
    if differs(&tangent.stretch, &isotropic)
        || differs(&Matrix3::from_diagonal(&shear), &Matrix3::zeros())
    {
        return Err("its tangent at rest is not that of an isotropic solid".to_owned());
    }
    for f in samples() {
        let response = law.convex_response(&f);
        if !law.energy_density(&f).is_finite() || !is_finite(&response) {
            return Err(format!("its energy or response is not finite at F = {f}"));
        }
        let (stress, tangent) = (law.stress(&f), law.exact_tangent(&f));
        if differs(&response.stress, &stress) {
            return Err(format!(
                "the stress of its response is not its stress at F = {f}"
            ));
        }
        let by_energy = Matrix3::from_fn(|i, j| {
            let [ahead, behind] = [STEP, -STEP].map(|step| {
                let mut moved = f;
                moved[(i, j)] += step;
                law.energy_density(&moved)
            });
            (ahead - behind) / (2.0 * STEP)
        });
        if differs(&stress, &by_energy) {
            return Err(format!(
                "its stress is not the derivative of its energy at F = {f}"
            ));
        }
        for change in [
            Matrix3::new(1.0, 0.3, -0.2, 0.1, -0.7, 0.4, 0.5, -0.6, 0.8),
            Matrix3::new(0.0, 1.0, 0.2, -1.0, 0.3, 0.0, 0.6, 0.0, -0.4),
        ] {
            let [ahead, behind] = [STEP, -STEP].map(|step| law.stress(&(f + change * step)));
            if differs(
                &tangent.differential(&change),
                &((ahead - behind) / (2.0 * STEP)),
            ) {
                return Err(format!(
                    "its tangent is not the derivative of its stress at F = {f}"
                ));
            }
        }
    }
    Ok(())
}

fn is_finite(response: &Response) -> bool {
    let Tangent {
        left,
        right,
        stretch,
        shear,
        twist,
    } = &response.tangent;
    let matrices = [&response.stress, left, right, stretch];
    let finite = |vector: &Vector3<f64>| vector.iter().all(|x| x.is_finite());
    matrices.iter().all(|m| m.iter().all(|x| x.is_finite())) && finite(shear) && finite(twist)
}
