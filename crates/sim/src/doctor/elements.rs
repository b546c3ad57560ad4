//! The cheap checks: elements, materials, units and the time step, from sums over the model.

use impinge_geometry::broad_phase::Aabb;
use impinge_geometry::mesh::tet_quality;
use nalgebra::Vector3;

use super::finding::{SLIVER_QUALITY, Symptom};
use crate::geometry::Body;
use crate::model::Model;
use crate::scene::{Body as SceneBody, BodyMesh, Material, MeshFile, ObstacleShape, Scene};

/// Ratio of node masses above which a mesh gets a warning.
const NODE_MASS_RATIO: f64 = 1e5;

/// Ratio of body masses above which a light body between heavy ones takes very many iterations.
const BODY_MASS_RATIO: f64 = 1e4;

/// Number of mean edges that a wave may cross in a step without a warning.
const EDGES_PER_STEP: f64 = 50.0;

/// Part of its smallest extent that a body may cross in the first step without a warning.
const SIZES_PER_STEP: f64 = 0.5;

/// Strain under its own weight above which a body gets a warning.
const STRAIN: f64 = 0.3;

/// Poisson's ratio from which volumetric locking is noticeable.
const LOCKING: f64 = 0.48;

/// Size (m) up to which a mesh from a file without `scale` is assumed to be in metres. CAD files are commonly in
/// millimetres, and few simulated objects are larger.
const FILE_SIZE: f64 = 10.0;

/// Ratio of a moving body's size to the largest other size that gets no warning. Metres in place of millimetres give a
/// factor of a thousand; a large cube among pebbles stays below 28.
const SIZE_AMONG_OTHERS: f64 = 28.0;

/// Ranges without a warning of sizes (m), densities (kg/m³), moduli (Pa) and accelerations (m/s²): from grains of sand
/// to halls, from aerogel to osmium, from jelly to diamond.
const SIZES: [f64; 2] = [2e-4, 100.0];
const DENSITIES: [f64; 2] = [1.0, 2.3e4];
const MODULI: [f64; 2] = [1e2, 1.3e12];
const LARGEST_GRAVITY: f64 = 300.0;

/// All checks that need no search for pairs.
pub(super) fn examine(scene: &Scene, model: &Model, out: &mut Vec<Symptom>) {
    let gravity = Vector3::from(scene.world.gravity).norm();
    if gravity > LARGEST_GRAVITY {
        out.push(Symptom::Units {
            subject: "the scene".to_owned(),
            quantity: "gravity",
            value: gravity,
            unit: "m/s²",
        });
    }
    // Copies of a body are equal: the first represents all.
    for body in &model.geometry.bodies {
        if body.origin.copy == 0 {
            examine_body(&scene.bodies[body.origin.entry], body, model, gravity, out);
        }
    }
    sizes_of_obstacles(scene, model, out);
    compare_sizes(model, out);
    compare_masses(model, out);
}

/// The box around a body at the start.
pub(super) fn bounds(body: &Body, model: &Model) -> Aabb {
    Aabb::from_points(&model.points.rest[body.points.clone()])
}

/// Longest side of that box (m).
fn size(body: &Body, model: &Model) -> f64 {
    let Aabb { lower, upper } = bounds(body, model);
    (upper - lower).max()
}

/// The range of sizes without a warning for a body or obstacle of this mesh file, if it is from a file.
fn sizes(file: Option<&MeshFile>) -> [f64; 2] {
    match file {
        Some(file) if file.scale.to_bits() == 1.0_f64.to_bits() => [SIZES[0], FILE_SIZE],
        _ => SIZES,
    }
}

/// Obstacles may have any size, except for files in other units.
fn sizes_of_obstacles(scene: &Scene, model: &Model, out: &mut Vec<Symptom>) {
    for obstacle in &model.geometry.obstacles {
        if let ObstacleShape::File(file) = &scene.obstacles[obstacle.origin.entry].shape {
            let range = sizes(Some(file));
            odd(obstacle, ("size", size(obstacle, model), "m", range), out);
        }
    }
}

/// Warns of a body that is much larger than everything else.
fn compare_sizes(model: &Model, out: &mut Vec<Symptom>) {
    let mut by_size: Vec<(f64, usize)> = (0..model.geometry.solid_count())
        .map(|index| (size(model.geometry.solid(index), model), index))
        .collect();
    by_size.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (Some(&(largest, index)), Some(&(next, other))) = (by_size.first(), by_size.get(1)) else {
        return;
    };
    // Moved bodies and obstacles are floors or walls.
    let is_free = !model.geometry.surface.passive()[index];
    if is_free && largest > SIZE_AMONG_OTHERS * next {
        out.push(Symptom::SizeAmongOthers {
            body: model.geometry.solid(index).name.clone(),
            size: largest,
            other: model.geometry.solid(other).name.clone(),
            other_size: next,
        });
    }
}

fn examine_body(
    source: &SceneBody,
    body: &Body,
    model: &Model,
    gravity: f64,
    out: &mut Vec<Symptom>,
) {
    let Aabb { lower, upper } = bounds(body, model);
    let extent = upper - lower;
    let file = match &source.mesh {
        BodyMesh::File(file) => Some(file),
        _ => None,
    };
    odd(body, ("size", extent.max(), "m", sizes(file)), out);
    if let Some(density) = source.density {
        odd(body, ("density", density, "kg/m³", DENSITIES), out);
    }
    if let Some(law) = &source.material {
        examine_material(law, body, model, gravity * extent.max(), out);
        slivers(body, model, out);
        node_masses(body, model, out);
    }

    let speed = Vector3::from(source.velocity).norm()
        + Vector3::from(source.angular_velocity).norm() * 0.5 * extent.norm();
    let sizes_per_step = speed * model.settings.time_step / extent.min();
    if sizes_per_step > SIZES_PER_STEP {
        out.push(Symptom::FastStart {
            body: body.name.clone(),
            speed,
            sizes_per_step,
        });
    }
}

/// Warns of a number outside its range: `(quantity, value, unit, range)`.
fn odd(
    body: &Body,
    (quantity, value, unit, [least, most]): (&'static str, f64, &'static str, [f64; 2]),
    out: &mut Vec<Symptom>,
) {
    if !(least..=most).contains(&value) {
        out.push(Symptom::Units {
            subject: format!("`{}`", body.name),
            quantity,
            value,
            unit,
        });
    }
}

/// `fall` is gravity times the extent (m²/s²).
fn examine_material(law: &Material, body: &Body, model: &Model, fall: f64, out: &mut Vec<Symptom>) {
    odd(body, ("density", law.density, "kg/m³", DENSITIES), out);
    odd(body, ("Young's modulus", law.young, "Pa", MODULI), out);
    let strain = law.density * fall / law.young;
    if strain > STRAIN {
        out.push(Symptom::OwnWeight {
            body: body.name.clone(),
            strain,
        });
    }
    if law.poisson >= LOCKING {
        out.push(Symptom::Locking {
            body: body.name.clone(),
            poisson: law.poisson,
        });
    }

    // Pressure waves in an infinite solid: the P-wave modulus over the density.
    let modulus =
        law.young * (1.0 - law.poisson) / ((1.0 + law.poisson) * (1.0 - 2.0 * law.poisson));
    let wave = (modulus / law.density).sqrt();
    let edge = mean_edge(body, model);
    let edges_per_step = wave * model.settings.time_step / edge;
    if edges_per_step > EDGES_PER_STEP {
        out.push(Symptom::WaveSpeed {
            body: body.name.clone(),
            speed: wave,
            edges_per_step,
            step: 10.0 * edge / wave,
        });
    }
}

fn slivers(body: &Body, model: &Model, out: &mut Vec<Symptom>) {
    let mut count = 0;
    let mut worst = (f64::INFINITY, [0; 4]);
    for tet in &model.elements.tets[body.tets.clone()] {
        let quality = tet_quality(tet.map(|point| model.points.rest[point as usize]));
        count += usize::from(quality < SLIVER_QUALITY);
        if quality < worst.0 {
            worst = (quality, *tet);
        }
    }
    if count > 0 {
        out.push(Symptom::Slivers {
            body: body.name.clone(),
            count,
            nodes: worst
                .1
                .map(|point| body.original_nodes[point as usize - body.points.start]),
            quality: worst.0,
        });
    }
}

fn node_masses(body: &Body, model: &Model, out: &mut Vec<Symptom>) {
    let (least, most) = model.points.mass[body.points.clone()]
        .iter()
        .filter(|&&mass| mass > 0.0)
        .fold((f64::INFINITY, 0.0_f64), |(least, most), &mass| {
            (least.min(mass), most.max(mass))
        });
    let ratio = most / least;
    if ratio > NODE_MASS_RATIO {
        out.push(Symptom::NodeMasses {
            body: body.name.clone(),
            ratio,
        });
    }
}

/// Mean edge of all tetrahedra of a body (m).
fn mean_edge(body: &Body, model: &Model) -> f64 {
    let tets = &model.elements.tets[body.tets.clone()];
    let total: f64 = tets
        .iter()
        .map(|tet| {
            let [a, b, c, d] = tet.map(|point| model.points.rest[point as usize]);
            [b - a, c - a, d - a, c - b, d - b, d - c]
                .iter()
                .map(Vector3::norm)
                .sum::<f64>()
        })
        .sum();
    total / (6 * tets.len()) as f64
}

fn compare_masses(model: &Model, out: &mut Vec<Symptom>) {
    let masses = || {
        model
            .geometry
            .bodies
            .iter()
            .enumerate()
            .filter_map(|(index, body)| {
                let rigid = model.rigid.iter().find(|rigid| rigid.body == index);
                let mass = rigid.map_or_else(
                    || model.points.mass[body.points.clone()].iter().sum::<f64>(),
                    |rigid| rigid.inertia.mass(),
                );
                (mass > 0.0).then_some((mass, body))
            })
    };
    let by_mass = |a: &(f64, &Body), b: &(f64, &Body)| a.0.total_cmp(&b.0);
    let (Some(light), Some(heavy)) = (masses().min_by(by_mass), masses().max_by(by_mass)) else {
        return;
    };
    let ratio = heavy.0 / light.0;
    if ratio > BODY_MASS_RATIO {
        out.push(Symptom::MassRatio {
            light: light.1.name.clone(),
            heavy: heavy.1.name.clone(),
            ratio,
        });
    }
}
