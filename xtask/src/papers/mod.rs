//! `cargo xtask papers`: the scenes after figures of papers, what judges them, and what that measures now.
//!
//! A claim names a part of a paper, its scenes, and the tests and guarantees that judge it. The command runs all of
//! them and writes one page.

mod claim;
mod friction;
mod harmon;
mod page;
mod ran;
mod saupin;
mod tournier;
mod verschoor;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::PathBuf;

use claim::{Claim, Judge, Paper};
use ran::Ran;

use crate::conformance::{self, Guarantees, Layer};

/// All papers, and friction that holds.
const PAPERS: [&Paper; 5] = [
    &verschoor::PAPER,
    &tournier::PAPER,
    &saupin::PAPER,
    &harmon::PAPER,
    &friction::PAPER,
];

/// Selection of judges.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Judge by the full form of these layers of conformance; `methods` takes hours
    #[arg(long, value_enum, value_name = "LAYER", value_delimiter = ',')]
    full: Vec<Layer>,
    /// Also write the page [usual: docs/results/papers.md]
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

/// What the judges found.
#[derive(Default)]
struct Found {
    /// By package and name of the test.
    tests: BTreeMap<(&'static str, &'static str), Ran>,
    guarantees: Guarantees,
}

/// Runs the judges of all claims; true if every claim holds.
pub(crate) fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    if let Some(scene) = page::missing_picture(&crate::ci::root()) {
        return Err(format!("{scene} has no picture: cargo xtask gallery {scene}").into());
    }
    let mut found = Found::default();
    for (package, names) in tests_by_package() {
        println!("{package}: {} tests", names.len());
        let names: Vec<&str> = names.into_iter().collect();
        let mut ran = ran::run(package, &names)?;
        let of_names =
            (names.iter()).filter_map(|&name| Some(((package, name), ran.remove(name)?)));
        found.tests.extend(of_names);
    }
    for full in [false, true] {
        let mut layers = layers();
        layers.retain(|layer| options.full.contains(layer) == full);
        if !layers.is_empty() {
            let more = conformance::guarantees(&layers, &scenes_of_methods(full), full)?;
            found.guarantees.rows.extend(more.rows);
            found.guarantees.skipped.extend(more.skipped);
        }
    }
    if let Some(path) = &options.page {
        crate::page::write(path, page::text(&options.full, &found))?;
        println!("\nwrote {}", path.display());
    }
    let lines = claims().flat_map(|claim| page::lines(claim, &found, &options.full));
    let broken: Vec<_> = lines.filter(|line| line.verdict == "BROKEN").collect();
    for line in &broken {
        println!("BROKEN: {}: {}, {}", line.what, line.value, line.bound);
    }
    // Also those that no claim names.
    Ok(broken.is_empty()
        && found
            .guarantees
            .rows
            .iter()
            .all(|row| row.verdict != "BROKEN"))
}

fn claims() -> impl Iterator<Item = &'static Claim> {
    PAPERS.iter().flat_map(|paper| paper.claims)
}

/// The tests that judge claims, by package.
fn tests_by_package() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let mut packages: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for judge in claims().flat_map(|claim| claim.judges) {
        if let Judge::Test { package, name } = *judge {
            packages.entry(package).or_default().insert(name);
        }
    }
    packages
}

/// The scenes of conformance of methods that judge claims.
fn scenes_of_methods(full: bool) -> Vec<&'static str> {
    let judges = claims().flat_map(|claim| claim.judges);
    judges
        .filter_map(|judge| match *judge {
            Judge::Rows {
                layer: Layer::Methods,
                case,
                form,
            } => form.has(full).then_some(case),
            _ => None,
        })
        .collect()
}

/// The layers of conformance that judge claims.
fn layers() -> Vec<Layer> {
    let mut layers = Vec::new();
    for judge in claims().flat_map(|claim| claim.judges) {
        if let Judge::Rows { layer, .. } = *judge
            && !layers.contains(&layer)
        {
            layers.push(layer);
        }
    }
    layers
}

#[cfg(test)]
mod checks {
    use super::*;
    use std::fs;

    /// Scenes of claims are shipped and have pictures, and each claim has a judge that is run or a page.
    #[test]
    fn every_claim_has_a_scene_that_is_shipped_and_a_judge() {
        let root = crate::ci::root();
        assert_eq!(page::missing_picture(&root), None);
        for claim in claims() {
            for scene in claim.scenes {
                let path = root.join("scenes").join(scene).with_extension("toml");
                assert!(path.is_file(), "{}", path.display());
            }
            assert!(!claim.judges.is_empty(), "{}", claim.part);
            for judge in claim.judges {
                if let Judge::Page(page) = judge {
                    assert!(root.join("docs/results").join(page).is_file(), "{page}");
                }
            }
        }
    }

    /// A test that was renamed would judge nothing.
    #[test]
    fn tests_of_claims_exist() {
        let root = crate::ci::root();
        for (package, names) in tests_by_package() {
            let folder = match package {
                "impinge-tests" => "tests/it",
                _ => "crates/sim/tests/it",
            };
            for name in names {
                let (module, function) = name.rsplit_once("::").expect("a module and a function");
                let file = root.join(folder).join(module.replace("::", "/"));
                let text = fs::read_to_string(file.with_extension("rs")).expect("a module");
                assert!(
                    text.contains(&format!("#[test]\nfn {function}()")),
                    "{name}"
                );
            }
        }
    }

    /// A scene that is after a figure of a paper, as its head says, is on the page.
    #[test]
    fn scenes_after_papers_are_on_the_page() {
        let papers = [
            "Tournier et al.",
            "Harmon et al.",
            "Verschoor and Jalba",
            "Saupin et al.",
        ];
        let scenes = crate::book::scenes(&crate::ci::root().join("scenes")).expect("scenes");
        for path in scenes {
            let text = fs::read_to_string(&path).expect("a scene");
            let head: String = text
                .lines()
                .take_while(|line| line.starts_with('#'))
                .collect();
            let name = path.file_stem().expect("a name").to_string_lossy();
            let is_after = papers
                .iter()
                .any(|paper| head.contains(&format!("After {paper}")));
            let is_listed = claims().any(|claim| claim.scenes.contains(&name.as_ref()));
            assert!(is_listed || !is_after, "{name}");
        }
    }
}
