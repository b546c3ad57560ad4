//! Laws of the rows of contacts between nodes: they are derivatives of distances, and push both sides alike.

use crate::contacts::two_cubes::TwoCubes;
use crate::contacts::{
    contact::{Contact, ContactKey},
    linearise::{Linearisation, linearise},
    stencil::stencil_of,
};
use crate::scene::Scene;
use crate::step::assemble::rigid::RigidStep;
use crate::step::{
    context::StepContext,
    formulate::{KnownMotion, fill_problem},
};
use crate::{model::Model, state::State};
use impinge_contact::{ContactProblem, ContactSolution};
use impinge_krylov::block::SymmetricBlockMatrix;
use nalgebra::Vector3;
use proptest::prelude::*;

/// Step of the central differences; features have a size of about a metre.
const DIFFERENCE: f64 = 1e-6;

/// `Δt` (s), a factor of all rows.
const TIME_STEP: f64 = 1e-3;

/// Smallest sine between edges, and smallest height of triangles over their longest side, of features that are wide
/// enough to differentiate.
const NARROW: f64 = 0.1;

/// Kinds of features.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    VertexFace,
    EdgeEdge,
    VertexEdge,
    VertexVertex,
}

use Kind::{EdgeEdge, VertexEdge, VertexFace, VertexVertex};

/// Signed distance of the features' planes and lines (m): a volume over an area, or an area over a length. Positive if
/// `towards` points from the second feature to the first.
fn distance(kind: Kind, [p, q, r, s]: &[Vector3<f64>; 4], towards: &Vector3<f64>) -> f64 {
    match kind {
        VertexFace => {
            let area = (r - q).cross(&(s - q));
            (p - q).dot(&area) / area.norm() * area.dot(towards).signum()
        }
        EdgeEdge => {
            let area = (q - p).cross(&(s - r));
            (p - r).dot(&area) / area.norm() * area.dot(towards).signum()
        }
        VertexEdge => (q - p).cross(&(r - p)).norm() / (r - q).norm(),
        VertexVertex => (p - q).norm(),
    }
}

/// Features with a distance of `gap` along a unit normal between the points `at` within them, and that normal; `None`
/// if they are too narrow.
fn meeting(
    kind: Kind,
    seeds: [[f64; 3]; 4],
    at: [f64; 2],
    gap: f64,
) -> Option<([Vector3<f64>; 4], Vector3<f64>)> {
    let [a, b, c, d] = seeds.map(Vector3::from);
    let [u, r] = at;
    let unit = |along: Vector3<f64>, scale: f64| {
        (along.norm() > NARROW * scale).then(|| along.normalize())
    };
    let zero = Vector3::zeros();
    match kind {
        VertexFace => {
            let (ab, ac) = (b - a, c - a);
            let normal = unit(
                ab.cross(&ac),
                ab.norm().max(ac.norm()).max((c - b).norm()).powi(2),
            )?;
            Some((
                [a + ab * (u * (1.0 - r)) + ac * r + normal * gap, a, b, c],
                normal,
            ))
        }
        EdgeEdge => {
            let normal = unit(a.cross(&b), a.norm() * b.norm())?;
            let (meets, from) = (c, c - normal * gap);
            let corners = [
                meets - a * u,
                meets + a * (1.0 - u),
                from - b * r,
                from + b * (1.0 - r),
            ];
            (a.norm().min(b.norm()) > NARROW).then_some((corners, normal))
        }
        VertexEdge => {
            let along = unit(b - a, 1.0)?;
            let normal = unit(d - along * along.dot(&d), 1.0)?;
            Some(([a + (b - a) * u + normal * gap, a, b, zero], normal))
        }
        VertexVertex => {
            let normal = unit(d, 1.0)?;
            Some(([a + normal * gap, a, zero, zero], normal))
        }
    }
}

/// Two cubes of free nodes, and a pair of each kind between them.
struct Cubes {
    model: Model,
    state: State,
    pairs: [(Kind, ContactKey); 4],
}

impl Cubes {
    fn new() -> Self {
        let scene = Scene::parse(
            "two_cubes.toml",
            crate::contacts::two_cubes::SCENE,
            &[""; 0],
        )
        .expect("a scene");
        let (model, state) = Model::new(&scene).expect("a model");
        let cubes = TwoCubes::apart();
        let (vertex, other) = (
            cubes.point([0.25, 0.25, 0.55]),
            cubes.point([-0.25, 0.25, 0.55]),
        );
        let middle = cubes.point([0.0, 0.0, 0.5]);
        let above = cubes.edge(vertex, other);
        let below = cubes.edge(middle, cubes.point([0.0, 0.5, 0.5]));
        let mut faces = model.geometry.surface.triangles().iter();
        let face = faces
            .position(|corners| corners.contains(&middle))
            .expect("a face") as u32;
        let pairs = [
            (VertexFace, ContactKey::VertexFace { vertex, face }),
            (
                EdgeEdge,
                ContactKey::EdgeEdge {
                    first: below.min(above),
                    second: below.max(above),
                },
            ),
            (
                VertexEdge,
                ContactKey::VertexEdge {
                    vertex,
                    edge: below,
                },
            ),
            (
                VertexVertex,
                ContactKey::VertexVertex {
                    first: middle.min(vertex),
                    second: middle.max(vertex),
                },
            ),
        ];
        Self {
            model,
            state,
            pairs,
        }
    }

    /// The contact of `key` with a linearisation.
    fn contact(
        &self,
        key: ContactKey,
        seen: &Linearisation,
        corners: &[Vector3<f64>; 4],
    ) -> Contact {
        let (points, count) = stencil_of(&self.model.geometry, key);
        let mut contact = Contact::bare(key, &points[..usize::from(count)], seen.normal);
        contact.weights = seen.weights;
        contact.drop_anchor(corners);
        contact.distance = seen.normal.dot(&contact.gap_vector(corners));
        contact
    }

    /// Its three rows in a problem: a vector for each point of the stencil.
    fn rows(&self, contact: &Contact) -> [[Vector3<f64>; 4]; 3] {
        let matrix = SymmetricBlockMatrix::zeros(self.model.unknowns.pattern.clone());
        let rhs = vec![0.0; matrix.len()];
        let mut problem = ContactProblem::new(TIME_STEP, matrix, rhs);
        let still = vec![Vector3::zeros(); self.state.positions.len()];
        let context = StepContext {
            model: &self.model,
            state: &self.state,
            time_step: TIME_STEP,
        };
        let known = KnownMotion {
            rigid: &RigidStep::default(),
            velocity: &still,
        };
        fill_problem(
            context,
            known,
            std::slice::from_ref(contact),
            &mut problem,
            &mut ContactSolution::default(),
        );
        let (blocks, jacobians) = problem.row(0);
        assert_eq!(
            blocks.len(),
            contact.stencil().len(),
            "a block for each node"
        );
        let mut rows = [[Vector3::zeros(); 4]; 3];
        for (i, &point) in contact.stencil().iter().enumerate() {
            let block = self.model.unknowns.block_of_point[point as usize].expect("a free node");
            let entry = blocks
                .iter()
                .position(|&known| known == block)
                .expect("its entry");
            for (axis, row) in rows.iter_mut().enumerate() {
                row[i] = jacobians[entry].row(axis).transpose();
            }
        }
        rows
    }
}

/// `Σ row · v`.
fn times(row: &[Vector3<f64>; 4], v: &[Vector3<f64>; 4]) -> f64 {
    row.iter().zip(v).map(|(row, v)| row.dot(v)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// A row of nodes is `Δt` times the derivative of the distance, and its weights have the sum 0. Exchanged features
    /// give the opposite row.
    #[test]
    fn rows_are_derivatives_and_push_both_sides_alike(
        seeds in prop::array::uniform4(prop::array::uniform3(-1.0..1.0_f64)),
        velocities in prop::array::uniform4(prop::array::uniform3(-1.0..1.0_f64)),
        at in prop::array::uniform2(0.05..0.95_f64),
        // The curvature of a distance between points is its inverse: smaller gaps need a smaller difference.
        gap in 1e-2..0.2_f64,
    ) {
        let cubes = Cubes::new();
        for (kind, key) in cubes.pairs {
            let Some((corners, normal)) = meeting(kind, seeds, at, gap) else {
                continue;
            };
            let v = velocities.map(Vector3::from);
            let seen = linearise(&cubes.model.geometry, None, key, &corners, &normal);
            prop_assert!((seen.normal - normal).norm() < 1e-12, "{kind:?}: {:?}, {normal:?}", seen.normal);
            prop_assert!(!seen.is_off_feature(&cubes.model.geometry, key), "{kind:?}: {:?}", seen.weights);
            let contact = cubes.contact(key, &seen, &corners);
            let [row, tangents @ ..] = cubes.rows(&contact);

            let moved = |by: f64| {
                let mut moved = corners;
                for (x, v) in moved.iter_mut().zip(&v) {
                    *x += v * by;
                }
                distance(kind, &moved, &normal)
            };
            let derivative = TIME_STEP * (moved(DIFFERENCE) - moved(-DIFFERENCE)) / (2.0 * DIFFERENCE);
            let found = times(&row, &v);
            // Relative to the sum of absolute rates.
            let scale: f64 = row.iter().zip(&v).map(|(row, v)| row.dot(v).abs()).sum();
            prop_assert!((found - derivative).abs() <= 1e-6 * scale, "{kind:?}: {found:e}, not {derivative:e}");
            prop_assert!((contact.distance - moved(0.0)).abs() < 1e-12, "{kind:?}: {:e}", contact.distance);

            for lin in [seen, seen.clamped(key)] {
                let sum: f64 = lin.weights.iter().sum();
                prop_assert!(sum.abs() <= 1e-15, "{kind:?}: the weights sum to {sum:e}");
            }
            for row in [&row, &tangents[0], &tangents[1]] {
                let sum: Vector3<f64> = row.iter().sum();
                prop_assert!(sum.amax() <= 1e-15 * TIME_STEP, "{kind:?}: the row sums to {sum:?}");
            }

            // The first feature decides the sign of the normal ...
            let turned = linearise(&cubes.model.geometry, None, key, &corners, &-normal);
            let weights = [turned.weights, seen.weights].map(|weights| weights.map(f64::to_bits));
            prop_assert!(turned.normal == -seen.normal && weights[0] == weights[1], "{kind:?}");
            let [opposite, ..] = cubes.rows(&cubes.contact(key, &turned, &corners));
            prop_assert!(row.iter().zip(&opposite).all(|(row, other)| *row == -other), "{kind:?}");
            // ... and exchanged features exchange the weights.
            let exchange = |x: &[Vector3<f64>; 4]| match kind {
                EdgeEdge => Some([x[2], x[3], x[0], x[1]]),
                VertexVertex => Some([x[1], x[0], x[2], x[3]]),
                VertexFace | VertexEdge => None,
            };
            if let (Some(exchanged), Some(expected)) = (exchange(&corners), exchange(&row)) {
                let same = linearise(&cubes.model.geometry, None, key, &exchanged, &normal);
                prop_assert!(same.normal == seen.normal, "{kind:?}");
                let [opposite, ..] = cubes.rows(&cubes.contact(key, &same, &exchanged));
                prop_assert!(expected.iter().zip(&opposite).all(|(row, other)| *row == -other), "{kind:?}");
            }
        }
    }
}
