//! The layer rule: allowed dependencies of each package, compared with `cargo metadata`.

use std::error::Error;

use cargo_metadata::MetadataCommand;

/// Every package of the workspace and its allowed dependencies in the workspace, tests included.
const LAYERS: [(&str, &[&str]); 14] = [
    // Threads, known to every layer that computes.
    ("impinge-rayon", &[]),
    // An independent oracle for tests and `verify`, so it has no dependencies of ours.
    ("impinge-ccd-oracle", &[]),
    // Damages files for the tests of every reader.
    ("impinge-damage", &[]),
    (
        "impinge-geometry",
        &["impinge-rayon", "impinge-ccd-oracle", "impinge-damage"],
    ),
    ("impinge-krylov", &["impinge-rayon"]),
    (
        "impinge-fem",
        &["impinge-rayon", "impinge-geometry", "impinge-krylov"],
    ),
    (
        "impinge-contact",
        &[
            "impinge-rayon",
            "impinge-damage",
            "impinge-geometry",
            "impinge-krylov",
        ],
    ),
    (
        "impinge-sim",
        &[
            "impinge-rayon",
            "impinge-ccd-oracle",
            "impinge-damage",
            "impinge-geometry",
            "impinge-krylov",
            "impinge-fem",
            "impinge-contact",
        ],
    ),
    ("impinge-report", &["impinge-sim", "impinge-contact"]),
    (
        "impinge",
        &[
            "impinge-rayon",
            "impinge-sim",
            "impinge-report",
            "impinge-geometry",
            "impinge-contact",
        ],
    ),
    // The Python package: like the program, above the libraries.
    (
        "impinge-python",
        &[
            "impinge-rayon",
            "impinge-sim",
            "impinge-geometry",
            "impinge-contact",
        ],
    ),
    ("impinge-tests", LIBRARIES),
    // As a user's crate: the public items alone.
    (
        "impinge-extension-tests",
        &[
            "impinge-geometry",
            "impinge-krylov",
            "impinge-fem",
            "impinge-contact",
            "impinge-sim",
        ],
    ),
    ("xtask", ALL),
];

const ALL: &[&str] = &[
    "impinge-rayon",
    "impinge-ccd-oracle",
    "impinge-damage",
    "impinge-geometry",
    "impinge-krylov",
    "impinge-fem",
    "impinge-contact",
    "impinge-sim",
    "impinge-report",
];

const LIBRARIES: &[&str] = &[
    "impinge-rayon",
    "impinge-geometry",
    "impinge-krylov",
    "impinge-fem",
    "impinge-contact",
    "impinge-sim",
];

/// True if every dependency is allowed.
pub(super) fn check() -> Result<bool, Box<dyn Error>> {
    let metadata = MetadataCommand::new().no_deps().exec()?;
    let packages: Vec<(String, Vec<String>)> = metadata
        .workspace_packages()
        .iter()
        .map(|package| {
            let names = package
                .dependencies
                .iter()
                .map(|d| d.name.clone())
                .collect();
            (package.name.to_string(), names)
        })
        .collect();
    let mistakes = mistakes(&packages);
    for mistake in &mistakes {
        println!("    {mistake}");
    }
    if mistakes.is_empty() {
        println!("    {} packages, none depends upwards", packages.len());
    }
    Ok(mistakes.is_empty())
}

/// Violations of the rule among `(package, its dependencies)`.
fn mistakes(packages: &[(String, Vec<String>)]) -> Vec<String> {
    let mut mistakes = Vec::new();
    for (package, dependencies) in packages {
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| name == package) else {
            mistakes.push(format!(
                "{package} has no layer; give it one in xtask/src/ci/layers.rs"
            ));
            continue;
        };
        for dependency in dependencies {
            let ours = packages.iter().any(|(name, _)| name == dependency);
            if ours && !allowed.contains(&dependency.as_str()) {
                mistakes.push(format!(
                    "{package} must not depend on {dependency}; move what it needs down, or the use of it up"
                ));
            }
        }
    }
    mistakes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[&str]) -> (String, Vec<String>) {
        (
            name.to_owned(),
            dependencies.iter().map(|&name| name.to_owned()).collect(),
        )
    }

    #[test]
    fn an_upward_dependency_is_named() {
        let packages = [
            package("impinge-fem", &["impinge-contact", "nalgebra"]),
            package("impinge-contact", &["impinge-krylov"]),
            package("impinge-krylov", &[]),
        ];
        let found = mistakes(&packages);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("impinge-fem must not depend on impinge-contact"));
    }

    #[test]
    fn an_unknown_package_is_named() {
        assert_eq!(mistakes(&[package("impinge-new", &[])]).len(), 1);
    }

    #[test]
    fn the_table_itself_points_down() {
        for (index, (package, allowed)) in LAYERS.iter().enumerate() {
            for name in *allowed {
                let place = LAYERS.iter().position(|(other, _)| other == name);
                assert!(
                    place.is_some_and(|place| place < index),
                    "{package} on {name}"
                );
            }
        }
    }
}
