//! A broad phase: all pairs, in the order in which nobody would sort them.

use crate::support::{THROW, bits, broken, run, simulation, touches_plate};
use impinge_geometry::broad_phase::{Aabb, BroadPhase, CandidateSet};
use impinge_geometry::surface::CollisionSurface;
use impinge_sim::extension::{ExtensionKind, Extensions};

/// Every pair of the surface, whether its boxes overlap or not, backwards and twice.
struct AllPairs;

impl BroadPhase for AllPairs {
    fn collect(&mut self, surface: &CollisionSurface, _: &[Aabb], out: &mut CandidateSet) {
        out.clear();
        let (faces, edges) = (
            surface.triangles().len() as u32,
            surface.edges().len() as u32,
        );
        for &vertex in surface.vertices().iter().rev() {
            let pairs = (0..faces).rev().flat_map(|face| [[vertex, face]; 2]);
            out.vertex_face.extend(pairs);
        }
        for first in (0..edges).rev() {
            (out.edge_edge).extend((0..first).map(|second| [first, second]));
        }
    }
}

#[test]
fn another_order_and_more_pairs_give_the_same_bits() {
    let own = run(THROW, Extensions::new(), 30);
    assert!(touches_plate(&own));
    let extended = run(
        THROW,
        Extensions::new().broad_phase("all pairs", AllPairs),
        30,
    );
    assert_eq!(bits(&own), bits(&extended));
    assert_eq!(own.contacts, extended.contacts);
}

/// A broad phase that knows no pair lets the cube fall through the plate.
#[test]
fn pairs_come_from_the_extension_alone() {
    let state = run(THROW, Extensions::new().broad_phase("none", Nothing), 40);
    assert!(!touches_plate(&state), "{:?}", state.contacts);
}

struct Nothing;

impl BroadPhase for Nothing {
    fn collect(&mut self, _: &CollisionSurface, _: &[Aabb], out: &mut CandidateSet) {
        out.clear();
    }
}

struct Unknown;

impl BroadPhase for Unknown {
    fn collect(&mut self, surface: &CollisionSurface, _: &[Aabb], out: &mut CandidateSet) {
        out.clear();
        (out.vertex_face).push([surface.vertices()[0], surface.triangles().len() as u32]);
    }
}

#[test]
fn a_pair_that_does_not_exist_ends_the_step_by_the_name_of_the_broad_phase() {
    let mut simulation = simulation(THROW, Extensions::new().broad_phase("unknown", Unknown));
    let error = simulation.advance().expect_err("a broken contract");
    let extension = broken(&error, ExtensionKind::BroadPhase, "unknown");
    assert!(extension.problem.contains("pair"), "{extension}");
}
