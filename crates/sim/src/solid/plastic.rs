//! Materials that keep a part of their strain.

/// Rows of a constraint whose material flows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Yield {
    /// Index among the rows' constraints, then those in stiffness form.
    pub(crate) constraint: usize,
    /// Its first row among the rows of all of them.
    pub(crate) first_row: usize,
    /// `2 μ` (Pa).
    pub(crate) twice_shear: f64,
    /// Von Mises stress at which it flows (Pa).
    pub(crate) stress: f64,
}

/// Lets six strains flow: what is beyond the yield surface becomes plastic strain, by the radial return of perfect J2
/// plasticity.
///
/// ```text
/// e = dev(ε − ε_p),   σ = √(3/2) 2μ |e|         ε_p += (1 − σ_y/σ) e     where σ > σ_y
/// ```
///
/// Volume is elastic. Shears are engineering shears. Returns whether anything flowed.
///
/// # Source
/// Simo & Hughes 1998, *Computational Inelasticity*, §3.3; differs in: strains of finite rotations, measured in the frame that
/// turns with the element.
pub(crate) fn flow(of: &Yield, strain: &[f64], plastic: &mut [f64]) -> bool {
    let mut e: [f64; 6] = std::array::from_fn(|row| strain[row] - plastic[row]);
    let mean = (e[0] + e[1] + e[2]) / 3.0;
    for value in &mut e[..3] {
        *value -= mean;
    }
    let size =
        e[..3].iter().map(|x| x * x).sum::<f64>() + 0.5 * e[3..].iter().map(|x| x * x).sum::<f64>();
    let stress = 1.5_f64.sqrt() * of.twice_shear * size.sqrt();
    if stress.is_nan() || stress <= of.stress {
        return false;
    }
    let share = 1.0 - of.stress / stress;
    for (kept, e) in plastic.iter_mut().zip(e) {
        *kept += share * e;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: Yield = Yield {
        constraint: 0,
        first_row: 0,
        twice_shear: 2e6,
        stress: 1e4,
    };

    fn von_mises(strain: &[f64; 6], plastic: &[f64; 6]) -> f64 {
        let s: [f64; 6] = std::array::from_fn(|row| {
            let factor = if row < 3 { 1.0 } else { 0.5 };
            LAW.twice_shear * factor * (strain[row] - plastic[row])
        });
        let differences = (s[0] - s[1]).powi(2) + (s[1] - s[2]).powi(2) + (s[2] - s[0]).powi(2);
        let shears = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
        (0.5 * differences + 3.0 * shears).sqrt()
    }

    /// Afterwards the stress is on the yield surface, no volume is kept, and nothing flows again.
    #[test]
    fn stress_returns_to_the_yield_surface() {
        let strain = [0.03, -0.01, 0.02, 0.05, -0.02, 0.01];
        let mut plastic = [0.0; 6];
        assert!(von_mises(&strain, &plastic) > 3.0 * LAW.stress);
        assert!(flow(&LAW, &strain, &mut plastic));
        let after = von_mises(&strain, &plastic);
        assert!((after - LAW.stress).abs() < 1e-9 * LAW.stress, "{after}");
        assert!(plastic[..3].iter().sum::<f64>().abs() < 1e-16);
        let kept = plastic;
        flow(&LAW, &strain, &mut plastic);
        let moved = kept.iter().zip(plastic).map(|(a, b)| (a - b).abs());
        assert!(moved.fold(0.0, f64::max) < 1e-12);
    }

    /// Small strains and pressure are elastic.
    #[test]
    fn little_shear_and_any_pressure_are_elastic() {
        let mut plastic = [0.0; 6];
        assert!(!flow(
            &LAW,
            &[-0.2, -0.2, -0.2, 0.0, 0.0, 0.0],
            &mut plastic
        ));
        assert!(!flow(
            &LAW,
            &[1e-3, -1e-3, 0.0, 1e-3, 0.0, 0.0],
            &mut plastic
        ));
        assert!(plastic.iter().all(|&x| x.abs() < f64::MIN_POSITIVE));
    }
}
