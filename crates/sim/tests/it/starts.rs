//! Starts that touch: they are contacts, for free, held and prescribed points alike.

use impinge_geometry::exact::surface_intersections;
use impinge_sim::measure::forces::contact_forces;
use impinge_sim::{Model, Scene, SimError, Simulation};
use nalgebra::Vector3;
use proptest::prelude::*;

const GROUND: &str =
    "[[obstacle]]\nname = \"ground\"\nshape = { half_space = { normal = [0, 0, 1] } }\n";

fn scene(parts: &[&str]) -> Scene {
    let text = [&["[time]\nstep = 5e-3\nduration = 1.0\n"], parts].concat();
    Scene::parse("test.toml", &text.concat(), &[""; 0]).unwrap_or_else(|error| panic!("{error}"))
}

fn simulation(parts: &[&str]) -> Simulation {
    Simulation::new(&scene(parts)).unwrap_or_else(|error| panic!("{error}"))
}

fn elastic(name: &str, cells: u32, position: [f64; 3]) -> String {
    let [x, y, z] = position;
    format!(
        "[[body]]\nname = \"{name}\"\nmesh = {{ cuboid = {{ size = [0.1, 0.1, 0.1], cells = [{cells}, {cells}, \
         {cells}] }} }}\nmaterial = {{ young = 1e6, poisson = 0.0, density = 1000, stiffness_damping = 0.02 \
         }}\nposition = [{x:?}, {y:?}, {z:?}]\n"
    )
}

fn rigid(name: &str, position: [f64; 3]) -> String {
    let [x, y, z] = position;
    format!(
        "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmesh = {{ cuboid = {{ \
         size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}\ndensity = 1000\nposition = [{x:?}, {y:?}, {z:?}]\n"
    )
}

/// Runs `steps` steps; returns the highest speed of any point (m/s).
fn fastest(simulation: &mut Simulation, steps: usize) -> f64 {
    let mut fastest = 0.0_f64;
    for _ in 0..steps {
        let report = simulation
            .advance()
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(report.substeps, 1);
        let speeds = simulation.state().velocities.iter().map(Vector3::norm);
        fastest = speeds.fold(fastest, f64::max);
    }
    fastest
}

/// The model of a touching start, whose points moved by no more than the clearance.
fn touching(scene: &Scene) -> Model {
    let (model, _) = Model::new(scene).unwrap_or_else(|error| panic!("{error}"));
    let parts = scene.instantiate().expect("it was instantiated");
    let clearance = model.geometry.largest_clearance();
    let most = model
        .notices
        .touching
        .as_ref()
        .expect("it touches")
        .distance;
    assert!(most > 0.0 && most <= clearance * (1.0 + 1e-9));
    let mut farthest = 0.0_f64;
    for (body, part) in model.geometry.bodies.iter().zip(&parts.bodies) {
        for (point, &node) in body.points.clone().zip(&body.original_nodes) {
            let way = model.points.rest[point] - part.mesh.nodes()[node as usize];
            farthest = farthest.max(way.norm());
        }
    }
    assert!(
        (farthest - most).abs() < 1e-9 * clearance,
        "{farthest} {most}"
    );
    model
}

/// Two boxes exactly on the plane stay at rest: no jump, no energy.
#[test]
fn boxes_on_the_plane_rest() {
    let boxes = [
        rigid("rough", [0.8, 0.0, 0.05]) + "friction = 5\n",
        rigid("plain", [0.2, 0.0, 0.05]),
    ];
    let mut simulation = simulation(&[&boxes[0], &boxes[1], GROUND]);
    let start: Vec<_> = simulation.state().positions.clone();
    let clearance = simulation.model().geometry.largest_clearance();
    let fall = 9.81 * 5e-3;
    assert!(fastest(&mut simulation, 100) < 0.01 * fall);
    for (now, start) in simulation.state().positions.iter().zip(&start) {
        assert!((now - start).norm() < 0.1 * clearance);
    }
    let notices = simulation.take_notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("touch at the start"), "{notices:?}");
}

/// Two elastic blocks that touch in a face and are pressed together by 1 mm: the stress is `E ε` to a thousandth.
#[test]
fn pressed_blocks_that_touch_have_the_stress_of_their_strain() {
    let world = "[world]\ngravity = [0, 0, 0]\nfriction = 0.0\n";
    let lower = elastic("lower", 2, [0.0, 0.0, 0.05])
        + "fixed = [{ box = { lower = [-1, -1, -0.001], upper = [1, 1, 0.001] } }]\n";
    let upper = elastic("upper", 3, [0.0, 0.0, 0.15])
        + "fixed = [{ box = { lower = [-1, -1, 0.199], upper = [1, 1, 0.201] }, \
           motion = { velocity = [0, 0, -0.02], then = [{ at = 0.05 }] } }]\n";
    let mut simulation = simulation(&[world, &lower, &upper]);
    fastest(&mut simulation, 60);
    let forces = contact_forces(simulation.model(), simulation.state());
    let force = forces.pairs[&[0, 1]].force.z.abs();
    // Young's modulus times 1 mm in 0.2 m, times the area.
    let expected = 1e6 * (1e-3 / 0.2) * 0.01;
    assert!(
        (force / expected - 1.0).abs() < 1e-3,
        "{force} N for {expected} N"
    );
}

/// Blocks stacked without gaps, the lowest on the ground: they settle under their weight without a jump.
#[test]
fn a_stack_without_gaps_rests() {
    let stack: Vec<String> = (0..3)
        .map(|level| {
            elastic(
                &format!("cube {level}"),
                2,
                [0.0, 0.0, 0.05 + 0.1 * f64::from(level)],
            )
        })
        .collect();
    let mut simulation = simulation(&[&stack[0], &stack[1], &stack[2], GROUND]);
    // The weight of 3 kg causes a sag of about ρ g h² / 2 E; vibration about it has the speed √(E/ρ) times the strain.
    let strain = 1000.0 * 9.81 * 0.3 / 1e6;
    let fastest = fastest(&mut simulation, 60);
    assert!(fastest < 31.6 * strain, "{fastest}");
    let forces = contact_forces(simulation.model(), simulation.state());
    for (pair, weight) in [([0, 3], 3.0), ([0, 1], 2.0), ([1, 2], 1.0)] {
        let force = forces.pairs[&pair].force.z.abs();
        assert!(
            (force / (9.81 * weight) - 1.0).abs() < 0.02,
            "{pair:?}: {force}"
        );
    }
}

/// The held nodes of a column stand on its table, and it carries a falling body.
#[test]
fn a_column_may_be_clamped_on_the_ground() {
    let column = elastic("column", 2, [0.0, 0.0, 0.05])
        + "fixed = [{ box = { lower = [-1, -1, -0.001], upper = [1, 1, 0.001] } }]\n";
    let cube = rigid("cube", [0.0, 0.0, 0.151]);
    let mut simulation = simulation(&[&column, &cube, GROUND]);
    let held = |simulation: &Simulation| -> Vec<Vector3<f64>> {
        let points = simulation.state().positions[..27].iter();
        points.filter(|x| x.z < 1e-3).copied().collect()
    };
    let start = held(&simulation);
    assert_eq!(start.len(), 9);
    assert!(start.iter().all(|x| x.z > 0.0));
    fastest(&mut simulation, 40);
    assert_eq!(held(&simulation), start);
}

/// A sheet laid flat on an obstacle or on a body stays there.
#[test]
fn a_sheet_may_touch_its_support() {
    let sheet = "[[body]]\nname = \"sheet\"\nkind = \"shell\"\nmesh = \
                 { grid = { size = [0.16, 0.16], cells = [4, 4] } }\n\
                 shell = { stretch = 100, density = 0.2 }\nposition = [0, 0, 0.1]\n";
    let table = "[[obstacle]]\nname = \"table\"\nshape = { cuboid = { size = [0.1, 0.1, 0.1] } }\nposition = \
                 [0, 0, 0.05]\n";
    let body = elastic("table", 2, [0.0, 0.0, 0.05]);
    for parts in [[sheet, table], [&body, sheet]] {
        let mut simulation = simulation(&[parts[0], parts[1], GROUND]);
        let points = (simulation.model().geometry.bodies.iter())
            .find(|body| body.thin)
            .expect("a sheet");
        let points = points.points.clone();
        let above = |simulation: &Simulation| {
            let points = simulation.state().positions[points.clone()].iter();
            points
                .filter(|x| x.x.abs() < 0.05 && x.y.abs() < 0.05)
                .all(|x| x.z > 0.0999)
        };
        assert!(above(&simulation));
        fastest(&mut simulation, 20);
        assert!(above(&simulation));
    }
}

/// A block that fits exactly between walls and the ground: no translation separates it, the surface offset does.
#[test]
fn a_tight_fit_starts() {
    let wall = |x: f64| {
        format!(
            "[[obstacle]]\nname = \"wall {x}\"\nshape = {{ cuboid = {{ size = [0.1, 0.3, 0.3] }} }}\nposition = \
             [{x:?}, 0, 0.15]\n"
        )
    };
    for block in [
        rigid("block", [0.0, 0.0, 0.05]),
        elastic("block", 2, [0.0, 0.0, 0.05]),
    ] {
        let mut simulation = simulation(&[&block, &wall(0.1), &wall(-0.1), GROUND]);
        let touching = simulation
            .model()
            .notices
            .touching
            .as_ref()
            .expect("it touches");
        assert_eq!(touching.pairs.len(), 3);
        assert!(fastest(&mut simulation, 20) < 0.1);
    }
}

/// Penetration by rounding, also of held nodes, counts as touching. An overlap that contacts resolve is an error, with
/// its depth.
#[test]
fn rounding_touches_and_overlaps_are_errors() {
    let held = "fixed = [{ box = { lower = [-1, -1, -1], upper = [1, 1, 0.001] } }]\n";
    for depth in [0.0, 1.4e-17, 1e-15, 1e-9] {
        let lower = elastic("lower", 2, [0.0, 0.0, 0.05 - depth]) + held;
        let upper = elastic("upper", 2, [0.0, 0.0, 0.15 - 2.0 * depth]);
        touching(&scene(&[&lower, &upper, GROUND]));
        simulation(&[&lower, &upper, GROUND]);
    }
    let refused = |parts: &[&str]| Simulation::new(&scene(parts)).err();
    let lower = elastic("lower", 2, [0.0, 0.0, 0.0499]) + held;
    match refused(&[&lower, GROUND]) {
        Some(SimError::InitialPenetration { depth, .. }) => assert!((depth - 1e-4).abs() < 1e-12),
        other => panic!("{other:?}"),
    }
    // 1e-4 m deep; the very same place, all faces together; one inside the other, with a common face.
    let cube = elastic("cube", 2, [0.0, 0.0, 0.05]);
    let inner =
        elastic("inner", 1, [0.0, 0.0, 0.025]).replace("[0.1, 0.1, 0.1]", "[0.05, 0.05, 0.05]");
    for other in [
        elastic("other", 2, [0.0, 0.0, 0.1499]),
        elastic("other", 2, [0.0, 0.0, 0.05]),
        inner,
    ] {
        let error = refused(&[&cube, &other]);
        assert!(
            matches!(error, Some(SimError::InitialOverlap { .. })),
            "{error:?}"
        );
    }
}

/// Copies may be placed side by side without gaps.
#[test]
fn copies_may_touch() {
    let cubes = elastic("cube", 1, [0.0, 0.0, 0.05])
        + "copies = { count = 4, columns = [2, 1], spacing = [0.1, 0.1, 0.1] }\n";
    let simulation = simulation(&[&cubes, GROUND]);
    assert_eq!(simulation.model().geometry.bodies.len(), 4);
}

/// Bodies farther apart than the resting gap are unchanged, bit for bit.
#[test]
fn starts_that_do_not_touch_stay() {
    let scene = scene(&[
        &elastic("a", 2, [0.0, 0.0, 0.0501]),
        &rigid("b", [0.0, 0.0, 0.1502]),
        GROUND,
    ]);
    let (model, _) = Model::new(&scene).expect("a model");
    assert_eq!(model.notices.touching, None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Blocks on a lattice with rounded positions, elastic, rigid and held, that touch in faces, edges and corners:
    /// every such start is free of intersections, and no point moves farther than the clearance.
    #[test]
    fn heaps_of_touching_blocks_start(
        kinds in prop::collection::vec(0_u8..4, 27),
        origin in prop::array::uniform3(-1.0..1.0_f64),
    ) {
        let mut parts = vec![rigid("free", [9.0, 9.0, 9.0])];
        for (index, kind) in kinds.iter().enumerate() {
            let step = [index % 3, index / 3 % 3, index / 9].map(|step| 0.1 * step as f64);
            let place: [f64; 3] = std::array::from_fn(|axis| origin[axis] + step[axis]);
            match kind {
                1 => parts.push(elastic(&format!("e{index}"), 1, place)),
                2 => parts.push(rigid(&format!("r{index}"), place)),
                3 => parts.push(elastic(&format!("h{index}"), 2, place) + "fixed = \
                    [{ box = { lower = [-9, -9, -9], upper = [9, 9, 0.1] } }]\n"),
                _ => {}
            }
        }
        // A held body may have no node in its box: that is a separate error.
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let scene = scene(&parts);
        let Ok((model, state)) = Model::new(&scene) else { return Ok(()) };
        prop_assert_eq!(surface_intersections(&state.positions, &model.geometry.surface, 1), []);
        prop_assert!(Simulation::new(&scene).is_ok());
        if let Some(touching) = &model.notices.touching {
            prop_assert!(touching.distance <= model.geometry.largest_clearance() * (1.0 + 1e-9));
        }
    }
}
