//! Elements bound to the slots of a matrix: the pass that builds the linear system of a step.

use super::kernel::{ElementSystem, HALF, element_system};
use super::{ElasticModel, rows};
use crate::{FemError, Material};
use impinge_krylov::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// Marks a vertex or a pair that a task does not write to: prescribed, or owned by another task.
const NOWHERE: u32 = u32::MAX;

/// Factors of the terms of `A = M + damping·(a_M M + a_K K) + stiffness·K` and of the forces beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AssemblyScales {
    /// Factor of the elastic forces in the right-hand side; `h` for impulses.
    pub force: f64,
    /// Factor of the stiffness matrix `K = −∂f/∂x`; `h²` for an implicit step.
    pub stiffness: f64,
    /// Factor of the damping matrix `a_M M + a_K K`; `h` for an implicit step.
    pub damping: f64,
}

impl AssemblyScales {
    /// The implicit Euler step of length `h` (s): `A = M + h C + h² K`, `b = M v + h f`.
    pub fn implicit_euler(h: f64) -> Self {
        Self {
            force: h,
            stiffness: h * h,
            damping: h,
        }
    }
}

/// An [`ElasticModel`] bound to a matrix pattern: adds its part of the linear system of a step.
///
/// Made by [`ElasticModel::bind`]; holds a copy of all element data it needs, ordered as it is walked through. The
/// bits of the result do not depend on the number of threads, neither of the pool that bound nor of the one that
/// assembles; the number of threads while binding only decides how finely the work is cut.
#[derive(Clone, Debug)]
pub struct Assembler {
    points: usize,
    blocks: usize,
    slots: usize,
    materials: Vec<Material>,
    tasks: Vec<Task>,
    /// Elements of all tasks, one task after the other; an element astride a cut appears in each task it touches.
    elements: Vec<BoundElement>,
    mass: Vec<PointMass>,
}

/// A range of block rows and the elements that touch it.
#[derive(Clone, Debug)]
struct Task {
    first_row: usize,
    first_slot: usize,
    elements: Range<usize>,
}

/// Element data with the vertices sorted by block, so that every pair lies in the upper triangle; prescribed vertices
/// come last.
#[derive(Clone, Copy, Debug)]
struct BoundElement {
    nodes: [u32; 4],
    /// Rows of the vertices, counted from the first row of the task.
    rows: [u32; 4],
    /// Slots of the ten pairs, counted from the first slot of the task.
    slots: [u32; 10],
    material: u32,
    /// Number of vertices that are not prescribed.
    free: u32,
    volume: f64,
    stiffness_damping: f64,
    gradients: [Vector3<f64>; 4],
}

#[derive(Clone, Copy, Debug)]
struct PointMass {
    slot: usize,
    mass: f64,
    damping: f64,
}

/// What all tasks read.
struct Inputs<'a> {
    materials: &'a [Material],
    elements: &'a [BoundElement],
    positions: &'a [Vector3<f64>],
    prescribed_velocity: &'a [Vector3<f64>],
    scales: &'a AssemblyScales,
}

impl Assembler {
    /// Adds elastic stiffness, stiffness damping and elastic forces to the system of a step.
    ///
    /// With `s_e = stiffness + damping·a_K,e` of each element, adds `s_e K_ff` to `matrix` and
    /// `force·f_el − s_e K_fd v_d` to `rhs`, where `f` are the free and `d` the prescribed points. `K` is the
    /// positive semi-definite tangent of the materials at `positions`. Nothing is cleared first.
    ///
    /// # Shapes and units
    /// | name | shape | unit |
    /// |---|---|---|
    /// | `positions` | all points | m |
    /// | `prescribed_velocity` | all points; only entries of prescribed points are read | m/s |
    /// | `matrix` | pattern given to [`ElasticModel::bind`] | kg with the scales of an implicit step |
    /// | `rhs` | three per block | N·s with the scales of an implicit step |
    ///
    /// # Panics
    /// If an array or the matrix does not have the size bound to.
    ///
    /// # Cost
    /// One pass over the elements, in parallel over ranges of rows; no allocation.
    #[track_caller]
    pub fn assemble(
        &self,
        positions: &[Vector3<f64>],
        scales: &AssemblyScales,
        prescribed_velocity: &[Vector3<f64>],
        matrix: &mut SymmetricBlockMatrix,
        rhs: &mut [f64],
    ) {
        assert_eq!(positions.len(), self.points, "one position per point");
        assert_eq!(
            prescribed_velocity.len(),
            self.points,
            "one prescribed velocity per point"
        );
        assert_eq!(
            rhs.len(),
            3 * self.blocks,
            "three entries of the right-hand side per block"
        );
        self.check(matrix);
        let (rhs, _) = rhs.as_chunks_mut::<3>();
        let inputs = Inputs {
            materials: &self.materials,
            elements: &self.elements,
            positions,
            prescribed_velocity,
            scales,
        };
        run(&inputs, &self.tasks, matrix.values_mut(), rhs);
    }

    /// Adds lumped mass and mass damping, `(1 + damping·a_M) m I`, to the diagonal blocks of the free points.
    ///
    /// # Panics
    /// If the matrix does not have the size bound to.
    #[track_caller]
    pub fn add_mass(&self, scales: &AssemblyScales, matrix: &mut SymmetricBlockMatrix) {
        self.check(matrix);
        let values = matrix.values_mut();
        for point in &self.mass {
            let mass = point.mass + scales.damping * point.damping;
            let block = &mut values[point.slot];
            for axis in 0..3 {
                block[(axis, axis)] += mass;
            }
        }
    }

    #[track_caller]
    fn check(&self, matrix: &SymmetricBlockMatrix) {
        assert!(
            matrix.blocks() == self.blocks && matrix.values().len() == self.slots,
            "the matrix has {} block rows and {} slots, the pattern bound to has {} and {}",
            matrix.blocks(),
            matrix.values().len(),
            self.blocks,
            self.slots
        );
    }
}

/// Runs tasks on the parts of the system they own; `values` and `rhs` start with the first row of the first task.
fn run(inputs: &Inputs<'_>, tasks: &[Task], values: &mut [Matrix3<f64>], rhs: &mut [[f64; 3]]) {
    match tasks {
        [] => {}
        [task] => {
            for element in &inputs.elements[task.elements.clone()] {
                add_element(inputs, element, values, rhs);
            }
        }
        [first, ..] => {
            let (left, right) = tasks.split_at(tasks.len() / 2);
            let (left_values, right_values) =
                values.split_at_mut(right[0].first_slot - first.first_slot);
            let (left_rhs, right_rhs) = rhs.split_at_mut(right[0].first_row - first.first_row);
            rayon::join(
                || run(inputs, left, left_values, left_rhs),
                || run(inputs, right, right_values, right_rhs),
            );
        }
    }
}

#[inline]
fn add_element(
    inputs: &Inputs<'_>,
    element: &BoundElement,
    values: &mut [Matrix3<f64>],
    rhs: &mut [[f64; 3]],
) {
    let current = element.nodes.map(|node| inputs.positions[node as usize]);
    let stiffness = inputs.scales.stiffness + inputs.scales.damping * element.stiffness_damping;
    let mut system = element_system(
        &inputs.materials[element.material as usize],
        &current,
        &element.gradients,
        inputs.scales.force * element.volume,
        stiffness * element.volume,
    );
    if element.free < 4 {
        move_prescribed(inputs, element, &mut system);
    }
    for (block, &slot) in system.blocks.iter().zip(&element.slots) {
        if slot != NOWHERE {
            values[slot as usize] += block;
        }
    }
    for (force, &row) in system.forces.iter().zip(&element.rows) {
        if row != NOWHERE {
            let entry = &mut rhs[row as usize];
            entry[0] += force.x;
            entry[1] += force.y;
            entry[2] += force.z;
        }
    }
}

/// Moves the known part of the product with the velocities to the other side: `f_a −= K_ad v_d`.
#[cold]
fn move_prescribed(inputs: &Inputs<'_>, element: &BoundElement, system: &mut ElementSystem) {
    let free = element.free as usize;
    for (block, (a, d)) in system.blocks.iter().zip(HALF) {
        if a < free && d >= free {
            system.forces[a] -= block * inputs.prescribed_velocity[element.nodes[d] as usize];
        }
    }
}

/// See [`ElasticModel::bind`].
#[track_caller]
pub(super) fn bind(
    model: &ElasticModel,
    pattern: &BlockPattern,
    block_of_point: &[Option<u32>],
) -> Result<Assembler, FemError> {
    let blocks = pattern.blocks();
    for block in block_of_point.iter().flatten() {
        assert!(
            (*block as usize) < blocks,
            "block {block} of a point, but the pattern has only {blocks}"
        );
    }
    let mut bound = Vec::with_capacity(model.elements().len());
    for element in (0..model.elements().len()).filter(|&element| !model.is_filling(element)) {
        let candidate = bind_element(model, element, pattern, block_of_point)?;
        if candidate.free > 0 {
            bound.push(candidate);
        }
    }
    // Walking the matrix in the order of its rows keeps the blocks being added to in the cache.
    bound.sort_by_key(|element| element.rows[0]);
    let (tasks, elements) = share_out(&bound, pattern);
    let (mass, damping) = (model.lumped_mass(), model.lumped_mass_damping());
    let mass = block_of_point
        .iter()
        .enumerate()
        .filter_map(|(point, block)| {
            let slot = pattern.diagonal_slot((*block)? as usize);
            Some(PointMass {
                slot,
                mass: mass[point],
                damping: damping[point],
            })
        })
        .collect();
    Ok(Assembler {
        points: model.points(),
        blocks,
        slots: pattern.slots(),
        materials: model.materials().to_vec(),
        tasks,
        elements,
        mass,
    })
}

/// Element data with rows and slots counted over the whole matrix.
#[track_caller]
fn bind_element(
    model: &ElasticModel,
    index: usize,
    pattern: &BlockPattern,
    block_of_point: &[Option<u32>],
) -> Result<BoundElement, FemError> {
    let element = &model.elements()[index];
    let row = |vertex: usize| block_of_point[element.nodes[vertex] as usize].unwrap_or(NOWHERE);
    let mut order = [0, 1, 2, 3];
    order.sort_by_key(|&vertex| row(vertex));
    let rows = order.map(row);
    let free = rows.iter().filter(|&&row| row != NOWHERE).count();
    let mut slots = [NOWHERE; 10];
    for (slot, (a, b)) in slots.iter_mut().zip(HALF) {
        if b >= free {
            continue;
        }
        assert!(
            a == b || rows[a] != rows[b],
            "two points of tetrahedron {index} share block {}",
            rows[a]
        );
        let place = pattern.slot(rows[a] as usize, rows[b] as usize);
        let place = place.ok_or(FemError::MissingBlock {
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
    Ok(BoundElement {
        nodes: order.map(|vertex| element.nodes[vertex]),
        rows,
        slots,
        material: model.material_index(index),
        free: free as u32,
        volume: element.volume,
        stiffness_damping: model.damping(index).stiffness(),
        gradients: order.map(|vertex| element.shape_gradients[vertex]),
    })
}

/// Cuts the rows into tasks and gives each task the elements that touch it.
fn share_out(bound: &[BoundElement], pattern: &BlockPattern) -> (Vec<Task>, Vec<BoundElement>) {
    let spans: Vec<_> = bound
        .iter()
        .map(|element| (element.rows[0], element.rows[element.free as usize - 1]))
        .collect();
    let cuts = rows::cut(
        pattern.blocks(),
        rows::task_count(bound.len(), rayon::current_num_threads()),
        &spans,
    );
    let mut members = vec![Vec::new(); cuts.len() - 1];
    for (index, element) in bound.iter().enumerate() {
        let mut last = usize::MAX;
        for &row in &element.rows[..element.free as usize] {
            let task = cuts.partition_point(|&cut| cut <= row as usize) - 1;
            if task != last {
                members[task].push(index);
                last = task;
            }
        }
    }
    let mut elements = Vec::with_capacity(members.iter().map(Vec::len).sum());
    let tasks = members
        .iter()
        .zip(cuts.windows(2))
        .map(|(members, rows)| {
            let first = elements.len();
            let first_slot = pattern.row_offsets()[rows[0]];
            elements.extend(
                members
                    .iter()
                    .map(|&index| localised(&bound[index], rows[0]..rows[1], first_slot)),
            );
            Task {
                first_row: rows[0],
                first_slot,
                elements: first..elements.len(),
            }
        })
        .collect();
    (tasks, elements)
}

/// The element as a task sees it: rows and slots counted from the start of the task, others masked.
fn localised(element: &BoundElement, rows: Range<usize>, first_slot: usize) -> BoundElement {
    let owned = |row: u32| row != NOWHERE && rows.contains(&(row as usize));
    let mut local = *element;
    for (slot, (a, _)) in local.slots.iter_mut().zip(HALF) {
        *slot = if *slot != NOWHERE && owned(element.rows[a]) {
            *slot - first_slot as u32
        } else {
            NOWHERE
        };
    }
    local.rows = element.rows.map(|row| {
        if owned(row) {
            row - rows.start as u32
        } else {
            NOWHERE
        }
    });
    local
}
