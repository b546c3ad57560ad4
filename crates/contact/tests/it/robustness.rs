//! An elastic block on the ground, with slip tolerances that resolve the effect of gravity in one step.

use super::support::lattice::{GroundScene, Lattice};
use super::support::{TIME_STEP, particles, push};
use impinge_contact::Tolerances;
use impinge_contact::method::active_set_cr::{
    ActiveSetCr, ActiveSetCrSettings, EvaluationSchedule, PreconditionerKind,
};
use impinge_contact::{
    ContactProblem, ContactSolution, ContactSolver, ContactState, Termination, frame::ContactFrame,
    residual,
};
use nalgebra::{Matrix3, Vector3};

const GRAVITY: f64 = 9.81;
/// `0.005 g Δt²`: the displacement by gravity in a step must be far larger (m).
const SLIP: f64 = 5e-8;
const FRICTION: f64 = 0.5;

/// A block of 8 cm × 8 cm × 6 cm on a slope of tangent `slope`, with a velocity and a spin about its middle.
fn block(stiffness: f64, slope: f64, velocity: Vector3<f64>, spin: Vector3<f64>) -> GroundScene {
    let corner = Vector3::new(0.0, 0.0, 1e-4);
    let lattice = Lattice::block([5, 5, 4], 0.02, stiffness, corner);
    let middle = lattice.nodes.iter().sum::<Vector3<f64>>() / lattice.nodes.len() as f64;
    let (sine, cosine) = slope.atan().sin_cos();
    GroundScene::new(
        lattice,
        |x| velocity + spin.cross(&(x - middle)),
        GRAVITY * Vector3::new(sine, 0.0, -cosine),
        FRICTION,
    )
}

fn scenes(stiffness: f64) -> [(&'static str, GroundScene); 5] {
    let (still, z) = (Vector3::zeros(), Vector3::z());
    [
        (
            "dropped",
            block(stiffness, 0.0, Vector3::new(0.2, 0.05, -0.5), still),
        ),
        ("held", block(stiffness, 0.45, still, still)),
        ("sliding", block(stiffness, 0.55, still, still)),
        ("spinning", block(stiffness, 0.0, -0.1 * z, 3.0 * z)),
        (
            "tumbling",
            block(stiffness, 0.3, -0.5 * z, Vector3::new(2.0, 1.0, 0.5)),
        ),
    ]
}

fn physical(scene: &GroundScene) -> ActiveSetCrSettings {
    ActiveSetCrSettings {
        tolerances: Tolerances {
            momentum: 1e-4 * scene.lattice.mass() * GRAVITY * TIME_STEP,
            gap: 2.25e-6,
            slip: SLIP,
        },
        ..ActiveSetCrSettings::default()
    }
}

/// Steps the scene; every solve must converge. Returns mean iterations per step.
#[track_caller]
fn step(name: &str, scene: &mut GroundScene, settings: ActiveSetCrSettings, steps: usize) -> f64 {
    let mut solver = ActiveSetCr::new(settings);
    let mut iterations = 0;
    for step in 0..steps {
        let problem = scene.problem();
        let report = solver
            .solve(&problem, &mut scene.solution)
            .expect("a sound problem");
        assert_eq!(
            report.termination,
            Termination::Converged,
            "{name}, step {step}: {report:?}"
        );
        let judged = residual(&problem, &scene.solution);
        assert!(
            judged.momentum < 2.0 * settings.tolerances.momentum,
            "{name}, step {step}: {judged:?}"
        );
        assert!(
            judged.normal < 2.0 * settings.tolerances.gap,
            "{name}, step {step}: {judged:?}"
        );
        iterations += report.iterations;
        scene.commit();
    }
    iterations as f64 / steps as f64
}

/// The paper's update of slip directions cycles in some of these steps.
#[test]
fn tight_slip_tolerances_converge() {
    // Several times the iterations of larger blocks.
    for (preconditioner, most) in [
        (PreconditionerKind::Full, 60.0),
        (PreconditionerKind::Diagonal, 140.0),
    ] {
        for stiffness in [5e5, 5e6] {
            for (name, mut scene) in scenes(stiffness) {
                let settings = ActiveSetCrSettings {
                    preconditioner,
                    ..physical(&scene)
                };
                let mean = step(name, &mut scene, settings, 30);
                assert!(mean < most, "{name}: {mean} iterations per step");
            }
        }
    }
}

#[test]
fn updates_at_convergence_do_not_stall() {
    for (name, mut scene) in scenes(5e6) {
        let settings = ActiveSetCrSettings {
            schedule: EvaluationSchedule::AtConvergence,
            ..physical(&scene)
        };
        step(name, &mut scene, settings, 15);
    }
}

/// The paper's rules remain available and work at the paper's tolerances.
#[test]
fn the_rules_of_the_paper_work_at_its_tolerances() {
    for (name, mut scene) in scenes(5e5) {
        step(name, &mut scene, ActiveSetCrSettings::of_paper(), 15);
    }
}

/// The full preconditioner saves iterations for stiff bodies.
#[test]
fn the_full_preconditioner_saves_iterations() {
    let [(name, mut one), ..] = scenes(5e6);
    let mut other = one.clone();
    let settings = ActiveSetCrSettings {
        prediction: false,
        ..physical(&one)
    };
    let full = step(name, &mut one, settings, 30);
    let diagonal = ActiveSetCrSettings {
        preconditioner: PreconditionerKind::Diagonal,
        ..settings
    };
    let diagonal = step(name, &mut other, diagonal, 30);
    assert!(1.5 * full < diagonal, "{full} against {diagonal}");
}

/// Below the friction angle the block stays, above it accelerates like a rigid one; the ground carries its weight.
#[test]
fn slopes_hold_or_let_go_at_the_friction_angle() {
    let mean = |scene: &GroundScene, axis: usize| {
        scene.velocity.iter().skip(axis).step_by(3).sum::<f64>() / scene.lattice.nodes.len() as f64
    };
    for slope in [0.4, 0.7, 1.0_f64] {
        let mut scene = block(5e5, slope, Vector3::zeros(), Vector3::zeros());
        let settings = physical(&scene);
        // Landing from a tenth of a millimetre takes some 50 steps.
        step("landing", &mut scene, settings, 60);
        let before = mean(&scene, 0);
        let steps = 60_i32;
        let mut carried = 0.0;
        for _ in 0..steps {
            step("resting", &mut scene, settings, 1);
            carried += scene
                .solution
                .contacts
                .iter()
                .map(|c| c.lambda)
                .sum::<f64>()
                / f64::from(steps);
        }
        let (sine, cosine) = slope.atan().sin_cos();
        let expected =
            (GRAVITY * (sine - FRICTION * cosine)).max(0.0) * f64::from(steps) * TIME_STEP;
        let gained = mean(&scene, 0) - before;
        // The block still rocks: a tenth, or the speed of its rocking (m/s).
        assert!(
            (gained - expected).abs() < 0.1 * expected + 8e-3,
            "slope {slope}: gained {gained} of {expected}"
        );
        let weight = scene.lattice.mass() * GRAVITY * cosine;
        assert!(
            (carried - weight).abs() < 0.05 * weight,
            "slope {slope}: {carried} N carry {weight} N"
        );
        if slope < FRICTION {
            assert!(scene.in_state(ContactState::Sticking) > 0);
        } else {
            assert_eq!(scene.in_state(ContactState::Sticking), 0);
        }
    }
}

/// The same bits for any number of threads: the lattice is large enough for the parallel kernels.
#[test]
fn threads_do_not_change_a_bit() {
    let run = |threads: usize| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool of threads")
            .install(|| {
                let lattice = Lattice::block([42, 42, 42], 0.02, 5e5, Vector3::zeros());
                let mut scene = GroundScene::new(
                    lattice,
                    |x| Vector3::new(0.3 + x.y, 0.1 - x.x, -0.5),
                    Vector3::new(0.0, 0.0, -GRAVITY),
                    FRICTION,
                );
                let settings = ActiveSetCrSettings {
                    max_iterations: 6,
                    ..ActiveSetCrSettings::default()
                };
                let problem = scene.problem();
                ActiveSetCr::new(settings)
                    .solve(&problem, &mut scene.solution)
                    .expect("a sound problem");
                scene.solution
            })
    };
    let one = run(1);
    assert!(one.velocity.len() > 200_000);
    assert!(one.contacts.iter().any(|contact| contact.lambda > 0.0));
    for threads in [2, 7] {
        let many = run(threads);
        let same = one
            .velocity
            .iter()
            .zip(&many.velocity)
            .all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(
            same && one.contacts == many.contacts,
            "{threads} threads change the result"
        );
    }
}

/// Two rows on the same two particles, `angle` short of opposite, both with the target gap `asked` (m).
fn nearly_opposite(angle: f64, asked: f64) -> ContactProblem {
    let still = Vector3::zeros();
    let mut problem = particles(&[1.0, 1.0], &[still, still]);
    let (sine, cosine) = angle.sin_cos();
    for up in [cosine, -cosine] {
        let normal = Vector3::new(sine, 0.0, up);
        let frame = ContactFrame::around(normal).rows();
        let offset = Vector3::new(asked, 0.0, 0.0);
        let points = [(0, 1.0), (1, -1.0)];
        push(&mut problem, &frame, &points, offset, 0.0);
    }
    problem
}

/// Their forces must grow to some hundred newtons until the remainder pushes the particles aside far enough.
#[test]
fn rows_that_say_nearly_the_opposite_are_met() {
    let (angle, asked) = (2.0_f64.to_radians(), 3e-6);
    let (problem, sine) = (nearly_opposite(angle, asked), angle.sin());
    let tolerances = Tolerances {
        momentum: 1e-6,
        gap: 1e-7,
        slip: 1e-7,
    };
    let mut solver = ActiveSetCr::new(ActiveSetCrSettings {
        tolerances,
        ..ActiveSetCrSettings::default()
    });
    let mut solution = ContactSolution::at_rest(&problem);
    let report = solver.solve(&problem, &mut solution).expect("sound");
    assert_eq!(report.termination, Termination::Converged, "{report:?}");
    assert!(report.iterations <= 20, "{report:?}");
    let judged = residual(&problem, &solution);
    assert!(judged.meets(&tolerances), "{judged:?}");
    // Apart by `asked/sine` along x, half of it each, by two equal forces.
    let expected = 0.5 * asked / sine / TIME_STEP.powi(2) / (2.0 * sine);
    for contact in &solution.contacts {
        let off = (contact.lambda - expected).abs();
        assert!(off < 0.05 * expected, "{} for {expected} N", contact.lambda);
    }
}

/// Two contacts of the same particles stick to anchors a few nanometres apart and pull at each other until they reach
/// the cone. The solve does not wait for that: it accepts slips to the gap tolerance after a while and reports that.
#[test]
fn friction_that_stalls_is_settled_to_the_gap_tolerance() {
    let mut problem = particles(&[1.0, 1.0], &[Vector3::z() * -1.0, Vector3::z()]);
    for side in [-1.0, 1.0] {
        // Both are needed to stop the particles, and their first tangents are the same.
        let normal = Vector3::new(side, 0.0, 1.0).normalize();
        let tangent = Vector3::y();
        let frame = Matrix3::from_rows(
            &[normal, tangent, normal.cross(&tangent)].map(|row| row.transpose()),
        );
        let offset = Vector3::new(0.0, 2e-9 * side, 0.0);
        let points = [(0, 1.0), (1, -1.0)];
        push(&mut problem, &frame, &points, offset, 0.2);
    }
    let tolerances = Tolerances {
        momentum: 1e-6,
        gap: 1e-7,
        slip: 1e-10,
    };
    let settings = ActiveSetCrSettings {
        tolerances,
        ..ActiveSetCrSettings::default()
    };
    let solve = |settings| {
        let mut solution = ContactSolution::at_rest(&problem);
        let report = ActiveSetCr::new(settings).solve(&problem, &mut solution);
        (report.expect("sound"), solution)
    };
    let (report, solution) = solve(settings);
    assert_eq!(report.termination, Termination::Converged, "{report:?}");
    assert!(report.relaxed, "{report:?}");
    let judged = residual(&problem, &solution);
    let coarser = Tolerances {
        slip: tolerances.gap,
        ..tolerances
    };
    assert!(judged.meets(&coarser), "{judged:?}");

    // With enough iterations the cone limits the forces.
    let (patient, solution) = solve(ActiveSetCrSettings {
        relax_after: u64::MAX,
        ..settings
    });
    assert!(!patient.relaxed && patient.iterations > report.iterations);
    let judged = residual(&problem, &solution);
    assert!(judged.meets(&tolerances), "{judged:?}");
}
