//! Reference systems for tests and measurements: cables, chains, sheets.

use super::{ConstrainedError, ConstrainedSystem, box_inertia};
use impinge_contact::constraint::joint::{JointPlace, Side};
use impinge_contact::constraint::strain::triangle;
use impinge_contact::constraint::{Configuration, Point, link};
use nalgebra::{DMatrix, UnitQuaternion, Vector3};

/// A straight cable of equal links, one end fixed at the origin.
#[derive(Debug, Clone, Copy)]
pub struct Cable {
    /// Number of links.
    pub links: usize,
    /// Length of each (m).
    pub link_length: f64,
    /// Mass of each particle between two links (kg).
    pub node_mass: f64,
    /// Mass of the particle at the end (kg).
    pub end_mass: f64,
    /// Unit direction from the fixed end.
    pub along: Vector3<f64>,
    /// Compliance of a link (m/N).
    pub compliance: f64,
}

impl Cable {
    /// The cable under gravity (m/s²); particle 0 is the fixed end.
    ///
    /// # Errors
    /// [`ConstrainedError::Constraint`] for a link without length.
    pub fn build(&self, gravity: Vector3<f64>) -> Result<ConstrainedSystem, ConstrainedError> {
        let mut system = ConstrainedSystem::new(gravity);
        let mut last = system.add_fixed_particle(Vector3::zeros());
        for k in 1..=self.links {
            let mass = if k == self.links {
                self.end_mass
            } else {
                self.node_mass
            };
            let next = system.add_particle(self.along * (k as f64 * self.link_length), mass);
            let (from, to) = (Point::particle(last), Point::particle(next));
            let link = link::spring(&from, to, self.link_length, self.compliance)?;
            system.constraints.push(link.named("link"));
            last = next;
        }
        Ok(system)
    }

    /// Largest `|l − l̄|/l̄` of its links.
    pub fn largest_strain(&self, system: &ConstrainedSystem) -> f64 {
        let strain =
            |pair: &[Vector3<f64>]| ((pair[1] - pair[0]).norm() / self.link_length - 1.0).abs();
        let strains = system.positions.windows(2).map(strain);
        strains.fold(
            0.0,
            |most: f64, s| {
                if s > most || s.is_nan() { s } else { most }
            },
        )
    }
}

/// A row of boxes joined end to end, the first to the world at the origin.
#[derive(Debug, Clone, Copy)]
pub struct RigidChain {
    /// Number of boxes.
    pub bodies: usize,
    /// Edges of each (m); the first is along the chain.
    pub edges: Vector3<f64>,
    /// Mass of each but the last (kg).
    pub mass: f64,
    /// Mass of the last (kg).
    pub end_mass: f64,
    /// Whether joints are hinges about y instead of balls.
    pub hinges: bool,
    /// Limits of the angle of each hinge (rad).
    pub limits: Option<[f64; 2]>,
}

impl RigidChain {
    /// The chain, horizontal along x, under gravity (m/s²).
    ///
    /// # Errors
    /// [`ConstrainedError`] for boxes without volume or mass.
    pub fn build(&self, gravity: Vector3<f64>) -> Result<ConstrainedSystem, ConstrainedError> {
        let mut system = ConstrainedSystem::new(gravity);
        for k in 0..self.bodies {
            let mass = if k + 1 == self.bodies {
                self.end_mass
            } else {
                self.mass
            };
            let inertia = box_inertia(self.edges, mass)?;
            let center = Vector3::x() * ((k as f64 + 0.5) * self.edges.x);
            system.add_body(inertia, center, UnitQuaternion::identity());
        }
        let frames = system.frames();
        for k in 0..self.bodies {
            let place = JointPlace {
                first: if k == 0 {
                    Side::World
                } else {
                    Side::Body(k - 1)
                },
                second: Side::Body(k),
                anchor: Vector3::x() * (k as f64 * self.edges.x),
                state: Configuration {
                    particles: &[],
                    frames: &frames,
                },
            };
            if self.hinges {
                system.constraints.extend(place.hinge(Vector3::y())?);
            } else {
                system.constraints.push(place.ball()?);
            }
            if let Some([lower, upper]) = self.limits {
                let center = 0.5 * (lower + upper);
                let limits = place.turn_limits(Vector3::y(), lower, upper, center)?;
                system.constraints.extend(limits);
            }
        }
        Ok(system)
    }

    /// Largest distance between two coincident anchors, over the length of a body.
    pub fn largest_gap(&self, system: &ConstrainedSystem) -> f64 {
        let half = Vector3::x() * (0.5 * self.edges.x);
        let mut before = Vector3::zeros();
        let mut worst = 0.0_f64;
        for body in &system.bodies {
            let gap = (body.state.pose.place(&-half) - before).norm();
            if gap > worst || gap.is_nan() {
                worst = gap;
            }
            before = body.state.pose.place(&half);
        }
        worst / self.edges.x
    }
}

/// Constraints that give a sheet its stiffness.
#[derive(Debug, Clone)]
pub enum SheetMaterial {
    /// Length constraints along its edges.
    Distances {
        /// Compliance (m/N).
        compliance: f64,
    },
    /// St Venant–Kirchhoff triangles.
    Triangles {
        /// `D⁻¹` (1/Pa) for the three strain components.
        compliance: DMatrix<f64>,
        /// Thickness (m).
        thickness: f64,
    },
}

/// A square sheet in the xy plane.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// Particles along an edge.
    pub nodes: usize,
    /// Length of an edge (m).
    pub edge: f64,
    /// Mass of a particle (kg).
    pub node_mass: f64,
    /// Law and compliance of its constraints.
    pub material: SheetMaterial,
    /// Whether the whole row at `y = 0` is fixed, or its two corners only.
    pub whole_row: bool,
}

impl Sheet {
    /// Particle in column `i`, row `k`.
    pub fn node(&self, i: usize, k: usize) -> usize {
        k * self.nodes + i
    }

    /// The sheet under gravity (m/s²).
    ///
    /// # Errors
    /// [`ConstrainedError`] for a sheet without area.
    pub fn build(&self, gravity: Vector3<f64>) -> Result<ConstrainedSystem, ConstrainedError> {
        let mut system = ConstrainedSystem::new(gravity);
        let spacing = self.edge / (self.nodes - 1) as f64;
        for k in 0..self.nodes {
            for i in 0..self.nodes {
                let x = Vector3::new(i as f64, k as f64, 0.0) * spacing;
                if k == 0 && (self.whole_row || i == 0 || i + 1 == self.nodes) {
                    system.add_fixed_particle(x);
                } else {
                    system.add_particle(x, self.node_mass);
                }
            }
        }
        match &self.material {
            SheetMaterial::Distances { compliance } => {
                for k in 0..self.nodes {
                    for i in 0..self.nodes {
                        let here = self.node(i, k);
                        let mut link = |other: usize| {
                            if system.fixed[here] && system.fixed[other] {
                                return Ok(());
                            }
                            let (from, to) = (Point::particle(here), Point::particle(other));
                            let link = link::spring(&from, to, spacing, *compliance)?;
                            system.constraints.push(link.named("thread"));
                            Ok::<(), ConstrainedError>(())
                        };
                        if i + 1 < self.nodes {
                            link(self.node(i + 1, k))?;
                        }
                        if k + 1 < self.nodes {
                            link(self.node(i, k + 1))?;
                        }
                    }
                }
            }
            SheetMaterial::Triangles {
                compliance,
                thickness,
            } => {
                for k in 0..self.nodes - 1 {
                    for i in 0..self.nodes - 1 {
                        let [a, b] = [self.node(i, k), self.node(i + 1, k)];
                        let [c, d] = [self.node(i + 1, k + 1), self.node(i, k + 1)];
                        for corners in [[a, b, c], [a, c, d]] {
                            if corners.iter().all(|&x| system.fixed[x]) {
                                continue;
                            }
                            let rest = corners.map(|x| system.positions[x]);
                            let at = triangle(&rest, *thickness, Vector3::x())?;
                            let nodes = corners.map(Point::particle).to_vec();
                            let measure = link::Measure::GreenSurface;
                            let element = link::element(measure, at, nodes, compliance)?;
                            system.constraints.push(element.named("triangle"));
                        }
                    }
                }
            }
        }
        Ok(system)
    }
}
