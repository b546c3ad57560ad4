//! The gallery: a picture and the command of every shipped scene.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::MetadataCommand;

use super::shots::{GROUPS, Shot};

/// The folder of the pictures, relative to the root.
const PICTURES: &str = "docs/images/gallery";

/// Largest picture (bytes): the folder is a part of every clone.
const LARGEST: u64 = 45_000;

/// Frames of the run from which a picture is taken.
const FRAMES: f64 = 20.0;

const HEAD: &str = "# Gallery

Every scene that comes with impinge, with its command. `cargo xtask gallery` renders the pictures by `impinge export`;
its runs end at the time of the picture. Scenes marked *data* read meshes from the folder in `IMPINGE_DATA`.
";

/// Selection of scenes.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Scenes to render, without folder and extension [default: all]
    scenes: Vec<String>,
}

/// Renders the scenes one after the other, and writes the page.
pub(crate) fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let root = crate::ci::root();
    if !crate::ci::cargo(
        &["build", "--quiet", "--workspace", "--bin", "impinge"],
        &[],
    )? {
        return Ok(false);
    }
    let metadata = MetadataCommand::new().no_deps().exec()?;
    let program = metadata.target_directory.join("debug/impinge");
    fs::create_dir_all(root.join(PICTURES))?;
    let mut holds = true;
    for (_, shots) in GROUPS {
        for shot in shots {
            let scene = Scene::of(&root, shot.scene)?;
            let chosen =
                options.scenes.is_empty() || options.scenes.iter().any(|name| name == shot.scene);
            if !chosen {
                continue;
            }
            if scene.needs_data && std::env::var_os("IMPINGE_DATA").is_none() {
                println!("{}: skipped, IMPINGE_DATA is not set", shot.scene);
                continue;
            }
            println!("{}", shot.scene);
            holds &= render(&root, program.as_std_path(), &scene, shot)?;
        }
    }
    fs::write(root.join(super::GALLERY), page(&root)?)?;
    Ok(holds)
}

/// Runs a scene up to the time of its picture, and draws that.
fn render(root: &Path, program: &Path, scene: &Scene, shot: &Shot) -> Result<bool, Box<dyn Error>> {
    let folder = root.join("target/gallery").join(shot.scene);
    let picture = picture(root, shot.scene);
    let every = (shot.time / scene.step / FRAMES).ceil().max(1.0);
    let run = Command::new(program)
        .args(["run", "--quiet", "--accept-inexact", "--until"])
        .arg(shot.time.to_string())
        .arg("--set")
        .arg(format!("output.every={every}"))
        .arg("--out")
        .arg(&folder)
        .arg(&scene.path)
        .status()?;
    let [width, height] = [shot.width, shot.width * 2 / 3].map(|side| side.to_string());
    let [turn, tilt] = shot.view.map(|angle| angle.to_string());
    let drawn = Command::new(program)
        .args([
            "export", "--quiet", "--size", &width, &height, "--view", &turn, &tilt,
        ])
        .arg(&folder)
        .arg(&picture)
        .status()?;
    let size = fs::metadata(&picture)?.len();
    if size > LARGEST {
        println!("{}: {size} bytes, more than {LARGEST}", picture.display());
    }
    Ok(run.success() && drawn.success() && size <= LARGEST)
}

/// The text of the page.
///
/// # Errors
/// If a scene has no shot, or a shot no scene or no picture.
pub(super) fn page(root: &Path) -> Result<String, Box<dyn Error>> {
    let shots = || GROUPS.iter().flat_map(|(_, shots)| shots.iter());
    for path in super::scenes(&root.join("scenes"))? {
        let name = path.file_stem().unwrap_or_default();
        if !shots().any(|shot| name == shot.scene) {
            return Err(format!(
                "{} is not in the gallery: add it to xtask/src/book/shots.rs",
                path.display()
            )
            .into());
        }
    }
    let mut text = HEAD.to_owned();
    for (group, shots) in GROUPS {
        let _ = write!(text, "\n## {group}\n");
        for shot in shots {
            let scene = Scene::of(root, shot.scene)?;
            if !picture(root, shot.scene).is_file() {
                return Err(format!(
                    "{} has no picture; render it: cargo xtask gallery {0}",
                    shot.scene
                )
                .into());
            }
            let mark = if scene.needs_data { " *(data)*" } else { "" };
            let _ = write!(
                text,
                "\n### {}\n\n![{0}](images/gallery/{}.png)\n\n`impinge run scenes/{1}.toml`{mark}\n",
                scene.title, shot.scene
            );
        }
    }
    Ok(text)
}

fn picture(root: &Path, scene: &str) -> PathBuf {
    root.join(PICTURES).join(scene).with_extension("png")
}

/// The entry of a scene in the gallery.
struct Scene {
    path: PathBuf,
    title: String,
    /// Time step (s).
    step: f64,
    needs_data: bool,
}

impl Scene {
    fn of(root: &Path, name: &str) -> Result<Self, Box<dyn Error>> {
        let path = root.join("scenes").join(name).with_extension("toml");
        let text =
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let keys: toml::Table = text.parse()?;
        let step = keys
            .get("time")
            .and_then(|time| time.get("step"))
            .and_then(toml::Value::as_float);
        Ok(Self {
            title: keys
                .get("title")
                .and_then(toml::Value::as_str)
                .unwrap_or(name)
                .to_owned(),
            step: step.ok_or_else(|| format!("{}: there is no time.step", path.display()))?,
            needs_data: text.contains("${IMPINGE_DATA}"),
            path,
        })
    }
}
