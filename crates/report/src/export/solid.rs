//! The bodies of a film, each with its own vertices and triangles.

use nalgebra::Vector3;

use crate::viewer::Film;

/// The surface of a body.
pub(super) struct Solid {
    /// Number of the body in the film.
    pub(super) number: u32,
    pub(super) name: String,
    /// Its vertices among all of the film.
    vertices: Vec<usize>,
    /// Three of its own vertices for each triangle.
    pub(super) corners: Vec<u32>,
}

impl Solid {
    /// The bodies that have triangles.
    pub(super) fn all(film: &Film) -> impl Iterator<Item = Self> {
        let count = film
            .stage
            .surface
            .bodies
            .iter()
            .max()
            .map_or(0, |most| most + 1);
        (0..count)
            .map(|number| Self::new(film, number))
            .filter(|solid| !solid.corners.is_empty())
    }

    fn new(film: &Film, number: u32) -> Self {
        let surface = &film.stage.surface;
        let vertices: Vec<usize> = (0..surface.bodies.len())
            .filter(|&v| surface.bodies[v] == number)
            .collect();
        let mut place = vec![0; surface.bodies.len()];
        for (at, &vertex) in (0_u32..).zip(&vertices) {
            place[vertex] = at;
        }
        let corners = (surface.triangles.iter())
            .filter(|triangle| surface.bodies[triangle[0] as usize] == number)
            .flat_map(|triangle| triangle.map(|vertex| place[vertex as usize]))
            .collect();
        let name = film.stage.names.bodies.get(number as usize).cloned();
        Self {
            number,
            name: name.unwrap_or_else(|| format!("body {number}")),
            vertices,
            corners,
        }
    }

    /// Positions of its vertices in a frame (m).
    pub(super) fn points(&self, film: &Film, shot: usize) -> Vec<Vector3<f64>> {
        let positions = &film.shots[shot].positions;
        (self.vertices.iter())
            .map(|&v| Vector3::from(positions[v]).map(f64::from))
            .collect()
    }
}
