//! One instant of a film: the values at the vertices of the surface, as single-precision numbers.

use impinge_sim::measure::lines::JointLine;
use impinge_sim::output::Frame;
use nalgebra::Vector3;

use super::elements::Elements;
use super::surface::Surface;

/// Value at the vertices of bodies without elements. No stress or volume ratio is that low.
pub(crate) const NO_ELEMENTS: f32 = -1e30;

/// The values at the vertices of a surface at one time.
#[derive(Debug, Clone)]
pub(crate) struct Shot {
    /// Number of the step that ends with it.
    pub(crate) step: u64,
    /// Simulated time (s).
    pub(crate) time: f64,
    /// Positions (m).
    pub(crate) positions: Vec<[f32; 3]>,
    /// Von Mises stress (Pa); empty without elements.
    pub(crate) stress: Vec<f32>,
    /// Volume over the volume in the first frame; empty without elements.
    pub(crate) ratio: Vec<f32>,
    /// Vertices with a contact force, and the force (N).
    pub(crate) forces: Vec<(u32, [f32; 3])>,
    /// Points of the links and ropes (m), line by line.
    pub(crate) lines: Vec<[f32; 3]>,
}

impl Shot {
    /// The values of `frame` and its `lines`, at the end of `step` at `time` (s).
    pub(super) fn of(
        frame: &Frame,
        lines: &[JointLine],
        (surface, elements): (&Surface, &Elements),
        (step, time): (u64, f64),
    ) -> Self {
        let single = |x: Vector3<f64>| [x.x as f32, x.y as f32, x.z as f32];
        let means = |values: &[f64]| -> Vec<f32> {
            if elements.count() == 0 {
                return Vec::new();
            }
            let means = elements.at_vertices(values);
            means
                .map(|mean| mean.map_or(NO_ELEMENTS, |mean| mean as f32))
                .collect()
        };
        let points = || surface.points.iter().map(|&point| point as usize);
        Self {
            step,
            time,
            positions: points().map(|point| single(frame.points[point])).collect(),
            stress: means(&frame.von_mises),
            ratio: means(&elements.volume_ratios(frame)),
            forces: (0..)
                .zip(points().map(|point| frame.contact_forces[point]))
                .filter(|(_, force)| *force != Vector3::zeros())
                .map(|(vertex, force)| (vertex, single(force)))
                .collect(),
            lines: (lines.iter().flat_map(|line| &line.points))
                .map(|&point| single(point))
                .collect(),
        }
    }

    /// Little-endian numbers of four bytes: the number of forces, the positions, the stresses, the volume ratios, the
    /// vertices of the forces, the forces, the points of the links and ropes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let count = self.forces.len();
        let places = self.positions.len() + self.lines.len();
        let single = 3 * places + self.stress.len() + self.ratio.len();
        let mut bytes = Vec::with_capacity(4 * (1 + single + 4 * count));
        bytes.extend((count as u32).to_le_bytes());
        let mut put = |values: &[f32]| {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        };
        put(self.positions.as_flattened());
        put(&self.stress);
        put(&self.ratio);
        for (vertex, _) in &self.forces {
            bytes.extend(vertex.to_le_bytes());
        }
        let forces = self.forces.iter().map(|(_, force)| force);
        for vector in forces.chain(&self.lines) {
            bytes.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes
    }
}
