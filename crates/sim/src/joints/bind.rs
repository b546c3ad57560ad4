//! Joints that hold nodes of one body to the surface of another.

use super::{
    attach,
    material_point::point,
    parts::{Held, PartsToJoin, mean_edge, solid},
};
use crate::{
    error::SimError,
    geometry::Body,
    scene::{Joint, MeshGroup, Scene},
};
use impinge_contact::constraint::{Constraint, Frame, Point, link};
use impinge_geometry::io::NodeGroup;
use impinge_geometry::{distance::point_triangle, exact::winding_number};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Default of the distance from the other surface, in mean edges of the finer of both, up to which a node is on it. It
/// is larger than gaps that separate bodies at the start, and smaller than half a layer of elements, where the next
/// layer of nodes would be bound too.
const NEAR: f64 = 0.1;

/// A `bind` between two bodies of the model.
pub(super) struct Bind<'a> {
    pub(super) scene: &'a Scene,
    /// Number of the joint in the scene.
    pub(super) index: usize,
    pub(super) joint: &'a Joint,
    pub(super) parts: &'a PartsToJoin<'a>,
    pub(super) frames: &'a [Frame],
    pub(super) first: Held,
    pub(super) second: Held,
    /// From the position written in the joint to these two bodies (m).
    pub(super) shift: Vector3<f64>,
}

/// The place of the other surface closest to a node.
#[derive(Clone, Copy)]
struct Closest {
    place: Vector3<f64>,
    distance: f64,
}

/// How a node is bound.
struct Placed {
    /// The point it is held to, if any.
    to: Option<Point>,
    /// Distance from the surface (m).
    distance: f64,
    /// Whether it is inside the closed surface and deeper than the tolerance of the surface.
    enclosed: bool,
}

impl Bind<'_> {
    /// One constraint for each selected node that is on the surface of the second body or inside it, and a message
    /// about the others.
    ///
    /// A node is on that surface if its closest point there is no farther than `distance`. It is held to that point, by
    /// the weights that the point has in the surface's element. A node deeper inside a closed body is held by the
    /// weights of the element around it. A thin body has no inside.
    ///
    /// # Errors
    /// [`SimError::Scene`] if the bodies cannot be bound, or no selected node is on the surface or inside.
    pub(super) fn constraints(&self) -> Result<(Vec<Constraint>, Option<String>), SimError> {
        let (body, onto) = (self.body(self.first), self.body(self.second));
        self.check(body, onto)?;
        let near = (self.joint.distance)
            .unwrap_or_else(|| NEAR * mean_edge(self.parts, body).min(mean_edge(self.parts, onto)));
        let group = self.group(body)?;
        let is_in_group = |original: &u32| {
            group.is_none_or(|group: &NodeGroup| group.nodes.binary_search(original).is_ok())
        };
        let nodes: Vec<usize> = (body.points.clone().zip(&body.original_nodes))
            .filter(|(node, original)| {
                is_in_group(original) && self.selects(&self.parts.rest[*node])
            })
            .map(|(node, _)| node)
            .collect();
        let surface = Surface::of(self.parts, onto);
        let placed: Vec<Result<Placed, SimError>> = (nodes.par_iter())
            .map(|&node| self.placed([body, onto], &surface, self.parts.rest[node], near))
            .collect();
        let (mut made, mut nearest, mut farthest) = (Vec::new(), f64::INFINITY, 0.0_f64);
        let mut enclosed = false;
        for (&node, placed) in nodes.iter().zip(placed) {
            let placed = placed?;
            nearest = nearest.min(placed.distance);
            let Some(to) = placed.to else {
                farthest = farthest.max(placed.distance);
                enclosed |= placed.enclosed;
                continue;
            };
            let binding = link::binding(&Point::particle(node), to, self.joint.compliance);
            let wrong = |error: impinge_contact::constraint::ConstraintError| {
                self.fail("compliance", error.to_string(), "correct it")
            };
            made.push(binding.map_err(wrong)?);
        }
        if made.is_empty() {
            return Err(self.holds_nothing(body, onto, [near, nearest]));
        }
        let left_out = nodes.len() - made.len();
        let notice = (left_out > 0 && (self.joint.selects_nodes() || enclosed)).then(|| {
            format!(
                "joint {} binds {} nodes of `{}` to `{}`; {left_out} other selected nodes are up to {farthest:.3e} m \
                 from that surface (limit {near:.3e} m) and are not bound",
                self.index,
                made.len(),
                body.name,
                onto.name
            )
        });
        Ok((made, notice))
    }

    fn body(&self, held: Held) -> &Body {
        solid(self.parts, held.solid)
    }

    fn fail(&self, key: &str, problem: String, mend: &str) -> SimError {
        let path = format!("joint.{}.{key}", self.index);
        self.scene.error_at(&path, problem, mend).into()
    }

    /// Rejects bodies that cannot be bound.
    fn check(&self, body: &Body, onto: &Body) -> Result<(), SimError> {
        if self.first.solid == self.second.solid {
            let problem = format!("`{}` would be bound to itself", body.name);
            let mend = "name the body that its nodes are bound to";
            return Err(self.fail("second", problem, mend));
        }
        if body.tets.is_empty() && !body.thin {
            let problem = format!(
                "`{}` is rigid: only nodes of an elastic or thin body can be bound, here to `{}`",
                body.name, onto.name
            );
            let mend = "swap `first` and `second`, or write kind = \"weld\"";
            return Err(self.fail("first", problem, mend));
        }
        Ok(())
    }

    /// The physical group of the first body's mesh that the joint names, if it does.
    fn group(&self, body: &Body) -> Result<Option<&NodeGroup>, SimError> {
        let Some(wanted) = &self.joint.group else {
            return Ok(None);
        };
        let known = self.parts.mesh_groups.get(&self.first.solid);
        let known: &[NodeGroup] = known.map_or(&[], |groups| groups);
        let is_meant = |group: &&NodeGroup| match wanted {
            MeshGroup::Number(number) => group.id == *number,
            MeshGroup::Name(name) => group.name.as_ref() == Some(name),
        };
        let found: Vec<&NodeGroup> = known.iter().filter(is_meant).collect();
        if let [group] = found[..] {
            return Ok(Some(group));
        }
        let (joint, name) = (self.index, &body.name);
        let (problem, mend) = if known.is_empty() {
            let problem = format!(
                "joint {joint} binds the group {wanted} of `{name}`, whose mesh has no physical groups"
            );
            let mend =
                "give it a Gmsh file (.msh) that has the group, or select its nodes by `box`";
            (problem, mend)
        } else if found.is_empty() {
            let problem = format!(
                "joint {joint} binds the group {wanted} of `{name}`, whose mesh has {}",
                listed(known)
            );
            (problem, "write the name or number of one of these")
        } else {
            let problem = format!(
                "joint {joint} binds the group {wanted} of `{name}`, but that may be any of {}",
                listed(found)
            );
            let mend = "give the group a name of its own in Gmsh, and write that";
            (problem, mend)
        };
        Err(self.fail("group", problem, mend))
    }

    /// Whether the joint selects a node at `x`. The surface offset at the start may have moved nodes by the slack of
    /// their body, out of the selecting shape.
    fn selects(&self, x: &Vector3<f64>) -> bool {
        let at = x - self.shift;
        let slack = self.first.slack;
        let ball = self.joint.anchor.zip(self.joint.reach);
        let in_box = |lower: [f64; 3], upper: [f64; 3]| {
            let within = at.sup(&Vector3::from(lower)).inf(&Vector3::from(upper));
            (at - within).amax() <= slack
        };
        ball.is_none_or(|(anchor, reach)| (at - Vector3::from(anchor)).norm() <= reach + slack)
            && (self.joint.region).is_none_or(|region| in_box(region.lower, region.upper))
    }

    /// How a node at `x` is bound, if places up to `near` (m) off the surface count as on it.
    fn placed(
        &self,
        [body, onto]: [&Body; 2],
        surface: &Surface,
        x: Vector3<f64>,
        near: f64,
    ) -> Result<Placed, SimError> {
        let closest = surface.closest(&x);
        let deep = closest.distance > near;
        let enclosed = deep && surface.encloses(&x);
        let to = if deep && (onto.thin || !enclosed) {
            None
        } else {
            // The element at the surface cannot be extrapolated to a place layers below it.
            let place = if deep { x } else { closest.place };
            Some(self.place(body, onto, x, &Closest { place, ..closest })?)
        };
        Ok(Placed {
            to,
            distance: closest.distance,
            enclosed,
        })
    }

    /// The point of the second body that holds a node at `x`.
    fn place(
        &self,
        body: &Body,
        onto: &Body,
        x: Vector3<f64>,
        closest: &Closest,
    ) -> Result<Point, SimError> {
        if onto.tets.is_empty() && !onto.thin {
            return Ok(point(self.parts, self.frames, Some(self.second), x));
        }
        let at = attach::attach(self.parts, onto, x, closest.place, self.second.slack);
        match at {
            Some(at) if at.apart == 0.0 => Ok(at.point),
            _ => {
                let [a, b, c] = x.into();
                let problem = format!(
                    "the node of `{}` at [{a}, {b}, {c}] is {:.3e} m from `{}`, which is thin and has no inside",
                    body.name, closest.distance, onto.name
                );
                let mend = "bring them together, or bind the thin body to the other one";
                Err(self.fail("second", problem, mend))
            }
        }
    }

    fn holds_nothing(&self, body: &Body, onto: &Body, [near, nearest]: [f64; 2]) -> SimError {
        let (first, second) = (&body.name, &onto.name);
        if nearest == f64::INFINITY {
            let problem = format!(
                "joint {} selects no node of `{first}` to bind to `{second}`",
                self.index
            );
            let (key, mend) = if self.joint.region.is_some() {
                ("box", "move or widen the box to where the bodies meet")
            } else if self.joint.reach.is_none() {
                let mend = "add elements to the group, or name another one";
                ("group", mend)
            } else {
                (
                    "reach",
                    "move `anchor` to where the bodies meet, or lengthen `reach`",
                )
            };
            return self.fail(key, problem, mend);
        }
        let problem = format!(
            "joint {} binds no node: the nearest node of `{first}` is {nearest:.6} m from `{second}`, and the limit \
             is {near:.3e} m",
            self.index
        );
        self.fail(
            "second",
            problem,
            "move the bodies or the selection of the joint to where they meet; swap `first` and `second` where the \
             surface of the second is small between the nodes of the first; or write a larger `distance` (m)",
        )
    }
}

/// Groups in words.
fn listed<'a>(groups: impl IntoIterator<Item = &'a NodeGroup>) -> String {
    let in_words = |group: &NodeGroup| {
        let kind = match group.dimension {
            0 => "points",
            1 => "lines",
            2 => "surfaces",
            _ => "solids",
        };
        match &group.name {
            Some(name) => format!("\"{name}\" ({} of {kind})", group.id),
            None => format!("{} (of {kind})", group.id),
        }
    };
    groups
        .into_iter()
        .map(in_words)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Corners of a triangle (m).
type Corners = [Vector3<f64>; 3];

/// Lower and upper corner of a box (m).
type Bounds = [Vector3<f64>; 2];

/// The surface of a body, with a box around each triangle.
struct Surface {
    triangles: Vec<(Corners, Bounds)>,
    bounds: Bounds,
    /// Whether every edge is used once in each direction, so that there is an inside.
    closed: bool,
}

impl Surface {
    fn of(parts: &PartsToJoin<'_>, body: &Body) -> Self {
        let of_triangle = |triangle: &[u32; 3]| {
            let corners = triangle.map(|node| parts.rest[node as usize]);
            let [a, b, c] = corners;
            (corners, [a.inf(&b).inf(&c), a.sup(&b).sup(&c)])
        };
        let triangles = &parts.triangles[body.triangles.clone()];
        let mut sides: Vec<[u32; 2]> = (triangles.iter())
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .collect();
        sides.sort_unstable();
        let opposite = |&[a, b]: &[u32; 2]| sides.binary_search(&[b, a]).is_ok();
        let closed = sides.iter().all(opposite);
        let triangles: Vec<_> = triangles.iter().map(of_triangle).collect();
        let nowhere = [f64::INFINITY, f64::NEG_INFINITY].map(Vector3::repeat);
        let bounds = (triangles.iter()).fold(nowhere, |[lower, upper], (_, [from, to])| {
            [lower.inf(from), upper.sup(to)]
        });
        Self {
            triangles,
            bounds,
            closed,
        }
    }

    /// Whether `x` is in the box around the surface.
    fn may_hold(&self, x: &Vector3<f64>) -> bool {
        let [lower, upper] = self.bounds;
        x.sup(&lower).inf(&upper) == *x
    }

    /// Whether `x` is inside the closed surface.
    fn encloses(&self, x: &Vector3<f64>) -> bool {
        let corners = self.triangles.iter().map(|(corners, _)| *corners);
        self.closed && self.may_hold(x) && winding_number(x, corners) != 0
    }

    /// The closest place to `x`, the first of equal ones.
    fn closest(&self, x: &Vector3<f64>) -> Closest {
        let (mut square, mut place) = (f64::INFINITY, *x);
        for (corners, [lower, upper]) in &self.triangles {
            if (x - x.sup(lower).inf(upper)).norm_squared() >= square {
                continue;
            }
            let found = point_triangle(x, corners);
            if found.distance_squared < square {
                square = found.distance_squared;
                let weighted = corners.iter().zip(found.barycentric);
                place = weighted.map(|(corner, weight)| corner * weight).sum();
            }
        }
        Closest {
            place,
            distance: square.sqrt(),
        }
    }
}
