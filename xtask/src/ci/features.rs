//! Every crate builds without its default features, warnings denied, and the calls of rayon work on one thread.

use std::error::Error;

/// Packages checked by one call of cargo. None of them enables a feature of another one in its group, and each group
/// takes its dependencies without features too, so no crate is checked with more than it asks for. The oracle is in two
/// groups: packages that depend on its `num-traits` are then checked once for both.
const GROUPS: [&[&str]; 3] = [
    &[
        "impinge-rayon",
        "impinge-ccd-oracle",
        "impinge-geometry",
        "impinge-contact",
    ],
    &["impinge-ccd-oracle", "impinge-krylov", "impinge-fem"],
    &["impinge-sim", "impinge-report", "impinge", "xtask"],
];

/// True if all of them build.
pub(super) fn check() -> Result<bool, Box<dyn Error>> {
    let mut holds = super::cargo(
        &[
            "test",
            "--quiet",
            "-p",
            "impinge-rayon",
            "--no-default-features",
        ],
        &[],
    )?;
    for group in GROUPS {
        let mut arguments = vec!["clippy", "--quiet", "--no-default-features"];
        for package in group {
            arguments.extend(["-p", package]);
        }
        arguments.extend(["--", "-D", "warnings"]);
        holds &= super::cargo(&arguments, &[])?;
    }
    Ok(holds)
}
