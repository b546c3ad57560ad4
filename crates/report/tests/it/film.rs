//! Films.

use super::land;

/// The numbers of `"key":[..]`, at any depth.
fn numbers(json: &str, key: &str) -> Vec<f64> {
    let begin = json.find(&format!("\"{key}\":[")).expect("the key") + key.len() + 3;
    let rest = &json[begin..];
    let mut depth = 0;
    let end = rest
        .find(|c| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            depth == 0
        })
        .expect("an end");
    rest[..end]
        .split(|c: char| "[],".contains(c))
        .filter(|text| !text.is_empty())
        .map(|text| text.parse().expect("a number"))
        .collect()
}

#[test]
fn a_film_has_all_triangles_of_the_surface_in_every_frame() {
    let json = land(&["cr"], 4, 4).film.json();
    // Six sides of 2 × 2 squares, 26 vertices, and of one square, 8 vertices; the start and the ends of four steps.
    let faces = numbers(&json, "f");
    assert_eq!(faces.len(), 4 * (48 + 12), "{json}");
    assert!(
        faces
            .chunks_exact(4)
            .all(|f| f[..3].iter().all(|&v| v < 34.0))
    );
    assert_eq!(numbers(&json, "t").len(), 5);
    assert_eq!(numbers(&json, "p").len(), 5 * 34 * 3);
}

#[test]
fn the_ground_is_a_square_under_the_cube() {
    let json = land(&["cr"], 4, 4).film.json();
    let ground = numbers(&json, "h");
    assert_eq!(ground.len(), 12, "{json}");
    let heights: Vec<f64> = numbers(&json, "p").chunks_exact(3).map(|x| x[2]).collect();
    let floor = ground[2];
    assert!(ground.chunks_exact(3).all(|x| (x[2] - floor).abs() < 1.5));
    assert!(heights.iter().all(|&z| z >= floor), "{json}");
    let sizes = numbers(&json, "s");
    assert!(
        numbers(&json, "p")
            .iter()
            .chain(&ground)
            .all(|&x| x >= 0.0 && x <= sizes.iter().copied().fold(0.0, f64::max))
    );
}
