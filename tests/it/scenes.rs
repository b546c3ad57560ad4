//! Small variants of shipped scenes do what their titles claim.

use crate::figure::{figure, larger, largest, least, share};
use crate::support::{assert_apart, energy, mass};
use impinge_sim::measure::rigid::rigid_measures;
use impinge_sim::{Scene, Simulation, StepReport};
use nalgebra::Vector3;
use std::path::Path;

/// Largest opening of a hard joint (m): ten gap tolerances.
pub(crate) const CLOSED: f64 = 1e-5;

/// A shipped scene with overrides.
pub(crate) fn shipped(name: &str, overrides: &[&str]) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../scenes")
        .join(name);
    let scene = Scene::load(path, overrides).expect("a shipped scene");
    Simulation::new(&scene).expect("a shipped scene starts apart")
}

/// Advances by `steps`; no state may have intersections.
pub(crate) fn advance(simulation: &mut Simulation, steps: u32) -> StepReport {
    let mut last = StepReport::default();
    for _ in 0..steps {
        last = simulation.advance().expect("a shipped scene runs");
        assert_apart(simulation.model(), simulation.state());
    }
    last
}

/// For `settle` steps after the first `settle` steps, bodies hardly move: kinetic energy below 1e-8 of the initial
/// potential energy, drift below the clearance.
fn assert_rests(simulation: &mut Simulation, settle: u32) {
    let initial = advance(simulation, 1).gravitational_energy;
    advance(simulation, settle - 1);
    let before: Vec<Vector3<f64>> = simulation.state().positions.clone();
    let mut kinetic: f64 = 0.0;
    for _ in 0..settle {
        kinetic = larger(kinetic, advance(simulation, 1).kinetic_energy);
    }
    let what = "largest kinetic energy at rest over the initial potential energy";
    figure(what, "", share(kinetic, initial)).below(1e-8);
    let pairs = before.iter().zip(&simulation.state().positions);
    let drift = largest(pairs.map(|(then, now)| (now - then).norm()));
    let clearance = simulation.model().geometry.largest_clearance();
    figure("drift at rest over the clearance", "", drift / clearance).below(1.0);
}

#[test]
fn a_rigid_stack_rests() {
    assert_rests(&mut shipped("rigid_stack.toml", &[]), 400);
}

/// The keystone sinks as the joints close, and no further.
#[test]
fn an_arch_stands_and_rests() {
    let mut simulation = shipped("arch.toml", &[]);
    let keystone = |simulation: &Simulation| simulation.state().rigid[7].pose.center;
    let start = keystone(&simulation);
    assert_rests(&mut simulation, 600);
    let fall = start.z - keystone(&simulation).z;
    // Fifteen joints of a fifth of a millimetre lower the crown by some millimetres; free fall would be 7 metres.
    assert!(
        (0.0..0.01).contains(&fall),
        "the keystone came down by {fall} m"
    );
    let carried: f64 = rigid_measures(simulation.model(), simulation.state())
        .iter()
        .map(|measure| measure.wrench.force.z)
        .sum();
    assert!(carried > 0.0);
}

/// The shaft drags the balls along, and their friction brakes it.
#[test]
fn a_bearing_turns() {
    let overrides = [
        "body.0.mesh.sphere.subdivisions=2",
        "obstacle.0.shape.torus.sides=36",
        "obstacle.0.shape.torus.tube_sides=12",
        // A coarse torus lies within the exact one.
        "obstacle.0.shape.torus.major_radius=0.252",
        "body.0.position=[0.16, 0, 0.062]",
    ];
    let mut simulation = shipped("bearing.toml", &overrides);
    let (mut torque, mut force) = (Vector3::zeros(), Vector3::zeros());
    let mut report = StepReport::default();
    for _ in 0..100 {
        report = advance(&mut simulation, 1);
        let shaft = rigid_measures(simulation.model(), simulation.state())[0];
        torque += shaft.wrench.torque;
        force += shaft.wrench.force;
    }
    figure("contacts at the end", "", f64::from(report.active)).at_least(18.0);
    let turning = report.angular_momentum[2];
    let what = "angular momentum of the balls about the axis";
    figure(what, "N m s", turning).above(0.04);
    // Averaged while the balls find their places; single values oscillate.
    let (torque, force) = (torque.z / 100.0, force.z / 100.0);
    figure("mean torque on the shaft about its axis", "N m", torque).below(-0.3);
    // The shaft carries part of the balls' weight.
    figure("mean vertical force on the shaft", "N", force).below(-5.0);
}

/// The walls push the crowd along.
#[test]
fn a_wedge_pushes_its_crowd() {
    let overrides = [
        "body.0.copies.count=12",
        "obstacle.1.motion.velocity=[1, 0, 0]",
        "obstacle.2.motion.velocity=[1, 0, 0]",
    ];
    let mut simulation = shipped("wedge.toml", &overrides);
    let report = advance(&mut simulation, 200);
    let speed = report.momentum[0] / mass(simulation.model());
    figure("mean velocity of the crowd", "m/s", speed).above(5e-3);
    figure("contacts at the end", "", f64::from(report.active)).above(30.0);
}

/// As shipped: a cube that hits the ground at 20 m/s is compressed to a quarter of its volume in places, never
/// inverted, and gains no energy on its rebound.
#[test]
fn a_cube_thrown_at_20_metres_a_second_is_never_inverted() {
    let mut simulation = shipped("thrown_cube.toml", &[]);
    let mut before = f64::INFINITY;
    for _ in 0..30 {
        let report = simulation.advance().expect("divided as needed");
        assert_eq!(report.inverted_elements, 0);
        let energy = energy(&report);
        assert!(
            energy <= before * (1.0 + 1e-6),
            "{energy} J after {before} J"
        );
        before = energy;
    }
}

/// Fast and soft enough for inverted elements: a contact with a wrong normal would pull the pair through.
#[test]
fn a_cube_thrown_at_60_metres_a_second_passes_through_nothing() {
    let overrides = [
        "body.0.velocity=[3, 0, -60]",
        "body.0.material.extrapolation_below=0.7",
        "solver.allow_inversion=true",
    ];
    let mut simulation = shipped("thrown_cube.toml", &overrides);
    advance(&mut simulation, 30);
}

/// The cloth falls on the ball, hangs over it, and the ball carries it.
#[test]
fn cloth_hangs_over_a_ball() {
    let mut simulation = shipped("cloth_on_ball.toml", &["body.0.mesh.grid.cells=[10,10]"]);
    let last = advance(&mut simulation, 400);
    let heights = || simulation.state().positions.iter().take(121).map(|x| x.z);
    let (highest, lowest) = (largest(heights()), least(heights()));
    assert!((0.29..0.31).contains(&highest), "{highest} m");
    assert!(lowest < 0.1, "{lowest} m");
    // The energy of a fall of half a millimetre: it hardly swings.
    assert!(last.kinetic_energy < 1e-3, "{} J", last.kinetic_energy);
    let weight = 0.2 * 9.81;
    assert!(
        (last.contact_force[2] / weight - 1.0).abs() < 0.02,
        "{:?} N",
        last.contact_force
    );
}

/// Total energy after each step (J), until a step fails.
pub(crate) fn energies(simulation: &mut Simulation, steps: u32) -> Vec<f64> {
    let mut energies = Vec::new();
    for _ in 0..steps {
        let Ok(report) = simulation.advance() else {
            break;
        };
        assert_apart(simulation.model(), simulation.state());
        energies.push(energy(&report));
    }
    energies
}

/// Largest gain of a step (J).
pub(crate) fn gain(energies: &[f64]) -> f64 {
    let gains = energies.windows(2).map(|pair| pair[1] - pair[0]);
    largest(gains)
}

/// Largest distance (m) at the joints between the first `links` rigid bodies, which end at plus and minus `half` (m) of
/// their centres.
pub(crate) fn opening(simulation: &Simulation, links: usize, half: Vector3<f64>) -> f64 {
    let gaps = simulation.state().rigid[..links].windows(2).map(|pair| {
        let end = |link: usize, side: f64| {
            let pose = &pair[link].pose;
            pose.center + pose.orientation * (half * side)
        };
        (end(0, 1.0) - end(1, -1.0)).norm()
    });
    largest(gaps)
}

/// Largest relative change of the length of an edge of the first body (1).
pub(crate) fn edge_strain(simulation: &Simulation) -> f64 {
    let (model, x) = (simulation.model(), &simulation.state().positions);
    let body = &model.geometry.bodies[0].points;
    let edges = model.geometry.surface.edges().iter();
    let strains = edges.map(|edge| edge.map(|point| point as usize));
    let strains = strains.filter(|[a, _]| body.contains(a)).map(|[a, b]| {
        let rest = (model.points.rest[a] - model.points.rest[b]).norm();
        ((x[a] - x[b]).norm() / rest - 1.0).abs()
    });
    largest(strains)
}

/// The least of some heights, and the largest from there on.
pub(crate) fn bounce(heights: &[f64]) -> [f64; 2] {
    let lowest = least(heights.iter().copied());
    let after = heights.iter().skip_while(|&&height| height > lowest);
    [lowest, largest(after.copied())]
}

/// Half a turn of friction holds `exp(π μ)` times the tension of the other end (Euler), and no more.
#[test]
fn a_cable_holds_up_to_eulers_ratio() {
    let friction = 0.3;
    let ratio = f64::exp(std::f64::consts::PI * friction);
    // Mass of the cable on either side (kg).
    let hanging = 0.4 * 0.03 * 5.0;
    for (share, holds) in [(0.93, true), (1.07, false)] {
        let mass = share * ratio * (1.0 + hanging) - hanging;
        let overrides = [
            format!("world.friction={friction}"),
            format!("body.2.mass={mass}"),
        ];
        let overrides = overrides.each_ref().map(String::as_str);
        let mut simulation = shipped("cable_round_post.toml", &overrides);
        let height = |simulation: &Simulation| simulation.state().rigid[1].pose.center.z;
        advance(&mut simulation, 60);
        let before = height(&simulation);
        advance(&mut simulation, 60);
        let sunk = before - height(&simulation);
        // With 7 % too much it falls by some centimetres in that quarter of a second.
        assert_eq!(sunk < 5e-4, holds, "{share}: {sunk} m");
    }
}

/// Overrides for the step without geometric stiffness.
const WITHOUT_STIFFNESS: [&str; 2] = ["solver.joint_stiffness=none", "time.elasticity=linearised"];

/// The block rebounds; without geometric stiffness, in one linearisation a step, the cable gains unexplained energy.
#[test]
fn a_cable_throws_a_block_back() {
    let mut simulation = shipped("cable_impact.toml", &[]);
    let with = energies(&mut simulation, 560);
    let most = largest(with.iter().copied());
    assert!(most <= with[0], "{most} J");
    // After the block has left, the recoil of the cable may gain a little energy in a step.
    assert!(gain(&with) < 5e-3 * with[0], "{} J", gain(&with));
    let up = simulation.state().rigid[0].velocity.z;
    assert!(up > 0.5, "{up} m/s");
    let mut simulation = shipped("cable_impact.toml", &WITHOUT_STIFFNESS);
    let without = gain(&energies(&mut simulation, 560));
    assert!(without > 0.05 * with[0], "{without} J");
}

/// The ball, which touches the bed at a height of 1.25 m, sinks by more than 15 cm and rebounds.
#[test]
fn a_trampoline_throws_a_ball_up() {
    let mut simulation = shipped("trampoline.toml", &["body.0.mesh.grid.cells=[6,6]"]);
    let mut heights = Vec::new();
    for _ in 0..300 {
        advance(&mut simulation, 1);
        heights.push(simulation.state().rigid[0].pose.center.z);
    }
    let [lowest, back] = bounce(&heights);
    figure("least height of the ball", "m", lowest).below(1.1);
    figure("height that the ball comes back to", "m", back).above(1.25);
}

/// The weights hang at the ends of the towel, and friction holds the heavier one.
#[test]
fn a_towel_holds_weights_over_a_post() {
    let mut simulation = shipped("cloth_over_post.toml", &[]);
    advance(&mut simulation, 250);
    let [left, right] = [0, 1].map(|index| simulation.state().rigid[index].pose.center);
    assert!(left.z < -0.1 && right.z < -0.1, "{left:?} {right:?}");
    let length = |a: usize, b: usize| {
        let x = &simulation.state().positions;
        (x[a] - x[b]).norm()
    };
    // Its edges along the middle, 5 cm each, hardly stretch under 25 N.
    for cell in 0..24 {
        let edge = length(3 * cell + 1, 3 * cell + 4);
        assert!((edge / 0.05 - 1.0).abs() < 0.02, "{cell}: {edge} m");
    }
}

/// No step gains energy and no joint opens; without geometric stiffness, in one linearisation a step, the run fails.
#[test]
fn a_ragdoll_swings_on_a_liana() {
    let mut simulation = shipped("ragdoll_on_liana.toml", &[]);
    let with = energies(&mut simulation, 200);
    assert_eq!(with.len(), 200);
    figure("largest gain of energy in a step", "J", gain(&with)).below(0.0);
    let gap = opening(&simulation, 10, Vector3::new(0.0, 0.0, 0.1));
    let what = "largest opening between links of the liana at the end";
    figure(what, "m", gap).below(CLOSED);
    let without = energies(
        &mut shipped("ragdoll_on_liana.toml", &WITHOUT_STIFFNESS),
        200,
    );
    // It ends at a step that no subdivision makes solvable.
    let steps = without.len() as f64;
    figure("steps until the run without stiffness fails", "", steps).within(15.0..60.0);
}

/// A sheet of 1 GPa keeps its size while it swings down; coarser and with longer steps than the shipped one.
#[test]
fn stiff_cloth_keeps_its_size() {
    let overrides = ["body.0.mesh.grid.cells=[5,5]", "time.step=2e-3"];
    let mut simulation = shipped("stiff_cloth_fem.toml", &overrides);
    advance(&mut simulation, 250);
    let what = "largest strain of an edge of the sheet at the end";
    figure(what, "", edge_strain(&simulation)).below(0.01);
}

/// The string accelerates the arrow with part of the bow's energy, and releases it.
#[test]
fn a_bow_shoots_an_arrow() {
    let mut simulation = shipped("bow_and_arrow.toml", &[]);
    let drawn = advance(&mut simulation, 300).elastic_energy;
    advance(&mut simulation, 40);
    let (model, state) = (simulation.model(), simulation.state());
    let arrow = &model.geometry.bodies[1];
    let speed = state.velocities[arrow.points.clone()]
        .iter()
        .sum::<Vector3<f64>>()
        / arrow.points.len() as f64;
    let energy = 0.5 * model.body_mass(1) * speed.norm_squared();
    figure("speed of the arrow", "m/s", speed.x).above(8.0);
    let what = "energy of the arrow over that of the drawn bow";
    figure(what, "", share(energy, drawn)).below(1.0);
    let tail = least(state.positions[arrow.points.clone()].iter().map(|x| x.x));
    assert!(tail > 0.1, "{tail} m");
}

/// Both forms of tetrahedra sag alike; hexahedra of the same nodes bend more.
#[test]
fn cantilevers_of_both_forms_agree() {
    let overrides = [
        "body.0.mesh.cuboid.cells=[5,1,1]",
        "body.1.mesh.cuboid.cells=[5,1,1]",
        "body.2.mesh.hexahedra.cells=[5,1,1]",
    ];
    let mut simulation = shipped("cantilever.toml", &overrides);
    advance(&mut simulation, 200);
    let (model, state) = (simulation.model(), simulation.state());
    let sag = [0, 1, 2].map(|body| {
        let points = model.geometry.bodies[body].points.clone();
        let fall = points.map(|point| model.points.rest[point].z - state.positions[point].z);
        largest(fall)
    });
    figure("sag", "m", sag[0]).above(0.02);
    let apart = (sag[0] / sag[1] - 1.0).abs();
    figure("relative difference of both forms", "", apart).below(1e-3);
    let what = "sag of hexahedra over that of tetrahedra";
    figure(what, "", sag[2] / sag[0]).above(1.05);
}

/// Pulled at an angle to its fibres the mat leans to one side, and carries the ball.
#[test]
fn an_orthotropic_patch_leans_and_carries() {
    let overrides = ["body.0.mesh.quadrilaterals.cells=[5,5]"];
    let mut simulation = shipped("orthotropic_patch.toml", &overrides);
    advance(&mut simulation, 200);
    let ball = simulation.state().rigid[0].pose.center;
    figure("height of the ball", "m", ball.z).above(0.2);
    let (model, x) = (simulation.model(), &simulation.state().positions);
    // Mean of the free nodes; equal stiffness in both directions would not move it sideways.
    let shift = |point: usize| x[point].y - model.points.rest[point].y;
    let mean = (0..36).map(shift).sum::<f64>() / 36.0;
    figure("mean sideways shift of the mat", "m", mean.abs()).above(1e-4);
}

/// Bodies of four materials fall on each other: no energy gain, and the plastic body keeps part of its strain.
#[test]
fn four_materials_collide() {
    let mut simulation = shipped("complex_materials.toml", &[]);
    let energies = energies(&mut simulation, 250);
    assert_eq!(energies.len(), 250);
    let gained = share(gain(&energies), energies[0]);
    figure("largest gain of a step over the initial energy", "", gained).below(1e-9);
    let kept = simulation.state().plastic_strains.iter();
    let most = largest(kept.map(|x| x.abs()));
    figure("largest plastic strain that is kept", "", most).above(0.01);
}

/// A Lachman test: the shin moves forward by millimetres, and further without the front cruciate ligament.
#[test]
fn a_knee_without_its_ligament_gives_way() {
    let forward = |overrides: &[&str]| {
        let mut simulation = shipped("knee.toml", overrides);
        advance(&mut simulation, 200);
        let shin = simulation.state().rigid[0].pose;
        // The middle of the plateau.
        (shin.center + shin.orientation * Vector3::new(0.0, 0.0, 0.15)).x
    };
    let whole = forward(&[]);
    let torn = forward(&["joint.0.compliance=1", "joint.1.compliance=1"]);
    figure("distance that the shin moves forward", "m", whole).within(1e-3..0.01);
    let further = torn - whole;
    let what = "distance that it moves further without the ligament";
    figure(what, "m", further).above(1e-3);
}

/// Rubber from a file stays on its plate node by node, carries it, and comes to rest by friction.
#[test]
fn a_rubber_mount_lands_on_its_rubber() {
    let mut simulation = shipped("rubber_mount.toml", &["time.step=5e-3"]);
    let top: Vec<usize> = {
        let model = simulation.model();
        let highest = model.geometry.bodies[0].points.clone();
        let z = largest(highest.clone().map(|point| model.points.rest[point].z));
        highest
            .filter(|&point| model.points.rest[point].z > z - 1e-9)
            .collect()
    };
    assert_eq!(top.len(), 25);
    assert_eq!(
        simulation.model().constraints.rows.len(),
        25,
        "the top, and no more"
    );
    let report = advance(&mut simulation, 120);
    assert!(report.active > 0);
    let (model, state) = (simulation.model(), simulation.state());
    let pose = state.rigid[0].pose;
    for &point in &top {
        let arm = model.points.rest[point] - model.rigid[0].inertia.center();
        let off = (pose.center + pose.orientation * arm - state.positions[point]).norm();
        assert!(off < 1e-6, "{off:e} m off the plate");
    }
    // 0.6 m/s against a friction of 0.6 take three centimetres, the fall adds some.
    assert!((0.02..0.15).contains(&pose.center.x), "{}", pose.center);
    assert!((0.05..0.072).contains(&pose.center.z), "{}", pose.center);
}

/// Every joint of a shipped scene has bodies at its anchor.
#[test]
fn shipped_joints_are_on_their_bodies() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    for file in std::fs::read_dir(folder).expect("the scenes") {
        let path = file.expect("an entry").path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if !text.contains("[[joint]]") {
            continue;
        }
        let scene = Scene::load(&path, &[""; 0]).expect("a shipped scene");
        let mut simulation = Simulation::new(&scene).expect("a shipped scene starts apart");
        for notice in simulation.take_notices() {
            assert!(!notice.contains(" m off "), "{}: {notice}", path.display());
        }
    }
}
