//! Meshes beyond the keys of a scene, and loads for them.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use impinge_sim::Simulation;
use nalgebra::Vector3;

/// Elements of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cells {
    Tetrahedra,
    Hexahedra,
}

impl Cells {
    pub(super) const BOTH: [Self; 2] = [Self::Tetrahedra, Self::Hexahedra];

    /// Key of a scene for a box of these elements.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Tetrahedra => "cuboid",
            Self::Hexahedra => "hexahedra",
        }
    }
}

/// Six tetrahedra of a hexahedron about its diagonal 0 to 7; corner `4i + 2j + k` is at `(i, j, k)`.
const SPLIT: [[usize; 4]; 6] = [
    [0, 4, 6, 7],
    [0, 6, 2, 7],
    [0, 2, 3, 7],
    [0, 3, 1, 7],
    [0, 1, 5, 7],
    [0, 5, 4, 7],
];

/// Corners of a hexahedron in the order of Gmsh.
const AROUND: [usize; 8] = [0, 4, 6, 2, 1, 5, 7, 3];

/// A block with grid lines at `x`, `y` and `z` (m); `shift` moves its nodes.
pub(super) struct Grid<'a> {
    pub(super) lines: [&'a [f64]; 3],
    pub(super) shift: &'a dyn Fn(Vector3<f64>) -> Vector3<f64>,
    pub(super) cells: Cells,
}

impl Grid<'_> {
    /// Writes the block as a Gmsh 2.2 file.
    pub(super) fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let [nx, ny, nz] = self.lines.map(<[f64]>::len);
        let mut text = format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n",
            nx * ny * nz
        );
        let id = |i: usize, j: usize, k: usize| (i * ny + j) * nz + k + 1;
        for (i, &x) in self.lines[0].iter().enumerate() {
            for (j, &y) in self.lines[1].iter().enumerate() {
                for (k, &z) in self.lines[2].iter().enumerate() {
                    let at = (self.shift)(Vector3::new(x, y, z));
                    let _ = writeln!(text, "{} {} {} {}", id(i, j, k), at.x, at.y, at.z);
                }
            }
        }
        let mut elements = Vec::new();
        for i in 0..nx - 1 {
            for j in 0..ny - 1 {
                for k in 0..nz - 1 {
                    let corner = |c: usize| id(i + (c >> 2), j + (c >> 1 & 1), k + (c & 1));
                    match self.cells {
                        Cells::Hexahedra => elements.push((5, AROUND.map(corner).to_vec())),
                        Cells::Tetrahedra => {
                            elements.extend(SPLIT.map(|tet| (4, tet.map(corner).to_vec())));
                        }
                    }
                }
            }
        }
        let _ = write!(text, "$EndNodes\n$Elements\n{}\n", elements.len());
        for (number, (kind, nodes)) in elements.iter().enumerate() {
            let nodes: Vec<String> = nodes.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "{} {kind} 2 0 1 {}", number + 1, nodes.join(" "));
        }
        text.push_str("$EndElements\n");
        Ok(std::fs::write(path, text)?)
    }
}

/// Consistent forces of a uniform traction on a face of a box at the start, as the key `pulls` of its body.
///
/// The face lies at the value `height` of the coordinate `axis`; `total` is the whole force (N).
pub(super) fn traction(
    simulation: &Simulation,
    cells: Cells,
    (axis, height): (usize, f64),
    total: Vector3<f64>,
) -> String {
    let model = simulation.model();
    let near = 1e-9 + 1e-6 * height.abs();
    let on_face = |point: u32| (model.points.rest[point as usize][axis] - height).abs() < near;
    let mut shares = vec![0.0; model.points.rest.len()];
    for triangle in model
        .geometry
        .surface
        .triangles()
        .iter()
        .filter(|t| t.iter().all(|&p| on_face(p)))
    {
        let [a, b, c] = triangle.map(|point| model.points.rest[point as usize]);
        // A square's corners share its area equally; a corner with the right angle is in one of its two triangles
        // alone.
        let area = 0.5 * (b - a).cross(&(c - a)).norm();
        for (corner, &point) in triangle.iter().enumerate() {
            let [p, q, r] = [0, 1, 2].map(|k| [a, b, c][(corner + k) % 3]);
            let right_angle = (q - p).dot(&(r - p)).abs() < 1e-9 * area;
            shares[point as usize] += match cells {
                Cells::Tetrahedra => area / 3.0,
                Cells::Hexahedra if right_angle => area / 2.0,
                Cells::Hexahedra => area / 4.0,
            };
        }
    }
    let whole: f64 = shares.iter().sum();
    let mut text = String::new();
    for (point, share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let (x, force) = (model.points.rest[point], total * (share / whole));
        let _ = writeln!(text, "  {{ {}, force = {} }},", boxed(x, near), list(force));
    }
    text
}

/// The key `box` around one node.
pub(super) fn boxed(x: Vector3<f64>, near: f64) -> String {
    let reach = Vector3::repeat(near);
    format!(
        "box = {{ lower = {}, upper = {} }}",
        list(x - reach),
        list(x + reach)
    )
}

/// A vector in TOML.
pub(super) fn list(x: Vector3<f64>) -> String {
    format!("[{:?}, {:?}, {:?}]", x.x, x.y, x.z)
}
