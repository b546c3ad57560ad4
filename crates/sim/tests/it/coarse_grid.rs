//! A finely meshed body in long steps: the same bits with any number of threads and after a resume.

use crate::recorded::{record, recorded, scene};
use impinge_sim::output::{Manifest, read_frame};
use impinge_sim::{Scene, Simulation};
use nalgebra::Vector3;

/// A cube of 13³ nodes lands on a corner in steps in which sound crosses it.
const LANDING: &str = "
[time]
step = 1.6e-2
duration = 6.4e-2
[world]
friction = 0.5
[output]
every = 1
[[body]]
name = \"cube\"
mesh = { cuboid = { size = [0.5, 0.5, 0.5], cells = [12, 12, 12] } }
material = { model = \"corotational\", young = 1e6, poisson = 0.3, density = 1000 }
position = [0, 0, 0.315]
rotation = { axis = [1, 2, 0], degrees = 12 }
velocity = [0, 0, -2]
[[obstacle]]
name = \"ground\"
shape = { half_space = { normal = [0, 0, 1] } }
";

/// Points at the end, and the iterations of all steps.
fn landed(scene: &Scene, threads: usize) -> (Vec<Vector3<f64>>, u64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads").install(|| {
        let mut simulation = Simulation::new(scene).expect("a simulation");
        let mut iterations = 0;
        for _ in 0..scene.time.steps() {
            iterations += simulation.step().expect("a step").iterations;
        }
        (simulation.state().positions.clone(), iterations)
    })
}

#[test]
fn threads_and_resumes_change_no_bit() {
    let scene = scene(LANDING, &[]);
    let (points, iterations) = landed(&scene, 1);
    assert_eq!(landed(&scene, 3).0, points);
    // A cube of 12³ nodes has no grid.
    let cells = ["body.0.mesh.cuboid.cells=[11,11,11]"];
    let (_, without) = landed(&crate::recorded::scene(LANDING, &cells), 1);
    assert!(2 * iterations < without, "{iterations} {without}");

    let whole = recorded(&scene);
    let in_two = tempfile::tempdir().expect("a temporary folder");
    record(&scene, in_two.path(), 2);
    record(&scene, in_two.path(), scene.time.steps());
    for folder in [whole.path(), in_two.path()] {
        let manifest = Manifest::read(folder).expect("a manifest");
        let last = manifest.frames.last().expect("a frame");
        let frame = read_frame(folder.join(&last.file)).expect("a frame");
        assert_eq!(frame.points, points);
    }
}
