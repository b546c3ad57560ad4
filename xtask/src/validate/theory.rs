//! Closed forms and ordinary differential equations; shares no code with the program.

use nalgebra::{Matrix3, Vector3};

/// Laws of hyperelastic solids in principal stretches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Law {
    Corotational,
    NeoHookean,
    StVenantKirchhoff,
}

impl Law {
    pub(super) const ALL: [Self; 3] = [
        Self::Corotational,
        Self::NeoHookean,
        Self::StVenantKirchhoff,
    ];

    /// Its name in a scene.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Corotational => "corotational",
            Self::NeoHookean => "neo_hookean",
            Self::StVenantKirchhoff => "st_venant_kirchhoff",
        }
    }

    /// Energy per volume, and its derivatives by the principal stretches, in units of Young's modulus.
    pub(super) fn response(self, poisson: f64, s: Vector3<f64>) -> (f64, Vector3<f64>) {
        let [first, shear] = lame(poisson);
        match self {
            Self::Corotational => {
                let e = s.add_scalar(-1.0);
                let trace = e.sum();
                let energy = shear * e.norm_squared() + 0.5 * first * trace * trace;
                (energy, e * (2.0 * shear) + Vector3::repeat(first * trace))
            }
            Self::NeoHookean => {
                let log = s.product().ln();
                let energy =
                    0.5 * shear * (s.norm_squared() - 3.0) - shear * log + 0.5 * first * log * log;
                (energy, s.map(|s| shear * (s - 1.0 / s) + first * log / s))
            }
            Self::StVenantKirchhoff => {
                let e = s.map(|s| 0.5 * (s * s - 1.0));
                let trace = e.sum();
                let energy = shear * e.norm_squared() + 0.5 * first * trace * trace;
                (
                    energy,
                    s.zip_map(&e, |s, e| s * (2.0 * shear * e + first * trace)),
                )
            }
        }
    }

    /// Energy per volume and von Mises stress of a deformation gradient, in units of Young's modulus.
    pub(super) fn of_gradient(self, poisson: f64, gradient: Matrix3<f64>) -> [f64; 2] {
        let s = gradient.singular_values();
        let (energy, stress) = self.response(poisson, s);
        let cauchy = s.component_mul(&stress) / s.product();
        let deviator = cauchy.add_scalar(-cauchy.mean());
        [energy, 1.5_f64.sqrt() * deviator.norm()]
    }

    /// Stretch along a bar with free sides under the force `load`, in units of Young's modulus times its rest
    /// cross-section.
    pub(super) fn stretch(self, poisson: f64, load: f64) -> f64 {
        let stress = |along: f64, across: f64| {
            self.response(poisson, Vector3::new(along, across, across))
                .1
        };
        let free = |along: f64| root([0.05, 2.0], |across| stress(along, across).y);
        root([0.05, 4.0], |along| stress(along, free(along)).x - load)
    }
}

/// Lamé's parameters in units of Young's modulus.
pub(super) fn lame(poisson: f64) -> [f64; 2] {
    [
        poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
        0.5 / (1.0 + poisson),
    ]
}

/// Root of an increasing function, by bisection to rounding.
pub(super) fn root([mut low, mut high]: [f64; 2], mut f: impl FnMut(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The solution of `y' = f(y)` at time `end` by the classical Runge-Kutta method.
pub(super) fn integrate<const N: usize>(
    mut y: [f64; N],
    end: f64,
    steps: u32,
    f: impl Fn(&[f64; N]) -> [f64; N],
) -> [f64; N] {
    let step = end / f64::from(steps);
    let plus =
        |y: &[f64; N], k: &[f64; N], factor: f64| std::array::from_fn(|i| y[i] + factor * k[i]);
    for _ in 0..steps {
        let k1 = f(&y);
        let k2 = f(&plus(&y, &k1, 0.5 * step));
        let k3 = f(&plus(&y, &k2, 0.5 * step));
        let k4 = f(&plus(&y, &k3, step));
        y = std::array::from_fn(|i| {
            y[i] + step / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
        });
    }
    y
}

/// Deflection of the tip of a clamped elastica under a lateral dead load, over its length; `load` is `P L² / EI`.
///
/// From the tip, `θ'' = −(P L²/EI) cos θ` with `θ' = 0` there and `θ = 0` at the clamp.
pub(super) fn elastica(load: f64) -> f64 {
    let shoot = |tip: f64| {
        integrate([tip, 0.0, 0.0], 1.0, 400, |y| {
            [y[1], -load * y[0].cos(), y[0].sin()]
        })
    };
    let tip = root([0.0, std::f64::consts::FRAC_PI_2], |tip| shoot(tip)[0]);
    shoot(tip)[2]
}
