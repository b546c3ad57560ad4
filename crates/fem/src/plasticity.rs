//! Plastic flow: the permanent part of a strain.

/// Perfect J2 plasticity: above the yield stress all further shear is permanent, changes of volume never are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VonMises {
    /// Shear modulus `μ` (Pa).
    pub shear_modulus: f64,
    /// `σ_y`: von Mises stress at yield (Pa).
    pub yield_stress: f64,
}

impl VonMises {
    /// Updates the plastic strain by radial return; returns whether the material flows.
    ///
    /// ```text
    /// e = dev(ε − ε_p)          ε_p += (1 − σ_y/σ) e     where σ > σ_y, the von Mises stress of ε − ε_p
    /// ```
    ///
    /// Strains are in the order 11, 22, 33, 12, 23, 13, with engineering shears.
    ///
    /// # Source
    /// Simo & Hughes 1998, *Computational Inelasticity*, §3.3; differs in: strains of finite rotations, measured in the
    /// co-rotated frame.
    pub fn flow(&self, strain: &[f64; 6], plastic: &mut [f64; 6]) -> bool {
        let elastic = std::array::from_fn(|row| strain[row] - plastic[row]);
        let stress = self.von_mises(&elastic);
        if stress.is_nan() || stress <= self.yield_stress {
            return false;
        }
        let share = 1.0 - self.yield_stress / stress;
        for (kept, e) in plastic.iter_mut().zip(deviator(&elastic)) {
            *kept += share * e;
        }
        true
    }

    /// Von Mises stress of an elastic strain, Pa: `√(3/2) 2μ |dev ε|`; compared with the yield stress.
    pub fn von_mises(&self, elastic: &[f64; 6]) -> f64 {
        let e = deviator(elastic);
        let size = e[..3].iter().map(|x| x * x).sum::<f64>()
            + 0.5 * e[3..].iter().map(|x| x * x).sum::<f64>();
        6.0_f64.sqrt() * self.shear_modulus * size.sqrt()
    }
}

/// Deviatoric part of a strain: change of shape without change of volume.
fn deviator(strain: &[f64; 6]) -> [f64; 6] {
    let mean = (strain[0] + strain[1] + strain[2]) / 3.0;
    let mut e = *strain;
    for value in &mut e[..3] {
        *value -= mean;
    }
    e
}
