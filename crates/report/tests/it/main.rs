//! The page and its parts.

mod convergence;
mod effort;
mod export;
mod film;
mod page;
mod watch;

use impinge_contact::Method;
use impinge_report::watch::Sample;
use impinge_report::{Film, Selection, Watch};
use impinge_sim::compare::MethodRecord;
use impinge_sim::{Scene, Simulation, StepReport};

/// A cube that lands on the ground within two steps, sliding, and a smaller one close above it, which hits it as it
/// slows down: an impact that is not predicted and needs a second round.
const LANDING: &str = r#"title = "a cube lands"

[time]
step = 1e-3
duration = 4e-3

[[body]]
name = "cube"
mesh = { cuboid = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
material = { young = 1e6, poisson = 0.3, density = 1000 }
position = [0, 0, 0.0515]
velocity = [0.5, 0, -1]

[[body]]
name = "rider"
mesh = { cuboid = { size = [0.05, 0.05, 0.05], cells = [1, 1, 1] } }
material = { young = 1e6, poisson = 0.3, density = 1000 }
position = [0, 0, 0.12652]
velocity = [0.5, 0, -1]

[[obstacle]]
name = "ground"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// The results of a run of [`LANDING`].
struct Landed {
    methods: Vec<(String, Method)>,
    records: Vec<MethodRecord>,
    sample: Option<Sample>,
    reports: Vec<StepReport>,
    film: Film,
}

/// Takes the steps up to `steps` and compares `names` on those from `from` on.
fn land(names: &[&str], from: u64, steps: u64) -> Landed {
    let scene = Scene::parse("landing.toml", LANDING, &[""; 0]).expect("a scene");
    let mut simulation = Simulation::new(&scene).expect("a simulation");
    let tolerances = simulation.model().settings.solver.tolerances();
    let methods: Vec<(String, Method)> = names
        .iter()
        .map(|&name| {
            let method = Method::named(name, tolerances).expect("a method");
            (name.to_owned(), method)
        })
        .collect();
    let watch = Watch::new(methods.clone(), Selection { from, every: 1 }).keeping_a_sample();
    simulation.observe_solves(watch.clone());
    let mut film = Film::new(&simulation, steps);
    let mut reports = Vec::new();
    for _ in 0..steps {
        film.watch(&simulation);
        reports.push(simulation.advance().expect("a step"));
    }
    film.end(&simulation);
    Landed {
        methods,
        records: watch.records(),
        sample: watch.take_sample(),
        reports,
        film,
    }
}
