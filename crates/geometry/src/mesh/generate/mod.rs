//! Procedural shapes, centred on the origin.
//!
//! Solids ([`TetMesh`](super::TetMesh)): [`ring()`], [`torus()`], [`cuboid()`], [`sphere()`], [`cylinder()`],
//! [`sheet()`], [`voussoir()`]. Surfaces for obstacles ([`TriangleMesh`](super::TriangleMesh)): [`cuboid_surface`],
//! [`sphere_surface`], [`cylinder_surface`], [`torus_surface`]. Each is validated like a mesh from a file.

mod cuboid;
mod cylinder;
mod lattice;
mod prism;
mod ring;
mod sphere;
mod torus;
mod voussoir;

pub use cuboid::{cuboid, cuboid_cells, cuboid_surface, sheet};
pub use cylinder::{cylinder, cylinder_surface};
pub use ring::{RingShape, ring};
pub use sphere::{sphere, sphere_surface};
pub use torus::{SolidTorusShape, TorusShape, torus, torus_surface};
pub use voussoir::{VoussoirShape, voussoir};

use super::MeshError;

/// Most nodes of a generated mesh: a typing error in a scene must not fill the memory.
const NODE_LIMIT: usize = 1 << 26;

/// Rejects lengths that are not positive and finite.
fn check_lengths(shape: &'static str, lengths: &[(&str, f64)]) -> Result<(), MeshError> {
    match lengths
        .iter()
        .find(|(_, length)| !(length.is_finite() && *length > 0.0))
    {
        Some((name, length)) => Err(MeshError::Shape {
            shape,
            problem: format!("its {name} is {length} m, but must be a positive finite length"),
        }),
        None => Ok(()),
    }
}

/// Rejects counts below their minimum, and products of counts that give too many nodes.
fn check_counts(shape: &'static str, counts: &[(&str, usize, usize)]) -> Result<(), MeshError> {
    if let Some((name, count, least)) = counts.iter().find(|(_, count, least)| count < least) {
        return Err(MeshError::Shape {
            shape,
            problem: format!("its {name} is {count}, but must be at least {least}"),
        });
    }
    let product = counts
        .iter()
        .map(|&(_, count, _)| count)
        .try_fold(1usize, usize::checked_mul);
    if product.is_none_or(|product| product > NODE_LIMIT) {
        let names: Vec<&str> = counts.iter().map(|&(name, ..)| name).collect();
        return Err(MeshError::Shape {
            shape,
            problem: format!(
                "it would have more than {NODE_LIMIT} cells: lower its {}",
                names.join(", ")
            ),
        });
    }
    Ok(())
}
