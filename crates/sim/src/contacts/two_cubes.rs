//! Test scene: a cube of two by two cells a side, and a smaller cube of one cell above it.

use crate::{model::Model, scene::Scene};
use nalgebra::Vector3;

pub(crate) const SCENE: &str = r#"
[time]
step = 1e-3
duration = 1e-3
[[body]]
name = "lower"
mesh = { cuboid = { size = [1, 1, 1], cells = [2, 2, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
[[body]]
name = "upper"
position = [0, 0, 0.8]
mesh = { cuboid = { size = [0.5, 0.5, 0.5], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
"#;

/// The two cubes, the lower one centred at the origin.
pub(crate) struct TwoCubes {
    pub(crate) model: Model,
    /// Positions of all points (m).
    pub(crate) positions: Vec<Vector3<f64>>,
}

impl TwoCubes {
    /// The positions of the scene, with a gap of a twentieth of a metre.
    pub(crate) fn apart() -> Self {
        let scene = Scene::parse("two_cubes.toml", SCENE, &[""; 0]).expect("a scene");
        let (model, state) = Model::new(&scene).expect("a model");
        Self {
            model,
            positions: state.positions,
        }
    }

    /// The point at a place.
    pub(crate) fn point(&self, x: [f64; 3]) -> u32 {
        let is_there = |p: &Vector3<f64>| (p - Vector3::from(x)).norm() < 1e-9;
        self.positions.iter().position(is_there).expect("a point") as u32
    }

    /// The surface edge between two points.
    pub(crate) fn edge(&self, a: u32, b: u32) -> u32 {
        let mut edges = self.model.geometry.surface.edges().iter();
        let is_it = |ends: &[u32; 2]| ends.contains(&a) && ends.contains(&b);
        edges.position(is_it).expect("an edge") as u32
    }

    /// Moves the upper cube such that its `point` comes to a place.
    pub(crate) fn move_upper(&mut self, point: u32, to: [f64; 3]) {
        let shift = Vector3::from(to) - self.positions[point as usize];
        for moved in self.model.geometry.bodies[1].points.clone() {
            self.positions[moved] += shift;
        }
    }
}
