//! The binary part of a glTF file and its accessors.

use serde_json::{Value, json};

/// Codes of glTF: 32-bit floats, 32-bit unsigned integers.
const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;

/// Numbers of a model, each list with its accessor.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

impl Buffer {
    /// Positions or differences of positions, with their bounds. Returns the accessor.
    pub(super) fn positions(&mut self, values: &[[f32; 3]]) -> usize {
        let bound = |axis: usize, choose: fn(f32, f32) -> f32, from: f32| {
            values.iter().map(|value| value[axis]).fold(from, choose)
        };
        let low = [0, 1, 2].map(|axis| bound(axis, f32::min, f32::INFINITY));
        let high = [0, 1, 2].map(|axis| bound(axis, f32::max, f32::NEG_INFINITY));
        let index = self.floats(values.as_flattened(), 3, "VEC3");
        self.accessors[index]["min"] = json!(low);
        self.accessors[index]["max"] = json!(high);
        index
    }

    /// Ascending times (s).
    pub(super) fn times(&mut self, values: &[f32]) -> usize {
        let index = self.floats(values, 1, "SCALAR");
        self.accessors[index]["min"] = json!([values.first()]);
        self.accessors[index]["max"] = json!([values.last()]);
        index
    }

    /// Numbers in groups of `components`, of the glTF type `kind`.
    pub(super) fn floats(&mut self, values: &[f32], components: usize, kind: &str) -> usize {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.add(bytes, values.len() / components, FLOAT, kind)
    }

    /// Corners of triangles.
    pub(super) fn corners(&mut self, values: &[u32]) -> usize {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.add(bytes, values.len(), UNSIGNED, "SCALAR")
    }

    fn add(
        &mut self,
        bytes: impl Iterator<Item = u8>,
        count: usize,
        component: u32,
        kind: &str,
    ) -> usize {
        let begin = self.bytes.len();
        self.bytes.extend(bytes);
        let length = self.bytes.len() - begin;
        self.views
            .push(json!({ "buffer": 0, "byteOffset": begin, "byteLength": length }));
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1,
            "componentType": component,
            "count": count,
            "type": kind,
        }));
        self.accessors.len() - 1
    }
}
