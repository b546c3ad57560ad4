//! Rejects circular imports between the files of a crate, and between its top-level modules.
//!
//! The check reads `use` lines and paths that begin with `crate` or `super`. A re-exported name (`pub use`) counts as
//! an import of the file that defines it; the re-export itself is no import. Test code does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use super::source_files;

/// Longest chain of re-exports; a longer one is a cycle.
const MOST_EXPORTS: usize = 16;

/// A module by its path in the crate: the root is empty.
type Module = Vec<String>;

/// True if no crate has a circle.
pub(super) fn check(root: &Path) -> Result<bool, Box<dyn Error>> {
    let mut folders: Vec<PathBuf> = fs::read_dir(root.join("crates"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    folders.sort();
    let (mut files, mut found) = (0, 0);
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let sources = Sources::read(&folder.join("src"))?;
        files += sources.0.len();
        let imports = imports(&sources);
        for circle in circles(&between_top_modules(&imports)) {
            found += 1;
            let modules: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            println!(
                "    modules import each other in a circle: {name}: {}",
                modules.join(" ")
            );
        }
        for circle in circles(&imports) {
            found += 1;
            let circle = sources.files(&circle);
            println!(
                "    import each other in a circle: {name}: {}",
                circle.join(" ")
            );
            for line in imports_within(&sources, &circle) {
                println!("        {line}");
            }
        }
    }
    println!("    {files} files, {found} circles");
    Ok(found == 0)
}

/// The files of a crate by module: path below `src` and tokens.
struct Sources(BTreeMap<Module, (String, Vec<String>)>);

impl Sources {
    fn read(src: &Path) -> Result<Self, Box<dyn Error>> {
        let texts = source_files(src, src)?;
        Ok(Self::new(
            texts
                .iter()
                .map(|(place, text)| (place.as_str(), text.as_str())),
        ))
    }

    fn new<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut sources = BTreeMap::new();
        let mut tests = Vec::new();
        for (place, text) in texts {
            let module = module_of(place);
            let (tokens, only_tested) = without_tests(&tokens(text));
            tests.extend(only_tested.into_iter().map(|name| below(&module, &name)));
            sources.insert(module, (place.to_owned(), tokens));
        }
        sources.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
        Self(sources)
    }

    /// Paths of modules, sorted.
    fn files(&self, modules: &[Module]) -> Vec<String> {
        let mut files: Vec<String> = (modules.iter())
            .filter_map(|module| self.0.get(module))
            .map(|(place, _)| place.clone())
            .collect();
        files.sort();
        files
    }
}

fn below(module: &[String], name: &str) -> Module {
    let mut module = module.to_vec();
    module.push(name.to_owned());
    module
}

/// The module of a file.
fn module_of(place: &str) -> Module {
    let mut parts: Module = place
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    if parts
        .last()
        .is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str()))
    {
        parts.pop();
    }
    parts
}

/// Words, `::` and single punctuation marks, without comments and literals.
fn tokens(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let at = |place: usize| letters.get(place).copied().unwrap_or('\0');
    let mut tokens: Vec<String> = Vec::new();
    let mut i = 0;
    while i < letters.len() {
        match (at(i), at(i + 1)) {
            ('/', '/') => {
                while i < letters.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            ('/', '*') => {
                let mut depth = 0;
                while i < letters.len() {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            ('"', _) => {
                // A raw string ends with as many `#` as it begins with, and has no escapes.
                let hashes = tokens
                    .iter()
                    .rev()
                    .take_while(|token| *token == "#")
                    .count();
                let before = tokens
                    .len()
                    .checked_sub(hashes + 1)
                    .map(|word| tokens[word].as_str());
                let is_raw = matches!(before, Some("r" | "br" | "cr"));
                i += 1;
                while i < letters.len() {
                    if at(i) == '\\' && !is_raw {
                        i += 2;
                    } else if at(i) == '"'
                        && (!is_raw || (1..=hashes).all(|hash| at(i + hash) == '#'))
                    {
                        i += 1 + if is_raw { hashes } else { 0 };
                        break;
                    } else {
                        i += 1;
                    }
                }
            }
            ('\'', '\\') => {
                i += 3;
                while i < letters.len() && at(i) != '\'' {
                    i += 1;
                }
                i += 1;
            }
            // A character literal, not a lifetime.
            ('\'', _) if at(i + 2) == '\'' => i += 3,
            (':', ':') => {
                tokens.push("::".to_owned());
                i += 2;
            }
            (letter, _) if is_word(letter) => {
                let word: String = letters[i..]
                    .iter()
                    .copied()
                    .take_while(|&of| is_word(of))
                    .collect();
                i += word.chars().count();
                tokens.push(word);
            }
            (letter, _) => {
                if !letter.is_whitespace() {
                    tokens.push(letter.to_string());
                }
                i += 1;
            }
        }
    }
    tokens
}

/// The tokens without items under `#[cfg(test)]`, and the names of modules among these items.
fn without_tests(tokens: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut kept, mut modules) = (Vec::new(), Vec::new());
    let mut rest = tokens;
    while let Some(first) = rest.first() {
        let is_test = rest.len() > 7
            && rest[..7]
                .iter()
                .map(String::as_str)
                .eq(["#", "[", "cfg", "(", "test", ")", "]"]);
        if !is_test {
            kept.push(first.clone());
            rest = &rest[1..];
            continue;
        }
        rest = &rest[7..];
        let mut depth = 0_usize;
        let end = rest.iter().position(|token| {
            match token.as_str() {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            // A following attribute belongs to the item; a block ends it.
            depth == 0 && [";", "}", ","].contains(&token.as_str())
        });
        let item = &rest[..end.map_or(rest.len(), |end| end + 1)];
        if let [.., module, name, semicolon] = item
            && module == "mod"
            && semicolon == ";"
        {
            modules.push(name.clone());
        }
        rest = &rest[item.len()..];
    }
    (kept, modules)
}

/// A path in a file, as written, and whether it is re-exported under a name.
struct Named {
    path: Vec<String>,
    exported: Option<String>,
}

/// All `use` lines and paths from `crate` or `super` of a file.
fn named(tokens: &[String]) -> Vec<Named> {
    let mut named = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let word = tokens[i].as_str();
        if word == "use" {
            let length = tokens[i..]
                .iter()
                .position(|token| token == ";")
                .unwrap_or(tokens.len() - i);
            let is_public = match i.checked_sub(1).map(|last| tokens[last].as_str()) {
                Some("pub") => true,
                // `pub(crate)` and similar.
                Some(")") => tokens[..i]
                    .iter()
                    .rposition(|token| token == "(")
                    .is_some_and(|open| open > 0 && tokens[open - 1] == "pub"),
                _ => false,
            };
            leaves(&tokens[i + 1..i + length], &[], is_public, &mut named);
            i += length;
        } else if word == "crate" || word == "super" {
            // The scope of a visibility is no import.
            let is_scope = i >= 2 && tokens[i - 1] == "in" && tokens[i - 2] == "(";
            let mut path = vec![word.to_owned()];
            while let [colons, name, ..] = &tokens[i + 1..]
                && colons == "::"
                && name
                    .chars()
                    .all(|letter| letter.is_alphanumeric() || letter == '_')
            {
                path.push(name.clone());
                i += 2;
            }
            if path.len() > 1 && !is_scope {
                named.push(Named {
                    path,
                    exported: None,
                });
            }
        }
        i += 1;
    }
    named
}

/// The paths of the tree of a `use` line.
fn leaves(tree: &[String], before: &[String], is_public: bool, named: &mut Vec<Named>) {
    let mut path = before.to_vec();
    let mut rest = tree;
    while let [first, ..] = rest {
        match first.as_str() {
            "::" => rest = &rest[1..],
            "{" => {
                let inner = &rest[1..rest.len().saturating_sub(1).max(1)];
                let mut depth = 0_usize;
                let branches = inner.split(|token| {
                    match token.as_str() {
                        "{" => depth += 1,
                        "}" => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    depth == 0 && token == ","
                });
                for branch in branches.filter(|branch| !branch.is_empty()) {
                    leaves(branch, &path, is_public, named);
                }
                return;
            }
            "as" => break,
            name => {
                path.push(name.to_owned());
                rest = &rest[1..];
            }
        }
    }
    let own = match path.as_slice() {
        [.., module, last] if last == "self" => module.clone(),
        [.., last] => last.clone(),
        [] => return,
    };
    let name = if let [as_word, alias] = rest
        && as_word == "as"
    {
        alias.clone()
    } else {
        own
    };
    named.push(Named {
        path,
        exported: is_public.then_some(name),
    });
}

/// A path from the root of the crate; `None` for other crates.
fn absolute(sources: &Sources, module: &Module, path: &[String]) -> Option<Vec<String>> {
    let (mut base, mut rest) = match path.first()?.as_str() {
        "crate" => (Vec::new(), &path[1..]),
        "self" | "super" => (module.clone(), path),
        child => {
            let is_child = sources.0.contains_key(&below(module, child));
            return is_child.then(|| [module.as_slice(), path].concat());
        }
    };
    while let Some(first) = rest.first() {
        match first.as_str() {
            "self" => {}
            "super" => {
                base.pop();
            }
            _ => break,
        }
        rest = &rest[1..];
    }
    Some([base.as_slice(), rest].concat())
}

/// The imports of each module, with re-exports resolved.
fn imports(sources: &Sources) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut used: Vec<(&Module, Vec<String>)> = Vec::new();
    let mut exports: BTreeMap<(&Module, String), Vec<String>> = BTreeMap::new();
    for (module, (_, tokens)) in &sources.0 {
        for Named { path, exported } in named(tokens) {
            let Some(target) = absolute(sources, module, &path) else {
                continue;
            };
            match exported {
                Some(name) => {
                    exports.insert((module, name), target);
                }
                None => used.push((module, target)),
            }
        }
    }
    let mut imports: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (module, target) in used {
        let owner = owner(sources, &exports, target);
        if let Some(owner) = owner.filter(|owner| owner != module) {
            imports.entry(module.clone()).or_default().insert(owner);
        }
    }
    imports
}

/// The module that defines a path.
fn owner(
    sources: &Sources,
    exports: &BTreeMap<(&Module, String), Vec<String>>,
    mut path: Vec<String>,
) -> Option<Module> {
    for _ in 0..MOST_EXPORTS {
        let length = (0..=path.len())
            .rev()
            .find(|&length| sources.0.contains_key(&path[..length]))?;
        let module = path[..length].to_vec();
        let exported = (path.get(length)).and_then(|name| exports.get(&(&module, name.clone())));
        match exported {
            Some(target) => path = [target.as_slice(), &path[length + 1..]].concat(),
            None => return Some(module),
        }
    }
    None
}

/// Imports between the top-level modules of a crate; the files of a module count as one.
fn between_top_modules(
    imports: &BTreeMap<Module, BTreeSet<Module>>,
) -> BTreeMap<Module, BTreeSet<Module>> {
    let top = |module: &Module| module.first().map(|name| vec![name.clone()]);
    let mut between: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (from, targets) in imports {
        let Some(from) = top(from) else { continue };
        let others = targets.iter().filter_map(top).filter(|to| *to != from);
        between.entry(from.clone()).or_default().extend(others);
    }
    between
}

/// Strongly connected components of two modules or more.
fn circles(imports: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<Module>> {
    let reached = |from: &Module| {
        let mut reached: BTreeSet<&Module> = BTreeSet::new();
        let mut open: Vec<&Module> = imports.get(from).into_iter().flatten().collect();
        while let Some(module) = open.pop() {
            if reached.insert(module) {
                open.extend(imports.get(module).into_iter().flatten());
            }
        }
        reached
    };
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = imports
        .keys()
        .map(|module| (module, reached(module)))
        .collect();
    let mut circles: Vec<Vec<Module>> = Vec::new();
    for (module, its) in &reached {
        if !its.contains(module) || circles.iter().any(|circle| circle.contains(module)) {
            continue;
        }
        let leads_back =
            |other: &&&Module| reached.get(**other).is_some_and(|of| of.contains(module));
        circles.push(
            its.iter()
                .filter(leads_back)
                .map(|&other| other.clone())
                .collect(),
        );
    }
    circles
}

/// A line for each file of a circle: its imports among the others.
fn imports_within(sources: &Sources, circle: &[String]) -> Vec<String> {
    let of = |module: &Module| sources.0.get(module).map(|(place, _)| place.as_str());
    let mut lines = Vec::new();
    for (module, targets) in imports(sources) {
        let Some(place) = of(&module).filter(|place| circle.iter().any(|file| file == place))
        else {
            continue;
        };
        let targets: Vec<&str> = (targets.iter().filter_map(of))
            .filter(|place| circle.iter().any(|file| file == place))
            .collect();
        lines.push(format!("{place} imports {}", targets.join(", ")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[(&str, &str)]) -> Vec<Vec<String>> {
        let sources = Sources::new(texts.iter().copied());
        circles(&imports(&sources))
            .iter()
            .map(|circle| sources.files(circle))
            .collect()
    }

    #[test]
    fn files_of_one_module_count_as_one() {
        let module = |path: &str| path.split("::").map(str::to_owned).collect::<Module>();
        let imports = [("a::x", "b::x"), ("b::y", "a::y"), ("c", "a::x")]
            .map(|(from, to)| (module(from), BTreeSet::from([module(to)])));
        let imports = BTreeMap::from(imports);
        assert!(circles(&imports).is_empty());
        let between = between_top_modules(&imports);
        assert_eq!(circles(&between), [[module("a"), module("b")]]);
    }

    #[test]
    fn two_files_that_import_each_other_are_a_circle() {
        let lib = ("lib.rs", "mod a; mod b; mod c;");
        let a = ("a.rs", "use crate::b::B;");
        let c = ("c.rs", "use crate::{a::A, b};");
        assert_eq!(found(&[lib, a, ("b.rs", ""), c]), [[""; 0]; 0]);
        assert_eq!(
            found(&[lib, a, ("b.rs", "fn f() -> super::a::A {}"), c]),
            [["a.rs", "b.rs"]]
        );
        assert_eq!(
            found(&[lib, a, ("b.rs", "use super::c::{self, C as D};"), c]),
            [["a.rs", "b.rs", "c.rs"]]
        );
    }

    #[test]
    fn exports_lead_to_the_file_that_defines_and_are_no_import() {
        let parent = (
            "m/mod.rs",
            "mod a; mod b; pub(crate) use a::A; pub use self::b::{B as C};",
        );
        let b = ("m/b.rs", "use super::A;");
        assert_eq!(
            found(&[("lib.rs", "mod m;"), parent, ("m/a.rs", ""), b]),
            [[""; 0]; 0]
        );
        let a = ("m/a.rs", "use crate::m::C;");
        assert_eq!(
            found(&[("lib.rs", "mod m;"), parent, a, b]),
            [["m/a.rs", "m/b.rs"]]
        );
    }

    #[test]
    fn a_parent_that_uses_its_child_makes_a_circle_with_it() {
        let parent = ("m/mod.rs", "mod a; use a::A;");
        let a = ("m/a.rs", "use super::Parent;");
        assert_eq!(
            found(&[("lib.rs", "mod m;"), parent, a]),
            [["m/a.rs", "m/mod.rs"]]
        );
    }

    #[test]
    fn tests_comments_and_literals_do_not_count() {
        let lib = ("lib.rs", "mod a; mod b; #[cfg(test)] mod checks;");
        let a = ("a.rs", "use crate::b::B;");
        for b in [
            "#[cfg(test)] mod tests { use crate::a::A; fn f() { \"}\"; } }",
            "#[cfg(test)]\n#[derive(Debug)]\nuse crate::a::A;",
            "// use crate::a::A;\n/* crate::a::A */",
            "const A: &str = \"use crate::a::A;\"; const B: &str = r#\"\" crate::a::A\"#; const C: char = '\"';",
            "pub(in crate::a) struct B<'a>(&'a u8);",
        ] {
            assert_eq!(
                found(&[lib, a, ("b.rs", b), ("checks.rs", "use crate::a::A;")]),
                [[""; 0]; 0],
                "{b}"
            );
        }
        assert_eq!(
            found(&[
                lib,
                a,
                (
                    "b.rs",
                    "#[cfg(test)] mod tests { } const C: char = '\\''; use crate::a::A;"
                )
            ]),
            [["a.rs", "b.rs"]]
        );
    }
}
