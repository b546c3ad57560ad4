//! Uniform velocities of whole bodies and changes of contact forces that close all momentum balances together.
//!
//! A velocity correction alone would move a resting body off its support or into it. The next step would undo this
//! motion and leave a new residual, so the body would oscillate. Therefore contacts that push act as stiff springs
//! between bodies that do not deform, and take up the missing momentum as force.

mod component;
mod link;
mod system;

use component::components;
pub(crate) use link::{BodyBalance, Link};
use nalgebra::Vector3;
use std::collections::BTreeMap;
use system::System;

/// Stiffness of the stiffest contact of a body, in inertias of the body (1), 1e4 to 1e8.
///
/// The inverse is the share of the velocity that remains; forces lose as many digits ([`close_to_rounding`]).
const RESISTANCE: f64 = 1e6;

/// Missing momentum over the impulses of the links of a body that is rounding: sums of a few dozen impulses.
///
/// It is left open. As a velocity it would add up from step to step until forces take it up, all of it in one step, and
/// these forces would be as much too large in the next step.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// The corrections that close the balances: velocities of bodies (m/s), and changes of the links' forces in the axes of
/// their rows (N).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Closure {
    pub(crate) velocities: Vec<Vector3<f64>>,
    pub(crate) forces: Vec<Vector3<f64>>,
}

/// The coarse system. All solves of a step share it, since their pairs of touching bodies hardly differ.
#[derive(Default)]
pub(crate) struct Coarse {
    /// The system of each component, by its first body that is free.
    systems: BTreeMap<u32, System>,
    /// Those of an earlier assembly, whose ordering serves systems of the same pattern.
    earlier: BTreeMap<u32, System>,
}

impl Coarse {
    /// Drops the shared systems when equations are assembled: rounding depends on their patterns, and a resumed run has
    /// none. An ordering changes no bit: systems of another pattern do not take it.
    pub(crate) fn begin_step(&mut self) {
        if !self.systems.is_empty() {
            self.earlier = std::mem::take(&mut self.systems);
        }
    }

    /// `δv` with `(M + Σ k Jᵀ R J) δv = r`, missing momentum `r`, rows `J` and capacity `R` of the links, and the
    /// forces `−k R J δv`.
    ///
    /// Forces act on both sides alike. So the momentum of every body is closed, and groups of bodies that only touch
    /// each other get no external force. Friction of a sticking contact stays in its cone. Friction of a sliding
    /// contact is unchanged, so it is off the edge of the cone by `μ` times the change of the normal force.
    ///
    /// Each component of bodies connected by links is closed by itself, so its result is independent of the others.
    pub(crate) fn close(&mut self, balances: &[BodyBalance], links: &[Link]) -> Closure {
        let open = open_bodies(balances, links);
        let mut closure = alone(balances, links);
        for (velocity, _) in (closure.velocities.iter_mut().zip(&open)).filter(|(_, open)| !**open)
        {
            *velocity = Vector3::zeros();
        }
        if !open.contains(&true) {
            return closure;
        }
        for component in components(balances, links, &open) {
            let bodies = &component.bodies;
            let place = |body: u32| bodies.partition_point(|&other| other < body) as u32;
            let own = |&body: &u32| balances[body as usize];
            let own_balances: Vec<BodyBalance> = bodies.iter().map(own).collect();
            let own_links = (component.links.iter()).map(|&link| links[link].renumbered(place));
            let own = self.close_component(component.first, &own_balances, own_links.collect());
            for (&body, velocity) in bodies.iter().zip(own.velocities) {
                closure.velocities[body as usize] = velocity;
            }
            for (&link, force) in component.links.iter().zip(own.forces) {
                closure.forces[link] = force;
            }
        }
        closure
    }

    fn close_component(
        &mut self,
        first: u32,
        balances: &[BodyBalance],
        mut links: Vec<Link>,
    ) -> Closure {
        // A further round follows a release, and a link has two at most: of its friction, then of all.
        loop {
            let closure = self.closure(first, balances, &links);
            let mut any_overloaded = false;
            for (link, change) in links.iter_mut().zip(&closure.forces) {
                any_overloaded |= link.release(change);
            }
            if !any_overloaded {
                return closure;
            }
        }
    }

    fn closure(&mut self, first: u32, balances: &[BodyBalance], links: &[Link]) -> Closure {
        let stiffnesses = stiffnesses(balances, links);
        if let Some(mut velocities) = self.velocities(first, balances, links, &stiffnesses) {
            let forces: Vec<_> = (links.iter().zip(&stiffnesses))
                .map(|(link, &stiffness)| link.force(&velocities, stiffness))
                .collect();
            close_to_rounding(balances, links, &forces, &mut velocities);
            return Closure { velocities, forces };
        }
        alone(balances, links)
    }

    /// `None` if no contact resists, or if forces differ so much in size that the system cannot be solved.
    fn velocities(
        &mut self,
        first: u32,
        balances: &[BodyBalance],
        links: &[Link],
        stiffnesses: &[f64],
    ) -> Option<Vec<Vector3<f64>>> {
        if stiffnesses.iter().all(|&stiffness| stiffness == 0.0) {
            return None;
        }
        let of_as_many = |system: &System| system.pattern.blocks() == balances.len();
        let mut known = self.systems.remove(&first).filter(of_as_many);
        let filled = |system: &mut System| system.fill(balances, links, stiffnesses);
        if !known.as_mut().is_some_and(filled) {
            let earlier = self.earlier.remove(&first);
            let system = known.insert(System::of(balances, links, earlier)?);
            let fits = filled(system);
            debug_assert!(fits, "it was made for these links");
        }
        let system = self.systems.entry(first).insert_entry(known?).into_mut();
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

/// Closes every balance by a velocity.
fn alone(balances: &[BodyBalance], links: &[Link]) -> Closure {
    Closure {
        velocities: balances.iter().map(BodyBalance::alone).collect(),
        forces: vec![Vector3::zeros(); links.len()],
    }
}

/// Which bodies miss more momentum than rounding. In a pile at rest none does: its forces close all balances already.
fn open_bodies(balances: &[BodyBalance], links: &[Link]) -> Vec<bool> {
    let mut impulses = vec![0.0; balances.len()];
    for (body, impulse) in links.iter().flat_map(Link::impulses) {
        impulses[body] += impulse.norm();
    }
    let is_closed = |balance: &BodyBalance, impulse| balance.missing.norm() <= ROUNDING * impulse;
    (balances.iter().zip(impulses))
        .map(|(balance, impulse)| !is_closed(balance, impulse))
        .collect()
}

/// Sets the velocities that close the balances together with `forces`.
///
/// Stiff springs make forces sensitive to the last digits of velocity differences: between bodies whose masses differ
/// by a factor of 1,000, forces have a relative error of 1e-7. The same error in a velocity is negligible.
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

/// Factor on the `capacity` of each link, so that the strongest link of every body has the stiffness [`RESISTANCE`]
/// (1/m).
fn stiffnesses(balances: &[BodyBalance], links: &[Link]) -> Vec<f64> {
    let mut strongest = vec![0.0_f64; balances.len()];
    for link in links {
        for (body, rows) in link.sides() {
            let strength = rows.norm_squared() * link.capacity.max();
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
    use super::link::MAX_CHANGE;
    use super::*;
    use impinge_contact::{ContactState, Multipliers};
    use nalgebra::{Matrix3, Vector2};
    use proptest::prelude::*;

    fn close(balances: &[BodyBalance], links: &[Link]) -> Closure {
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

    /// A contact that pushes with `lambda`; if there is `friction`, it sticks with no friction force.
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

    /// Remaining momentum of each body (N·s).
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
    fn a_free_body_takes_missing_momentum_as_velocity() {
        let missing = Vector3::new(1.0, -2.0, 3.0);
        let closure = close(&[lacking(missing, 2.0)], &[]);
        assert!((closure.velocities[0] - missing / 2.0).norm() < 1e-14);
    }

    #[test]
    fn a_resting_body_takes_missing_momentum_as_force() {
        let balances = [lacking(Vector3::new(1e-3, 0.0, -2e-3), 2.0)];
        let links = [support(0, 10.0, 0.5), support(0, 10.0, 0.5)];
        let closure = close(&balances, &links);
        assert!(closure.velocities[0].norm() < 1e-8);
        for force in &closure.forces {
            let expected = Vector3::new(1.0, -0.5, 0.0);
            assert!((force - expected).norm() < 1e-5, "{force}");
        }
        assert!(left(&balances, &links, &closure)[0].norm() < 1e-15);
    }

    #[test]
    fn a_sliding_contact_takes_no_friction() {
        let balances = [lacking(Vector3::new(1e-3, 0.0, -2e-3), 2.0)];
        let closure = close(&balances, &[support(0, 10.0, 0.0)]);
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
        let closure = close(&balances, &[link]);
        let [first, second] = [closure.velocities[0], closure.velocities[1]];
        assert!((first.z - 1e-3).abs() < 1e-8 && (second.z - 1e-3).abs() < 1e-8);
        let total = first + second * 2.0;
        assert!((total - Vector3::z() * 3e-3).norm() < 1e-12);
    }

    /// A contact with almost no force cannot carry a body, and it does not pull.
    #[test]
    fn an_overloaded_contact_is_released() {
        let missing = Vector3::new(0.0, 0.0, 1.0);
        let balances = [lacking(missing, 2.0)];
        let closure = close(&balances, &[support(0, 1e-9, 0.0)]);
        assert!((closure.velocities[0] - missing / 2.0).norm() < 1e-14);
        assert_eq!(closure.forces, [Vector3::zeros()]);
    }

    /// A sticking contact near the edge of its cone slides instead, and still carries the normal load.
    #[test]
    fn a_contact_overloaded_by_friction_slides() {
        let balances = [lacking(Vector3::new(1.0, 0.0, -1e-3), 2.0)];
        let closure = close(&balances, &[support(0, 10.0, 0.5)]);
        assert!((closure.velocities[0].x - 0.5).abs() < 1e-12);
        assert!(closure.velocities[0].z.abs() < 1e-8);
    }

    #[test]
    fn a_held_body_stays_and_carries() {
        let balances = [
            lacking(Vector3::repeat(1.0), 0.0),
            lacking(Vector3::z() * 1e-3, 1.0),
        ];
        let mut link = support(0, 10.0, 0.5);
        link.add(1, &-rows());
        let closure = close(&balances, &[link]);
        assert_eq!(closure.velocities[0], Vector3::zeros());
        assert!(closure.velocities[1].norm() < 1e-8);
        assert!((closure.forces[0] - Vector3::new(1.0, 0.0, 0.0)).norm() < 1e-5);
    }

    /// The load of one body does not affect another, however much larger it is.
    #[test]
    fn a_light_body_rests_beside_a_press() {
        let balances = [
            lacking(Vector3::z() * 1.0, 1e3),
            lacking(Vector3::z() * -1e-6, 1e-3),
        ];
        let closure = close(&balances, &[support(0, 1e7, 0.5), support(1, 1e-2, 0.5)]);
        assert!(
            closure.velocities[1].norm() < 1e-8,
            "{:?}",
            closure.velocities
        );
    }

    /// Rounding of a resting body's impulses stays open: it becomes neither a velocity nor a force.
    #[test]
    fn rounding_of_a_resting_body_stays_open() {
        let link = support(0, 10.0, 0.5);
        let impulse: f64 = link.impulses().map(|(_, impulse)| impulse.norm()).sum();
        let close_one = |share: f64| {
            let missing = Vector3::z() * share * ROUNDING * impulse;
            close(&[lacking(missing, 2.0)], &[link])
        };
        let left = close_one(0.5);
        assert_eq!(left.velocities, [Vector3::zeros()]);
        assert_eq!(left.forces, [Vector3::zeros()]);
        assert!(close_one(2.0).forces[0].x < 0.0);
    }

    /// If numbers overflow, every balance is closed by velocities alone.
    #[test]
    fn an_unsolvable_system_is_closed_by_velocities() {
        let balances = [lacking(Vector3::z(), 2.0)];
        let closure = close(&balances, &[support(0, 1e-310, 0.5)]);
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
            // Some of them pull or slide.
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
            // A further side, as for the rotation of a rigid body.
            let turn = Vector3::new(0.3, -0.2, 0.5).cross_matrix();
            link.add((first + 1) % bodies, &(rows * turn));
            Some(link)
        });
        prop::collection::vec(link, 0..20)
    }

    proptest! {
        /// Every balance is closed, no normal force changes by more than half, and friction forces that change stay in
        /// their cone, for any links that the system was made for.
        #[test]
        fn balances_are_closed_within_the_capacity(
            missing in prop::collection::vec((vector(1e-3), 0.1..10.0_f64), 6),
            before in links(6),
            links in links(6),
        ) {
            let balances: Vec<_> = missing.iter().map(|&(r, m)| lacking(r, m)).collect();
            let mut coarse = Coarse::default();
            coarse.close(&balances, &before);
            let closure = coarse.close(&balances, &links);
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
                prop_assert!(change[0].abs() <= MAX_CHANGE * lambda.max(0.0));
                if change.yz().amax() > 0.0 {
                    let friction_force = (f1 + change[1]).hypot(f2 + change[2]);
                    prop_assert!(friction_force <= FRICTION * (lambda + change[0]));
                }
            }
        }
    }
}
