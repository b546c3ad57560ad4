//! Meshes of bodies and obstacles, generated or read from files.

use super::builder::{Builder, bounds};
use super::place::Placement;
use crate::scene::format::{BodyMesh, Filling, Material, MeshFile, ObstacleShape, StepperChoice};
use crate::scene::{Scene, SceneError, shapes};
use impinge_fem::RigidInertia;
use impinge_geometry::io::NodeGroup;
use impinge_geometry::mesh::{
    StuffingError, StuffingOptions, TetMesh, TriangleMesh, hexahedralize, tetrahedralize,
};
use impinge_geometry::{MeshError, MeshIoError};
use nalgebra::Vector3;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

impl Builder<'_> {
    /// Surface of a thin body in its own frame: a grid, a surface file, or the outside of a solid.
    pub(super) fn thin_mesh(
        &mut self,
        path: &str,
        source: &BodyMesh,
    ) -> Result<TriangleMesh, SceneError> {
        match source {
            BodyMesh::Grid { size, cells } | BodyMesh::Quadrilaterals { size, cells } => {
                shapes::grid(*size, *cells).map_err(|error| self.mesh_error(path, &error))
            }
            BodyMesh::Strip {
                points,
                across,
                width,
                spacing,
            } => shapes::strip(points, *across, *width, *spacing)
                .map_err(|error| self.mesh_error(path, &error)),
            BodyMesh::File(file) => self.surface_file(&format!("{path}.file"), file),
            solid => {
                let solid = self.tet_mesh(path, solid)?;
                solid
                    .surface()
                    .and_then(|surface| surface.to_triangle_mesh(&solid))
                    .map_err(|error| self.mesh_error(path, &error))
            }
        }
    }

    /// Surface of a rigid body, and the function from placement and density of a copy to its inertia.
    pub(super) fn rigid_shape(
        &mut self,
        path: &str,
        source: &BodyMesh,
    ) -> Result<(TriangleMesh, InertiaOf), SceneError> {
        let solid = match (self.tet_mesh(path, source), source) {
            // A file may hold a surface instead; if it holds neither, the message is about the surface.
            (Err(_), BodyMesh::File(file)) => {
                let surface = self.surface_file(&format!("{path}.file"), file)?;
                let (vertices, triangles) =
                    (surface.vertices().to_vec(), surface.triangles().to_vec());
                let inertia = move |placement: &Placement, density: f64| {
                    RigidInertia::of_surface(&placement.apply(&vertices), &triangles, density)
                };
                return Ok((surface, Box::new(inertia)));
            }
            (solid, _) => solid?,
        };
        let surface = solid
            .surface()
            .and_then(|surface| surface.to_triangle_mesh(&solid))
            .map_err(|error| self.mesh_error(path, &error))?;
        let inertia = move |placement: &Placement, density: f64| {
            RigidInertia::of_tets(&placement.apply(solid.nodes()), solid.tets(), density)
        };
        Ok((surface, Box::new(inertia)))
    }

    pub(super) fn tet_mesh(
        &mut self,
        path: &str,
        source: &BodyMesh,
    ) -> Result<TetMesh, SceneError> {
        if let BodyMesh::Filled(filled) = source {
            let key = format!("{path}.filled");
            let surface = self.surface_file(&key, &filled.file())?;
            let options = StuffingOptions::new(filled.size);
            let mesh = match filled.kind {
                Filling::Tetrahedra => tetrahedralize(&surface, &options).map(|(mesh, _)| mesh),
                Filling::Hexahedra => hexahedralize(&surface, &options).map(|filling| {
                    self.fillings.insert(path.to_owned(), filling.hexahedra);
                    filling.mesh
                }),
            };
            return mesh.map_err(|error| self.filling_error(&key, &error));
        }
        let BodyMesh::File(file) = source else {
            return shapes::solid(source).map_err(|error| self.mesh_error(path, &error));
        };
        let key = format!("{path}.file.path");
        let found = self.find_file(&key, file)?;
        if !self.solids.contains_key(&found) {
            let solid = impinge_geometry::io::read_solid_mesh(&found)
                .map_err(|error| self.file_error(&key, &error))?;
            self.solids.insert(found.clone(), solid);
        }
        let mesh = &self.solids[&found].mesh;
        let shift = centering(file, mesh.nodes());
        mesh.map_nodes(|node| (node - shift) * file.scale)
            .map_err(|error| self.mesh_error(path, &error))
    }

    /// Hexahedra of a solid, as nodes of the mesh that [`tet_mesh`](Self::tet_mesh) has read; empty for other solids.
    pub(super) fn hexahedra(
        &self,
        path: &str,
        source: &BodyMesh,
    ) -> Result<Vec<[u32; 8]>, SceneError> {
        if let Some(hexahedra) = self.fillings.get(path) {
            return Ok(hexahedra.clone());
        }
        let BodyMesh::File(file) = source else {
            return Ok(shapes::hexahedra(source));
        };
        let found = self.find_file(&format!("{path}.file.path"), file)?;
        let solid = self.solids.get(&found);
        Ok(solid.map_or_else(Vec::new, |solid| solid.hexahedra.clone()))
    }

    /// The physical groups of a mesh file that [`tet_mesh`](Self::tet_mesh) has read; none of all others.
    pub(super) fn groups(
        &self,
        path: &str,
        source: &BodyMesh,
    ) -> Result<Arc<[NodeGroup]>, SceneError> {
        let BodyMesh::File(file) = source else {
            return Ok(Arc::default());
        };
        let found = self.find_file(&format!("{path}.file.path"), file)?;
        let solid = self.solids.get(&found);
        Ok(solid.map_or_else(Arc::default, |solid| solid.groups.as_slice().into()))
    }

    /// Rejects settings that hexahedra do not support; for a file, this is known only after reading.
    pub(super) fn check_hexahedra(
        &self,
        path: &str,
        material: &Material,
    ) -> Result<(), SceneError> {
        if self.scene.stepper == StepperChoice::Asynchronous {
            return Err(self.scene.error_at(
                &format!("{path}.mesh"),
                "the asynchronous stepper does not support hexahedra",
                "use the synchronous stepper, or a mesh of tetrahedra",
            ));
        }
        if material.meshless.is_some() {
            return Err(self.scene.error_at(
                &format!("{path}.material.meshless"),
                "a body of hexahedra is not without elements",
                "leave `meshless` out, or use a mesh of tetrahedra",
            ));
        }
        Ok(())
    }

    pub(super) fn surface_file(
        &self,
        path: &str,
        file: &MeshFile,
    ) -> Result<TriangleMesh, SceneError> {
        let key = format!("{path}.path");
        let found = self.find_file(&key, file)?;
        let mesh = impinge_geometry::io::read_triangle_mesh(&found)
            .map_err(|error| self.file_error(&key, &error))?;
        let shift = centering(file, mesh.vertices());
        mesh.map_vertices(|vertex| (vertex - shift) * file.scale)
            .map_err(|error| self.mesh_error(path, &error))
    }

    pub(super) fn find_file(&self, key: &str, file: &MeshFile) -> Result<PathBuf, SceneError> {
        let expanded = expand_variables(&file.path)
            .map_err(|(problem, mend)| self.scene.error_at(key, problem, mend))?;
        let found = self.scene.folder().join(expanded);
        if found.is_file() {
            return Ok(found);
        }
        let problem = if found.is_dir() {
            format!("{} is a folder", found.display())
        } else {
            format!("there is no file {}", found.display())
        };
        let mend = "correct the path; it is taken relative to the scene file";
        Err(self.scene.error_at(key, problem, mend))
    }

    pub(super) fn mesh_error(&self, path: &str, error: &(dyn Error + 'static)) -> SceneError {
        let mend = error
            .downcast_ref()
            .and_then(mend_of_mesh)
            .unwrap_or(CORRECT);
        self.scene
            .error_at(path, format!("this mesh cannot be used: {error}"), mend)
    }

    fn filling_error(&self, path: &str, error: &StuffingError) -> SceneError {
        let mend = match error {
            StuffingError::TooFine { .. } | StuffingError::TooCoarse { .. } => {
                "change `size` (m); a file in millimetres also needs `scale = 0.001`"
            }
            StuffingError::Surface(error) => mend_of_mesh(error).unwrap_or(CORRECT),
            _ => CORRECT,
        };
        self.scene
            .error_at(path, format!("this mesh cannot be used: {error}"), mend)
    }

    pub(super) fn file_error(&self, path: &str, error: &MeshIoError) -> SceneError {
        let mend = match error {
            MeshIoError::Extension {
                content: "a solid", ..
            }
            | MeshIoError::Mesh {
                source: MeshError::NoElements { kind: "tetrahedra" },
                ..
            } => Some(
                "fill a closed surface: mesh = { filled = { path = \"..\", size = METRES } }; or write kind = \
                 \"rigid\", or kind = \"shell\" for a thin body",
            ),
            MeshIoError::Mesh { source, .. } => mend_of_mesh(source),
            _ => None,
        }
        .unwrap_or("correct the file as said above; `impinge mesh info FILE` examines it alone");
        self.scene.error_at(
            path,
            format!("this mesh file cannot be used: {error}"),
            mend,
        )
    }
}

/// The remedy of errors that say what to do.
const CORRECT: &str = "correct the mesh or its placement as said above";

/// The remedy of a mesh error, if its message has none.
fn mend_of_mesh(error: &MeshError) -> Option<&'static str> {
    match error {
        MeshError::OpenEdge { .. } => Some(
            "close the hole, or join the nodes of a seam by `impinge mesh repair FILE MENDED`; an open surface can be \
             an obstacle, or a thin body: kind = \"shell\", held in place by fixed = [{}]",
        ),
        MeshError::RepeatedNode { .. }
        | MeshError::CoincidentNodes { .. }
        | MeshError::UnusedNode { .. }
        | MeshError::ZeroVolume { .. }
        | MeshError::Inverted { .. }
        | MeshError::ZeroArea { .. }
        | MeshError::DuplicateElement { .. }
        | MeshError::NonManifoldEdge { .. }
        | MeshError::InconsistentWinding { .. }
        | MeshError::NonManifoldVertex { .. }
        | MeshError::WoundInwards { .. } => {
            Some("run `impinge mesh repair FILE MENDED` and name the file that it writes")
        }
        _ => None,
    }
}

/// The files of bodies and obstacles, except for paths with unset variables.
pub(in crate::scene) fn mesh_files(scene: &Scene) -> Vec<PathBuf> {
    let of_bodies = scene.bodies.iter().filter_map(|body| match &body.mesh {
        BodyMesh::File(file) => Some(&file.path),
        BodyMesh::Filled(filled) => Some(&filled.path),
        _ => None,
    });
    let of_obstacles = scene
        .obstacles
        .iter()
        .filter_map(|obstacle| match &obstacle.shape {
            ObstacleShape::File(file) => Some(&file.path),
            _ => None,
        });
    of_bodies
        .chain(of_obstacles)
        .filter_map(|path| expand_variables(path).ok())
        .map(|path| scene.folder().join(path))
        .collect()
}

/// Generalised mass of a placed copy for a density.
pub(super) type InertiaOf =
    Box<dyn Fn(&Placement, f64) -> Result<RigidInertia, impinge_fem::FemError>>;

/// The offset to subtract from the points of a file.
pub(super) fn centering(file: &MeshFile, points: &[Vector3<f64>]) -> Vector3<f64> {
    if !file.center {
        return Vector3::zeros();
    }
    let (lower, upper) = bounds(points.iter().copied());
    0.5 * (lower + upper)
}

/// Centre of mass (m) of a body of uniform density.
pub(super) fn center_of_mass(mesh: &TetMesh) -> Vector3<f64> {
    // Relative to one node, so that a body far from the origin loses no digits.
    let base = mesh.nodes()[0];
    let (moment, volume) =
        mesh.tets()
            .iter()
            .fold((Vector3::zeros(), 0.0), |(moment, volume), tet| {
                let [a, b, c, d] = tet.map(|node| mesh.nodes()[node as usize] - base);
                // Six times the volume; the factor drops out of the quotient.
                let share = (b - a).dot(&(c - a).cross(&(d - a)));
                (moment + share * 0.25 * (a + b + c + d), volume + share)
            });
    base + moment / volume
}

/// Replaces each `${NAME}` by the environment variable.
pub(super) fn expand_variables(text: &str) -> Result<String, (String, String)> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else {
            return Err((
                "`${` has no closing `}`".to_owned(),
                "write ${NAME}".to_owned(),
            ));
        };
        let name = &rest[start + 2..start + length];
        match std::env::var(name) {
            Ok(value) if !value.is_empty() => {
                expanded.push_str(&rest[..start]);
                expanded.push_str(&value);
            }
            _ => {
                return Err((
                    format!("the environment variable {name} is not set"),
                    format!(
                        "set it to the folder that holds the files, for example `export {name}=/path/to/data`"
                    ),
                ));
            }
        }
        rest = &rest[start + length + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}
