//! The surface that takes part in contact: triangles, edges and vertices over one global point array.

mod filter;

use std::sync::Arc;

pub use filter::PairFilter;

/// Triangles of all bodies over one global point array, with the edges and vertices they imply.
///
/// The surface is pure topology: positions live with the caller, so the same surface serves every time step. Each point
/// belongs to one *body* (its group). A *passive* body follows a prescribed motion, and two passive bodies are never
/// tested against each other, nor a passive body against itself.
///
/// Every vertex and every edge is *owned* by exactly one incident triangle (the one of smallest index). So a loop over
/// triangles can visit each vertex and edge exactly once.
///
/// ```
/// use impinge_geometry::surface::CollisionSurface;
///
/// // Two triangles that share the edge 1-2, all in body 0, which moves freely.
/// let surface = CollisionSurface::new(vec![[0, 1, 2], [2, 1, 3]], 4, vec![0; 4], vec![false]);
/// assert_eq!(surface.edges(), [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
/// assert_eq!(surface.vertices(), [0, 1, 2, 3]);
/// assert_eq!(surface.edge_owners()[2], 0);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollisionSurface {
    triangles: Vec<[u32; 3]>,
    triangle_edges: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    edge_owners: Vec<u32>,
    vertices: Vec<u32>,
    vertex_owners: Vec<u32>,
    group: Vec<u32>,
    passive: Vec<bool>,
    filter: filter::Compiled,
    /// Shared by this surface and its clones only: identifies the surface of derived data.
    identity: Arc<()>,
}

impl CollisionSurface {
    /// The surface of one body that moves.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    #[track_caller]
    pub(crate) fn of_body(triangles: Vec<[u32; 3]>, point_count: usize) -> Self {
        Self::new(triangles, point_count, vec![0; point_count], vec![false])
    }

    /// Collects the vertices and edges of `triangles` and gives each an owner.
    ///
    /// # Shapes
    /// | name          | meaning                                        | shape       |
    /// |---------------|------------------------------------------------|-------------|
    /// | `triangles`   | point ids, wound outwards                      | `nt × 3`    |
    /// | `point_count` | length of the global point array               | 1           |
    /// | `group`       | body of each point                             | `np`        |
    /// | `passive`     | per body: prescribed, never against another    | `nb`        |
    ///
    /// Points that no triangle uses (the inside of a solid) are allowed.
    ///
    /// # Panics
    /// If `group.len() != point_count`, a group is not below `passive.len()`, a triangle names a point that does not
    /// exist or names one twice, the points of a triangle belong to different bodies, or a count exceeds `u32`.
    #[track_caller]
    pub fn new(
        triangles: Vec<[u32; 3]>,
        point_count: usize,
        group: Vec<u32>,
        passive: Vec<bool>,
    ) -> Self {
        assert!(
            u32::try_from(point_count).is_ok(),
            "more points than u32 can number"
        );
        assert!(
            u32::try_from(triangles.len().saturating_mul(3)).is_ok(),
            "more edges than u32 can number"
        );
        assert_eq!(group.len(), point_count, "one group per point");
        assert!(
            group.iter().all(|&body| (body as usize) < passive.len()),
            "every group must be a body"
        );
        for (index, &[a, b, c]) in triangles.iter().enumerate() {
            assert!(
                [a, b, c]
                    .iter()
                    .all(|&point| (point as usize) < point_count),
                "triangle {index} names a point beyond the {point_count} points"
            );
            assert!(
                a != b && b != c && c != a,
                "triangle {index} names a point twice"
            );
            let body = group[a as usize];
            assert!(
                group[b as usize] == body && group[c as usize] == body,
                "triangle {index} joins two bodies"
            );
        }

        let (edges, edge_owners, triangle_edges) = number_edges(&triangles);
        let (vertices, vertex_owners) = number_vertices(&triangles, point_count);
        Self {
            triangles,
            triangle_edges,
            edges,
            edge_owners,
            vertices,
            vertex_owners,
            group,
            passive,
            filter: filter::Compiled::default(),
            identity: Arc::new(()),
        }
    }

    /// The same surface with another filter.
    ///
    /// # Panics
    /// If the filter names a body or a point that does not exist, or gives a user group to some bodies only.
    #[must_use]
    #[track_caller]
    pub fn with_filter(self, filter: &PairFilter) -> Self {
        Self {
            filter: filter::Compiled::new(filter, self.passive.len(), self.group.len()),
            identity: Arc::new(()),
            ..self
        }
    }

    /// The triangles as point ids, in the order given.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The edges as point ids `[a, b]` with `a < b`, ascending and unique.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The points that some triangle uses, ascending.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// For each triangle `[a, b, c]` the indices of its sides `ab`, `bc`, `ca` in [`edges`](Self::edges).
    pub fn triangle_edges(&self) -> &[[u32; 3]] {
        &self.triangle_edges
    }

    /// For each entry of [`edges`](Self::edges) the one incident triangle that owns it.
    pub fn edge_owners(&self) -> &[u32] {
        &self.edge_owners
    }

    /// For each entry of [`vertices`](Self::vertices) (not for each point) the one incident triangle that owns it.
    pub fn vertex_owners(&self) -> &[u32] {
        &self.vertex_owners
    }

    /// Length of the global point array this surface indexes.
    pub fn point_count(&self) -> usize {
        self.group.len()
    }

    /// The body of each point.
    pub fn group(&self) -> &[u32] {
        &self.group
    }

    /// Whether each body is passive: prescribed, and never tested against another passive body.
    pub fn passive(&self) -> &[bool] {
        &self.passive
    }

    /// Whether features of two bodies, or of one body twice, are ever paired.
    ///
    /// # Panics
    /// If there is no such body.
    #[inline]
    pub fn bodies_may_touch(&self, a: u32, b: u32) -> bool {
        !(self.passive[a as usize] && self.passive[b as usize]) && self.filter.admits_bodies(a, b)
    }

    /// Whether two features, given by their points, are ever paired: not if they have a common or attached point, nor
    /// if their bodies are never paired.
    ///
    /// # Panics
    /// If a feature has no points, or one does not exist.
    #[inline]
    pub fn may_touch(&self, a: &[u32], b: &[u32]) -> bool {
        self.filter.admits_points(a, b)
            && self.bodies_may_touch(self.group[a[0] as usize], self.group[b[0] as usize])
    }

    /// Whether the filter excludes pairs of bodies.
    pub(crate) fn excludes_bodies(&self) -> bool {
        self.filter.excludes_bodies()
    }

    /// Whether any points are attached to each other.
    pub(crate) fn has_attachments(&self) -> bool {
        self.filter.has_attachments()
    }

    /// Shared by this surface and its clones only.
    pub(crate) fn identity(&self) -> &Arc<()> {
        &self.identity
    }

    /// The body that `point` belongs to.
    ///
    /// # Panics
    /// If `point` is not below [`point_count`](Self::point_count).
    pub fn body_of_point(&self, point: u32) -> u32 {
        self.group[point as usize]
    }

    /// Whether `point` belongs to a passive body.
    ///
    /// # Panics
    /// If `point` is not below [`point_count`](Self::point_count).
    pub fn is_passive_point(&self, point: u32) -> bool {
        self.passive[self.group[point as usize] as usize]
    }
}

/// Unique ascending edges, the smallest triangle at each, and the edges of each triangle.
fn number_edges(triangles: &[[u32; 3]]) -> (Vec<[u32; 2]>, Vec<u32>, Vec<[u32; 3]>) {
    // Sorted by (edge, triangle): the first of each run is the owner, so ties never depend on the sort.
    let mut sides: Vec<([u32; 2], u32, u8)> = Vec::with_capacity(3 * triangles.len());
    for (triangle, &[a, b, c]) in triangles.iter().enumerate() {
        for (side, [from, to]) in [[a, b], [b, c], [c, a]].into_iter().enumerate() {
            sides.push(([from.min(to), from.max(to)], triangle as u32, side as u8));
        }
    }
    sides.sort_unstable();

    let mut edges = Vec::new();
    let mut owners = Vec::new();
    let mut triangle_edges = vec![[0; 3]; triangles.len()];
    for (edge, triangle, side) in sides {
        if edges.last() != Some(&edge) {
            edges.push(edge);
            owners.push(triangle);
        }
        triangle_edges[triangle as usize][side as usize] = (edges.len() - 1) as u32;
    }
    (edges, owners, triangle_edges)
}

/// The used points, ascending, and the smallest triangle at each.
fn number_vertices(triangles: &[[u32; 3]], point_count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut owner_of_point: Vec<Option<u32>> = vec![None; point_count];
    for (triangle, corners) in triangles.iter().enumerate() {
        for &point in corners {
            owner_of_point[point as usize].get_or_insert(triangle as u32);
        }
    }
    (0u32..)
        .zip(owner_of_point)
        .filter_map(|(point, owner)| owner.map(|owner| (point, owner)))
        .unzip()
}
