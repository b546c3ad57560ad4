//! Radial return: onto the yield surface, without change of volume, and only from beyond it.

use impinge_fem::VonMises;

const LAW: VonMises = VonMises {
    shear_modulus: 1e6,
    yield_stress: 1e4,
};

/// Computed from the stresses.
fn von_mises(strain: &[f64; 6], plastic: &[f64; 6]) -> f64 {
    let s: [f64; 6] = std::array::from_fn(|row| {
        let factor = if row < 3 { 2.0 } else { 1.0 };
        LAW.shear_modulus * factor * (strain[row] - plastic[row])
    });
    let differences = (s[0] - s[1]).powi(2) + (s[1] - s[2]).powi(2) + (s[2] - s[0]).powi(2);
    let shears = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    (0.5 * differences + 3.0 * shears).sqrt()
}

/// Afterwards the stress is on the yield surface, the plastic strain has no volume, and nothing flows again.
#[test]
fn stress_returns_to_the_yield_surface() {
    let strain = [0.03, -0.01, 0.02, 0.05, -0.02, 0.01];
    let mut plastic = [0.0; 6];
    assert!(von_mises(&strain, &plastic) > 3.0 * LAW.yield_stress);
    assert!(LAW.flow(&strain, &mut plastic));
    let after = von_mises(&strain, &plastic);
    assert!((after / LAW.yield_stress - 1.0).abs() < 1e-9, "{after}");
    assert!(plastic[..3].iter().sum::<f64>().abs() < 1e-16);
    let kept = plastic;
    LAW.flow(&strain, &mut plastic);
    let moved = kept.iter().zip(plastic).map(|(a, b)| (a - b).abs());
    assert!(moved.fold(0.0, f64::max) < 1e-12);
}

/// Small strains and pressure are elastic.
#[test]
fn little_shear_and_any_pressure_are_elastic() {
    let mut plastic = [0.0; 6];
    assert!(!LAW.flow(&[-0.2, -0.2, -0.2, 0.0, 0.0, 0.0], &mut plastic));
    assert!(!LAW.flow(&[1e-3, -1e-3, 0.0, 1e-3, 0.0, 0.0], &mut plastic));
    assert!(plastic.iter().all(|&x| x.abs() < f64::MIN_POSITIVE));
}
