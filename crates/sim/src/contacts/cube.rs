//! Test scene: a cube of one metre in one step of a millisecond.

/// More keys of the cube, and more parts of the scene, may follow.
pub(crate) const CUBE: &str = r#"
[time]
step = 1e-3
duration = 1e-3
[[body]]
name = "cube"
mesh = { cuboid = { size = [1, 1, 1], cells = [1, 1, 1] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
"#;
