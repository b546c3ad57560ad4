//! One motion in other units, translated, rotated, and by other methods.

use std::error::Error;

use nalgebra::{UnitQuaternion, Vector3};

use super::mesh::list;
use super::row::{Rows, Within};
use super::run::Run;
use super::{Extent, Family};

pub(super) const FAMILY: Family = Family {
    name: "invariance",
    about: "A cube thrown at the ground, after 0.1 s: in other units, elsewhere, turned, by every contact method.",
    cases: &[("units", units), ("place", place), ("methods", methods)],
};

/// Units and frame of a scene.
struct View {
    /// Units of length, mass and time per metre, kilogram and second.
    units: [f64; 3],
    turn: UnitQuaternion<f64>,
    shift: Vector3<f64>,
}

impl View {
    fn si() -> Self {
        Self {
            units: [1.0; 3],
            turn: UnitQuaternion::identity(),
            shift: Vector3::zeros(),
        }
    }

    /// A cube thrown at the ground.
    fn throw(&self) -> String {
        let [length, mass, time] = self.units;
        let vector = |x: Vector3<f64>, unit: f64| list(self.turn * x * unit);
        let place = |x: Vector3<f64>| list(self.turn * x * length + self.shift);
        let start = self.turn
            * UnitQuaternion::from_scaled_axis(Vector3::new(1.0, 2.0, 0.0).normalize() * 0.35);
        let axis = start
            .axis()
            .map_or(Vector3::z(), nalgebra::Unit::into_inner);
        format!(
            r"
[time]
step = {:?}
duration = {:?}
[world]
gravity = {}
[[body]]
mesh = {{ cuboid = {{ size = {}, cells = [3, 3, 3] }} }}
material = {{ young = {:?}, poisson = 0.3, density = {:?} }}
position = {}
rotation = {{ axis = {}, degrees = {:?} }}
velocity = {}
[[obstacle]]
shape = {{ half_space = {{ normal = {} }} }}
position = {}
",
            1e-3 * time,
            0.1 * time,
            vector(Vector3::new(0.0, 0.0, -9.81), length / (time * time)),
            list(Vector3::repeat(0.1 * length)),
            1e5 * mass / (length * time * time),
            1e3 * mass / length.powi(3),
            place(Vector3::new(0.0, 0.0, 0.09)),
            list(axis),
            start.angle().to_degrees(),
            vector(Vector3::new(0.5, 0.0, -1.0), length / time),
            vector(Vector3::z(), 1.0),
            place(Vector3::zeros()),
        )
    }

    fn to_si(&self, x: Vector3<f64>) -> Vector3<f64> {
        self.turn.inverse() * (x - self.shift) / self.units[0]
    }
}

/// Largest distance between the points of the scene and of the SI scene (m); checks that contacts exist.
fn compare(view: &View) -> Result<f64, Box<dyn Error>> {
    let reference = Run::whole(&View::si().throw(), &[])?;
    let run = Run::whole(&view.throw(), &[])?;
    if run.last().active == 0 && reference.reports.iter().all(|report| report.active == 0) {
        return Err("the cube touches nothing".into());
    }
    Ok(reference.farthest_from(&run, |x| view.to_si(x)))
}

fn units(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    for (name, units) in [
        ("mm, g, ms", [1e3, 1e3, 1e3]),
        ("mm, t, s", [1e3, 1e-3, 1.0]),
    ] {
        let got = compare(&View {
            units,
            ..View::si()
        })?;
        rows.push(
            format!("thrown cube in {name}: farthest point (m)"),
            0.0,
            got,
            Within::Absolute(1e-9),
        );
    }
    Ok(())
}

fn place(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    let shift = Vector3::new(1000.0, 0.0, 0.0);
    let got = compare(&View {
        shift,
        ..View::si()
    })?;
    rows.push(
        "thrown cube 1 km away: farthest point (m)",
        0.0,
        got,
        Within::Absolute(1e-8),
    );
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.7, 1.1));
    // Rotation changes the order of points and the choice of tangents: results agree to the tolerances, not to
    // rounding.
    let got = compare(&View { turn, ..View::si() })?;
    rows.push(
        "thrown cube, scene turned: farthest point (m)",
        0.0,
        got,
        Within::Absolute(5e-5),
    );
    Ok(())
}

fn methods(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    let text = View::si().throw();
    let reference = Run::whole(&text, &["solver.momentum_tolerance=1e-10"])?;
    for (method, bound) in [
        ("exact-compliance", 1e-6),
        ("compliant-kkt", 1e-6),
        ("warped-compliance", 1e-4),
        ("cr", 2e-4),
        ("active-set", 2e-4),
        ("sp-active-set", 2e-4),
        ("sp-2cr", 2e-4),
        ("ica", 2e-4),
        ("cr-multipliers", 2e-4),
    ] {
        let run = Run::whole(&text, &[&format!("solver.method={method}")])?;
        let case = format!("thrown cube by {method}: farthest point from tight cr (m)");
        rows.push(
            case,
            0.0,
            run.farthest_from(&reference, |x| x),
            Within::Absolute(bound),
        );
    }
    Ok(())
}
