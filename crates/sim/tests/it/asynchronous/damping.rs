//! Damping of solids and hinges: momentum, sign, rate.

use super::support::Random;
use impinge_fem::thin::Hinge;
use impinge_fem::{ElasticModel, Material, RayleighDamping};
use impinge_geometry::surface::CollisionSurface;
use impinge_sim::stepper::asynchronous::force::{ClockedForce, Drag, ElasticTerms};
use impinge_sim::stepper::asynchronous::{Engine, FreeBodies, Settings, System, Vertex};
use nalgebra::{Rotation3, Vector3};

/// A cube of six tetrahedra, its side 0.1 m.
fn cube() -> (Vec<Vector3<f64>>, Vec<[u32; 4]>) {
    let corner = |i: u32| Vector3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
    let tets = [
        [0, 1, 3, 7],
        [0, 3, 2, 7],
        [0, 2, 6, 7],
        [0, 6, 4, 7],
        [0, 4, 5, 7],
        [0, 5, 1, 7],
    ];
    ((0..8).map(|i| corner(i) * 0.1).collect(), tets.to_vec())
}

/// Tetrahedra of one material with stiffness-proportional damping (s).
fn solid(rest: &[Vector3<f64>], tets: &[[u32; 4]], damping: f64) -> ElasticModel {
    let material = Material::neo_hookean(1e5, 0.3).expect("a sound material");
    let damping = RayleighDamping::new(0.0, damping).expect("not negative");
    ElasticModel::new(
        rest,
        tets,
        &[material],
        &vec![0; tets.len()],
        &vec![1000.0; tets.len()],
    )
    .expect("a sound mesh")
    .with_damping(&vec![damping; tets.len()])
}

fn batches(
    solids: Option<&ElasticModel>,
    hinges: &[(f64, Vec<Hinge>)],
    rest: &[Vector3<f64>],
    masses: &[f64],
    longest_period: f64,
) -> Vec<Box<dyn ClockedForce>> {
    ElasticTerms {
        springs: &[],
        membranes: &[],
        hinges,
        solids,
        rest,
        masses,
        force_step: 0.6,
        longest_period,
    }
    .batches(&mut vec![f64::INFINITY; masses.len()])
}

/// Points with forces and without contact.
fn engine(
    positions: Vec<Vector3<f64>>,
    velocities: Vec<Vector3<f64>>,
    masses: Vec<f64>,
    forces: Vec<Box<dyn ClockedForce>>,
) -> Engine {
    let count = positions.len();
    let system = System {
        surface: CollisionSurface::new(Vec::new(), count, vec![0; count], vec![false]),
        positions,
        velocities,
        masses,
        forces,
        scripts: Vec::new(),
        rigid: FreeBodies::default(),
        joints: Vec::new(),
        planes: Vec::new(),
        law: super::support::law(1.0, 1e-3),
        restitution: 1.0,
        friction: vec![0.0],
    };
    Engine::new(system, Settings::default()).expect("a sound system")
}

fn random_vectors(random: &mut Random, count: usize, size: f64) -> Vec<Vector3<f64>> {
    (0..count)
        .map(|_| Vector3::new(random.next(), random.next(), random.next()) * size)
        .collect()
}

/// A perturbed cube that flies and rotates ends as a rigid body with its initial momenta.
#[test]
fn damping_of_solids_keeps_momentum_and_stops_deformation() {
    let (rest, tets) = cube();
    let model = solid(&rest, &tets, 2e-3);
    let masses = model.lumped_mass();
    let forces = batches(Some(&model), &[], &rest, &masses, 1e-3);
    let spin = Vector3::new(3.0, -2.0, 1.0);
    let centre = Vector3::repeat(0.05);
    let velocities: Vec<_> = random_vectors(&mut Random(4), 8, 0.5)
        .into_iter()
        .zip(&rest)
        .map(|(v, x)| v + Vector3::new(1.0, 0.5, -0.3) + spin.cross(&(x - centre)))
        .collect();
    let mut engine = engine(rest.clone(), velocities, masses, forces);
    let (linear, angular) = (engine.momentum(), engine.angular_momentum(0.0));
    let end = 2.0;
    engine.run(end).expect("no trouble");
    assert!(engine.statistics().events() > 20_000);
    let drift = (engine.momentum() - linear).norm() / linear.norm();
    assert!(drift <= 1e-13, "linear momentum drifts by {drift:e}");
    let drift = (engine.angular_momentum(end) - angular).norm() / angular.norm();
    assert!(drift <= 1e-13, "angular momentum drifts by {drift:e}");
    // Rigid: distances are constant.
    let (a, b) = (engine.vertices()[0], engine.vertices()[7]);
    let line = (a.at(end) - b.at(end)).normalize();
    let rate = line.dot(&(a.velocity - b.velocity)).abs();
    assert!(rate < 1e-3, "still changes its length at {rate} m/s");
}

/// The same impulse with and without damping, of one term in a shape far from rest. Damping dissipates energy even
/// where its full impulse would add some.
#[test]
fn damping_never_adds_energy() {
    let (rest, _) = cube();
    let rest = [rest[0], rest[1], rest[2], rest[4]];
    let hinge = Hinge::new([0, 1, 2, 3], &rest, 1e-2).expect("a sound hinge");
    let mut random = Random(11);
    let (mut taken, mut bounded) = (0, 0);
    for trial in 0..400 {
        let damping = [1e-3, 10.0][trial % 2];
        let kicked = |damping: f64, vertices: &[Vertex], of_hinge: bool| {
            let model = solid(&rest, &[[0, 1, 2, 3]], damping);
            let masses = [1.0, 0.2, 3.0, 0.5];
            let mut forces = if of_hinge {
                batches(None, &[(damping, vec![hinge])], &rest, &masses, 1e-4)
            } else {
                batches(Some(&model), &[], &rest, &masses, 1e-4)
            };
            let mut vertices = vertices.to_vec();
            forces[0].kick(&mut vertices);
            (vertices, forces[0].period())
        };
        let size = [0.02, 3.0][trial / 2 % 2];
        let shape = random_vectors(&mut random, 4, size);
        let speed = random_vectors(&mut random, 4, 1.0);
        let vertices: Vec<Vertex> = (0..4)
            .map(|k| Vertex {
                position: rest[k] + shape[k],
                time: 0.0,
                velocity: speed[k],
                inverse_mass: 1.0 / [1.0, 0.2, 3.0, 0.5][k],
            })
            .collect();
        for of_hinge in [false, true] {
            let (damped, period) = kicked(damping, &vertices, of_hinge);
            // The elastic impulse of the same period.
            let (mut plain, other) = kicked(0.0, &vertices, of_hinge);
            for (vertex, start) in plain.iter_mut().zip(&vertices) {
                vertex.velocity =
                    start.velocity + (vertex.velocity - start.velocity) * (period / other);
            }
            let energy = |vertices: &[Vertex]| -> f64 {
                vertices
                    .iter()
                    .map(|v| 0.5 * v.velocity.norm_squared() / v.inverse_mass)
                    .sum()
            };
            let (with, without) = (energy(&damped), energy(&plain));
            assert!(with <= without * (1.0 + 1e-12), "{trial}: {with} {without}");
            taken += usize::from(with < without * (1.0 - 1e-9));
            // The effect of the full impulse.
            let x = std::array::from_fn(|k| plain[k].position);
            let v = std::array::from_fn(|k| plain[k].velocity);
            let model = solid(&rest, &[[0, 1, 2, 3]], damping);
            let whole = if of_hinge {
                hinge.damping_forces(damping, &x, &v)
            } else {
                model.elements()[0].viscous_forces(&model.material(0).lame(), damping, &x, &v)
            };
            for (vertex, force) in plain.iter_mut().zip(whole) {
                vertex.kick(&(force * period));
            }
            bounded += usize::from(energy(&plain) > without);
        }
    }
    assert!(taken > 400, "damping did something in {taken} of 800 kicks");
    assert!(bounded > 50, "the bound was needed in {bounded} kicks only");
}

/// Amplitudes of the first and a later swing of `what`, and the time between them (s).
fn swings(
    engine: &mut Engine,
    sample: f64,
    count: usize,
    what: impl Fn(&Engine, f64) -> f64,
) -> (f64, f64, f64) {
    let mut peaks: Vec<(f64, f64)> = Vec::new();
    let (mut before, mut last) = (0.0, 0.0);
    let mut time = 0.0;
    while peaks.len() < count {
        time += sample;
        engine.run(time).expect("no trouble");
        let now = what(engine, time).abs();
        if last > before && last >= now {
            peaks.push((time - sample, last));
        }
        (before, last) = (last, now);
    }
    let (first, end) = (peaks[0], peaks[count - 1]);
    (first.1, end.1, end.0 - first.0)
}

/// A regular tetrahedron in its breathing mode: `ω² = 3 V (3λ + 2μ) / Σ m r²`, and amplitudes decay as
/// `exp(−½ d ω² t)`.
#[test]
fn a_solid_loses_its_swing_as_fast_as_it_should() {
    let rest: Vec<Vector3<f64>> = [
        [1.0, 1.0, 1.0],
        [1.0, -1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
    ]
    .map(|x| Vector3::from(x) * 0.05)
    .to_vec();
    let tets = [[0, 2, 1, 3]];
    let plain = solid(&rest, &tets, 0.0);
    let lame = plain.material(0).lame();
    let masses = plain.lumped_mass();
    let inertia: f64 = rest
        .iter()
        .zip(&masses)
        .map(|(x, m)| m * x.norm_squared())
        .sum();
    let volume = plain.elements()[0].volume;
    let square = 3.0 * volume * (3.0 * lame.first() + 2.0 * lame.shear_modulus()) / inertia;
    for ratio in [0.01, 0.03] {
        // Of critical damping.
        let damping = 2.0 * ratio / square.sqrt();
        let model = solid(&rest, &tets, damping);
        let forces = batches(Some(&model), &[], &rest, &masses, 0.01 / square.sqrt());
        // Small amplitude: neo-Hookean swings are harmonic only then.
        let velocities = rest.iter().map(|x| x * (1e-4 * square.sqrt())).collect();
        let mut engine = engine(rest.clone(), velocities, masses.clone(), forces);
        let radius = rest[0].norm();
        let (first, last, time) = swings(&mut engine, 0.01 / square.sqrt(), 21, |engine, time| {
            engine.vertices()[0].at(time).norm() / radius - 1.0
        });
        let rate = (first / last).ln() / time;
        let expected = 0.5 * damping * square;
        assert!((rate / expected - 1.0).abs() <= 0.02, "{rate} {expected}");
    }
}

/// A hinge that swings about flat, likewise, with its single frequency; rotated in space, which must not matter.
#[test]
fn a_hinge_loses_its_swing_as_fast_as_it_should() {
    let turn = Rotation3::new(Vector3::new(0.3, -0.8, 0.4));
    let rest = [
        [0.0, 0.0, 0.0],
        [0.1, 0.0, 0.0],
        [0.04, 0.08, 0.0],
        [0.06, -0.07, 0.0],
    ]
    .map(|x| turn * Vector3::from(x));
    let hinge = Hinge::new([0, 1, 2, 3], &rest, 1e-3).expect("a sound hinge");
    let masses = [0.01, 0.02, 0.015, 0.01];
    let square = hinge.frequency_squared(&rest, masses);
    let damping = 0.04 / square.sqrt();
    let forces = batches(
        None,
        &[(damping, vec![hinge])],
        &rest,
        &masses,
        0.01 / square.sqrt(),
    );
    let gradient = impinge_fem::thin::hinge::hinge_angle(&rest).gradient;
    let largest = gradient.iter().map(Vector3::norm).fold(0.0, f64::max);
    // Along its mode.
    let velocities = gradient
        .iter()
        .zip(masses)
        .map(|(g, m)| g * (1e-5 * square.sqrt() * 0.01 / (largest * m)))
        .collect();
    let mut engine = engine(rest.to_vec(), velocities, masses.to_vec(), forces);
    let (linear, angular) = (engine.momentum(), engine.angular_momentum(0.0));
    // The mode has no total momentum: the scale is the sum of the magnitudes of its parts at the start.
    let scale: f64 = engine
        .vertices()
        .iter()
        .map(|v| v.velocity.norm() / v.inverse_mass)
        .sum();
    let (first, last, time) = swings(&mut engine, 0.01 / square.sqrt(), 21, |engine, time| {
        impinge_fem::thin::hinge::hinge_angle(&std::array::from_fn(|k| {
            engine.vertices()[k].at(time)
        }))
        .angle
    });
    let rate = (first / last).ln() / time;
    let expected = 0.5 * damping * square;
    assert!((rate / expected - 1.0).abs() <= 0.02, "{rate} {expected}");
    assert!((engine.momentum() - linear).norm() <= 1e-13 * scale);
    assert!((engine.angular_momentum(engine.now()) - angular).norm() <= 1e-13 * scale);
}

/// Mass-proportional damping slows every motion at its rate, exactly.
#[test]
fn drag_is_exponential() {
    let start = Vector3::new(1.0, -2.0, 0.5);
    let forces: Vec<Box<dyn ClockedForce>> =
        vec![Box::new(Drag::new(2.5e-3, vec![0, 1], &[3.0, 0.7]))];
    let mut engine = engine(
        vec![Vector3::zeros(), Vector3::x()],
        vec![start; 2],
        vec![1.0, 4.0],
        forces,
    );
    engine.run(1.0).expect("no trouble");
    for (vertex, rate) in engine.vertices().iter().zip([3.0_f64, 0.7]) {
        let off = (vertex.velocity - start * (-rate).exp()).norm();
        assert!(off < 1e-12, "{off:e}");
    }
}
