//! `impinge export`: a run for other programs.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use impinge_report::export::{Artist, Colouring, Shape, apng, glb, png, usda};
use impinge_report::viewer::RunFolder;
use impinge_report::{Draft, Film};

use super::arguments::{Colour, Export};
use super::exit::{Code, Failure};
use super::places::distinct;
use super::run::progress_bar;
use super::terminal;
use super::view::failure;

/// Largest tilt of the eye (degrees): straight down, left and right would be undefined.
const MOST_TILT: f64 = 89.0;

/// Kind of a file, by the end of its name.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Model,
    UniversalScene,
    Picture,
    AnimatedPicture,
    Video,
}

/// Writes the file that `options` name.
pub(crate) fn export(options: &Export) -> Result<(), Failure> {
    let kind = kind_of(&options.to)?;
    let run = RunFolder::open(&options.run).map_err(failure)?;
    let inputs = [
        options.run.join("manifest.json"),
        options.run.join("frames.csv"),
    ];
    distinct(
        &inputs.each_ref().map(AsRef::as_ref),
        &[("FILE", Some(&options.to))],
    )?;
    let frames: Vec<usize> = if kind == Kind::Picture {
        vec![pictured(&run, options.time)?]
    } else {
        (0..run.frames()).step_by(options.every.get()).collect()
    };
    let draft = Draft::claim(&options.to).map_err(failure)?;
    let bar = progress_bar(2 * frames.len() as u64, options.quiet);
    let film = run.film_of(frames, &|| bar.inc(1)).map_err(failure)?;
    let shape = shape_of(options);
    let artist = Artist::new(&film, shape, colouring(options.colour));
    let picture = |index| {
        bar.inc(1);
        artist.picture(index)
    };
    let unwritten = |error: std::io::Error| {
        Failure::new(Code::Output, format!("{}: {error}", options.to.display()))
    };
    match kind {
        Kind::Model => draft.finish_bytes(&glb(&film)),
        Kind::UniversalScene => {
            let text = usda(&film).map_err(|error| unwritten(std::io::Error::other(error)))?;
            draft.finish_bytes(text.as_bytes())
        }
        Kind::Picture => draft.finish_bytes(&png(&shape, &picture(0)).map_err(unwritten)?),
        Kind::AnimatedPicture => {
            let bytes = apng(&shape, film.frames(), options.pace, picture);
            draft.finish_bytes(&bytes.map_err(unwritten)?)
        }
        Kind::Video => {
            drop(draft);
            encode_video(options, &film, picture)?;
            Ok(())
        }
    }
    .map_err(failure)?;
    bar.finish_and_clear();
    if !options.quiet {
        terminal::say(&format!(
            "{}: {} frames",
            options.to.display(),
            film.frames()
        ))?;
    }
    Ok(())
}

/// The frame of a picture: that at `time` (s), or the last one.
fn pictured(run: &RunFolder, time: Option<f64>) -> Result<usize, Failure> {
    let Some(time) = time else {
        return Ok(run.frames() - 1);
    };
    run.frame_at(time).ok_or_else(|| {
        let end = run.end();
        Failure::new(
            Code::BadInput,
            format!(
                "--time {time}: the last frame of the run is at {end} s\n  mend: give a time from 0 to {end} s, or \
                 leave `--time` out: that shows the last frame"
            ),
        )
    })
}

/// Has ffmpeg encode the pictures of `film`.
fn encode_video(
    options: &Export,
    film: &Film,
    picture: impl Fn(usize) -> Vec<u8>,
) -> Result<(), Failure> {
    let failed = |problem: String| {
        Failure::new(
            Code::Output,
            format!(
                "ffmpeg {problem}\n  mend: install ffmpeg, or write an .apng, which needs no other program"
            ),
        )
    };
    let size = format!("{}x{}", options.size[0], options.size[1]);
    let pace = options.pace.to_string();
    let mut child = Command::new("ffmpeg")
        .args([
            "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size, "-r", &pace,
            "-i", "-",
        ])
        // Most players need even sides and this form of colours.
        .args([
            "-vf",
            "pad=ceil(iw/2)*2:ceil(ih/2)*2",
            "-pix_fmt",
            "yuv420p",
            "-f",
            "mp4",
        ])
        .arg(&options.to)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| failed(format!("could not be started: {error}")))?;
    let mut written = Ok(());
    if let Some(mut input) = child.stdin.take() {
        written = (0..film.frames()).try_for_each(|index| input.write_all(&picture(index)));
    }
    let status = child.wait().map_err(|error| failed(error.to_string()))?;
    match written {
        Ok(()) if status.success() => Ok(()),
        Ok(()) => Err(failed(format!("ended with {status}"))),
        Err(error) => Err(failed(format!("took no more pictures: {error}"))),
    }
}

fn shape_of(options: &Export) -> Shape {
    let [turn, tilt] = [
        options.view[0],
        options.view[1].clamp(-MOST_TILT, MOST_TILT),
    ];
    Shape {
        width: options.size[0] as usize,
        height: options.size[1] as usize,
        view: [turn, tilt].map(f64::to_radians),
    }
}

fn colouring(colour: Colour) -> Colouring {
    match colour {
        Colour::Body => Colouring::Body,
        Colour::Stress => Colouring::Stress,
        Colour::Force => Colouring::Force,
        Colour::Ratio => Colouring::Ratio,
    }
}

fn kind_of(file: &Path) -> Result<Kind, Failure> {
    let extension = file.extension().unwrap_or_default().to_ascii_lowercase();
    match extension.to_str() {
        Some("glb") => Ok(Kind::Model),
        Some("usda") => Ok(Kind::UniversalScene),
        Some("png") => Ok(Kind::Picture),
        Some("apng") => Ok(Kind::AnimatedPicture),
        Some("mp4") => Ok(Kind::Video),
        _ => Err(Failure::new(
            Code::BadInput,
            format!(
                "{}: the end of the name decides the format\n  mend: end it in .glb, .usda, .png, .apng or .mp4",
                file.display()
            ),
        )),
    }
}
