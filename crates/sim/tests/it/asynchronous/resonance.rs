//! Two springs that are stable alone and unstable together.

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
    fn kick(&mut self, vertices: &mut [Vertex]) {
        let impulse = vertices[0].position * (-self.stiffness * self.period);
        vertices[0].kick(&impulse);
    }
    fn energy(&self, positions: &[Vector3<f64>]) -> f64 {
        0.5 * self.stiffness * positions[0].norm_squared()
    }
}

/// Largest energy in 300 steps of the soft spring (`k = 0.05`), next to a stiff one (`k = 1`, `h = 0.1`), over the
/// initial energy.
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

/// The rule against it: each force has the clock of the fastest force at its vertices.
#[test]
fn no_term_is_slower_than_its_neighbours() {
    let spring = |points, stiffness| impinge_fem::thin::EdgeSpring {
        points,
        stiffness,
        rest_length: 1.0,
    };
    let period_of = |springs: &[impinge_fem::thin::EdgeSpring], middle: [u32; 2]| {
        let rest = [0.0, 1.0, 2.0, 3.0].map(|x| Vector3::x() * x);
        let batches = ElasticTerms {
            springs: &[(0.0, springs.to_vec())],
            membranes: &[],
            hinges: &[],
            solids: None,
            rest: &rest,
            masses: &[1.0; 4],
            force_step: 0.3,
            longest_period: 1.0,
        }
        .batches(&mut [f64::INFINITY; 4]);
        let with_it = batches
            .iter()
            .find(|batch| middle.iter().all(|point| batch.stencil().contains(point)));
        with_it.expect("a batch").period()
    };
    // A middle vertex contributes half of its mass.
    let fast = f64::sqrt(1e4 * (1.0 + 2.0));
    let (stiff, soft, softer) = (
        spring([0, 1], 1e4),
        spring([1, 2], 1e-6),
        spring([2, 3], 1e-6),
    );
    let all = [stiff, soft, softer];
    let fastest = period_of(&all, [0, 1]);
    assert!(fastest <= 0.3 / fast && fastest > 0.15 / fast);
    assert!((period_of(&all, [1, 2]) - fastest).abs() == 0.0);
    // This term shares no vertex with a stiff one.
    assert!((period_of(&all, [2, 3]) - 1.0).abs() == 0.0);
}
