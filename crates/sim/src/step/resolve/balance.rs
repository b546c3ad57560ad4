//! End of stage 4: exact momentum of every body, by uniform velocities and changes of contact forces.

use crate::step::resolve::coarse::{BodyBalance, Coarse, Link};
use crate::{
    contacts::contact::CONTACTS_PER_TASK,
    flight::Flight,
    geometry::Body,
    model::{Model, PointMotion},
    state::State,
    step::{
        assemble::rigid::balance_rigid, context::StepContext, detect::separation::POINTS_PER_TASK,
    },
};
use impinge_contact::{ContactProblem, ContactSolution, Method, Multipliers};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Whether the balances of bodies are closed after solves by `method`.
///
/// The momentum error of an approximate compliance is no small correction: closing it would open gaps. With joints,
/// momentum passes between bodies, and the methods for joints balance it to their tolerance, that of warped compliance
/// by corrections.
pub(crate) fn closes_balances(model: &Model, method: &Method) -> bool {
    method.balances_momentum() && !passes_momentum(model)
}

/// Whether momentum passes between bodies by joints.
fn passes_momentum(model: &Model) -> bool {
    !model.constraints.rows.is_empty() || model.constraints.soft_links > 0
}

/// Closes the momentum balances that `method` leaves open of the bodies that were `solved`, as far as
/// [`closes_balances`] says, to rounding.
///
/// Velocities are corrected at once, because the motion is checked with them. Forces are corrected at the end of the
/// step ([`add_force`]): corrected forces break the balance of single nodes, so they are no good start for a solve.
/// Returns the changes of the contacts' forces (N, in the axes of their rows), or nothing if there are none.
pub(crate) fn balance(
    coarse: &mut Coarse,
    (context, flight): (StepContext<'_>, Option<&Flight>),
    method: &Method,
    (problem, solution): (&ContactProblem, &mut ContactSolution),
    solved: &[bool],
) -> Vec<Vector3<f64>> {
    let StepContext { model, state, .. } = context;
    if !closes_balances(model, method) {
        if !passes_momentum(model) {
            balance_rigid(model, problem, solution, solved);
        }
        return Vec::new();
    }
    let start = StepStart {
        model,
        state,
        flight,
    };
    balance_momentum(coarse, start, problem, solution, solved)
}

/// Adds a change of a contact's force (N, in the axes of its rows).
pub(crate) fn add_force(multipliers: &mut Multipliers, change: &Vector3<f64>) {
    multipliers.lambda += change[0];
    multipliers.gamma[0] += change[1];
    multipliers.gamma[1] += change[2];
}

/// Closes the momentum balance of every free body by uniform velocities, and by changes of the forces of contacts that
/// push, which it returns, or nothing if there are none. These changes act on few nodes, whose own residual may then
/// exceed the tolerance of the solver.
///
/// The solver's residual is below its tolerance. Its part along the translations of a body is visible: it is the
/// momentum error of the body, and the difference between its weight and its support. Elastic forces and `K` are
/// invariant to translations, so this coarse correction needs sums only ([`Coarse`]).
fn balance_momentum(
    coarse: &mut Coarse,
    start: StepStart<'_>,
    problem: &ContactProblem,
    solution: &mut ContactSolution,
    solved: &[bool],
) -> Vec<Vector3<f64>> {
    let model = start.model;
    let (loaded, links) = loaded_links(model, problem, solution, solved);
    let mut missing = missing_momentum(start, problem, solution, &links);
    for (node, balance) in missing.iter_mut().enumerate() {
        if !solved[body_of_node(model, node)] {
            *balance = HELD;
        }
    }
    let closure = coarse.close(&missing, &links);
    let correct = |(block, velocity): (usize, &mut [f64])| {
        let correction = &closure.velocities[node_of_block(model, block)];
        for (v, by) in velocity.iter_mut().zip(correction.iter()) {
            *v += by;
        }
    };
    (solution.velocity.par_chunks_exact_mut(3).enumerate())
        .with_min_len(POINTS_PER_TASK)
        .for_each(correct);
    if closure
        .forces
        .iter()
        .all(|force| *force == Vector3::zeros())
    {
        return Vec::new();
    }
    let mut changes = vec![Vector3::zeros(); solution.contacts.len()];
    for (contact, force) in loaded.into_iter().zip(closure.forces) {
        changes[contact] = force;
    }
    changes
}

/// Number of the body of `block` in the coarse system: deformable bodies as in [`Geometry::bodies`], then the blocks of
/// rigid bodies.
///
/// [`Geometry::bodies`]: crate::geometry::Geometry::bodies
fn node_of_block(model: &Model, block: usize) -> usize {
    match model.unknowns.point_of_block.get(block) {
        Some(&point) => model.geometry.solid_of_point(point),
        None => model.geometry.bodies.len() + block - model.unknowns.point_of_block.len(),
    }
}

/// The body of a node of the coarse system.
fn body_of_node(model: &Model, node: usize) -> usize {
    match node.checked_sub(model.geometry.bodies.len()) {
        Some(block) => model.body_of_block(model.unknowns.point_of_block.len() + block),
        None => node,
    }
}

/// Of a body that is not free to move as a whole, or that keeps its balance.
const HELD: BodyBalance = BodyBalance {
    missing: Vector3::new(0.0, 0.0, 0.0),
    inertia: 0.0,
};

/// The start of a step.
#[derive(Clone, Copy)]
struct StepStart<'a> {
    model: &'a Model,
    state: &'a State,
    /// The flight, if points move to second order.
    flight: Option<&'a Flight>,
}

/// Momentum balance of each node of the coarse system; `links` are all contacts that carry a force.
fn missing_momentum(
    start: StepStart<'_>,
    problem: &ContactProblem,
    solution: &ContactSolution,
    links: &[Link],
) -> Vec<BodyBalance> {
    let StepStart {
        model,
        state,
        flight,
    } = start;
    let time_step = problem.time_step;
    let rigid_blocks = solution.velocity.len() / 3 - model.unknowns.point_of_block.len();
    let mut contact_impulse = vec![Vector3::zeros(); model.geometry.bodies.len() + rigid_blocks];
    for link in links {
        for (node, impulse) in link.impulses() {
            contact_impulse[node] += impulse;
        }
    }
    let of_block =
        |values: &[f64], block: usize| Vector3::from_column_slice(&values[3 * block..][..3]);
    let deformable = |(body, impulse): (&Body, &Vector3<f64>)| {
        let (mut missing, mut inertia) = (*impulse, 0.0);
        for point in body.points.clone() {
            let PointMotion::Free(block) = model.unknowns.motion_of_point[point] else {
                return HELD;
            };
            let mass = model.points.mass[point];
            let velocity = of_block(&solution.velocity, block as usize);
            if let Some(flight) = flight {
                let factor = 1.0 + flight.ratio(point);
                let drag = time_step * model.points.mass_damping[point];
                missing += (model.settings.gravity * mass + model.points.pull[point]) * time_step
                    - flight.impulse_of(block as usize, point, &velocity) * mass
                    - flight.end_of(point, &velocity) * drag;
                inertia += mass * (factor * factor) + drag * factor;
                continue;
            }
            let effective = mass + time_step * model.points.mass_damping[point];
            missing += (state.velocities[point] + model.settings.gravity * time_step) * mass
                - velocity * effective
                + model.points.pull[point] * time_step;
            inertia += effective;
        }
        BodyBalance { missing, inertia }
    };
    // Blocks of rigid bodies are multiples of the identity, without coupling to others.
    let rigid = (model.rigid.iter()).flat_map(|rigid| {
        [0, 1].map(|i| {
            let block = rigid.first_block as usize + i;
            let inertia = problem.momentum.diagonal_block(block)[(0, 0)];
            let missing = contact_impulse[node_of_block(model, block)]
                + of_block(&problem.rhs, block)
                - of_block(&solution.velocity, block) * inertia;
            BodyBalance { missing, inertia }
        })
    });
    let bodies = model
        .geometry
        .bodies
        .par_iter()
        .zip(&contact_impulse[..model.geometry.bodies.len()]);
    let mut balances: Vec<BodyBalance> = bodies.map(deformable).collect();
    balances.extend(rigid);
    balances
}

/// The contacts of bodies that were `solved` and carry a force, and their links between bodies.
fn loaded_links(
    model: &Model,
    problem: &ContactProblem,
    solution: &ContactSolution,
    solved: &[bool],
) -> (Vec<usize>, Vec<Link>) {
    let is_solved = |&block: &u32| solved[model.body_of_block(block as usize)];
    let loaded: Vec<usize> = (solution.contacts.iter().enumerate())
        .filter(|(_, multipliers)| multipliers.force() != Vector3::zeros())
        .filter(|(contact, _)| problem.row(*contact).0.iter().any(is_solved))
        .map(|(contact, _)| contact)
        .collect();
    let link_of = |&contact: &usize| {
        let mut link = Link::new(&solution.contacts[contact], problem.friction(contact));
        let (blocks, jacobians) = problem.row(contact);
        for (&block, jacobian) in blocks.iter().zip(jacobians) {
            link.add(node_of_block(model, block as usize), jacobian);
        }
        link
    };
    let links = loaded
        .par_iter()
        .with_min_len(CONTACTS_PER_TASK)
        .map(link_of);
    let links = links.collect();
    (loaded, links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::cube::CUBE;
    use crate::scene::Scene;
    use impinge_contact::{ContactRow, ContactState, method::active_set_cr::ActiveSetCrSettings};
    use impinge_krylov::block::SymmetricBlockMatrix;
    use nalgebra::Matrix3;

    /// Steps of ten milliseconds.
    const LONG: [&str; 2] = ["time.step=1e-2", "time.duration=1e-2"];

    /// A cube whose velocity is too large by `drift` (m/s) after a solve. One of its vertices pushes with `lambda` (N),
    /// and its row is met.
    fn drifting(drift: f64, lambda: f64) -> (Model, State, ContactProblem, ContactSolution) {
        let scene = Scene::parse("cube.toml", CUBE, &LONG).expect("a scene");
        let (model, state) = Model::new(&scene).expect("a model");
        let time_step = model.settings.time_step;
        let matrix = SymmetricBlockMatrix::zeros(model.unknowns.pattern.clone());
        let rhs = vec![0.0; matrix.len()];
        let mut problem = ContactProblem::new(time_step, matrix, rhs);
        let mut solution = ContactSolution::at_rest(&problem);
        let mass: f64 = model.points.mass.iter().sum();
        let pushed = lambda * time_step / mass;
        let velocity = model.settings.gravity * time_step + Vector3::z() * (pushed + drift);
        for v in solution.velocity.chunks_exact_mut(3) {
            v.copy_from_slice(velocity.as_slice());
        }
        let rows = Matrix3::from_rows(&[
            Vector3::z().transpose(),
            Vector3::x().transpose(),
            Vector3::y().transpose(),
        ]) * time_step;
        problem.push(&ContactRow {
            entries: &[(0, rows)],
            offset: rows * velocity,
            friction: 0.5,
        });
        solution.contacts.push(Multipliers {
            state: ContactState::Sticking,
            lambda,
            ..Multipliers::default()
        });
        (model, state, problem, solution)
    }

    /// A step in which points move to first order.
    fn first_order<'a>(model: &'a Model, state: &'a State) -> StepStart<'a> {
        StepStart {
            model,
            state,
            flight: None,
        }
    }

    fn missing_of_nodes(
        model: &Model,
        state: &State,
        problem: &ContactProblem,
        solution: &ContactSolution,
    ) -> Vec<BodyBalance> {
        let (_, links) = loaded_links(model, problem, solution, &[true]);
        missing_momentum(first_order(model, state), problem, solution, &links)
    }

    /// How far the normal row of the contact is off `g = 0` (m).
    fn row_off(problem: &ContactProblem, solution: &ContactSolution) -> f64 {
        let (blocks, jacobians) = problem.row(0);
        let moved = |(&block, jacobian): (&u32, &Matrix3<f64>)| {
            let velocity = &solution.velocity[3 * block as usize..][..3];
            (jacobian * Vector3::from_column_slice(velocity))[0]
        };
        let moved: f64 = blocks.iter().zip(jacobians).map(moved).sum();
        (moved - problem.offset(0)[0]).abs()
    }

    /// A contact that pushes takes up the missing momentum, and its row stays met.
    #[test]
    fn a_contact_that_pushes_takes_up_missing_momentum() {
        let drift = 1e-6;
        let (model, state, problem, mut solution) = drifting(drift, 1e3);
        let before = missing_of_nodes(&model, &state, &problem, &solution)[0].missing;
        assert!((before + Vector3::z() * drift * 1e3).norm() < 1e-9);
        let context = StepContext {
            model: &model,
            state: &state,
            time_step: problem.time_step,
        };
        let changes = balance(
            &mut Coarse::default(),
            (context, None),
            &Method::Cr(ActiveSetCrSettings::default()),
            (&problem, &mut solution),
            &[true],
        );
        assert!(row_off(&problem, &solution) < 1e-5 * drift * problem.time_step);
        add_force(&mut solution.contacts[0], &changes[0]);
        let after = missing_of_nodes(&model, &state, &problem, &solution)[0].missing;
        // Rounding of the sums of weights (98 N·s).
        assert!(after.norm() < 1e-13, "{after}");
    }

    /// A solver may leave contacts that pull a little. Their force counts in the balance, but only contacts that push
    /// are changed.
    #[test]
    fn a_contact_that_pulls_counts_but_takes_up_nothing() {
        let (model, state, mut problem, mut solution) = drifting(0.0, 1e3);
        let row = ContactRow {
            entries: &[(1, problem.row(0).1[0])],
            offset: problem.offset(0),
            friction: 0.5,
        };
        problem.push(&row);
        solution.contacts.push(Multipliers {
            lambda: -1e-3,
            ..solution.contacts[0]
        });
        let pulled = Vector3::z() * -1e-3 * problem.time_step;
        let before = missing_of_nodes(&model, &state, &problem, &solution)[0].missing;
        assert!((before - pulled).norm() < 1e-12, "{before}");
        let coarse = &mut Coarse::default();
        let changes = balance_momentum(
            coarse,
            first_order(&model, &state),
            &problem,
            &mut solution,
            &[true],
        );
        assert!(
            changes[0].z.abs() < 1e-12 && changes[0].x > 0.0,
            "{changes:?}"
        );
        assert_eq!(changes[1], Vector3::zeros());
    }

    /// Results are independent of the number of threads, bit for bit; the contacts fill several tasks.
    #[test]
    fn threads_do_not_change_a_bit() {
        let (model, state, mut problem, mut solution) = drifting(1e-3, 1.0);
        let (entries, offset) = (problem.row(0).1[0], problem.offset(0));
        for contact in 1..3 * CONTACTS_PER_TASK {
            let tilt = Matrix3::identity() + Matrix3::from_element(1e-4 * contact as f64);
            problem.push(&ContactRow {
                entries: &[((contact % 8) as u32, entries * tilt)],
                offset,
                friction: 0.5,
            });
            let lambda = (0.1 * contact as f64).sin();
            solution.contacts.push(Multipliers {
                lambda,
                ..solution.contacts[0]
            });
        }
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let mut solution = solution.clone();
            let pool = pool.build().expect("a pool of threads");
            let changes = pool.install(|| {
                let coarse = &mut Coarse::default();
                balance_momentum(
                    coarse,
                    first_order(&model, &state),
                    &problem,
                    &mut solution,
                    &[true],
                )
            });
            (changes, solution.velocity)
        };
        let one = run(1);
        assert!(one.0.iter().any(|change| change.norm() > 0.0));
        for threads in [2, 7] {
            assert_eq!(one, run(threads), "{threads} threads");
        }
    }

    /// Translation and rotation of a rigid body are separate nodes, and both are closed.
    #[test]
    fn a_rigid_body_is_closed_in_both_of_its_blocks() {
        let rigid = CUBE.replace("name", "kind = \"rigid\"\ndensity = 1000\nname");
        let lines = rigid.lines().filter(|line| !line.starts_with("material"));
        let text = lines.collect::<Vec<_>>().join("\n");
        let scene = Scene::parse("cube.toml", &text, &LONG).expect("a scene");
        let (model, state) = Model::new(&scene).expect("a model");
        let mut matrix = SymmetricBlockMatrix::zeros(model.unknowns.pattern.clone());
        for block in 0..2 {
            *matrix.diagonal_block_mut(block) = Matrix3::identity() * model.rigid[0].inertia.mass();
        }
        let rhs = vec![0.5, -0.25, 0.0, 0.0, 0.125, 1.0];
        let mut problem = ContactProblem::new(model.settings.time_step, matrix, rhs);
        let mut solution = ContactSolution::at_rest(&problem);
        let rows = Matrix3::identity() * model.settings.time_step;
        problem.push(&ContactRow {
            entries: &[
                (0, rows),
                (
                    1,
                    Vector3::new(0.1, 0.2, 0.3).cross_matrix() * model.settings.time_step,
                ),
            ],
            offset: Vector3::zeros(),
            friction: 0.5,
        });
        solution.contacts.push(Multipliers {
            state: ContactState::Sticking,
            lambda: 1e3,
            ..Multipliers::default()
        });
        let nodes = [0, 1].map(|block| node_of_block(&model, block));
        assert_eq!(
            nodes,
            [model.geometry.bodies.len(), model.geometry.bodies.len() + 1]
        );
        let missing = |solution: &ContactSolution| {
            let of_nodes = missing_of_nodes(&model, &state, &problem, solution);
            nodes.map(|node| of_nodes[node].missing)
        };
        let before = missing(&solution);
        assert!((before[0] - Vector3::new(10.5, -0.25, 0.0)).norm() < 1e-12);
        let changes = balance_momentum(
            &mut Coarse::default(),
            first_order(&model, &state),
            &problem,
            &mut solution,
            &[true],
        );
        if let Some(change) = changes.first() {
            add_force(&mut solution.contacts[0], change);
        }
        for rest in missing(&solution) {
            assert!(rest.norm() < 1e-9 * before[0].norm(), "{rest}");
        }
    }
}
