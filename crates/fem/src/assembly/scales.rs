//! Factors of the terms of the assembled system.

/// Factors of the terms of `A = M + damping·(a_M M + a_K K) + stiffness·K` and of the elastic forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AssemblyScales {
    /// Factor of the elastic forces in the right-hand side; `h` for impulses.
    pub force: f64,
    /// Factor of the stiffness matrix `K = −∂f/∂x`; `h²` for an implicit step.
    pub stiffness: f64,
    /// Factor of the damping matrix `a_M M + a_K K`; `h` for an implicit step.
    pub damping: f64,
}

impl AssemblyScales {
    /// The implicit Euler step of length `h` (s): `A = M + h C + h² K`, `b = M v + h f`.
    pub fn implicit_euler(h: f64) -> Self {
        Self {
            force: h,
            stiffness: h * h,
            damping: h,
        }
    }
}
