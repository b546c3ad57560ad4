//! Falling chains of particles and of rigid bodies: strain, joint gaps, energy, and the longest stable step.

use std::error::Error;

use impinge_contact::constraint::GeometricStiffness;
use impinge_sim::constrained::{Cable, ConstrainedSystem, Energy, RigidChain};
use nalgebra::Vector3;

use super::super::{Extent, table::Table};
use super::stepper;

const GRAVITY: f64 = 9.81;

/// Measures of a fall.
struct Fall {
    /// Largest strain or joint gap, relative.
    largest: f64,
    /// Energy gained over `m_end g L`; below 0 without a gain.
    gain: f64,
}

/// Steps for `seconds`; `None` if a step failed.
fn fall(
    system: &mut ConstrainedSystem,
    stiffness: GeometricStiffness,
    (h, seconds): (f64, f64),
    scale: f64,
    measure: impl Fn(&ConstrainedSystem) -> f64,
) -> Result<Option<Fall>, Box<dyn Error>> {
    let mut stepper = stepper(system, stiffness, 1)?;
    let start = Energy::of(system).total();
    let mut fall = Fall {
        largest: 0.0,
        gain: f64::NEG_INFINITY,
    };
    while system.time < seconds - 0.5 * h {
        if stepper.advance(system, h).is_err() {
            return Ok(None);
        }
        let largest = measure(system);
        let gain = (Energy::of(system).total() - start) / scale;
        if largest.is_nan() || largest > 0.5 || gain.is_nan() || gain > 1.0 {
            return Ok(None);
        }
        fall.largest = fall.largest.max(largest);
        fall.gain = fall.gain.max(gain);
    }
    Ok(Some(fall))
}

fn chain(ratio: f64) -> Cable {
    Cable {
        links: 10,
        link_length: 0.1,
        node_mass: 1.0,
        end_mass: ratio,
        along: Vector3::x(),
        compliance: 0.0,
    }
}

fn boxes(ratio: f64) -> RigidChain {
    RigidChain {
        bodies: 10,
        edges: Vector3::new(0.2, 0.04, 0.04),
        mass: 1.0,
        end_mass: ratio,
        hinges: false,
        limits: None,
    }
}

fn fall_of_particles(
    ratio: f64,
    h: f64,
    seconds: f64,
    stiffness: GeometricStiffness,
) -> Result<Option<Fall>, Box<dyn Error>> {
    let chain = chain(ratio);
    let mut system = chain.build(Vector3::new(0.0, 0.0, -GRAVITY))?;
    let scale = ratio * GRAVITY;
    fall(&mut system, stiffness, (h, seconds), scale, |s| {
        chain.largest_strain(s)
    })
}

fn fall_of_bodies(
    ratio: f64,
    h: f64,
    seconds: f64,
    stiffness: GeometricStiffness,
) -> Result<Option<Fall>, Box<dyn Error>> {
    let chain = boxes(ratio);
    let mut system = chain.build(Vector3::new(0.0, 0.0, -GRAVITY))?;
    let scale = ratio * GRAVITY * 2.0;
    fall(&mut system, stiffness, (h, seconds), scale, |s| {
        chain.largest_gap(s)
    })
}

/// Steps and ratios, with the values of an independent prototype (percent).
type Expected<'a> = &'a [(f64, [(f64, f64); 2])];

fn compare(
    table: &mut Table,
    what: &str,
    expected: Expected<'_>,
    run: impl Fn(f64, f64, GeometricStiffness) -> Result<Option<Fall>, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    for &(ratio, cells) in expected {
        for (h, percent) in cells {
            let case = format!("{what}, 1:{ratio}, h = {h} s");
            let without = run(ratio, h, GeometricStiffness::None)?;
            let shown = without.as_ref().map_or("fails".to_owned(), |fall| {
                format!("{:.1e} % ({:+.0e})", 100.0 * fall.largest, fall.gain)
            });
            match run(ratio, h, GeometricStiffness::Projected)? {
                Some(fall) => {
                    let worse = without.is_none_or(|without| without.largest > fall.largest);
                    table.certain(
                        &format!("{case}, without geometric stiffness more ({shown})"),
                        worse,
                    );
                    table.at_most(&format!("{case} (%)"), 100.0 * fall.largest, 2.0 * percent);
                    table.at_most(&format!("{case}: energy gained"), fall.gain, 1e-9);
                }
                None => table.certain(&format!("{case}: fails"), false),
            }
        }
    }
    Ok(())
}

/// Largest strain of a falling chain of 10 links.
pub(super) fn particles(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let expected: Expected<'_> = &[
        (1.0, [(0.01, 4.0), (0.02, 7.0)]),
        (10.0, [(0.01, 0.8), (0.02, 2.0)]),
        (100.0, [(0.01, 0.2), (0.02, 0.6)]),
        (1000.0, [(0.01, 0.09), (0.02, 0.3)]),
    ];
    let seconds = seconds(extent, 8.0);
    compare(
        table,
        "falling chain: strain",
        expected,
        |ratio, h, stiffness| fall_of_particles(ratio, h, seconds, stiffness),
    )
}

/// Largest joint gap of a falling chain of 10 boxes.
pub(super) fn bodies(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let expected: Expected<'_> = &[
        (1.0, [(0.01, 3.0), (0.02, 4.0)]),
        (10.0, [(0.01, 0.5), (0.02, 1.5)]),
        (100.0, [(0.01, 0.1), (0.02, 0.35)]),
        (1000.0, [(0.01, 0.06), (0.02, 0.2)]),
    ];
    let seconds = seconds(extent, 4.0);
    compare(
        table,
        "rigid chain: joint gap",
        expected,
        |ratio, h, stiffness| fall_of_bodies(ratio, h, seconds, stiffness),
    )
}

/// Figure 5: the longest stable step of a ladder, with and without geometric stiffness.
pub(super) fn longest_step(table: &mut Table, extent: Extent) -> Result<(), Box<dyn Error>> {
    let seconds = seconds(extent, 4.0);
    let ladder = [
        0.08, 0.04, 0.02, 0.01, 0.005, 0.0025, 0.00125, 6.25e-4, 3.125e-4, 1.5625e-4,
    ];
    let ratios: &[f64] = match extent {
        Extent::Quick => &[1.0, 1000.0],
        Extent::Full => &[1.0, 10.0, 100.0, 1000.0],
    };
    for &ratio in ratios {
        let mut longest = [0.0; 2];
        for (index, stiffness) in [GeometricStiffness::None, GeometricStiffness::Projected]
            .into_iter()
            .enumerate()
        {
            for h in ladder {
                if fall_of_bodies(ratio, h, seconds, stiffness)?.is_some() {
                    longest[index] = h;
                    break;
                }
            }
        }
        let shown = format!("{:.2e} s, {:.2e} s", longest[0], longest[1]);
        table.figure(
            &format!("rigid chain, 1:{ratio}: longest step without, with"),
            shown,
        );
        if ratio >= 1000.0 {
            table.certain(
                "rigid chain, 1:1000: ten times the step, or more",
                longest[1] >= 10.0 * longest[0] && longest[1] > 0.0,
            );
        }
    }
    Ok(())
}

fn seconds(extent: Extent, full: f64) -> f64 {
    match extent {
        Extent::Quick => 0.25 * full,
        Extent::Full => full,
    }
}
