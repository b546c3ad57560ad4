//! Fig. 6, right: four bodies of different materials collide.

use crate::figure::{figure, least, skipped, smaller};
use crate::scenes::{advance, shipped};
use impinge_sim::Simulation;
use impinge_sim::measure::contacts::contact_records;
use std::collections::BTreeSet;

/// Tournier et al. 2015, Fig. 6, with steps of 4 ms: a rigid creature, a plastic one of tetrahedra, a neo-Hookean one
/// of hexahedra and a meshless one fall on each other. Each touches another one, and the plastic one flows.
#[test]
fn four_creatures_of_different_materials_collide() {
    let (pairs, flow) = collide("tournier_creatures.toml", &["time.step=4e-3"], 80);
    let met = (0..4).filter(|body| {
        let others = pairs.iter().filter(|pair| pair.contains(body));
        others.flatten().any(|other| other != body && *other < 4)
    });
    figure("creatures that touch another one", "", met.count() as f64).exactly(4.0);
    figure("work of plastic flow", "J", flow).below(-1.0);
}

/// The same with armadillos, as in the paper, for 0.1 s: the plastic one runs into the rigid one, and flows.
#[test]
fn four_armadillos_of_different_materials_collide() {
    if std::env::var_os("IMPINGE_DATA").is_none() {
        skipped("IMPINGE_DATA names no folder of the armadillo");
        return;
    }
    let (pairs, flow) = collide("tournier_armadillos.toml", &[], 25);
    // Rigid bodies come last.
    assert!(pairs.contains(&[0, 3]), "{pairs:?}");
    figure("work of plastic flow", "J", flow).below(-0.1);
}

/// Runs a scene of four bodies of different materials. No step is divided or gains energy, every solve converges, and
/// no element of the plastic body or of the hexahedra folds. Returns the pairs of bodies that touch, and the work of
/// plastic flow (J).
fn collide(file: &str, overrides: &[&str], steps: u32) -> (BTreeSet<[usize; 2]>, f64) {
    let mut simulation = shipped(file, overrides);
    let mut pairs = BTreeSet::new();
    let mut flow = 0.0;
    let mut volume = f64::INFINITY;
    for _ in 0..steps {
        let report = advance(&mut simulation, 1);
        let place = format!("step {}", report.step);
        let found = (report.substeps, report.inexact_solves, report.energy_gains);
        assert_eq!(found, (1, 0, 0), "{place}");
        flow += report.balance.expect("kept by default").total().plastic;
        let records = contact_records(simulation.model(), simulation.state());
        pairs.extend(records.iter().map(|contact| contact.solids));
        for name in ["plastic", "neo-Hookean"] {
            volume = smaller(volume, least_volume(&simulation, name));
        }
    }
    let what = "smallest volume of a tetrahedron of the plastic and the neo-Hookean body";
    figure(what, "m³", volume).above(0.0);
    (pairs, flow)
}

/// Smallest volume of the tetrahedra of a body (m³).
fn least_volume(simulation: &Simulation, name: &str) -> f64 {
    let (model, x) = (simulation.model(), &simulation.state().positions);
    let body = model.geometry.bodies.iter().find(|body| body.name == name);
    let tets = &model.elements.tets[body.expect("the body").tets.clone()];
    least(tets.iter().map(|tet| {
        let [a, b, c, d] = tet.map(|point| x[point as usize]);
        (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
    }))
}
