//! Harmon et al. 2012, "Asynchronous contact mechanics".

use crate::figure::{figure, larger, largest, least, share};
use crate::scenes::{advance, shipped};
use crate::support::energy;
use impinge_sim::Simulation;
use impinge_sim::rigid::RigidState;
use nalgebra::Vector3;

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
    let bodies = &simulation.model().geometry.bodies;
    let points = bodies.iter().flat_map(|body| body.points.clone());
    let x: Vec<Vector3<f64>> = points
        .map(|point| simulation.state().positions[point])
        .collect();
    // The walls stand at 1 cm to both sides.
    let farthest = largest(x.iter().map(|x| x.x.abs()));
    let what = "largest distance of a body from the middle between the walls";
    figure(what, "m", farthest).below(0.01);
    let lowest = least(x.iter().map(|x| x.z));
    figure("least height of a body above the floor", "m", lowest).above(0.0);
}

/// Harmon et al. 2012, Fig. 1: the particle is shot through the curtains, which fling up and then
/// rest on each other. At the end their kinetic energy is less than a thousandth of its largest value and their energy
/// keeps its value to a twentieth; no step gains energy, and no state has intersections.
#[test]
fn curtains_come_to_rest() {
    let mut simulation = shipped("harmon_curtains.toml", &[]);
    let (mut most, mut flung): (f64, f64) = (0.0, 0.0);
    let mut settled = Vec::new();
    for step in 0..400 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.energy_gains, 0, "step {step}");
        most = larger(most, report.kinetic_energy);
        flung = larger(flung, energy(&report));
        if step >= 360 {
            settled.push(report);
        }
    }
    let moving = largest(settled.iter().map(|report| report.kinetic_energy));
    let what = "kinetic energy at the end over its largest value";
    figure(what, "", share(moving, most)).below(1e-3);
    let energies = || settled.iter().map(energy);
    let (lowest, highest) = (least(energies()), largest(energies()));
    let change = share(highest - lowest, highest);
    figure("relative change of energy at the end", "", change).below(0.05);
    let what = "energy at the end over its largest value";
    figure(what, "", share(highest, flung)).below(0.1);
    // The particle was shot by half a metre.
    let ball = simulation.model().geometry.solid(3).points.clone();
    let places = simulation.state().positions[ball].iter().map(|x| x.x);
    figure("place of the rear of the ball", "m", least(places)).above(0.45);
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
    let (mut speed, mut height): (f64, f64) = (0.0, f64::NEG_INFINITY);
    for body in [0, 1] {
        let [velocity, _, center] = motion_of_sphere(&simulation, body);
        speed = larger(speed, velocity.norm());
        height = larger(height, center.z);
        // Nails stand within 5 cm of the middle; the outer row has a side.
        assert!(center.x.abs() < 0.06 && center.y.abs() < 0.06, "{center} m");
    }
    figure("largest speed of the balls that stick", "m/s", speed).below(0.03);
    // Nails are 3 cm high.
    let what = "largest height of the centre of a ball that sticks";
    figure(what, "m", height).below(0.02);
    let [velocity, spin, center] = motion_of_sphere(&simulation, 2);
    let rim = 0.03 * spin.y;
    assert!(center.x > 0.1, "{center} m");
    figure("speed of the ball that rolls", "m/s", velocity.x).above(0.3);
    let slip = (rim / velocity.x - 1.0).abs();
    figure("relative difference of the speed of its rim", "", slip).below(0.1);
}

/// Harmon et al. 2012, Section 6.3: of two balls that are shot at the same gap between nails, the second comes to rest
/// on the first, above the board.
#[test]
fn balls_that_are_shot_at_nails_stack() {
    let mut simulation = shipped("harmon_stack.toml", &[]);
    advance(&mut simulation, 150);
    let [first, second] = [0, 1].map(|body| motion_of_sphere(&simulation, body));
    let speed = larger(first[0].norm(), second[0].norm());
    figure("largest speed of a ball at the end", "m/s", speed).below(0.03);
    let apart = second[2] - first[2];
    // Two radii of 9.5 mm, of polyhedra, and a layer of 0.8 mm.
    figure("distance of the centres of the balls", "m", apart.norm()).within(0.0165..0.0198);
    figure("height of the second ball above the first", "m", apart.z).above(0.01);
    let points = simulation.model().geometry.bodies[1].points.clone();
    let heights = simulation.state().positions[points].iter().map(|x| x.z);
    let what = "least height of the second ball above the board";
    figure(what, "m", least(heights) + 0.001).above(0.003);
}

/// Rigid bodies of an asynchronous simulation: dice that are thrown between nails come to rest on each other, no step
/// gains energy, and in the mean the contact forces of steps at rest are the weight of the dice.
#[test]
fn dice_that_are_thrown_between_nails_come_to_rest_on_each_other() {
    let mut simulation = shipped("harmon_dice.toml", &[]);
    let mut carried = Vec::new();
    for _ in 0..200 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.energy_gains, 0, "step {}", report.step);
        let [.., vertical] = report.contact_force;
        carried.push(vertical);
    }
    // Three dice of 1000 kg/m³.
    let mass = 3.0 * 1000.0 * 0.014_f64.powi(3);
    let at_rest = &carried[150..];
    let mean = at_rest.iter().sum::<f64>() / at_rest.len() as f64;
    let what = "mean contact force of the last quarter over the weight";
    figure(what, "", mean / (9.81 * mass)).within(0.99..1.01);
    let dice = &simulation.state().rigid;
    let most = |of: fn(&RigidState) -> f64| largest(dice.iter().map(of));
    let speed = most(|die| die.velocity.norm());
    figure("largest speed of a die at the end", "m/s", speed).below(1e-3);
    let spin = most(|die| die.angular_momentum.norm());
    let what = "largest angular momentum of a die at the end";
    figure(what, "N m s", spin).below(1e-8);
    // Edges are 14 mm; the board is at -1 mm, layers are 0.8 mm thick.
    let mut heights: Vec<f64> = dice.iter().map(|die| die.pose.center.z).collect();
    heights.sort_by(f64::total_cmp);
    for (number, height) in heights.iter().enumerate() {
        let lowest = 0.006 + 0.014 * number as f64;
        assert!((lowest..lowest + 0.012).contains(height), "{heights:?} m");
    }
    let count = heights.len() as f64;
    let rise = (heights[heights.len() - 1] - heights[0]) / (count - 1.0);
    figure("mean height of a die above the next", "m", rise).within(0.008..0.02);
}

/// Joints of an asynchronous simulation: a weight on a chain knocks a wall down. No step gains energy, no joint opens,
/// and the weight goes on beyond the wall.
#[test]
fn a_weight_on_a_chain_knocks_a_wall_down() {
    let mut simulation = shipped("wrecking_ball.toml", &[]);
    let start = simulation.state().rigid.clone();
    let mut opening: f64 = 0.0;
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
        opening = gaps.iter().map(Vector3::norm).fold(opening, larger);
    }
    // A thousandth of the thickness: impulses of contact open a joint by the curvature of its motion until its next
    // tick.
    figure("largest opening of a joint", "m", opening).below(1e-6);
    let state = simulation.state();
    let place = state.rigid[4].pose.center.x;
    figure("place of the weight at the end", "m", place).above(0.15);
    let thrown = (state.rigid[5..].iter().zip(&start[5..]))
        .filter(|(now, before)| (now.pose.center - before.pose.center).norm() > 0.05);
    let thrown = thrown.count() as f64;
    figure("blocks of the wall that move by more than 5 cm", "", thrown).at_least(6.0);
}
