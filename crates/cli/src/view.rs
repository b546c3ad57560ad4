//! `impinge view`: a run in three dimensions, as a page for browsers.

mod serve;

use std::path::{Path, PathBuf};

use impinge_report::viewer::{RunFolder, page};
use impinge_report::{Draft, ReportError};

use super::arguments::View;
use super::exit::{Code, Failure};
use super::places::distinct;
use super::run::progress_bar;
use super::terminal;

/// Size (bytes) of a page above which a browser takes more than some seconds to open it.
const LARGE_PAGE: usize = 200 << 20;

/// Writes or serves the page of the run that `options` name.
pub(crate) fn view(options: &View) -> Result<(), Failure> {
    let run = RunFolder::open(&options.run).map_err(failure)?;
    let name = name_of(&options.run);
    let title = if run.title().is_empty() {
        name.to_string_lossy().into_owned()
    } else {
        run.title().to_owned()
    };
    if options.serve {
        return serve::serve(&run, &title, options.port);
    }
    let out = options.out.clone().unwrap_or_else(|| {
        let beside = options.run.canonicalize().unwrap_or_default();
        beside.with_file_name(&name).with_added_extension("html")
    });
    let inputs = [
        options.run.join("manifest.json"),
        options.run.join("steps.csv"),
    ];
    distinct(
        &inputs.each_ref().map(PathBuf::as_path),
        &[("--out", Some(&out))],
    )?;
    let draft = Draft::claim(&out).map_err(failure)?;
    let bar = progress_bar(run.frames() as u64, options.quiet);
    let film = run.film(&|| bar.inc(1)).map_err(failure)?;
    bar.finish_and_clear();
    let html = page(&title, &film);
    let large = html.len() > LARGE_PAGE;
    draft.finish(&html).map_err(failure)?;
    if !options.quiet {
        terminal::say(&format!("open {} in a browser", out.display()))?;
        if large {
            terminal::remark(&format!(
                "the page has {} MB; --serve opens at once and fetches frames as they are shown",
                html.len() >> 20
            ));
        }
    }
    Ok(())
}

/// Name of the folder, also if it is given as `.` or by a link.
fn name_of(run: &Path) -> PathBuf {
    let whole = run.canonicalize().unwrap_or_default();
    whole
        .file_name()
        .map_or_else(|| "run".into(), PathBuf::from)
}

pub(crate) fn failure(error: ReportError) -> Failure {
    match error {
        ReportError::Run(error) => error.into(),
        ReportError::NoFrames { .. } | ReportError::OtherBodies { .. } => {
            Failure::bad_input(&error)
        }
        _ => Failure::new(Code::Output, error.to_string()),
    }
}
