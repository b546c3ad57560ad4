//! The papers' own scenes do what the papers say of them; `docs/papers.md` lists them.

use crate::scenes::{advance, energies, gain, shipped};
use impinge_sim::measure::contacts::contact_records;
use impinge_sim::{Simulation, StepReport};
use nalgebra::Vector3;
use std::collections::BTreeSet;

/// Largest opening of a hard joint (m): ten gap tolerances.
const CLOSED: f64 = 1e-5;

/// Mechanical energy (J) at the end of a step.
fn energy(report: &StepReport) -> f64 {
    report.kinetic_energy + report.elastic_energy + report.gravitational_energy
}

/// Largest distance (m) at the joints of the first `links` rigid bodies, which end at plus and minus `half` (m) of
/// their centres.
fn opening(simulation: &Simulation, links: usize, half: Vector3<f64>) -> f64 {
    let gaps = simulation.state().rigid[..links].windows(2).map(|pair| {
        let end = |link: usize, side: f64| {
            let pose = &pair[link].pose;
            pose.center + pose.orientation * (half * side)
        };
        (end(0, 1.0) - end(1, -1.0)).norm()
    });
    gaps.fold(0.0, f64::max)
}

/// Tournier et al. 2015, Fig. 1: in steps of 10 ms, three of them divided, the ball sinks into the mat and comes back
/// up. No step gains energy, and the edges of the mat keep their length to the gap tolerance.
#[test]
fn a_hard_mat_on_soft_springs_throws_a_ball_up() {
    let mut simulation = shipped("tournier_trampoline.toml", &[]);
    let mut run = Vec::new();
    let (mut lowest, mut back) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut strain: f64 = 0.0;
    let mut substeps = 0;
    for _ in 0..150 {
        let report = advance(&mut simulation, 1);
        substeps += report.substeps;
        run.push(energy(&report));
        let height = simulation.state().rigid[0].pose.center.z;
        if height < lowest {
            (lowest, back) = (height, f64::NEG_INFINITY);
        }
        back = back.max(height);
        let (model, x) = (simulation.model(), &simulation.state().positions);
        for &[a, b] in model.geometry.surface.edges() {
            let (a, b) = (a as usize, b as usize);
            if model.geometry.bodies[0].points.contains(&a) {
                let rest = (model.points.rest[a] - model.points.rest[b]).norm();
                strain = strain.max(((x[a] - x[b]).norm() / rest - 1.0).abs());
            }
        }
    }
    assert!(gain(&run) < 0.0, "{} J", gain(&run));
    // Three steps of a sagging mat converge too slowly, by a sixth a round, and are divided.
    assert!(substeps <= 153, "{substeps}");
    assert!(strain < 1e-4, "{strain}");
    // The ball, of radius 0.25 m, meets the mat at 1.25 m.
    assert!(lowest < 1.0, "{lowest} m");
    assert!(back > 1.25, "{back} m");
}

/// Tournier et al. 2015, Fig. 1: in steps of 10 ms, none of them divided, the doll swings; no step gains energy, and
/// the liana holds together.
#[test]
fn a_ragdoll_of_twelve_bodies_swings() {
    let mut simulation = shipped("tournier_ragdoll.toml", &[]);
    let mut run = Vec::new();
    let mut farthest: f64 = 0.0;
    for _ in 0..200 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.substeps, 1, "step {}", report.step);
        run.push(energy(&report));
        let gap = opening(&simulation, 10, Vector3::new(0.0, 0.0, 0.1));
        assert!(gap < CLOSED, "step {}: {gap} m", report.step);
        farthest = farthest.max(simulation.state().rigid[0].pose.center.x.abs());
    }
    assert!(gain(&run) < 0.0, "{} J", gain(&run));
    assert!(farthest > 0.3, "{farthest} m");
}

/// Tournier et al. 2015, Section 4.1: fifty links on hinges with limits fall in steps of 10 ms. No step gains energy,
/// joints stay closed, and hinges reach their limit and keep it. Without geometric stiffness the chain gains energy.
#[test]
fn a_chain_of_fifty_hinges_keeps_its_limits() {
    let mut simulation = shipped("tournier_hinge_chain.toml", &[]);
    let mut run = Vec::new();
    let mut largest: f64 = 0.0;
    for step in 0..150 {
        run.extend(energies(&mut simulation, 1));
        let gap = opening(&simulation, 50, Vector3::new(0.1, 0.0, 0.0));
        assert!(gap < CLOSED, "step {step}: {gap} m");
        for pair in simulation.state().rigid.windows(2) {
            let turn = pair[0]
                .pose
                .orientation
                .rotation_to(&pair[1].pose.orientation);
            largest = largest.max(turn.angle());
        }
    }
    assert_eq!(run.len(), 150);
    assert!(gain(&run) < 0.0, "{} J", gain(&run));
    assert!((0.28..0.3005).contains(&largest), "{largest} rad");
    let without = ["solver.joint_stiffness=none"];
    let without = energies(&mut shipped("tournier_hinge_chain.toml", &without), 150);
    let gained = gain(&without);
    assert!(gained > 1.0, "{gained} J");
}

/// Variants of a chain of `bodies` rings: with rings of square section, 144 tetrahedra each, and as shipped if the
/// folder of its meshes is known.
fn ring_variants(bodies: usize) -> Vec<Vec<String>> {
    let ring = "{ ring = { major_radius = 1.62, section = 0.67, segments = 24 } }";
    let square = (0..bodies).map(|body| format!("body.{body}.mesh={ring}"));
    let mut variants = vec![square.collect()];
    if std::env::var_os("IMPINGE_DATA").is_some() {
        variants.push(Vec::new());
    }
    variants
}

/// The scene `name` after `steps` with each compliance of Saupin et al., the exact one first. Every step meets its
/// momentum tolerance, with a converged solve.
fn with_either_compliance(name: &str, overrides: &[String], steps: u32) -> [Simulation; 2] {
    ["exact-compliance", "warped-compliance"].map(|method| {
        let method = format!("solver.method={method}");
        let mut all: Vec<&str> = overrides.iter().map(String::as_str).collect();
        all.push(&method);
        let mut simulation = shipped(name, &all);
        for _ in 0..steps {
            let report = advance(&mut simulation, 1);
            let place = format!("{method}, step {}", report.step);
            assert_eq!(report.inexact_solves, 0, "{place}");
            assert_eq!(report.unmet_momentum, 0, "{place}");
            let (residual, tolerance) = (report.momentum_residual, report.momentum_tolerance);
            assert!(residual <= 2.0 * tolerance, "{place}: {residual:e} N s");
            assert_eq!(report.inverted_elements, 0, "{place}");
        }
        simulation
    })
}

/// Centres (m) of the rigid rings that move.
fn rigid_centers(simulation: &Simulation) -> Vec<Vector3<f64>> {
    let rigid = simulation.state().rigid.iter();
    rigid.map(|body| body.pose.center).collect()
}

/// Saupin et al. 2008, Table 2: a chain of five links swings down. With warped and with exact compliance, the rigid
/// rings are at the same distances along the chain, to a percent, after two seconds.
#[test]
fn a_chain_of_five_links_is_as_long_with_either_compliance() {
    for overrides in ring_variants(5) {
        let both = with_either_compliance("chain5.toml", &overrides, 200);
        let [exact, warped] = both.each_ref().map(|simulation| {
            // From the fixed ring, at the origin.
            let centers = [vec![Vector3::zeros()], rigid_centers(simulation)].concat();
            let links = centers.windows(2).map(|pair| (pair[1] - pair[0]).norm());
            links.collect::<Vec<f64>>()
        });
        assert_eq!(exact.len(), 2);
        for (exact, warped) in exact.iter().zip(&warped) {
            let off = (warped / exact - 1.0).abs();
            assert!(off < 0.01, "{exact} m, {warped} m");
        }
    }
}

/// Saupin et al. 2008, Fig. 3: soft rings touch soft ones, soft ones rigid ones, and rigid rings each other. With
/// warped and with exact compliance the links hang at the same places, to a percent of the chain.
#[test]
fn soft_and_rigid_links_hang_alike_with_either_compliance() {
    for overrides in ring_variants(7) {
        let both = with_either_compliance("mixed_links.toml", &overrides, 300);
        for simulation in &both {
            let model = simulation.model();
            let touching: BTreeSet<usize> = contact_records(model, simulation.state())
                .iter()
                .map(|contact| {
                    let soft = |&solid: &usize| !model.geometry.bodies[solid].tets.is_empty();
                    contact.solids.iter().filter(|solid| soft(solid)).count()
                })
                .collect();
            assert_eq!(touching, BTreeSet::from([0, 1, 2]));
        }
        let [exact, warped] = both.each_ref().map(rigid_centers);
        for (exact, warped) in exact.iter().zip(&warped) {
            let off = (warped - exact).norm();
            assert!(off < 0.12, "{exact} m, {warped} m");
        }
    }
}

/// Tournier et al. 2015, Fig. 3 and Fig. 5: ten boxes on ball joints, the last a thousand times as heavy, fall in steps
/// of 10 ms without a divided step. No step gains energy, joints stay closed, and the chain is as long as its links.
/// Without geometric stiffness it gains energy.
#[test]
fn a_chain_with_a_heavy_end_swings() {
    let mut simulation = shipped("chain_rigid.toml", &[]);
    let mut run = Vec::new();
    for _ in 0..200 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.substeps, 1, "step {}", report.step);
        run.push(energy(&report));
        let gap = opening(&simulation, 10, Vector3::new(0.1, 0.0, 0.0));
        assert!(gap < CLOSED, "step {}: {gap} m", report.step);
    }
    assert!(gain(&run) < 0.0, "{} J", gain(&run));
    let without = ["solver.joint_stiffness=none"];
    let without = energies(&mut shipped("chain_rigid.toml", &without), 200);
    let gained = gain(&without);
    assert!(gained > 1.0, "{gained} J");
}

/// Tournier et al. 2015, Fig. 7: in steps of 5 ms the arrow leaves at the same speed whether the rows of the stiff
/// frame are constraints or forces, and no step gains energy.
#[test]
fn a_stiff_bow_shoots_alike_in_both_forms() {
    let speeds = ["compliance", "stiffness"].map(|formulation| {
        let form = format!("body.0.material.formulation=\"{formulation}\"");
        let mut simulation = shipped("tournier_bow.toml", &[&form]);
        let mut rounds = 0;
        for _ in 0..70 {
            let report = advance(&mut simulation, 1);
            assert_eq!(report.energy_gains, 0);
            rounds += report.rounds;
        }
        // Joints and elastic forces converge in the same rounds; one after the other they take twice as many.
        assert!(rounds < 1100, "{formulation}: {rounds}");
        simulation.state().rigid[0].velocity.x
    });
    let [compliance, stiffness] = speeds;
    assert!(compliance > 5.0, "{speeds:?} m/s");
    assert!(
        (compliance / stiffness - 1.0).abs() < 0.02,
        "{speeds:?} m/s"
    );
}

/// Verschoor and Jalba 2019, Fig. 2 (a): half of the bodies, thrown into the wedge. All solves converge, nothing passes
/// through the walls, and the crowd moves with the wedge at half a metre a second.
#[test]
fn a_wedge_moves_its_soft_crowd() {
    let overrides = [
        "title=\"33 soft bodies in a moving wedge\"",
        "body.0.copies.count=6",
        "body.1.copies.count=12",
        "body.2.copies.count=15",
        "body.0.velocity=[0, 0, -0.5]",
        "body.1.velocity=[0, 0, -1]",
        "body.2.velocity=[0, 0, -1.5]",
    ];
    let mut simulation = shipped("verschoor_wedge.toml", &overrides);
    let mut report = StepReport::default();
    for _ in 0..400 {
        report = advance(&mut simulation, 1);
        assert_eq!(report.inexact_solves, 0, "step {}", report.step);
        assert_eq!(report.inverted_elements, 0, "step {}", report.step);
    }
    assert!(report.active > 150, "{} contacts", report.active);
    let model = simulation.model();
    let mass: f64 = model.points.mass.iter().sum();
    let speed = report.momentum[0] / mass;
    assert!((speed - 0.5).abs() < 0.05, "{speed} m/s");
    // Between the walls, above their lower edges.
    for body in &model.geometry.bodies {
        let x = &simulation.state().positions[body.points.clone()];
        let lowest = x.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
        assert!(lowest > 0.0, "{}: {lowest} m", body.name);
    }
}

/// Verschoor and Jalba 2019, Fig. 2 (b): forces twist six strings about each other, so that most of them touch; when
/// the forces end, the strings come free and are straight again. A coarser variant, in longer steps.
#[test]
fn strings_are_tangled_by_forces_and_come_free() {
    let cells = (0..6).map(|body| format!("body.{body}.mesh.cuboid.cells=[16, 1, 1]"));
    let mut overrides: Vec<String> = cells.collect();
    overrides.push("time.step=4e-3".to_owned());
    let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
    let mut simulation = shipped("verschoor_strings.toml", &overrides);
    // Distance of the ends of each string over its length at rest.
    let spans = |simulation: &Simulation| -> Vec<f64> {
        let (model, x) = (simulation.model(), &simulation.state().positions);
        let span = |body: &impinge_sim::geometry::Body| {
            let along = |&point: &usize| model.points.rest[point].x;
            let by_place = |a: &usize, b: &usize| along(a).total_cmp(&along(b));
            let ends = [
                body.points.clone().min_by(by_place),
                body.points.clone().max_by(by_place),
            ];
            let [left, right] = ends.map(|end| end.expect("a string has points"));
            (x[right] - x[left]).norm() / (along(&right) - along(&left))
        };
        model.geometry.bodies.iter().map(span).collect()
    };
    let mut elastic: f64 = 0.0;
    let mut pairs = BTreeSet::new();
    for _ in 0..400 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.inexact_solves, 0, "step {}", report.step);
        elastic = elastic.max(report.elastic_energy);
        let records = contact_records(simulation.model(), simulation.state());
        pairs = records.iter().map(|contact| contact.solids).collect();
    }
    // Of fifteen pairs.
    assert!(pairs.len() >= 6, "{pairs:?}");
    let bent = spans(&simulation);
    assert!(bent.iter().all(|&span| span < 0.97), "{bent:?}");
    let mut report = StepReport::default();
    for _ in 400..750 {
        report = advance(&mut simulation, 1);
        assert_eq!(report.inexact_solves, 0, "step {}", report.step);
    }
    assert_eq!(report.active, 0);
    assert!(
        report.elastic_energy < 0.01 * elastic,
        "{} J",
        report.elastic_energy
    );
    let straight = spans(&simulation);
    assert!(
        straight.iter().all(|&span| (span - 1.0).abs() < 0.02),
        "{straight:?}"
    );
}

/// Harmon et al. 2012, Fig. 10, with coarser meshes and five times the speed: the walls close from 22 cm to 2 cm, less
/// than a tenth, and press all shapes flat between them. No state has intersections.
#[test]
fn a_compactor_closes_to_less_than_a_tenth() {
    let overrides = [
        "body.0.mesh.sphere.subdivisions=1",
        "body.1.mesh.cuboid.cells=[2, 2, 2]",
        "body.2.mesh.ring.segments=5",
        "body.4.mesh.grid.cells=[4, 4]",
        "obstacle.1.motion.velocity=[1, 0, 0]",
        "obstacle.2.motion.velocity=[-1, 0, 0]",
        "time.step=2e-3",
    ];
    let mut simulation = shipped("harmon_compactor.toml", &overrides);
    advance(&mut simulation, 50);
    let (model, x) = (simulation.model(), &simulation.state().positions);
    for body in &model.geometry.bodies {
        let x = &x[body.points.clone()];
        // The walls stand at 1 cm to both sides.
        let farthest = x.iter().map(|x| x.x.abs()).fold(0.0, f64::max);
        assert!(farthest < 0.01, "{}: {farthest} m", body.name);
        let lowest = x.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
        assert!(lowest > 0.0, "{}: {lowest} m", body.name);
    }
}

/// Harmon et al. 2012, Fig. 1, with coarse meshes: the particle is shot through the curtains, which fling up and then
/// rest on each other. At the end their kinetic energy is less than a thousandth of its largest value and their energy
/// keeps its value to a twentieth; no step gains energy, and no state has intersections.
#[test]
fn curtains_come_to_rest() {
    let mut simulation = shipped("harmon_curtains.toml", &[]);
    let (mut most, mut flung): (f64, f64) = (0.0, 0.0);
    let mut settled = Vec::new();
    for step in 0..440 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.energy_gains, 0, "step {step}");
        most = most.max(report.kinetic_energy);
        flung = flung.max(energy(&report));
        if step >= 360 {
            settled.push(report);
        }
    }
    let kinetic = settled.iter().map(|report| report.kinetic_energy);
    let moving = kinetic.fold(0.0, f64::max);
    assert!(moving < 1e-3 * most, "{moving} J of {most} J");
    let energies: Vec<f64> = settled.iter().map(energy).collect();
    let range = |best: fn(f64, f64) -> f64, from: f64| energies.iter().copied().fold(from, best);
    let (least, largest) = (range(f64::min, f64::INFINITY), range(f64::max, 0.0));
    assert!(largest - least < 0.05 * largest, "{least} J to {largest} J");
    assert!(largest < 0.1 * flung, "{largest} J of {flung} J");
    // The particle was shot by half a metre.
    let ball = simulation.model().geometry.solid(3).points.clone();
    let places = simulation.state().positions[ball].iter().map(|x| x.x);
    assert!(places.fold(f64::INFINITY, f64::min) > 0.45);
}

/// Velocity of a body of the model, and its angular velocity about its centre as if it was a thin sphere, by mass (m/s,
/// 1/s); then its centre (m).
fn motion_of_sphere(simulation: &Simulation, body: usize) -> [Vector3<f64>; 3] {
    let (model, state) = (simulation.model(), simulation.state());
    let points = model.geometry.bodies[body].points.clone();
    let mass: f64 = model.points.mass[points.clone()].iter().sum();
    let mean = |of: &[Vector3<f64>]| -> Vector3<f64> {
        let weighed = points
            .clone()
            .map(|point| of[point] * model.points.mass[point]);
        weighed.sum::<Vector3<f64>>() / mass
    };
    let (center, velocity) = (mean(&state.positions), mean(&state.velocities));
    let (mut spin, mut inertia) = (Vector3::zeros(), 0.0);
    for point in points.clone() {
        let mass = model.points.mass[point];
        let arm = state.positions[point] - center;
        spin += arm.cross(&(state.velocities[point] - velocity)) * mass;
        inertia += 2.0 / 3.0 * mass * arm.norm_squared();
    }
    [velocity, spin / inertia, center]
}

/// Harmon et al. 2012, Fig. 11 and Section 6.3: of three balls shot at nails, the one that fits between them and that
/// which barely does stick there, below the points and at rest. The large one rolls on: it turns as fast as it moves,
/// to a tenth, and is beyond the bed. No state has intersections.
#[test]
fn balls_stick_between_nails_and_roll_over_them() {
    let overrides = [
        "title=\"Coarse balls are shot at nails\"",
        "body.2.mesh.sphere.subdivisions=2",
    ];
    let mut simulation = shipped("harmon_projectiles.toml", &overrides);
    advance(&mut simulation, 200);
    for body in [0, 1] {
        let [velocity, _, center] = motion_of_sphere(&simulation, body);
        assert!(velocity.norm() < 0.03, "{body}: {velocity} m/s");
        // Nails are 3 cm high, and stand within 5 cm of the middle; the outer row has a side.
        assert!(center.z < 0.02, "{body}: {center} m");
        assert!(center.x.abs() < 0.06 && center.y.abs() < 0.06, "{center} m");
    }
    let [velocity, spin, center] = motion_of_sphere(&simulation, 2);
    let rim = 0.03 * spin.y;
    assert!(velocity.x > 0.3, "{velocity} m/s");
    assert!((rim / velocity.x - 1.0).abs() < 0.1, "{rim} {velocity} m/s");
    assert!(center.x > 0.1, "{center} m");
}

/// Tournier et al. 2015, Section 4.2: strain rows of a sheet of 1 GPa with Poisson's ratio 0.49 in steps of 40 ms. It
/// falls against the post, no step is divided or gains energy, and edges keep their length to a percent.
#[test]
fn strains_of_a_stiff_sheet_hold_in_steps_of_forty_milliseconds() {
    let overrides = ["time.step=0.04", "body.0.mesh.grid.cells=[6,6]"];
    let mut simulation = shipped("stiff_cloth_fem.toml", &overrides);
    let mut run = Vec::new();
    let mut touched = false;
    for _ in 0..30 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.substeps, 1, "step {}", report.step);
        touched |= report.active > 0;
        run.push(energy(&report));
        let (model, x) = (simulation.model(), &simulation.state().positions);
        for &[a, b] in model.geometry.surface.edges() {
            let (a, b) = (a as usize, b as usize);
            if model.geometry.bodies[0].points.contains(&a) {
                let rest = (model.points.rest[a] - model.points.rest[b]).norm();
                let stretch = (x[a] - x[b]).norm() / rest - 1.0;
                assert!(stretch.abs() < 0.01, "step {}: {stretch}", report.step);
            }
        }
    }
    assert!(touched, "it was to meet the post");
    assert!(gain(&run) < 0.0, "{} J", gain(&run));
}

/// Harmon et al. 2012, Section 6.3: of two balls that are shot at the same gap between nails, the second comes to rest
/// on the first, above the board.
#[test]
fn balls_that_are_shot_at_nails_stack() {
    let mut simulation = shipped("harmon_stack.toml", &[]);
    advance(&mut simulation, 150);
    let [first, second] = [0, 1].map(|body| motion_of_sphere(&simulation, body));
    for [velocity, _, _] in [first, second] {
        assert!(velocity.norm() < 0.03, "{velocity} m/s");
    }
    let apart = second[2] - first[2];
    // Two radii of 9.5 mm, of polyhedra, and a layer of 0.8 mm.
    assert!((0.0165..0.0198).contains(&apart.norm()), "{apart} m");
    assert!(apart.z > 0.01, "{apart} m");
    let points = simulation.model().geometry.bodies[1].points.clone();
    let heights = simulation.state().positions[points].iter().map(|x| x.z);
    let lowest = heights.fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.002, "{lowest} m");
}

/// Rigid bodies of an asynchronous simulation: dice that are thrown between nails come to rest on each other, and no
/// step gains energy.
#[test]
fn dice_that_are_thrown_between_nails_come_to_rest_on_each_other() {
    let mut simulation = shipped("harmon_dice.toml", &[]);
    for _ in 0..200 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.energy_gains, 0, "step {}", report.step);
    }
    let dice = &simulation.state().rigid;
    for die in dice {
        assert!(die.velocity.norm() < 1e-3, "{} m/s", die.velocity);
        assert!(
            die.angular_momentum.norm() < 1e-8,
            "{} N m s",
            die.angular_momentum
        );
    }
    // Edges are 14 mm; the board is at -1 mm, layers are 0.8 mm thick.
    let mut heights: Vec<f64> = dice.iter().map(|die| die.pose.center.z).collect();
    heights.sort_by(f64::total_cmp);
    for (number, height) in heights.iter().enumerate() {
        let lowest = 0.006 + 0.014 * number as f64;
        assert!((lowest..lowest + 0.012).contains(height), "{heights:?} m");
    }
}

/// Joints of an asynchronous simulation: a weight on a chain knocks a wall down. No step gains energy, no joint opens,
/// and the weight goes on beyond the wall.
#[test]
fn a_weight_on_a_chain_knocks_a_wall_down() {
    let mut simulation = shipped("wrecking_ball.toml", &[]);
    let start = simulation.state().rigid.clone();
    for _ in 0..600 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.energy_gains, 0, "step {}", report.step);
        let (chain, rest) = (&simulation.state().rigid[..5], &start[..5]);
        // Where the next body holds each, and the world the last link: links 1 to 4 from the weight on, then the
        // weight.
        let held = |body: usize, anchor: f64| {
            let pose = &chain[body].pose;
            let arm = Vector3::new(anchor, 0.0, 0.52) - rest[body].pose.center;
            pose.center + pose.orientation * arm
        };
        let gaps = [
            held(4, -0.4) - held(0, -0.4),
            held(0, -0.3) - held(1, -0.3),
            held(1, -0.2) - held(2, -0.2),
            held(2, -0.1) - held(3, -0.1),
            held(3, 0.0) - Vector3::new(0.0, 0.0, 0.52),
        ];
        // A thousandth of the thickness: impulses of contact open a joint by the curvature of its motion until its next
        // tick.
        for gap in gaps {
            assert!(gap.norm() < 1e-6, "{} m, step {}", gap.norm(), report.step);
        }
    }
    let state = simulation.state();
    assert!(state.rigid[4].pose.center.x > 0.15);
    let thrown = (state.rigid[5..].iter().zip(&start[5..]))
        .filter(|(now, before)| (now.pose.center - before.pose.center).norm() > 0.05);
    assert!(thrown.count() >= 6);
}

/// Tournier et al. 2015, Fig. 8: the muscle contracts by a changing limit of its length and bends the knee by more than
/// 60 degrees, then gives way, and the shin swings back. No step gains energy beyond the work of the muscles, which
/// is in the balance of the joints, and lifts the shin.
#[test]
fn a_muscle_bends_a_knee() {
    let mut simulation = shipped("tournier_knee.toml", &[]);
    let mut most: f64 = 0.0;
    let mut work = 0.0;
    let start = simulation.state().rigid[0].pose.center.z;
    for _ in 0..300 {
        let report = advance(&mut simulation, 1);
        let place = format!("step {}", report.step);
        let found = (report.energy_gains, report.inexact_solves);
        assert_eq!(found, (0, 0), "{place}");
        assert!(report.substeps <= 2, "{place}");
        let balance = report.balance.expect("kept by default");
        for body in &balance.bodies {
            assert!(body.closing.abs() <= 1e-8 * body.largest(), "{place}");
        }
        if report.step <= 120 {
            work += balance.total().prescribed;
        }
        if report.step == 120 {
            // The muscle holds the shin up: its work went into gravity, springs and losses.
            let lift = simulation.state().rigid[0].pose.center.z - start;
            let gravity = 3.0 * 9.81 * lift;
            assert!(gravity > 1.0 && work > gravity, "{work} J, {gravity} J");
        }
        most = most.max(flexion(&simulation));
    }
    assert!(most > 1.05, "{most} rad");
    let last = flexion(&simulation);
    assert!(last < 0.3, "{last} rad");
}

/// Tournier et al. 2015, Fig. 6, with steps of 4 ms: a rigid creature, a plastic one of tetrahedra, a neo-Hookean one
/// of hexahedra and a meshless one fall on each other. Each touches another one, and the plastic one flows.
#[test]
fn four_creatures_of_different_materials_collide() {
    let (pairs, flow) = collide("tournier_creatures.toml", &["time.step=4e-3"], 80);
    let met = (0..4).all(|body| {
        let others = pairs.iter().filter(|pair| pair.contains(&body));
        others.flatten().any(|&other| other != body && other < 4)
    });
    assert!(met, "{pairs:?}");
    assert!(flow < -1.0, "{flow} J");
}

/// The same with armadillos, as in the paper, for 0.1 s: the plastic one runs into the rigid one, and flows.
#[test]
fn four_armadillos_of_different_materials_collide() {
    if std::env::var_os("IMPINGE_DATA").is_none() {
        eprintln!("skipped, IMPINGE_DATA names no folder of the armadillo");
        return;
    }
    let (pairs, flow) = collide("tournier_armadillos.toml", &[], 25);
    // Rigid bodies come last.
    assert!(pairs.contains(&[0, 3]), "{pairs:?}");
    assert!(flow < -0.1, "{flow} J");
}

/// Runs a scene of four bodies of different materials. No step is divided or gains energy, every solve converges, and
/// no element of the plastic body or of the hexahedra folds. Returns the pairs of bodies that touch, and the work of
/// plastic flow (J).
fn collide(file: &str, overrides: &[&str], steps: u32) -> (BTreeSet<[usize; 2]>, f64) {
    let mut simulation = shipped(file, overrides);
    let mut pairs = BTreeSet::new();
    let mut flow = 0.0;
    for _ in 0..steps {
        let report = advance(&mut simulation, 1);
        let place = format!("step {}", report.step);
        let found = (report.substeps, report.inexact_solves, report.energy_gains);
        assert_eq!(found, (1, 0, 0), "{place}");
        flow += report.balance.expect("kept by default").total().plastic;
        let records = contact_records(simulation.model(), simulation.state());
        pairs.extend(records.iter().map(|contact| contact.solids));
        for name in ["plastic", "neo-Hookean"] {
            assert!(least_volume(&simulation, name) > 0.0, "{name}, {place}");
        }
    }
    (pairs, flow)
}

/// Smallest volume of the tetrahedra of a body, six times (m³).
fn least_volume(simulation: &Simulation, name: &str) -> f64 {
    let (model, x) = (simulation.model(), &simulation.state().positions);
    let body = model.geometry.bodies.iter().find(|body| body.name == name);
    let tets = &model.elements.tets[body.expect("the body").tets.clone()];
    let volumes = tets.iter().map(|tet| {
        let [a, b, c, d] = tet.map(|point| x[point as usize]);
        (b - a).cross(&(c - a)).dot(&(d - a))
    });
    volumes.fold(f64::INFINITY, f64::min)
}

/// Angle of the shin with the vertical (rad).
fn flexion(simulation: &Simulation) -> f64 {
    let down = simulation.state().rigid[0].pose.orientation * -Vector3::z();
    down.angle(&-Vector3::z())
}
