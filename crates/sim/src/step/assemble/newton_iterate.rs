//! The point that a step linearises elastic forces at, and how far they are from linear: its Newton rounds.
//!
//! # Equations
//! With the mean velocity `w = (x₊ − x)/h` as the unknown and the [`Flight`] that leads to `x_R = x + h w_R`, a step
//! solves
//!
//! ```text
//! M (w − w_R) + h C (w − w_R) = M (v_c + R u − h a) + h f(x + h w) + h f_ext + contact and joint impulses
//! ```
//!
//! Every round linearises it about a motion `w_k`, `x_k = x + h w_k`, which is the flight in the first:
//!
//! ```text
//! A w = b = M (v_c + R u − h a) + h f_ext + h f(x_k) + A w_k + (M + h C) (w_R − w_k),   A = M + h C + h² K(x_k)
//! ```
//!
//! The nonlinear residual of a solution `w` is what the linear equation misses, the same with `f(x + h w)` less the
//! same with `f(x_k) − h K (w − w_k)`: it needs the forces at the end of the step only. A body whose residual exceeds
//! its momentum tolerance is linearised again at the end of the step, and its island solved again.
//!
//! In a step of second order, `M` on the left has the factor `(1 + κ)²`, `C` the factor `1 + κ`, and a point starts
//! from more than its velocity ([`second_order`](crate::flight::second_order)).

use super::thin::{About, MomentumSystem, add_thin, thin_impulses};
use crate::{
    flight::Flight,
    model::{Model, PointMotion},
    step::{context::StepContext, detect::separation::POINTS_PER_TASK},
};
use impinge_contact::ContactProblem;
use impinge_fem::{Assembler, NodalMotion};
use impinge_krylov::block::SymmetricBlockMatrix;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use std::ops::Range;

/// The motion that elastic forces are linearised about, for all bodies. Memory is kept between steps.
#[derive(Debug, Default)]
pub(crate) struct NewtonIterate {
    /// `x_k` of every point (m).
    positions: Vec<Vector3<f64>>,
    /// `w_k` of every point (m/s).
    velocities: Vec<Vector3<f64>>,
    /// The velocity that prescribed points have beyond `w_k` (m/s).
    ahead: Vec<Vector3<f64>>,
    /// `w_k − w_R` of every point (m/s).
    damped: Vec<Vector3<f64>>,
    /// `w_k` in the order of the unknowns (m/s); 0 for rigid bodies.
    led: Vec<f64>,
    /// Components that are linearised elsewhere than where they start.
    moved: Vec<bool>,
    /// Components that were moved since the equations were assembled.
    fresh: Vec<bool>,
    /// Whether a round beyond the first linearised again.
    renewed: bool,
    /// Elastic impulses of the linear equation at `w_k`, in the order of the unknowns (N·s).
    elastic: Vec<f64>,
    /// The momentum matrix of masses and elements, where that of the problem holds more.
    matrix: Option<SymmetricBlockMatrix>,
    /// `w − w_R` of every point for the solved motion, and `w − w_k` in the order of the unknowns (m/s).
    end_damped: Vec<Vector3<f64>>,
    change: Vec<f64>,
    /// Elastic impulses at the end of the step, and the product of the stiffness with what the solve changed, in the
    /// order of the unknowns (N·s).
    at_end: Vec<f64>,
    changed: Vec<f64>,
    /// Squares of the nonlinear residual, the elastic impulse at the end and the change of momentum of each node, and
    /// their sums over each body (N²·s²).
    squares: Vec<[f64; 3]>,
    sums: Vec<[f64; 3]>,
    /// The norm of the first over each body, and the larger one of the others (N·s).
    of_body: Vec<[f64; 2]>,
}

/// The solved motion of a step: its velocities, and the positions that they lead to.
pub(crate) struct SolvedMotion<'a> {
    /// Solved mean velocities in the order of the unknowns (m/s).
    pub(crate) solved: &'a [f64],
    /// Mean velocities of prescribed points (m/s).
    pub(crate) known: &'a [Vector3<f64>],
    /// Positions at the end of the step (m).
    pub(crate) end: &'a [Vector3<f64>],
}

/// The flight of a step, and what assembles its elastic forces.
#[derive(Clone, Copy)]
pub(crate) struct ElasticStep<'a> {
    pub(crate) flight: &'a Flight,
    pub(crate) assembler: &'a Assembler,
}

/// The way of some points to a motion.
pub(crate) struct Advance {
    pub(crate) points: Range<usize>,
    /// The share of the way that they go (1).
    pub(crate) share: f64,
}

impl SolvedMotion<'_> {
    /// The mean velocity of a point (m/s); none for points of rigid bodies.
    fn of_point(&self, model: &Model, point: usize) -> Option<Vector3<f64>> {
        match model.unknowns.motion_of_point[point] {
            PointMotion::Free(block) => Some(get(self.solved, block as usize)),
            PointMotion::Prescribed(_) => Some(self.known[point]),
            PointMotion::Rigid(_) => None,
        }
    }
}

impl NewtonIterate {
    /// Starts from the flight of a step; `known` are the mean velocities of prescribed points (m/s).
    pub(crate) fn start(&mut self, model: &Model, flight: &Flight, known: &[Vector3<f64>]) {
        let points = known.len();
        self.positions.clear();
        self.positions.extend_from_slice(flight.positions());
        self.led.clear();
        self.led.extend_from_slice(flight.chords());
        self.velocities.clear();
        self.velocities.resize(points, Vector3::zeros());
        for (block, &point) in model.unknowns.point_of_block.iter().enumerate() {
            self.velocities[point as usize] = get(&self.led, block);
        }
        self.ahead.clear();
        self.ahead.extend_from_slice(known);
        self.damped.clear();
        (self.damped).extend((0..points).map(|point| -flight.undamped(point)));
        self.moved.clear();
        self.moved
            .extend((0..model.components.count()).map(|component| flight.is_turning(component)));
        self.settle();
        self.renewed = false;
    }

    /// The equations hold what was moved.
    pub(crate) fn settle(&mut self) {
        self.fresh.clear();
        self.fresh.resize(self.moved.len(), false);
    }

    /// Whether a component was moved since.
    pub(super) fn is_fresh(&self, component: usize) -> bool {
        self.fresh[component]
    }

    /// Moves points towards a motion.
    pub(crate) fn advance(
        &mut self,
        context: StepContext<'_>,
        flight: &Flight,
        motion: &SolvedMotion<'_>,
        advance: Advance,
    ) {
        let Advance { points, share } = advance;
        let StepContext { model, state, .. } = context;
        for point in points {
            let Some(velocity) = motion.of_point(model, point) else {
                continue;
            };
            let own = &mut self.velocities[point];
            if share < 1.0 {
                *own += (velocity - *own) * share;
            } else {
                *own = velocity;
            }
            self.positions[point] = state.positions[point] + *own * context.time_step;
            self.damped[point] = *own - flight.undamped(point);
            if let Some(block) = model.unknowns.block_of_point[point] {
                self.damped[point] -= get(flight.chords(), block as usize);
                self.led[3 * block as usize..][..3].copy_from_slice(own.as_slice());
            } else {
                self.ahead[point] = velocity - *own;
            }
            if let Some(component) = model.components.of_point(point) {
                self.moved[component] = true;
                self.fresh[component] = true;
            }
        }
        self.renewed = true;
    }

    /// Whether any component is linearised elsewhere than where it starts.
    pub(crate) fn is_any_moved(&self) -> bool {
        self.renewed || self.moved.contains(&true)
    }

    /// Whether a component is.
    pub(crate) fn is_moved(&self, component: usize) -> bool {
        self.moved[component]
    }

    /// `x_k` of all points (m).
    pub(crate) fn positions(&self) -> &[Vector3<f64>] {
        &self.positions
    }

    /// `w_k` in the order of the unknowns (m/s).
    pub(crate) fn led(&self) -> &[f64] {
        &self.led
    }

    /// `A = M + h C + h² K(x_k)` and `b` without `A w_k`, which [`lead`](Self::lead) gives. `keeps_matrix` is for
    /// matrices that more than masses and elements will be added to.
    pub(crate) fn assemble(
        &mut self,
        context: StepContext<'_>,
        elastic: ElasticStep<'_>,
        keeps_matrix: bool,
        system: MomentumSystem<'_>,
    ) {
        let ElasticStep { flight, assembler } = elastic;
        let model = context.model;
        let MomentumSystem { matrix, rhs } = system;
        let scales = flight.scales(context.time_step);
        let has_damped = self.renewed || flight.is_second_order();
        let (of_nodes, of_rigid) = rhs.split_at_mut(3 * model.unknowns.point_of_block.len());
        of_rigid.fill(0.0);
        let this = &*self;
        (of_nodes.par_chunks_exact_mut(3).enumerate())
            .with_min_len(POINTS_PER_TASK)
            .for_each(|(block, impulse)| {
                let start = this.start_impulse(context, flight, block);
                impulse.copy_from_slice(start.as_slice());
            });
        let motion = NodalMotion {
            damped_velocity: has_damped.then_some(self.damped.as_slice()),
            ..NodalMotion::new(&self.positions, &self.ahead)
        };
        assembler.assemble_with_mass(&motion, &scales, matrix, rhs);
        let about = About {
            positions: &self.positions,
            ahead: &self.ahead,
            damped: has_damped.then_some(self.damped.as_slice()),
            damping_step: scales.damping,
        };
        add_thin(context, about, MomentumSystem { matrix, rhs });
        if flight.is_second_order() {
            for (block, &point) in model.unknowns.point_of_block.iter().enumerate() {
                let point = point as usize;
                let [mass, damping] =
                    [&model.points.mass, &model.points.mass_damping].map(|values| values[point]);
                let added = mass + damping * scales.damping;
                let inertia = inertia_of(context, flight, point) - added;
                *matrix.diagonal_block_mut(block) += Matrix3::from_diagonal_element(inertia);
            }
        }
        // Outside of `self`, which gives the impulses to be taken off.
        let mut elastic = std::mem::take(&mut self.elastic);
        elastic.clear();
        elastic.extend_from_slice(rhs);
        let nodes = model.unknowns.point_of_block.len();
        let this = &*self;
        (elastic[..3 * nodes].par_chunks_exact_mut(3).enumerate())
            .with_min_len(POINTS_PER_TASK)
            .for_each(|(block, impulse)| {
                add(impulse, 0, &-this.start_impulse(context, flight, block));
            });
        self.elastic = elastic;
        self.matrix = keeps_matrix.then(|| matrix.clone());
    }

    /// Lets the free point with the unknowns of `block` move by implicit Euler, also in the equations of the problem.
    /// Returns its former `κ`, or `None` if it already moves so.
    pub(crate) fn move_by_euler(
        &mut self,
        context: StepContext<'_>,
        flight: &mut Flight,
        block: usize,
        problem: &mut ContactProblem,
    ) -> Option<f64> {
        let StepContext { model, state, .. } = context;
        let point = model.unknowns.point_of_block[block] as usize;
        // The parts of `A` and `b` that depend on `κ`.
        let of_point = |flight: &Flight| {
            let inertia = inertia_of(context, flight, point);
            let drag = model.points.mass_damping[point] * context.time_step;
            let start = flight.velocities()[point] * model.points.mass[point]
                + get(flight.chords(), block) * inertia
                - flight.end_velocity(block, point) * drag;
            (inertia, start)
        };
        let before = of_point(flight);
        let ratio = flight.move_by_euler(model, state, block)?;
        let after = of_point(flight);
        let change = Matrix3::from_diagonal_element(after.0 - before.0);
        *problem.momentum.diagonal_block_mut(block) += change;
        if let Some(matrix) = &mut self.matrix {
            *matrix.diagonal_block_mut(block) += change;
        }
        add(&mut problem.rhs, block, &(after.1 - before.1));
        Some(ratio)
    }

    /// `M (v_c + R u − h a) + h (M g + f_ext) + (1 + h a_M) M (w_R − w_k)` of a node (N·s).
    fn start_impulse(
        &self,
        context: StepContext<'_>,
        flight: &Flight,
        block: usize,
    ) -> Vector3<f64> {
        let model = context.model;
        let point = model.unknowns.point_of_block[block] as usize;
        let impulse = (flight.velocities()[point] + model.settings.gravity * context.time_step)
            * model.points.mass[point]
            + model.points.pull[point] * context.time_step;
        if self.renewed {
            let deviation = get(&self.led, block) - get(flight.chords(), block);
            impulse - deviation * inertia_of(context, flight, point)
        } else {
            impulse
        }
    }

    /// Adds `A w_k` and the impulses of mass damping on the [`Flight`]'s own turn, `−h a_M M (ω₊ × R r)`, to `impulses`
    /// in the order of the unknowns (N·s); `matrix` holds masses and elements.
    pub(crate) fn lead(
        &self,
        context: StepContext<'_>,
        flight: &Flight,
        matrix: &SymmetricBlockMatrix,
        impulses: &mut [f64],
    ) {
        let model = context.model;
        if self.is_any_moved() {
            matrix.add_product(&self.led, impulses);
        }
        if !flight.turns() && !flight.is_second_order() {
            return;
        }
        for (block, &point) in model.unknowns.point_of_block.iter().enumerate() {
            let damping = model.points.mass_damping[point as usize] * context.time_step;
            if damping > 0.0 {
                let damped = flight.end_velocity(block, point as usize) * damping;
                add(impulses, block, &-damped);
            }
        }
    }

    /// The nonlinear residual of every body, and the larger of its elastic impulses at the end and its change of
    /// momentum (N·s), all in the Euclidean norm over its nodes, for a solved motion; `matrix` is that of the solve.
    pub(crate) fn residuals(
        &mut self,
        context: StepContext<'_>,
        elastic: ElasticStep<'_>,
        matrix: &SymmetricBlockMatrix,
        motion: &SolvedMotion<'_>,
    ) -> &[[f64; 2]] {
        let StepContext { model, state, .. } = context;
        let ElasticStep { flight, assembler } = elastic;
        let scales = flight.scales(context.time_step);
        let nodes = model.unknowns.point_of_block.len();
        // `y = w − w_R` of all points, and `w − w_k` of the unknowns.
        (0..motion.end.len())
            .into_par_iter()
            .with_min_len(POINTS_PER_TASK)
            .map(|point| {
                let velocity = motion.of_point(model, point).unwrap_or_default();
                let velocity = velocity - flight.undamped(point);
                match model.unknowns.motion_of_point[point] {
                    PointMotion::Free(block) => velocity - get(flight.chords(), block as usize),
                    _ => velocity,
                }
            })
            .collect_into_vec(&mut self.end_damped);
        self.change.clear();
        let both = motion.solved.iter().zip(&self.led);
        self.change.extend(both.map(|(solved, led)| solved - led));
        // Rigid bodies have no elasticity.
        self.change[3 * nodes..].fill(0.0);
        for values in [&mut self.at_end, &mut self.changed] {
            values.clear();
            values.resize(motion.solved.len(), 0.0);
        }
        let matrix = self.matrix.as_ref().unwrap_or(matrix);
        let (damped, at_end) = (&self.end_damped, &mut self.at_end);
        rayon::join(
            || {
                assembler.add_impulses(motion.end, &scales, damped, at_end);
                thin_impulses(context, motion.end, damped, scales.damping, at_end);
            },
            || matrix.add_product(&self.change, &mut self.changed),
        );
        let (at_end, changed, change) = (&self.at_end, &self.changed, &self.change);
        let at_start = &self.elastic;
        (0..nodes)
            .into_par_iter()
            .with_min_len(POINTS_PER_TASK)
            .map(|block| {
                let point = model.unknowns.point_of_block[block] as usize;
                let inertia = inertia_of(context, flight, point);
                let elastic = get(at_end, block);
                let changed = get(changed, block) - get(change, block) * inertia;
                let residual = elastic + changed - get(at_start, block);
                let velocity = flight.end_of(point, &get(motion.solved, block));
                let gained = (velocity - state.velocities[point]) * model.points.mass[point];
                [residual, elastic, gained].map(|part| part.norm_squared())
            })
            .collect_into_vec(&mut self.squares);
        // One after the other: the order of a sum does not depend on the number of threads.
        self.sums.clear();
        self.sums.resize(model.geometry.bodies.len(), [0.0; 3]);
        for (block, squares) in self.squares.iter().enumerate() {
            let sums = &mut self.sums[model.body_of_block(block)];
            for (sum, square) in sums.iter_mut().zip(squares) {
                *sum += square;
            }
        }
        self.of_body.clear();
        let norms = self.sums.iter().map(|sums| sums.map(f64::sqrt));
        self.of_body
            .extend(norms.map(|[residual, elastic, gained]| [residual, elastic.max(gained)]));
        &self.of_body
    }
}

/// The part of the momentum matrix at a free node that is inertia and mass damping, `(1 + κ)² m + (1 + κ) h a_M m`
/// (kg).
fn inertia_of(context: StepContext<'_>, flight: &Flight, point: usize) -> f64 {
    let (points, factor) = (&context.model.points, 1.0 + flight.ratio(point));
    points.mass[point] * (factor * factor) + context.time_step * points.mass_damping[point] * factor
}

fn get(values: &[f64], block: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&values[3 * block..][..3])
}

fn add(values: &mut [f64], block: usize, by: &Vector3<f64>) {
    for (value, by) in values[3 * block..][..3].iter_mut().zip(by.iter()) {
        *value += by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::Model, scene::Scene, state::State, step::assemble::prescribe};
    use proptest::prelude::*;

    const H: f64 = 0.01;

    /// A damped body that turns freely or is held at one end by a moving set of nodes.
    fn body(kind: &str, held: bool) -> (Model, State) {
        let motion = if held {
            "[[body.fixed]]\nbox = { lower = [-9, -9, -9], upper = [9, 9, -0.09] }\n\
             motion = { velocity = [0.5, -1, 2] }\n"
        } else {
            ""
        };
        let text = format!(
            "[time]\nstep = {H}\nduration = {H}\n[[body]]\n{kind}\nvelocity = [1, 2, 3]\n\
             angular_velocity = [9, -4, 12]\n{motion}"
        );
        let scene = Scene::parse("body.toml", &text, &[""; 0]).expect("a scene");
        Model::new(&scene).expect("a model")
    }

    fn kinds() -> [String; 3] {
        let solid = |mesh: &str, law: &str| {
            format!(
                "mesh = {{ {mesh} = {{ size = [0.1, 0.1, 0.2], cells = [1, 1, 2] }} }}\nmaterial = {{ model = \
                 \"{law}\", young = 1e5, poisson = 0.3, density = 1000, mass_damping = 2, stiffness_damping = 0.02 }}"
            )
        };
        [
            solid("cuboid", "st_venant_kirchhoff"),
            solid("hexahedra", "neo_hookean"),
            "kind = \"shell\"\nmesh = { grid = { size = [0.2, 0.2], cells = [2, 2] } }\n\
             shell = { stretch = 300, bend = 0.1, density = 0.3, damping = 0.02, bend_damping = 0.02, \
             mass_damping = 2 }\n\
             rotation = { axis = [1, 0, 0], degrees = 90 }"
                .to_owned(),
        ]
    }

    /// The residual of the linear equation at a motion, `b − A w`, in the order of the unknowns.
    fn left(
        iterate: &mut NewtonIterate,
        context: StepContext<'_>,
        elastic: ElasticStep<'_>,
        w: &[f64],
    ) -> Vec<f64> {
        let model = context.model;
        let mut matrix = SymmetricBlockMatrix::zeros(model.unknowns.pattern.clone());
        let mut b = vec![0.0; matrix.len()];
        let (rhs, m) = (&mut b, &mut matrix);
        let system = MomentumSystem { matrix: m, rhs };
        iterate.assemble(context, elastic, true, system);
        iterate.lead(context, elastic.flight, &matrix, &mut b);
        let mut product = vec![0.0; b.len()];
        matrix.add_product(w, &mut product);
        b.iter()
            .zip(&product)
            .map(|(b, product)| b - product)
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        /// Linearised at a motion, the equation leaves what the nonlinear one leaves there: what it left before, and
        /// the nonlinear residual. Linearised a quarter instead of half of the way short of it, it misses that by less.
        #[test]
        fn linear_equations_leave_the_nonlinear_residual(
            seed in prop::collection::vec(-1.0..1.0_f64, 90),
            kind in 0..3_usize,
            held in any::<bool>(),
        ) {
            let (model, state) = body(&kinds()[kind], held);
            let context = StepContext { model: &model, state: &state, time_step: H };
            let (mut end, mut known) = (state.positions.clone(), state.velocities.clone());
            prescribe(context, &mut end, &mut known).expect("slow");
            let mut flight = Flight::default();
            flight.plan(&model, &state, H);
            prop_assert_eq!(flight.turns(), !held);
            let elastic = &model.elements.elastic;
            let assembler = elastic
                .bind(&model.unknowns.pattern, &model.unknowns.block_of_point)
                .expect("the pattern fits");
            let elastic = ElasticStep { flight: &flight, assembler: &assembler };
            let w: Vec<f64> = (flight.chords().iter().zip(seed.iter().cycle()))
                .map(|(chord, by)| chord + 0.5 * by)
                .collect();
            for (block, &point) in model.unknowns.point_of_block.iter().enumerate() {
                end[point as usize] = state.positions[point as usize] + get(&w, block) * H;
            }
            let motion = SolvedMotion { solved: &w, known: &known, end: &end };

            let mut iterate = NewtonIterate::default();
            iterate.start(&model, &flight, &known);
            let before = left(&mut iterate, context, elastic, &w);
            let unused = SymmetricBlockMatrix::zeros(model.unknowns.pattern.clone());
            iterate.residuals(context, elastic, &unused, &motion);
            let nonlinear: Vec<f64> = (0..w.len())
                .map(|i| {
                    let block = i / 3;
                    let point = model.unknowns.point_of_block[block] as usize;
                    let mass = model.points.mass[point] + H * model.points.mass_damping[point];
                    let of_change = iterate.changed[i] - mass * iterate.change[i];
                    before[i] + iterate.at_end[i] + of_change - iterate.elastic[i]
                })
                .collect();
            let points = 0..state.positions.len();
            let mut misses = Vec::new();
            for share in [0.5, 0.75, 1.0] {
                iterate.start(&model, &flight, &known);
                let advance = Advance { points: points.clone(), share };
                iterate.advance(context, &flight, &motion, advance);
                let now = left(&mut iterate, context, elastic, &w);
                let miss = now.iter().zip(&nonlinear).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
                misses.push(miss.sqrt());
            }
            let size = nonlinear.iter().map(|x| x * x).sum::<f64>().sqrt();
            prop_assert!(misses[2] < 1e-9 * size, "{misses:?} of {size}");
            prop_assert!(misses[1] < 0.7 * misses[0] + 1e-9 * size, "{misses:?} of {size}");
        }
    }
}
