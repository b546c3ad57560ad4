//! Saupin et al. 2008, compliance warping.

use crate::figure::{figure, largest};
use crate::scenes::{advance, shipped};
use impinge_sim::Simulation;
use impinge_sim::geometry::Body;
use impinge_sim::measure::contacts::contact_records;
use nalgebra::Vector3;
use std::collections::BTreeSet;

/// The scene `name` after `steps` with each compliance of Saupin et al., the exact one first. Every step meets its
/// momentum tolerance, with a converged solve.
fn with_either_compliance(name: &str, steps: u32) -> [Simulation; 2] {
    ["exact-compliance", "warped-compliance"].map(|method| {
        let method = format!("solver.method={method}");
        let mut simulation = shipped(name, &[&method]);
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

/// Centres of mass of the soft bodies (m).
fn soft_centers(simulation: &Simulation) -> Vec<Vector3<f64>> {
    let (model, x) = (simulation.model(), &simulation.state().positions);
    let soft = |body: &&Body| !body.tets.is_empty();
    let center = |body: &Body| {
        let masses = &model.points.mass;
        let weighted = body.points.clone().map(|point| x[point] * masses[point]);
        let mass: f64 = masses[body.points.clone()].iter().sum();
        weighted.sum::<Vector3<f64>>() / mass
    };
    let bodies = model.geometry.bodies.iter();
    bodies.filter(soft).map(center).collect()
}

/// Saupin et al. 2008, Table 2: a chain of five links swings down. With warped and with exact compliance, the rigid
/// rings are at the same distances along the chain, to a percent, after two seconds.
#[test]
fn a_chain_of_five_links_is_as_long_with_either_compliance() {
    let both = with_either_compliance("chain5.toml", 200);
    let [exact, warped] = both.each_ref().map(|simulation| {
        // From the fixed ring, at the origin.
        let centers = [vec![Vector3::zeros()], rigid_centers(simulation)].concat();
        let links = centers.windows(2).map(|pair| (pair[1] - pair[0]).norm());
        links.collect::<Vec<f64>>()
    });
    assert_eq!(exact.len(), 2);
    let off = exact.iter().zip(&warped);
    let off = largest(off.map(|(exact, warped)| (warped / exact - 1.0).abs()));
    let what = "largest relative difference of the distances of rigid rings";
    figure(what, "", off).below(0.01);
}

/// Saupin et al. 2008, Fig. 3: soft rings touch soft ones, soft ones rigid ones, and rigid rings each other. With
/// warped and with exact compliance the links hang at the same places, to a percent of the chain.
#[test]
fn soft_and_rigid_links_hang_alike_with_either_compliance() {
    let both = with_either_compliance("mixed_links.toml", 300);
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
    for (kind, [exact, warped]) in [
        ("rigid", both.each_ref().map(rigid_centers)),
        ("soft", both.each_ref().map(soft_centers)),
    ] {
        let off = exact.iter().zip(&warped);
        let off = largest(off.map(|(exact, warped)| (warped - exact).norm()));
        let what = format!("largest difference of the places of {kind} rings");
        // A percent of the chain.
        figure(what, "m", off).below(0.12);
    }
}

/// Saupin et al. 2008, abstract, "any deformation model": hexahedra, a meshless and a plastic block and a sheet of
/// quadrilaterals are at the same places with either compliance after 0.36 s, and so is a bar on a hinge that pulls at
/// a rope.
#[test]
fn bodies_of_many_models_move_alike_with_either_compliance() {
    let both = with_either_compliance("deformation_models.toml", 90);
    let [exact, warped] = both
        .each_ref()
        .map(|simulation| &simulation.state().positions);
    let apart = largest(exact.iter().zip(warped).map(|(a, b)| (a - b).norm()));
    figure("largest difference of a place at 0.36 s", "m", apart).below(1e-4);
    for simulation in &both {
        crate::support::assert_apart(simulation.model(), simulation.state());
    }
    let [exact, warped] = both
        .each_ref()
        .map(|simulation| &simulation.state().joint_forces);
    let rope = exact.last().copied().unwrap_or(f64::NAN);
    figure("force of the rope at 0.36 s", "N", rope).above(1.0);
    let other = warped.last().copied().unwrap_or(f64::NAN);
    let what = "relative difference of the force of the rope";
    figure(what, "", (other / rope - 1.0).abs()).below(0.01);
}
