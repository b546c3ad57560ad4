//! Elements under impact, between rollers and in a pile: none inverts, and no energy appears.

use std::error::Error;

use impinge_sim::{Scene, StepReport};

use super::figure::Figure;
use super::measure::{Case, Measured, energy};
use super::{Context, Section, Sheet, scenes};

pub(super) const THROWN: Section = Section {
    name: "thrown",
    title: "A thrown cube",
    about: "The soft cube of `scenes/thrown_cube.toml` hits the ground at 20 m/s and at 60 m/s, in steps of a\n\
            sixtieth of a second that are divided as needed. Inversion of elements is not allowed, so every volume\n\
            ratio stays above zero. Nothing does work on the cube: its energy after any step is at most that after\n\
            the first one.",
    long: false,
    measure: thrown,
};

pub(super) const ROLLERS: Section = Section {
    name: "rollers",
    title: "An armadillo between rollers",
    about: "The whole of `scenes/armadillo_rollers.toml`, 5 s, with inversion of elements forbidden. The rollers\n\
            crush elements flat, but none may turn inside out. Their energy is extrapolated below a volume ratio of\n\
            0.01 instead of 0.7: the extrapolated law has no barrier. A step whose bodies gain more energy than the\n\
            rollers give them counts as a gain.",
    long: true,
    measure: rollers,
};

pub(super) const FIRST_STEPS: Section = Section {
    name: "armadillo",
    title: "First steps of an armadillo between rollers",
    about: "The first tenth of a second of `scenes/armadillo_rollers.toml` in steps of 1 ms: assembly and free flight\n\
            of 55 thousand neo-Hookean elements, and the first contacts.",
    long: true,
    measure: first_steps,
};

pub(super) const FINE_ROLLERS: Section = Section {
    name: "fine_armadillo",
    title: "An armadillo of 200,000 unknowns between rollers",
    about: "The first half second of `scenes/armadillo_rollers.toml` with elements of the size that gives the\n\
            armadillo the number of unknowns of the paper. The rest is as for the coarse armadillo: inversion of\n\
            elements is forbidden, and their energy is extrapolated below a volume ratio of 0.01.",
    long: true,
    measure: fine_rollers,
};

pub(super) const BUNNIES: Section = Section {
    name: "bunnies",
    title: "A pile of bunnies",
    about: "The whole of `scenes/bunnies.toml`: 120 firm bunnies fall into a box, for 1 s in steps of 1 ms. None of\n\
            their elements may invert. A step whose bodies gain energy counts as a gain.",
    long: true,
    measure: bunnies,
};

pub(super) const ARMADILLOS: Section = Section {
    name: "armadillos_of_four_materials",
    title: "Armadillos of four materials",
    about: "The whole of `scenes/tournier_armadillos.toml`, 1.2 s in steps of 4 ms: a rigid armadillo, one of plastic\n\
            tetrahedra, one of neo-Hookean hexahedra and a meshless one collide. A step whose bodies gain energy\n\
            counts as a gain. Tetrahedra that carry the surface of the meshless body may invert.",
    long: true,
    measure: armadillos,
};

fn run(context: &Context, what: &str, scene: &Scene) -> Result<Measured, Box<dyn Error>> {
    Measured::new(
        context,
        &Case {
            what,
            scene,
            steps: scene.time.steps(),
            threads: 1,
            repetitions: 1,
        },
    )
}

fn smallest_volume(run: &Measured) -> f64 {
    let ratios = run.reports.iter().map(|report| report.minimum_volume_ratio);
    ratios.fold(f64::INFINITY, |least, ratio| {
        if ratio < least || ratio.is_nan() {
            ratio
        } else {
            least
        }
    })
}

fn thrown(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    for speed in [20, 60] {
        let name = format!("cube at {speed} m/s");
        let scene = scenes::shipped(
            "thrown_cube.toml",
            &[
                format!("body.0.velocity=[{}, 0, -{speed}]", f64::from(speed) * 0.15),
                "solver.allow_inversion=false".to_owned(),
            ],
        )?;
        let run = run(context, &name, &scene);
        let volume = Figure::law("smallest volume ratio", &name).above(0.0);
        let rise =
            Figure::law("largest rise of energy over that of the first step", &name).at_most(1e-3);
        match run {
            Ok(run) => {
                let first = run.reports.first().map_or(f64::NAN, energy);
                let most = run
                    .reports
                    .iter()
                    .map(energy)
                    .fold(f64::NEG_INFINITY, f64::max);
                let divided = run.reports.iter().map(|report| report.substeps).max();
                sheet.figures.extend([
                    volume.value(smallest_volume(&run)),
                    rise.value(most / first - 1.0),
                    Figure::speed("substeps of the most divided step", &name)
                        .value(f64::from(divided.unwrap_or_default())),
                    Figure::speed("CPU of the run (s)", &name).value(run.total()),
                ]);
            }
            Err(error) => {
                let failed = [volume, rise].map(|figure| figure.failed(error.to_string()));
                sheet.figures.extend(failed);
            }
        }
    }
    Ok(())
}

/// Forbids inverted elements of the armadillo.
const UPRIGHT: [&str; 2] = [
    "solver.allow_inversion=false",
    "body.0.material.extrapolation_below=0.01",
];

fn rollers(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let overrides = UPRIGHT.map(str::to_owned);
    let name = "armadillo between rollers";
    whole_run(sheet, context, name, "armadillo_rollers.toml", &overrides)
}

fn first_steps(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let figure = Figure::speed("CPU a step of 1 ms (s)", "armadillo between rollers");
    let figure = figure.at_most(0.0435);
    if std::env::var_os("IMPINGE_DATA").is_none() {
        let figure = figure.skipped("IMPINGE_DATA names no folder of meshes");
        sheet.figures.push(figure);
        return Ok(());
    }
    let scene = scenes::shipped("armadillo_rollers.toml", &[])?;
    let run = Measured::new(
        context,
        &Case {
            what: "armadillo between rollers",
            scene: &scene,
            steps: 100,
            threads: 1,
            repetitions: 2,
        },
    );
    sheet.figures.push(match run {
        Ok(run) => figure.value(run.per_step()),
        Err(error) => figure.failed(error.to_string()),
    });
    Ok(())
}

fn fine_rollers(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let mesh = "body.0.mesh={ filled = { path = \"${IMPINGE_DATA}/meshes/tetMeshes/Armadillo13K.msh\", \
                scale = 0.007, center = true, size = 0.0145 } }";
    let overrides = [UPRIGHT[0], UPRIGHT[1], mesh, "time.duration=0.5"].map(str::to_owned);
    let name = "fine armadillo between rollers";
    whole_run(sheet, context, name, "armadillo_rollers.toml", &overrides)
}

fn bunnies(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    whole_run(sheet, context, "120 bunnies", "bunnies.toml", &[])
}

fn armadillos(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let name = "four armadillos";
    let gains = Figure::law("steps that gain energy", name).at_most(0.0);
    if std::env::var_os("IMPINGE_DATA").is_none() {
        let figure = gains.skipped("IMPINGE_DATA names no folder of meshes");
        sheet.figures.push(figure);
        return Ok(());
    }
    let scene = scenes::shipped("tournier_armadillos.toml", &[])?;
    match run(context, name, &scene) {
        Ok(run) => {
            let sum = |of: fn(&StepReport) -> u32| run.reports.iter().map(of).sum::<u32>();
            let touching = run.reports.iter().map(|report| report.active).max();
            sheet.figures.extend([
                gains.value(f64::from(sum(|report| report.energy_gains))),
                Figure::speed("divided steps", name)
                    .at_most(0.0)
                    .value(f64::from(sum(|report| u32::from(report.substeps > 1)))),
                Figure::speed("solves beyond their tolerances", name)
                    .at_most(0.0)
                    .value(f64::from(sum(|report| report.inexact_solves))),
                Figure::speed("solves with friction to the gap tolerance only", name)
                    .value(f64::from(sum(|report| report.relaxed_solves))),
                Figure::speed("most contacts that push", name)
                    .value(f64::from(touching.unwrap_or_default())),
                Figure::speed("CPU a step (s)", name).value(run.per_step()),
            ]);
        }
        Err(error) => sheet.figures.push(gains.failed(error.to_string())),
    }
    Ok(())
}

/// Runs the whole of a scene whose meshes are data, and judges its volumes, its energy and its solves.
fn whole_run(
    sheet: &mut Sheet,
    context: &Context,
    name: &str,
    file: &str,
    overrides: &[String],
) -> Result<(), Box<dyn Error>> {
    let volume = Figure::law("smallest volume ratio", name).above(0.0);
    let gains = Figure::law("steps that gain energy", name).at_most(0.0);
    let missed = Figure::speed("solves beyond their tolerances", name);
    if std::env::var_os("IMPINGE_DATA").is_none() {
        let figure = volume.skipped("IMPINGE_DATA names no folder of meshes");
        sheet.figures.push(figure);
        return Ok(());
    }
    let scene = scenes::shipped(file, overrides)?;
    match run(context, name, &scene) {
        Ok(run) => {
            let sum = |of: fn(&StepReport) -> u32| run.reports.iter().map(of).sum::<u32>();
            sheet.figures.extend([
                volume.value(smallest_volume(&run)),
                gains.value(f64::from(sum(|report| report.energy_gains))),
                missed.value(f64::from(sum(|report| report.inexact_solves))),
                Figure::speed("divided steps", name)
                    .value(f64::from(sum(|report| u32::from(report.substeps > 1)))),
                Figure::speed("CPU a step (s)", name).value(run.per_step()),
            ]);
        }
        Err(error) => sheet.figures.push(volume.failed(error.to_string())),
    }
    Ok(())
}
