//! Defects of meshes, with a remedy in each message.

use thiserror::Error;

/// A mesh that cannot be used. Indices count from 0 in the order the mesh was given.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There is not a single element.
    #[error("the mesh has no {kind}: give it at least one")]
    NoElements {
        /// Element kind in the plural, e.g. `tetrahedra`.
        kind: &'static str,
    },
    /// More nodes or elements than `u32` can number.
    #[error(
        "the mesh has {count} {kind}, more than the {limit} this program can number: coarsen or split it"
    )]
    TooLarge {
        /// Kind of the surplus nodes or elements.
        kind: &'static str,
        /// Their number.
        count: usize,
        /// The largest permitted number.
        limit: usize,
    },
    /// A coordinate is NaN, infinite or so large that volumes overflow.
    #[error(
        "node {node} has the position ({x:?}, {y:?}, {z:?}) m: every coordinate must be a finite number of magnitude \
         below {limit:e} m",
        limit = super::COORDINATE_LIMIT
    )]
    BadCoordinate {
        /// Node index.
        node: u32,
        /// x coordinate in m.
        x: f64,
        /// y coordinate in m.
        y: f64,
        /// z coordinate in m.
        z: f64,
    },
    /// An element refers to a node that does not exist.
    #[error(
        "{kind} {element} refers to node {node}, but the mesh has only {nodes} nodes (0 to {nodes}-1): correct the \
         index or add the node"
    )]
    IndexOutOfRange {
        /// Element kind.
        kind: &'static str,
        /// Element index.
        element: u32,
        /// The missing node.
        node: u32,
        /// Number of nodes present.
        nodes: usize,
    },
    /// An element uses one node twice.
    #[error(
        "{kind} {element} uses node {node} more than once: `impinge mesh repair` removes such elements"
    )]
    RepeatedNode {
        /// Element kind.
        kind: &'static str,
        /// Element index.
        element: u32,
        /// The node used twice.
        node: u32,
    },
    /// Two nodes have exactly the same position.
    #[error(
        "nodes {first} and {second} are at exactly the same position: `impinge mesh repair` joins them; move one of \
         them if the parts are separate"
    )]
    CoincidentNodes {
        /// Smaller node index.
        first: u32,
        /// Larger node index.
        second: u32,
    },
    /// A node belongs to no element.
    #[error(
        "node {node} belongs to no {kind}: `impinge mesh repair` removes such nodes; or add the element that should \
         use it"
    )]
    UnusedNode {
        /// Node index.
        node: u32,
        /// Element kind.
        kind: &'static str,
    },
    /// A tetrahedron is flat.
    #[error(
        "tetrahedron {tet} has no volume (its four nodes lie in one plane): `impinge mesh repair` removes such \
         tetrahedra; or remesh"
    )]
    ZeroVolume {
        /// Tetrahedron index.
        tet: u32,
    },
    /// A tetrahedron is inside out.
    #[error(
        "tetrahedron {tet} is inverted (volume {volume:e} m³): `impinge mesh repair` swaps two of its nodes"
    )]
    Inverted {
        /// Tetrahedron index.
        tet: u32,
        /// Its signed volume in m³.
        volume: f64,
    },
    /// A triangle has no area.
    #[error(
        "triangle {triangle} has no area (its three corners lie on one line): `impinge mesh repair` removes such \
         triangles"
    )]
    ZeroArea {
        /// Triangle index.
        triangle: u32,
    },
    /// Two elements have the same corners.
    #[error(
        "{kind}s {first} and {second} have the same corners: `impinge mesh repair` removes one of them"
    )]
    DuplicateElement {
        /// Element kind.
        kind: &'static str,
        /// Smaller element index.
        first: u32,
        /// Larger element index.
        second: u32,
    },
    /// A face belongs to three or more tetrahedra.
    #[error(
        "the face of nodes {nodes:?} belongs to tetrahedra {first}, {second} and {third}: at most two may share a \
         face, so remove the overlapping ones"
    )]
    OvercrowdedFace {
        /// The face's nodes, ascending.
        nodes: [u32; 3],
        /// First tetrahedron.
        first: u32,
        /// Second tetrahedron.
        second: u32,
        /// Third tetrahedron.
        third: u32,
    },
    /// Two tetrahedra lie on the same side of the face they share.
    #[error(
        "tetrahedra {first} and {second} lie on the same side of their common face {nodes:?}, so they overlap: remove \
         one of them or move a node"
    )]
    OverlappingTets {
        /// The face's nodes, ascending.
        nodes: [u32; 3],
        /// Smaller tetrahedron index.
        first: u32,
        /// Larger tetrahedron index.
        second: u32,
    },
    /// The tetrahedra on the two sides of a quadrangle cut it along different diagonals, so they do not meet face to
    /// face.
    #[error(
        "the tetrahedra on the two sides of the quadrangle {nodes:?} use different diagonals, so they do not match \
         face to face: remesh, or split all cells by one rule"
    )]
    MismatchedDiagonals {
        /// The nodes around the quadrangle.
        nodes: [u32; 4],
    },
    /// A surface edge has a triangle on one side only.
    #[error("the surface is open at the edge between nodes {a} and {b} of triangle {triangle}: close the hole; \
             `impinge mesh repair` joins the nodes of a seam", a = edge[0], b = edge[1])]
    OpenEdge {
        /// The edge's nodes, ascending.
        edge: [u32; 2],
        /// The one triangle at the edge.
        triangle: u32,
    },
    /// A surface edge belongs to three or more triangles.
    #[error("the edge between nodes {a} and {b} belongs to {count} triangles, the first being {triangle}: a surface \
             may have only two there; `impinge mesh repair` separates the sheets", a = edge[0], b = edge[1])]
    NonManifoldEdge {
        /// The edge's nodes, ascending.
        edge: [u32; 2],
        /// The first triangle at the edge.
        triangle: u32,
        /// How many triangles meet there.
        count: usize,
    },
    /// Two neighbouring triangles disagree about which side is outside.
    #[error("triangles {first} and {second} have opposite orientations at their common edge between nodes {a} and \
             {b}: `impinge mesh repair` orients them alike", a = edge[0], b = edge[1])]
    InconsistentWinding {
        /// The edge's nodes, ascending.
        edge: [u32; 2],
        /// Smaller triangle index.
        first: u32,
        /// Larger triangle index.
        second: u32,
    },
    /// The triangles at a node form more than one fan.
    #[error(
        "the surface touches itself at node {node} only (the triangles there form {fans} separate fans): `impinge \
         mesh repair` gives each fan its own node"
    )]
    NonManifoldVertex {
        /// Node index.
        node: u32,
        /// Number of fans.
        fans: usize,
    },
    /// A closed surface has its normals pointing in.
    #[error(
        "the surface is oriented inwards (enclosed volume {volume:e} m³): `impinge mesh repair` or `impinge mesh \
         convert --reverse` reverses it"
    )]
    WoundInwards {
        /// Signed volume in m³.
        volume: f64,
    },
    /// The requested shape is impossible.
    #[error("cannot build the {shape}: {problem}")]
    Shape {
        /// Name of the shape.
        shape: &'static str,
        /// The problem and its remedy.
        problem: String,
    },
}
