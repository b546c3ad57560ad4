//! The papers' own scenes do what the papers say of them. `docs/papers.md` lists them.

use crate::scenes::{advance, energies, gain, shipped};
use impinge_sim::Simulation;
use nalgebra::Vector3;

/// Largest distance (m) at the joints of a chain of bodies that end at plus and minus `axis` (m) of their centres.
fn opening(simulation: &Simulation, links: std::ops::Range<usize>, axis: Vector3<f64>) -> f64 {
    let end = |index: usize, side: f64| {
        let pose = &simulation.state().rigid[index].pose;
        pose.center + pose.orientation * (axis * side)
    };
    let gaps = links
        .clone()
        .skip(1)
        .map(|index| (end(index - 1, 1.0) - end(index, -1.0)).norm());
    gaps.fold(0.0, f64::max)
}

/// Tournier et al. 2015, Fig. 1: in steps of 10 ms, none of them divided, the ball sinks into the mat and is thrown up,
/// no step gains energy, and edges of 1e-10 m/N keep their length.
#[test]
fn tournier_a_hard_mat_on_soft_springs_throws_a_ball_up() {
    let mut simulation = shipped("tournier_trampoline.toml", &[]);
    let mut before = f64::INFINITY;
    let (mut lowest, mut back) = (f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..150 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.substeps, 1, "step {}", report.step);
        let energy = report.kinetic_energy + report.elastic_energy + report.gravitational_energy;
        assert!(energy < before, "{energy} J after {before} J");
        before = energy;
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
                let stretch = (x[a] - x[b]).norm() / rest - 1.0;
                assert!(stretch.abs() < 2e-3, "step {}: {stretch}", report.step);
            }
        }
    }
    // The ball touches the mat at 1.25 m.
    assert!(lowest < 1.1, "{lowest} m");
    assert!(back > 1.25, "{back} m");
}

/// Tournier et al. 2015, Fig. 1: in steps of 10 ms the doll swings without a divided step, the liana holds together,
/// and the elbow keeps within its limits.
#[test]
fn tournier_a_ragdoll_of_twelve_swings() {
    let mut simulation = shipped("tournier_ragdoll.toml", &[]);
    let mut run = Vec::new();
    let elbow = |simulation: &Simulation| {
        let pose = |index: usize| simulation.state().rigid[index].pose.orientation;
        // The hand arm and the upper arm follow the ten rods of the liana.
        let relative = pose(11).inverse() * pose(10);
        relative.scaled_axis().y
    };
    let mut farthest: f64 = 0.0;
    for _ in 0..200 {
        let report = advance(&mut simulation, 1);
        assert_eq!(report.substeps, 1, "step {}", report.step);
        run.push(report.kinetic_energy + report.elastic_energy + report.gravitational_energy);
        let gap = opening(&simulation, 0..10, Vector3::new(0.0, 0.0, 0.1));
        assert!(gap < 1e-3, "{gap} m");
        let angle = elbow(&simulation);
        assert!(
            (-2.41..0.11).contains(&angle),
            "step {}: {angle} rad",
            report.step
        );
        farthest = farthest.max(simulation.state().rigid[0].pose.center.x.abs());
    }
    assert!(gain(&run[2..]) < 0.0, "{} J", gain(&run[2..]));
    assert!(farthest > 0.3, "{farthest} m");
}

/// Tournier et al. 2015, Section 4.1: fifty links on hinges with limits fall in steps of 10 ms; no step gains energy,
/// no joint opens, and no hinge passes its limit. Without geometric stiffness the chain gains energy.
#[test]
fn tournier_a_chain_of_fifty_hinges_keeps_its_limits() {
    let mut simulation = shipped("tournier_hinge_chain.toml", &[]);
    let mut run = Vec::new();
    let mut largest: f64 = 0.0;
    for _ in 0..150 {
        run.extend(energies(&mut simulation, 1));
        let gap = opening(&simulation, 0..50, Vector3::new(0.1, 0.0, 0.0));
        assert!(gap < 2e-3, "{gap} m");
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
    // They reach the limit of 0.3 rad.
    assert!((0.29..0.31).contains(&largest), "{largest} rad");
    let without = ["solver.joint_stiffness=none"];
    let without = energies(&mut shipped("tournier_hinge_chain.toml", &without), 150);
    assert!(
        without.len() < 150 || gain(&without) > 0.0,
        "{} J",
        gain(&without)
    );
}
