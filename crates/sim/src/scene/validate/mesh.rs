//! Meshes of bodies and shapes of obstacles.

use super::Check;
use crate::scene::format::{BodyMesh, MeshFile, ObstacleShape};

impl Check<'_> {
    pub(super) fn mesh_file(&self, path: &str, file: &MeshFile) {
        self.positive(&format!("{path}.scale"), "the scale", file.scale);
    }

    pub(super) fn lengths(&self, path: &str, what: &str, values: &[f64]) {
        for &value in values {
            self.positive(path, what, value);
        }
    }

    pub(super) fn cells(&self, path: &str, values: &[u32], least: u32) {
        for &value in values {
            self.at_least(path, "this count", value, least);
            // A typing error must not exhaust the memory: 500³ cells are already 750 million elements.
            if value > 500 {
                return self.fail(
                    path,
                    format!("{value} divisions are more than the 500 allowed"),
                    "use a coarser mesh, or a mesh file",
                );
            }
        }
    }

    pub(super) fn body_mesh(&self, path: &str, mesh: &BodyMesh) {
        match mesh {
            BodyMesh::Ring {
                major_radius,
                section,
                segments,
            } => self.ring(&format!("{path}.ring"), *major_radius, *section, *segments),
            BodyMesh::Torus {
                major_radius,
                minor_radius,
                layers,
                rings,
            } => {
                let path = format!("{path}.torus");
                self.torus(&path, *major_radius, *minor_radius);
                self.prisms(&path, *rings, *layers, 3);
            }
            BodyMesh::Cuboid { size, cells } => {
                self.lengths(&format!("{path}.cuboid.size"), "a side length (m)", size);
                self.cells(&format!("{path}.cuboid.cells"), cells, 1);
            }
            BodyMesh::Hexahedra { size, cells } => {
                self.lengths(&format!("{path}.hexahedra.size"), "a side length (m)", size);
                self.cells(&format!("{path}.hexahedra.cells"), cells, 1);
            }
            BodyMesh::Sphere {
                radius,
                subdivisions,
            } => self.sphere(path, *radius, *subdivisions),
            BodyMesh::Cylinder {
                radius,
                height,
                rings,
                layers,
            } => {
                self.cylinder(path, *radius, *height);
                self.prisms(&format!("{path}.cylinder"), *rings, *layers, 1);
            }
            BodyMesh::Sheet {
                size,
                thickness,
                cells,
            } => {
                self.lengths(&format!("{path}.sheet.size"), "a side length (m)", size);
                self.positive(
                    &format!("{path}.sheet.thickness"),
                    "the thickness (m)",
                    *thickness,
                );
                self.cells(&format!("{path}.sheet.cells"), cells, 1);
            }
            BodyMesh::Grid { size, cells } => self.grid(&format!("{path}.grid"), size, cells),
            BodyMesh::Quadrilaterals { size, cells } => {
                self.grid(&format!("{path}.quadrilaterals"), size, cells);
            }
            BodyMesh::Strip {
                points,
                across,
                width,
                spacing,
            } => {
                let path = format!("{path}.strip");
                self.strip_line(&path, points, across);
                self.positive(&format!("{path}.width"), "the width (m)", *width);
                self.positive(&format!("{path}.spacing"), "the spacing (m)", *spacing);
            }
            BodyMesh::Voussoir {
                inner_radius,
                outer_radius,
                degrees,
                depth,
            } => {
                let radii = [*inner_radius, *outer_radius];
                self.voussoir(&format!("{path}.voussoir"), radii, *depth, *degrees);
            }
            BodyMesh::File(file) => self.mesh_file(&format!("{path}.file"), file),
            BodyMesh::Filled(filled) => {
                self.mesh_file(&format!("{path}.filled"), &filled.file());
                self.positive(&format!("{path}.filled.size"), "the size (m)", filled.size);
            }
        }
    }

    /// Checks a flat sheet.
    fn grid(&self, path: &str, size: &[f64], cells: &[u32]) {
        self.lengths(&format!("{path}.size"), "a side length (m)", size);
        self.cells(&format!("{path}.cells"), cells, 1);
    }

    pub(super) fn ring(&self, path: &str, major_radius: f64, section: f64, segments: u32) {
        self.positive(&format!("{path}.section"), "the section (m)", section);
        let radius = format!("{path}.major_radius");
        self.positive(&radius, "the major radius (m)", major_radius);
        if major_radius <= 0.5 * section {
            return self.fail(
                &radius,
                format!("the major radius {major_radius} m leaves no hole in a ring of section {section} m"),
                "make it greater than half of the section",
            );
        }
        let path = format!("{path}.segments");
        self.at_least(&path, "`segments`", segments, 3);
        self.cells(&path, &[segments], 3);
    }

    /// Checks a block of an arch: inner and outer radius, and depth (m), and its angle.
    fn voussoir(&self, path: &str, radii: [f64; 2], depth: f64, degrees: f64) {
        let [inner_radius, outer_radius] = radii;
        for (key, length) in [
            ("inner_radius", inner_radius),
            ("outer_radius", outer_radius),
            ("depth", depth),
        ] {
            self.positive(&format!("{path}.{key}"), &format!("`{key}` (m)"), length);
        }
        if outer_radius <= inner_radius {
            return self.fail(
                &format!("{path}.outer_radius"),
                format!(
                    "the outer radius {outer_radius} m is not above the inner one, {inner_radius} m"
                ),
                "exchange the two or correct one of them",
            );
        }
        if !(degrees > 0.0 && degrees < 180.0) {
            self.fail(
                &format!("{path}.degrees"),
                format!(
                    "the angle of the block is {degrees} degrees, but must be above 0 and below 180"
                ),
                "write for example 12, which makes an arch of fifteen blocks",
            );
        }
    }

    /// Checks the line of a strip, and the direction across it.
    fn strip_line(&self, path: &str, points: &[[f64; 3]], across: &[f64; 3]) {
        let count = u32::try_from(points.len()).unwrap_or(u32::MAX);
        self.at_least(&format!("{path}.points"), "the number of points", count, 2);
        for (index, point) in points.iter().enumerate() {
            self.finite(&format!("{path}.points.{index}"), point);
        }
        self.direction(&format!("{path}.across"), "the direction across", across);
    }

    pub(super) fn obstacle_shape(&self, path: &str, shape: &ObstacleShape) {
        match shape {
            ObstacleShape::HalfSpace { point, normal } => {
                self.finite(&format!("{path}.half_space.point"), point);
                self.direction(&format!("{path}.half_space.normal"), "the normal", normal);
            }
            ObstacleShape::Sphere {
                radius,
                subdivisions,
            } => self.sphere(path, *radius, *subdivisions),
            ObstacleShape::Cylinder {
                radius,
                height,
                sides,
            } => {
                self.cylinder(path, *radius, *height);
                self.at_least(&format!("{path}.cylinder.sides"), "`sides`", *sides, 3);
            }
            ObstacleShape::Cuboid { size } => {
                self.lengths(&format!("{path}.cuboid.size"), "a side length (m)", size);
            }
            ObstacleShape::Torus {
                major_radius,
                minor_radius,
                sides,
                tube_sides,
            } => {
                let path = format!("{path}.torus");
                self.torus(&path, *major_radius, *minor_radius);
                self.at_least(&format!("{path}.sides"), "`sides`", *sides, 3);
                self.at_least(
                    &format!("{path}.tube_sides"),
                    "`tube_sides`",
                    *tube_sides,
                    3,
                );
            }
            ObstacleShape::File(file) => self.mesh_file(&format!("{path}.file"), file),
        }
    }

    /// Checks the concentric rings and the layers of a row of discs.
    fn prisms(&self, path: &str, rings: u32, layers: u32, least_layers: u32) {
        self.cells(&format!("{path}.rings"), &[rings], 1);
        self.cells(&format!("{path}.layers"), &[layers], least_layers);
    }

    /// Checks the radii of a torus.
    fn torus(&self, path: &str, major_radius: f64, minor_radius: f64) {
        let minor = format!("{path}.minor_radius");
        self.positive(&minor, "the minor radius (m)", minor_radius);
        let major = format!("{path}.major_radius");
        self.positive(&major, "the major radius (m)", major_radius);
        if major_radius <= minor_radius {
            self.fail(
                &major,
                format!("the major radius {major_radius} m leaves no hole in a tube of radius {minor_radius} m"),
                "make it greater than the minor radius",
            );
        }
    }

    fn sphere(&self, path: &str, radius: f64, subdivisions: u32) {
        self.positive(&format!("{path}.sphere.radius"), "the radius (m)", radius);
        self.cells(&format!("{path}.sphere.subdivisions"), &[subdivisions], 1);
    }

    pub(super) fn cylinder(&self, path: &str, radius: f64, height: f64) {
        self.positive(&format!("{path}.cylinder.radius"), "the radius (m)", radius);
        self.positive(&format!("{path}.cylinder.height"), "the height (m)", height);
    }
}
