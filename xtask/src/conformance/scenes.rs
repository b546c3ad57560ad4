//! The contact scenes of the comparison of methods: as shipped, or with fewer bodies if all take days, and as a small
//! variant.

use std::error::Error;
use std::path::Path;

use impinge_report::Selection;
use impinge_sim::Scene;
use impinge_sim::scene::{Obstacle, ObstacleShape};

use super::Extent;

/// Selection of steps to take and to compare methods on.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// Steps of the run.
    pub(super) steps: u64,
    /// First step whose problems every method solves.
    pub(super) from: u64,
    /// Interval of the compared steps.
    pub(super) every: u64,
    /// Steps that are repeated on another number of threads.
    pub(super) again: u64,
}

impl Plan {
    /// The steps that methods are compared on.
    pub(super) fn selection(&self) -> Selection {
        Selection {
            from: self.from,
            every: self.every,
        }
    }
}

/// A shipped scene.
pub(super) struct Case {
    /// Name: usually that of the file.
    name: &'static str,
    /// Name of the small variant, if it has another content.
    small_name: Option<&'static str>,
    /// The file in `scenes/`, without extension, and overrides: only if all bodies would take days.
    full: (&'static str, &'static [&'static str]),
    full_plan: Plan,
    /// File and overrides of the small variant.
    small: (&'static str, &'static [&'static str]),
    small_plan: Plan,
    /// Whether its meshes need `IMPINGE_DATA`.
    data: bool,
    /// Iterations over those of CR(Full), by method, if the paper has them.
    paper: &'static [(&'static str, f64)],
    /// Largest iterations per step of the default method, if the full plan has a heap of the paper; the paper's order
    /// of methods is then checked too.
    pub(super) heap: Option<f64>,
    /// Whether variants of the methods are compared too.
    pub(super) parts: bool,
}

const fn plan(steps: u64, from: u64, every: u64, again: u64) -> Plan {
    Plan {
        steps,
        from,
        every,
        again,
    }
}

/// Twelve rings with a downward velocity, so that they meet soon.
const FEW_RINGS: &[&str] = &[
    "title=\"12 rings fall into a pile\"",
    "body.0.copies.count=12",
    "body.0.copies.columns=[2, 2]",
    "body.0.velocity=[0, 0, -2]",
];

/// A box of a quarter of the floor, and a tenth of the bunnies: all 120 would take days with some methods.
const FEWER_BUNNIES: &[&str] = &[
    "title=\"12 bunnies fall into a pile\"",
    "body.0.copies.count=12",
    "body.0.copies.columns=[2, 2]",
    "obstacle.1.shape.half_space.point=[-0.225, 0, 0]",
    "obstacle.2.shape.half_space.point=[0.225, 0, 0]",
    "obstacle.3.shape.half_space.point=[0, -0.225, 0]",
    "obstacle.4.shape.half_space.point=[0, 0.225, 0]",
];

const PYRAMID_IN_THE_PAPER: &[(&str, f64)] = &[
    ("sp-active-set", 15.8),
    ("sp-2cr", 6.7),
    ("cr-diagonal", 3.3),
    ("ica", 8.1),
];

/// All of them.
pub(super) const CASES: &[Case] = &[
    Case {
        name: "rings",
        small_name: None,
        full: ("rings", &[]),
        full_plan: plan(1000, 700, 15, 250),
        small: ("rings", FEW_RINGS),
        small_plan: plan(60, 40, 5, 60),
        data: false,
        paper: &[
            ("sp-active-set", 15.9),
            ("sp-2cr", 8.4),
            ("cr-diagonal", 4.6),
            ("ica", 1.9),
        ],
        heap: Some(60.0),
        parts: true,
    },
    Case {
        name: "rings_stiff",
        small_name: None,
        full: ("rings_stiff", &[]),
        full_plan: plan(1000, 700, 15, 250),
        small: ("rings_stiff", FEW_RINGS),
        small_plan: plan(60, 40, 5, 60),
        data: false,
        paper: &[],
        heap: Some(60.0),
        parts: true,
    },
    Case {
        name: "pyramid",
        small_name: None,
        full: ("pyramid", &[]),
        full_plan: plan(1000, 400, 30, 100),
        small: ("pyramid_small", &[]),
        small_plan: plan(100, 60, 10, 100),
        data: false,
        paper: PYRAMID_IN_THE_PAPER,
        heap: Some(45.0),
        parts: true,
    },
    // Layers still slide on each other here. Later the pile is at rest, and converged contacts need almost no
    // iterations.
    Case {
        name: "pyramid_moving",
        small_name: None,
        full: ("pyramid", &[]),
        full_plan: plan(211, 60, 30, 20),
        small: ("pyramid_small", &[]),
        small_plan: plan(62, 56, 4, 62),
        data: false,
        paper: PYRAMID_IN_THE_PAPER,
        heap: Some(45.0),
        parts: false,
    },
    Case {
        name: "strings",
        small_name: None,
        full: ("strings", &[]),
        full_plan: plan(1000, 50, 50, 100),
        small: (
            "strings",
            &[
                "body.0.copies.count=2",
                "body.0.copies.columns=[1, 2]",
                "body.1.copies.count=2",
                "body.1.copies.columns=[2, 1]",
            ],
        ),
        small_plan: plan(80, 60, 10, 80),
        data: false,
        paper: &[],
        heap: None,
        parts: false,
    },
    Case {
        name: "bunnies",
        small_name: None,
        full: ("bunnies", FEWER_BUNNIES),
        full_plan: plan(300, 150, 50, 100),
        small: (
            "bunnies",
            &[
                "title=\"2 bunnies fall into a pile\"",
                "body.0.copies.count=2",
                "body.0.copies.columns=[1, 1]",
                "body.0.velocity=[0, 0, -2]",
            ],
        ),
        small_plan: plan(42, 41, 5, 42),
        data: true,
        paper: &[],
        heap: None,
        parts: false,
    },
    Case {
        name: "armadillo_rollers",
        small_name: Some("bunny_rollers"),
        full: ("armadillo_rollers", &[]),
        full_plan: plan(2000, 100, 100, 50),
        small: (
            "armadillo_rollers",
            &[
                "title=\"A bunny is drawn through six rollers\"",
                "body.0.mesh.file.path=${IMPINGE_DATA}/meshes/tetMeshes/bunny.msh",
                "body.0.mesh.file.scale=0.3",
                "body.0.position=[0, 1.64, 0]",
            ],
        ),
        small_plan: plan(80, 60, 10, 80),
        data: true,
        paper: &[],
        heap: None,
        parts: false,
    },
    Case {
        name: "rigid_stack",
        small_name: None,
        full: ("rigid_stack", &[]),
        full_plan: plan(10_000, 1000, 500, 200),
        small: (
            "rigid_stack",
            &[
                "title=\"A stack of four rigid boxes\"",
                "body.0.copies.count=4",
            ],
        ),
        small_plan: plan(200, 100, 20, 200),
        data: false,
        paper: &[],
        heap: None,
        parts: false,
    },
    Case {
        name: "arch",
        small_name: None,
        full: ("arch", &[]),
        full_plan: plan(5000, 1000, 250, 200),
        small: ("arch", &[]),
        small_plan: plan(50, 30, 10, 50),
        data: false,
        paper: &[],
        heap: None,
        parts: false,
    },
    Case {
        name: "bearing",
        small_name: None,
        full: ("bearing", &[]),
        full_plan: plan(2000, 200, 100, 100),
        small: ("bearing", &["body.0.mesh.sphere.subdivisions=2"]),
        small_plan: plan(100, 60, 20, 100),
        data: false,
        paper: &[],
        heap: None,
        parts: false,
    },
    Case {
        name: "wedge",
        small_name: None,
        full: ("wedge", &[]),
        full_plan: plan(2000, 200, 100, 100),
        small: ("wedge", &["body.0.copies.count=4", "body.1.copies.count=2"]),
        small_plan: plan(100, 60, 20, 100),
        data: false,
        paper: &[],
        heap: None,
        parts: false,
    },
];

impl Case {
    /// Its name in the tables.
    pub(super) fn name(&self, extent: Extent) -> &'static str {
        match extent {
            Extent::Quick => self.small_name.unwrap_or(self.name),
            Extent::Full => self.name,
        }
    }

    /// Its plan of steps.
    pub(super) fn plan(&self, extent: Extent) -> Plan {
        match extent {
            Extent::Quick => self.small_plan,
            Extent::Full => self.full_plan,
        }
    }

    /// The scene; `None` if its meshes are missing on this machine.
    pub(super) fn load(&self, extent: Extent) -> Result<Option<Scene>, Box<dyn Error>> {
        if self.data && std::env::var_os("IMPINGE_DATA").is_none() {
            return Ok(None);
        }
        let (name, overrides) = match extent {
            Extent::Quick => self.small,
            Extent::Full => self.full,
        };
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../scenes")
            .join(name)
            .with_extension("toml");
        Ok(Some(Scene::load(path, overrides)?))
    }

    /// Iterations of `method` over those of `reference` in the paper, if it has both.
    pub(super) fn paper_ratio(&self, method: &str, reference: &str) -> Option<f64> {
        if method == reference && !self.paper.is_empty() {
            return Some(1.0);
        }
        let mut known = self.paper.iter();
        known.find(|(name, _)| *name == method).map(|(_, x)| *x)
    }
}

/// Numbers as words in titles.
const NUMBERS: [&str; 9] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// Meshes in titles, as words of the title and of the file.
const MESHES: [[&str; 2]; 2] = [["armadillo", "armadillo"], ["bunn", "bunny"]];

/// A claim of a title that is false for the scene: a number other than that of all bodies, of one entry's bodies or of
/// mesh obstacles; or a mesh that is in no file of the scene.
pub(super) fn untrue(scene: &Scene) -> Option<String> {
    let bodies: Vec<u32> = (scene.bodies.iter())
        .map(|body| body.copies.map_or(1, |copies| copies.count))
        .collect();
    let is_mesh = |obstacle: &&Obstacle| !matches!(obstacle.shape, ObstacleShape::HalfSpace { .. });
    let obstacles = scene.obstacles.iter().filter(is_mesh).count() as u32;
    let title = scene.title.to_lowercase();
    for word in title.split(|c: char| !c.is_alphanumeric()) {
        let spelled = NUMBERS.iter().position(|number| *number == word);
        let number = spelled.map_or_else(|| word.parse().ok(), |at| Some(at as u32 + 2));
        let holds = |number: u32| {
            let counts = [bodies.iter().sum(), obstacles];
            counts.contains(&number) || bodies.contains(&number)
        };
        if let Some(number) = number.filter(|&number| !holds(number)) {
            return Some(format!("there are no {number} bodies or obstacles"));
        }
    }
    let files = scene.mesh_files();
    let has = |name: &str| {
        let mut names = files.iter().filter_map(|file| file.file_stem());
        names.any(|stem| stem.to_string_lossy().to_lowercase().contains(name))
    };
    let missing = MESHES
        .iter()
        .find(|[word, mesh]| title.contains(word) && !has(mesh))?;
    Some(format!("no mesh of it is of `{}`", missing[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_false_title_is_found() {
        let title_of = |title: &str, overrides: &[&str]| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/rings.toml");
            let mut scene = Scene::load(path, overrides).expect("a shipped scene is valid");
            scene.title = title.to_owned();
            untrue(&scene)
        };
        let few = ["body.0.copies.count=12"];
        assert_eq!(title_of("120 rings fall into a pile", &[]), None);
        assert_eq!(title_of("12 rings fall into a pile", &few), None);
        assert_eq!(title_of("Rings fall into a pile", &few), None);
        assert!(title_of("120 rings fall into a pile", &few).is_some());
        assert!(title_of("Ten rings fall into a pile", &few).is_some());
        assert!(title_of("An armadillo falls on 12 rings", &few).is_some());
    }

    #[test]
    fn every_title_is_true() {
        for case in CASES {
            for extent in [Extent::Quick, Extent::Full] {
                if let Some(scene) = case.load(extent).expect("a shipped scene is valid") {
                    let name = case.name(extent);
                    assert_eq!(untrue(&scene), None, "{name}: {}", scene.title);
                }
            }
        }
    }

    /// The overrides of the small variant in the head of a scene, as a shell passes them.
    fn small_variant(text: &str) -> Option<Vec<String>> {
        const HEAD: &str = "# A small variant: --set ";
        let mut lines = text.lines().skip_while(|line| !line.starts_with(HEAD));
        let first = lines.next()?.trim_start_matches(HEAD).to_owned();
        let rest = lines.map_while(|line| line.strip_prefix("#   --set "));
        let command = rest.fold(first, |command, more| command + " --set " + more);
        let command = command.split(" --until").next()?.replace('"', "");
        Some(command.split(" --set ").map(str::to_owned).collect())
    }

    #[test]
    fn titles_of_small_variants_are_true() {
        let folder = crate::ci::root().join("scenes");
        let has_data = std::env::var_os("IMPINGE_DATA").is_some();
        let mut variants = 0;
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("a file").path();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            // Others change the fineness of meshes, which no title states.
            let changes_bodies =
                |set: &String| set.contains("copies.count") || set.contains("file.path");
            let Some(overrides) =
                small_variant(&text).filter(|sets| sets.iter().any(changes_bodies))
            else {
                continue;
            };
            variants += 1;
            if text.contains("{IMPINGE_DATA}/") && !has_data {
                println!("skipped: {} needs IMPINGE_DATA", path.display());
                continue;
            }
            let scene = Scene::load(&path, &overrides).expect("a shipped variant is valid");
            assert_eq!(untrue(&scene), None, "{}: {}", path.display(), scene.title);
        }
        assert!(variants >= 8, "{variants}");
    }
}
