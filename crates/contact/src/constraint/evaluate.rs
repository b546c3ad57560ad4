//! One constraint in the unknowns: values, rows and stiffness blocks, by the chain rule over its points.
//!
//! ```text
//! q = m(x),  δq = D δv           J = J_q D           K̃ = Dᵀ K̃_q D + Σ_b w_b sym(f^ r_b^),  f = J_qᵀ λ
//! ```

use super::law::{Local, Response, negative_part_of};
use super::turning::ArmForce;
use super::{Configuration, Constraint, Definiteness, Layout, Placement, Term};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// Values and derivatives of a constraint at a configuration. Memory is kept between evaluations.
#[derive(Debug, Clone, Default)]
pub struct Evaluation {
    /// `φ − ε_p`, one per row.
    pub value: Vec<f64>,
    /// Blocks of unknowns that the constraint acts on, ascending.
    pub blocks: Vec<u32>,
    /// `∂φ/∂v`: entry `row · blocks + block`.
    pub jacobian: Vec<Vector3<f64>>,
    /// `K̃` between those blocks: entry `a · blocks + b`, without the share of the arms of rigid bodies.
    pub stiffness: Vec<Matrix3<f64>>,
    /// The potential at this value, if the law has its own.
    pub response: Option<Response>,
    /// The forces at those arms. Their stiffness is summed per body before it is projected.
    pub turning: Vec<ArmForce>,
    local: Local,
    q: Vec<Vector3<f64>>,
    /// `(point, block, D)`.
    maps: Vec<(usize, usize, Matrix3<f64>)>,
}

impl Evaluation {
    /// Values at `state`. What else this holds stays that of earlier calls.
    pub fn values(&mut self, constraint: &Constraint, state: &Configuration<'_>) {
        self.q.clear();
        let points = constraint.points.iter();
        self.q.extend(points.map(|point| point.at(state)));
        self.local.clear(constraint.rows(), self.q.len());
        constraint.law.evaluate(&self.q, &mut self.local);
        self.value.clear();
        let offset = constraint.offset.iter();
        self.value
            .extend(self.local.value.iter().zip(offset).map(|(v, o)| v - o));
    }

    /// Values and rows at `placement`.
    pub fn rows(&mut self, constraint: &Constraint, placement: &Placement<'_>) {
        self.values(constraint, &placement.state);
        let rows = constraint.rows();
        self.response = constraint.law.response(&self.value);
        self.map(constraint, placement);

        let count = self.blocks.len();
        self.jacobian.clear();
        self.jacobian.resize(rows * count, Vector3::zeros());
        for &(point, block, d) in &self.maps {
            for row in 0..rows {
                let in_point = self.local.jacobian[row * self.q.len() + point];
                self.jacobian[row * count + block] += d.tr_mul(&in_point);
            }
        }
    }

    /// Stiffness of the forces `lambda` (one per row) at the configuration of the latest [`rows`](Self::rows).
    pub fn stiffness(
        &mut self,
        constraint: &Constraint,
        Placement { state, layout }: &Placement<'_>,
        lambda: &[f64],
        definiteness: Definiteness,
    ) {
        let law = &constraint.law;
        let points = self.q.len();
        self.local.stiffness.fill(Matrix3::zeros());
        law.stiffness(&self.q, lambda, definiteness, &mut self.local);
        let count = self.blocks.len();
        self.stiffness.clear();
        self.stiffness.resize(count * count, Matrix3::zeros());
        for &(p, a, da) in &self.maps {
            for &(r, b, db) in &self.maps {
                let in_points = &self.local.stiffness[p * points + r];
                self.stiffness[a * count + b] += da.tr_mul(&(in_points * db));
            }
        }
        self.turning.clear();
        for (index, point) in constraint.points.iter().enumerate() {
            let force = self.local.force(lambda, index);
            for term in &point.terms {
                if let Term::Body {
                    index: body,
                    weight,
                    arm,
                    ..
                } = *term
                    && layout.bodies[body].is_some()
                {
                    self.turning.push(ArmForce {
                        body,
                        force: force * weight,
                        arm: state.frames[body].orientation * arm,
                    });
                }
            }
        }
        if !law.projects_itself() {
            self.absorb_turning(layout);
            if definiteness == Definiteness::Negative {
                self.project();
            }
        }
        // The two triangles sum the same terms in different orders; their mean is exactly symmetric.
        for a in 0..count {
            for b in a..count {
                let upper = self.stiffness[a * count + b];
                let lower = self.stiffness[b * count + a].transpose();
                let mean = (upper + lower) * 0.5;
                self.stiffness[a * count + b] = mean;
                self.stiffness[b * count + a] = mean.transpose();
            }
        }
    }

    /// Collects the blocks that move the points, with their derivatives.
    fn map(&mut self, constraint: &Constraint, Placement { state, layout }: &Placement<'_>) {
        self.blocks.clear();
        for point in &constraint.points {
            for term in &point.terms {
                match *term {
                    Term::Particle { index, .. } => self.blocks.extend(layout.particles[index]),
                    Term::Body { index, place, .. } => {
                        if let Some(body) = layout.bodies[index] {
                            if place != 0.0 {
                                self.blocks.push(body.first);
                            }
                            self.blocks.push(body.first + 1);
                        }
                    }
                }
            }
        }
        self.blocks.sort_unstable();
        self.blocks.dedup();
        self.maps.clear();
        for (index, point) in constraint.points.iter().enumerate() {
            for term in &point.terms {
                match *term {
                    Term::Particle {
                        index: particle,
                        weight,
                    } => {
                        if let Some(block) = layout.particles[particle] {
                            let d = Matrix3::from_diagonal_element(weight);
                            self.maps.push((index, self.place(block), d));
                        }
                    }
                    Term::Body {
                        index: body,
                        weight,
                        place,
                        arm,
                    } => {
                        if let Some(of) = layout.bodies[body] {
                            let r = state.frames[body].orientation * arm;
                            let turning = -r.cross_matrix() * of.axes * weight;
                            self.maps.push((index, self.place(of.first + 1), turning));
                            if place != 0.0 {
                                let d = Matrix3::from_diagonal_element(weight * place);
                                self.maps.push((index, self.place(of.first), d));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Index of a block among those of the constraint.
    fn place(&self, block: u32) -> usize {
        self.blocks.partition_point(|&known| known < block)
    }

    /// Adds the stiffness of the arms to the blocks.
    fn absorb_turning(&mut self, layout: &Layout<'_>) {
        let count = self.blocks.len();
        for at in &self.turning {
            if let Some(of) = layout.bodies[at.body] {
                let place = self.place(of.first + 1);
                self.stiffness[place * count + place] +=
                    of.axes.tr_mul(&(at.stiffness() * of.axes));
            }
        }
        self.turning.clear();
    }

    /// Replaces the blocks by their negative semi-definite part.
    fn project(&mut self) {
        let count = self.blocks.len();
        let entry = |i: usize, j: usize| self.stiffness[(i / 3) * count + j / 3][(i % 3, j % 3)];
        let dense = DMatrix::from_fn(3 * count, 3 * count, |i, j| {
            0.5 * (entry(i, j) + entry(j, i))
        });
        let dense = negative_part_of(&dense);
        for a in 0..count {
            for b in 0..count {
                self.stiffness[a * count + b] = dense.fixed_view::<3, 3>(3 * a, 3 * b).into_owned();
            }
        }
    }
}
