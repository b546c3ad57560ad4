//! The element types of Gmsh.

/// Use of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Points and lines: none.
    Nothing,
    /// A flat polygon with its corners in order.
    Polygon,
    /// A curved surface element.
    OtherSurface,
    /// A 4-node tetrahedron.
    Tet,
    /// An 8-node hexahedron.
    Hexahedron,
    /// Any other solid element.
    OtherSolid,
}

/// An element type of the Gmsh manual.
#[derive(Debug)]
pub(super) struct ElementType {
    pub(super) name: &'static str,
    pub(super) nodes: usize,
    pub(super) dimension: u8,
    pub(super) purpose: Use,
}

const fn entry(name: &'static str, nodes: usize, dimension: u8, purpose: Use) -> ElementType {
    ElementType {
        name,
        nodes,
        dimension,
        purpose,
    }
}

/// Types 1 to 31 of the manual, in order.
const TYPES: [ElementType; 31] = [
    entry("2-node line", 2, 1, Use::Nothing),
    entry("3-node triangle", 3, 2, Use::Polygon),
    entry("4-node quadrangle", 4, 2, Use::Polygon),
    entry("4-node tetrahedron", 4, 3, Use::Tet),
    entry("8-node hexahedron", 8, 3, Use::Hexahedron),
    entry("6-node prism", 6, 3, Use::OtherSolid),
    entry("5-node pyramid", 5, 3, Use::OtherSolid),
    entry("3-node line", 3, 1, Use::Nothing),
    entry("6-node triangle", 6, 2, Use::OtherSurface),
    entry("9-node quadrangle", 9, 2, Use::OtherSurface),
    entry("10-node tetrahedron", 10, 3, Use::OtherSolid),
    entry("27-node hexahedron", 27, 3, Use::OtherSolid),
    entry("18-node prism", 18, 3, Use::OtherSolid),
    entry("14-node pyramid", 14, 3, Use::OtherSolid),
    entry("point", 1, 0, Use::Nothing),
    entry("8-node quadrangle", 8, 2, Use::OtherSurface),
    entry("20-node hexahedron", 20, 3, Use::OtherSolid),
    entry("15-node prism", 15, 3, Use::OtherSolid),
    entry("13-node pyramid", 13, 3, Use::OtherSolid),
    entry("9-node triangle", 9, 2, Use::OtherSurface),
    entry("10-node triangle", 10, 2, Use::OtherSurface),
    entry("12-node triangle", 12, 2, Use::OtherSurface),
    entry("15-node triangle", 15, 2, Use::OtherSurface),
    entry("15-node triangle", 15, 2, Use::OtherSurface),
    entry("21-node triangle", 21, 2, Use::OtherSurface),
    entry("4-node line", 4, 1, Use::Nothing),
    entry("5-node line", 5, 1, Use::Nothing),
    entry("6-node line", 6, 1, Use::Nothing),
    entry("20-node tetrahedron", 20, 3, Use::OtherSolid),
    entry("35-node tetrahedron", 35, 3, Use::OtherSolid),
    entry("56-node tetrahedron", 56, 3, Use::OtherSolid),
];

/// The type of a number, if it is known.
pub(super) fn element_type(number: i64) -> Option<&'static ElementType> {
    usize::try_from(number)
        .ok()?
        .checked_sub(1)
        .and_then(|index| TYPES.get(index))
}
