//! Thin bodies within a step, in stiffness form: springs, triangles and hinges in the momentum system.

use crate::{model::Model, step::context::StepContext, thin::ThinBodies};
use impinge_fem::thin::EdgeSpring;
use impinge_krylov::block::SymmetricBlockMatrix;
use nalgebra::{Matrix3, Vector3};

/// The motion that thin bodies are linearised about.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    /// `x_k` of every point (m).
    pub(super) positions: &'a [Vector3<f64>],
    /// The velocity that prescribed points have beyond that motion (m/s).
    pub(super) ahead: &'a [Vector3<f64>],
    /// The velocities that are damped already (m/s), if any.
    pub(super) damped: Option<&'a [Vector3<f64>]>,
    /// `Δt` as damping counts it (s).
    pub(super) damping_step: f64,
}

/// The momentum system that terms are added to.
pub(crate) struct MomentumSystem<'a> {
    pub(crate) matrix: &'a mut SymmetricBlockMatrix,
    pub(crate) rhs: &'a mut [f64],
}

/// Adds `(1 + Δt a_M) M` of thin bodies and `B = Δt² K + Δt C` of their terms in stiffness form to `A`, and
/// `Δt f − Δt C y − B v_d` to `b`, all about a motion, of which `y` is damped already and which prescribed points are
/// `v_d` ahead of.
///
/// `K` is the positive semi-definite stiffness of each term. `C = d k/l̄ n nᵀ` damps the length of edges, and `C = d 2k
/// ∇θ ∇θᵀ` the angles between triangles, so neither damps rotations. It runs on one thread: these terms cost little
/// beside a solve.
pub(super) fn add_thin(context: StepContext<'_>, about: About<'_>, system: MomentumSystem<'_>) {
    add_about(context.model, context.time_step, about, system);
}

/// Adds `(1 + Δt a_M) M + Δt² K + Δt C` of thin bodies at rest to `A`.
pub(crate) fn add_thin_at_rest(model: &Model, time_step: f64, matrix: &mut SymmetricBlockMatrix) {
    let still = vec![Vector3::zeros(); model.points.rest.len()];
    let about = About {
        positions: &model.points.rest,
        ahead: &still,
        damped: None,
        damping_step: time_step,
    };
    let rhs = &mut vec![0.0; matrix.len()][..];
    add_about(model, time_step, about, MomentumSystem { matrix, rhs });
}

fn add_about(model: &Model, time_step: f64, about: About<'_>, system: MomentumSystem<'_>) {
    for &(point, mass) in &model.elements.thin.masses {
        if let Some(block) = model.unknowns.block_of_point[point] {
            let damping = model.points.mass_damping[point];
            *system.matrix.diagonal_block_mut(block as usize) +=
                Matrix3::from_diagonal_element(mass + damping * about.damping_step);
        }
    }
    let MomentumSystem { matrix, rhs } = system;
    let stiffness = Some((matrix, about.ahead));
    Adder {
        block_of_point: &model.unknowns.block_of_point,
        time_step,
        damping_step: about.damping_step,
        stiffness,
        rhs,
    }
    .add_all(&model.elements.thin, about.positions, about.damped);
}

/// Adds `Δt f − Δt C y` of all terms in stiffness form at `positions` (m), for the velocities `y` (m/s), to impulses in
/// the order of the unknowns (N·s).
pub(super) fn thin_impulses(
    context: StepContext<'_>,
    positions: &[Vector3<f64>],
    damped: &[Vector3<f64>],
    damping_step: f64,
    impulses: &mut [f64],
) {
    Adder {
        block_of_point: &context.model.unknowns.block_of_point,
        time_step: context.time_step,
        damping_step,
        stiffness: None,
        rhs: impulses,
    }
    .add_all(&context.model.elements.thin, positions, Some(damped));
}

/// `k/l̄ n nᵀ` of a spring (N/m); 0 if its points coincide.
fn along(spring: &EdgeSpring, x: &[Vector3<f64>; 2]) -> Matrix3<f64> {
    (x[0] - x[1])
        .try_normalize(0.0)
        .map_or_else(Matrix3::zeros, |n| {
            n * n.transpose() * (spring.stiffness / spring.rest_length)
        })
}

/// Blocks of one term.
type Blocks<const N: usize> = [[Matrix3<f64>; N]; N];

struct Adder<'a> {
    block_of_point: &'a [Option<u32>],
    time_step: f64,
    damping_step: f64,
    /// The matrix, and the velocity that prescribed points have beyond that of the motion (m/s), where the
    /// stiffness is asked for.
    stiffness: Option<(&'a mut SymmetricBlockMatrix, &'a [Vector3<f64>])>,
    rhs: &'a mut [f64],
}

impl Adder<'_> {
    /// Adds all terms in stiffness form at the positions of a motion (m), with velocities that are damped (m/s).
    fn add_all(
        mut self,
        thin: &ThinBodies,
        positions: &[Vector3<f64>],
        damped: Option<&[Vector3<f64>]>,
    ) {
        let (h, damped_h) = (self.time_step, self.damping_step);
        let at = |point: u32| positions[point as usize];
        for (damping, spring) in thin.soft_springs() {
            let x = spring.points.map(at);
            let force = spring.force(&x);
            let pair = |own: Matrix3<f64>| [[own, -own], [-own, own]];
            let viscous = along(spring, &x) * (damping * damped_h);
            let stiff = || pair(spring.tangent(&x) * (h * h) + viscous);
            self.add(&spring.points, &[force, -force], stiff);
            if damping > 0.0 {
                self.damp(&spring.points, damped, || pair(viscous));
            }
        }
        for membrane in thin.soft_membranes() {
            let x = membrane.points.map(at);
            let stiff = || membrane.tangent(&x).map(|row| row.map(|k| k * (h * h)));
            self.add(&membrane.points, &membrane.forces(&x), stiff);
        }
        for (damping, hinges) in &thin.hinges {
            for hinge in hinges {
                let x = hinge.points.map(at);
                let scaled = |scale: f64| hinge.tangent(&x).map(|row| row.map(|k| k * scale));
                let stiff = || scaled(h * h + damping * damped_h);
                self.add(&hinge.points, &hinge.forces(&x), stiff);
                if *damping > 0.0 {
                    self.damp(&hinge.points, damped, || scaled(damping * damped_h));
                }
            }
        }
    }

    /// Adds forces (N) and scaled stiffness (kg) of one term; the part on prescribed points moves to the right-hand
    /// side.
    fn add<const N: usize>(
        &mut self,
        points: &[u32; N],
        forces: &[Vector3<f64>; N],
        stiffness: impl Fn() -> Blocks<N>,
    ) {
        let blocks = points.map(|point| self.block_of_point[point as usize]);
        let mut impulses = forces.map(|force| force * self.time_step);
        if let Some((matrix, ahead)) = &mut self.stiffness {
            let stiffness = stiffness();
            for a in 0..N {
                let Some(row) = blocks[a] else { continue };
                for b in 0..N {
                    match blocks[b] {
                        // Only the upper triangle is stored.
                        Some(column) if row <= column => {
                            let pattern = matrix.pattern();
                            let slot = pattern
                                .slot(row as usize, column as usize)
                                .expect("the pattern has the pairs of thin bodies");
                            *matrix.block_mut(slot) += stiffness[a][b];
                        }
                        Some(_) => {}
                        None => impulses[a] -= stiffness[a][b] * ahead[points[b] as usize],
                    }
                }
            }
        }
        self.scatter(&blocks, &impulses);
    }

    /// Takes off the impulses of a scaled damping (kg) at the velocities of one term.
    fn damp<const N: usize>(
        &mut self,
        points: &[u32; N],
        velocities: Option<&[Vector3<f64>]>,
        damping: impl Fn() -> Blocks<N>,
    ) {
        let Some(velocities) = velocities else {
            return;
        };
        let damping = damping();
        let velocities = points.map(|point| velocities[point as usize]);
        let of_row = |row: [Matrix3<f64>; N]| -> Vector3<f64> {
            -(row.iter().zip(&velocities))
                .map(|(c, y)| c * y)
                .sum::<Vector3<f64>>()
        };
        let blocks = points.map(|point| self.block_of_point[point as usize]);
        self.scatter(&blocks, &damping.map(of_row));
    }

    fn scatter<const N: usize>(&mut self, blocks: &[Option<u32>; N], impulses: &[Vector3<f64>; N]) {
        for (block, impulse) in blocks.iter().zip(impulses) {
            let Some(block) = block else { continue };
            let entry = &mut self.rhs[3 * *block as usize..][..3];
            for (value, part) in entry.iter_mut().zip(impulse.iter()) {
                *value += part;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::Model, scene::Scene, state::State};

    /// A sheet held at one edge, by springs or by triangles.
    fn sheet(poisson: &str) -> (Model, State) {
        let text = format!(
            "[time]\nstep = 1e-2\nduration = 1e-2\n[[body]]\nkind = \"shell\"\n\
             mesh = {{ grid = {{ size = [1, 1.2], cells = [2, 3] }} }}\n\
             shell = {{ stretch = 70, bend = 2, density = 0.3{poisson} }}\n\
             fixed = [{{ box = {{ lower = [-0.51, -1, -1], upper = [-0.49, 1, 1] }} }}]\n"
        );
        let scene = Scene::parse("sheet.toml", &text, &[""; 0]).expect("a scene");
        Model::new(&scene).expect("a model")
    }

    fn system(
        model: &Model,
        state: &State,
        h: f64,
        known: &[Vector3<f64>],
    ) -> (SymmetricBlockMatrix, Vec<f64>) {
        let mut matrix = SymmetricBlockMatrix::zeros(model.unknowns.pattern.clone());
        let mut rhs = vec![0.0; matrix.len()];
        let (m, b) = (&mut matrix, &mut rhs[..]);
        let about = About {
            positions: &state.positions,
            ahead: known,
            damped: None,
            damping_step: h,
        };
        let context = StepContext {
            model,
            state,
            time_step: h,
        };
        add_thin(context, about, MomentumSystem { matrix: m, rhs: b });
        (matrix, rhs)
    }

    /// For a flat stretched sheet, in which no term is projected: `A − M = −Δt ∂b/∂x`, on prescribed points too, by
    /// central differences.
    #[test]
    fn stiffness_is_the_derivative_of_the_impulse() {
        let h = 0.02;
        for poisson in ["", ", poisson = 0.3"] {
            let (model, mut state) = sheet(poisson);
            for x in &mut state.positions {
                *x = Vector3::new(1.2 * x.x, 1.1 * x.y, x.z);
            }
            let none = vec![Vector3::zeros(); model.points.rest.len()];
            let (matrix, rhs) = system(&model, &state, h, &none);
            let dense = matrix.to_csr();
            let entry = |i: usize, j: usize| {
                let row = dense.row(i);
                let at = row.col_indices().iter().position(|&c| c == j);
                at.map_or(0.0, |at| row.values()[at])
            };
            let scale = (0..rhs.len()).map(|i| entry(i, i)).fold(0.0, f64::max);
            let step = 1e-6;
            for point in 0..model.points.rest.len() {
                for axis in 0..3 {
                    let mut moved = [state.clone(), state.clone()];
                    moved[0].positions[point][axis] += step;
                    moved[1].positions[point][axis] -= step;
                    let [up, down] = moved.each_ref().map(|at| system(&model, at, h, &none).1);
                    // The contribution of a known velocity must be the same column.
                    let mut known = none.clone();
                    known[point][axis] = 1.0;
                    let carried = system(&model, &state, h, &known).1;
                    for row in 0..rhs.len() {
                        let difference = -h * (up[row] - down[row]) / (2.0 * step);
                        let stated = match model.unknowns.block_of_point[point] {
                            Some(block) => {
                                let column = 3 * block as usize + axis;
                                let own = row == column;
                                entry(row, column)
                                    - if own { model.points.mass[point] } else { 0.0 }
                            }
                            None => rhs[row] - carried[row],
                        };
                        assert!(
                            (difference - stated).abs() < 1e-7 * scale,
                            "{poisson} {point} {axis} {row}: {difference:e} {stated:e}"
                        );
                    }
                }
            }
        }
    }
}
