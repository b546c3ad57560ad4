//! The surfaces of a run over time.

use impinge_sim::Simulation;
use impinge_sim::measure::lines::joint_lines;
use impinge_sim::output::{Frame, HalfSpaceEntry};

use super::figure;
use super::limits::Limits;
use super::part::Part;
use super::shot::Shot;
use super::stage::{Names, Stage};
use super::surface::Most;
use super::table::Table;

/// Fewest frames of a film beside a simulation, without the last.
const FEWEST_FRAMES: u64 = 12;

/// Most frames of such a film, without the last: five seconds at twenty frames a second.
const MOST_FRAMES: u64 = 100;

/// Size of the frames (bytes) above which such a film has fewer of them: a page with ten films still opens.
const MOST_BYTES: u64 = 20 << 20;

/// Bytes of a vertex in a frame without contact force: position, stress, volume ratio.
const VERTEX_BYTES: u64 = 20;

/// When such a film is simplified: 120,000 triangles are some ten megabytes of frames.
const MOST_TRIANGLES: Most = Most {
    shown: 120_000,
    simplified: 60_000,
};

/// Surface triangles of the bodies, the paths of their vertices, and the values that colour them; links and ropes.
#[derive(Debug, Clone)]
pub struct Film {
    pub(crate) stage: Stage,
    pub(crate) shots: Vec<Shot>,
    pub(crate) limits: Limits,
    table: Option<Table>,
    /// Interval of the frames, in steps.
    every: u64,
}

impl Film {
    /// A film of the bodies, obstacles, links and ropes of `simulation` over a run of `steps`; half-spaces are shown as
    /// rectangles, and a surface of more than 120,000 triangles is simplified.
    pub fn new(simulation: &Simulation, steps: u64) -> Self {
        let model = simulation.model();
        let bodies = model
            .geometry
            .bodies
            .iter()
            .chain(&model.geometry.obstacles);
        let walls = model.geometry.half_spaces.iter();
        let names = Names {
            title: String::new(),
            bodies: bodies.map(|body| body.name.clone()).collect(),
            walls: walls.map(HalfSpaceEntry::from).collect(),
            gravity: model.settings.gravity,
        };
        let frame = Frame::capture(model, simulation.state());
        let lines = joint_lines(model, simulation.state());
        let stage = Stage::new(names, &frame, &lines, Some(MOST_TRIANGLES));
        let size = VERTEX_BYTES * stage.surface.points.len().max(1) as u64;
        let frames = (MOST_BYTES / size).clamp(FEWEST_FRAMES, MOST_FRAMES);
        Self {
            every: steps.div_ceil(frames).max(1),
            ..Self::of(stage, None)
        }
    }

    /// A film without frames.
    pub(super) fn of(stage: Stage, table: Option<Table>) -> Self {
        Self {
            stage,
            shots: Vec::new(),
            limits: Limits::default(),
            table,
            every: 1,
        }
    }

    /// Offers the state of `simulation` before a step; kept if its frame is due.
    pub fn watch(&mut self, simulation: &Simulation) {
        if simulation.state().step.is_multiple_of(self.every) {
            self.push(simulation);
        }
    }

    /// Adds the last state.
    pub fn end(&mut self, simulation: &Simulation) {
        // A run that stopped early ends with a state that may be a frame already.
        if self.shots.last().map(|shot| shot.step) != Some(simulation.state().step) {
            self.push(simulation);
        }
    }

    fn push(&mut self, simulation: &Simulation) {
        let state = simulation.state();
        let frame = Frame::capture(simulation.model(), state);
        let lines = joint_lines(simulation.model(), state);
        let stamp = (state.step, state.time);
        if let Some(shot) = self.stage.shot(&frame, &lines, stamp) {
            self.add(shot);
        }
    }

    pub(super) fn add(&mut self, shot: Shot) {
        self.limits.include(&shot);
        self.shots.push(shot);
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.shots.len()
    }

    /// The description of the film and its parts, which hold the numbers.
    pub fn parts(&self) -> (String, Vec<Part>) {
        let stamps: Vec<(u64, f64)> = self.shots.iter().map(|s| (s.step, s.time)).collect();
        let table = self.table.as_ref();
        let description = self.stage.description(&self.limits, &stamps, table);
        let mut parts = vec![Part::new("surface", self.stage.bytes())];
        parts.extend(table.map(|table| Part::new("table", table.bytes())));
        let frames = (0..).zip(&self.shots);
        parts.extend(
            frames.map(|(i, shot): (usize, _)| Part::new(&format!("frame{i}"), shot.bytes())),
        );
        (description.to_string(), parts)
    }

    /// The film with its controls, for a page with [`STYLE`](super::STYLE) and [`script()`](super::script()).
    pub fn figure(&self) -> String {
        let (description, parts) = self.parts();
        figure::embedded(&description, &parts)
    }
}
