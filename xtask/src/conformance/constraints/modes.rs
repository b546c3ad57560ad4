//! Every scene of the subject with its geometric stiffness and without: whether it runs through, and the energy that steps gain.

use std::error::Error;

use super::super::{Extent, table::Table};
use super::solids::shipped;

/// Scenes, and the steps in which what they show happens.
const SCENES: [(&str, u32); 17] = [
    ("bow_and_arrow", 400),
    ("cable_crane", 400),
    ("cable_impact", 600),
    ("cable_round_post", 200),
    ("cantilever", 150),
    ("chain_impact", 600),
    ("chain_round_post", 200),
    ("cloth_over_post", 200),
    ("complex_materials", 300),
    ("hanging_cloth", 400),
    ("knee", 400),
    ("orthotropic_patch", 300),
    ("ragdoll_on_liana", 300),
    ("rigid_chain_10", 200),
    ("rigid_chain_50", 200),
    ("stiff_cloth_fem", 400),
    ("trampoline", 250),
];

/// The two that take a second.
const QUICK: [&str; 2] = ["cable_crane", "rigid_chain_10"];

/// Kinetic energy, or energy gained in one step, relative to the most kinetic energy that a run with geometric stiffness has, beyond
/// which one without has flown apart: there is no source for it but the method.
const EXPLODED: f64 = 10.0;

/// What became of a run.
struct Course {
    /// Steps taken.
    steps: u32,
    /// Time at which it failed or flew apart (s), and which.
    end: Option<(f64, &'static str)>,
    /// Largest rise of kinetic, elastic and potential energy together in one step (J).
    rise: f64,
    /// Largest rise of kinetic energy in one step (J): of what falls and of what is let go, too.
    kinetic_rise: f64,
    /// Most kinetic energy (J).
    most: f64,
}

impl Course {
    fn shown(&self) -> String {
        let end = match self.end {
            Some((time, word)) => format!("{word} at {time:.3} s"),
            None => "runs through".to_owned(),
        };
        format!("{:.1e} J, {:.1e} J, {end}", self.rise, self.kinetic_rise)
    }
}

/// Runs a scene until it fails, or until its kinetic energy, or what it gains in a step, is beyond `limit` (J).
fn run(name: &str, mode: &str, steps: u32, limit: f64) -> Result<Course, Box<dyn Error>> {
    let key = format!("solver.joint_stiffness={mode}");
    let mut simulation = shipped(name, &[&key])?;
    let mut course = Course {
        steps: 0,
        end: None,
        rise: f64::NEG_INFINITY,
        kinetic_rise: f64::NEG_INFINITY,
        most: 0.0,
    };
    let mut before = None;
    while course.steps < steps {
        let Ok(report) = simulation.advance() else {
            course.end = Some((simulation.state().time, "fails"));
            break;
        };
        course.steps += 1;
        let kinetic = report.kinetic_energy;
        let total = kinetic + report.elastic_energy + report.gravitational_energy;
        let rises = before.map(|[t, k]: [f64; 2]| [total - t, kinetic - k]);
        if let Some([rise, kinetic_rise]) = rises {
            course.rise = course.rise.max(rise);
            course.kinetic_rise = course.kinetic_rise.max(kinetic_rise);
        }
        // What is not a number is no rise that a maximum would show.
        if !total.is_finite() || kinetic > limit || course.rise > limit {
            course.end = Some((report.time, "flies apart"));
            break;
        }
        course.most = course.most.max(kinetic);
        before = Some([total, kinetic]);
    }
    Ok(course)
}

/// Each scene with geometric stiffness, which has to run through, and without, which may not.
pub(super) fn scenes(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    for (name, steps) in SCENES {
        if extent == Extent::Quick && !QUICK.contains(&name) {
            continue;
        }
        let with = run(name, "projected", steps, f64::INFINITY)?;
        table.exactly(
            &format!("{name}, with geometric stiffness: steps"),
            with.steps as usize,
            steps as usize,
        );
        let without = run(name, "none", steps, EXPLODED * with.most)?;
        for (word, course) in [("with", with), ("without", without)] {
            table.figure(
                &format!("{name}, {word}: rise of energy in a step, of kinetic"),
                course.shown(),
            );
        }
    }
    Ok(())
}
