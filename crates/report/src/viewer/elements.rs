//! Values of elements at the vertices of the surface.

use impinge_sim::output::Frame;
use nalgebra::Vector3;

use super::surface::Surface;

/// The elements at each surface vertex, and their volumes in the first frame.
#[derive(Debug, Clone)]
pub(super) struct Elements {
    /// Elements of vertex `i` in `around[begins[i]..begins[i + 1]]`.
    begins: Vec<usize>,
    around: Vec<u32>,
    /// Volume of each element in the first frame (m³).
    volumes: Vec<f64>,
}

impl Elements {
    /// The elements of `frame`, the first of a run, at the vertices of its `surface`.
    pub(super) fn of(frame: &Frame, surface: &Surface) -> Self {
        let mut vertex = vec![None; frame.points.len()];
        for (place, &point) in surface.points.iter().enumerate() {
            vertex[point as usize] = Some(place);
        }
        let mut of_vertex = vec![Vec::new(); surface.points.len()];
        for (element, tet) in (0..).zip(&frame.tets) {
            for place in tet.iter().filter_map(|&point| vertex[point as usize]) {
                of_vertex[place].push(element);
            }
        }
        let ends = of_vertex.iter().scan(0, |end, elements| {
            *end += elements.len();
            Some(*end)
        });
        Self {
            begins: std::iter::once(0).chain(ends).collect(),
            around: of_vertex.concat(),
            volumes: frame
                .tets
                .iter()
                .map(|tet| volume(&frame.points, tet))
                .collect(),
        }
    }

    /// Number of elements.
    pub(super) fn count(&self) -> usize {
        self.volumes.len()
    }

    /// Volume of each element of `frame` over that in the first frame.
    pub(super) fn volume_ratios(&self, frame: &Frame) -> Vec<f64> {
        let tets = frame.tets.iter().zip(&self.volumes);
        tets.map(|(tet, first)| volume(&frame.points, tet) / first)
            .collect()
    }

    /// Mean of `values` over the elements at each vertex; `None` at a vertex of a body without elements.
    pub(super) fn at_vertices(&self, values: &[f64]) -> impl Iterator<Item = Option<f64>> {
        self.begins.windows(2).map(|ends| {
            let around = &self.around[ends[0]..ends[1]];
            let sum: f64 = around.iter().map(|&element| values[element as usize]).sum();
            (!around.is_empty()).then(|| sum / around.len() as f64)
        })
    }
}

/// Signed volume (m³).
fn volume(points: &[Vector3<f64>], tet: &[u32; 4]) -> f64 {
    let [a, b, c, d] = tet.map(|point| points[point as usize]);
    (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
}
