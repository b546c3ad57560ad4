//! Builds the model and its first state from the parts of a scene.

mod constraints;
mod surfaces;

use super::frictions::set_pair_frictions;
use super::loads::{LoadsOfScene, VaryingPull};
use super::materials::{BodyMaterials, needs_elements};
use super::solver::{RowsOfScene, check_method, joint_stiffness, scales, solver_settings};
use super::start;
use super::{
    Components, Constraints, HeldPoints, Loads, Model, Notices, PointMotion, Points, Settings,
    Unknowns,
};
use crate::{
    error::SimError,
    geometry::{Body, BodyLengths, Geometry, HalfSpace, Neighbours},
    joints::Joined,
    rigid::{RigidBody, RigidState},
    scene::{
        BodyPart, Formulation, GivenLoad, GivenPull, HeldPart, JointStiffness, NodesPart,
        RigidMotion, Scene, SceneParts, ShellPart,
    },
    solid::{Elements, Sheet, StrainBody, cells_of_tets, strain_form},
    state::State,
    thin::ThinBodies,
};
use impinge_fem::{ElasticModel, Material, RayleighDamping};
use impinge_geometry::{
    io::NodeGroup,
    surface::{CollisionSurface, PairFilter},
};
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Builder {
    rest: Vec<Vector3<f64>>,
    velocities: Vec<Vector3<f64>>,
    pull: Vec<Vector3<f64>>,
    motions_of_points: Vec<PointMotion>,
    rigid: Vec<RigidBody>,
    rigid_start: Vec<RigidState>,
    held: Vec<HeldPoints>,
    varying: Vec<VaryingPull>,
    loads_of_bodies: Vec<(usize, GivenLoad)>,
    bodies: Vec<Body>,
    obstacles: Vec<Body>,
    tets: Vec<[u32; 4]>,
    thin: ThinBodies,
    materials: Vec<Material>,
    material_of_tet: Vec<u32>,
    density_of_tet: Vec<f64>,
    /// Whether each tetrahedron only fills a body whose strains are in `strains`, and the element of `cells` that it is
    /// part of.
    filling: Vec<bool>,
    cell_of_tet: Vec<Option<u32>>,
    /// Hexahedra, and whether they are finite elements: the strains of the others are in `strains`.
    cells: Vec<[u32; 8]>,
    stiff_cells: Vec<bool>,
    strains: Vec<StrainBody>,
    damping_of_tet: Vec<RayleighDamping>,
    /// Mass damping of points of thin bodies (kg/s).
    damping_of_thin: Vec<(usize, f64)>,
    triangles: Vec<[u32; 3]>,
    group: Vec<u32>,
    /// Physical groups of the mesh of each body that has some, in the numbers of its file.
    mesh_groups: BTreeMap<usize, Arc<[NodeGroup]>>,
    passive: Vec<bool>,
}

impl Builder {
    pub(super) fn add_body(
        &mut self,
        index: usize,
        part: &BodyPart,
        materials: &BodyMaterials,
        motions: &[RigidMotion],
    ) -> Result<(), SimError> {
        let in_body = |error: &dyn std::fmt::Display| SimError::Body {
            body: part.name.clone(),
            problem: error.to_string(),
        };
        let (mesh, original_nodes) = part.mesh.reordered_along_curve();
        let surface = mesh.closed_surface().map_err(|e| in_body(&e))?;
        let law = &part.material;
        let material = match materials.of(part) {
            Some(custom) => Material::Custom(custom.clone()),
            None => law.law().map_err(|e| in_body(&e))?,
        };
        if law.has_constraints() && strain_form(&material).is_none() {
            return Err(needs_elements(part, &material));
        }
        let damping = RayleighDamping::new(law.mass_damping, law.stiffness_damping)
            .map_err(|e| in_body(&e))?;

        let first_point = self.rest.len();
        let offset = first_point as u32;
        let first_tet = self.tets.len();
        let count = mesh.tets().len();
        self.tets
            .extend(mesh.tets().iter().map(|tet| tet.map(|node| node + offset)));
        let mut place = vec![0; original_nodes.len()];
        for (node, &original) in (offset..).zip(&original_nodes) {
            place[original as usize] = node;
        }
        self.add_strains(part, &material, &place, first_tet);
        self.add_materials(count, material, law.density, damping);
        self.rest.extend_from_slice(mesh.nodes());
        let nodes = original_nodes.iter().map(|&node| node as usize);
        self.add_nodes(&part.nodes, nodes, motions);
        self.add_held(index, &part.name, &part.nodes.held, |node| {
            place[node as usize]
        });
        self.add_loads(index, &part.nodes.varying, &part.load, |node| {
            place[node as usize]
        });
        let first_triangle = self.triangles.len();
        self.triangles.extend(
            surface
                .triangles()
                .iter()
                .map(|t| t.map(|node| node + offset)),
        );
        self.group
            .extend(std::iter::repeat_n(index as u32, mesh.nodes().len()));
        if !part.groups.is_empty() {
            self.mesh_groups.insert(index, part.groups.clone());
        }
        self.bodies.push(Body {
            name: part.name.clone(),
            origin: part.origin,
            points: first_point..self.rest.len(),
            tets: first_tet..self.tets.len(),
            thin: false,
            free_rigid: false,
            two_sided: false,
            triangles: first_triangle..self.triangles.len(),
            friction: part.friction,
            original_nodes,
        });
        Ok(())
    }

    /// Adds start, forces and motions of the points of a deformable body: of its `nodes`, in the order of the points.
    fn add_nodes(
        &mut self,
        part: &NodesPart,
        nodes: impl Iterator<Item = usize> + Clone,
        motions: &[RigidMotion],
    ) {
        self.velocities
            .extend(nodes.clone().map(|node| part.velocity[node]));
        self.pull.extend(nodes.clone().map(|node| part.pull[node]));
        self.motions_of_points
            .extend(nodes.map(|node| match part.prescribed[node] {
                Some(motion) => PointMotion::Prescribed(motion as u32),
                // Blocks are numbered once all nodes are present.
                None => PointMotion::Free(u32::MAX),
            }));
        // Passive: all points are prescribed for all time.
        self.passive.push(
            (part.prescribed.iter())
                .all(|motion| motion.is_some_and(|motion| motions[motion].until.is_none())),
        );
    }

    /// Gives the next `count` elements their material, density (kg/m³) and damping.
    fn add_materials(
        &mut self,
        count: usize,
        material: Material,
        density: f64,
        damping: RayleighDamping,
    ) {
        // Copies of a body share one entry.
        let material_index = self
            .materials
            .iter()
            .position(|known| *known == material)
            .unwrap_or_else(|| {
                self.materials.push(material);
                self.materials.len() - 1
            });
        self.material_of_tet
            .extend(std::iter::repeat_n(material_index as u32, count));
        self.density_of_tet
            .extend(std::iter::repeat_n(density, count));
        self.damping_of_tet
            .extend(std::iter::repeat_n(damping, count));
    }

    /// Records the given forces of a body that are no constant nodal ones; `place` gives the point of each of its
    /// nodes.
    fn add_loads(
        &mut self,
        body: usize,
        varying: &[GivenPull],
        load: &GivenLoad,
        place: impl Fn(u32) -> u32,
    ) {
        self.varying.extend(varying.iter().map(|pull| VaryingPull {
            points: pull.nodes.iter().map(|&node| place(node)).collect(),
            share: pull.share,
            force: pull.force.clone(),
        }));
        if *load != GivenLoad::default() {
            self.loads_of_bodies.push((body, load.clone()));
        }
    }

    /// Records the held points of a body; `place` gives the point of each of its nodes.
    fn add_held(&mut self, body: usize, name: &str, held: &[HeldPart], place: impl Fn(u32) -> u32) {
        self.held.extend(held.iter().map(|part| {
            let mut points: Vec<u32> = part.nodes.iter().map(|&node| place(node)).collect();
            points.sort_unstable();
            HeldPoints {
                name: format!("{name}/{}", part.name),
                body,
                points,
            }
        }));
    }

    /// Records the strain measure of a solid whose tetrahedra are already added; `place` gives the point of each of its
    /// nodes.
    fn add_strains(
        &mut self,
        part: &BodyPart,
        material: &Material,
        place: &[u32],
        first_tet: usize,
    ) {
        let first = self.rest.len();
        let law = &part.material;
        let in_rows = law.formulation == Some(Formulation::Compliance);
        let cells: Vec<[u32; 8]> = (part.cells.iter())
            .map(|cell| cell.map(|node| place[node as usize]))
            .collect();
        let tets = &self.tets[first_tet..];
        let apart = law.has_constraints();
        self.filling.resize(self.tets.len(), apart);
        let first_cell = self.cells.len() as u32;
        let cell_of_tet = cells_of_tets(tets, &cells);
        (self.cell_of_tet).extend(cell_of_tet.iter().map(|cell| cell.map(|c| c + first_cell)));
        self.cells.extend(&cells);
        self.stiff_cells.resize(self.cells.len(), !apart);
        if !apart {
            return;
        }
        let material = material.clone();
        let elements = match law.meshless {
            Some(radius) => Elements::Meshless {
                filling: tets.to_vec(),
                radius,
                material,
            },
            None if cells.is_empty() => Elements::Tetrahedra {
                corners: tets.to_vec(),
                material,
            },
            None => Elements::Hexahedra {
                corners: cells,
                material,
            },
        };
        self.strains.push(StrainBody {
            name: part.name.clone(),
            points: first..first + place.len(),
            first_element: match elements {
                Elements::Hexahedra { .. } => first_cell as usize,
                _ => first_tet,
            },
            elements,
            damping: law.stiffness_damping,
            in_rows,
            yield_stress: law.yield_stress,
        });
    }

    /// Records the strain constraints of a sheet, and removes stretching from its elastic terms.
    fn add_sheet(&mut self, part: &ShellPart, formulation: Formulation) {
        let offset = self.rest.len() as u32;
        let sheet = Sheet {
            along: part.shell.stretch,
            poisson: part.shell.poisson.unwrap_or(0.0),
            orthotropic: (part.fibre.zip(part.shell.orthotropic))
                .map(|(fibre, of)| (fibre, of.across, of.shear)),
        };
        let elements = if part.quadrilaterals.is_empty() {
            let triangles = part.mesh.triangles().iter();
            Elements::Triangles {
                corners: triangles.map(|t| t.map(|x| x + offset)).collect(),
                sheet,
            }
        } else {
            let quadrilaterals = part.quadrilaterals.iter();
            Elements::Quadrilaterals {
                corners: quadrilaterals.map(|q| q.map(|x| x + offset)).collect(),
                sheet,
            }
        };
        self.strains.push(StrainBody {
            name: part.name.clone(),
            points: self.rest.len()..self.rest.len() + part.mesh.vertices().len(),
            // Sheets have no stress of their own in frames.
            first_element: 0,
            elements,
            damping: 0.0,
            in_rows: formulation == Formulation::Compliance,
            yield_stress: None,
        });
    }

    /// The pairs of features that may touch. `joined` bodies overlap where they are joined.
    fn filter(&self, joined: Vec<[u32; 2]>) -> PairFilter {
        // Only bodies of elements change their shape.
        let bodies = self.bodies.iter().chain(&self.obstacles);
        let keep_shape = (0..)
            .zip(bodies)
            .filter(|(_, body)| body.tets.is_empty() && !body.thin);
        PairFilter {
            without_self_contact: keep_shape.map(|(body, _)| body).collect(),
            user_group: if joined.is_empty() {
                Vec::new()
            } else {
                (0..(self.bodies.len() + self.obstacles.len()) as u32).collect()
            },
            excluded_groups: joined,
            ..PairFilter::default()
        }
    }

    #[expect(clippy::too_many_lines, reason = "one line per field of the model")]
    pub(super) fn finish(
        mut self,
        scene: &Scene,
        parts: &SceneParts,
    ) -> Result<(Model, State), SimError> {
        let elastic = ElasticModel::new(
            &self.rest,
            &self.tets,
            &self.materials,
            &self.material_of_tet,
            &self.density_of_tet,
        )?
        .with_damping(&self.damping_of_tet)
        .with_filling(&self.filling)
        .with_hexahedra(
            &self.rest,
            &self.cells,
            &self.cell_of_tet,
            &self.stiff_cells,
        )?;
        let is_free =
            |motion: &PointMotion| matches!(motion, PointMotion::Free(_) | PointMotion::Rigid(_));
        let lets_go = parts.motions.iter().any(|motion| motion.until.is_some());
        if !self.motions_of_points.iter().any(is_free) && !lets_go {
            return Err(SimError::NothingMoves);
        }
        let joined = self.constraints(scene, &parts.motions)?;
        let changing = Self::changing_offsets(&joined);
        let lines = Self::lines(&joined);
        let Joined {
            constraints: rows,
            joints,
            soft,
            soft_links,
            held,
            stress_points,
            pairs: joined,
            first_bodies,
            notices: doubtful_joints,
            joint_names,
            changing: _,
            lines: _,
        } = joined;
        let filter = self.filter(joined.clone());
        let surface =
            CollisionSurface::new(self.triangles, self.rest.len(), self.group, self.passive)
                .with_filter(&filter);
        let solver = solver_settings(scene, !rows.is_empty());
        let (of_joints, strains) = rows.split_at(joints);
        let of_scene = RowsOfScene {
            joints: of_joints,
            strains,
        };
        check_method(scene, &solver, &of_scene)?;
        let mut mass = elastic.lumped_mass();
        for &(point, share) in &self.thin.masses {
            mass[point] = share;
        }
        let mut mass_damping = elastic.lumped_mass_damping();
        for (point, damping) in self.damping_of_thin {
            mass_damping[point] = damping;
        }
        // Points without a nodal force come last.
        self.pull.resize(self.rest.len(), Vector3::zeros());
        let solids: Vec<&Body> = self.bodies.iter().chain(&self.obstacles).collect();
        let lengths = BodyLengths::new(&solids, &surface, &self.rest);
        let mut geometry = Geometry {
            bodies: self.bodies,
            obstacles: self.obstacles,
            half_spaces: (parts.half_spaces.iter())
                .map(|part| HalfSpace {
                    name: part.name.clone(),
                    point: part.point,
                    normal: part.normal,
                    friction: part.friction,
                })
                .collect(),
            frictions: BTreeMap::new(),
            neighbours: Neighbours::new(&surface),
            surface,
            lengths,
            tolerances: scales(scene),
        };
        set_pair_frictions(scene, &mut geometry)?;
        let points = Points {
            mass_damping,
            rest: self.rest,
            mass,
            pull: self.pull,
        };
        let elements = super::Elements {
            tets: self.tets,
            elastic,
            thin: self.thin,
        };
        let constraints = Constraints {
            rows,
            joints,
            soft,
            soft_links,
            held,
            joined,
            lines,
            joint_names,
            first_bodies,
            stress_points,
            changing,
            geometric_stiffness: joint_stiffness(scene),
            unsymmetric: scene.solver.joint_stiffness == JointStiffness::Unsymmetric,
        };
        let of_scene = LoadsOfScene {
            constant: points.pull.clone(),
            varying: self.varying,
            of_bodies: self.loads_of_bodies,
        };
        let loads = Loads::new(of_scene, geometry.bodies.len(), self.rigid.len());
        let components = Components::new(&geometry, &points.mass, &elements, &constraints);
        let unknowns = Unknowns::new(
            self.motions_of_points,
            parts.motions.clone(),
            &mut self.rigid,
            &elements,
            &constraints,
        );
        let mut model = Model {
            geometry,
            points,
            rigid: self.rigid,
            held: self.held,
            loads,
            elements,
            constraints,
            components,
            unknowns,
            settings: Settings {
                gravity: scene.world.gravity.into(),
                time_step: scene.time.step,
                minimum_step: scene.time.minimum_step(),
                free_flight: scene.time.free_flight,
                elasticity: scene.time.elasticity,
                integrator: scene.time.integrator,
                allow_inversion: scene.solver.allow_inversion,
                anchored_contacts: scene.solver.anchored_contacts,
                solver,
                broad_phase: scene.solver.broad_phase.0,
                rest_compliance: (scene.solver.rest_compliance.as_ref())
                    .map(|folder| scene.folder().join(folder)),
                asynchronous: scene.asynchronous,
            },
            notices: Notices {
                touching: None,
                doubtful_joints,
            },
        };
        let state = start::start_state(&mut model, self.velocities, self.rigid_start);
        Ok((model, state))
    }
}
