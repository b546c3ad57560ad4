//! The rules of `deny.toml` for licences, versions and sources of dependencies, as far as they can be checked without
//! network.
//!
//! Licences are those of the packages that this system compiles; versions and sources are those of `Cargo.lock`, for
//! all systems. Advisories and yanked versions need the registry: `cargo deny check` in the workflow looks at them.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use cargo_metadata::MetadataCommand;
use toml::{Table, Value};

/// How the source of a package of a registry begins.
const REGISTRY: &str = "registry+";

/// True if all dependencies are as the file says.
pub(super) fn check(root: &Path) -> Result<bool, Box<dyn Error>> {
    let rules: Table = fs::read_to_string(root.join("deny.toml"))?.parse()?;
    let allowed = names(rules.get("licenses"), "allow", Value::as_str);
    let skipped = names(rules.get("bans"), "skip", |entry| {
        entry.get("crate")?.as_str()
    });

    let lock: Table = fs::read_to_string(root.join("Cargo.lock"))?.parse()?;
    let locked = locked(&lock);
    let mut mistakes = versions(&locked, &skipped);
    mistakes.extend(sources(&locked));

    let system = host()?;
    let metadata = MetadataCommand::new()
        .other_options([
            "--filter-platform".to_owned(),
            system,
            "--locked".to_owned(),
        ])
        .exec()?;
    let compiled = metadata
        .packages
        .iter()
        .filter(|package| package.source.is_some());
    let mut count = 0;
    for package in compiled {
        count += 1;
        let licence = package.license.as_deref().unwrap_or_default();
        if !is_allowed(licence, &allowed) {
            mistakes.push(format!(
                "{} {} is under `{licence}`, which deny.toml does not allow",
                package.name, package.version
            ));
        }
    }
    for mistake in &mistakes {
        println!("    {mistake}");
    }
    println!(
        "    {} packages in Cargo.lock, licences of {count} read, {} mistakes",
        locked.len(),
        mistakes.len()
    );
    Ok(mistakes.is_empty())
}

/// The strings of a list in a table.
fn names<'a>(
    table: Option<&'a Value>,
    key: &str,
    name: impl Fn(&'a Value) -> Option<&'a str>,
) -> BTreeSet<&'a str> {
    let entries = table.and_then(|table| table.get(key)?.as_array());
    entries.into_iter().flatten().filter_map(name).collect()
}

/// A package of `Cargo.lock`.
struct Locked<'a> {
    name: &'a str,
    version: &'a str,
    /// Registry or repository; none for packages of the workspace.
    source: Option<&'a str>,
}

fn locked(lock: &Table) -> Vec<Locked<'_>> {
    let packages = lock.get("package").and_then(Value::as_array);
    packages
        .into_iter()
        .flatten()
        .filter_map(|package| {
            Some(Locked {
                name: package.get("name")?.as_str()?,
                version: package.get("version")?.as_str()?,
                source: package.get("source").and_then(Value::as_str),
            })
        })
        .collect()
}

/// Packages in several versions of which more than one is not in the list, and entries of the list without a package.
fn versions(locked: &[Locked<'_>], skipped: &BTreeSet<&str>) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut unused = skipped.clone();
    for package in locked {
        let full = format!("{}@{}", package.name, package.version);
        if skipped.contains(full.as_str()) {
            unused.remove(full.as_str());
        } else {
            versions
                .entry(package.name)
                .or_default()
                .push(package.version);
        }
    }
    let several = versions
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1);
    several
        .map(|(name, versions)| {
            let versions = versions.join(" and ");
            format!("{name} is there as {versions}: unite them, or list the older one in deny.toml with the reason")
        })
        .chain(unused.into_iter().map(|entry| format!("deny.toml skips {entry}, which Cargo.lock does not have")))
        .collect()
}

/// Packages from elsewhere than the one registry of all others.
fn sources(locked: &[Locked<'_>]) -> Vec<String> {
    let registry = (locked.iter().filter_map(|package| package.source))
        .find(|source| source.starts_with(REGISTRY));
    let foreign = |package: &&Locked<'_>| package.source.is_some() && package.source != registry;
    let mistake = |package: &Locked<'_>| {
        format!(
            "{} {} comes from {}, not from the registry of the other packages",
            package.name,
            package.version,
            package.source.unwrap_or_default()
        )
    };
    locked.iter().filter(foreign).map(mistake).collect()
}

/// Whether a licence expression can be met by the allowed licences; `/` is an old form of `OR`. A licence with an
/// exception is not the licence without it.
fn is_allowed(expression: &str, allowed: &BTreeSet<&str>) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    disjunction(&mut words, allowed) && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn disjunction(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    let mut any = conjunction(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        any |= conjunction(words, allowed);
    }
    any
}

fn conjunction(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    let mut all = term(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        all &= term(words, allowed);
    }
    all
}

fn term(words: &mut Words<'_>, allowed: &BTreeSet<&str>) -> bool {
    match words.next() {
        Some("(") => {
            let inside = disjunction(words, allowed);
            words.next() == Some(")") && inside
        }
        Some(licence) if words.next_if_eq(&"WITH").is_some() => {
            let exception = words.next().unwrap_or_default();
            allowed.contains(format!("{licence} WITH {exception}").as_str())
        }
        Some(licence) => allowed.contains(licence),
        None => false,
    }
}

/// The system that cargo compiles for.
fn host() -> Result<String, Box<dyn Error>> {
    let program = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(program).arg("-vV").output()?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("`rustc -vV` names no host")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package<'a>(name: &'a str, version: &'a str) -> Locked<'a> {
        Locked {
            name,
            version,
            source: Some("registry+index"),
        }
    }

    #[test]
    fn one_allowed_licence_of_several_is_enough() {
        let allowed = BTreeSet::from(["MIT", "Unicode-3.0"]);
        for good in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0/MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
        ] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(GPL-3.0 OR MPL-2.0) AND MIT",
            "MIT WITH X",
            "MIT MIT",
            "(MIT",
        ] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn a_second_version_is_named_unless_it_is_listed() {
        let locked = [
            package("syn", "1.0.0"),
            package("syn", "2.0.0"),
            package("serde", "1.0.0"),
        ];
        let found = versions(&locked, &BTreeSet::new());
        assert!(found[0].starts_with("syn is there as 1.0.0 and 2.0.0"));
        assert_eq!(versions(&locked, &BTreeSet::from(["syn@1.0.0"])).len(), 0);
        let stale = BTreeSet::from(["syn@1.0.0", "gone@1.0.0"]);
        assert!(versions(&locked, &stale)[0].contains("gone@1.0.0"));
    }

    #[test]
    fn other_sources_are_named() {
        let mut foreign = package("syn", "1.0.0");
        foreign.source = Some("git+https://example.org/syn");
        assert_eq!(sources(&[foreign, package("serde", "1.0.0")]).len(), 1);
    }
}
