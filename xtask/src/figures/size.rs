//! Size of the default method and of the step: lines, and numbers that someone chose.

use std::error::Error;
use std::fs;
use std::path::Path;

use super::figure::Figure;
use super::{Context, Section, Sheet};
use crate::ci::root;

pub(super) const SIZE: Section = Section {
    name: "size",
    title: "Lines and numbers",
    about: "Lines of the default method (`active_set_cr`), of the stages of the step (`crates/sim/src/step`) and of\n\
            the contacts between them (`crates/sim/src/contacts`). Numbers are constants there, in what the method\n\
            shares with others and in the rounds of the step (`stepper/synchronous`), tests and tolerances left out,\n\
            and settings of the method. Each constant states its reason, most a range. Those of rounding, of the\n\
            sizes of parallel tasks and arrays, and of reports are counted, too.\n\n\
            Limits: candidates, contacts, joints, shells, rigid bodies and code of other crates each have a stage of\n\
            their own. Without the closed balances of whole bodies a force far below the tolerance moves no body that\n\
            touches something; without starts from rest a block on a slope takes four times the iterations; linear\n\
            instead of doubled gaps, or a residual that is not recomputed, let difficult solves fail.",
    long: false,
    measure: size,
};

/// The folders whose lines count.
const OF_LINES: [&str; 3] = [
    "crates/contact/src/method/active_set_cr",
    "crates/sim/src/contacts",
    "crates/sim/src/step",
];

/// Further folders and files whose numbers count.
const OF_NUMBERS: [&str; 3] = [
    "crates/contact/src/method/masked_rows.rs",
    "crates/contact/src/method/restart_delay.rs",
    "crates/sim/src/stepper/synchronous",
];

/// The file with the settings of the method.
const SETTINGS: &str = "crates/contact/src/method/active_set_cr/settings.rs";

/// Counts of some files.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    /// All lines.
    lines: usize,
    /// Lines that are neither empty nor comments, without tests.
    code: usize,
    /// Constants with a number, without tests.
    numbers: usize,
    /// Those about rounding, the size of parallel tasks or of arrays, or reports.
    technical: usize,
}

fn size(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    context.progress.run("source files", 0);
    let mut of_lines = Counts::default();
    for place in OF_LINES {
        of_lines.add_all(&root().join(place))?;
    }
    let mut of_numbers = Counts::default();
    for place in OF_LINES.into_iter().chain(OF_NUMBERS) {
        of_numbers.add_all(&root().join(place))?;
    }
    let settings = numeric_settings(&fs::read_to_string(root().join(SETTINGS))?);
    let place = "method, stages, contacts and rounds";
    sheet.figures.extend([
        Figure::speed("lines", "method, stages and contacts")
            .at_most(7000.0)
            .value(of_lines.lines as f64),
        Figure::speed(
            "lines without tests, comments and empty lines",
            "method, stages and contacts",
        )
        .value(of_lines.code as f64),
        Figure::speed("constants and settings with a number", place)
            .at_most(30.0)
            .value((of_numbers.numbers + settings) as f64),
        Figure::speed("of these, settings of the method", place).value(settings as f64),
        Figure::speed("of these, constants of rounding, tasks and reports", place)
            .value(of_numbers.technical as f64),
    ]);
    Ok(())
}

impl Counts {
    /// Adds a file, or all files of a folder.
    fn add_all(&mut self, place: &Path) -> Result<(), Box<dyn Error>> {
        if !place.is_dir() {
            self.add(&fs::read_to_string(place)?);
            return Ok(());
        }
        let module = place.join("mod.rs");
        let declared = if module.exists() {
            fs::read_to_string(module)?
        } else {
            String::new()
        };
        for entry in fs::read_dir(place)? {
            let path = entry?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            if is_test_module(&declared, &name) {
                self.lines += fs::read_to_string(&path)?.lines().count();
            } else {
                self.add_all(&path)?;
            }
        }
        Ok(())
    }

    /// Adds the text of a file.
    fn add(&mut self, text: &str) {
        self.lines += text.lines().count();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
        for line in code.lines() {
            let line = line.trim_end();
            let start = line.trim_start();
            self.code += usize::from(!start.is_empty() && !start.starts_with("//"));
            if let Some(name) = numeric_constant(line) {
                self.numbers += 1;
                self.technical += usize::from(is_technical(name));
            }
        }
    }
}

/// Whether the module file `declared` has the module `name` for tests only.
fn is_test_module(declared: &str, name: &str) -> bool {
    let mut lines = declared.lines();
    while lines.by_ref().any(|line| line == "#[cfg(test)]") {
        let next = lines.next().unwrap_or_default();
        let visibilities = ["pub(crate) ", "pub(super) "];
        let module = visibilities
            .iter()
            .fold(next, |next, of| next.trim_start_matches(of));
        if module == format!("mod {name};") {
            return true;
        }
    }
    false
}

/// The name of a constant with a number that starts in this line, outside of all blocks.
fn numeric_constant(line: &str) -> Option<&str> {
    let (visibility, rest) = line.split_once("const ")?;
    let is_item = visibility.is_empty() || visibility.starts_with("pub");
    let (name, rest) = rest.split_once(": ")?;
    let (kind, _) = rest.split_once(" = ")?;
    let is_number = ["f64", "u8", "u32", "u64", "usize", "(f64, f64)"].contains(&kind);
    (is_item && is_number).then_some(name)
}

/// Number of the settings with a number.
fn numeric_settings(text: &str) -> usize {
    let fields = text
        .lines()
        .filter_map(|line| line.strip_prefix("    pub "));
    let kinds = fields.filter_map(|field| field.split_once(": "));
    kinds
        .filter(|(_, kind)| ["f64,", "u64,"].contains(kind))
        .count()
}

/// Whether a constant is about rounding, about the size of parallel tasks or of arrays, or about a report.
fn is_technical(name: &str) -> bool {
    let ends = ["ROUNDING", "_PER_TASK", "BATCH", "LONGEST_RUN", "SAMPLES"];
    let all = [
        "MAX_SIDES",
        "MOST_POINTS",
        "DEPTH",
        "WORTH",
        "LEAST",
        "SMALLEST_BOUND",
        "RELIED_ON",
        "LARGEST_GROWTH",
        "MATERIAL_SHARE",
    ];
    ends.iter().any(|end| name.ends_with(end)) || all.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_for_tests_are_known_by_their_declaration() {
        let declared = "#[cfg(test)]\nmod laws;\nmod rows;\n\n#[cfg(test)]\npub(crate) mod cube;\nmod tests {}\n";
        let known = ["laws", "rows", "cube", "tests"].map(|name| is_test_module(declared, name));
        assert_eq!(known, [true, false, true, false]);
    }

    #[test]
    fn settings_with_a_number_are_counted() {
        let text = "pub struct S {\n    /// A rule.\n    pub rule: Rule,\n    pub share: f64,\n    pub most: u64,\n}\n";
        assert_eq!(numeric_settings(text), 2);
    }

    #[test]
    fn constants_outside_of_tests_are_counted() {
        let text = "//! A file.\n\nconst A: f64 = 0.5;\npub(crate) const B_PER_TASK: usize = 8;\nconst NAME: &str \
                    = \"a\";\nfn f() {\n    const INNER: u32 = 1;\n}\n\n#[cfg(test)]\nmod tests {\nconst C: u8 = \
                    1;\n}\n";
        let mut counts = Counts::default();
        counts.add(text);
        let expected = Counts {
            lines: 13,
            code: 6,
            numbers: 2,
            technical: 1,
        };
        assert_eq!(counts, expected);
    }
}
