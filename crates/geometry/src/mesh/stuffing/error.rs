//! Reasons why a surface cannot be filled with elements.

use thiserror::Error;

use crate::mesh::MeshError;

/// A surface, or a size, that cannot be used. Triangles count from 0 in the order of the surface.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StuffingError {
    /// An option with an invalid value.
    #[error("the {name} is {value}: it must be {wanted}")]
    Option {
        /// Name of the option.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The valid values.
        wanted: &'static str,
    },
    /// The surface is open, wound inwards, or not a manifold. Nodes count after coincident ones have been welded.
    #[error("the surface does not enclose a solid: {0}")]
    Surface(#[from] MeshError),
    /// The surface intersects or touches itself.
    #[error(
        "triangles {first} and {second} of the surface intersect near ({x}, {y}, {z}) m: separate the sheets, or join \
         overlapping parts into one outer surface (a boolean union)",
        first = triangles[0], second = triangles[1], x = place[0], y = place[1], z = place[2]
    )]
    SelfIntersection {
        /// The two triangles, ascending.
        triangles: [u32; 2],
        /// A corner of the first triangle (m).
        place: [f64; 3],
    },
    /// A part of the surface bounds nothing: a shell inside another of the same winding, or an inverted part.
    #[error(
        "the winding number behind triangle {triangle} is {winding}; it must be 0 or 1: reverse the part of the \
         surface (cavities are oriented inwards, separate parts outwards), or remove it"
    )]
    Nested {
        /// A triangle of the offending part.
        triangle: u32,
        /// The winding number found.
        winding: i16,
    },
    /// The elements would be too many.
    #[error(
        "elements of {size:e} m would need about {needed:.2e} {what}, more than {limit:.2e}: use a size of at least \
         {coarser:.3e} m"
    )]
    TooFine {
        /// The requested size (m).
        size: f64,
        /// Kind of the surplus elements or points.
        what: &'static str,
        /// The necessary number.
        needed: f64,
        /// The largest permitted number.
        limit: f64,
        /// A size that is large enough (m).
        coarser: f64,
    },
    /// The coordinates are so large that their digits cannot resolve the elements.
    #[error(
        "elements of {size:e} m cannot be resolved at coordinates of {furthest:e} m: move the surface to the origin, \
         or use a larger size"
    )]
    TooFineForCoordinates {
        /// The requested size (m).
        size: f64,
        /// The largest coordinate (m).
        furthest: f64,
    },
    /// Parts of the solid are thinner than the elements and were lost.
    #[error(
        "elements of {size:e} m are too coarse for this surface: they fill {part:.1} % of its volume; try a size of \
         {finer:.3e} m"
    )]
    TooCoarse {
        /// The requested size (m).
        size: f64,
        /// Volume of the elements, in percent of the volume of the surface.
        part: f64,
        /// A size to try (m).
        finer: f64,
    },
}
