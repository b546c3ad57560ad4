//! Groups of congruent bodies.

use crate::model::Model;
use nalgebra::{Matrix3, Vector3};

/// Relative deviation of points from a rigid motion, in body sizes, that counts as rounding of their placement.
const CONGRUENT: f64 = 1e-12;

/// Congruent bodies: the same elements of the same material, prescribed at the same nodes.
#[derive(Debug, Clone)]
pub(super) struct CongruentBodies {
    /// The reference body of the group.
    pub(super) first: usize,
    /// Its free points, ascending; all data of the group have this order.
    pub(super) points: Vec<u32>,
    pub(super) members: Vec<Member>,
}

/// One body of a group, the reference body included.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// For each point of the group, the point of this body.
    pub(super) points: Vec<u32>,
    /// For each of these points, its block.
    pub(super) blocks: Vec<u32>,
    /// Rotation from the rest shape of the reference body to that of this one.
    pub(super) turn: Matrix3<f64>,
    /// Whether none of its points is prescribed.
    pub(super) free: bool,
}

/// Groups the deformable bodies of `model` that have free nodes, in the order of the bodies.
pub(super) fn kinds(model: &Model) -> Vec<CongruentBodies> {
    let mut kinds: Vec<(CongruentBodies, Shape)> = Vec::new();
    for body in 0..model.geometry.bodies.len() {
        let shape = Shape::of(model, body);
        if shape.free.iter().all(|free| !free) {
            continue;
        }
        let found = kinds
            .iter_mut()
            .find_map(|(kind, first)| Some((first.turn_to(model, &shape)?, kind, first)));
        if let Some((turn, kind, first)) = found {
            let member = shape.member(model, first, &kind.points, turn);
            kind.members.push(member);
        } else {
            let points: Vec<u32> = model.geometry.bodies[body]
                .points
                .clone()
                .filter(|&point| model.unknowns.block_of_point[point].is_some())
                .map(|point| point as u32)
                .collect();
            let member = shape.member(model, &shape, &points, Matrix3::identity());
            let kind = CongruentBodies {
                first: body,
                points,
                members: vec![member],
            };
            kinds.push((kind, shape));
        }
    }
    kinds.into_iter().map(|(kind, _)| kind).collect()
}

/// A body in the node numbering of its given mesh, which copies share regardless of their storage order.
struct Shape {
    body: usize,
    /// Point of the model of each node.
    points: Vec<u32>,
    free: Vec<bool>,
    /// Nodes of each tetrahedron and the tetrahedron of the model, ascending.
    tets: Vec<([u32; 4], usize)>,
}

impl Shape {
    fn of(model: &Model, body: usize) -> Self {
        let solid = &model.geometry.bodies[body];
        let mut points = vec![0; solid.original_nodes.len()];
        for (&node, point) in solid.original_nodes.iter().zip(solid.points.clone()) {
            points[node as usize] = point as u32;
        }
        let node_of = |point: u32| solid.original_nodes[point as usize - solid.points.start];
        let mut tets: Vec<_> = solid
            .tets
            .clone()
            .map(|tet| {
                let mut nodes = model.elements.tets[tet].map(node_of);
                nodes.sort_unstable();
                (nodes, tet)
            })
            .collect();
        tets.sort_unstable();
        Self {
            body,
            free: points
                .iter()
                .map(|&p| model.unknowns.motion_of_point[p as usize].is_free())
                .collect(),
            points,
            tets,
        }
    }

    /// Whether finite elements measure all strains.
    fn is_elastic(&self, model: &Model) -> bool {
        let elastic = &model.elements.elastic;
        self.tets.iter().all(|&(_, tet)| elastic.is_stiff(tet))
    }

    /// The rotation from this rest shape to that of `other`, if the bodies are congruent.
    fn turn_to(&self, model: &Model, other: &Self) -> Option<Matrix3<f64>> {
        let elastic = &model.elements.elastic;
        // Constraints are not compared: copies of one body of the scene have the same strains.
        let bodies = &model.geometry.bodies;
        let copies = bodies[self.body].origin.entry == bodies[other.body].origin.entry;
        let alike = self.points.len() == other.points.len()
            && (copies || self.is_elastic(model) && other.is_elastic(model))
            && self.free == other.free
            && self.tets.len() == other.tets.len()
            && self.tets.iter().zip(&other.tets).all(|(a, b)| {
                a.0 == b.0
                    && elastic.material(a.1) == elastic.material(b.1)
                    && elastic.damping(a.1) == elastic.damping(b.1)
            });
        if !alike {
            return None;
        }
        // Thin bodies have no tetrahedra: each is a group.
        // Frames on one element of both give the rotation; then every node has to match.
        let element = self
            .tets
            .iter()
            .position(|(_, tet)| *tet == model.geometry.bodies[self.body].tets.start)?;
        let nodes = self.tets[element].0;
        let at = |shape: &Self, node: u32| model.points.rest[shape.points[node as usize] as usize];
        let frame = |shape: &Self| {
            let [a, b, c, _] = nodes.map(|node| at(shape, node));
            let first = (b - a).normalize();
            let second = (c - a - first * first.dot(&(c - a))).normalize();
            Matrix3::from_columns(&[first, second, first.cross(&second)])
        };
        let rough = frame(other) * frame(self).transpose();
        let turn = fit(model, self, other).unwrap_or(rough);
        let (from, to) = (self.center(model), other.center(model));
        let size = self
            .points
            .iter()
            .map(|&p| (model.points.rest[p as usize] - from).norm())
            .fold(0.0, f64::max);
        // Far from the origin, coordinates keep fewer digits for the shape of the body.
        let far = from.amax().max(to.amax());
        let agree = self.points.iter().zip(&other.points).all(|(&p, &q)| {
            let there = turn * (model.points.rest[p as usize] - from) + to;
            (there - model.points.rest[q as usize]).amax() <= CONGRUENT * (size + far)
        });
        let same_mass = self.points.iter().zip(&other.points).all(|(&p, &q)| {
            let (m, n) = (model.points.mass[p as usize], model.points.mass[q as usize]);
            (m - n).abs() <= 1e3 * CONGRUENT * m
        });
        (agree && same_mass).then_some(turn)
    }

    fn center(&self, model: &Model) -> Vector3<f64> {
        let sum: Vector3<f64> = self
            .points
            .iter()
            .map(|&p| model.points.rest[p as usize])
            .sum();
        sum / self.points.len() as f64
    }

    fn member(&self, model: &Model, first: &Self, points: &[u32], turn: Matrix3<f64>) -> Member {
        let solid = &model.geometry.bodies[first.body];
        let node = |point: u32| solid.original_nodes[point as usize - solid.points.start];
        let mine: Vec<u32> = points
            .iter()
            .map(|&point| self.points[node(point) as usize])
            .collect();
        Member {
            blocks: mine
                .iter()
                .filter_map(|&point| model.unknowns.block_of_point[point as usize])
                .collect(),
            points: mine,
            turn,
            free: self.free.iter().all(|&free| free),
        }
    }
}

/// Best fit of a rotation to all nodes; `None` if it is not unique.
fn fit(model: &Model, from: &Shape, to: &Shape) -> Option<Matrix3<f64>> {
    let (a, b) = (from.center(model), to.center(model));
    let covariance: Matrix3<f64> = from
        .points
        .iter()
        .zip(&to.points)
        .map(|(&p, &q)| {
            (model.points.rest[q as usize] - b) * (model.points.rest[p as usize] - a).transpose()
        })
        .sum();
    let svd = impinge_fem::kinematics::rotation_svd(&covariance);
    // σ₂ + σ₃ = 0 leaves the rotation undetermined.
    (svd.sigma.y + svd.sigma.z > 1e-9 * svd.sigma.x).then(|| svd.rotation())
}
