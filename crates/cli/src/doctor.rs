//! `impinge doctor`: problems of a scene, and a start without overlaps.

use std::path::Path;

use impinge_sim::doctor::{
    Diagnosis, SeparateError, Separation, Severity, Symptom, examine, quick_look, separate,
};
use impinge_sim::{Model, Scene};
use serde_json::{Value, json};

use super::arguments::Doctor;
use super::exit::{Code, Failure};
use super::places::keep_inputs;
use super::terminal;
use super::threads::use_threads;

/// Checks the scene of `options`, and separates its bodies if requested.
pub(crate) fn doctor(options: &Doctor) -> Result<(), Failure> {
    let scene = Scene::load(&options.scene, &options.overrides)?;
    keep_inputs(
        &options.scene,
        &scene,
        &[("--separate", options.separate.as_deref())],
    )?;
    use_threads(options.threads)?;
    let diagnosis = examine(&scene);
    let separation = match &options.separate {
        Some(out) if can_be_separated(&diagnosis) => Some((out, separate(&scene))),
        _ => None,
    };
    // The findings are printed in any case, then the result of the separation.
    let written = match &separation {
        Some((out, Ok(separation))) => Some(separation.write(out)),
        _ => None,
    };
    if options.json {
        let separated = separation
            .as_ref()
            .and_then(|(out, result)| Some(separation_json(out, result.as_ref().ok()?)));
        terminal::say(&format!(
            "{:#}",
            diagnosis_json(&options.scene, &diagnosis, separated)
        ))?;
    } else {
        tell(&options.scene, &diagnosis)?;
        if let Some((out, Ok(separation))) = &separation {
            tell_moves(out, separation)?;
        }
    }
    written.transpose()?;
    match separation {
        Some((_, Ok(_))) => Ok(()),
        Some((_, Err(error))) => Err(failure(&error)),
        None if diagnosis.can_start() => Ok(()),
        None if can_be_separated(&diagnosis) => Err(Failure::new(Code::Unsound, String::new())),
        None => Err(Failure::new(Code::BadInput, String::new())),
    }
}

/// The cheap checks, at the start of a run: warnings on standard error.
pub(crate) fn warn(scene: &Scene, model: &Model) {
    for finding in quick_look(scene, model).findings {
        if finding.severity <= Severity::Warning {
            terminal::warn(&finding.to_string());
        }
    }
}

/// Whether the scene is complete enough for a separation.
fn can_be_separated(diagnosis: &Diagnosis) -> bool {
    !diagnosis
        .findings
        .iter()
        .any(|finding| matches!(finding.symptom, Symptom::Unusable { .. }))
}

fn failure(error: &SeparateError) -> Failure {
    let code = match error {
        SeparateError::Unusable(_) => Code::BadInput,
        _ => Code::Unsound,
    };
    Failure::new(code, error.to_string())
}

fn name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn counted(diagnosis: &Diagnosis, severity: Severity) -> String {
    let count = diagnosis.count(severity);
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {}{plural}", name(severity))
}

fn tell(scene: &Path, diagnosis: &Diagnosis) -> Result<(), Failure> {
    for finding in &diagnosis.findings {
        terminal::say(&format!("{}: {finding}", name(finding.severity)))?;
    }
    terminal::say(&format!(
        "{}: {}, {}, {}",
        scene.display(),
        counted(diagnosis, Severity::Error),
        counted(diagnosis, Severity::Warning),
        counted(diagnosis, Severity::Note)
    ))
}

fn tell_moves(out: &Path, separation: &Separation) -> Result<(), Failure> {
    let mut longest = 0.0_f64;
    for moved in &separation.moves {
        let [x, y, z] = moved.translation;
        terminal::say(&format!(
            "moved `{}` by {:.6} m: ({x:.6}, {y:.6}, {z:.6})",
            moved.body, moved.length
        ))?;
        longest = longest.max(moved.length);
    }
    terminal::say(&format!(
        "{}: nothing overlaps; {} bodies moved, by {longest:.6} m at most",
        out.display(),
        separation.moves.len()
    ))
}

fn diagnosis_json(scene: &Path, diagnosis: &Diagnosis, separated: Option<Value>) -> Value {
    let mut value = json!({
        "scene": scene.display().to_string(),
        "errors": diagnosis.count(Severity::Error),
        "warnings": diagnosis.count(Severity::Warning),
        "notes": diagnosis.count(Severity::Note),
        "findings": diagnosis.findings,
    });
    if let Some(separated) = separated {
        value["separated"] = separated;
    }
    value
}

fn separation_json(out: &Path, separation: &Separation) -> Value {
    json!({ "scene": out.display().to_string(), "moves": separation.moves })
}
