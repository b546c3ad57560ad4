//! Rigid bodies and joints compared with their equations of motion.

use std::error::Error;
use std::f64::consts::{PI, TAU};

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::row::{Rows, Within};
use super::run::{Run, order};
use super::theory::integrate;
use super::{Extent, Family};

pub(super) const FAMILY: Family = Family {
    name: "rigid bodies",
    about: "Free rotation, tops, pendulums, pulleys.",
    cases: &[
        ("tumbling", tumbling),
        ("top", top),
        ("pendulum", pendulum),
        ("atwood", atwood),
    ],
};

const GRAVITY: f64 = 9.81;

/// A free box in rotation about its middle axis flips (Dzhanibekov): its orientation against Euler's equations.
fn tumbling(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    const TEXT: &str = r#"
[time]
step = 2.5e-3
duration = 1
[world]
gravity = [0, 0, 0]
[[body]]
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.2, 0.5], cells = [1, 1, 1] } }
density = 700
angular_velocity = [2, 5, 1]
"#;
    // Moments of inertia over m/12.
    let [a, b, c] = [0.04 + 0.25, 0.01 + 0.25, 0.01 + 0.04];
    let motion = |y: &[f64; 7]| {
        let [p, q, r] = [y[4], y[5], y[6]];
        let turn = Quaternion::new(y[0], y[1], y[2], y[3]) * Quaternion::new(0.0, p, q, r) * 0.5;
        [
            turn.w,
            turn.i,
            turn.j,
            turn.k,
            (b - c) * q * r / a,
            (c - a) * r * p / b,
            (a - b) * p * q / c,
        ]
    };
    let exact = integrate([1.0, 0.0, 0.0, 0.0, 2.0, 5.0, 1.0], 1.0, 4000, motion);
    let exact =
        UnitQuaternion::new_normalize(Quaternion::new(exact[0], exact[1], exact[2], exact[3]));
    let mut errors = Vec::new();
    let mut drift: f64 = 0.0;
    for step in [5e-3, 2.5e-3] {
        let run = Run::whole(TEXT, &[&format!("time.step={step}")])?;
        errors.push(run.rigid(0).pose.orientation.angle_to(&exact));
        let momentum = |report: &impinge_sim::StepReport| Vector3::from(report.angular_momentum);
        drift = (momentum(run.last()) / momentum(&run.reports[0]).norm()
            - momentum(&run.reports[0]).normalize())
        .norm();
    }
    let order = order(errors[0], errors[1]);
    rows.push(
        "tumbling box, step 2.5 ms: orientation after 1 s (rad)",
        0.0,
        errors[1],
        Within::Absolute(2e-4),
    )
    .order = Some(order);
    rows.push(
        "tumbling box: order of the orientation",
        2.0,
        order,
        Within::Absolute(0.1),
    );
    rows.push(
        "tumbling box: drift of angular momentum",
        0.0,
        drift,
        Within::Absolute(1e-12),
    );
    Ok(())
}

/// A fast top with a level axis and a ball joint at its end precesses steadily at `m g l / (C ω)`.
fn top(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    let (length, spin) = (0.1, 70.453);
    let rate = GRAVITY * length / (0.2 * 0.2 / 6.0 * spin);
    let text = format!(
        r#"
[time]
step = 1e-3
duration = 1
[[body]]
name = "top"
kind = "rigid"
mesh = {{ cuboid = {{ size = [0.05, 0.2, 0.2], cells = [1, 1, 1] }} }}
density = 1000
position = [{length}, 0, 0]
velocity = [0, {}, 0]
angular_velocity = [{spin}, 0, {rate}]
[[joint]]
kind = "ball"
first = "top"
anchor = [0, 0, 0]
"#,
        rate * length
    );
    let run = Run::whole(&text, &[])?;
    let center = run.rigid(0).pose.center;
    let got = center.y.atan2(center.x);
    rows.push(
        "heavy top on a ball joint: rate of precession (rad/s)",
        2.0886,
        got,
        Within::Relative(5e-3),
    );
    rows.push(
        "heavy top on a ball joint: distance of its centre (m)",
        length,
        center.norm(),
        Within::Relative(1e-5),
    );
    Ok(())
}

/// A rod of 1 m swings about its end, 400 steps a period.
fn pendulum(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    let amplitude = 0.1_f64;
    // A thin rod has ω² = 3 g / 2 L; one with a thickness of a twentieth of its length slightly less.
    let (length, thickness) = (1.0, 0.05);
    let about_end = length * length / 3.0 + thickness * thickness / 12.0;
    let period = TAU * (about_end / (GRAVITY * 0.5 * length)).sqrt();
    let text = format!(
        r#"
[time]
step = {}
duration = {}
[[body]]
name = "rod"
kind = "rigid"
mesh = {{ cuboid = {{ size = [{thickness}, {thickness}, {length}], cells = [1, 1, 1] }} }}
density = 1000
position = [{}, 0, {}]
rotation = {{ axis = [0, 1, 0], degrees = {} }}
[[joint]]
kind = "KIND"
axis = [0, 1, 0]
first = "rod"
anchor = [0, 0, 0]
"#,
        period / 400.0,
        2.0 * period,
        -0.5 * length * amplitude.sin(),
        -0.5 * length * amplitude.cos(),
        amplitude.to_degrees(),
    );
    for (kind, stepper, integrator) in [
        ("ball", "synchronous", "euler"),
        ("hinge", "synchronous", "euler"),
        ("ball", "synchronous", "bdf2"),
        ("hinge", "synchronous", "bdf2"),
        ("hinge", "constrained", "euler"),
    ] {
        let mut text = text.replace("KIND", kind);
        if kind == "ball" {
            text = text.replace("axis = [0, 1, 0]\nfirst", "first");
        }
        let overrides = [
            format!("stepper={stepper}"),
            format!("time.integrator={integrator}"),
        ];
        let mut run = Run::new(&text, &overrides.each_ref().map(String::as_str))?;
        let mut angles = Vec::new();
        for _ in 0..800 {
            run.advance(1)?;
            let center = run.rigid(0).pose.center;
            angles.push((-center.x).atan2(-center.z));
        }
        let crossings: Vec<f64> = (1..angles.len())
            .filter(|&k| angles[k - 1] * angles[k] < 0.0)
            .map(|k| k as f64 + angles[k - 1] / (angles[k - 1] - angles[k]))
            .collect();
        let name = format!("pendulum, {kind}, {stepper}, {integrator}, 400 steps a period");
        // Two half swings later; finite amplitude adds a sixteenth of its square.
        let got = crossings
            .get(2)
            .map_or(f64::NAN, |last| (last - crossings[0]) / 400.0);
        rows.push(
            format!("{name}: period / small swing"),
            1.0,
            got,
            Within::Relative(2e-3),
        );
        let energy = |angle: f64| 1.0 - angle.cos();
        let peak = angles[350..450].iter().copied().fold(0.0, f64::max);
        let case = format!("{name}: energy lost in a period");
        let lost = 1.0 - energy(peak) / energy(amplitude);
        // Implicit Euler damps by `ζ = ω h/2`: it loses `4 π ζ`, less the square of half of that.
        let (expected, within) = match integrator {
            "euler" => (2.0 * PI * PI / 200.0, Within::Relative(0.1)),
            _ => (0.0, Within::Absolute(5e-4)),
        };
        rows.push(case, expected, lost, within);
    }
    Ok(())
}

/// Two weights on a rope over two pulleys without friction: `a = g (m₂ − m₁)/(m₂ + m₁)`.
fn atwood(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    const TEXT: &str = r#"
[time]
step = 1e-3
duration = 0.2
[[body]]
name = "light"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 1
position = [-0.2, 0, -0.05]
[[body]]
name = "heavy"
kind = "rigid"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
mass = 2
position = [0.2, 0, -0.05]
[[joint]]
kind = "rope"
first = "light"
second = "heavy"
anchor = [-0.2, 0, 0]
end = [0.2, 0, 0]
via = [{ at = [-0.2, 0, 1] }, { at = [0.2, 0, 1] }]
"#;
    let run = Run::whole(TEXT, &[])?;
    for (body, name, sign) in [(0, "light", 1.0), (1, "heavy", -1.0)] {
        let got = run.rigid(body).velocity.z / 0.2;
        let case =
            format!("weights of 1 and 2 kg on pulleys: acceleration of the {name} one (m/s^2)");
        rows.push(case, sign * GRAVITY / 3.0, got, Within::Relative(1e-9));
    }
    Ok(())
}
