//! One element bound to the slots of a matrix.

use super::kernel::{ElementSystem, Kernel, Placed, half};
use super::scales::AssemblyScales;
use crate::lanes::LANES;
use crate::{FemError, Material, RayleighDamping};
use impinge_krylov::BlockPattern;
use nalgebra::{Matrix3, Vector3};
use pulp::Simd;
use std::ops::Range;

/// Marks a vertex or a pair outside of a task: prescribed, or owned by another task.
const NOWHERE: u32 = u32::MAX;

/// An element of `N` vertices, sorted by block, so that each of the `P` pairs lies in the upper triangle; prescribed
/// vertices come last.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundElement<const N: usize, const P: usize, K> {
    nodes: [u32; N],
    /// Rows of the vertices, counted from the first row of the task.
    rows: [u32; N],
    /// Slots of the pairs, counted from the first slot of the task.
    slots: [u32; P],
    material: u32,
    /// Number of vertices that are not prescribed.
    free: u32,
    stiffness_damping: f64,
    kernel: K,
}

/// Input shared by all elements.
pub(super) struct Inputs<'a> {
    pub(super) materials: &'a [Material],
    pub(super) positions: &'a [Vector3<f64>],
    pub(super) prescribed_velocity: &'a [Vector3<f64>],
    /// The velocities of a motion that is damped already.
    pub(super) damped_velocity: Option<&'a [Vector3<f64>]>,
    pub(super) scales: &'a AssemblyScales,
}

/// Kind of an element, and its name in messages.
pub(super) struct Origin {
    pub(super) kind: &'static str,
    pub(super) index: usize,
    pub(super) material: u32,
    pub(super) damping: RayleighDamping,
}

/// The elements of a group at their current positions; the last one fills the rest of the array.
#[inline(always)]
fn place<'a, const N: usize, const P: usize, K: Copy>(
    group: &'a [BoundElement<N, P, K>],
    inputs: &Inputs<'_>,
    stiffness_scale: impl Fn(&BoundElement<N, P, K>) -> f64,
) -> [Placed<'a, N, K>; LANES] {
    let at = |lane: usize| {
        let element = &group[lane.min(group.len() - 1)];
        let mut current = [Vector3::zeros(); N];
        for (x, &node) in current.iter_mut().zip(&element.nodes) {
            *x = inputs.positions[node as usize];
        }
        Placed {
            kernel: &element.kernel,
            current,
            stiffness_scale: stiffness_scale(element),
        }
    };
    let mut placed = [at(0); LANES];
    for (lane, placed) in placed.iter_mut().enumerate().skip(1) {
        *placed = at(lane);
    }
    placed
}

impl<const N: usize, const P: usize, K: Kernel<N, P>> BoundElement<N, P, K> {
    /// Element data with rows and slots of the whole matrix; `None` if all vertices are prescribed.
    ///
    /// # Errors
    /// [`FemError::MissingBlock`] if the pattern lacks a pair.
    ///
    /// # Panics
    /// If two vertices share a block, or a slot exceeds the range of 32 bits.
    #[track_caller]
    pub(super) fn new(
        of: &Origin,
        nodes: &[u32; N],
        kernel: &K,
        pattern: &BlockPattern,
        block_of_point: &[Option<u32>],
    ) -> Result<Option<Self>, FemError> {
        let row = |vertex: usize| block_of_point[nodes[vertex] as usize].unwrap_or(NOWHERE);
        let mut order = std::array::from_fn(|vertex| vertex);
        order.sort_by_key(|&vertex| row(vertex));
        let rows = order.map(row);
        let free = rows.iter().filter(|&&row| row != NOWHERE).count();
        if free == 0 {
            return Ok(None);
        }
        let mut slots = [NOWHERE; P];
        for (slot, (a, b)) in slots.iter_mut().zip(half::<N, P>()) {
            if b >= free {
                continue;
            }
            let Origin { kind, index, .. } = *of;
            assert!(
                a == b || rows[a] != rows[b],
                "two points of {kind} {index} share block {}",
                rows[a]
            );
            let place = pattern.slot(rows[a] as usize, rows[b] as usize);
            let place = place.ok_or(FemError::MissingBlock {
                kind,
                element: index,
                row: rows[a],
                column: rows[b],
            })?;
            *slot = u32::try_from(place).unwrap_or(NOWHERE);
            assert!(
                *slot != NOWHERE,
                "a pattern of {} slots exceeds the range of 32-bit slots",
                pattern.slots()
            );
        }
        Ok(Some(Self {
            nodes: order.map(|vertex| nodes[vertex]),
            rows,
            slots,
            material: of.material,
            free: free as u32,
            stiffness_damping: of.damping.stiffness(),
            kernel: kernel.reordered(&order),
        }))
    }

    /// Rows of the vertices that are not prescribed, ascending.
    pub(super) fn free_rows(&self) -> &[u32] {
        &self.rows[..self.free as usize]
    }

    /// The element within a task: rows and slots counted from the start of the task, others masked.
    pub(super) fn localised(&self, rows: Range<usize>, first_slot: usize) -> Self {
        let owned = |row: u32| row != NOWHERE && rows.contains(&(row as usize));
        let mut local = *self;
        for (slot, (a, _)) in local.slots.iter_mut().zip(half::<N, P>()) {
            *slot = if *slot != NOWHERE && owned(self.rows[a]) {
                *slot - first_slot as u32
            } else {
                NOWHERE
            };
        }
        local.rows = self.rows.map(|row| {
            if owned(row) {
                row - rows.start as u32
            } else {
                NOWHERE
            }
        });
        local
    }

    /// Whether two elements can be in one group: those of one material, with stiffness damping both or without. So the
    /// bits of an element do not depend on the damping of others.
    #[inline(always)]
    fn share_a_group(&self, other: &Self) -> bool {
        let is_damped = |of: &Self| of.stiffness_damping > 0.0;
        self.material == other.material && is_damped(self) == is_damped(other)
    }

    /// Adds the forces and stiffness of elements to the part of the system that their task owns.
    #[inline(always)]
    pub(super) fn add<S: Simd>(
        simd: S,
        elements: &[Self],
        inputs: &Inputs<'_>,
        values: &mut [Matrix3<f64>],
        rhs: &mut [[f64; 3]],
    ) {
        let AssemblyScales {
            force,
            stiffness,
            damping,
            ..
        } = *inputs.scales;
        for of_material in elements.chunk_by(Self::share_a_group) {
            let material = &inputs.materials[of_material[0].material as usize];
            for group in of_material.chunks(K::GROUP.min(S::F64_LANES)) {
                let scale = |of: &Self| stiffness + damping * of.stiffness_damping;
                let placed = place(group, inputs, scale);
                let placed = &placed[..group.len()];
                K::systems(simd, material, placed, force, |index, system| {
                    group[index].add_system(inputs, system, values, rhs);
                });
            }
        }
    }

    /// Adds its forces and stiffness to the part of the system that its task owns.
    #[inline(always)]
    fn add_system(
        &self,
        inputs: &Inputs<'_>,
        mut system: ElementSystem<N, P>,
        values: &mut [Matrix3<f64>],
        rhs: &mut [[f64; 3]],
    ) {
        if (self.free as usize) < N {
            self.move_prescribed(inputs, &mut system);
        }
        if let Some(velocity) = inputs
            .damped_velocity
            .filter(|_| self.stiffness_damping > 0.0)
        {
            let damping = inputs.scales.damping * self.stiffness_damping;
            let stiffness = inputs.scales.stiffness + damping;
            self.damp(velocity, damping / stiffness, &mut system);
        }
        for (block, &slot) in system.blocks.iter().zip(&self.slots) {
            if slot != NOWHERE {
                values[slot as usize] += block;
            }
        }
        self.scatter(&system.forces, rhs);
    }

    /// Adds the elastic impulses of elements, and those of their stiffness damping, to the part of the right-hand side
    /// that their task owns.
    #[inline(always)]
    pub(super) fn add_impulses<S: Simd>(
        simd: S,
        elements: &[Self],
        inputs: &Inputs<'_>,
        rhs: &mut [[f64; 3]],
    ) {
        let AssemblyScales { force, damping, .. } = *inputs.scales;
        for of_material in elements.chunk_by(Self::share_a_group) {
            let material = &inputs.materials[of_material[0].material as usize];
            let scale = |of: &Self| damping * of.stiffness_damping;
            let velocity = (inputs.damped_velocity).filter(|_| scale(&of_material[0]) > 0.0);
            for group in of_material.chunks(K::GROUP.min(S::F64_LANES)) {
                let placed = place(group, inputs, scale);
                let placed = &placed[..group.len()];
                match velocity {
                    Some(velocity) => {
                        K::systems(simd, material, placed, force, |index, mut system| {
                            group[index].damp(velocity, 1.0, &mut system);
                            group[index].scatter(&system.forces, rhs);
                        });
                    }
                    None => K::forces(simd, material, placed, force, |index, forces| {
                        group[index].scatter(&forces, rhs);
                    }),
                }
            }
        }
    }

    #[inline]
    fn scatter(&self, forces: &[Vector3<f64>; N], rhs: &mut [[f64; 3]]) {
        for (force, &row) in forces.iter().zip(&self.rows) {
            if row != NOWHERE {
                let entry = &mut rhs[row as usize];
                entry[0] += force.x;
                entry[1] += force.y;
                entry[2] += force.z;
            }
        }
    }

    /// Takes the impulses of damping off: `f_a −= share K_ab y_b`, for velocities `y` and blocks of `K`.
    #[cold]
    fn damp(&self, velocity: &[Vector3<f64>], share: f64, system: &mut ElementSystem<N, P>) {
        let velocity = self.nodes.map(|node| velocity[node as usize] * share);
        for (block, (a, b)) in system.blocks.iter().zip(half::<N, P>()) {
            system.forces[a] -= block * velocity[b];
            if a != b {
                system.forces[b] -= block.tr_mul(&velocity[a]);
            }
        }
    }

    /// Moves the known part of the product with the velocities to the other side: `f_a −= K_ad v_d`.
    #[cold]
    fn move_prescribed(&self, inputs: &Inputs<'_>, system: &mut ElementSystem<N, P>) {
        let free = self.free as usize;
        for (block, (a, d)) in system.blocks.iter().zip(half::<N, P>()) {
            if a < free && d >= free {
                system.forces[a] -= block * inputs.prescribed_velocity[self.nodes[d] as usize];
            }
        }
    }
}
