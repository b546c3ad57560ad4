//! `impinge verify`: checks the guarantees of a saved run.

use std::path::Path;

use impinge_sim::output::{Manifest, Verification, verify_frame, verify_run};

use super::arguments::Verify;
use super::exit::{Code, Failure};
use super::run::progress_bar;
use super::terminal;
use super::threads::use_threads;

/// Checks everything that `options` names, even after a fault or an unreadable file.
pub(crate) fn verify(options: &Verify) -> Result<(), Failure> {
    use_threads(options.threads)?;
    let (mut sound, mut unread) = (true, None);
    for path in &options.paths {
        match examine(path, options.quiet) {
            Ok(verification) => {
                sound &= verification.is_sound();
                report(path, &verification, options.quiet)?;
            }
            Err(failure) => {
                terminal::complain(&failure.message);
                unread.get_or_insert(failure.code);
            }
        }
    }
    let code = unread.or((!sound).then_some(Code::Unsound));
    // All messages are printed already.
    code.map_or(Ok(()), |code| Err(Failure::new(code, String::new())))
}

fn examine(path: &Path, quiet: bool) -> Result<Verification, Failure> {
    if !path.is_dir() {
        return Ok(verify_frame(path)?);
    }
    let frames = Manifest::read(path)?.frames.len();
    let bar = progress_bar(frames as u64, quiet);
    let result = verify_run(path, &|| bar.inc(1));
    bar.finish_and_clear();
    Ok(result?)
}

fn report(path: &Path, verification: &Verification, quiet: bool) -> Result<(), Failure> {
    let Verification {
        frames,
        motions,
        unknown_motions,
        pieces,
        prescribed,
        rigid,
        contacts,
        lines,
        allowed_inversions,
        findings,
        notes,
        ..
    } = verification;
    for finding in findings {
        terminal::say(&finding.to_string())?;
    }
    if quiet {
        return Ok(());
    }
    for note in notes {
        terminal::remark(note);
    }
    if *allowed_inversions > 0 {
        terminal::remark(&format!(
            "{allowed_inversions} inverted elements, summed over all frames; the scene allows inversion"
        ));
    }
    let verdict = match findings.len() {
        0 if *unknown_motions > 0 => "sound, but not completely examined".to_owned(),
        0 => "sound".to_owned(),
        1 => "1 finding".to_owned(),
        count => format!("{count} findings"),
    };
    let shapes = if *rigid > 0 {
        format!(", {rigid} rigid-body shapes")
    } else {
        String::new()
    };
    let touching = match *contacts {
        0 => String::new(),
        contacts => format!(", {contacts} stored contacts"),
    };
    let drawn = match *lines {
        0 => String::new(),
        lines => format!(", {lines} stored links and ropes"),
    };
    let all = motions + unknown_motions;
    let in_pieces = match *pieces {
        0 => String::new(),
        pieces if findings.is_empty() && *unknown_motions == 0 => {
            format!(" (motion proved, {pieces} straight pieces)")
        }
        pieces => format!(" ({pieces} straight pieces)"),
    };
    terminal::say(&format!(
        "{}: {verdict}; {frames} frames, {motions} of {all} motions between frames{in_pieces}, {prescribed} \
         prescribed positions{shapes}{touching}{drawn}",
        path.display()
    ))
}
