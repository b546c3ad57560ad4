//! C11: two springs, each stable by itself, that are not stable together.

use super::support::{law, particle};
use impinge_sim::stepper::asynchronous::force::{ClockedForce, ElasticTerms, ForceKind};
use impinge_sim::stepper::asynchronous::{Engine, Settings, Vertex};
use nalgebra::Vector3;

/// `V = ½ k x²` on one vertex.
#[derive(Debug)]
struct ToTheOrigin {
    stiffness: f64,
    period: f64,
}

impl ClockedForce for ToTheOrigin {
    fn kind(&self) -> ForceKind {
        ForceKind::Given
    }
    fn period(&self) -> f64 {
        self.period
    }
    fn terms(&self) -> usize {
        1
    }
    fn stencil(&self) -> &[u32] {
        &[0]
    }
    fn kick(&self, vertices: &mut [Vertex]) {
        let impulse = vertices[0].position * (-self.stiffness * self.period);
        vertices[0].kick(&impulse);
    }
    fn energy(&self, positions: &[Vector3<f64>]) -> f64 {
        0.5 * self.stiffness * positions[0].norm_squared()
    }
}

/// Largest energy in 300 steps of the soft spring (`k = 0.05`), beside a stiff one (`k = 1`, `h = 0.1`), in that at the start.
fn growth(soft_period: f64) -> f64 {
    let mut system = particle(1.0, false);
    system.planes.clear();
    system.law = law(1.0, 1e-3);
    system.forces = vec![
        Box::new(ToTheOrigin {
            stiffness: 1.0,
            period: 0.1,
        }),
        Box::new(ToTheOrigin {
            stiffness: 0.05,
            period: soft_period,
        }),
    ];
    let mut engine = Engine::new(system, Settings::default()).expect("a sound system");
    let energy = |engine: &Engine, time: f64| {
        let vertex = engine.vertices()[0];
        0.5 * vertex.velocity.norm_squared() + 0.5 * 1.05 * vertex.at(time).norm_squared()
    };
    let first = energy(&engine, 0.0);
    (1..=300).fold(0.0, |most: f64, step| {
        let time = soft_period * f64::from(step);
        engine.run(time).expect("no trouble");
        most.max(energy(&engine, time) / first)
    })
}

#[test]
fn clocks_near_half_a_period_of_another_force_resonate() {
    // Both are far below the soft spring's own limit, 2/√0.05 = 8.9 s.
    let (resonant, quiet) = (growth(3.1), growth(2.5));
    assert!(resonant > 1e6, "{resonant:e}");
    assert!(quiet < 2.0, "{quiet}");
}

/// The rule against it: forces that share a vertex with a fast one keep `h ≤ ½ π/ω` of it.
#[test]
fn no_term_is_slower_than_its_neighbours_allow() {
    let stiff = impinge_fem::thin::EdgeSpring {
        points: [0, 1],
        stiffness: 1e4,
        rest_length: 1.0,
    };
    let soft = impinge_fem::thin::EdgeSpring {
        points: [1, 2],
        stiffness: 1e-6,
        rest_length: 1.0,
    };
    let rest = [Vector3::zeros(), Vector3::x(), Vector3::x() * 2.0];
    let batches = ElasticTerms {
        springs: &[(0.0, vec![stiff, soft])],
        membranes: &[],
        hinges: &[],
        solids: None,
        rest: &rest,
        masses: &[1.0; 3],
        force_step: 0.3,
        longest_period: 1.0,
    }
    .batches();
    let periods: Vec<f64> = batches.iter().map(|batch| batch.period()).collect();
    let longest = periods.iter().copied().fold(0.0, f64::max);
    // The share of the middle vertex is half of its mass.
    let fast = f64::sqrt(1e4 * (1.0 + 2.0));
    assert!(longest <= 0.5 * std::f64::consts::PI / fast, "{periods:?}");
}
