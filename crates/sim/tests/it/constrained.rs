//! Particles, bodies and constraints: laws, closed forms, and failures without geometric stiffness.

use impinge_contact::Termination;
use impinge_contact::constraint::joint::{JointPlace, Side};
use impinge_contact::constraint::redundancy::MOST_ROWS;
use impinge_contact::constraint::{Configuration, GeometricStiffness, Point, link};
use impinge_sim::constrained::{
    Cable, ConstrainedError, ConstrainedStepper, ConstrainedSystem, Energy, Formulation,
    RigidChain, Sheet, SheetMaterial, StepSettings, box_inertia,
};
use nalgebra::{UnitQuaternion, Vector3};

const G: f64 = 9.81;

fn down() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -G)
}

fn stepper(system: &mut ConstrainedSystem, stiffness: GeometricStiffness) -> ConstrainedStepper {
    let settings = StepSettings {
        geometric_stiffness: stiffness,
        ..StepSettings::default()
    };
    ConstrainedStepper::new(system, settings).expect("sound")
}

fn projected(system: &mut ConstrainedSystem) -> ConstrainedStepper {
    stepper(system, GeometricStiffness::Projected)
}

/// The cable of Tournier et al. 2015, Table 1, tilted, with gravity along it.
fn heavy_cable(load: f64) -> (Cable, ConstrainedSystem) {
    let along = Vector3::new(1.0, 2.0, 3.0).normalize();
    let cable = Cable {
        links: 10,
        link_length: 1.0,
        node_mass: 50.0,
        end_mass: load,
        along,
        compliance: 0.0,
    };
    let system = cable.build(along * G).expect("sound");
    (cable, system)
}

/// Largest elongation over `steps`; infinite if a step fails.
fn elongation(load: f64, stiffness: GeometricStiffness, steps: u32) -> f64 {
    let (cable, mut system) = heavy_cable(load);
    let mut stepper = stepper(&mut system, stiffness);
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        if stepper.advance(&mut system, 0.01).is_err() {
            return f64::INFINITY;
        }
        let strain = cable.largest_strain(&system);
        if strain.is_nan() || strain > 0.5 {
            return f64::INFINITY;
        }
        worst = worst.max(strain);
    }
    worst
}

/// One step of a linear spring in both forms, from the same force history.
#[test]
fn stiffness_and_compliance_form_agree() {
    let build = |formulation| {
        let mut system = ConstrainedSystem::new(down());
        let a = system.add_fixed_particle(Vector3::zeros());
        let b = system.add_particle(Vector3::new(0.6, 0.2, -0.9), 2.0);
        let spring = link::spring(&Point::particle(a), Point::particle(b), 1.0, 1e-4);
        system.constraints.push(spring.expect("sound"));
        system.formulations.push(formulation);
        let length = (system.positions[b] - system.positions[a]).norm();
        system.forces.push(-(length - 1.0) / 1e-4);
        system.has_history.push(true);
        system
    };
    let mut ends = Vec::new();
    for formulation in [Formulation::Compliance, Formulation::Stiffness] {
        let mut system = build(formulation);
        let mut stepper = stepper(&mut system, GeometricStiffness::Symmetric);
        stepper.advance(&mut system, 0.01).expect("solved");
        ends.push(system.velocities[1]);
    }
    let difference = (ends[0] - ends[1]).norm();
    assert!(difference < 1e-9 * ends[0].norm(), "{difference:e}");
}

/// Without geometric stiffness a taut link is stable for `h² T < m l`, with it for any load.
#[test]
fn the_boundary_of_stability_is_where_it_should_be() {
    assert!(elongation(48e3, GeometricStiffness::None, 1500) < 1e-10);
    assert!(elongation(60e3, GeometricStiffness::None, 1500).is_infinite());
    assert!(elongation(60e3, GeometricStiffness::Projected, 1500) < 1e-12);
}

/// Elongation of 1e-14 (1e-12 %) up to 1e12 kg, 1e-7 at 1e15 kg, 1e-4 at 1e18 kg.
#[test]
fn a_cable_holds_any_load() {
    for (load, bound) in [
        (1e4, 1e-14),
        (1e5, 1e-14),
        (1e9, 1e-14),
        (1e12, 1e-14),
        (1e15, 1e-7),
        (1e18, 1e-4),
    ] {
        let found = elongation(load, GeometricStiffness::Projected, 300);
        assert!(found <= bound, "{load:e} kg: {found:e}");
    }
}

/// A cable whose particles are a millimetre off its line takes its load with three repeated solves for new forces.
///
/// Its links near the fixed end are not in line at the start, but after one step: an order of elimination that depends
/// on the angle between them then has no pivot.
#[test]
fn a_crooked_cable_takes_a_heavy_load() {
    let (cable, mut system) = heavy_cable(1e9);
    let across = [Vector3::new(2.0, -1.0, 0.0), Vector3::new(3.0, 0.0, -1.0)];
    for (index, x) in system.positions.iter_mut().enumerate().skip(1) {
        let side = across[index % 2].normalize();
        *x += side * if index % 3 == 0 { -1e-3 } else { 1e-3 };
    }
    let settings = StepSettings {
        dry_solves: 3,
        ..StepSettings::default()
    };
    let mut stepper = ConstrainedStepper::new(&mut system, settings).expect("sound");
    for step in 0..300 {
        let report = stepper.advance(&mut system, 0.01).expect("solved");
        assert_eq!(report.termination, Termination::Converged, "step {step}");
        let strain = cable.largest_strain(&system);
        assert!(strain < 1e-4, "step {step}: {strain:e}");
    }
}

/// Falling chains stay whole and gain no energy.
#[test]
fn falling_chains_stay_whole() {
    for ratio in [1.0, 1000.0] {
        let chain = Cable {
            links: 10,
            link_length: 0.1,
            node_mass: 1.0,
            end_mass: ratio,
            along: Vector3::x(),
            compliance: 0.0,
        };
        let mut system = chain.build(down()).expect("sound");
        let mut stepper = projected(&mut system);
        let start = Energy::of(&system).total();
        for _ in 0..100 {
            stepper.advance(&mut system, 0.02).expect("solved");
            assert!(chain.largest_strain(&system) < 0.15);
            let gained = Energy::of(&system).total() - start;
            assert!(gained < 1e-9 * ratio * G, "{ratio}: {gained:e} J");
        }
    }
    for hinges in [false, true] {
        let chain = RigidChain {
            bodies: 10,
            edges: Vector3::new(0.2, 0.04, 0.04),
            mass: 1.0,
            end_mass: 100.0,
            hinges,
            limits: None,
        };
        let mut system = chain.build(down()).expect("sound");
        let mut stepper = projected(&mut system);
        let start = Energy::of(&system).total();
        for _ in 0..100 {
            let report = stepper.advance(&mut system, 0.02).expect("solved");
            // Rows across the plane of the fall have only rounding errors, which must not change the termination.
            assert_eq!(report.termination, Termination::Converged);
            assert!(!report.regularised);
            assert!(chain.largest_gap(&system) < 0.01);
            let gained = Energy::of(&system).total() - start;
            assert!(gained < 1e-9 * 100.0 * G, "{gained:e} J");
        }
    }
}

/// The hardest case: an end a thousand times as heavy at a long step, in the plane of the swing and pushed out of it.
///
/// In exponential coordinates geometric stiffness couples swings of a light box to rotations about the chain, and
/// deviations from the plane grow fivefold per step.
#[test]
fn a_heavy_end_swings_a_rigid_chain_out_of_its_plane() {
    for (hinges, push) in [(false, 0.0), (false, 1e-6), (false, 1e-2), (true, 1e-6)] {
        let chain = RigidChain {
            bodies: 10,
            edges: Vector3::new(0.2, 0.04, 0.04),
            mass: 1.0,
            end_mass: 1000.0,
            hinges,
            limits: None,
        };
        let mut system = chain.build(down()).expect("sound");
        for (index, body) in system.bodies.iter_mut().enumerate() {
            body.state.velocity.y = push * ((7 * index % 5) as f64 - 2.0);
        }
        let mut stepper = projected(&mut system);
        let start = Energy::of(&system).total();
        for _ in 0..200 {
            stepper.advance(&mut system, 0.02).expect("solved");
            let gap = chain.largest_gap(&system);
            assert!(gap < 4e-3, "pushed by {push} m/s: {gap:e}");
            let gained = Energy::of(&system).total() - start;
            assert!(gained < 1e-9 * 1000.0 * G, "{gained:e} J");
        }
    }
}

/// A chain that starts hanging at rest stays.
#[test]
fn bodies_at_rest_stay_at_rest() {
    let cable = Cable {
        links: 10,
        link_length: 0.1,
        node_mass: 1.0,
        end_mass: 50.0,
        along: -Vector3::z(),
        compliance: 0.0,
    };
    let mut system = cable.build(down()).expect("sound");
    let start = system.positions.clone();
    let mut stepper = projected(&mut system);
    for _ in 0..10_000 {
        stepper.advance(&mut system, 0.01).expect("solved");
    }
    for (x, start) in system.positions.iter().zip(start) {
        assert!((x - start).norm() < 1e-10, "{}", (x - start).norm());
    }
}

/// Free flight conserves momentum, step by step.
#[test]
fn free_assemblies_keep_their_momentum() {
    let mut system = ConstrainedSystem::new(Vector3::zeros());
    let inertia = box_inertia(Vector3::new(0.2, 0.1, 0.05), 2.0).expect("a box");
    for k in 0..4 {
        let body = system.add_body(
            inertia,
            Vector3::x() * (0.2 * f64::from(k)),
            UnitQuaternion::identity(),
        );
        system.bodies[body].state.velocity = Vector3::new(1.0, f64::from(k), -0.5);
    }
    let frames = system.frames();
    for k in 0..3 {
        let place = JointPlace {
            first: Side::Body(k),
            second: Side::Body(k + 1),
            anchor: Vector3::x() * (0.2 * k as f64 + 0.1),
            state: Configuration {
                particles: &[],
                frames: &frames,
            },
        };
        system.constraints.push(place.ball().expect("sound"));
    }
    let mut stepper = projected(&mut system);
    let mut before = system.momentum();
    for _ in 0..200 {
        stepper.advance(&mut system, 0.01).expect("solved");
        let after = system.momentum();
        assert!((after - before).norm() < 1e-12 * before.norm());
        before = after;
    }
}

/// A slack rope has no force, a taut one that of a link, and complementarity holds in between.
#[test]
fn a_rope_pulls_and_never_pushes() {
    let build = |rope: bool| {
        let mut system = ConstrainedSystem::new(down());
        let a = system.add_fixed_particle(Vector3::zeros());
        let b = system.add_particle(Vector3::new(0.3, 0.0, -0.2), 2.0);
        let (from, to) = (Point::particle(a), Point::particle(b));
        let link = if rope {
            link::rope(&from, to, 1.0, 0.0)
        } else {
            link::spring(&from, to, 1.0, 0.0)
        };
        system.constraints.push(link.expect("sound"));
        system
    };
    let mut system = build(true);
    let mut stepper = projected(&mut system);
    let h = 0.005;
    let (mut slack, mut taut) = (0, 0);
    for _ in 0..400 {
        stepper.advance(&mut system, h).expect("solved");
        let constraints = &stepper.problem().constraints;
        let gap = constraints.product(0, 0, &stepper.solution().velocity)
            - constraints.group(0).offset[0];
        let force = system.forces[0];
        assert!(force >= 0.0 && gap > -1e-10, "{force} {gap:e}");
        assert!(force.min(gap * 1e6).abs() < 1e-4, "{force} {gap:e}");
        if force == 0.0 {
            slack += 1;
        } else {
            taut += 1;
        }
    }
    assert!(slack > 20 && taut > 100, "{slack} {taut}");

    let mut ends = Vec::new();
    for rope in [true, false] {
        let mut system = build(rope);
        system.positions[1] = -Vector3::z();
        let mut stepper = projected(&mut system);
        for _ in 0..50 {
            stepper.advance(&mut system, h).expect("solved");
        }
        ends.push((system.positions[1], system.forces[0].abs()));
    }
    assert!((ends[0].0 - ends[1].0).norm() < 1e-10);
    assert!((ends[0].1 - ends[1].1).abs() < 1e-6 * ends[1].1);
}

/// Links are not redundant because of the masses that they join. More rows than can be checked are
/// not checked.
#[test]
fn redundancy_does_not_depend_on_masses() {
    for mass in [1e-6, 1e6, 1e12] {
        let (_, mut cable) = heavy_cable(mass);
        let found = projected(&mut cable).dependent;
        assert_eq!(found.as_ref().map(Vec::len), Some(0), "{mass:e} kg");
    }
    let (cable, _) = heavy_cable(1.0);
    let long = Cable {
        links: MOST_ROWS + 1,
        ..cable
    };
    let mut long = long.build(down()).expect("sound");
    assert!(projected(&mut long).dependent.is_none());
}

/// Bad input: duplicated links are named and solved, inconsistent links are rejected.
#[test]
fn redundant_and_contradicting_links() {
    let (_, mut once) = heavy_cable(1e4);
    let (_, mut twice) = heavy_cable(1e4);
    twice.constraints.extend(once.constraints.clone());
    for system in [&mut once, &mut twice] {
        for x in &mut system.velocities {
            *x += Vector3::new(0.01, -0.02, 0.005);
        }
        system.velocities[0] = Vector3::zeros();
    }
    let mut simple = projected(&mut once);
    let mut doubled = projected(&mut twice);
    assert_eq!(simple.dependent.as_ref().map(Vec::len), Some(0));
    assert_eq!(doubled.dependent.as_ref().map(Vec::len), Some(10));
    for _ in 0..100 {
        simple.advance(&mut once, 0.01).expect("solved");
        let report = doubled.advance(&mut twice, 0.01).expect("solved");
        assert_eq!(report.termination, Termination::Converged);
    }
    // After 100 steps. Both must need the same number of repeated solves for new forces.
    for (x, expected) in twice.positions.iter().zip(&once.positions) {
        let off = (x - expected).norm();
        assert!(off < 1e-6, "{off:e} m");
    }

    let (_, mut system) = heavy_cable(1e4);
    let (from, to) = (Point::particle(1), Point::particle(2));
    let longer = link::spring(&from, to, 1.2, 0.0).expect("sound");
    system.constraints.push(longer.named("second link"));
    let refused = ConstrainedStepper::new(&mut system, StepSettings::default()).err();
    let Some(ConstrainedError::Contradiction { names, misfit }) = refused else {
        panic!("{refused:?}");
    };
    assert!(names.contains("link"), "{names}");
    assert!((misfit - 0.2).abs() < 1e-6, "{misfit}");
}

/// Invalid systems are rejected with a name.
#[test]
fn unusable_systems_are_named() {
    let mut system = ConstrainedSystem::new(down());
    let a = system.add_fixed_particle(Vector3::zeros());
    let b = system.add_fixed_particle(Vector3::x());
    let (from, to) = (Point::particle(a), Point::particle(b));
    let link = link::spring(&from, to, 1.0, 0.0)
        .expect("sound")
        .named("bar");
    system.constraints.push(link.clone());
    let settings = StepSettings::default();
    assert!(matches!(
        ConstrainedStepper::new(&mut system, settings),
        Err(ConstrainedError::Immovable { constraint: 0, ref name }) if name == "bar"
    ));
    system.fixed[b] = false;
    assert!(matches!(
        ConstrainedStepper::new(&mut system, settings),
        Err(ConstrainedError::Mass { index: 1, .. })
    ));
    system.masses[b] = 1.0;
    system.formulations.push(Formulation::Stiffness);
    assert!(matches!(
        ConstrainedStepper::new(&mut system, settings),
        Err(ConstrainedError::NoStiffness { constraint: 0, .. })
    ));
    system.formulations.clear();
    system
        .constraints
        .push(link::binding(&Point::particle(7), Point::particle(b), 0.0).expect("sound"));
    assert!(matches!(
        ConstrainedStepper::new(&mut system, settings),
        Err(ConstrainedError::Missing {
            index: 7,
            count: 2,
            ..
        })
    ));
    system.constraints.pop();
    let mut stepper = ConstrainedStepper::new(&mut system, settings).expect("sound");
    assert!(matches!(
        stepper.advance(&mut system, 0.0),
        Err(ConstrainedError::TimeStep { .. })
    ));
    system.constraints.push(link);
    assert!(matches!(
        stepper.advance(&mut system, 0.01),
        Err(ConstrainedError::Changed)
    ));
}

/// The period of a pendulum of large amplitude, `4 √(l/g) K(sin θ₀/2)`, with a first-order error in the step.
#[test]
fn a_pendulum_keeps_time() {
    let amplitude = 1.0_f64;
    // The complete elliptic integral by the arithmetic-geometric mean.
    let (mut a, mut b) = (1.0_f64, (0.5 * amplitude).cos());
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let exact = 2.0 * std::f64::consts::PI / a / G.sqrt();
    let quarter = |h: f64| {
        let mut system = ConstrainedSystem::new(down());
        let top = system.add_fixed_particle(Vector3::zeros());
        let x = Vector3::new(amplitude.sin(), 0.0, -amplitude.cos());
        let bob = system.add_particle(x, 1.0);
        let (from, to) = (Point::particle(top), Point::particle(bob));
        system
            .constraints
            .push(link::spring(&from, to, 1.0, 0.0).expect("sound"));
        let mut stepper = projected(&mut system);
        loop {
            let before = system.positions[bob].x;
            stepper.advance(&mut system, h).expect("solved");
            let after = system.positions[bob].x;
            if after <= 0.0 {
                return system.time - h * after / (after - before);
            }
        }
    };
    let coarse = (4.0 * quarter(2e-3) - exact).abs();
    let fine = (4.0 * quarter(1e-3) - exact).abs();
    assert!(fine < 2e-3 * exact, "{fine:e} of {exact}");
    assert!((coarse / fine - 2.0).abs() < 0.2, "{coarse:e} {fine:e}");
}

/// Two runs agree bit for bit, also with a new stepper halfway.
#[test]
fn runs_repeat_bit_for_bit() {
    let run = |renew: bool| {
        let sheet = Sheet {
            nodes: 5,
            edge: 1.0,
            node_mass: 0.01,
            material: SheetMaterial::Distances { compliance: 1e-9 },
            whole_row: false,
        };
        let mut system = sheet.build(down()).expect("sound");
        let mut stepper = projected(&mut system);
        for step in 0..60 {
            if renew && step == 30 {
                stepper = projected(&mut system);
            }
            stepper.advance(&mut system, 0.01).expect("solved");
        }
        system.positions
    };
    let first = run(false);
    assert_eq!(first, run(false));
    assert_eq!(first, run(true));
}

/// Joints keep their constraint: a hinge its axis, a slider its line, a weld everything; limits stop in time.
#[test]
fn joints_hold_their_bodies() {
    let inertia = box_inertia(Vector3::new(0.3, 0.1, 0.2), 3.0).expect("a box");
    let build = |kind: &str| {
        let mut system = ConstrainedSystem::new(down());
        let body = system.add_body(
            inertia,
            Vector3::new(0.3, 0.0, 0.0),
            UnitQuaternion::identity(),
        );
        system.bodies[body].state.velocity = Vector3::new(0.2, 0.1, 0.0);
        let frames = system.frames();
        let place = JointPlace {
            first: Side::World,
            second: Side::Body(body),
            anchor: Vector3::zeros(),
            state: Configuration {
                particles: &[],
                frames: &frames,
            },
        };
        let joint = match kind {
            "hinge" => place.hinge(Vector3::y()),
            "limited" => place.hinge(Vector3::y()).and_then(|mut joint| {
                joint.extend(place.turn_limits(Vector3::y(), -0.5, 0.5, 0.0)?);
                Ok(joint)
            }),
            "slider" => place.slider(Vector3::new(1.0, 0.0, -1.0)),
            _ => place.weld(),
        };
        system.constraints = joint.expect("sound");
        system
    };
    for kind in ["hinge", "limited", "slider", "weld"] {
        let mut system = build(kind);
        let mut stepper = projected(&mut system);
        for _ in 0..200 {
            stepper.advance(&mut system, 0.005).expect("solved");
            let pose = system.bodies[0].state.pose;
            let anchor = pose.place(&Vector3::new(-0.3, 0.0, 0.0));
            let turn = pose.orientation.scaled_axis();
            match kind {
                "hinge" | "limited" => {
                    assert!(anchor.norm() < 1e-3, "{kind}: {}", anchor.norm());
                    assert!(turn.x.hypot(turn.z) < 1e-3, "{kind}: {turn}");
                    if kind == "limited" {
                        assert!(turn.y < 0.51, "{turn}");
                    }
                }
                "slider" => {
                    assert!(turn.norm() < 1e-6, "{kind}: {turn}");
                    assert!(
                        (anchor.x + anchor.z).abs() + anchor.y.abs() < 1e-6,
                        "{anchor}"
                    );
                }
                _ => {
                    assert!(
                        turn.norm() < 1e-6 && anchor.norm() < 1e-6,
                        "{kind}: {turn} {anchor}"
                    );
                }
            }
        }
        match kind {
            "slider" => assert!(system.bodies[0].state.pose.center.z < -0.5),
            "limited" => {
                let turn = system.bodies[0].state.pose.orientation.scaled_axis();
                assert!(turn.y > 0.49, "{turn}");
            }
            _ => {}
        }
    }
}
