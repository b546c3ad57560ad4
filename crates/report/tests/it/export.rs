//! Films for other programs.

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use impinge_report::Film;
use impinge_report::export::{Artist, Colouring, Shape, apng, glb, png, usda};
use impinge_sim::{Scene, Simulation};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde_json::Value;

use super::land;

/// A rigid cube that turns in free flight, and a fixed ground.
const SPIN: &str = r#"title = "a spin"

[time]
step = 1e-2
duration = 1e-1

[[body]]
name = "spinner"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.2, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0, 0, 1]
angular_velocity = [0, 0, 20]

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

fn spin() -> Film {
    film_of(SPIN, 10)
}

/// The film of the first steps of a scene.
fn film_of(scene: &str, steps: u64) -> Film {
    let scene = Scene::parse("spin.toml", scene, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("a simulation");
    let mut film = Film::new(&simulation, steps);
    for _ in 0..steps {
        film.watch(&simulation);
        simulation.advance().expect("a step");
    }
    film.end(&simulation);
    film
}

/// The JSON of a model and its numbers; the validator of the format reads whole models in `tests/browser`.
struct Model {
    json: Value,
    numbers: Vec<u8>,
}

impl Model {
    fn of(film: &Film) -> Self {
        let file = glb(film);
        let word = |at: usize| {
            u32::from_le_bytes([file[at], file[at + 1], file[at + 2], file[at + 3]]) as usize
        };
        assert_eq!(
            (&file[..4], word(4), word(8)),
            (&b"glTF"[..], 2, file.len())
        );
        let end = 20 + word(12);
        assert_eq!(
            (&file[16..20], &file[end + 4..end + 8]),
            (&b"JSON"[..], &b"BIN\0"[..])
        );
        Self {
            json: serde_json::from_slice(&file[20..end]).expect("JSON"),
            numbers: file[end + 8..].to_vec(),
        }
    }

    /// The numbers of an accessor, as they are stored.
    fn words(&self, accessor: &Value) -> Vec<[u8; 4]> {
        let index = |value: &Value| value.as_u64().expect("a number") as usize;
        let accessor = &self.json["accessors"][index(accessor)];
        let view = &self.json["bufferViews"][index(&accessor["bufferView"])];
        let begin = index(&view["byteOffset"]);
        let bytes = &self.numbers[begin..begin + index(&view["byteLength"])];
        bytes.as_chunks().0.to_vec()
    }

    fn floats(&self, accessor: &Value) -> Vec<f32> {
        self.words(accessor)
            .into_iter()
            .map(f32::from_le_bytes)
            .collect()
    }

    /// Times and values of the first channel that moves `path`.
    fn channel(&self, path: &str) -> (Vec<f32>, Vec<f32>) {
        let animation = &self.json["animations"][0];
        let channels = animation["channels"].as_array().expect("channels");
        let channel = channels
            .iter()
            .find(|channel| channel["target"]["path"] == path);
        let sampler = channel.expect("the channel")["sampler"]
            .as_u64()
            .expect("a sampler") as usize;
        let sampler = &animation["samplers"][sampler];
        (
            self.floats(&sampler["input"]),
            self.floats(&sampler["output"]),
        )
    }
}

#[test]
fn a_model_has_named_bodies_and_a_morph_target_per_later_frame() {
    let model = Model::of(&land(&["cr"], 4, 4).film);
    for (node, name) in ["cube", "rider", "ground"].iter().enumerate() {
        assert_eq!(model.json["nodes"][node]["name"], *name);
    }
    let primitive = &model.json["meshes"][0]["primitives"][0];
    let corners = model.words(&primitive["indices"]);
    assert_eq!(corners.len(), 3 * 48);
    assert!(
        corners
            .iter()
            .all(|&corner| u32::from_le_bytes(corner) < 26)
    );
    assert_eq!(
        model.floats(&primitive["attributes"]["POSITION"]).len(),
        3 * 26
    );
    let targets = primitive["targets"].as_array().expect("targets");
    assert_eq!(targets.len(), 4);
    // The cube falls 1 mm in the first step.
    let differences = model.floats(&targets[0]["POSITION"]);
    assert!(
        differences
            .chunks_exact(3)
            .all(|x| (x[2] + 1e-3).abs() < 3e-4),
        "{differences:?}"
    );
    let (times, weights) = model.channel("weights");
    assert_eq!((times.len(), weights.len()), (5, 5 * 4));
    assert!((times[4] - 4e-3).abs() < 1e-6);
    for (frame, weights) in weights.chunks_exact(4).enumerate() {
        let expected = [1, 2, 3, 4].map(|target| f32::from(u8::from(target == frame)));
        assert_eq!(weights, expected);
    }
}

#[test]
fn a_rigid_body_is_a_node_that_turns() {
    let model = Model::of(&spin());
    assert!(
        model.json["meshes"][0]["primitives"][0]
            .get("targets")
            .is_none()
    );
    let rotation = |part: &[f32]| {
        UnitQuaternion::new_normalize(Quaternion::new(part[3], part[0], part[1], part[2]))
    };
    let (_, turns) = model.channel("rotation");
    let turns: Vec<UnitQuaternion<f32>> = turns.chunks_exact(4).map(rotation).collect();
    let angle = turns[0].angle_to(&turns[10]);
    assert!((angle - 2.0).abs() < 1e-3, "20 rad/s for 0.1 s: {angle}");
    // Neighbours are near, as players interpolate the four numbers.
    assert!(
        turns
            .windows(2)
            .all(|pair| pair[0].coords.dot(&pair[1].coords) > 0.9)
    );
    // The root turns z to y.
    let root = model.json["scenes"][0]["nodes"][0]
        .as_u64()
        .expect("a root") as usize;
    let parts = model.json["nodes"][root]["rotation"]
        .as_array()
        .expect("a rotation");
    let parts: Vec<f32> = parts
        .iter()
        .map(|part| part.as_f64().expect("a number") as f32)
        .collect();
    assert!((rotation(&parts) * Vector3::z() - Vector3::y()).norm() < 1e-6);
}

/// Part of the pixels that differ between two pictures.
fn difference(one: &[u8], other: &[u8]) -> f64 {
    let pairs = one.chunks_exact(3).zip(other.chunks_exact(3));
    pairs.filter(|(a, b)| a != b).count() as f64 / (one.len() / 3) as f64
}

#[test]
fn pictures_show_the_bodies_their_motion_and_their_values() {
    let film = spin();
    let shape = Shape {
        width: 160,
        height: 120,
        ..Shape::default()
    };
    let artist = Artist::new(&film, shape, Colouring::Body);
    let picture = artist.picture(0);
    assert_eq!(picture.len(), 3 * 160 * 120);
    let difference_of = |other: &[u8]| difference(&picture, other);
    assert!(difference_of(&artist.picture(10)) > 0.02);
    assert!(
        difference_of(&artist.picture(0)) == 0.0,
        "the same picture twice"
    );
    let force = Artist::new(&film, shape, Colouring::Force).picture(0);
    assert!(difference_of(&force) > 0.02);
    // Blue in the middle, the colour of the first body; light at the edge, the background.
    let pixel = |x: usize, y: usize| &picture[3 * (160 * y + x)..][..3];
    assert!(
        pixel(80, 60)[2] > pixel(80, 60)[0] + 20,
        "{:?}",
        pixel(80, 60)
    );
    assert!(
        pixel(1, 1).iter().all(|&channel| channel > 220),
        "{:?}",
        pixel(1, 1)
    );
}

/// Two cubes and a rope between them, whose middle is the middle of the picture.
const ROPE: &str = r#"
[time]
step = 1e-2
duration = 1e-1

[[body]]
name = "left"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [-0.5, 0, 0]

[[body]]
name = "right"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
density = 1000
position = [0.5, 0, 0]
"#;

const JOINT: &str = r#"
[[joint]]
kind = "rope"
first = "left"
second = "right"
anchor = [-0.45, 0, 0]
end = [0.45, 0, 0]
"#;

#[test]
fn a_picture_shows_a_rope_where_it_is() {
    let shape = Shape {
        width: 160,
        height: 120,
        view: [-1.57, 0.3],
    };
    let picture =
        |scene: &str, colouring| Artist::new(&film_of(scene, 0), shape, colouring).picture(0);
    let with = ROPE.to_owned() + JOINT;
    let pixel = |picture: &[u8], x: usize, y: usize| -> [u8; 3] {
        let at = 3 * (160 * y + x);
        [picture[at], picture[at + 1], picture[at + 2]]
    };
    for colouring in [Colouring::Body, Colouring::Force] {
        let (plain, roped) = (picture(ROPE, colouring), picture(&with, colouring));
        // The same camera: the film differs along a line through the middle of the picture only.
        let mut columns = 0;
        for x in 0..160 {
            let rows: Vec<usize> = (0..120)
                .filter(|&y| pixel(&plain, x, y) != pixel(&roped, x, y))
                .collect();
            assert!(rows.iter().all(|y| (58..62).contains(y)), "{x}: {rows:?}");
            columns += usize::from(!rows.is_empty());
        }
        assert!((100..150).contains(&columns), "{columns} columns");
        let middle = [pixel(&roped, 80, 59), pixel(&roped, 80, 60)];
        assert!(
            middle.iter().flatten().any(|&channel| channel < 80),
            "{middle:?}"
        );
    }
    // A cube around the middle of the rope hides it.
    let cube = ROPE.split("[[body]]").nth(1).expect("a body");
    let cube = format!("[[body]]{cube}")
        .replace("left", "middle")
        .replace("-0.5, 0, 0", "0, 0, 0");
    let hidden = |scene: &str| picture(&format!("{scene}{cube}"), Colouring::Body);
    let (plain, roped) = (hidden(ROPE), hidden(&with));
    assert_eq!(pixel(&plain, 80, 60), pixel(&roped, 80, 60));
    assert!(difference(&plain, &roped) > 0.0);
}

#[test]
fn a_model_has_ropes_as_lines() {
    let film = film_of(&(ROPE.to_owned() + JOINT), 2);
    let model = Model::of(&film);
    let mesh = &model.json["meshes"][2];
    assert_eq!(mesh["name"], "links and ropes");
    let primitive = &mesh["primitives"][0];
    assert_eq!(primitive["mode"], 1);
    let corners = model.words(&primitive["indices"]).into_iter();
    assert_eq!(corners.map(u32::from_le_bytes).collect::<Vec<_>>(), [0, 1]);
    let points = model.floats(&primitive["attributes"]["POSITION"]);
    assert_eq!(points, [-0.45, 0.0, 0.0, 0.45, 0.0, 0.0]);
    // The cubes fall by 9.81 m/s² times the square of the step, and then by three times as much.
    let targets = primitive["targets"].as_array().expect("targets");
    for (target, fallen) in targets.iter().zip([9.81e-4, 3.0 * 9.81e-4]) {
        let differences = model.floats(&target["POSITION"]);
        assert!((differences[2] + fallen).abs() < 1e-5, "{differences:?}");
    }
    let still = Model::of(&film_of(&(ROPE.to_owned() + JOINT), 0));
    assert!(
        still.json["meshes"][2]["primitives"][0]
            .get("targets")
            .is_none()
    );
}

/// The pictures in a file, by a reader of the chunks that this crate writes; browsers read them in `tests/browser`.
fn read(file: &[u8], width: usize) -> Vec<Vec<u8>> {
    let mut pictures = Vec::new();
    let mut rest = &file[8..];
    while let Some((length, after)) = rest.split_first_chunk() {
        let (contents, after) = after[4..].split_at(u32::from_be_bytes(*length) as usize);
        let data = match &rest[4..8] {
            b"IDAT" => contents,
            b"fdAT" => &contents[4..],
            _ => &[],
        };
        if !data.is_empty() {
            let mut rows = Vec::new();
            ZlibDecoder::new(data)
                .read_to_end(&mut rows)
                .expect("compressed rows");
            let mut above = vec![0_u8; 3 * width];
            for row in rows.chunks_exact(1 + 3 * width) {
                assert_eq!(row[0], 2, "differences from the row above");
                for (value, difference) in above.iter_mut().zip(&row[1..]) {
                    *value = value.wrapping_add(*difference);
                }
                pictures.push(above.clone());
            }
        }
        rest = &after[4..];
    }
    pictures
}

#[test]
fn files_read_back_as_the_pictures() {
    let film = spin();
    let shape = Shape {
        width: 64,
        height: 48,
        ..Shape::default()
    };
    let artist = Artist::new(&film, shape, Colouring::Body);
    let frames: Vec<Vec<u8>> = (0..film.frames())
        .map(|index| artist.picture(index))
        .collect();
    let rows = read(&png(&shape, &frames[3]).expect("a picture"), 64);
    assert_eq!(rows.concat(), frames[3]);
    let film = apng(&shape, frames.len(), 25, |index| frames[index].clone());
    assert_eq!(read(&film.expect("a film"), 64).concat(), frames.concat());
    assert!(png(&shape, &frames[0][3..]).is_err(), "a pixel is missing");
}

/// The text read back by a reader of the format, in numbers; its writer is trusted with the grammar only.
#[test]
fn a_universal_scene_has_the_points_of_every_frame() {
    use openusd::sdf::{AbstractData, Path, Value};

    let film = spin();
    let text = usda(&film).expect("a text");
    let read = openusd::usda::parse(&text).expect("the grammar of the format");
    let value = |place: &str, field: &str| {
        let place = Path::new(place).expect("a path");
        let value = read.get_field(&place, field).expect("the field");
        value.into_owned()
    };
    assert_eq!(value("/", "upAxis"), Value::Token("Z".into()));
    assert_eq!(value("/", "metersPerUnit"), Value::Double(1.0));
    assert_eq!(
        value("/run/spinner", "displayName"),
        Value::String("spinner".into())
    );
    let Value::IntVec(corners) = value("/run/spinner.faceVertexIndices", "default") else {
        panic!("no corners");
    };
    assert_eq!(corners.len(), 36);
    let Value::TimeSamples(samples) = value("/run/spinner.points", "timeSamples") else {
        panic!("the body does not move");
    };
    assert_eq!(samples.len(), film.frames());
    for (frame, (code, points)) in samples.iter().enumerate() {
        assert!((code - frame as f64).abs() < 1e-9, "time code {code}");
        let Value::Vec3fVec(points) = points else {
            panic!("no points");
        };
        // The middle falls by g t (t + h) / 2, and the corners turn around it by 20 rad/s.
        let time = frame as f32 * 1e-2;
        let middle = points.iter().map(|x| x.z).sum::<f32>() / points.len() as f32;
        assert!(
            (middle - (1.0 - 9.81 * time * (time + 1e-2) / 2.0)).abs() < 1e-5,
            "{middle}"
        );
        let start = 0.1_f32.atan2(0.05);
        let angle = start + 20.0 * time;
        let radius = 0.1_f32.hypot(0.05);
        let (x, y) = (radius * angle.cos(), radius * angle.sin());
        let is_there = (points.iter()).any(|p| (p.x - x).hypot(p.y - y) < 2e-4);
        assert!(is_there, "frame {frame}: no corner near {x}, {y}");
    }
    // A body that stands still has its points once.
    let Value::Vec3fVec(ground) = value("/run/ground.points", "default") else {
        panic!("the ground has no points");
    };
    assert!(ground.iter().all(|x| x.z.abs() < 1e-7));
}

/// Names with the characters of escapes, gravity along x, and a single frame.
#[test]
fn odd_films_are_universal_scenes_too() {
    let named = SPIN.replace(r#"name = "spinner""#, r#"name = 'a \"spin" é\'"#);
    let one = usda(&film_of(&named, 0)).expect("a text");
    assert!(one.contains("displayName = \"a /'spin' é/\"\n"), "{one}");
    assert!(!one.contains("timeSamples"), "{one}");
    let fallen = SPIN.replace("[[body]]", "[world]\ngravity = [-9.81, 0, 0]\n[[body]]");
    let text = usda(&film_of(&fallen, 2)).expect("a text");
    assert!(text.contains("upAxis = \"Z\""), "{text}");
    // The ground, whose normal is z, stands upright, since the direction x of the scene is up: it has one x.
    let ground = text
        .split("def Mesh \"ground\"")
        .nth(1)
        .expect("the ground");
    let points = ground
        .lines()
        .find(|line| line.contains("points ="))
        .expect("points");
    let first = |point: &str| -> f32 {
        let number = point.split(',').next().expect("a number");
        number.parse().expect("a number")
    };
    let across: Vec<f32> = points.split('(').skip(1).map(first).collect();
    assert_eq!(across.len(), 4, "{points}");
    assert!(across.iter().all(|x| x.abs() < 1e-6), "{points}");
}
