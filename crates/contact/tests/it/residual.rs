//! The independent residual in cases computed by hand: one particle of 2 kg on the ground, one defect at a time.

use super::support::{ground, particles, push};
use impinge_contact::Tolerances;
use impinge_contact::{
    ContactProblem, ContactResidual, ContactSolution, ContactState, Multipliers, residual,
};
use nalgebra::Vector3;

const MASS: f64 = 2.0;
const FRICTION: f64 = 0.5;
/// `W = Δt²/m` of every row (m/N).
const COMPLIANCE: f64 = 1e-6 / MASS;
/// A few roundings of the numbers below.
const ROUNDING: f64 = 1e-17;

/// A particle in contact without gap, under an impulse `impulse` (N·s) of gravity and a push.
fn particle(impulse: Vector3<f64>) -> ContactProblem {
    let mut problem = particles(&[MASS], &[impulse / MASS]);
    push(
        &mut problem,
        &ground(),
        &[(0, 1.0)],
        Vector3::zeros(),
        FRICTION,
    );
    problem
}

fn judged(
    problem: &ContactProblem,
    velocity: [f64; 3],
    lambda: f64,
    friction: [f64; 2],
) -> ContactResidual {
    let contact = Multipliers {
        state: ContactState::Sticking,
        lambda,
        gamma: friction,
        ..Multipliers::default()
    };
    let solution = ContactSolution {
        velocity: velocity.to_vec(),
        contacts: vec![contact],
        constraints: Vec::new(),
    };
    residual(problem, &solution)
}

/// Each residual over its own tolerance, friction over the larger of two, constraint rows with the gaps.
#[test]
fn residuals_are_reported_over_tolerances() {
    let judged = ContactResidual {
        momentum: 6e-5,
        normal: 1e-6,
        friction: 8e-6,
        loose_friction: 8e-6,
        constraint: 5e-6,
        ..ContactResidual::default()
    };
    let mut tolerances = Tolerances {
        momentum: 2e-5,
        gap: 2e-6,
        slip: 1e-7,
    };
    let excess = judged.over(&tolerances);
    close(excess.momentum, 3.0);
    close(excess.gap, 2.5);
    close(excess.slip, 4.0);
    assert_eq!(
        excess.to_string(),
        "residuals of momentum 3.000, gap 2.500 and slip 4.000 times the tolerance; at most 2 is accepted"
    );
    tolerances.slip = 8e-6;
    close(judged.over(&tolerances).slip, 1.0);
}

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= ROUNDING + 1e-12 * expected.abs(),
        "{found:e} where {expected:e} was expected"
    );
}

#[test]
fn sticking_particle_is_faultless() {
    // Pressed by 20 N and pushed sideways by 9 N < μ·20 N.
    let problem = particle(Vector3::new(9e-3, 0.0, -20e-3));
    let r = judged(&problem, [0.0; 3], 20.0, [-9.0, 0.0]);
    close(r.momentum, 0.0);
    close(r.normal, 0.0);
    close(r.friction, 0.0);
    close(r.penetration, 0.0);
    close(r.friction_work, 0.0);
}

#[test]
fn sliding_particle_is_faultless() {
    // Pushed by 14 N, of which friction balances 10 N; 4 N act for 1 ms on 2 kg.
    let problem = particle(Vector3::new(0.0, 14e-3, -20e-3));
    let r = judged(&problem, [0.0, 2e-3, 0.0], 20.0, [0.0, -10.0]);
    close(r.momentum, 0.0);
    close(r.normal, 0.0);
    close(r.friction, 0.0);
    close(r.friction_work, 0.0);
}

#[test]
fn both_kinds_of_friction_force_count() {
    let problem = particle(Vector3::new(9e-3, 0.0, -20e-3));
    let contact = Multipliers {
        lambda: 20.0,
        gamma: [-5.0, 0.0],
        sliding_force: [-4.0, 0.0],
        ..Multipliers::default()
    };
    let solution = ContactSolution {
        velocity: vec![0.0; 3],
        contacts: vec![contact],
        constraints: Vec::new(),
    };
    close(residual(&problem, &solution).momentum, 0.0);
}

#[test]
fn momentum_error_is_seen_in_full() {
    let problem = particle(Vector3::new(0.0, 0.0, -20e-3));
    // Momentum 2 kg·(3, 0, 4) mm/s without any force.
    let r = judged(&problem, [3e-3, 0.0, 4e-3], 20.0, [0.0; 2]);
    close(r.momentum, 10e-3);
}

/// `λ` is a force: it acts for `Δt`. An impulse instead is wrong by a factor of a thousand.
#[test]
fn forces_act_for_one_step() {
    let problem = particle(Vector3::new(0.0, 0.0, -20e-3));
    close(judged(&problem, [0.0; 3], 20.0, [0.0; 2]).momentum, 0.0);
    close(
        judged(&problem, [0.0; 3], 20e-3, [0.0; 2]).momentum,
        20e-3 - 20e-6,
    );
    close(
        judged(&problem, [0.0; 3], -20.0, [0.0; 2]).momentum,
        2.0 * 20e-3,
    );
}

#[test]
fn penetration_is_seen() {
    let problem = particle(Vector3::new(0.0, 0.0, -20e-3));
    // Free fall at 10 mm/s for 1 ms.
    let r = judged(&problem, [0.0, 0.0, -10e-3], 0.0, [0.0; 2]);
    close(r.momentum, 0.0);
    close(r.normal, 10e-6);
    close(r.penetration, 10e-6);
}

#[test]
fn adhesion_is_seen() {
    // Pulled away by 20 N and held by −20 N.
    let problem = particle(Vector3::new(0.0, 0.0, 20e-3));
    let r = judged(&problem, [0.0; 3], -20.0, [0.0; 2]);
    close(r.momentum, 0.0);
    close(r.normal, 20.0 * COMPLIANCE);
    close(r.penetration, 0.0);
}

#[test]
fn force_at_a_distance_is_seen() {
    let problem = particle(Vector3::new(0.0, 0.0, -20e-3));
    // Thrown up at 5 mm/s by 30 N while the gap is 5 µm already: min(W λ, g) = 5 µm.
    let r = judged(&problem, [0.0, 0.0, 5e-3], 30.0, [0.0; 2]);
    close(r.momentum, 0.0);
    close(r.normal, 5e-6);
    // A small force at a large distance counts as its displacement `W λ`.
    let r = judged(&problem, [0.0, 0.0, 1.0], 4.0, [0.0; 2]);
    close(r.normal, 4.0 * COMPLIANCE);
}

#[test]
fn force_outside_the_cone_is_seen() {
    let problem = particle(Vector3::new(13e-3, 0.0, -20e-3));
    let r = judged(&problem, [0.0; 3], 20.0, [-13.0, 0.0]);
    close(r.momentum, 0.0);
    close(r.friction, 3.0 * COMPLIANCE);
    // Without a normal force, or with a tensile one, there is no friction.
    close(
        judged(&problem, [0.0; 3], 0.0, [-13.0, 0.0]).friction,
        13.0 * COMPLIANCE,
    );
    close(
        judged(&problem, [0.0; 3], -20.0, [-13.0, 0.0]).friction,
        13.0 * COMPLIANCE,
    );
}

#[test]
fn slip_without_full_friction_is_seen() {
    // Slips by 2 µm although friction has 4 N left: F − s/W is 4 N beyond F.
    let problem = particle(Vector3::new(0.0, 14e-3, -20e-3));
    let r = judged(&problem, [0.0, 2e-3, 0.0], 20.0, [0.0, -7.0]);
    close(r.friction, 3.0 * COMPLIANCE);
}

#[test]
fn friction_along_the_slip_is_seen() {
    let problem = particle(Vector3::new(0.0, 0.0, -20e-3));
    // It pushes: F = +10 N and s = 1 µm; the projection of 10 − 1e-6/W = 8 N lies 2 N away.
    let r = judged(&problem, [1e-3, 0.0, 0.0], 20.0, [10.0, 0.0]);
    close(r.friction, 2.0 * COMPLIANCE);
    close(r.friction_work, 10.0 * 1e-6);
}

#[test]
fn friction_across_the_slip_is_seen() {
    let problem = particle(Vector3::new(0.0, 0.0, -20e-3));
    // F = (0, −10) N, s = (20, 0) µm: the trial (−40, −10) N is projected to length 10.
    let r = judged(&problem, [20e-3, 0.0, 0.0], 20.0, [0.0, -10.0]);
    let trial = nalgebra::Vector2::new(-40.0, -10.0).normalize() * 10.0;
    close(
        r.friction,
        COMPLIANCE * (trial - nalgebra::Vector2::new(0.0, -10.0)).norm(),
    );
}

/// `W` sums over all blocks, and offsets shift gap and slip.
#[test]
fn offsets_and_both_sides_count() {
    let mut problem = particles(&[1.0, 4.0], &[Vector3::zeros(); 2]);
    let offset = Vector3::new(3e-6, -1e-6, 0.0);
    push(
        &mut problem,
        &ground(),
        &[(0, 1.0), (1, -0.5)],
        offset,
        FRICTION,
    );
    // Relative velocity of the sides: 1 − 0.5·4 = −1 mm/s up, 2 mm/s along x.
    let velocity = vec![2e-3, 0.0, 1e-3, 0.0, 0.0, 4e-3];
    let mut solution = ContactSolution {
        velocity,
        contacts: vec![Multipliers::default()],
        constraints: Vec::new(),
    };
    let r = residual(&problem, &solution);
    close(r.penetration, 4e-6);
    close(r.friction, 0.0);
    solution.contacts[0].lambda = 8.0;
    // μλ = 4 N; slip 3 µm; W = 1e-6·(1/1 + 0.25/4).
    let w = 1e-6 * (1.0 + 0.25 / 4.0);
    close(
        residual(&problem, &solution).friction,
        3e-6_f64.min(4.0 * w),
    );
    // Forces on the two sides are opposite, in proportion to the weights.
    let impulse = (8e-3_f64, -4e-3_f64);
    let expected = [2e-3, 1e-3 - impulse.0, 4.0 * 4e-3 - impulse.1];
    let norm = expected.iter().map(|x| x * x).sum::<f64>().sqrt();
    close(residual(&problem, &solution).momentum, norm);
}

#[test]
fn a_number_that_is_none_is_not_lost() {
    let problem = particle(Vector3::zeros());
    let r = judged(&problem, [0.0; 3], f64::NAN, [0.0; 2]);
    assert!(r.momentum.is_nan());
    let r = judged(&problem, [f64::NAN, 0.0, 0.0], 1.0, [0.0; 2]);
    assert!(r.momentum.is_nan());
    assert!(r.friction.is_nan());
    // Later values do not hide it.
    let mut problem = particles(&[1.0, 1.0], &[Vector3::zeros(); 2]);
    for block in 0..2 {
        push(
            &mut problem,
            &ground(),
            &[(block, 1.0)],
            Vector3::zeros(),
            FRICTION,
        );
    }
    let mut solution = ContactSolution::at_rest(&problem);
    solution.velocity[2] = f64::NAN;
    solution.velocity[5] = -1.0;
    assert!(residual(&problem, &solution).penetration.is_nan());
}
