//! Coulomb's law: slopes, stopping, capstan, arches, tipping, rolling.

use std::error::Error;
use std::fmt::Write as _;

use nalgebra::Vector3;

use super::row::{Rows, Within};
use super::run::{Run, order, threshold};
use super::{Extent, Family};

pub(super) const FAMILY: Family = Family {
    name: "friction",
    about: "Coulomb's law. Slopes are planes under a gravity that leans.",
    cases: &[
        ("slope", slope),
        ("stopping", stopping),
        ("soft block", soft_block),
        ("capstan", capstan),
        ("arch", arch),
        ("tipping", tipping),
        ("rolling", rolling),
    ],
};

const GRAVITY: f64 = 9.81;

/// Override that turns gravity as on a slope of the given angle (rad), downhill along x.
fn slope_of(angle: f64) -> String {
    format!(
        "world.gravity=[{}, 0, {}]",
        GRAVITY * angle.sin(),
        -GRAVITY * angle.cos()
    )
}

/// A rigid box a hundredth of a millimetre above a plane.
const BOX: &str = r#"
[time]
step = 1e-3
duration = 0.3
[world]
friction = 0.5
[[body]]
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.06], cells = [1, 1, 1] } }
density = 1000
position = [0, 0, 0.03001]
[[obstacle]]
shape = { half_space = { normal = [0, 0, 1] } }
"#;

fn slope(rows: &mut Rows, extent: Extent) -> Result<(), Box<dyn Error>> {
    let slide = |tangent: f64| -> Result<[f64; 2], Box<dyn Error>> {
        let mut run = Run::new(BOX, &[&slope_of(tangent.atan())])?;
        run.advance(50)?;
        let early = run.rigid(0).velocity.x;
        run.advance(250)?;
        let late = run.rigid(0).velocity.x;
        Ok([(late - early) / 0.25, late])
    };
    let sticks = |tangent| Ok(slide(tangent)?[1].abs() < 1e-3);
    let found = threshold([0.49, 0.51], extent.choose(3, 6), sticks)?;
    let case = "rigid box, mu = 0.5: tangent of the steepest slope it rests on";
    rows.push(
        case,
        0.5,
        found.unwrap_or(f64::NAN),
        Within::Relative(extent.choose(4e-3, 1e-3)),
    );
    for tangent in [0.51_f64, 0.8] {
        let [got, _] = slide(tangent)?;
        let expected = GRAVITY * tangent.atan().cos() * (tangent - 0.5);
        let case = format!("rigid box, mu = 0.5, slope {tangent}: acceleration (m/s^2)");
        rows.push(case, expected, got, Within::Absolute(1e-3 * GRAVITY));
    }
    Ok(())
}

/// A sliding box stops after `v²/(2 μ g) − v Δt/2`: friction acts on the motion of a step for the whole step.
fn stopping(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    let (speed, exact) = (2.0, 2.0 * 2.0 / (2.0 * 0.5 * GRAVITY));
    let mut errors = Vec::new();
    for step in [2e-3, 1e-3] {
        let overrides = [
            format!("time.step={step}"),
            "time.duration=0.5".to_owned(),
            format!("body.0.velocity=[{speed}, 0, 0]"),
        ];
        let run = Run::whole(BOX, &overrides.each_ref().map(String::as_str))?;
        let got = run.rigid(0).pose.center.x;
        errors.push(got - exact);
        let case = format!("sliding box, step {step} s: stopping distance (m)");
        rows.push(
            case,
            exact - 0.5 * speed * step,
            got,
            Within::Relative(1e-3),
        );
    }
    rows.push(
        "sliding box: error / (v dt / 2)",
        -1.0,
        errors[1] / (0.5 * speed * 1e-3),
        Within::Absolute(0.1),
    )
    .order = Some(order(errors[0], errors[1]));
    Ok(())
}

/// A soft block on a slope 2 % beyond the limit of friction.
fn soft_block(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    const TEXT: &str = r"
[time]
step = 1e-3
duration = 1.5
[world]
friction = 0.5
[[body]]
mesh = { cuboid = { size = [0.1, 0.1, 0.05], cells = [3, 3, 2] } }
material = { young = 1e5, poisson = 0.3, density = 1000 }
position = [0, 0, 0.02501]
[[obstacle]]
shape = { half_space = { normal = [0, 0, 1] } }
";
    let angle = 0.51_f64.atan();
    let expected = GRAVITY * angle.cos() * 0.01;
    for (name, tolerance) in [("default", ""), ("tight", "solver.momentum_tolerance=1e-9")] {
        let gravity = slope_of(angle);
        let overrides: Vec<&str> = [gravity.as_str(), tolerance]
            .into_iter()
            .filter(|set| !set.is_empty())
            .collect();
        let mut run = Run::new(TEXT, &overrides)?;
        // The initial sway must die down: only then is its mean zero.
        run.advance(500)?;
        let early = run.center(0)[1].x;
        run.advance(1000)?;
        let got = run.center(0)[1].x - early;
        let case =
            format!("soft block 2 % beyond the limit, {name} tolerances: acceleration (m/s^2)");
        rows.push(case, expected, got, Within::Relative(0.01));
    }
    Ok(())
}

/// A cable over a post with a box at each end: half a turn of friction multiplies the tension by `exp(π μ)`.
fn capstan(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    let (friction, light, heavy) = (0.3, 1.0, 5.0);
    let mut points = vec![[-0.2, -0.26], [-0.2, 0.0]];
    points.extend((1..12).map(|k| {
        let angle = f64::from(k) * std::f64::consts::PI / 12.0;
        [-0.2 * angle.cos(), 0.2 * angle.sin()]
    }));
    points.extend([[0.2, 0.0], [0.2, -0.26]]);
    let points: Vec<String> = points
        .iter()
        .map(|[x, z]| format!("[{x:?}, 0, {z:?}]"))
        .collect();
    let mut text = format!(
        r#"
[time]
step = 2e-3
duration = 0.25
[world]
friction = {friction}
[[body]]
name = "cable"
kind = "shell"
shell = {{ stretch = 1e6, bend = 1e-6, density = 0.5, formulation = "compliance" }}
mesh = {{ strip = {{ across = [0, 1, 0], width = 0.03, spacing = 0.06, points = [{}] }} }}
[[obstacle]]
name = "post"
shape = {{ cylinder = {{ radius = 0.197, height = 0.3, sides = 72 }} }}
rotation = {{ axis = [1, 0, 0], degrees = 90 }}
"#,
        points.join(", ")
    );
    for (name, mass, x) in [("light", light, -0.2), ("heavy", heavy, 0.2)] {
        let _ = write!(
            text,
            r#"
[[body]]
name = "{name}"
kind = "rigid"
mesh = {{ cuboid = {{ size = [0.08, 0.08, 0.08], cells = [1, 1, 1] }} }}
mass = {mass}
position = [{x}, 0, -0.31]
[[joint]]
kind = "ball"
first = "{name}"
second = "cable"
anchor = [{x}, -0.015, -0.26]
contact = true
[[joint]]
kind = "ball"
first = "{name}"
second = "cable"
anchor = [{x}, 0.015, -0.26]
contact = true
"#
        );
    }
    let mut run = Run::new(&text, &[])?;
    run.advance(75)?;
    let early = [0, 1].map(|body| run.rigid(body).velocity.z);
    run.advance(50)?;
    let late = [0, 1].map(|body| run.rigid(body).velocity.z);
    let [up, down] = [0, 1].map(|body| (late[body] - early[body]) / 0.1);
    let got = heavy * (GRAVITY + down) / (light * (GRAVITY + up));
    let expected = (std::f64::consts::PI * friction).exp();
    rows.push(
        "cable sliding over half a turn, mu = 0.3: ratio of tensions",
        expected,
        got,
        Within::Relative(0.05),
    );
    Ok(())
}

/// A half circle of masonry stands if its thickness is above 0.1075 of its mean radius.
fn arch(rows: &mut Rows, extent: Extent) -> Result<(), Box<dyn Error>> {
    const TEXT: &str = r#"
[time]
step = 2e-3
duration = 1.5
[world]
friction = 0.8
[[body]]
name = "block"
kind = "rigid"
mesh = { voussoir = { inner_radius = 0.91, outer_radius = 1.09, degrees = 11.99, depth = 0.3 } }
density = 2300
position = [0, 0, 2e-4]
rotation = { axis = [0, 1, 0], degrees = -84 }
copies = { count = 15, turn = { axis = [0, 1, 0], degrees = 12 } }
[[obstacle]]
shape = { half_space = { normal = [0, 0, 1] } }
"#;
    let falls = |thickness: f64| -> Result<bool, Box<dyn Error>> {
        let radii = [("inner", -0.5), ("outer", 0.5)].map(|(side, part)| {
            format!(
                "body.0.mesh.voussoir.{side}_radius={}",
                1.0 + part * thickness
            )
        });
        let run = Run::whole(TEXT, &radii.each_ref().map(String::as_str))?;
        Ok(run.rigid(7).pose.center.z < 0.95)
    };
    let found = threshold([0.100, 0.115], extent.choose(0, 3), falls)?;
    let case = "arch of 15 blocks: least thickness / mean radius";
    rows.push(
        case,
        0.1075,
        found.unwrap_or(f64::NAN),
        Within::Absolute(extent.choose(7.5e-3, 5e-3)),
    );
    Ok(())
}

/// A box three times as high as wide tips when the line of its weight leaves its base.
fn tipping(rows: &mut Rows, extent: Extent) -> Result<(), Box<dyn Error>> {
    let stands = |degrees: f64| -> Result<bool, Box<dyn Error>> {
        let overrides = [
            slope_of(degrees.to_radians()),
            "world.friction=1".to_owned(),
            "time.duration=1.5".to_owned(),
            "body.0.mesh.cuboid.size=[0.1, 0.1, 0.3]".to_owned(),
            "body.0.position=[0, 0, 0.15001]".to_owned(),
        ];
        let run = Run::whole(BOX, &overrides.each_ref().map(String::as_str))?;
        let top = run.rigid(0).pose.orientation * Vector3::z();
        Ok(top.z > 0.99)
    };
    let found = threshold([18.0, 18.8], extent.choose(2, 5), stands)?;
    let case = "box of 1:3 on a slope: angle at which it tips (degrees)";
    let expected = (1.0_f64 / 3.0).atan().to_degrees();
    rows.push(
        case,
        expected,
        found.unwrap_or(f64::NAN),
        Within::Absolute(extent.choose(0.2, 0.05)),
    );
    Ok(())
}

/// A ball of triangles rolls down 5 degrees without slipping: `a = 5/7 g sin 5°`.
fn rolling(rows: &mut Rows, extent: Extent) -> Result<(), Box<dyn Error>> {
    const TEXT: &str = r#"
[time]
step = 2e-3
duration = 2
[[body]]
kind = "rigid"
mesh = { sphere = { radius = 0.1, subdivisions = 8 } }
density = 1000
position = [0, 0, 0.1001]
[[obstacle]]
shape = { half_space = { normal = [0, 0, 1] } }
"#;
    for subdivisions in extent.choose(&[8][..], &[4, 8, 16]) {
        let set = format!("body.0.mesh.sphere.subdivisions={subdivisions}");
        let run = Run::whole(TEXT, &[&slope_of(5_f64.to_radians()), &set])?;
        let got = run.rigid(0).velocity.x / 2.0;
        let expected = 5.0 / 7.0 * GRAVITY * 5_f64.to_radians().sin();
        let case = format!(
            "ball of {subdivisions} subdivisions rolling for 2 s: mean acceleration (m/s^2)"
        );
        rows.push(case, expected, got, Within::Relative(0.01)).known = Some("exact round shapes");
    }
    Ok(())
}
