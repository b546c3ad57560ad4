//! `impinge scene`: starts scene files, prints their format and checks them.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

use impinge_sim::Simulation;

use super::arguments::Scene;
use super::exit::{Code, Failure};
use super::terminal;

/// The scene that `impinge scene new` writes; its comments name the file `scene.toml` and its results `out/scene`.
const STARTER: &str = include_str!("scene/starter.toml");

/// Executes `command`.
pub(crate) fn scene(command: &Scene) -> Result<(), Failure> {
    match command {
        Scene::New { name } => start(name),
        Scene::Schema => {
            terminal::say(&format!("{:#}", impinge_sim::Scene::json_schema()))?;
            Ok(())
        }
        Scene::Validate { scenes, overrides } => terminal::say_of_each(scenes, |path| {
            let scene = impinge_sim::Scene::load(path, overrides)?;
            let simulation = Simulation::new(&scene)?;
            let model = simulation.model();
            Ok(format!(
                "{}: valid; {} bodies, {} obstacles, {} points, {} tetrahedra",
                path.display(),
                model.geometry.bodies.len(),
                model.geometry.obstacles.len() + model.geometry.half_spaces.len(),
                model.points.rest.len(),
                model.elements.tets.len()
            ))
        }),
    }
}

/// Writes [`STARTER`] to `name`, which must not exist.
fn start(name: &Path) -> Result<(), Failure> {
    let mut path = name.to_owned();
    if path.extension().is_none() {
        path.set_extension("toml");
    }
    let Some(stem) = path.file_stem().map(|stem| stem.to_string_lossy()) else {
        return Err(Failure::new(
            Code::BadInput,
            format!(
                "{} names no file\n  mend: give the name of a file, for example bowl.toml",
                path.display()
            ),
        ));
    };
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let text = STARTER
        .replace("scene.toml", &file)
        .replace("out/scene", &format!("out/{stem}"));
    let written = File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes()));
    match written {
        Ok(()) => {
            let shown = path.display();
            terminal::say(&format!(
                "wrote {shown}\nrun it: impinge run {shown}\nlook at it: impinge view out/{stem}"
            ))
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(Failure::new(
            Code::BadInput,
            format!(
                "{} exists, and is left as it is\n  mend: give another name",
                path.display()
            ),
        )),
        Err(error) => Err(Failure::new(
            Code::Output,
            format!(
                "{} could not be written: {error}\n  mend: name a file in a folder that exists and is writable",
                path.display()
            ),
        )),
    }
}
