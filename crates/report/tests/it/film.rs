//! Films.

use impinge_report::Film;
use impinge_report::viewer::{Part, page};
use impinge_sim::{Scene, Simulation};
use serde_json::Value;

use super::land;

fn film(frames: u64) -> (Value, Vec<Part>) {
    let (description, parts) = land(&["cr"], frames, frames).film.parts();
    (serde_json::from_str(&description).expect("JSON"), parts)
}

fn part<'a>(parts: &'a [Part], name: &str) -> &'a [u8] {
    let part = parts.iter().find(|part| part.name == name);
    &part.expect("the part").bytes
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    let (chunks, rest) = bytes.as_chunks();
    assert!(rest.is_empty(), "whole numbers");
    chunks
        .iter()
        .map(|&chunk| f32::from_le_bytes(chunk))
        .collect()
}

fn whole(bytes: &[u8]) -> Vec<u32> {
    numbers(bytes).into_iter().map(f32::to_bits).collect()
}

fn floats(value: &Value) -> Vec<f64> {
    let entries = value.as_array().expect("a list").iter();
    entries
        .map(|entry| entry.as_f64().expect("a number"))
        .collect()
}

#[test]
fn a_film_has_all_triangles_of_the_surface_in_every_frame() {
    let (film, parts) = film(4);
    // Six sides of 2 × 2 squares, 26 vertices, and of one square, 8 vertices; the start and the ends of four steps.
    assert_eq!(
        (&film["triangles"], &film["vertices"]),
        (&60.into(), &34.into())
    );
    assert_eq!(film["closed"], 60);
    assert_eq!(film["steps"], serde_json::json!([0, 1, 2, 3, 4]));
    let surface = whole(part(&parts, "surface"));
    assert_eq!(surface.len(), 3 * 60 + 2 * 34);
    assert!(surface[..180].iter().all(|&corner| corner < 34));
    let bodies = &surface[180..214];
    assert_eq!(bodies.iter().filter(|&&body| body == 0).count(), 26);
    // Both corners of a triangle belong to its body.
    let (triangles, _) = surface[..180].as_chunks::<3>();
    let body = |corner: u32| bodies[corner as usize];
    assert!(
        triangles
            .iter()
            .all(|&[a, b, c]| body(a) == body(b) && body(b) == body(c))
    );
}

#[test]
fn frames_hold_positions_stresses_volume_ratios_and_contact_forces() {
    let (film, parts) = film(4);
    let (low, high) = (floats(&film["low"]), floats(&film["high"]));
    let mut touched = 0;
    for frame in 0..5 {
        let bytes = part(&parts, &format!("frame{frame}"));
        let count = whole(&bytes[..4])[0] as usize;
        assert_eq!(bytes.len(), 4 * (1 + 5 * 34 + 4 * count));
        let values = numbers(bytes);
        for (i, &x) in values[1..103].iter().enumerate() {
            let x = f64::from(x);
            assert!(x >= low[i % 3] && x <= high[i % 3], "{x}");
        }
        assert!(values[103..137].iter().all(|&stress| stress >= 0.0));
        let ratios = &values[137..171];
        assert!(
            ratios.iter().all(|&ratio| (ratio - 1.0).abs() < 0.2),
            "{ratios:?}"
        );
        if frame == 0 {
            assert!(ratios.iter().all(|&ratio| (ratio - 1.0).abs() < 1e-6));
        }
        touched += count;
    }
    assert!(touched > 0, "the cube lands");
    assert!(floats(&film["force"])[1] > 0.0);
}

#[test]
fn frames_end_with_the_points_of_ropes() {
    let text = r#"
[time]
step = 1e-2
duration = 1e-1
[[body]]
name = "cube"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
[[joint]]
kind = "rope"
first = "cube"
anchor = [0.05, 0, 0]
end = [1, 2, 3]
via = [{ at = [0, 0, 4] }]
length = 20
"#;
    let scene = Scene::parse("rope.toml", text, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("a simulation");
    let mut film = Film::new(&simulation, 1);
    film.watch(&simulation);
    simulation.advance().expect("a step");
    film.end(&simulation);
    let (description, parts) = film.parts();
    let description: Value = serde_json::from_str(&description).expect("JSON");
    assert_eq!(description["lines"], serde_json::json!([3]));
    for (frame, fallen) in [0.0, 9.81e-4].into_iter().enumerate() {
        let values = numbers(part(&parts, &format!("frame{frame}")));
        assert_eq!(values.len(), 1 + 3 * 8 + 9);
        let expected = [0.05, 0.0, -fallen, 0.0, 0.0, 4.0, 1.0, 2.0, 3.0];
        for (found, expected) in values[25..].iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
        }
    }
    // The whole rope is in the picture.
    assert_eq!(floats(&description["high"]), [1.0, 2.0, 4.0]);
    assert_eq!(self::film(1).0["lines"], serde_json::json!([]));
}

#[test]
fn the_ground_is_a_rectangle_under_the_cube() {
    let (film, _) = film(4);
    let corners = film["walls"][0]["corners"]
        .as_array()
        .expect("four corners");
    assert_eq!(corners.len(), 4);
    let (low, high) = (floats(&film["low"]), floats(&film["high"]));
    for axis in 0..2 {
        let along = || corners.iter().map(|corner| floats(corner)[axis]);
        assert!(along().fold(f64::INFINITY, f64::min) < low[axis]);
        assert!(along().fold(f64::NEG_INFINITY, f64::max) > high[axis]);
    }
    assert!(corners.iter().all(|corner| floats(corner)[2].abs() < 1e-12));
    assert_eq!(floats(&film["up"]), [0.0, 0.0, 1.0]);
}

#[test]
fn a_page_needs_no_network_and_escapes_names() {
    let film = land(&["cr"], 1, 1).film;
    let html = page("</title><script>", &film);
    assert!(html.contains("&lt;/title&gt;&lt;script&gt;"));
    for address in ["http://", "https://", "src=", "import "] {
        assert!(!html.contains(address), "{address}");
    }
    let scripts = html.matches("<script").count();
    assert_eq!(scripts, html.matches("</script>").count());
    assert_eq!(
        scripts,
        1 + 1 + 2 + 1,
        "description, surface, two frames, program"
    );
}
