//! Films for other programs, read by other programs' readers.

use gltf::Gltf;
use gltf::animation::Property;
use impinge_report::Film;
use impinge_report::export::{Artist, Colouring, Shape, apng, glb, png};
use impinge_sim::{Scene, Simulation};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

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
material = { density = 1000 }
position = [0, 0, 1]
angular_velocity = [0, 0, 20]

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

fn spin() -> Film {
    let scene = Scene::parse("spin.toml", SPIN, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("a simulation");
    let mut film = Film::new(&simulation, 10);
    for _ in 0..10 {
        film.watch(&simulation);
        simulation.advance().expect("a step");
    }
    film.end(&simulation);
    film
}

#[test]
fn a_model_has_named_bodies_and_a_morph_target_per_later_frame() {
    let film = land(&["cr"], 4, 4).film;
    let model = Gltf::from_slice(&glb(&film)).expect("a valid model");
    let blob = model.blob.as_deref().expect("numbers");
    let names: Vec<_> = model.nodes().filter_map(|node| node.name()).collect();
    assert!(names.starts_with(&["cube", "rider", "ground"]), "{names:?}");
    let cube = model
        .nodes()
        .next()
        .and_then(|node| node.mesh())
        .expect("a mesh");
    let primitive = cube.primitives().next().expect("triangles");
    let reader = primitive.reader(|buffer| (buffer.index() == 0).then_some(blob));
    let corners = reader.read_indices().expect("corners").into_u32();
    assert_eq!(corners.count(), 3 * 48);
    assert_eq!(reader.read_positions().expect("positions").count(), 26);
    assert_eq!(primitive.morph_targets().count(), 4);
    // The first target and the first frame give the second frame: the cube falls 1 mm in a step.
    let (moves, _, _) = reader.read_morph_targets().next().expect("a target");
    for difference in moves.expect("differences") {
        assert!((difference[2] + 1e-3).abs() < 3e-4, "{difference:?}");
    }
    let animation = model.animations().next().expect("the run");
    let weights = animation
        .channels()
        .find(|channel| channel.target().property() == Property::MorphTargetWeights);
    let reader = weights.expect("weights").reader(|_| Some(blob));
    let times: Vec<f32> = reader.read_inputs().expect("times").collect();
    assert_eq!(times.len(), 5);
    assert!((times[4] - 4e-3).abs() < 1e-6);
}

#[test]
fn a_rigid_body_is_a_node_that_turns() {
    let film = spin();
    let model = Gltf::from_slice(&glb(&film)).expect("a valid model");
    let blob = model.blob.as_deref().expect("numbers");
    let mesh = model
        .nodes()
        .next()
        .and_then(|node| node.mesh())
        .expect("a mesh");
    assert_eq!(
        mesh.primitives()
            .next()
            .expect("triangles")
            .morph_targets()
            .count(),
        0
    );
    let animation = model.animations().next().expect("the run");
    let turns = animation
        .channels()
        .find(|channel| channel.target().property() == Property::Rotation);
    let reader = turns.expect("rotations").reader(|_| Some(blob));
    let Some(gltf::animation::util::ReadOutputs::Rotations(turns)) = reader.read_outputs() else {
        panic!("rotations");
    };
    let turns: Vec<UnitQuaternion<f32>> = turns
        .into_f32()
        .map(|[x, y, z, w]| UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z)))
        .collect();
    let angle = turns[0].angle_to(&turns[10]);
    assert!((angle - 2.0).abs() < 1e-3, "20 rad/s for 0.1 s: {angle}");
    // Neighbours are near, as players interpolate the four numbers.
    assert!(
        turns
            .windows(2)
            .all(|pair| pair[0].coords.dot(&pair[1].coords) > 0.9)
    );
    // The root turns z to y.
    let root = model
        .default_scene()
        .and_then(|scene| scene.nodes().next())
        .expect("a root");
    let [x, y, z, w] = root.transform().decomposed().1;
    let upright = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
    assert!((upright * Vector3::z() - Vector3::y()).norm() < 1e-6);
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
    let read = |bytes: &[u8]| {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
            .read_info()
            .expect("a picture");
        let count = reader
            .info()
            .animation_control()
            .map_or(1, |control| control.num_frames);
        let mut frames = Vec::new();
        for _ in 0..count {
            let mut pixels = vec![0; reader.output_buffer_size().expect("a small picture")];
            reader.next_frame(&mut pixels).expect("a frame");
            frames.push(pixels);
        }
        frames
    };
    assert_eq!(
        read(&png(&shape, &frames[3]).expect("a picture")),
        frames[3..4]
    );
    let film = apng(&shape, frames.len(), 25, |index| frames[index].clone());
    assert_eq!(read(&film.expect("a film")), frames);
    assert!(png(&shape, &frames[0][3..]).is_err(), "a pixel is missing");
}
