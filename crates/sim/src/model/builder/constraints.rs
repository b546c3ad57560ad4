//! The constraints of a model: joints and links, strains, thin bodies in compliance form.

use super::Builder;
use crate::error::SimError;
use crate::joints::{Changing, Joined, JoinedLine, PartsToJoin, join};
use crate::model::constraints::ChangingOffset;
use crate::model::{Line, LineConstraint, PointMotion};
use crate::scene::{RigidMotion, Scene};
use crate::solid::{
    Elements, StrainBody, Strains, StressElement, StressLaw, StressPoint, strain_constraints,
};
use crate::thin::rows::{ThinPlaces, thin_constraints};
use impinge_contact::constraint::{Constraint, ConstraintError, Term};
use std::collections::BTreeSet;

impl Builder {
    /// Joints and links, then thin bodies in compliance form. The pairs are those of bodies that joints connect.
    pub(super) fn constraints(
        &self,
        scene: &Scene,
        motions: &[RigidMotion],
    ) -> Result<Joined, SimError> {
        let parts_to_join = PartsToJoin {
            rest: &self.rest,
            tets: &self.tets,
            triangles: &self.triangles,
            bodies: &self.bodies,
            obstacles: &self.obstacles,
            rigid: &self.rigid,
            mesh_groups: &self.mesh_groups,
        };
        let mut joined = join(scene, &parts_to_join)?;
        joined.soft_links = joined.soft.len();
        let moves: Vec<bool> = (self.motions_of_points.iter())
            .map(|motion| ever_moves(*motion, motions))
            .collect();
        drop_idle_rows(&mut joined, &moves);
        joined.joints = joined.constraints.len();
        let places = ThinPlaces {
            rest: &self.rest,
            bodies: &self.bodies,
            moves: &moves,
        };
        let mut stressed = Vec::new();
        for body in &self.strains {
            let strains = strain_constraints(body, &self.rest, &moves);
            let Strains { acting, held } =
                strains.map_err(|error| self.strain_error(scene, body, &error))?;
            let acting = if body.in_rows {
                (Place::Rows, &mut joined.constraints, acting)
            } else {
                (Place::Soft, &mut joined.soft, acting)
            };
            for (place, list, strains) in [acting, (Place::Held, &mut joined.held, held)] {
                if let Some(law) = body.stress_law() {
                    let elements = strains.iter().map(|strain| (strain.element, strain.weight));
                    stressed.push(Stressed {
                        body,
                        law,
                        place,
                        first: list.len(),
                        elements: elements.collect(),
                    });
                }
                list.extend(strains.into_iter().map(|strain| strain.constraint));
            }
        }
        let of_thin = |held| thin_constraints(&self.thin, &places, true, held);
        joined.constraints.extend(of_thin(false)?);
        joined.held.extend(of_thin(true)?);
        joined.stress_points = stress_points(&joined, &stressed);
        Ok(joined)
    }

    /// The error of a body whose strains are undefined: at the key of its radius, if that is too small.
    fn strain_error(&self, scene: &Scene, body: &StrainBody, error: &ConstraintError) -> SimError {
        let solid = (self.bodies.iter()).find(|solid| solid.points == body.points);
        match (error, solid) {
            (ConstraintError::Neighbourhood { .. }, Some(solid)) => scene
                .error_at(
                    &format!("body.{}.material.meshless", solid.origin.entry),
                    format!(
                        "the radius is too small for the mesh of `{}`: {error}",
                        body.name
                    ),
                    "write about 1.3 times the size (m) of its cells",
                )
                .into(),
            _ => SimError::Body {
                body: body.name.clone(),
                problem: error.to_string(),
            },
        }
    }

    /// The constraints whose length or limit changes with time, in the order of their rows.
    pub(super) fn changing_offsets(joined: &Joined) -> Vec<ChangingOffset> {
        let first_rows = first_rows(joined);
        let rows = joined.constraints.len();
        let of_one = |of: &Changing| {
            let index = of.index + if of.is_soft { rows } else { 0 };
            ChangingOffset {
                index,
                first_row: first_rows[index],
                change: of.change.clone(),
            }
        };
        let mut offsets: Vec<ChangingOffset> = joined.changing.iter().map(of_one).collect();
        offsets.sort_by_key(|offset| offset.first_row);
        offsets
    }

    /// The joints that are lines in space.
    pub(super) fn lines(joined: &Joined) -> Vec<Line> {
        let first_rows = first_rows(joined);
        let rows = joined.constraints.len();
        let of_one = |of: &JoinedLine| Line {
            joint: of.joint,
            points: of.points.clone(),
            tension_sign: of.tension_sign,
            constraint: of.index.map(|index| {
                let index = index + if of.is_soft { rows } else { 0 };
                LineConstraint {
                    index,
                    first_row: first_rows[index],
                }
            }),
        };
        joined.lines.iter().map(of_one).collect()
    }
}

/// Drops rigid constraints between points that never move, if the same joint has other rows: some of the nodes that a
/// `bind` reaches may be fixed. A joint with no other rows stays, so that an error can name it.
fn drop_idle_rows(joined: &mut Joined, moves: &[bool]) {
    let joints = &mut joined.constraints;
    let acts = |joint: &Constraint| {
        let mut terms = joint.points().iter().flat_map(|point| &point.terms);
        terms.any(|term| match *term {
            Term::Particle { index, .. } => moves[index],
            Term::Body { .. } => true,
        })
    };
    let active: BTreeSet<String> = (joints.iter().filter(|joint| acts(joint)))
        .map(|joint| joint.name.clone())
        .collect();
    let stays: Vec<bool> = (joints.iter())
        .map(|joint| !joint.is_hard() || acts(joint) || !active.contains(&joint.name))
        .collect();
    let mut stay = stays.iter();
    joints.retain(|_| stay.next().copied().unwrap_or(true));
    let place = |index: usize| stays[..index].iter().filter(|&&stays| stays).count();
    (joined.changing).retain(|of| of.is_soft || stays[of.index]);
    for of in joined.changing.iter_mut().filter(|of| !of.is_soft) {
        of.index = place(of.index);
    }
    for of in joined.lines.iter_mut().filter(|of| !of.is_soft) {
        of.index = of.index.filter(|&index| stays[index]).map(place);
    }
}

/// Whether forces move a point, now or after the release of its motion.
fn ever_moves(motion: PointMotion, motions: &[RigidMotion]) -> bool {
    match motion {
        PointMotion::Free(_) => true,
        PointMotion::Rigid(_) => false,
        PointMotion::Prescribed(by) => motions[by as usize].until.is_some(),
    }
}

/// The list of [`Joined`] that holds a constraint.
#[derive(Debug, Clone, Copy)]
enum Place {
    Rows,
    Soft,
    Held,
}

/// Strains that give the stress of a body, consecutive in a list.
struct Stressed<'a> {
    body: &'a StrainBody,
    law: StressLaw,
    place: Place,
    /// Index of the first of them in its list.
    first: usize,
    /// Element and weight of each.
    elements: Vec<(usize, f64)>,
}

/// The first row of each constraint, list after list.
fn first_rows(joined: &Joined) -> Vec<usize> {
    let lists = [&joined.constraints, &joined.soft, &joined.held];
    let mut row = 0;
    (lists.into_iter().flatten())
        .map(|constraint| {
            row += constraint.rows();
            row - constraint.rows()
        })
        .collect()
}

/// The points at which strains give stress, in the order of their rows.
fn stress_points(joined: &Joined, stressed: &[Stressed<'_>]) -> Vec<StressPoint> {
    let (rows, soft) = (joined.constraints.len(), joined.soft.len());
    let first_rows = first_rows(joined);
    let mut points = Vec::new();
    for of in stressed {
        let start = match of.place {
            Place::Rows => 0,
            Place::Soft => rows,
            Place::Held => rows + soft,
        };
        for (at, &(element, weight)) in (start + of.first..).zip(&of.elements) {
            let element = of.body.first_element + element;
            points.push(StressPoint {
                first_row: first_rows[at],
                element: match of.body.elements {
                    Elements::Hexahedra { .. } => StressElement::Hexahedron(element),
                    _ => StressElement::Tetrahedron(element),
                },
                weight,
                law: of.law.clone(),
            });
        }
    }
    points.sort_by_key(|point| point.first_row);
    points
}
