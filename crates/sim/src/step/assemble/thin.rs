//! Thin bodies within a step, in stiffness form: springs, triangles and hinges in the momentum system.

use crate::flight::Flight;
use crate::step::context::StepContext;
use impinge_fem::thin::EdgeSpring;
use impinge_krylov::block::SymmetricBlockMatrix;
use nalgebra::{Matrix3, Vector3};

/// The momentum system that terms are added to.
pub(crate) struct MomentumSystem<'a> {
    pub(crate) matrix: &'a mut SymmetricBlockMatrix,
    pub(crate) rhs: &'a mut [f64],
}

/// Adds the masses of thin bodies, `Δt² K + Δt C` of their terms in stiffness form to `A`, and `Δt f − (Δt² K + Δt C)
/// v_d` to `b`, all at `x_R` of the flight.
///
/// `K` is the positive semi-definite stiffness of each term. `C = d k/l̄ n nᵀ` damps the length of edges, and `C = d 2k
/// ∇θ ∇θᵀ` the angles between triangles, so neither damps rotations. It runs on one thread: these terms cost little
/// beside a solve.
pub(crate) fn add_thin(
    context: StepContext<'_>,
    flight: &Flight,
    prescribed_velocity: &[Vector3<f64>],
    system: MomentumSystem<'_>,
) {
    let StepContext {
        model, time_step, ..
    } = context;
    let mut adder = Adder {
        block_of_point: &model.unknowns.block_of_point,
        prescribed_velocity,
        time_step,
        system,
    };
    let at = |point: u32| flight.positions()[point as usize];
    for &(point, mass) in &model.elements.thin.masses {
        if let Some(block) = model.unknowns.block_of_point[point] {
            let diagonal = adder.system.matrix.diagonal_block_mut(block as usize);
            *diagonal += Matrix3::from_diagonal_element(mass);
        }
    }
    let square = time_step * time_step;
    for (damping, spring) in model.elements.thin.soft_springs() {
        let x = spring.points.map(at);
        let force = spring.force(&x);
        let own = spring.tangent(&x) * square + along(spring, &x) * (damping * time_step);
        let scaled = [[own, -own], [-own, own]];
        adder.add(&spring.points, &[force, -force], &scaled);
    }
    for membrane in model.elements.thin.soft_membranes() {
        let x = membrane.points.map(at);
        let scaled = membrane.tangent(&x).map(|row| row.map(|k| k * square));
        adder.add(&membrane.points, &membrane.forces(&x), &scaled);
    }
    for (damping, hinges) in &model.elements.thin.hinges {
        let scale = square + damping * time_step;
        for hinge in hinges {
            let x = hinge.points.map(at);
            let scaled = hinge.tangent(&x).map(|row| row.map(|k| k * scale));
            adder.add(&hinge.points, &hinge.forces(&x), &scaled);
        }
    }
}

/// `k/l̄ n nᵀ` of a spring (N/m); 0 if its points coincide.
fn along(spring: &EdgeSpring, x: &[Vector3<f64>; 2]) -> Matrix3<f64> {
    (x[0] - x[1])
        .try_normalize(0.0)
        .map_or_else(Matrix3::zeros, |n| {
            n * n.transpose() * (spring.stiffness / spring.rest_length)
        })
}

struct Adder<'a> {
    block_of_point: &'a [Option<u32>],
    prescribed_velocity: &'a [Vector3<f64>],
    time_step: f64,
    system: MomentumSystem<'a>,
}

impl Adder<'_> {
    /// Adds forces (N) and scaled stiffness (kg) of one term; the part on prescribed points moves to the right-hand
    /// side.
    fn add<const N: usize>(
        &mut self,
        points: &[u32; N],
        forces: &[Vector3<f64>; N],
        stiffness: &[[Matrix3<f64>; N]; N],
    ) {
        let blocks = points.map(|point| self.block_of_point[point as usize]);
        for a in 0..N {
            let Some(row) = blocks[a] else { continue };
            let mut impulse = forces[a] * self.time_step;
            for b in 0..N {
                match blocks[b] {
                    // Only the upper triangle is stored.
                    Some(column) if row <= column => {
                        let pattern = self.system.matrix.pattern();
                        let slot = pattern
                            .slot(row as usize, column as usize)
                            .expect("the pattern has the pairs of thin bodies");
                        *self.system.matrix.block_mut(slot) += stiffness[a][b];
                    }
                    Some(_) => {}
                    None => {
                        let known = self.prescribed_velocity[points[b] as usize];
                        impulse -= stiffness[a][b] * known;
                    }
                }
            }
            let entry = &mut self.system.rhs[3 * row as usize..][..3];
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
        let mut flight = Flight::default();
        flight.plan(model, &state.positions, &state.velocities, h);
        let context = StepContext {
            model,
            state,
            time_step: h,
        };
        add_thin(
            context,
            &flight,
            known,
            MomentumSystem { matrix: m, rhs: b },
        );
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
