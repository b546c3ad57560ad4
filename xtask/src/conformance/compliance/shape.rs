//! Whole scenes with either compliance: difference of the shapes of soft bodies.

use std::error::Error;
use std::ops::Range;

use impinge_sim::{Model, Simulation};
use nalgebra::{Matrix3, Vector3};

use super::super::table::Table;
use super::shipped;

/// Bounds of Table 1: relative difference of shapes without rigid motion, at the largest deformation and at the end, of
/// the level and of the vertical chain. Displacements from rest are shown too; at the end they measure the drift
/// between two swings.
const LEVEL: [f64; 2] = [0.015, 0.017];
const VERTICAL: [f64; 2] = [0.044, 0.031];

/// Bounds for the method without corrections.
const PUBLISHED_SHAPE: [f64; 2] = [0.05; 2];

/// Changes gravity in its tenth digit: the effect on a run is chance.
const NUDGE: &str = "world.gravity=[0, 0, -9.810000001]";

/// Changes gravity in its fourth digit: as large as an error in the response of a body.
const PUSH: &str = "world.gravity=[0, 0, -9.811]";

const EXACT: &str = "solver.method=exact-compliance";
const WARPED: &str = "solver.method=warped-compliance";

/// Share of a bound that chance may account for; beyond, the figure does not measure the compliance and has no bound.
const CHANCE: f64 = 0.1;

/// Damps the swing of a level chain, so that its deformation at the end does not depend on chance.
const DAMPED: [&str; 2] = ["body.1.material.mass_damping=20.0", "time.duration=8.0"];

pub(super) fn fill(table: &mut Table) -> Result<(), Box<dyn Error>> {
    chain(table, "chain3", LEVEL)?;
    chain_at_rest(table, "chain3", ", damped", &DAMPED)?;
    chain(table, "chain3_vertical", VERTICAL)
}

/// The points of every deformable body, and their means at rest and at one instant (m).
fn solids(
    model: &Model,
    positions: &[Vector3<f64>],
) -> impl Iterator<Item = (Range<usize>, [Vector3<f64>; 2])> {
    let bodies = model.geometry.bodies.iter();
    let deformable = bodies.filter(|body| !body.tets.is_empty());
    deformable.map(move |body| {
        let points = body.points.clone();
        let count = points.len() as f64;
        let mean = |x: &[Vector3<f64>]| x[points.clone()].iter().sum::<Vector3<f64>>() / count;
        let means = [mean(&model.points.rest), mean(positions)];
        (points, means)
    })
}

/// Displacements from rest without the rigid motion, of all deformable bodies at one instant.
fn shape(model: &Model, positions: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let mut shape = Vec::new();
    for (points, [rest, now]) in solids(model, positions) {
        let covariance: Matrix3<f64> = points
            .clone()
            .map(|p| (positions[p] - now) * (model.points.rest[p] - rest).transpose())
            .sum();
        let turn = impinge_fem::kinematics::rotation_svd(&covariance).rotation();
        shape.extend(
            points.map(|p| turn.tr_mul(&(positions[p] - now)) - (model.points.rest[p] - rest)),
        );
    }
    shape
}

/// Principal stretches less one of every deformable body: of the best linear fit to its points, largest first.
///
/// They measure the elongation and flattening of a ring, without their direction.
fn strains(model: &Model, positions: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let mut strains = Vec::new();
    for (points, [rest, now]) in solids(model, positions) {
        let [mut moved, mut spread] = [Matrix3::zeros(); 2];
        for p in points {
            let arm = model.points.rest[p] - rest;
            moved += (positions[p] - now) * arm.transpose();
            spread += arm * arm.transpose();
        }
        if let Some(inverse) = spread.try_inverse() {
            strains.push((moved * inverse).singular_values().add_scalar(-1.0));
        }
    }
    strains
}

fn norm(shape: &[Vector3<f64>]) -> f64 {
    shape.iter().map(Vector3::norm_squared).sum::<f64>().sqrt()
}

fn difference(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b).norm_squared());
    squares.sum::<f64>().sqrt()
}

/// Shapes, displacements from rest and strains of the deformable bodies at one instant.
type Shapes = [Vec<Vector3<f64>>; 3];

/// Indices of [`Shapes`].
const SHAPES: usize = 0;
const DISPLACEMENTS: usize = 1;
const STRAINS: usize = 2;

/// Relative difference of one kind at one step.
fn apart(exact: &[Shapes], other: &[Shapes], step: usize, kind: usize) -> f64 {
    difference(&exact[step][kind], &other[step][kind]) / norm(&exact[step][kind])
}

fn step_of_largest_deformation(run: &[Shapes]) -> usize {
    let deformation = |step: usize| norm(&run[step][SHAPES]);
    (0..run.len())
        .max_by(|&a, &b| deformation(a).total_cmp(&deformation(b)))
        .unwrap_or(0)
}

/// Shapes after every step of a whole run.
fn run(name: &str, overrides: &[&str]) -> Result<Vec<Shapes>, Box<dyn Error>> {
    let scene = shipped(name, overrides)?;
    let mut simulation = Simulation::new(&scene)?;
    let mut shapes = Vec::new();
    for _ in 0..scene.time.steps() {
        simulation.advance()?;
        let (model, state) = (simulation.model(), simulation.state());
        let moved = model
            .geometry
            .bodies
            .iter()
            .filter(|body| !body.tets.is_empty());
        let moved = moved
            .flat_map(|body| body.points.clone())
            .map(|p| state.positions[p] - model.points.rest[p])
            .collect();
        shapes.push([
            shape(model, &state.positions),
            moved,
            strains(model, &state.positions),
        ]);
    }
    Ok(shapes)
}

/// A kind of warping.
struct Way {
    name: &'static str,
    setting: &'static str,
    /// Its bounds at the largest deformation and at the end, if they are not those of Table 1.
    bounds: Option<[f64; 2]>,
    /// Whether a small change of gravity may cause an error of the same size.
    left_to_push: bool,
}

const WAYS: [Way; 2] = [
    Way {
        name: "",
        setting: "solver.corrections=5",
        bounds: None,
        left_to_push: false,
    },
    Way {
        name: ", as published",
        setting: "solver.corrections=0",
        bounds: Some(PUBLISHED_SHAPE),
        left_to_push: true,
    },
];

/// A chain with exact compliance: the reference.
struct Chain<'a> {
    name: &'a str,
    variant: &'a str,
    overrides: &'a [&'a str],
    exact: Vec<Shapes>,
    /// Step of the largest deformation, from 0.
    largest: usize,
}

impl<'a> Chain<'a> {
    fn new(
        name: &'a str,
        variant: &'a str,
        overrides: &'a [&'a str],
    ) -> Result<Self, Box<dyn Error>> {
        let exact = run(name, &[overrides, &[EXACT]].concat())?;
        Ok(Self {
            name,
            variant,
            overrides,
            largest: step_of_largest_deformation(&exact),
            exact,
        })
    }

    fn run(&self, more: &[&str]) -> Result<Vec<Shapes>, Box<dyn Error>> {
        run(self.name, &[self.overrides, more].concat())
    }

    fn end(&self) -> usize {
        self.exact.len() - 1
    }

    /// The two instants of Table 1: step and name.
    fn places(&self) -> [(usize, String); 2] {
        let largest = format!("largest deformation (step {})", self.largest + 1);
        let end = format!("end (step {})", self.exact.len());
        [(self.largest, largest), (self.end(), end)]
    }

    fn off(&self, other: &[Shapes], step: usize, kind: usize) -> f64 {
        apart(&self.exact, other, step, kind)
    }

    /// Every kind of warping, with and without momentum projection: its name and run.
    fn each_way(&self, mut judge: impl FnMut(&Way, &str, &[Shapes])) -> Result<(), Box<dyn Error>> {
        for way in &WAYS {
            for repair in [false, true] {
                let repaired = format!("solver.momentum_repair={repair}");
                let warped = self.run(&[WARPED, way.setting, &repaired])?;
                let how = if repair { ", momentum repaired" } else { "" };
                let case = format!("{}{}{}{how}", self.name, self.variant, way.name);
                judge(way, &case, &warped);
            }
        }
        Ok(())
    }
}

/// Table 1. The published warping has a bound only if a small change of gravity affects the exact motion less; else the
/// figure measures the scene, not the compliance.
fn chain(table: &mut Table, name: &str, bounds: [f64; 2]) -> Result<(), Box<dyn Error>> {
    let chain = Chain::new(name, "", &[])?;
    let nudged = chain.run(&[EXACT, NUDGE])?;
    let pushed = chain.run(&[EXACT, PUSH])?;
    for (what, other) in [("tenth", &nudged), ("fourth", &pushed)] {
        for (step, place) in chain.places() {
            table.figure(
                &format!("{name}: exact with the {what} digit of gravity changed, {place}"),
                format!("{:.1e}", chain.off(other, step, SHAPES)),
            );
        }
    }
    chain.each_way(|way, case, warped| {
        let reference = if way.left_to_push { &pushed } else { &nudged };
        let bounds = way.bounds.unwrap_or(bounds);
        for ((step, place), bound) in chain.places().into_iter().zip(bounds) {
            let off = chain.off(warped, step, SHAPES);
            let case = format!("{case}: shapes without rigid motion, {place}");
            if chain.off(reference, step, SHAPES) <= CHANCE * bound {
                table.at_most(&case, off, bound);
            } else {
                table.figure(&case, format!("{off:.2e}, left to chance"));
            }
        }
        let moved = chain.off(warped, chain.end(), DISPLACEMENTS);
        table.figure(
            &format!("{case}: displacements from rest, end"),
            format!("{moved:.2e}"),
        );
    })
}

/// A level chain that comes to rest: final deformation of its bodies.
///
/// Friction holds the links at other points of the ring after every small change of their paths. A comparison node by
/// node then compares two possible states of rest, not two compliances: it is a figure. The norm of the shape and the
/// strains of each ring, which these states share, have bounds.
fn chain_at_rest(
    table: &mut Table,
    name: &str,
    variant: &str,
    overrides: &[&str],
) -> Result<(), Box<dyn Error>> {
    let chain = Chain::new(name, variant, overrides)?;
    let pushed = chain.run(&[EXACT, PUSH])?;
    let end = chain.end();
    let deformation = norm(&chain.exact[end][SHAPES]);
    for (step, place) in chain.places() {
        table.figure(
            &format!("{name}{variant}: exact with the fourth digit of gravity changed, {place}"),
            format!("{:.1e}", chain.off(&pushed, step, SHAPES)),
        );
    }
    chain.each_way(|way, case, warped| {
        let [(step, place), _] = chain.places();
        table.at_most(
            &format!("{case}: shapes without rigid motion, {place}"),
            chain.off(warped, step, SHAPES),
            way.bounds.unwrap_or(LEVEL)[0],
        );
        table.at_most(
            &format!("{case}: norm of the shapes, end"),
            (norm(&warped[end][SHAPES]) / deformation - 1.0).abs(),
            LEVEL[1],
        );
        table.at_most(
            &format!("{case}: strains of the rings, end"),
            chain.off(warped, end, STRAINS),
            LEVEL[1],
        );
        table.figure(
            &format!("{case}: shapes node by node, end"),
            format!("{:.2e}", chain.off(warped, end, SHAPES)),
        );
    })
}
