//! Warped compliance at the contacts of one body: its cost is independent of the elements below the surface, and it is
//! exact where the body is turned as a whole.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use impinge_contact::compliance::{RestCompliance, TurnedBodies, TurnedBody};
use impinge_contact::frame::ContactFrame;
use impinge_contact::method::corrective_motion::{CorrectiveMotion, CorrectiveMotionSettings};
use impinge_contact::{ContactProblem, ContactRow, ContactSolver};
use impinge_fem::{AssemblyScales, ElasticModel, Material, NodalMotion};
use impinge_geometry::mesh::{TetMesh, generate};
use impinge_krylov::block::{BlockPattern, SymmetricBlockMatrix};
use nalgebra::{Matrix3, Rotation3, Vector3};

use super::super::{Extent, table::Table};
use super::median;

const STEP: f64 = 0.01;

/// Contacts on the body.
const CONTACTS: usize = 60;

/// Repeated computations of the compliance at the contacts.
const REPEATS: usize = 101;

pub(super) fn fill(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let sizes: &[usize] = match extent {
        Extent::Quick => &[1_000, 10_000],
        Extent::Full => &[1_000, 10_000, 100_000],
    };
    let mut cases = Vec::new();
    for &tets in sizes {
        cases.push(Case::new(tets, |x| {
            Rotation3::new(Vector3::y() * 4.0 * x.x)
        })?);
    }
    // In turns, so that other load on the machine affects all cases alike.
    let mut times = vec![Vec::with_capacity(REPEATS); cases.len()];
    for _ in 0..REPEATS {
        for (case, times) in cases.iter_mut().zip(&mut times) {
            let begin = Instant::now();
            case.solver.compliance_at_contacts(&case.problem)?;
            times.push(begin.elapsed().as_secs_f64());
        }
    }
    let times: Vec<f64> = times.into_iter().map(median).collect();
    for ((case, time), &tets) in cases.iter().zip(&times).zip(sizes) {
        table.figure(
            &format!("{tets} tets: {CONTACTS} contacts, W; preparation"),
            format!("{:.3} ms; {:.2} s", 1e3 * time, case.preparation),
        );
    }
    let change = times
        .iter()
        .map(|t| (t / times[0] - 1.0).abs())
        .fold(0.0, f64::max);
    let case = "W for the same surface, largest relative change";
    match extent {
        // Other load on the machine must not fail a quick run.
        Extent::Quick => table.figure(case, format!("{change:.3}")),
        Extent::Full => table.at_most(case, change, 0.1),
    }
    turned_as_a_whole(table)
}

/// Warping is exact for a body that is turned as a whole: its `A` is `R A⁰ Rᵀ`.
fn turned_as_a_whole(table: &mut Table) -> Result<(), Box<dyn Error>> {
    let turn = Rotation3::new(Vector3::new(0.4, -0.9, 1.3));
    let mut case = Case::new(1_000, |_| turn)?;
    let warped = case.solver.compliance_at_contacts(&case.problem)?;
    let mut turned = case.problem.clone();
    for block in turned.momentum.values_mut() {
        *block = turn.matrix() * *block * turn.matrix().transpose();
    }
    let mut solver = CorrectiveMotion::exact(CorrectiveMotionSettings::default());
    solver.condense(&turned)?;
    let exact = solver.compliance_at_contacts(&turned)?;
    let (mut off, mut size) = (0.0, 0.0);
    for row in 0..exact.size() {
        for (warped, exact) in warped.row(row).1.iter().zip(exact.row(row).1) {
            off += (warped - exact).norm_squared();
            size += exact.norm_squared();
        }
    }
    let stored = warped.stored() == exact.stored() && exact.stored() > 0;
    table.certain("W turned as a whole: the same blocks", stored);
    table.at_most(
        "W turned as a whole: warped from exact, relative",
        (off / size).sqrt(),
        1e-10,
    );
    Ok(())
}

/// A turned block with the surface of 1,000 tetrahedra, and its contacts.
struct Case {
    solver: CorrectiveMotion,
    problem: ContactProblem,
    /// Seconds for the compliance at rest.
    preparation: f64,
}

impl Case {
    /// Turned by `rotation` at each place (m).
    fn new(
        tets: usize,
        rotation: impl Fn(&Vector3<f64>) -> Rotation3<f64>,
    ) -> Result<Self, Box<dyn Error>> {
        let mesh = refined(&generate::cuboid([0.3, 0.1, 0.1], [7, 5, 5])?, tets)?;
        let material = Material::corotational(1e5, 0.3)?;
        let count = mesh.tets().len();
        let elastic = ElasticModel::new(
            mesh.nodes(),
            mesh.tets(),
            &[material],
            &vec![0; count],
            &vec![1000.0; count],
        )?;
        let blocks: Vec<Option<u32>> = (0..mesh.nodes().len() as u32).map(Some).collect();
        let pattern = BlockPattern::from_pairs(blocks.len(), elastic.block_pairs(&blocks));
        let mut momentum = SymmetricBlockMatrix::zeros(pattern);
        let assembler = elastic.bind(momentum.pattern(), &blocks)?;
        let scales = AssemblyScales::implicit_euler(STEP);
        let still = vec![Vector3::zeros(); blocks.len()];
        let mut rhs = vec![0.0; momentum.len()];
        assembler.add_mass(&scales, &mut momentum);
        assembler.assemble(
            &NodalMotion::new(mesh.nodes(), &still),
            &scales,
            &mut momentum,
            &mut rhs,
        );

        let mut surface = mesh.surface()?.nodes().to_vec();
        surface.sort_unstable();
        let begin = Instant::now();
        let rest = RestCompliance::new(&momentum, surface.clone())?;
        let preparation = begin.elapsed().as_secs_f64();
        let body = TurnedBody {
            rest: Arc::new(rest),
            blocks: (0..blocks.len() as u32).collect(),
            rotations: (mesh.nodes().iter())
                .map(|x| rotation(x).into_inner())
                .collect::<Vec<Matrix3<f64>>>(),
            moments: None,
        };
        let mut solver = CorrectiveMotion::warped(CorrectiveMotionSettings::default());
        solver.know_bodies(&Arc::new(TurnedBodies {
            time_step: STEP,
            bodies: vec![body],
        }));
        let mut problem = ContactProblem::new(STEP, momentum, rhs);
        for contact in 0..CONTACTS {
            let direction = Vector3::new(0.1 * contact as f64, 1.0, 2.0).normalize();
            let frame = ContactFrame::around(direction).rows() * STEP;
            // Faces: three nodes each. The surface nodes are the same for every refinement.
            let entries = [0, 1, 2].map(|k| {
                let node = surface[(3 * contact + k) % surface.len()];
                (node, frame / 3.0)
            });
            problem.push(&ContactRow {
                entries: &entries,
                offset: Vector3::zeros(),
                friction: 0.5,
            });
        }
        // The free motion of the body at rest is kept: its right-hand side is zero.
        solver.condense(&problem)?;
        Ok(Self {
            solver,
            problem,
            preparation,
        })
    }
}

/// Splits the largest tetrahedra at their centres until there are `tets`; the surface is unchanged.
fn refined(mesh: &TetMesh, tets: usize) -> Result<TetMesh, Box<dyn Error>> {
    let mut nodes = mesh.nodes().to_vec();
    let mut elements = mesh.tets().to_vec();
    // Each round splits every element once, in order.
    'rounds: loop {
        for element in 0..elements.len() {
            if elements.len() + 3 > tets {
                break 'rounds;
            }
            let [a, b, c, d] = elements[element];
            let center = [a, b, c, d]
                .iter()
                .map(|&node| nodes[node as usize])
                .sum::<Vector3<f64>>()
                / 4.0;
            let e = nodes.len() as u32;
            nodes.push(center);
            elements[element] = [e, b, c, d];
            elements.extend([[a, e, c, d], [a, b, e, d], [a, b, c, e]]);
        }
    }
    Ok(TetMesh::new(nodes, elements)?)
}
