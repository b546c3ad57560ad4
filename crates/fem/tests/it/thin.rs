//! Thin bodies: forces and tangents are derivatives, rigid motions have no energy, frequencies bound the true ones.

use crate::support::Random;
use impinge_fem::thin::hinge::hinge_angle;
use impinge_fem::thin::{EdgeSpring, Hinge, Membrane, Shell, ShellMaterial, ThinError};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// Central differences are of order 2.
const ORDER: std::ops::Range<f64> = 1.9..2.1;

fn random_points<const N: usize>(random: &mut Random) -> [Vector3<f64>; N] {
    std::array::from_fn(|_| random.vector())
}

/// A bent hinge: an edge with two wings, perturbed.
fn hinge_points(random: &mut Random) -> [Vector3<f64>; 4] {
    let rest = [
        Vector3::zeros(),
        Vector3::x(),
        Vector3::new(0.4, 0.8, 0.1),
        Vector3::new(0.6, -0.7, 0.2),
    ];
    rest.map(|x| x + random.vector() * 0.15)
}

/// Error of a central difference of `energy` in a random direction against `−f · direction`.
fn error<const N: usize>(
    energy: impl Fn(&[Vector3<f64>; N]) -> f64,
    forces: &[Vector3<f64>; N],
    x: &[Vector3<f64>; N],
    direction: &[Vector3<f64>; N],
    h: f64,
) -> f64 {
    let moved = |h: f64| std::array::from_fn(|i| x[i] + direction[i] * h);
    let slope = (energy(&moved(h)) - energy(&moved(-h))) / (2.0 * h);
    let exact: f64 = (0..N).map(|i| -forces[i].dot(&direction[i])).sum();
    (slope - exact).abs()
}

fn assert_order<const N: usize>(
    name: &str,
    energy: impl Fn(&[Vector3<f64>; N]) -> f64,
    forces: &[Vector3<f64>; N],
    x: &[Vector3<f64>; N],
    random: &mut Random,
) {
    let direction = random_points::<N>(random);
    let scale = forces.iter().map(Vector3::norm).fold(1e-3, f64::max);
    let [coarse, fine] = [4e-3, 2e-3].map(|h| error(&energy, forces, x, &direction, h));
    // If the third derivative vanishes, the error has no order.
    if coarse > 1e-7 * scale {
        let order = (coarse / fine).log2();
        assert!(ORDER.contains(&order), "{name}: order {order}");
    }
    let smallest = error(&energy, forces, x, &direction, 1e-5);
    assert!(smallest < 1e-6 * scale, "{name}: {smallest:e}");
}

#[test]
fn forces_are_slopes_of_energies() {
    let mut random = Random(3);
    for _ in 0..40 {
        let rest: [Vector3<f64>; 2] = random_points(&mut random);
        let x = random_points(&mut random);
        let spring = EdgeSpring::new([0, 1], &rest, 3.0).expect("apart");
        let force = spring.force(&x);
        assert_order(
            "spring",
            |x| spring.energy(x),
            &[force, -force],
            &x,
            &mut random,
        );

        let rest = [Vector3::zeros(), Vector3::x(), Vector3::new(0.3, 0.9, 0.2)];
        let membrane = Membrane::new([0, 1, 2], &rest, 5.0, 0.3).expect("not flat");
        let x = rest.map(|x| x + random.vector() * 0.2);
        assert_order(
            "membrane",
            |x| membrane.energy(x),
            &membrane.forces(&x),
            &x,
            &mut random,
        );

        let hinge = Hinge::new([0, 1, 2, 3], &hinge_points(&mut random), 2.0).expect("not flat");
        let x = hinge_points(&mut random);
        assert_order(
            "hinge",
            |x| hinge.energy(x),
            &hinge.forces(&x),
            &x,
            &mut random,
        );
    }
}

#[test]
fn the_angle_of_a_hinge_is_that_between_its_triangles() {
    for angle in [-2.5_f64, -0.3, 0.0, 0.7, 3.0] {
        let x = [
            Vector3::zeros(),
            Vector3::x(),
            Vector3::new(0.2, 0.5, 0.0),
            Vector3::new(0.7, -0.6 * angle.cos(), 0.6 * angle.sin()),
        ];
        let found = hinge_angle(&x).angle;
        assert!((found.abs() - angle.abs()).abs() < 1e-14, "{found} {angle}");
    }
}

#[test]
fn forces_are_balanced_and_rigid_motions_free() {
    let mut random = Random(4);
    for _ in 0..40 {
        let rest = hinge_points(&mut random);
        let hinge = Hinge::new([0, 1, 2, 3], &rest, 2.0).expect("not flat");
        let membrane =
            Membrane::new([0, 1, 2], &[rest[0], rest[1], rest[2]], 5.0, 0.3).expect("not flat");
        let x = hinge_points(&mut random);
        let of_hinge = hinge.forces(&x);
        let of_membrane = membrane.forces(&[x[0], x[1], x[2]]);
        let torque = |forces: &[Vector3<f64>]| -> Vector3<f64> {
            x.iter().zip(forces).map(|(x, f)| x.cross(f)).sum()
        };
        for forces in [&of_hinge[..], &of_membrane[..]] {
            let size: f64 = forces.iter().map(Vector3::norm).sum();
            assert!(forces.iter().sum::<Vector3<f64>>().norm() < 1e-12 * size);
            assert!(torque(forces).norm() < 1e-12 * size);
        }
        let (turn, shift) = (random.rotation(), random.vector());
        let moved = rest.map(|x| turn * x + shift);
        assert!(hinge.energy(&moved) < 1e-24);
        assert!(membrane.energy(&[moved[0], moved[1], moved[2]]) < 1e-24);
    }
}

/// Blocks as one matrix.
fn dense<const N: usize>(blocks: &[[Matrix3<f64>; N]; N]) -> DMatrix<f64> {
    DMatrix::from_fn(3 * N, 3 * N, |row, column| {
        blocks[row / 3][column / 3][(row % 3, column % 3)]
    })
}

/// The matrix of differences of `forces` at `x`.
fn differences<const N: usize>(
    forces: impl Fn(&[Vector3<f64>; N]) -> [Vector3<f64>; N],
    x: &[Vector3<f64>; N],
) -> DMatrix<f64> {
    let h = 1e-6;
    DMatrix::from_fn(3 * N, 3 * N, |row, column| {
        let moved = |h: f64| {
            let mut moved = *x;
            moved[column / 3][column % 3] += h;
            forces(&moved)[row / 3][row % 3]
        };
        -(moved(h) - moved(-h)) / (2.0 * h)
    })
}

#[test]
fn tangents_are_exact_where_they_say_so_and_never_indefinite() {
    let mut random = Random(5);
    for _ in 0..20 {
        let rest = hinge_points(&mut random);
        let hinge = Hinge::new([0, 1, 2, 3], &rest, 2.0).expect("not flat");
        let at_rest = dense(&hinge.tangent(&rest));
        let exact = differences(|x| hinge.forces(x), &rest);
        assert!((&at_rest - &exact).norm() < 1e-6 * exact.norm());

        let rest = [rest[0], rest[1], rest[2]];
        let membrane = Membrane::new([0, 1, 2], &rest, 5.0, 0.3).expect("not flat");
        // Stretched in all directions.
        let tense = rest.map(|x| x * 1.2);
        let tangent = dense(&membrane.tangent(&tense));
        let exact = differences(|x| membrane.forces(x), &tense);
        assert!((&tangent - &exact).norm() < 1e-6 * exact.norm());

        let spring = EdgeSpring::new([0, 1], &[rest[0], rest[1]], 3.0).expect("apart");
        let long = [rest[0], rest[0] + (rest[1] - rest[0]) * 1.3];
        let exact = differences(
            |x| {
                let f = spring.force(x);
                [f, -f]
            },
            &long,
        );
        let block = spring.tangent(&long);
        assert!((dense(&[[block, -block], [-block, block]]) - &exact).norm() < 1e-6 * exact.norm());

        let x = hinge_points(&mut random);
        let block = spring.tangent(&[x[0], x[1] * 0.3]);
        for matrix in [
            dense(&hinge.tangent(&x)),
            dense(&membrane.tangent(&[x[0], x[1] * 0.4, x[2]])),
            dense(&[[block, -block], [-block, block]]),
        ] {
            let eigenvalues = matrix.clone().symmetric_eigen().eigenvalues;
            assert!(eigenvalues.min() >= -1e-12 * eigenvalues.max().max(1.0));
        }
    }
}

/// The bound of each term is at least the largest eigenvalue of its mass-scaled stiffness, and not far above it.
#[test]
fn frequencies_bound_the_true_ones() {
    let mut random = Random(6);
    let masses: [f64; 4] = [0.3, 0.7, 1.1, 0.5];
    let largest = |matrix: DMatrix<f64>| {
        let scaled = DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |row, column| {
            matrix[(row, column)] / (masses[row / 3] * masses[column / 3]).sqrt()
        });
        scaled.symmetric_eigen().eigenvalues.max()
    };
    for _ in 0..20 {
        let rest = hinge_points(&mut random);
        let hinge = Hinge::new([0, 1, 2, 3], &rest, 2.0).expect("not flat");
        let bound = hinge.frequency_squared(&rest, masses);
        let found = largest(dense(&hinge.tangent(&rest)));
        assert!((bound / found - 1.0).abs() < 1e-9);

        let three = [rest[0], rest[1], rest[2]];
        let membrane = Membrane::new([0, 1, 2], &three, 5.0, 0.3).expect("not flat");
        let bound = membrane.frequency_squared([masses[0], masses[1], masses[2]]);
        let found = largest(dense(&membrane.tangent(&three)));
        assert!(
            bound >= found * (1.0 - 1e-9) && bound < 3.0 * found,
            "{bound} {found}"
        );
    }
}

#[test]
fn a_shell_has_the_terms_and_the_mass_of_its_triangles() {
    let rest = [
        Vector3::zeros(),
        Vector3::x(),
        Vector3::new(1.0, 1.0, 0.0),
        Vector3::y(),
    ];
    let material = ShellMaterial {
        density: 2.0,
        stretch: 10.0,
        poisson: None,
        bend: 1.0,
    };
    let triangles = [[0, 1, 2], [0, 2, 3]];
    let shell = Shell::new(&rest, &triangles, &material).expect("a square");
    assert_eq!((shell.springs.len(), shell.hinges.len()), (5, 1));
    assert!((shell.masses.iter().sum::<f64>() - 2.0).abs() < 1e-15);
    assert!(shell.energy(&rest).abs() < 1e-30);
    let membranes = ShellMaterial {
        poisson: Some(0.3),
        bend: 0.0,
        ..material
    };
    let shell = Shell::new(&rest, &triangles, &membranes).expect("a square");
    assert_eq!(
        (
            shell.membranes.len(),
            shell.springs.len(),
            shell.hinges.len()
        ),
        (2, 0, 0)
    );

    let branching = [[0, 1, 2], [0, 2, 3], [2, 0, 1]];
    assert!(matches!(
        Shell::new(&rest, &branching, &material),
        Err(ThinError::Branching { triangles: 3, .. })
    ));
    let weightless = ShellMaterial {
        density: 0.0,
        ..material
    };
    assert!(Shell::new(&rest, &triangles, &weightless).is_err());
    assert!(matches!(
        Shell::new(&rest, &[[0, 1, 1]], &material),
        Err(ThinError::RestArea { .. })
    ));
}
