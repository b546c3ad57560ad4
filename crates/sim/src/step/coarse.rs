//! Uniform velocities of whole bodies and changes of contact forces that close momentum balances together.
//!
//! A velocity alone would make a body that rests leave its support or enter it. The next step would have to solve that
//! away, would leave a residual of its own, and the body would move up and down for ever. So contacts that push
//! take up what they resist, as stiff springs between bodies that do not deform.

use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use impinge_krylov::direct::BlockCholesky;
use nalgebra::{Matrix3, Vector3};

/// Resistance of the contact that pushes most, in inertias of the heaviest body.
///
/// The inverse is the share of the velocity that gets through; sums over bodies that push only each other lose as many digits.
const RESISTANCE: f64 = 1e6;

/// Share of a contact's force, or of what is left to the edge of its cone, that a change may use up.
const MOST: f64 = 0.5;

/// Rounds that let go of contacts of which more would be asked.
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

/// A contact that pushes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Link {
    /// Rows on the velocities of its bodies (s): normal, tangents. An impulse is their transpose times the force.
    sides: [(u32, Matrix3<f64>); MOST_SIDES],
    count: usize,
    /// How much the force may change: the normal force, what is left to the edge of the cone, the same (N).
    room: Vector3<f64>,
}

impl Link {
    /// A contact with normal force `lambda` and `slack` left to the edge of its cone, 0 if it slides (N).
    pub(crate) fn new(lambda: f64, slack: f64) -> Self {
        Self {
            room: Vector3::new(lambda, slack, slack),
            ..Self::default()
        }
    }

    /// Adds rows on a point of `body`; there are at most [`MOST_SIDES`] bodies.
    pub(crate) fn add(&mut self, body: usize, rows: &Matrix3<f64>) {
        let body = body as u32;
        let known = self.sides().iter().position(|side| side.0 == body);
        let at = known.unwrap_or(self.count.min(MOST_SIDES - 1));
        self.count = self.count.max(at + 1);
        self.sides[at].0 = body;
        self.sides[at].1 += rows;
    }

    fn sides(&self) -> &[(u32, Matrix3<f64>)] {
        &self.sides[..self.count]
    }

    /// Change of the force (N) with the velocities, for springs of `stiffness` (1/s²) times the room there is.
    fn force(&self, velocities: &[Vector3<f64>], stiffness: f64) -> Vector3<f64> {
        let moved: Vector3<f64> = (self.sides().iter())
            .map(|(body, rows)| rows * velocities[*body as usize])
            .sum();
        -self.room.component_mul(&moved) * stiffness
    }

    /// Gives up what more than `MOST` of its room was asked of; whether there was any.
    fn let_go(&mut self, force: &Vector3<f64>) -> bool {
        let asked = |axis: usize| force[axis].abs() > MOST * self.room[axis];
        if asked(0) {
            self.room = Vector3::zeros();
            true
        } else if asked(1) || asked(2) {
            (self.room[1], self.room[2]) = (0.0, 0.0);
            true
        } else {
            false
        }
    }
}

/// What closes the balances: velocities of bodies (m/s), changes of the links' forces in rows' axes (N).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Closure {
    pub(crate) velocities: Vec<Vector3<f64>>,
    pub(crate) forces: Vec<Vector3<f64>>,
}

/// `δv` with `(M + k Σ Jᵀ R J) δv = r`, missing momentum `r`, rows `J` and room `R` of the links, and the forces `−k R J δv`.
///
/// Forces act on both sides alike, so the momentum of every body is closed, and that of bodies that push only each other without
/// any force from outside.
pub(crate) fn close(balances: &[BodyBalance], mut links: Vec<Link>) -> Closure {
    for _ in 0..ROUNDS {
        let closure = closure(balances, &links);
        let mut asked_too_much = false;
        for (link, force) in links.iter_mut().zip(&closure.forces) {
            asked_too_much |= link.let_go(force);
        }
        if !asked_too_much {
            return closure;
        }
    }
    links.iter_mut().for_each(|link| link.room.fill(0.0));
    closure(balances, &links)
}

fn closure(balances: &[BodyBalance], links: &[Link]) -> Closure {
    let stiffness = stiffness(balances, links);
    let velocities = velocities(balances, links, stiffness);
    let forces = (links.iter())
        .map(|link| link.force(&velocities, stiffness))
        .collect();
    Closure { velocities, forces }
}

/// What the rooms of the links are multiplied by, such that the strongest resists as [`RESISTANCE`] says (1/s²).
fn stiffness(balances: &[BodyBalance], links: &[Link]) -> f64 {
    let heaviest = (balances.iter().map(|body| body.inertia)).fold(0.0, f64::max);
    let strongest = (links.iter())
        .flat_map(|link| {
            (link.sides().iter()).map(|(_, rows)| rows.norm_squared() * link.room.max())
        })
        .fold(0.0, f64::max);
    if strongest > 0.0 {
        RESISTANCE * heaviest / strongest
    } else {
        0.0
    }
}

fn velocities(balances: &[BodyBalance], links: &[Link], stiffness: f64) -> Vec<Vector3<f64>> {
    let free = |body: u32| balances[body as usize].inertia > 0.0;
    let pairs = links.iter().flat_map(|link| {
        let sides = link
            .sides()
            .iter()
            .map(|side| side.0)
            .filter(|&body| free(body));
        let others = sides.clone();
        sides.flat_map(move |i| others.clone().map(move |j| (i, j)))
    });
    let pairs = pairs.filter(|(i, j)| i < j);
    let pattern = BlockPattern::from_pairs(balances.len(), pairs);
    let mut matrix = SymmetricBlockMatrix::zeros(pattern.clone());
    let mut unknowns = vec![0.0; matrix.len()];
    for (body, balance) in balances.iter().enumerate() {
        let held = balance.inertia == 0.0;
        let inertia = if held { 1.0 } else { balance.inertia };
        *matrix.diagonal_block_mut(body) = Matrix3::identity() * inertia;
        if !held {
            unknowns[3 * body..][..3].copy_from_slice(balance.missing.as_slice());
        }
    }
    for link in links {
        let springs = Matrix3::from_diagonal(&(link.room * stiffness));
        for (i, a) in link.sides() {
            for (j, b) in link.sides() {
                let slot = pattern.slot(*i as usize, *j as usize);
                if let (true, true, Some(slot)) = (free(*i), free(*j), slot) {
                    *matrix.block_mut(slot) += a.tr_mul(&(springs * b));
                }
            }
        }
    }
    let factor = BlockCholesky::new(&pattern, (0..balances.len()).collect());
    let solved = factor.and_then(|mut factor| {
        factor.factorize(&matrix)?;
        factor.solve_in_place(&mut unknowns);
        Ok(())
    });
    // Forces without bounds: they are for the solver to complain about.
    if solved.is_err() {
        unknowns.fill(0.0);
    }
    unknowns
        .chunks_exact(3)
        .map(Vector3::from_column_slice)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rows of a horizontal support, for steps of a millisecond.
    fn rows() -> Matrix3<f64> {
        Matrix3::from_rows(&[
            Vector3::z().transpose(),
            Vector3::x().transpose(),
            Vector3::y().transpose(),
        ]) * 1e-3
    }

    fn lacking(missing: Vector3<f64>, inertia: f64) -> BodyBalance {
        BodyBalance { missing, inertia }
    }

    fn support(body: usize, lambda: f64, slack: f64) -> Link {
        let mut link = Link::new(lambda, slack);
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
        let links = [support(0, 10.0, 5.0), support(0, 10.0, 5.0)];
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
        assert_eq!(closure.forces[0].yz().amax(), 0.0);
    }

    #[test]
    fn bodies_that_push_each_other_move_as_one() {
        let balances = [
            lacking(Vector3::z() * 3e-3, 1.0),
            lacking(Vector3::zeros(), 2.0),
        ];
        let mut link = support(0, 10.0, 5.0);
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
        let closure = close(&balances, vec![support(0, 10.0, 5.0)]);
        assert!((closure.velocities[0].x - 0.5).abs() < 1e-12);
        assert!(closure.velocities[0].z.abs() < 1e-8);
    }

    #[test]
    fn what_is_held_stays() {
        let balances = [
            lacking(Vector3::repeat(1.0), 0.0),
            lacking(Vector3::zeros(), 1.0),
        ];
        let mut link = support(0, 10.0, 5.0);
        link.add(1, &-rows());
        let closure = close(&balances, vec![link]);
        assert_eq!(closure.velocities, [Vector3::zeros(); 2]);
    }

    fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
        [-size..size, -size..size, -size..size].prop_map(Vector3::from)
    }

    fn links(bodies: usize) -> impl Strategy<Value = Vec<Link>> {
        let link = (
            0..bodies,
            0..=bodies,
            vector(1e-3),
            -9.0..2.0_f64,
            0.0..1.0_f64,
        );
        let link = link.prop_filter_map(
            "a direction",
            move |(first, second, normal, power, share)| {
                let normal = normal.try_normalize(1e-9)?;
                let frame = impinge_contact::frame::ContactFrame::around(normal);
                let [t1, t2] = frame.tangents;
                let rows =
                    Matrix3::from_rows(&[normal.transpose(), t1.transpose(), t2.transpose()])
                        * 1e-3;
                let lambda = 10.0_f64.powf(power);
                let mut link = Link::new(lambda, share * lambda);
                link.add(first, &rows);
                if second < bodies && second != first {
                    link.add(second, &-rows);
                }
                // As of a rigid side, whose rotation counts apart.
                link.add(
                    (first + 1) % bodies,
                    &(rows * Vector3::new(0.3, -0.2, 0.5).cross_matrix()),
                );
                Some(link)
            },
        );
        prop::collection::vec(link, 0..20)
    }

    proptest! {
        /// Every balance is closed, and no contact is asked for more than half of what it has.
        #[test]
        fn balances_are_closed_by_what_there_is(
            missing in prop::collection::vec((vector(1e-3), 0.1..10.0_f64), 6),
            links in links(6),
        ) {
            let balances: Vec<_> = missing.iter().map(|&(r, m)| lacking(r, m)).collect();
            let closure = close(&balances, links.clone());
            let largest: f64 = missing.iter().map(|(r, _)| r.norm()).sum();
            for rest in left(&balances, &links, &closure) {
                prop_assert!(rest.norm() <= 1e-9 * largest, "{rest}");
            }
            for (link, force) in links.iter().zip(&closure.forces) {
                for axis in 0..3 {
                    prop_assert!(force[axis].abs() <= MOST * link.room[axis]);
                }
            }
        }
    }
}
