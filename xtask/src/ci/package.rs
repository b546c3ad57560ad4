//! Every published crate can stand alone: its manifest is complete, licences and README are inside, and cargo packages
//! it together with the others.
//!
//! The packages are not built: that is what `cargo publish --dry-run --workspace` adds, as the workflow runs it. What
//! is here needs no network.

use std::error::Error;
use std::fs;
use std::path::Path;

use cargo_metadata::{MetadataCommand, Package};

/// Licence files, the same in every crate as at the root.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Longest list of keywords and of categories that the registry takes.
const MOST_KEYWORDS: usize = 5;

/// The workflow, which installs the minimum version of Rust and tests with it.
const WORKFLOW: &str = ".github/workflows/ci.yml";

/// True if all published crates are complete and can be packaged.
pub(super) fn check(root: &Path) -> Result<bool, Box<dyn Error>> {
    let metadata = MetadataCommand::new().no_deps().exec()?;
    let packages = metadata.workspace_packages();
    let published = |package: &&&Package| {
        package
            .publish
            .as_ref()
            .is_none_or(|registries| !registries.is_empty())
    };
    let packages: Vec<&Package> = packages.iter().filter(published).copied().collect();
    let workflow = fs::read_to_string(root.join(WORKFLOW))?;
    let mut complete = true;
    for package in &packages {
        let mut mistakes = mistakes(package, root)?;
        if let Some(minimum) = &package.rust_version {
            let version = format!("{}.{}", minimum.major, minimum.minor);
            if !workflow.contains(&format!("toolchain install {version}")) {
                mistakes.push(format!(
                    "{WORKFLOW} has to test its rust-version, {version}"
                ));
            }
        }
        for mistake in mistakes {
            complete = false;
            println!("    {}: {mistake}", package.name);
        }
    }
    let mut arguments = vec![
        "package",
        "--quiet",
        "--no-verify",
        "--allow-dirty",
        "--offline",
    ];
    for package in &packages {
        arguments.extend(["-p", package.name.as_str()]);
    }
    let packaged = super::cargo(&arguments, &[])?;
    println!("    {} crates to publish", packages.len());
    Ok(complete && packaged)
}

/// Faults of the manifest or the folder of a package.
fn mistakes(package: &Package, root: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut mistakes = Vec::new();
    let named = [
        ("description", package.description.is_some()),
        ("license", package.license.is_some()),
        ("documentation", package.documentation.is_some()),
        ("rust-version", package.rust_version.is_some()),
        ("readme", package.readme.is_some()),
        (
            "keywords",
            (1..=MOST_KEYWORDS).contains(&package.keywords.len()),
        ),
        (
            "categories",
            (1..=MOST_KEYWORDS).contains(&package.categories.len()),
        ),
    ];
    let missing = named.iter().filter(|(_, there)| !there);
    mistakes.extend(missing.map(|(key, _)| format!("its manifest needs a sound `{key}`")));
    let folder = package
        .manifest_path
        .parent()
        .ok_or("a manifest has a folder")?;
    for licence in LICENCES {
        let own = fs::read(folder.join(licence)).ok();
        if own != Some(fs::read(root.join(licence))?) {
            mistakes.push(format!("its folder needs a copy of {licence}"));
        }
    }
    if let Some(readme) = &package.readme
        && !folder.join(readme).exists()
    {
        mistakes.push(format!("its README, {readme}, does not exist"));
    }
    Ok(mistakes)
}
