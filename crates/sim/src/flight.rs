//! The free flight of deformable bodies, which turns with them.
//!
//! # Why it turns
//! Implicit Euler lets every point fly straight, `x̂ = x + h v`. A body that spins swells on the way, its own elastic
//! forces pull it back, and angular momentum is lost: about `(h ω)²` of it in each step. Here every connected component
//! of a body flies as a rigid body does, with its deformation turning along, and the step solves for the deviation.
//!
//! # Equations
//! At the start of a step of `h` a component has the centre of mass `c` with the velocity `v_c`, the inertia `I`, the
//! angular momentum `L` about `c`, and `ω = I⁻¹ L`. With `r = x − c` every velocity splits into `v = v_c + ω × r + u`.
//! Without forces a rigid body of the same inertia turns by `R = exp(h ω̄)`, where `ω̄` is the mean angular velocity of
//! the implicit midpoint rule, `I(exp(½ h ω̄)) ω̄ = L`, and ends with `ω₊ = (R I Rᵀ)⁻¹ L`,
//! `ω̇₊ = −(R I Rᵀ)⁻¹ (ω₊ × L)`.
//!
//! The flight turns positions to `x_R = c + R r` along the mean velocity `w_R = (R r − r)/h`, and ends with the
//! velocity `v_c + ω₊ × R r + R u`. That takes the acceleration `a = ω̇₊ × R r + ω₊ × (ω₊ × R r + R u)`, which no force
//! gives, so it is taken off the forces. For the mean velocity `w = (x₊ − x)/h` the step reads
//!
//! ```text
//! (M + h C + h² K(x_R)) (w − w_R) = M (v_c + R u − h a) + h (f(x_R) + f_ext) − h a_M M (ω₊ × R r)
//! x₊ = x + h w          v₊ = w + (ω₊ × R r − w_R)
//! ```
//!
//! `f` and `K` are those of the turned shape, so one linearisation is exact for a body that turns without deforming.
//! Stiffness damping damps `w − w_R` alone. Without `ω` this is implicit Euler. The sums of `m a` vanish with those of
//! `m r` and `m u`; those of `m R r × a` vanish without `u`, and otherwise are the change of inertia by `u`. So a body
//! that keeps its shape keeps both momenta, and one that deforms keeps its angular momentum to second order in the
//! step.
//!
//! [`second_order`] says how a step of second order differs from this.
//!
//! A component with prescribed points flies straight: its holding forces change its angular momentum. So does one that
//! turns by more than a radian in a step.

mod points;
pub(crate) mod second_order;
mod turn;

pub(crate) use points::Flight;
pub(crate) use turn::turns;
