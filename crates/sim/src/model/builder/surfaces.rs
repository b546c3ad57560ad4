//! Solids of triangles in a model: thin bodies, rigid bodies, obstacles.

use super::Builder;
use crate::error::SimError;
use crate::geometry::Body;
use crate::model::PointMotion;
use crate::rigid::RigidBody;
use crate::scene::{Formulation, MeshObstaclePart, Placed, RigidMotion, RigidPart, ShellPart};
use impinge_fem::thin::{Shell, ShellMaterial};
use impinge_geometry::mesh::TriangleMesh;
use nalgebra::Vector3;

impl Builder {
    pub(in crate::model) fn add_shell(
        &mut self,
        part: &ShellPart,
        motions: &[RigidMotion],
        formulation: Formulation,
    ) -> Result<(), SimError> {
        let index = self.bodies.len();
        let first = self.rest.len();
        let offset = first as u32;
        let of_strains = !part.quadrilaterals.is_empty() || part.fibre.is_some();
        if of_strains {
            self.add_sheet(part, formulation);
        }
        let material = ShellMaterial {
            density: part.shell.density,
            stretch: if of_strains { 0.0 } else { part.shell.stretch },
            poisson: part.shell.poisson,
            bend: part.shell.bend,
        };
        let shell = Shell::new(part.mesh.vertices(), part.mesh.triangles(), &material).map_err(
            |error| SimError::Body {
                body: part.name.clone(),
                problem: error.to_string(),
            },
        )?;
        if let Some(point) = shell.masses.iter().position(|&mass| mass <= 0.0) {
            return Err(SimError::Body {
                body: part.name.clone(),
                problem: format!("no triangle uses point {point}, so it has no mass; remove it"),
            });
        }
        let mut springs = shell.springs;
        for term in &mut springs {
            term.points = term.points.map(|point| point + offset);
        }
        self.thin.springs.push((part.shell.damping, springs));
        let membranes = shell.membranes.into_iter().filter(|_| !of_strains);
        self.thin.membranes.extend(membranes.map(|mut term| {
            term.points = term.points.map(|point| point + offset);
            term
        }));
        let mut hinges = shell.hinges;
        for term in &mut hinges {
            term.points = term.points.map(|point| point + offset);
        }
        self.thin.hinges.push((part.shell.bend_damping, hinges));
        let damping = part.shell.mass_damping;
        let damped = shell.masses.iter().map(|mass| damping * mass);
        self.damping_of_thin.extend((first..).zip(damped));
        self.thin.masses.extend((first..).zip(shell.masses));
        if formulation == Formulation::Compliance {
            self.thin
                .in_rows
                .push(first..first + part.mesh.vertices().len());
        }
        let body = self.add_surface(index, &part.name, part.origin, &part.mesh);
        self.add_held(index, &part.name, &part.nodes.held, |node| node + offset);
        self.add_loads(index, &part.nodes.varying, &part.load, |node| node + offset);
        self.bodies.push(Body {
            thin: true,
            two_sided: true,
            friction: part.friction,
            ..body
        });
        self.add_nodes(&part.nodes, 0..part.mesh.vertices().len(), motions);
        Ok(())
    }

    pub(in crate::model) fn add_rigid(&mut self, part: &RigidPart, motions: &[RigidMotion]) {
        let index = self.bodies.len();
        let (motion, velocities) = if let Some(motion) = part.motion {
            let law = &motions[motion];
            let of = |x: &Vector3<f64>| law.velocity_at(x, 0.0);
            let velocities = part.mesh.vertices().iter().map(of).collect();
            (PointMotion::Prescribed(motion as u32), velocities)
        } else {
            let center = part.inertia.center();
            let arms: Vec<_> = part.mesh.vertices().iter().map(|x| x - center).collect();
            let first_point = self.rest.len();
            let rigid = RigidBody {
                body: index,
                points: first_point..first_point + arms.len(),
                first_block: u32::MAX,
                inertia: part.inertia,
                arms,
            };
            let spin = part.angular_velocity;
            let velocities = rigid.arms.iter().map(|a| part.velocity + spin.cross(a));
            let velocities = velocities.collect();
            self.add_loads(index, &[], &part.load, |node| node);
            self.rigid_start.push(rigid.start(part.velocity, spin));
            self.rigid.push(rigid);
            (PointMotion::Rigid(self.rigid.len() as u32 - 1), velocities)
        };
        let body = self.add_surface(index, &part.name, part.origin, &part.mesh);
        self.bodies.push(Body {
            free_rigid: part.motion.is_none(),
            friction: part.friction,
            ..body
        });
        self.velocities.extend::<Vec<_>>(velocities);
        self.motions_of_points.resize(self.rest.len(), motion);
        self.passive.push(part.motion.is_some());
    }

    pub(in crate::model) fn add_obstacle(
        &mut self,
        part: &MeshObstaclePart,
        motions: &[RigidMotion],
    ) {
        let index = self.bodies.len() + self.obstacles.len();
        let body = self.add_surface(index, &part.name, part.origin, &part.mesh);
        self.obstacles.push(Body {
            two_sided: part.mesh.check_closed().is_err(),
            friction: part.friction,
            ..body
        });
        let motion = &motions[part.motion];
        self.velocities.extend(
            part.mesh
                .vertices()
                .iter()
                .map(|x| motion.velocity_at(x, 0.0)),
        );
        self.motions_of_points
            .resize(self.rest.len(), PointMotion::Prescribed(part.motion as u32));
        self.passive.push(true);
    }

    /// Adds the points and triangles of solid `index`, which has no elements. Returns it without friction.
    fn add_surface(
        &mut self,
        index: usize,
        name: &str,
        origin: Placed,
        mesh: &TriangleMesh,
    ) -> Body {
        let first_point = self.rest.len();
        let offset = first_point as u32;
        let first_triangle = self.triangles.len();
        self.rest.extend_from_slice(mesh.vertices());
        self.triangles.extend(
            mesh.triangles()
                .iter()
                .map(|t| t.map(|vertex| vertex + offset)),
        );
        self.group.resize(self.rest.len(), index as u32);
        Body {
            name: name.to_owned(),
            origin,
            points: first_point..self.rest.len(),
            tets: self.tets.len()..self.tets.len(),
            thin: false,
            free_rigid: false,
            two_sided: false,
            triangles: first_triangle..self.triangles.len(),
            friction: 0.0,
            original_nodes: (0..mesh.vertices().len() as u32).collect(),
        }
    }
}
