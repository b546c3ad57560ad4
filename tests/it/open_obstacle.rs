//! Open surfaces as obstacles: they have two sides, like a thin body with all nodes prescribed.

use crate::support::{assert_apart, simulation};
use impinge_sim::Simulation;
use nalgebra::Vector3;
use std::fmt::Write;

/// A slope of 25 degrees in strips of a metre, as triangles oriented upwards or downwards.
fn slope(upwards: bool) -> String {
    let tangent = 25.0_f64.to_radians().tan();
    let mut text = String::new();
    for x in -2..=2 {
        for y in [-1.0, 1.0] {
            writeln!(text, "v {x} {y} {}", -tangent * f64::from(x)).expect("memory");
        }
    }
    for cell in 0..4 {
        let [a, b, c, d] = [1, 2, 3, 4].map(|corner| 2 * cell + corner);
        if upwards {
            writeln!(text, "f {a} {c} {d} {b}").expect("memory");
        } else {
            writeln!(text, "f {b} {d} {c} {a}").expect("memory");
        }
    }
    text
}

/// A block on one side of the slope, with gravity towards it.
fn block(side: f64, slope: &str) -> Simulation {
    let (sine, cosine) = 25.0_f64.to_radians().sin_cos();
    let height = side * (0.1 + 1e-3);
    let text = format!(
        "[time]\nstep = 5e-3\nduration = 1.0\n[world]\nfriction = 0.3\ngravity = [0, 0, {}]\n\
         [[body]]\nname = \"block\"\nkind = \"rigid\"\nmesh = {{ cuboid = {{ \
         size = [0.4, 0.4, 0.2], cells = [1, 1, 1] }} }}\ndensity = 1000\nposition = [{}, 0, {}]\nrotation = {{ axis \
         = [0, 1, 0], degrees = 25 }}\n{slope}",
        -9.81 * side,
        sine * height,
        cosine * height,
    );
    simulation(&text, &[])
}

fn center(simulation: &Simulation) -> Vector3<f64> {
    let model = simulation.model();
    let body = model
        .geometry
        .bodies
        .iter()
        .find(|body| body.name == "block");
    let points = body.expect("the block").points.clone();
    let count = points.len() as f64;
    simulation.state().positions[points]
        .iter()
        .sum::<Vector3<f64>>()
        / count
}

/// A block slides down by half g (sin - mu cos) t^2, on either side of the surface and with either orientation, as on a
/// prescribed thin body.
#[test]
fn a_block_slides_on_an_open_surface() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (side, upwards) in [(1.0, true), (1.0, false), (-1.0, true)] {
        let path = folder.path().join("slope.obj");
        std::fs::write(&path, slope(upwards)).expect("a writable folder");
        let file = format!("{{ file = {{ path = \"{}\" }} }}", path.display());
        let obstacle = format!("[[obstacle]]\nname = \"slope\"\nshape = {file}\n");
        let shell = format!(
            "[[body]]\nname = \"slope\"\nkind = \"shell\"\nmesh = {file}\nshell = {{ \
             stretch = 1, density = 1 }}\nfixed = [{{}}]\n"
        );
        let mut runs = [block(side, &obstacle), block(side, &shell)];
        let start = runs.each_ref().map(center);
        for run in &mut runs {
            for _ in 0..60 {
                run.advance().expect("nothing is in the way");
            }
            assert_apart(run.model(), run.state());
        }
        let [free, held] = [0, 1].map(|run| center(&runs[run]) - start[run]);
        // Their clearances differ: edges of a prescribed thin body count, those of an obstacle do not.
        let clearances = runs
            .each_ref()
            .map(|run| run.model().geometry.largest_clearance());
        let most = clearances[0].max(clearances[1]);
        assert!((free - held).norm() < most, "{free} and {held}");
        let (sine, cosine) = 25.0_f64.to_radians().sin_cos();
        let way = 0.5 * 9.81 * (sine - 0.3 * cosine) * 0.3 * 0.3;
        let down = free.dot(&Vector3::new(cosine, 0.0, -sine)) * side;
        assert!((down - way).abs() < 0.05 * way, "{down} for {way}");
    }
}
