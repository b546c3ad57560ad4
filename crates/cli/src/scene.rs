//! `impinge scene`: the format, and checks of scene files.

use impinge_sim::Simulation;

use super::arguments::Scene;
use super::exit::{Code, Failure};
use super::terminal;

/// Executes `command`.
pub(crate) fn scene(command: &Scene) -> Result<(), Failure> {
    match command {
        Scene::Schema => {
            terminal::say(&format!("{:#}", impinge_sim::Scene::json_schema()))?;
            Ok(())
        }
        Scene::Validate { scenes, overrides } => {
            let mut bad = 0;
            for path in scenes {
                let result = impinge_sim::Scene::load(path, overrides)
                    .map_err(Failure::from)
                    .and_then(|scene| Simulation::new(&scene).map_err(Failure::from));
                match result {
                    Ok(simulation) => {
                        let model = simulation.model();
                        terminal::say(&format!(
                            "{}: valid; {} bodies, {} obstacles, {} points, {} tetrahedra",
                            path.display(),
                            model.geometry.bodies.len(),
                            model.geometry.obstacles.len() + model.geometry.half_spaces.len(),
                            model.points.rest.len(),
                            model.elements.tets.len()
                        ))?;
                    }
                    Err(failure) => {
                        bad += 1;
                        terminal::complain(&failure.message);
                    }
                }
            }
            if bad == 0 {
                Ok(())
            } else {
                Err(Failure::new(Code::BadInput, String::new()))
            }
        }
    }
}
