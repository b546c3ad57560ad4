//! From the text of a scene to values.

use std::error::Error;

use impinge_sim::measure::rigid::{RigidMeasure, rigid_measures};
use impinge_sim::{Scene, Simulation, StepReport};
use nalgebra::Vector3;

/// A simulation and the reports of its steps.
pub(super) struct Run {
    pub(super) simulation: Simulation,
    pub(super) reports: Vec<StepReport>,
    steps: u64,
}

impl Run {
    /// Prepares the scene `text` with `overrides` of the form `KEY=VALUE`.
    pub(super) fn new(text: &str, overrides: &[&str]) -> Result<Self, Box<dyn Error>> {
        let scene = Scene::parse("scene.toml", text, overrides)?;
        Ok(Self {
            simulation: Simulation::new(&scene)?,
            reports: Vec::new(),
            steps: scene.time.steps(),
        })
    }

    /// Runs the whole duration of a scene.
    pub(super) fn whole(text: &str, overrides: &[&str]) -> Result<Self, Box<dyn Error>> {
        let mut run = Self::new(text, overrides)?;
        run.advance(run.steps)?;
        Ok(run)
    }

    /// Takes steps.
    ///
    /// # Errors
    /// Also if a solve misses its tolerance: its values are not used.
    pub(super) fn advance(&mut self, steps: u64) -> Result<(), Box<dyn Error>> {
        for _ in 0..steps {
            let report = self.simulation.advance()?;
            if report.inexact_solves > 0 {
                let step = report.step;
                return Err(format!("step {step} did not meet its tolerance").into());
            }
            self.reports.push(report);
        }
        Ok(())
    }

    /// The report of the last step.
    pub(super) fn last(&self) -> &StepReport {
        self.reports.last().expect("a run has steps")
    }

    /// Kinetic, elastic and gravitational energy after each step (J).
    pub(super) fn energies(&self) -> impl Iterator<Item = f64> {
        let reports = self.reports.iter();
        reports.map(|report| {
            report.kinetic_energy + report.elastic_energy + report.gravitational_energy
        })
    }

    /// Largest rise of energy above that of the first step, over its kinetic and elastic part then (1).
    pub(super) fn rise(&self) -> f64 {
        let first = self.energies().next().unwrap_or(f64::NAN);
        let scale = self.reports[0].kinetic_energy + self.reports[0].elastic_energy;
        self.energies().fold(f64::NEG_INFINITY, f64::max).max(first) / scale - first / scale
    }

    /// Points whose initial position fulfils a condition.
    pub(super) fn points(&self, condition: impl Fn(&Vector3<f64>) -> bool) -> Vec<usize> {
        let rest = &self.simulation.model().points.rest;
        (0..rest.len())
            .filter(|&point| condition(&rest[point]))
            .collect()
    }

    /// Position of a point (m).
    pub(super) fn at(&self, point: usize) -> Vector3<f64> {
        self.simulation.state().positions[point]
    }

    /// Displacement of a point from its initial position (m).
    pub(super) fn moved(&self, point: usize) -> Vector3<f64> {
        self.at(point) - self.simulation.model().points.rest[point]
    }

    /// Mean displacement of points (m).
    pub(super) fn mean_moved(&self, condition: impl Fn(&Vector3<f64>) -> bool) -> Vector3<f64> {
        let points = self.points(condition);
        points
            .iter()
            .map(|&point| self.moved(point))
            .sum::<Vector3<f64>>()
            / points.len() as f64
    }

    /// Rigid body `index`; prescribed ones count.
    pub(super) fn rigid(&self, index: usize) -> RigidMeasure {
        rigid_measures(self.simulation.model(), self.simulation.state())[index]
    }

    /// Mass-weighted mean position and velocity of body `index` if it is elastic or thin (m, m/s).
    pub(super) fn center(&self, index: usize) -> [Vector3<f64>; 2] {
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let points = model.geometry.bodies[index].points.clone();
        let mass: f64 = model.points.mass[points.clone()].iter().sum();
        [&state.positions, &state.velocities].map(|of| {
            points
                .clone()
                .map(|point| of[point] * model.points.mass[point])
                .sum::<Vector3<f64>>()
                / mass
        })
    }

    /// Largest distance between the same nodes of two runs (m), with the other run's positions under `map`.
    pub(super) fn farthest_from(
        &self,
        other: &Self,
        map: impl Fn(Vector3<f64>) -> Vector3<f64>,
    ) -> f64 {
        let (mine, its) = (self.by_node(), other.by_node());
        let pairs = mine.iter().zip(&its);
        pairs
            .map(|(mine, its)| (mine - map(*its)).norm())
            .fold(0.0, f64::max)
    }

    /// Positions by body and node of its mesh (m). Stored points follow a space-filling curve, which depends on the
    /// frame.
    fn by_node(&self) -> Vec<Vector3<f64>> {
        let bodies = self.simulation.model().geometry.bodies.iter().enumerate();
        let mut nodes: Vec<(usize, u32, usize)> = bodies
            .flat_map(|(index, body)| {
                let nodes = body.original_nodes.iter().zip(body.points.clone());
                nodes.map(move |(&node, point)| (index, node, point))
            })
            .collect();
        nodes.sort_unstable();
        nodes.iter().map(|&(_, _, point)| self.at(point)).collect()
    }
}

/// The number between `low` and `high` at which a predicate changes from true to false: the middle of the last of
/// `halvings` + 1 brackets. `None` unless it is true at `low` and false at `high`.
pub(super) fn threshold(
    [mut low, mut high]: [f64; 2],
    halvings: u32,
    mut holds: impl FnMut(f64) -> Result<bool, Box<dyn Error>>,
) -> Result<Option<f64>, Box<dyn Error>> {
    if !holds(low)? || holds(high)? {
        return Ok(None);
    }
    for _ in 0..halvings {
        let middle = 0.5 * (low + high);
        if holds(middle)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(Some(0.5 * (low + high)))
}

/// Order of convergence from the errors at a step and at half of it.
pub(super) fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).abs().log2()
}
