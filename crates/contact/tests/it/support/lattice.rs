//! Elastic blocks: lattices of masses and springs along edges, face and body diagonals.

use super::ground;
use impinge_contact::{ContactProblem, ContactRow, ContactSolution, ContactState};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{Matrix3, Vector3};

/// Bodies of one material, at rest in their reference shape when `displacement` is zero.
#[derive(Debug, Clone)]
pub(crate) struct Lattice {
    pub(crate) nodes: Vec<Vector3<f64>>,
    pub(crate) masses: Vec<f64>,
    springs: Vec<(u32, u32, f64)>,
}

impl Lattice {
    /// A block of `counts` nodes, `spacing` apart (m), of Young's modulus about `stiffness` (Pa) and 1000 kg/m³.
    pub(crate) fn block(
        counts: [usize; 3],
        spacing: f64,
        stiffness: f64,
        corner: Vector3<f64>,
    ) -> Self {
        let [nx, ny, nz] = counts;
        let index = |x: usize, y: usize, z: usize| (x + nx * (y + ny * z)) as u32;
        let (mut nodes, mut springs) = (Vec::new(), Vec::new());
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    nodes.push(corner + spacing * Vector3::new(x as f64, y as f64, z as f64));
                    for dz in 0..=1_usize {
                        for dy in -1..=1_isize {
                            for dx in -1..=1_isize {
                                let forward = dz > 0 || dy > 0 || (dy == 0 && dx > 0);
                                let to = (x.checked_add_signed(dx), y.checked_add_signed(dy));
                                if let (true, (Some(tx), Some(ty))) = (forward, to)
                                    && tx < nx
                                    && ty < ny
                                    && z + dz < nz
                                {
                                    let k = 0.4 * stiffness * spacing;
                                    springs.push((index(x, y, z), index(tx, ty, z + dz), k));
                                }
                            }
                        }
                    }
                }
            }
        }
        let masses = vec![1000.0 * spacing.powi(3); nodes.len()];
        Self {
            nodes,
            masses,
            springs,
        }
    }

    /// Both lattices, numbered one after the other.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        let shift = self.nodes.len() as u32;
        self.nodes.extend_from_slice(&other.nodes);
        self.masses.extend_from_slice(&other.masses);
        self.springs.extend(
            other
                .springs
                .iter()
                .map(|&(i, j, k)| (i + shift, j + shift, k)),
        );
        self
    }

    /// Multiplies the stiffness of every spring by `factor` of its index.
    pub(crate) fn stiffen(mut self, mut factor: impl FnMut(usize) -> f64) -> Self {
        for (index, spring) in self.springs.iter_mut().enumerate() {
            spring.2 *= factor(index);
        }
        self
    }

    pub(crate) fn mass(&self) -> f64 {
        self.masses.iter().sum()
    }

    fn spring_block(&self, spring: usize) -> (usize, usize, Matrix3<f64>) {
        let (i, j, k) = self.springs[spring];
        let along = (self.nodes[j as usize] - self.nodes[i as usize]).normalize();
        (i as usize, j as usize, k * along * along.transpose())
    }

    /// `A = M + Δt² K`.
    pub(crate) fn momentum(&self, time_step: f64) -> SymmetricBlockMatrix {
        let pairs = self.springs.iter().map(|&(i, j, _)| (i, j));
        let mut a = SymmetricBlockMatrix::zeros(BlockPattern::from_pairs(self.nodes.len(), pairs));
        for (block, mass) in self.masses.iter().enumerate() {
            *a.diagonal_block_mut(block) += Matrix3::from_diagonal_element(*mass);
        }
        for spring in 0..self.springs.len() {
            let (i, j, stiffness) = self.spring_block(spring);
            let stiffness = stiffness * time_step.powi(2);
            *a.diagonal_block_mut(i) += stiffness;
            *a.diagonal_block_mut(j) += stiffness;
            let slot = a
                .pattern()
                .slot(i, j)
                .expect("the pattern has every spring");
            *a.block_mut(slot) -= stiffness;
        }
        a
    }

    /// `M v + Δt (m·gravity − K·displacement)`.
    pub(crate) fn impulse(
        &self,
        time_step: f64,
        velocity: &[f64],
        displacement: &[f64],
        gravity: Vector3<f64>,
    ) -> Vec<f64> {
        let at = |x: &[f64], node: usize| Vector3::from_column_slice(&x[3 * node..3 * node + 3]);
        let mut b: Vec<Vector3<f64>> = (0..self.nodes.len())
            .map(|node| self.masses[node] * (at(velocity, node) + time_step * gravity))
            .collect();
        for spring in 0..self.springs.len() {
            let (i, j, stiffness) = self.spring_block(spring);
            let force = stiffness * (at(displacement, j) - at(displacement, i)) * time_step;
            b[i] += force;
            b[j] -= force;
        }
        b.iter().flat_map(|b| [b.x, b.y, b.z]).collect()
    }
}

/// A lattice above the ground `z = 0`, stepped like a body: every node near the ground is a contact, and each step
/// starts from the last forces.
#[derive(Debug, Clone)]
pub(crate) struct GroundScene {
    pub(crate) lattice: Lattice,
    pub(crate) velocity: Vec<f64>,
    pub(crate) displacement: Vec<f64>,
    pub(crate) gravity: Vector3<f64>,
    pub(crate) friction: f64,
    pub time_step: f64,
    pub(crate) safety: f64,
    grounded: Vec<u32>,
    momentum: SymmetricBlockMatrix,
    pub(crate) solution: ContactSolution,
}

impl GroundScene {
    pub(crate) fn new(
        lattice: Lattice,
        initial_velocity: impl Fn(&Vector3<f64>) -> Vector3<f64>,
        gravity: Vector3<f64>,
        friction: f64,
    ) -> Self {
        let time_step = super::TIME_STEP;
        let lowest = lattice.nodes.iter().map(|x| x.z).fold(f64::MAX, f64::min);
        let grounded: Vec<u32> = (0..lattice.nodes.len() as u32)
            .filter(|&i| lattice.nodes[i as usize].z < lowest + 1e-9)
            .collect();
        let velocity = lattice
            .nodes
            .iter()
            .flat_map(|x| {
                let v = initial_velocity(x);
                [v.x, v.y, v.z]
            })
            .collect();
        let momentum = lattice.momentum(time_step);
        let mut scene = Self {
            displacement: vec![0.0; 3 * lattice.nodes.len()],
            velocity,
            gravity,
            friction,
            time_step,
            safety: 2.5e-6,
            grounded,
            momentum,
            lattice,
            solution: ContactSolution::default(),
        };
        let problem = scene.problem();
        scene.solution = ContactSolution::at_rest(&problem);
        scene.solution.velocity.clone_from(&scene.velocity);
        scene
    }

    pub(crate) fn problem(&self) -> ContactProblem {
        let rhs = self.lattice.impulse(
            self.time_step,
            &self.velocity,
            &self.displacement,
            self.gravity,
        );
        let mut problem = ContactProblem::new(self.time_step, self.momentum.clone(), rhs);
        for &node in &self.grounded {
            let height =
                self.lattice.nodes[node as usize].z + self.displacement[3 * node as usize + 2];
            problem.push(&ContactRow {
                entries: &[(node, ground() * self.time_step)],
                offset: Vector3::new(self.safety - height, 0.0, 0.0),
                friction: self.friction,
            });
        }
        problem
    }

    /// Stores the solved velocity.
    pub(crate) fn commit(&mut self) {
        self.velocity.clone_from(&self.solution.velocity);
        for (u, v) in self.displacement.iter_mut().zip(&self.velocity) {
            *u += self.time_step * v;
        }
    }

    pub(crate) fn in_state(&self, state: ContactState) -> usize {
        let contacts = &self.solution.contacts;
        contacts.iter().filter(|c| c.state == state).count()
    }
}
