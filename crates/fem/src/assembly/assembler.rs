//! Elements bound to the slots of a matrix: the pass that builds the linear system of a step.

use super::bound::{BoundElement, Inputs, Origin};
use super::kernel::Kernel;
use super::{AssemblyScales, ElasticModel, NodalMotion, rows};
use crate::lanes::on_lanes;
use crate::{FemError, Material, QuadraturePoint};
use impinge_krylov::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{Matrix3, Vector3};
use pulp::{Simd, WithSimd};
use std::ops::Range;

type BoundTet = BoundElement<4, 10, QuadraturePoint<4>>;
type BoundHex = BoundElement<8, 36, [QuadraturePoint<8>; 8]>;

/// Cost of a hexahedron in tetrahedra, for cuts of equal work.
const TETS_PER_HEX: usize = 12;

/// An [`ElasticModel`] bound to a matrix pattern: adds its part of the linear system of a step.
///
/// Built by [`ElasticModel::bind`]; holds a copy of all element data in the order of use. The bits of the result do not
/// depend on the number of threads, neither while binding nor while assembling; the number of threads while binding
/// only sets the number of tasks.
#[derive(Clone, Debug)]
pub struct Assembler {
    points: usize,
    blocks: usize,
    slots: usize,
    materials: Vec<Material>,
    tasks: Vec<Task>,
    /// Elements of all tasks, one task after the other; an element across a cut appears in each task that it
    /// contributes to.
    tets: Vec<BoundTet>,
    hexes: Vec<BoundHex>,
    /// Masses of the free points, in the order of their slots.
    mass: Vec<PointMass>,
}

/// A range of block rows, the elements that contribute to it and the masses on it.
#[derive(Clone, Debug)]
struct Task {
    first_row: usize,
    first_slot: usize,
    tets: Range<usize>,
    hexes: Range<usize>,
    mass: Range<usize>,
}

/// Adds the elements of a task to its part of the system.
struct AddSystems<'a> {
    tets: &'a [BoundTet],
    hexes: &'a [BoundHex],
    inputs: &'a Inputs<'a>,
    values: &'a mut [Matrix3<f64>],
    rhs: &'a mut [[f64; 3]],
}

impl WithSimd for AddSystems<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        BoundElement::add(simd, self.tets, self.inputs, self.values, self.rhs);
        BoundElement::add(simd, self.hexes, self.inputs, self.values, self.rhs);
    }
}

/// Adds the elastic impulses of the elements of a task to its part of the right-hand side.
struct AddImpulses<'a> {
    tets: &'a [BoundTet],
    hexes: &'a [BoundHex],
    inputs: &'a Inputs<'a>,
    rhs: &'a mut [[f64; 3]],
}

impl WithSimd for AddImpulses<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        BoundElement::add_impulses(simd, self.tets, self.inputs, self.rhs);
        BoundElement::add_impulses(simd, self.hexes, self.inputs, self.rhs);
    }
}

#[derive(Clone, Copy, Debug)]
struct PointMass {
    slot: usize,
    mass: f64,
    damping: f64,
}

impl Assembler {
    /// Adds elastic stiffness, stiffness damping and elastic forces to the system of a step.
    ///
    /// With `s_e = stiffness + damping·a_K,e` of each element, adds `s_e K_ff` to `matrix` and `force·f_el − s_e K_fd
    /// v_d` to `rhs`, where `f` are the free and `d` the prescribed points. `K` is the positive semi-definite tangent
    /// of the materials at the positions of `motion`. If that is damped already, also subtracts the impulses
    /// `damping·a_K,e K y` of its damped velocities `y` from `rhs`. `matrix` and `rhs` are not cleared.
    ///
    /// # Shapes and units
    /// | name | shape | unit |
    /// |---|---|---|
    /// | `motion` | all points | m, m/s |
    /// | `matrix` | pattern given to [`ElasticModel::bind`] | kg with the scales of an implicit step |
    /// | `rhs` | three per block | N·s with the scales of an implicit step |
    ///
    /// # Panics
    /// If the size of an array or of the matrix is not that of the binding.
    ///
    /// # Cost
    /// One pass over the elements, in parallel over ranges of rows; no allocation.
    #[track_caller]
    pub fn assemble(
        &self,
        motion: &NodalMotion<'_>,
        scales: &AssemblyScales,
        matrix: &mut SymmetricBlockMatrix,
        rhs: &mut [f64],
    ) {
        self.run_systems(motion, scales, (matrix, rhs), |_, _| {});
    }

    /// Sets `matrix` to mass, mass damping, elastic stiffness and stiffness damping, and adds elastic forces to `rhs`:
    /// clears the matrix, then does what [`add_mass`](Self::add_mass) and [`assemble`](Self::assemble) do, with the
    /// same bits, in one pass.
    ///
    /// # Panics
    /// As [`assemble`](Self::assemble).
    ///
    /// # Cost
    /// As [`assemble`](Self::assemble).
    #[track_caller]
    pub fn assemble_with_mass(
        &self,
        motion: &NodalMotion<'_>,
        scales: &AssemblyScales,
        matrix: &mut SymmetricBlockMatrix,
        rhs: &mut [f64],
    ) {
        self.run_systems(motion, scales, (matrix, rhs), |task, values| {
            values.fill(Matrix3::zeros());
            let masses = &self.mass[task.mass.clone()];
            add_masses(masses, scales, task.first_slot, values);
        });
    }

    /// Calls `start` for the values of each task, then adds the elements to its part of the system.
    #[track_caller]
    fn run_systems(
        &self,
        motion: &NodalMotion<'_>,
        scales: &AssemblyScales,
        (matrix, rhs): (&mut SymmetricBlockMatrix, &mut [f64]),
        start: impl Fn(&Task, &mut [Matrix3<f64>]) + Sync,
    ) {
        assert_eq!(
            motion.prescribed_velocity.len(),
            self.points,
            "one prescribed velocity per point"
        );
        self.check(matrix);
        let inputs = self.inputs(motion, scales, rhs);
        let (rhs, _) = rhs.as_chunks_mut::<3>();
        run(
            &self.tasks,
            (matrix.values_mut(), rhs),
            &|task, values, rhs| {
                start(task, values);
                let (tets, hexes) = self.elements_of(task);
                on_lanes(AddSystems {
                    tets,
                    hexes,
                    inputs: &inputs,
                    values,
                    rhs,
                });
            },
        );
    }

    /// Adds the impulses `force·f_el − damping·a_K,e K y` of elastic forces and stiffness damping at `positions` (m),
    /// for the velocities `damped_velocity`, `y` (m/s), to `rhs`, three per block (N·s with the scales of an implicit
    /// step). The stiffness is computed for elements with damping only.
    ///
    /// # Panics
    /// As [`assemble`](Self::assemble).
    #[track_caller]
    pub fn add_impulses(
        &self,
        positions: &[Vector3<f64>],
        scales: &AssemblyScales,
        damped_velocity: &[Vector3<f64>],
        rhs: &mut [f64],
    ) {
        let motion = NodalMotion {
            damped_velocity: Some(damped_velocity),
            ..NodalMotion::new(positions, &[])
        };
        let inputs = self.inputs(&motion, scales, rhs);
        let (rhs, _) = rhs.as_chunks_mut::<3>();
        // A value without size for every slot of the matrix: the ranges of tasks are the same.
        let mut none = vec![(); self.slots];
        run(&self.tasks, (none.as_mut_slice(), rhs), &|task, _, rhs| {
            let (tets, hexes) = self.elements_of(task);
            on_lanes(AddImpulses {
                tets,
                hexes,
                inputs: &inputs,
                rhs,
            });
        });
    }

    fn elements_of(&self, task: &Task) -> (&[BoundTet], &[BoundHex]) {
        (
            &self.tets[task.tets.clone()],
            &self.hexes[task.hexes.clone()],
        )
    }

    #[track_caller]
    fn inputs<'a>(
        &'a self,
        motion: &NodalMotion<'a>,
        scales: &'a AssemblyScales,
        rhs: &[f64],
    ) -> Inputs<'a> {
        let is_whole = |values: &[Vector3<f64>]| values.len() == self.points;
        assert!(is_whole(motion.positions), "one position per point");
        assert!(
            motion.damped_velocity.is_none_or(is_whole),
            "one damped velocity per point"
        );
        assert_eq!(
            rhs.len(),
            3 * self.blocks,
            "three entries of the right-hand side per block"
        );
        Inputs {
            materials: &self.materials,
            positions: motion.positions,
            prescribed_velocity: motion.prescribed_velocity,
            damped_velocity: motion.damped_velocity,
            scales,
        }
    }

    /// Adds lumped mass and mass damping, `(1 + damping·a_M) m I`, to the diagonal blocks of the free points.
    ///
    /// # Panics
    /// If the size of the matrix is not that of the binding.
    #[track_caller]
    pub fn add_mass(&self, scales: &AssemblyScales, matrix: &mut SymmetricBlockMatrix) {
        self.check(matrix);
        add_masses(&self.mass, scales, 0, matrix.values_mut());
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

/// Adds masses and their damping to the diagonal blocks; `values` start with `first_slot`.
fn add_masses(
    masses: &[PointMass],
    scales: &AssemblyScales,
    first_slot: usize,
    values: &mut [Matrix3<f64>],
) {
    for point in masses {
        let mass = point.mass + scales.damping * point.damping;
        let block = &mut values[point.slot - first_slot];
        for axis in 0..3 {
            block[(axis, axis)] += mass;
        }
    }
}

/// Runs `add` for tasks on their parts of the system; the values of slots and the right-hand side start with the
/// first row of the first task.
fn run<V: Send>(
    tasks: &[Task],
    (values, rhs): (&mut [V], &mut [[f64; 3]]),
    add: &(impl Fn(&Task, &mut [V], &mut [[f64; 3]]) + Sync),
) {
    match tasks {
        [] => {}
        [task] => add(task, values, rhs),
        [first, ..] => {
            let (left, right) = tasks.split_at(tasks.len() / 2);
            let (left_values, right_values) =
                values.split_at_mut(right[0].first_slot - first.first_slot);
            let (left_rhs, right_rhs) = rhs.split_at_mut(right[0].first_row - first.first_row);
            rayon::join(
                || run(left, (left_values, left_rhs), add),
                || run(right, (right_values, right_rhs), add),
            );
        }
    }
}

impl ElasticModel {
    /// Binds the elements to the slots of a matrix pattern.
    ///
    /// `block_of_point` is the matrix block of each point, `None` for a prescribed point. The pattern may hold more
    /// blocks than these points need (rigid bodies, other couplings).
    ///
    /// # Errors
    /// [`FemError::MissingBlock`] if the pattern lacks a pair that an element couples.
    ///
    /// # Panics
    /// If `block_of_point` is not one entry per point, or two points of an element share a block.
    #[track_caller]
    pub fn bind(
        &self,
        pattern: &BlockPattern,
        block_of_point: &[Option<u32>],
    ) -> Result<Assembler, FemError> {
        assert_eq!(
            block_of_point.len(),
            self.points(),
            "one optional block per point"
        );
        let blocks = pattern.blocks();
        for block in block_of_point.iter().flatten() {
            assert!(
                (*block as usize) < blocks,
                "block {block} of a point, but the pattern has only {blocks}"
            );
        }
        let origin = |kind: &'static str, index: usize, tet: usize| Origin {
            kind,
            index,
            material: self.material_index(tet),
            damping: self.damping(tet),
        };
        let mut tets = Vec::with_capacity(self.elements().len());
        for (index, element) in self.elements().iter().enumerate() {
            if self.is_filling(index) {
                continue;
            }
            let of = origin("tetrahedron", index, index);
            let kernel = QuadraturePoint {
                volume: element.volume,
                shape_gradients: element.shape_gradients,
            };
            let bound = BoundTet::new(&of, &element.nodes, &kernel, pattern, block_of_point)?;
            tets.extend(bound);
        }
        let mut hexes = Vec::new();
        for (index, cell) in self.stiff_cells() {
            let of = origin("hexahedron", index, cell.tets[0] as usize);
            let element = &cell.element;
            hexes.extend(BoundHex::new(
                &of,
                &element.nodes,
                &element.points,
                pattern,
                block_of_point,
            )?);
        }
        // In the order of matrix rows, so that the blocks of consecutive elements stay in the cache.
        tets.sort_by_key(|element| element.free_rows()[0]);
        hexes.sort_by_key(|element| element.free_rows()[0]);
        let cuts = cuts(&tets, &hexes, pattern);
        let (tets, of_tets) = share_out(&tets, &cuts, pattern);
        let (hexes, of_hexes) = share_out(&hexes, &cuts, pattern);
        let mass = self.masses(pattern, block_of_point);
        let tasks = (cuts.windows(2).zip(of_tets).zip(of_hexes))
            .map(|((rows, tets), hexes)| {
                let [first_slot, end_slot] =
                    [rows[0], rows[1]].map(|row| pattern.row_offsets()[row]);
                let before = |slot| mass.partition_point(|point| point.slot < slot);
                Task {
                    first_row: rows[0],
                    first_slot,
                    tets,
                    hexes,
                    mass: before(first_slot)..before(end_slot),
                }
            })
            .collect();
        Ok(Assembler {
            points: self.points(),
            blocks,
            slots: pattern.slots(),
            materials: self.materials().to_vec(),
            tasks,
            tets,
            hexes,
            mass,
        })
    }

    /// The masses of the free points, in the order of their slots.
    fn masses(&self, pattern: &BlockPattern, block_of_point: &[Option<u32>]) -> Vec<PointMass> {
        let (mass, damping) = (self.lumped_mass(), self.lumped_mass_damping());
        let mut mass: Vec<_> = block_of_point
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
        mass.sort_by_key(|point| point.slot);
        mass
    }
}

/// Cuts the rows into ranges of similar work: the first row of each, then the number of rows.
fn cuts(tets: &[BoundTet], hexes: &[BoundHex], pattern: &BlockPattern) -> Vec<usize> {
    let span = |rows: &[u32]| (rows[0], rows[rows.len() - 1]);
    let spans: Vec<_> = (tets.iter().map(|element| span(element.free_rows())))
        .chain(
            hexes
                .iter()
                .flat_map(|element| std::iter::repeat_n(span(element.free_rows()), TETS_PER_HEX)),
        )
        .collect();
    rows::cut(
        pattern.blocks(),
        rows::task_count(spans.len(), rayon::current_num_threads()),
        &spans,
    )
}

/// Lists the elements that contribute to each range of rows, one range after the other.
fn share_out<const N: usize, const P: usize, K: Kernel<N, P>>(
    bound: &[BoundElement<N, P, K>],
    cuts: &[usize],
    pattern: &BlockPattern,
) -> (Vec<BoundElement<N, P, K>>, Vec<Range<usize>>) {
    let mut members = vec![Vec::new(); cuts.len() - 1];
    for (index, element) in bound.iter().enumerate() {
        let mut last = usize::MAX;
        for &row in element.free_rows() {
            let task = cuts.partition_point(|&cut| cut <= row as usize) - 1;
            if task != last {
                members[task].push(index);
                last = task;
            }
        }
    }
    let mut elements = Vec::with_capacity(members.iter().map(Vec::len).sum());
    let ranges = members
        .iter()
        .zip(cuts.windows(2))
        .map(|(members, rows)| {
            let first = elements.len();
            let first_slot = pattern.row_offsets()[rows[0]];
            elements.extend(
                members
                    .iter()
                    .map(|&index| bound[index].localised(rows[0]..rows[1], first_slot)),
            );
            first..elements.len()
        })
        .collect();
    (elements, ranges)
}
