//! The surface of a scene over time, small enough for a page.

mod patch;
mod simplify;

use std::fmt::Write as _;

use impinge_sim::geometry::HalfSpace;
use impinge_sim::{Simulation, State};
use nalgebra::Vector3;

use patch::patch;
use simplify::{Face, simplify};

/// Resolution of positions along the longest side of the scene.
const GRAIN: f64 = 4095.0;

/// Frames of a film, without the last.
const FRAMES: u64 = 12;

/// Most surface triangles without simplification: some ten megabytes of frames.
const SHOWN: usize = 120_000;

/// Most triangles of a simplified surface.
const SIMPLIFIED: usize = 60_000;

/// Surface triangles of the bodies, and the paths of their vertices.
#[derive(Debug, Clone)]
pub struct Film {
    /// Index of each surface vertex in a frame.
    vertices: Vec<u32>,
    /// Triangles, and the body of each.
    triangles: Vec<([usize; 3], usize)>,
    /// Triangles of the scene, if simplified.
    simplified: Option<usize>,
    half_spaces: Vec<HalfSpace>,
    frames: Vec<Vec<Vector3<f64>>>,
    times: Vec<f64>,
    /// Interval of the frames, in steps.
    every: u64,
    /// Step of the last frame.
    last: Option<u64>,
}

impl Film {
    /// A film of the bodies and obstacles of `simulation` over a run of `steps`; half-spaces are shown as squares, and
    /// a surface of more than 120,000 triangles is simplified.
    pub fn new(simulation: &Simulation, steps: u64) -> Self {
        let (model, state) = (simulation.model(), simulation.state());
        let mut faces: Vec<Face> = model
            .geometry
            .surface
            .triangles()
            .iter()
            .map(|&triangle| (triangle, model.geometry.solid_of_point(triangle[0])))
            .collect();
        let all = faces.len();
        if all > SHOWN {
            faces = simplify(&state.positions, &faces, SIMPLIFIED);
        }
        let mut vertices: Vec<u32> = faces.iter().flat_map(|(corners, _)| *corners).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let mut place = vec![usize::MAX; model.geometry.surface.point_count()];
        for (at, &vertex) in vertices.iter().enumerate() {
            place[vertex as usize] = at;
        }
        Self {
            vertices,
            triangles: faces
                .iter()
                .map(|(corners, body)| (corners.map(|point| place[point as usize]), *body))
                .collect(),
            simplified: (all > SHOWN).then_some(all),
            half_spaces: model.geometry.half_spaces.clone(),
            frames: Vec::new(),
            times: Vec::new(),
            every: steps.div_ceil(FRAMES).max(1),
            last: None,
        }
    }

    /// Offers the state before a step; kept if its frame is due.
    pub fn watch(&mut self, state: &State) {
        if state.step.is_multiple_of(self.every) {
            self.push(state);
        }
    }

    /// Adds the last state.
    pub fn end(&mut self, state: &State) {
        // A run that stopped early ends with a state that may be a frame already.
        if self.last != Some(state.step) {
            self.push(state);
        }
    }

    fn push(&mut self, state: &State) {
        let frame = self.vertices.iter().map(|&v| state.positions[v as usize]);
        self.frames.push(frame.collect());
        self.times.push(state.time);
        self.last = Some(state.step);
    }

    /// The film with its controls.
    pub(crate) fn figure(&self) -> String {
        let remark = self.simplified.map_or_else(String::new, |all| {
            format!(
                "<figcaption class=\"note\">Shown by {} of {all} triangles.</figcaption>",
                self.triangles.len()
            )
        });
        format!(
            "<figure class=\"film\"><canvas width=\"760\" height=\"430\"></canvas><br><button>play</button> <input \
             type=\"range\" min=\"0\" value=\"0\" aria-label=\"time\"> <output></output>{remark}<script \
             type=\"application/json\">{}</script></figure>\n",
            self.json()
        )
    }

    /// The film as a JSON object: `t` times, `f` triangles and bodies in fours, `p` positions of each frame in threes,
    /// `h` the corners of the square of each half-space, `s` the size of the scene.
    pub fn json(&self) -> String {
        let all = || self.frames.iter().flatten();
        let patches: Vec<[Vector3<f64>; 4]> = self
            .half_spaces
            .iter()
            .filter_map(|space| patch(&space.point, &space.normal, all()))
            .collect();
        let shown = || all().chain(patches.iter().flatten());
        let low = shown().fold(Vector3::repeat(f64::INFINITY), |low, x| low.inf(x));
        let high = shown().fold(Vector3::repeat(f64::NEG_INFINITY), |high, x| high.sup(x));
        let side = (high - low).max();
        let grains = |points: &[Vector3<f64>]| {
            let mut text = String::from("[");
            for (i, x) in points.iter().enumerate() {
                let x = (x - low) * (GRAIN / side);
                // Writing to a string cannot fail.
                let _ = write!(text, "{}{:.0},{:.0},{:.0}", comma(i), x.x, x.y, x.z);
            }
            text + "]"
        };
        let list = |parts: Vec<String>| format!("[{}]", parts.join(","));
        let triangles = self
            .triangles
            .iter()
            .map(|([a, b, c], body)| format!("{a},{b},{c},{body}"));
        let size = (high - low) * (GRAIN / side);
        format!(
            "{{\"t\":{},\"f\":{},\"p\":{},\"h\":{},\"s\":[{:.0},{:.0},{:.0}]}}",
            list(self.times.iter().map(|time| format!("{time:.4}")).collect()),
            list(triangles.collect()),
            list(self.frames.iter().map(|frame| grains(frame)).collect()),
            list(patches.iter().map(|corners| grains(corners)).collect()),
            size.x,
            size.y,
            size.z
        )
    }
}

fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}
