//! Uniform velocities of whole bodies and changes of contact forces that close momentum balances together.
//!
//! A velocity alone would make a body that rests leave its support or enter it. The next step would have to solve that
//! away, would leave a residual of its own, and the body would move up and down for ever. So contacts that push
//! take up what they resist, as stiff springs between bodies that do not deform.

use impinge_contact::{ContactState, Multipliers};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use impinge_krylov::direct::BlockCholesky;
use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;

/// Resistance of the contact that pushes a body most, in inertias of the body.
///
/// The inverse is the share of the velocity that gets through; forces lose as many digits ([`close_to_rounding`]).
const RESISTANCE: f64 = 1e6;

/// Share of a contact's normal force that its change may use up.
const MOST: f64 = 0.5;

/// Rounds that let go of single contacts of which more would be asked; later ones let go of all at the same bodies.
const ROUNDS: u32 = 4;

/// Sides that a link has at most: two bodies, whose translations and rotations count apart.
const MOST_SIDES: usize = 4;

/// What a body lacks; of a rigid one, what its translation or its rotation lacks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BodyBalance {
    /// Momentum that it should have beside what it has (N·s).
    pub(crate) missing: Vector3<f64>,
    /// Momentum that it gains with a unit of velocity (kg); 0 for one that is not free to move as a whole.
    pub(crate) inertia: f64,
}

impl BodyBalance {
    fn is_free(&self) -> bool {
        self.inertia > 0.0
    }
}

/// A contact that carries a force. Only one that pushes resists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    /// Rows on the velocities of its bodies (s): normal, tangents. An impulse is their transpose times the force.
    sides: [(u32, Matrix3<f64>); MOST_SIDES],
    /// How many of `sides` count.
    count: usize,
    /// The forces before the change.
    multipliers: Multipliers,
    /// `μ`.
    friction: f64,
    /// How much it resists along its axes: the normal force, what is left to the edge of the cone, the same (N);
    /// nothing unless it pushes.
    room: Vector3<f64>,
}

impl Link {
    /// A contact with its forces and coefficient of friction.
    pub(crate) fn new(multipliers: &Multipliers, friction: f64) -> Self {
        let [f1, f2] = multipliers.friction_force();
        let slack = match multipliers.state {
            ContactState::Sticking => (friction * multipliers.lambda - f1.hypot(f2)).max(0.0),
            _ => 0.0,
        };
        let pushes = multipliers.state != ContactState::Inactive && multipliers.lambda > 0.0;
        let room = Vector3::new(multipliers.lambda, slack, slack);
        Self {
            sides: Default::default(),
            count: 0,
            multipliers: *multipliers,
            friction,
            room: if pushes { room } else { Vector3::zeros() },
        }
    }

    /// Adds rows on a point of `body`; there are at most [`MOST_SIDES`] bodies.
    pub(crate) fn add(&mut self, body: usize, rows: &Matrix3<f64>) {
        let body = body as u32;
        let known = self.sides().iter().position(|side| side.0 == body);
        debug_assert!(known.is_some() || self.count < MOST_SIDES, "two bodies");
        let at = known.unwrap_or(self.count.min(MOST_SIDES - 1));
        self.count = self.count.max(at + 1);
        self.sides[at].0 = body;
        self.sides[at].1 += rows;
    }

    fn sides(&self) -> &[(u32, Matrix3<f64>)] {
        &self.sides[..self.count]
    }

    /// What its forces before the change give to each of its bodies (N·s).
    pub(crate) fn impulses(&self) -> impl Iterator<Item = (usize, Vector3<f64>)> {
        let force = self.multipliers.force();
        (self.sides().iter()).map(move |(body, rows)| (*body as usize, rows.tr_mul(&force)))
    }

    fn bodies(&self) -> impl Iterator<Item = usize> {
        self.sides().iter().map(|side| side.0 as usize)
    }

    /// Change of the force (N) with the velocities, for springs of `stiffness` (1/m) times the room there is.
    fn force(&self, velocities: &[Vector3<f64>], stiffness: f64) -> Vector3<f64> {
        let moved: Vector3<f64> = (self.sides().iter())
            .map(|(body, rows)| rows * velocities[*body as usize])
            .sum();
        -self.room.component_mul(&moved) * stiffness
    }

    /// Gives up what `change` asks too much of: everything, or sticking if that would be beyond the cone; whether there
    /// was any.
    fn let_go(&mut self, change: &Vector3<f64>) -> bool {
        let lambda = self.multipliers.lambda;
        if change[0].abs() > MOST * self.room[0] {
            self.room = Vector3::zeros();
            return true;
        }
        let [f1, f2] = self.multipliers.friction_force();
        let friction_force = (f1 + change[1]).hypot(f2 + change[2]);
        let sticks = self.room[1] > 0.0;
        let beyond = sticks && friction_force > self.friction * (lambda + change[0]);
        if beyond {
            (self.room[1], self.room[2]) = (0.0, 0.0);
        }
        beyond
    }
}

/// What closes the balances: velocities of bodies (m/s), changes of the links' forces in rows' axes (N).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Closure {
    pub(crate) velocities: Vec<Vector3<f64>>,
    pub(crate) forces: Vec<Vector3<f64>>,
}

/// The coarse system, and what solves of a step have in common: which bodies touch hardly changes in it.
#[derive(Default)]
pub(crate) struct Coarse {
    system: Option<System>,
}

/// A matrix with room for the links that it was made for, and the order in which its unknowns are eliminated.
struct System {
    pattern: Arc<BlockPattern>,
    matrix: SymmetricBlockMatrix,
    factor: BlockCholesky,
}

impl Coarse {
    /// Forgets what was common: a system with room for more rounds differently, and a run that is resumed here has no
    /// other.
    pub(crate) fn begin_step(&mut self) {
        self.system = None;
    }

    /// `δv` with `(M + Σ k Jᵀ R J) δv = r`, missing momentum `r`, rows `J` and room `R` of the links, and the forces
    /// `−k R J δv`.
    ///
    /// Forces act on both sides alike, so the momentum of every body is closed, and that of bodies that push only each
    /// other without any force from outside. A force of friction stays in the cone where it sticks; one that slides
    /// stays as it is, so it is off the edge by `μ` times the change of the normal force.
    pub(crate) fn close(&mut self, balances: &[BodyBalance], mut links: Vec<Link>) -> Closure {
        for round in 0.. {
            let closure = self.closure(balances, &links);
            let mut asking = vec![false; balances.len()];
            let mut asked_too_much = false;
            for (link, change) in links.iter_mut().zip(&closure.forces) {
                if link.let_go(change) {
                    asked_too_much = true;
                    link.bodies().for_each(|body| asking[body] = true);
                }
            }
            if !asked_too_much {
                return closure;
            }
            if round >= ROUNDS {
                let asked = |link: &&mut Link| link.bodies().any(|body| asking[body]);
                (links.iter_mut().filter(asked)).for_each(|link| link.room.fill(0.0));
            }
        }
        unreachable!(
            "links without room are asked for nothing, and every round leaves fewer with room"
        )
    }

    fn closure(&mut self, balances: &[BodyBalance], links: &[Link]) -> Closure {
        let stiffnesses = stiffnesses(balances, links);
        if let Some(mut velocities) = self.velocities(balances, links, &stiffnesses) {
            let forces: Vec<_> = (links.iter().zip(&stiffnesses))
                .map(|(link, &stiffness)| link.force(&velocities, stiffness))
                .collect();
            close_to_rounding(balances, links, &forces, &mut velocities);
            return Closure { velocities, forces };
        }
        let alone = |body: &BodyBalance| {
            if body.is_free() {
                body.missing / body.inertia
            } else {
                Vector3::zeros()
            }
        };
        Closure {
            velocities: balances.iter().map(alone).collect(),
            forces: vec![Vector3::zeros(); links.len()],
        }
    }

    /// `None` where nothing resists, or forces are so far from each other in size that the system cannot be solved.
    fn velocities(
        &mut self,
        balances: &[BodyBalance],
        links: &[Link],
        stiffnesses: &[f64],
    ) -> Option<Vec<Vector3<f64>>> {
        if stiffnesses.iter().all(|&stiffness| stiffness == 0.0) {
            return None;
        }
        let of_as_many = |system: &System| system.pattern.blocks() == balances.len();
        let mut known = self.system.take().filter(of_as_many);
        let filled = |system: &mut System| system.fill(balances, links, stiffnesses);
        if !known.as_mut().is_some_and(filled) {
            let system = known.insert(System::of(balances, links)?);
            let has_room = filled(system);
            debug_assert!(has_room, "it was made for these links");
        }
        let system = self.system.insert(known?);
        system.factor.factorize(&system.matrix).ok()?;
        let mut unknowns = vec![0.0; system.matrix.len()];
        for (unknown, balance) in unknowns.chunks_exact_mut(3).zip(balances) {
            if balance.is_free() {
                unknown.copy_from_slice(balance.missing.as_slice());
            }
        }
        system.factor.solve_in_place(&mut unknowns);
        let velocities = unknowns.chunks_exact(3).map(Vector3::from_column_slice);
        unknowns
            .iter()
            .all(|v| v.is_finite())
            .then(|| velocities.collect())
    }
}

impl System {
    /// A system with room for `links`; `None` if it does not fit in memory.
    fn of(balances: &[BodyBalance], links: &[Link]) -> Option<Self> {
        let free = |body: u32| balances[body as usize].is_free();
        let pairs = links.iter().flat_map(|link| {
            let bodies = link.sides().iter().map(|side| side.0);
            let sides = bodies.filter(|&body| free(body));
            let others = sides.clone();
            sides.flat_map(move |i| others.clone().map(move |j| (i, j)))
        });
        let pairs = pairs.filter(|(i, j)| i < j);
        let pattern = Arc::new(BlockPattern::from_pairs(balances.len(), pairs));
        Some(Self {
            matrix: SymmetricBlockMatrix::zeros(Arc::clone(&pattern)),
            factor: BlockCholesky::new(&pattern, (0..balances.len()).collect()).ok()?,
            pattern,
        })
    }

    /// Writes `M + Σ k Jᵀ R J`; whether there is room for all links.
    fn fill(&mut self, balances: &[BodyBalance], links: &[Link], stiffnesses: &[f64]) -> bool {
        let (matrix, pattern) = (&mut self.matrix, &self.pattern);
        matrix.set_zero();
        let free = |body: u32| balances[body as usize].is_free();
        for (body, balance) in balances.iter().enumerate() {
            let inertia = if balance.is_free() {
                balance.inertia
            } else {
                1.0
            };
            *matrix.diagonal_block_mut(body) = Matrix3::identity() * inertia;
        }
        for (link, &stiffness) in links.iter().zip(stiffnesses) {
            let springs = Matrix3::from_diagonal(&(link.room * stiffness));
            for (i, a) in link.sides() {
                for (j, b) in link.sides() {
                    if i > j || !free(*i) || !free(*j) {
                        continue;
                    }
                    let Some(slot) = pattern.slot(*i as usize, *j as usize) else {
                        return false;
                    };
                    *matrix.block_mut(slot) += a.tr_mul(&(springs * b));
                }
            }
        }
        true
    }
}

/// Makes the velocities those that the `forces` leave for closing the balances.
///
/// Springs are stiff, so forces hang on the last digits of differences of velocities: between bodies of a thousandfold
/// mass they are off by 1e-7. As velocity that is nothing.
fn close_to_rounding(
    balances: &[BodyBalance],
    links: &[Link],
    forces: &[Vector3<f64>],
    velocities: &mut [Vector3<f64>],
) {
    let mut impulses: Vec<_> = balances.iter().map(|body| body.missing).collect();
    for (link, force) in links.iter().zip(forces) {
        for (body, rows) in link.sides() {
            impulses[*body as usize] += rows.tr_mul(force);
        }
    }
    for ((velocity, body), impulse) in velocities.iter_mut().zip(balances).zip(impulses) {
        if body.is_free() {
            *velocity = impulse / body.inertia;
        }
    }
}

/// What the room of each link is multiplied by, such that the strongest at every body resists as [`RESISTANCE`] says
/// (1/m).
fn stiffnesses(balances: &[BodyBalance], links: &[Link]) -> Vec<f64> {
    let mut strongest = vec![0.0_f64; balances.len()];
    for link in links {
        for (body, rows) in link.sides() {
            let strength = rows.norm_squared() * link.room.max();
            let most = &mut strongest[*body as usize];
            *most = most.max(strength);
        }
    }
    let of_body = |body: usize| {
        if strongest[body] > 0.0 {
            RESISTANCE * balances[body].inertia / strongest[body]
        } else {
            0.0
        }
    };
    let of_link = |link: &Link| link.bodies().map(of_body).fold(0.0, f64::max);
    links.iter().map(of_link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector2;
    use proptest::prelude::*;

    fn close(balances: &[BodyBalance], links: Vec<Link>) -> Closure {
        Coarse::default().close(balances, links)
    }

    /// Rows of a horizontal support, for steps of a millisecond.
    fn rows() -> Matrix3<f64> {
        Matrix3::from_rows(&[
            Vector3::z().transpose(),
            Vector3::x().transpose(),
            Vector3::y().transpose(),
        ]) * 1e-3
    }

    const FRICTION: f64 = 0.5;

    fn lacking(missing: Vector3<f64>, inertia: f64) -> BodyBalance {
        BodyBalance { missing, inertia }
    }

    /// A contact that pushes with `lambda`; it sticks, without a force of friction, if there is `friction`.
    fn pushing(lambda: f64, friction: f64) -> Link {
        let state = if friction > 0.0 {
            ContactState::Sticking
        } else {
            ContactState::Sliding
        };
        let multipliers = Multipliers {
            state,
            lambda,
            ..Multipliers::default()
        };
        Link::new(&multipliers, friction)
    }

    fn support(body: usize, lambda: f64, friction: f64) -> Link {
        let mut link = pushing(lambda, friction);
        link.add(body, &rows());
        link
    }

    /// What is left of each body's balance (N·s).
    fn left(balances: &[BodyBalance], links: &[Link], closure: &Closure) -> Vec<Vector3<f64>> {
        let gained =
            |(balance, v): (&BodyBalance, &Vector3<f64>)| balance.missing - v * balance.inertia;
        let mut left: Vec<_> = balances
            .iter()
            .zip(&closure.velocities)
            .map(gained)
            .collect();
        for (link, force) in links.iter().zip(&closure.forces) {
            for (body, rows) in link.sides() {
                left[*body as usize] += rows.tr_mul(force);
            }
        }
        left
    }

    #[test]
    fn what_nothing_holds_takes_it_as_velocity() {
        let missing = Vector3::new(1.0, -2.0, 3.0);
        let closure = close(&[lacking(missing, 2.0)], Vec::new());
        assert!((closure.velocities[0] - missing / 2.0).norm() < 1e-14);
    }

    #[test]
    fn what_rests_takes_it_as_force() {
        let balances = [lacking(Vector3::new(1e-3, 0.0, -2e-3), 2.0)];
        let links = [support(0, 10.0, 0.5), support(0, 10.0, 0.5)];
        let closure = close(&balances, links.to_vec());
        assert!(closure.velocities[0].norm() < 1e-8);
        for force in &closure.forces {
            let expected = Vector3::new(1.0, -0.5, 0.0);
            assert!((force - expected).norm() < 1e-5, "{force}");
        }
        assert!(left(&balances, &links, &closure)[0].norm() < 1e-15);
    }

    #[test]
    fn what_slides_goes_on_sliding() {
        let balances = [lacking(Vector3::new(1e-3, 0.0, -2e-3), 2.0)];
        let closure = close(&balances, vec![support(0, 10.0, 0.0)]);
        assert!((closure.velocities[0].x - 5e-4).abs() < 1e-15);
        assert!(closure.velocities[0].z.abs() < 1e-8);
        assert_eq!(closure.forces[0].yz(), Vector2::zeros());
    }

    #[test]
    fn bodies_that_push_each_other_move_as_one() {
        let balances = [
            lacking(Vector3::z() * 3e-3, 1.0),
            lacking(Vector3::zeros(), 2.0),
        ];
        let mut link = support(0, 10.0, 0.5);
        link.add(1, &-rows());
        let closure = close(&balances, vec![link]);
        let [first, second] = [closure.velocities[0], closure.velocities[1]];
        assert!((first.z - 1e-3).abs() < 1e-8 && (second.z - 1e-3).abs() < 1e-8);
        let total = first + second * 2.0;
        assert!((total - Vector3::z() * 3e-3).norm() < 1e-12);
    }

    /// A contact with next to no force cannot carry a body, and does not pull.
    #[test]
    fn what_asks_for_more_than_there_is_is_let_go() {
        let missing = Vector3::new(0.0, 0.0, 1.0);
        let balances = [lacking(missing, 2.0)];
        let closure = close(&balances, vec![support(0, 1e-9, 0.0)]);
        assert!((closure.velocities[0] - missing / 2.0).norm() < 1e-14);
        assert_eq!(closure.forces, [Vector3::zeros()]);
    }

    /// One that sticks where the edge of its cone is near slides instead, and goes on carrying.
    #[test]
    fn what_asks_for_more_friction_than_there_is_slides() {
        let balances = [lacking(Vector3::new(1.0, 0.0, -1e-3), 2.0)];
        let closure = close(&balances, vec![support(0, 10.0, 0.5)]);
        assert!((closure.velocities[0].x - 0.5).abs() < 1e-12);
        assert!(closure.velocities[0].z.abs() < 1e-8);
    }

    #[test]
    fn what_is_held_stays_and_carries() {
        let balances = [
            lacking(Vector3::repeat(1.0), 0.0),
            lacking(Vector3::z() * 1e-3, 1.0),
        ];
        let mut link = support(0, 10.0, 0.5);
        link.add(1, &-rows());
        let closure = close(&balances, vec![link]);
        assert_eq!(closure.velocities[0], Vector3::zeros());
        assert!(closure.velocities[1].norm() < 1e-8);
        assert!((closure.forces[0] - Vector3::new(1.0, 0.0, 0.0)).norm() < 1e-5);
    }

    /// How much one body presses says nothing of another, however much more that is.
    #[test]
    fn a_light_body_rests_beside_a_press() {
        let balances = [
            lacking(Vector3::z() * 1.0, 1e3),
            lacking(Vector3::z() * -1e-6, 1e-3),
        ];
        let closure = close(&balances, vec![support(0, 1e7, 0.5), support(1, 1e-2, 0.5)]);
        assert!(
            closure.velocities[1].norm() < 1e-8,
            "{:?}",
            closure.velocities
        );
    }

    /// Numbers that overflow leave every body alone with what it lacks.
    #[test]
    fn what_cannot_be_solved_is_closed_by_velocities() {
        let balances = [lacking(Vector3::z(), 2.0)];
        let closure = close(&balances, vec![support(0, 1e-310, 0.5)]);
        assert_eq!(closure.velocities, [Vector3::z() / 2.0]);
        assert_eq!(closure.forces, [Vector3::zeros()]);
    }

    fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
        [-size..size, -size..size, -size..size].prop_map(Vector3::from)
    }

    fn links(bodies: usize) -> impl Strategy<Value = Vec<Link>> {
        let any = (-9.0..2.0_f64, 0.0..1.0_f64, 0.0..6.3_f64, 0..8_u8);
        let push = any.prop_map(|(power, share, angle, kind)| {
            let size = 10.0_f64.powf(power);
            let friction_force = FRICTION * size * share;
            // Now and then one that pulls, or that slides.
            let multipliers = Multipliers {
                state: if kind == 1 {
                    ContactState::Sliding
                } else {
                    ContactState::Sticking
                },
                lambda: if kind == 0 { -size } else { size },
                gamma: [friction_force * angle.cos(), friction_force * angle.sin()],
                ..Multipliers::default()
            };
            Link::new(&multipliers, FRICTION)
        });
        let link = (0..bodies, 0..=bodies, vector(1e-3), push);
        let link = link.prop_filter_map("a direction", move |(first, second, normal, push)| {
            let normal = normal.try_normalize(1e-9)?;
            let frame = impinge_contact::frame::ContactFrame::around(normal);
            let [t1, t2] = frame.tangents;
            let rows =
                Matrix3::from_rows(&[normal.transpose(), t1.transpose(), t2.transpose()]) * 1e-3;
            let mut link = push;
            link.add(first, &rows);
            if second < bodies && second != first {
                link.add(second, &-rows);
            }
            // As of a rigid side, whose rotation counts apart.
            let turn = Vector3::new(0.3, -0.2, 0.5).cross_matrix();
            link.add((first + 1) % bodies, &(rows * turn));
            Some(link)
        });
        prop::collection::vec(link, 0..20)
    }

    proptest! {
        /// Every balance is closed, no contact gives more than half of its normal force, and friction that helps stays
        /// in its cone, whatever links the system was made for.
        #[test]
        fn balances_are_closed_by_what_there_is(
            missing in prop::collection::vec((vector(1e-3), 0.1..10.0_f64), 6),
            before in links(6),
            links in links(6),
        ) {
            let balances: Vec<_> = missing.iter().map(|&(r, m)| lacking(r, m)).collect();
            let mut coarse = Coarse::default();
            coarse.close(&balances, before);
            let closure = coarse.close(&balances, links.clone());
            let impulse = |(link, force): (&Link, &Vector3<f64>)| -> f64 {
                link.sides().iter().map(|(_, rows)| rows.tr_mul(force).norm()).sum()
            };
            let largest: f64 = missing.iter().map(|(r, _)| r.norm()).sum::<f64>()
                + links.iter().zip(&closure.forces).map(impulse).sum::<f64>();
            for rest in left(&balances, &links, &closure) {
                prop_assert!(rest.norm() <= 1e-13 * largest, "{rest}");
            }
            for (link, change) in links.iter().zip(&closure.forces) {
                let Multipliers { lambda, gamma: [f1, f2], .. } = link.multipliers;
                prop_assert!(change[0].abs() <= MOST * lambda.max(0.0));
                if change.yz().amax() > 0.0 {
                    let friction_force = (f1 + change[1]).hypot(f2 + change[2]);
                    prop_assert!(friction_force <= FRICTION * (lambda + change[0]));
                }
            }
        }
    }
}
