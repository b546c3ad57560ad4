//! A film as binary glTF 2.0, <https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>.
//!
//! Each body is a node with its name. Rigid bodies have a translation and a rotation over time, deformed ones a morph
//! target per frame. Links and ropes are one node of lines. The root turns the vertical of the scene to that of glTF,
//! y.

use nalgebra::{Unit, UnitQuaternion, Vector3};
use serde_json::{Value, json};

use super::colours::{OF_LINES, OF_WALLS, linear, of_body};
use super::glb_buffer::Buffer;
use super::rigid_motion::{Pose, center, pose};
use super::solid::Solid;
use crate::viewer::Film;
use crate::viewer::patch::patch;

/// Marks of the file and of its two chunks.
const MAGIC: &[u8; 4] = b"glTF";
const JSON: &[u8; 4] = b"JSON";
const BINARY: &[u8; 4] = b"BIN\0";

/// Mode of a primitive whose indices are the ends of lines.
const LINES: u32 = 1;

/// The bytes of the file.
pub fn glb(film: &Film) -> Vec<u8> {
    let mut model = Model::new(film);
    for solid in Solid::all(film) {
        model.add_body(film, &solid);
    }
    model.add_lines(film);
    model.add_walls(film);
    model.finish(film)
}

/// A glTF model under construction.
#[derive(Default)]
struct Model {
    buffer: Buffer,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    /// Accessor of the times of the frames.
    times: usize,
    /// Accessor of the weights of morph targets, once a body needs them.
    weights: Option<usize>,
}

impl Model {
    fn new(film: &Film) -> Self {
        let mut model = Self::default();
        let times: Vec<f32> = film.shots.iter().map(|shot| shot.time as f32).collect();
        model.times = model.buffer.times(&times);
        model
    }

    fn add_body(&mut self, film: &Film, solid: &Solid) {
        let at = |shot: usize| solid.points(film, shot);
        let first = at(0);
        let middle = center(&first);
        let relative: Vec<Vector3<f64>> = first.iter().map(|point| point - middle).collect();
        let poses: Option<Vec<Pose>> = (0..film.shots.len())
            .map(|shot| pose(&relative, &at(shot)))
            .collect();
        let colour = of_body(solid.number);
        let node = self.add_mesh(&solid.name, &relative, &solid.corners, colour);
        self.nodes[node]["translation"] = json!(middle);
        if let Some(poses) = poses {
            self.add_poses(node, &poses);
            return;
        }
        self.add_targets(node, film.shots.len(), at);
    }

    /// A node with a mesh; returns the node.
    fn add_mesh(
        &mut self,
        name: &str,
        points: &[Vector3<f64>],
        corners: &[u32],
        colour: [f32; 3],
    ) -> usize {
        let positions = self.buffer.positions(&single(points));
        let indices = self.buffer.corners(corners);
        let [r, g, b] = colour.map(|channel| linear(channel / 255.0));
        self.materials.push(json!({
            "name": name,
            "doubleSided": true,
            "pbrMetallicRoughness": {
                "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7,
            },
        }));
        self.meshes.push(json!({
            "name": name,
            "primitives": [{
                "attributes": { "POSITION": positions },
                "indices": indices,
                "material": self.materials.len() - 1,
            }],
        }));
        self.nodes
            .push(json!({ "name": name, "mesh": self.meshes.len() - 1 }));
        self.nodes.len() - 1
    }

    fn add_poses(&mut self, node: usize, poses: &[Pose]) {
        if poses.iter().all(|pose| pose == &poses[0]) {
            return;
        }
        let centers: Vec<Vector3<f64>> = poses.iter().map(|pose| pose.center).collect();
        let mut turns: Vec<f32> = Vec::new();
        let mut last = UnitQuaternion::identity();
        for pose in poses {
            // Of the two quaternions of a rotation, the one nearer to the last: players interpolate between them.
            let near = pose.rotation.coords.dot(&last.coords) >= 0.0;
            last = if near {
                pose.rotation
            } else {
                UnitQuaternion::new_unchecked(-pose.rotation.into_inner())
            };
            turns.extend(last.coords.iter().map(|part| *part as f32));
        }
        let translations = self
            .buffer
            .floats(single(&centers).as_flattened(), 3, "VEC3");
        let rotations = self.buffer.floats(&turns, 4, "VEC4");
        self.animate(node, "translation", translations);
        self.animate(node, "rotation", rotations);
    }

    /// Morph targets: the difference of each later frame from the first, of so many `frames` with the points `at`.
    fn add_targets(&mut self, node: usize, frames: usize, at: impl Fn(usize) -> Vec<Vector3<f64>>) {
        let first = at(0);
        let mut target = |frame| {
            let now = at(frame);
            let pairs = now.iter().zip(&first);
            let difference: Vec<Vector3<f64>> = pairs.map(|(now, then)| now - then).collect();
            json!({ "POSITION": self.buffer.positions(&single(&difference)) })
        };
        let targets: Vec<Value> = (1..frames).map(&mut target).collect();
        let count = targets.len();
        let mesh = self.nodes[node]["mesh"].as_u64().unwrap_or_default() as usize;
        self.meshes[mesh]["primitives"][0]["targets"] = Value::Array(targets);
        let weights = self.weights.unwrap_or_else(|| {
            // In frame k, target k - 1 has the whole weight.
            let weights: Vec<f32> = (0..=count)
                .flat_map(|frame| {
                    (1..=count).map(move |target| f32::from(u8::from(frame == target)))
                })
                .collect();
            self.buffer.floats(&weights, 1, "SCALAR")
        });
        self.weights = Some(weights);
        self.animate(node, "weights", weights);
    }

    fn animate(&mut self, node: usize, path: &str, output: usize) {
        self.samplers
            .push(json!({ "input": self.times, "interpolation": "LINEAR", "output": output }));
        let sampler = self.samplers.len() - 1;
        self.channels
            .push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    /// One node of all links and ropes, a line between each two neighbouring points.
    fn add_lines(&mut self, film: &Film) {
        let at = |shot: usize| -> Vec<Vector3<f64>> {
            let points = film.shots[shot].lines.iter();
            points
                .map(|&point| Vector3::from(point).map(f64::from))
                .collect()
        };
        if film.shots.first().is_none_or(|shot| shot.lines.is_empty()) {
            return;
        }
        let mut corners = Vec::new();
        let mut begin = 0_u32;
        for &count in &film.stage.lines {
            let end = begin + count as u32;
            corners.extend((begin + 1..end).flat_map(|point| [point - 1, point]));
            begin = end;
        }
        let node = self.add_mesh("links and ropes", &at(0), &corners, OF_LINES);
        let mesh = self.meshes.len() - 1;
        self.meshes[mesh]["primitives"][0]["mode"] = json!(LINES);
        if film.shots.len() > 1 {
            self.add_targets(node, film.shots.len(), at);
        }
    }

    fn add_walls(&mut self, film: &Film) {
        let box_corners = film.limits.corners();
        for wall in &film.stage.names.walls {
            if let Some(corners) = patch(&wall.point, &wall.normal, box_corners.iter()) {
                let node = self.add_mesh(&wall.name, &corners, &[0, 1, 2, 0, 2, 3], OF_WALLS);
                // Seen from its outside only.
                let material = self.materials.len() - 1;
                self.materials[material]["doubleSided"] = json!(false);
                self.nodes[node]["extras"] = json!({ "half_space": true });
            }
        }
    }

    fn finish(mut self, film: &Film) -> Vec<u8> {
        let children: Vec<usize> = (0..self.nodes.len()).collect();
        let up = Unit::new_normalize(film.stage.up());
        let upright = UnitQuaternion::rotation_between_axis(&up, &Vector3::y_axis());
        let upright = upright.unwrap_or_else(|| {
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
        });
        let title = &film.stage.names.title;
        self.nodes
            .push(json!({ "name": title, "children": children, "rotation": upright.coords }));
        let mut model = json!({
            "asset": { "version": "2.0", "generator": concat!("impinge ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [children.len()] }],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "buffers": [{ "byteLength": self.buffer.bytes.len() }],
            "bufferViews": self.buffer.views,
            "accessors": self.buffer.accessors,
        });
        if !self.channels.is_empty() {
            model["animations"] =
                json!([{ "name": "run", "samplers": self.samplers, "channels": self.channels }]);
        }
        pack(model.to_string().into_bytes(), self.buffer.bytes)
    }
}

/// The file of a model and its numbers: chunks of whole multiples of four bytes.
fn pack(mut json: Vec<u8>, mut bytes: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let length = 12 + 8 + json.len() + 8 + bytes.len();
    let mut file = Vec::with_capacity(length);
    file.extend(MAGIC);
    file.extend(2_u32.to_le_bytes());
    file.extend((length as u32).to_le_bytes());
    for (kind, chunk) in [(JSON, json), (BINARY, bytes)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

fn single(points: &[Vector3<f64>]) -> Vec<[f32; 3]> {
    points
        .iter()
        .map(|point| point.map(|part| part as f32).into())
        .collect()
}
