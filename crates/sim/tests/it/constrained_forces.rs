//! Forces at rest, in both forms, against independent statics: tension along a cable, the reaction of a clamp.

use impinge_contact::constraint::strain::{IntegrationPoint, solid, tetrahedron};
use impinge_contact::constraint::{Point, link};
use impinge_sim::constrained::{ConstrainedStepper, ConstrainedSystem, Formulation, StepSettings};
use nalgebra::{DVector, Matrix2, Matrix3, Vector2, Vector3};

const G: f64 = 9.81;

const FORMS: [Formulation; 2] = [Formulation::Compliance, Formulation::Stiffness];

/// Steps until the motion has lost its energy; the rest is far below the bounds of the tests.
fn settle(system: &mut ConstrainedSystem, form: Formulation, h: f64, steps: u32) {
    system.formulations = vec![form; system.constraints.len()];
    let mut stepper = ConstrainedStepper::new(system, StepSettings::default()).expect("sound");
    for _ in 0..steps {
        stepper.advance(system, h).expect("solved");
    }
    let fastest = system.velocities.iter().map(Vector3::norm);
    let fastest = fastest.fold(0.0, f64::max);
    assert!(fastest < 1e-9, "{form:?} still moves with {fastest:e} m/s");
}

const LINKS: usize = 10;
/// m
const LINK: f64 = 0.1;
/// m/N: the steepest link is stretched by 3 % of its length.
const YIELD: f64 = 1e-4;
/// Mass of each point between two links (kg).
const MASS: f64 = 1.0;
/// Distance between the ends (m).
const SPAN: f64 = 0.8;

/// The end of an elastic chain with this tension at its first end (N, along x and upwards), and the tension of each
/// link.
///
/// Each point reduces the upward part by its weight; the tension of a link determines its length. No stiffness, no
/// matrix.
fn shoot(tension: Vector2<f64>) -> (Vector2<f64>, Vec<f64>) {
    let (mut end, mut tensions) = (Vector2::zeros(), Vec::new());
    for link in 0..LINKS {
        let along = Vector2::new(tension.x, tension.y - link as f64 * MASS * G);
        let size = along.norm();
        // Upwards at its first end is backwards along the chain.
        end += Vector2::new(along.x, -along.y) * ((LINK + YIELD * size) / size);
        tensions.push(size);
    }
    (end, tensions)
}

/// Tensions of a chain between two supports of equal height, by Newton's method on the tension at the first.
fn catenary() -> Vec<f64> {
    let mut tension = Vector2::new(30.0, 0.5 * (LINKS - 1) as f64 * MASS * G);
    for _ in 0..50 {
        let miss = |t| shoot(t).0 - Vector2::new(SPAN, 0.0);
        let step = 1e-4;
        let columns = [Vector2::x(), Vector2::y()]
            .map(|axis| (miss(tension + axis * step) - miss(tension - axis * step)) / (2.0 * step));
        let slope = Matrix2::from_columns(&columns);
        tension -= slope.try_inverse().expect("regular") * miss(tension);
    }
    let (end, tensions) = shoot(tension);
    assert!((end - Vector2::new(SPAN, 0.0)).norm() < 1e-12);
    tensions
}

/// In both forms, a chain between two supports has the tensions of the discrete catenary.
#[test]
fn a_chain_between_supports_has_the_tension_of_its_catenary() {
    let expected = catenary();
    assert!(expected[0] > 1.5 * expected[LINKS / 2], "a sagging chain");
    for form in FORMS {
        let mut system = ConstrainedSystem::new(Vector3::new(0.0, 0.0, -G));
        for k in 0..=LINKS {
            let part = k as f64 / LINKS as f64;
            let sag = 0.25 * (std::f64::consts::PI * part).sin();
            let x = Vector3::new(SPAN * part, 0.0, -sag);
            if k == 0 || k == LINKS {
                system.add_fixed_particle(x);
            } else {
                system.add_particle(x, MASS);
            }
        }
        for k in 0..LINKS {
            let (from, to) = (Point::particle(k), Point::particle(k + 1));
            let spring = link::spring(&from, to, LINK, YIELD).expect("sound");
            system.constraints.push(spring);
        }
        settle(&mut system, form, 0.05, 4000);
        for (k, tension) in expected.iter().enumerate() {
            let row = -system.forces[k];
            let length = (system.positions[k + 1] - system.positions[k]).norm();
            let stretch = (length - LINK) / YIELD;
            for (name, force) in [("row", row), ("stretch", stretch)] {
                let off = (force / tension - 1.0).abs();
                assert!(
                    off < 1e-8,
                    "{form:?}, link {k}, {name}: {force} N, not {tension} N"
                );
            }
        }
    }
}

/// Cells along the beam.
const CELLS: usize = 5;

/// A cube as five tetrahedra, corners by bits (x, y, z), and its mirror image, so that neighbours have matching faces.
const FIVE: [[usize; 4]; 5] = [
    [0, 1, 2, 4],
    [3, 2, 1, 7],
    [5, 4, 7, 1],
    [6, 7, 4, 2],
    [1, 2, 4, 7],
];

struct Element {
    nodes: [usize; 4],
    at: IntegrationPoint,
}

/// A beam of Green strain, clamped at x = 0.
fn beam() -> (ConstrainedSystem, Vec<Element>) {
    let (cell, density) = (0.05, 1000.0);
    let mut system = ConstrainedSystem::new(Vector3::new(0.0, 0.0, -G));
    for i in 0..=CELLS {
        for corner in 0..4 {
            let (y, z) = (f64::from(corner & 1), f64::from(corner >> 1));
            let x = Vector3::new(i as f64, y, z) * cell;
            if i == 0 {
                system.add_fixed_particle(x);
            } else {
                system.add_particle(x, 0.0);
            }
        }
    }
    let compliance = solid(2e5, 0.3).expect("sound");
    let mut elements = Vec::new();
    for i in 0..CELLS {
        for tet in FIVE {
            let mut nodes = tet.map(|corner| {
                let along = if i % 2 == 0 {
                    corner & 1
                } else {
                    1 - (corner & 1)
                };
                4 * (i + along) + (corner >> 1)
            });
            let side = |n: &[usize; 4]| {
                let [a, b, c, d] = n.map(|node| system.positions[node]);
                (b - a).cross(&(c - a)).dot(&(d - a))
            };
            if side(&nodes) < 0.0 {
                nodes.swap(2, 3);
            }
            let at = tetrahedron(&nodes.map(|node| system.positions[node])).expect("a volume");
            for node in nodes {
                if !system.fixed[node] {
                    system.masses[node] += 0.25 * density * at.weight;
                }
            }
            let points = nodes.map(Point::particle).to_vec();
            let row = link::element(link::Measure::GreenSolid, at.clone(), points, &compliance);
            system.constraints.push(row.expect("sound"));
            elements.push(Element { nodes, at });
        }
    }
    (system, elements)
}

/// `F`, and Green's strain with engineering shear in the order 11, 22, 33, 12, 23, 13.
fn strain(element: &Element, x: &[Vector3<f64>]) -> (Matrix3<f64>, DVector<f64>) {
    let of = element.nodes.iter().zip(&element.at.gradients);
    let f: Matrix3<f64> = of.map(|(&node, g)| x[node] * g.transpose()).sum();
    let e = (f.transpose() * f - Matrix3::identity()) * 0.5;
    let shear = [2.0 * e[(0, 1)], 2.0 * e[(1, 2)], 2.0 * e[(0, 2)]];
    let entries = [
        e[(0, 0)],
        e[(1, 1)],
        e[(2, 2)],
        shear[0],
        shear[1],
        shear[2],
    ];
    (f, DVector::from_column_slice(&entries))
}

/// At rest the forces of the rows are `−w D ε`, they balance the weight of the beam and its moment at the clamp, and
/// both forms agree.
#[test]
fn a_cantilever_holds_on_with_its_weight_and_its_moment() {
    let material = solid(2e5, 0.3)
        .expect("sound")
        .try_inverse()
        .expect("regular");
    let mut forces = Vec::new();
    for form in FORMS {
        let (mut system, elements) = beam();
        settle(&mut system, form, 0.1, 4000);
        let x = &system.positions;
        let (mut reaction, mut moment) = (Vector3::zeros(), Vector3::zeros());
        let largest = system
            .forces
            .iter()
            .fold(0.0_f64, |most, f| most.max(f.abs()));
        for (index, element) in elements.iter().enumerate() {
            let (f, epsilon) = strain(element, x);
            let rows = DVector::from_column_slice(&system.forces[6 * index..6 * index + 6]);
            let off = (&rows + &material * epsilon * element.at.weight).amax();
            assert!(
                off < 1e-7 * largest,
                "{form:?}, element {index}: {off:e} of {largest:e} J"
            );
            let stress = Matrix3::new(
                rows[0], rows[3], rows[5], rows[3], rows[1], rows[4], rows[5], rows[4], rows[2],
            );
            for (&node, g) in element.nodes.iter().zip(&element.at.gradients) {
                if system.fixed[node] {
                    let force = f * stress * g;
                    reaction += force;
                    moment += x[node].cross(&force);
                }
            }
        }
        // The elements act on the clamp as gravity acts on the rest.
        let (mut weight, mut turning) = (Vector3::zeros(), Vector3::zeros());
        for (node, &mass) in system.masses.iter().enumerate() {
            let force = system.gravity * mass;
            weight += force;
            turning += x[node].cross(&force);
        }
        let tip = x[4 * CELLS].z;
        assert!(tip < -0.02, "a beam that bends: {tip} m");
        let [off, turned] = [reaction - weight, moment - turning].map(|d| d.amax());
        assert!(
            off < 1e-8 * weight.norm(),
            "{form:?}: {reaction} N, not {weight} N"
        );
        assert!(
            turned < 1e-8 * turning.norm(),
            "{form:?}: {moment} N·m, not {turning} N·m"
        );
        forces.push((system.forces.clone(), largest));
    }
    let pairs = forces[0].0.iter().zip(&forces[1].0);
    let apart = pairs.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    assert!(apart < 1e-7 * forces[0].1, "{apart:e} J apart");
}
