//! Friction between faces and edges: a square of stiff cloth on an inclined floor of triangles.

use super::support::{CLOTH, GRAVITY, Scene, law, sheet};
use impinge_fem::thin::ShellMaterial;
use impinge_sim::stepper::asynchronous::{Engine, Settings};
use nalgebra::Vector3;

const FRICTION: f64 = 0.5;

/// A visible creep (m/s), below the bound of 1 mm/s. With an anchor the square trembles, but stays.
const CREEP: f64 = 1e-4;

/// A floor of squares of two triangles each.
struct Floor {
    squares: [usize; 2],
    /// Side of a square (m).
    square: f64,
    /// The corner from which they extend in x and y (m).
    corner: [f64; 2],
}

/// One square, whose diagonal is at least 0.7 m from the path of the block.
const ONE_TRIANGLE: Floor = Floor {
    squares: [1, 1],
    square: 4.0,
    corner: [-2.0, -1.0],
};

const TRIANGLES: Floor = Floor {
    squares: [40, 8],
    square: 0.05,
    corner: [-0.1, -0.2],
};

/// The square on a floor in the frame of the slope: gravity is tilted, along x.
///
/// It starts where its first layers nearly carry it, rotated about its normal, so that no edge is parallel to one of
/// the floor.
fn slope(tangent: f64, floor: &Floor) -> Engine {
    let mut scene = Scene::default();
    let (points, triangles) = sheet(floor.squares, floor.square);
    let [x, y] = floor.corner;
    let ground: Vec<_> = (points.iter())
        .map(|point| point + Vector3::new(x, y, 0.0))
        .collect();
    scene.add_obstacle(&ground, &triangles);
    let (points, triangles) = sheet([3, 3], 0.02);
    let turn = nalgebra::Rotation3::from_axis_angle(&Vector3::z_axis(), 0.3);
    let block: Vec<_> = points
        .iter()
        .map(|x| turn * x + Vector3::new(0.0, 0.0, 1.9e-3))
        .collect();
    let material = ShellMaterial {
        stretch: 500.0,
        bend: 1e-3,
        ..CLOTH
    };
    scene.add_shell(&block, &triangles, &material, Vector3::zeros());
    let angle = tangent.atan();
    let gravity = Vector3::new(GRAVITY * angle.sin(), 0.0, -GRAVITY * angle.cos());
    let mut system = scene.system_under(law(2.0, 2e-3), gravity);
    system.friction.fill(FRICTION);
    system.restitution = 0.2;
    Engine::new(system, Settings::default()).expect("a sound system")
}

/// Position of the middle of the square at `time` along the slope, and its velocity.
fn middle(engine: &Engine, time: f64) -> (f64, f64) {
    let mut sum = (0.0, 0.0, 0.0);
    for vertex in engine.vertices().iter().filter(|v| v.inverse_mass > 0.0) {
        let mass = 1.0 / vertex.inverse_mass;
        sum.0 += mass;
        sum.1 += mass * vertex.at(time).x;
        sum.2 += mass * vertex.velocity.x;
    }
    (sum.1 / sum.0, sum.2 / sum.0)
}

/// The mean acceleration down the slope between 0.2 and 0.5 s (m/s²), when the square touches the floor, and that of
/// Coulomb's law.
fn measured_and_coulomb(tangent: f64, floor: &Floor) -> (f64, f64) {
    let mut engine = slope(tangent, floor);
    let [from, to] = [0.2, 0.5].map(|time| {
        engine.run(time).expect("no trouble");
        middle(&engine, time).1
    });
    let angle = tangent.atan();
    let coulomb = GRAVITY * (angle.sin() - FRICTION * angle.cos());
    ((to - from) / 0.3, coulomb)
}

/// Within a triangle of the floor. The bound is 5 %.
#[test]
fn a_block_slides_as_coulomb_says() {
    for ratio in [1.2, 2.0] {
        let (measured, coulomb) = measured_and_coulomb(ratio * FRICTION, &ONE_TRIANGLE);
        assert!(
            (measured / coulomb - 1.0).abs() <= 0.01,
            "{ratio}: {measured} {coulomb}"
        );
    }
}

/// Across triangles, two of which act at their common edge: this bump may add 3 % of the friction.
#[test]
fn a_block_slides_across_triangles() {
    for ratio in [1.2, 2.0] {
        let tangent: f64 = ratio * FRICTION;
        let (measured, coulomb) = measured_and_coulomb(tangent, &TRIANGLES);
        let friction = FRICTION * GRAVITY * tangent.atan().cos();
        assert!(
            (measured - coulomb).abs() <= 0.03 * friction,
            "{ratio}: {measured} {coulomb}"
        );
    }
}

/// On one triangle and on many.
#[test]
fn a_block_stays_on_a_gentle_slope() {
    for (ratio, floor) in [(0.8, &ONE_TRIANGLE), (0.8, &TRIANGLES), (0.3, &TRIANGLES)] {
        let mut engine = slope(ratio * FRICTION, floor);
        let [from, to] = [0.1, 0.5].map(|time| {
            engine.run(time).expect("no trouble");
            middle(&engine, time).0
        });
        let creep = (to - from) / 0.4;
        assert!(creep.abs() < CREEP, "{ratio}: creeps at {creep:e} m/s");
    }
}
