//! How far may these points move? The largest step of a motion that is certified free of collision, from arrays alone.
//!
//! `cargo run -p impinge-geometry --example step_size`
#![expect(clippy::print_stdout, reason = "the result is this program's purpose")]

use impinge_geometry::ccd::{CandidatePair, CcdRule, SurfaceArrays, step_size_under};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A triangle on the ground and a needle above it: any arrays of points, edges and faces will do.
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.2, 0.2, 0.4],
        [0.2, 0.2, 1.4],
    ];
    let surface = SurfaceArrays {
        vertices: &[0, 1, 2, 3, 4],
        edges: &[[0, 1], [1, 2], [2, 0], [3, 4]],
        faces: &[[0, 1, 2]],
    };

    // One step of a solver wants to move the needle down by 1 m.
    let mut wanted = points;
    wanted[3][2] -= 1.0;
    wanted[4][2] -= 1.0;

    // The surfaces must stay 1 mm apart.
    let rule = CcdRule {
        minimum_separation: 1e-3,
        ..CcdRule::default()
    };
    let step = step_size_under(surface, &points, &wanted, &rule)?;
    println!("the step may be {:.6} of the wanted one", step.fraction);
    assert!((step.fraction - 0.399).abs() < 1e-5);

    let limit = step.limit.ok_or("the needle hits the triangle")?;
    let pair = match limit.pair {
        CandidatePair::VertexFace { vertex, face } => format!("point {vertex} hits face {face}"),
        CandidatePair::EdgeEdge { first, second } => format!("edge {first} hits edge {second}"),
    };
    println!("{pair}");
    assert_eq!(limit.pair, CandidatePair::VertexFace { vertex: 3, face: 0 });

    // Indices that do not exist, NaN and arrays of different lengths are errors with a name.
    let wrong = SurfaceArrays {
        vertices: &[9],
        ..surface
    };
    let error = step_size_under(wrong, &points, &wanted, &rule).expect_err("there is no point 9");
    println!("error: {error}");
    Ok(())
}
