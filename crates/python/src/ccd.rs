//! `impinge.ccd`.

use impinge_geometry::ccd::{CandidatePair, CcdRule, SurfaceArrays, step_size_under};
use pyo3::prelude::*;

use crate::{arrays, compute, errors};

/// The pair that limits a step, as its kind and two indices.
type Limit = (&'static str, u32, u32);

/// The largest fraction of a straight motion that is proven free of collision.
///
/// Every vertex is tested against every face, and every edge against every other; pairs that share a point are left
/// out.
///
/// Args:
///     vertices: points tested against faces, shape (v,); ``None`` for those of the faces.
///     faces: triangles as indices of points, shape (f, 3).
///     edges: edges as indices of points, shape (e, 2); ``None`` for those of the faces.
///     start: positions at the start (m), shape (n, 3).
///     end: positions at the end (m), shape (n, 3).
///     minimum_separation: distance that has to be kept (m).
///
/// Returns:
///     The fraction in [0, 1], and the pair that limits it: ``("vertex_face", point, face)``,
///     ``("edge_edge", edge, edge)``, or ``None`` if the whole motion is free of collision.
///
/// Raises:
///     ArgumentError: for arrays that describe no motion of a surface.
#[pyfunction]
#[pyo3(signature = (vertices, faces, edges, start, end, *, minimum_separation=0.0))]
#[expect(
    clippy::too_many_arguments,
    reason = "the arguments of the Python function"
)]
pub(crate) fn step_size(
    py: Python<'_>,
    vertices: Option<&Bound<'_, PyAny>>,
    faces: &Bound<'_, PyAny>,
    edges: Option<&Bound<'_, PyAny>>,
    start: &Bound<'_, PyAny>,
    end: &Bound<'_, PyAny>,
    minimum_separation: f64,
) -> PyResult<(f64, Option<Limit>)> {
    if !(minimum_separation >= 0.0 && minimum_separation.is_finite()) {
        return Err(errors::argument(format!(
            "minimum_separation is {minimum_separation}; give a finite length of at least 0 m"
        )));
    }
    let faces: Vec<[u32; 3]> = arrays::elements(faces, "faces")?;
    let vertices = match vertices {
        Some(vertices) => arrays::indices(vertices, "vertices")?,
        None => sorted(faces.as_flattened().to_vec()),
    };
    let edges = match edges {
        Some(edges) => arrays::elements(edges, "edges")?,
        None => sorted(faces.iter().flat_map(|&face| edges_of(face)).collect()),
    };
    let (start, end) = (
        arrays::vectors(start, "start")?,
        arrays::vectors(end, "end")?,
    );
    let step = compute::or_abandon(py, move || {
        let surface = SurfaceArrays {
            vertices: &vertices,
            edges: &edges,
            faces: &faces,
        };
        let rule = CcdRule {
            minimum_separation,
            ..CcdRule::default()
        };
        step_size_under(surface, &start, &end, &rule)
    })?;
    let step = step.map_err(|error| errors::argument(error.to_string()))?;
    let limit = step.limit.map(|limit| match limit.pair {
        CandidatePair::VertexFace { vertex, face } => ("vertex_face", vertex, face),
        CandidatePair::EdgeEdge { first, second } => ("edge_edge", first, second),
    });
    Ok((step.fraction, limit))
}

fn edges_of([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])
}

fn sorted<T: Ord>(mut entries: Vec<T>) -> Vec<T> {
    entries.sort_unstable();
    entries.dedup();
    entries
}
