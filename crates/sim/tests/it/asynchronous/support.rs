//! Small systems.

use impinge_contact::penalty::LayerLaw;
use impinge_fem::thin::{Shell, ShellMaterial};
use impinge_geometry::surface::CollisionSurface;
use impinge_sim::stepper::asynchronous::force::{ClockedForce, ElasticTerms, UniformForce};
use impinge_sim::stepper::asynchronous::{FreeBodies, Plane, System};
use nalgebra::Vector3;

/// Gravity (m/s²).
pub(super) const GRAVITY: f64 = 9.81;

pub(super) fn law(stiffness: f64, thickness: f64) -> LayerLaw {
    LayerLaw::new(stiffness, thickness).expect("positive")
}

/// A particle of 1 kg above the floor `z = 0`: `r₁ = 1000 N/m`, `η₁ = 0.1 m`, gravity every millisecond.
pub(super) fn particle(height: f64, gravity: bool) -> System {
    let forces: Vec<Box<dyn ClockedForce>> = if gravity {
        let pull = Vector3::new(0.0, 0.0, -GRAVITY);
        vec![Box::new(UniformForce::gravity(
            1e-3,
            vec![0],
            vec![1.0],
            pull,
        ))]
    } else {
        Vec::new()
    };
    System {
        positions: vec![Vector3::new(0.3, -0.2, height)],
        velocities: vec![Vector3::zeros()],
        masses: vec![1.0],
        forces,
        scripts: Vec::new(),
        rigid: FreeBodies::default(),
        joints: Vec::new(),
        surface: CollisionSurface::new(Vec::new(), 1, vec![0], vec![false]),
        planes: vec![Plane {
            normal: Vector3::z(),
            offset: 0.0,
            friction: 0.0,
        }],
        law: law(1000.0, 0.1),
        restitution: 1.0,
        friction: vec![0.0],
    }
}

/// A sheet of `cells` squares, each two triangles, in the plane `z = 0` with a corner at the origin.
pub(super) fn sheet(cells: [usize; 2], cell: f64) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let [nx, ny] = cells;
    let index = |i: usize, j: usize| (i * (ny + 1) + j) as u32;
    let mut points = Vec::new();
    for i in 0..=nx {
        for j in 0..=ny {
            points.push(Vector3::new(cell * i as f64, cell * j as f64, 0.0));
        }
    }
    let mut triangles = Vec::new();
    for i in 0..nx {
        for j in 0..ny {
            let [a, b, c, d] = [
                index(i, j),
                index(i + 1, j),
                index(i + 1, j + 1),
                index(i, j + 1),
            ];
            if (i + j) % 2 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    (points, triangles)
}

/// A tetrahedron about a point.
pub(super) fn nail(at: Vector3<f64>, size: f64) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let points = [
        [1.0, 0.0, -0.7],
        [-0.5, 0.8, -0.7],
        [-0.5, -0.8, -0.7],
        [0.0, 0.0, 1.5],
    ];
    (
        points.map(|p| at + Vector3::from(p) * size).to_vec(),
        vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    )
}

/// Bodies to be combined into a system.
#[derive(Default)]
pub(super) struct Scene {
    pub(super) positions: Vec<Vector3<f64>>,
    pub(super) velocities: Vec<Vector3<f64>>,
    pub(super) masses: Vec<f64>,
    triangles: Vec<[u32; 3]>,
    group: Vec<u32>,
    passive: Vec<bool>,
    shell: Shell,
}

impl Scene {
    /// Adds a thin body at rest, in its rest shape; returns its first point.
    pub(super) fn add_shell(
        &mut self,
        points: &[Vector3<f64>],
        triangles: &[[u32; 3]],
        material: &ShellMaterial,
        velocity: Vector3<f64>,
    ) -> usize {
        let first = self.positions.len();
        let offset = first as u32;
        let shell = Shell::new(points, triangles, material).expect("a sound sheet");
        self.shell
            .springs
            .extend(shell.springs.into_iter().map(|mut term| {
                term.points = term.points.map(|point| point + offset);
                term
            }));
        self.shell
            .membranes
            .extend(shell.membranes.into_iter().map(|mut term| {
                term.points = term.points.map(|point| point + offset);
                term
            }));
        self.shell
            .hinges
            .extend(shell.hinges.into_iter().map(|mut term| {
                term.points = term.points.map(|point| point + offset);
                term
            }));
        self.masses.extend(shell.masses);
        self.add(points, triangles, velocity, false);
        first
    }

    /// Adds a prescribed body; returns its first point.
    pub(super) fn add_obstacle(
        &mut self,
        points: &[Vector3<f64>],
        triangles: &[[u32; 3]],
    ) -> usize {
        let first = self.positions.len();
        self.masses.resize(first + points.len(), f64::INFINITY);
        self.add(points, triangles, Vector3::zeros(), true);
        first
    }

    fn add(
        &mut self,
        points: &[Vector3<f64>],
        triangles: &[[u32; 3]],
        velocity: Vector3<f64>,
        passive: bool,
    ) {
        let offset = self.positions.len() as u32;
        self.positions.extend_from_slice(points);
        self.velocities.resize(self.positions.len(), velocity);
        self.triangles
            .extend(triangles.iter().map(|t| t.map(|point| point + offset)));
        self.group
            .resize(self.positions.len(), self.passive.len() as u32);
        self.passive.push(passive);
    }

    /// The system, with gravity (m/s²) along z unless it is 0.
    pub(super) fn system(self, law: LayerLaw, gravity: f64) -> System {
        self.system_under(law, Vector3::new(0.0, 0.0, -gravity))
    }

    /// The system, with gravity (m/s²) unless it is 0.
    pub(super) fn system_under(self, law: LayerLaw, gravity: Vector3<f64>) -> System {
        let mut forces = ElasticTerms {
            springs: &[(0.0, self.shell.springs)],
            membranes: &self.shell.membranes,
            hinges: &[(0.0, self.shell.hinges)],
            solids: None,
            rest: &self.positions,
            masses: &self.masses,
            force_step: 0.3,
            longest_period: 1e-3,
        }
        .batches(&mut vec![f64::INFINITY; self.masses.len()]);
        if gravity != Vector3::zeros() {
            let free: Vec<u32> = (0..self.masses.len() as u32)
                .filter(|&point| self.masses[point as usize].is_finite())
                .collect();
            let masses = free
                .iter()
                .map(|&point| self.masses[point as usize])
                .collect();
            forces.push(Box::new(UniformForce::gravity(1e-3, free, masses, gravity)));
        }
        let bodies = self.passive.len();
        System {
            surface: CollisionSurface::new(
                self.triangles,
                self.positions.len(),
                self.group,
                self.passive,
            ),
            positions: self.positions,
            velocities: self.velocities,
            masses: self.masses,
            forces,
            scripts: Vec::new(),
            rigid: FreeBodies::default(),
            joints: Vec::new(),
            planes: Vec::new(),
            law,
            restitution: 1.0,
            friction: vec![0.0; bodies],
        }
    }
}

/// Light cloth.
pub(super) const CLOTH: ShellMaterial = ShellMaterial {
    density: 0.2,
    stretch: 50.0,
    poisson: None,
    bend: 1e-6,
};

/// A small generator (SplitMix64), uniform in [-1, 1).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / 2.0_f64.powi(52) - 1.0
    }
}
