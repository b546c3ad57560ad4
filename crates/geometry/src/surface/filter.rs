//! Pairs that are excluded from contact.

/// Pairs of bodies and of points excluded from contact, beside those that a [`CollisionSurface`] never pairs.
///
/// ```
/// use impinge_geometry::surface::{CollisionSurface, PairFilter};
///
/// // Two triangles, each its own body; the last point of one is glued to the first of the other.
/// let surface = CollisionSurface::new(
///     vec![[0, 1, 2], [3, 4, 5]], 6, vec![0, 0, 0, 1, 1, 1], vec![false, false],
/// )
/// .with_filter(&PairFilter { attachments: vec![[2, 3]], ..PairFilter::default() });
/// assert!(!surface.may_touch(&[2], &[3, 4, 5]) && !surface.may_touch(&[1, 2], &[3, 4]));
/// assert!(surface.may_touch(&[1], &[3, 4, 5]));
/// ```
///
/// [`CollisionSurface`]: super::CollisionSurface
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PairFilter {
    /// Bodies that are not tested against themselves, such as rigid ones.
    pub without_self_contact: Vec<u32>,
    /// The user group of each body; empty if all are in group 0.
    pub user_group: Vec<u32>,
    /// Pairs of user groups, either order, whose bodies are not tested against each other. A group may be paired with
    /// itself; this does not concern a body and itself.
    pub excluded_groups: Vec<[u32; 2]>,
    /// Pairs of points that are held together: features with attached points are treated like features that share one.
    /// Points attached to the same point are attached to each other.
    pub attachments: Vec<[u32; 2]>,
}

/// A filter in the form for fast queries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Compiled {
    /// Per body; empty if none is excluded.
    without_self_contact: Vec<bool>,
    /// Per body; empty if no groups are excluded.
    user_group: Vec<u32>,
    /// Smaller group first, ascending.
    excluded_groups: Vec<[u32; 2]>,
    /// Per point the least of the points attached to it; empty if there are none.
    representative: Vec<u32>,
}

impl Compiled {
    #[track_caller]
    pub(super) fn new(filter: &PairFilter, bodies: usize, points: usize) -> Self {
        let known_body = |&body: &u32| (body as usize) < bodies;
        assert!(
            filter.without_self_contact.iter().all(known_body),
            "a body without self contact is not below the {bodies} bodies"
        );
        assert!(
            filter.user_group.is_empty() || filter.user_group.len() == bodies,
            "one user group per body, or none at all"
        );
        assert!(
            filter
                .attachments
                .iter()
                .flatten()
                .all(|&point| (point as usize) < points),
            "an attachment names a point beyond the {points} points"
        );
        let mut compiled = Self::default();
        if !filter.without_self_contact.is_empty() {
            compiled.without_self_contact = vec![false; bodies];
            for &body in &filter.without_self_contact {
                compiled.without_self_contact[body as usize] = true;
            }
        }
        if !filter.excluded_groups.is_empty() {
            compiled.user_group.clone_from(&filter.user_group);
            compiled.user_group.resize(bodies, 0);
            compiled.excluded_groups = filter
                .excluded_groups
                .iter()
                .map(|&[a, b]| [a.min(b), a.max(b)])
                .collect();
            compiled.excluded_groups.sort_unstable();
            compiled.excluded_groups.dedup();
        }
        if !filter.attachments.is_empty() {
            compiled.representative = representatives(&filter.attachments, points);
        }
        compiled
    }

    #[inline]
    pub(super) fn admits_bodies(&self, a: u32, b: u32) -> bool {
        if a == b {
            self.without_self_contact.is_empty() || !self.without_self_contact[a as usize]
        } else if self.excluded_groups.is_empty() {
            true
        } else {
            let (a, b) = (self.user_group[a as usize], self.user_group[b as usize]);
            self.excluded_groups
                .binary_search(&[a.min(b), a.max(b)])
                .is_err()
        }
    }

    pub(super) fn excludes_bodies(&self) -> bool {
        !(self.without_self_contact.is_empty() && self.excluded_groups.is_empty())
    }

    pub(super) fn has_attachments(&self) -> bool {
        !self.representative.is_empty()
    }

    /// Whether the features have no point in common; attached points count as one.
    #[inline]
    pub(super) fn admits_points(&self, a: &[u32], b: &[u32]) -> bool {
        if self.representative.is_empty() {
            return !a.iter().any(|point| b.contains(point));
        }
        let of = |&point: &u32| self.representative[point as usize];
        !a.iter().any(|p| b.iter().any(|q| of(p) == of(q)))
    }
}

/// Least point of each set of attached points.
fn representatives(attachments: &[[u32; 2]], points: usize) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..points as u32).collect();
    let root = |parent: &mut Vec<u32>, mut point: u32| {
        while parent[point as usize] != point {
            // Path halving.
            parent[point as usize] = parent[parent[point as usize] as usize];
            point = parent[point as usize];
        }
        point
    };
    for &[a, b] in attachments {
        let (a, b) = (root(&mut parent, a), root(&mut parent, b));
        parent[a.max(b) as usize] = a.min(b);
    }
    (0..points as u32)
        .map(|point| root(&mut parent, point))
        .collect()
}
