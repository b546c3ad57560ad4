//! The surface of a scene over time, small enough for a page.

use std::fmt::Write as _;

use impinge_sim::{Model, State};
use nalgebra::Vector3;

/// Steps that positions are rounded to, along the longest side of the scene.
const GRAIN: f64 = 4095.0;

/// Surface triangles of the bodies, and where their vertices were.
pub(in crate::conformance) struct Film {
    /// Surface vertices by their place in a frame.
    vertices: Vec<u32>,
    /// Triangles, and the body of each.
    triangles: Vec<([usize; 3], usize)>,
    frames: Vec<Vec<Vector3<f64>>>,
    times: Vec<f64>,
}

impl Film {
    /// Of the bodies of `model`, and of its obstacles that have a surface.
    pub(in crate::conformance) fn new(model: &Model) -> Self {
        let vertices = model.surface.vertices().to_vec();
        let points = model.surface.point_count();
        let mut place = vec![usize::MAX; points];
        for (at, &vertex) in vertices.iter().enumerate() {
            place[vertex as usize] = at;
        }
        let triangles = model
            .surface
            .triangles()
            .iter()
            .map(|triangle| {
                let solid = model.solid_of_point(triangle[0]);
                (triangle.map(|point| place[point as usize]), solid)
            })
            .collect();
        Self {
            vertices,
            triangles,
            frames: Vec::new(),
            times: Vec::new(),
        }
    }

    /// Adds a frame.
    pub(in crate::conformance) fn push(&mut self, state: &State) {
        let frame = self.vertices.iter().map(|&v| state.positions[v as usize]);
        self.frames.push(frame.collect());
        self.times.push(state.time);
    }

    /// The film as a JSON object: `t` times, `f` triangles and bodies in fours, `p` positions of each frame in threes.
    pub(super) fn json(&self) -> String {
        let all = || self.frames.iter().flatten();
        let low = all().fold(Vector3::repeat(f64::INFINITY), |low, x| low.inf(x));
        let high = all().fold(Vector3::repeat(f64::NEG_INFINITY), |high, x| high.sup(x));
        let side = (high - low).max();
        let mut json = String::from("{\"t\":[");
        // Writing to a string cannot fail.
        for (i, time) in self.times.iter().enumerate() {
            let _ = write!(json, "{}{time:.4}", comma(i));
        }
        json += "],\"f\":[";
        for (i, ([a, b, c], solid)) in self.triangles.iter().enumerate() {
            let _ = write!(json, "{}{a},{b},{c},{solid}", comma(i));
        }
        json += "],\"p\":[";
        for (i, frame) in self.frames.iter().enumerate() {
            json += comma(i);
            json.push('[');
            for (j, x) in frame.iter().enumerate() {
                let x = (x - low) * (GRAIN / side);
                let _ = write!(json, "{}{:.0},{:.0},{:.0}", comma(j), x.x, x.y, x.z);
            }
            json.push(']');
        }
        let size = (high - low) * (GRAIN / side);
        let _ = write!(
            json,
            "],\"s\":[{:.0},{:.0},{:.0}]}}",
            size.x, size.y, size.z
        );
        json
    }
}

fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}
