//! The file of results: reasons and machine in its head, then one result per line, sorted.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use impinge_sim::output::Checksum;

/// A result.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// Its case.
    pub(super) case: String,
    /// Its kind, for example a frame or a table.
    pub(super) quantity: String,
    /// Hash of all its bits, or `refused`.
    pub(super) hash: String,
    /// Plain numbers stored with it.
    pub(super) numbers: Vec<Number>,
}

/// A plain number beside a result.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) name: String,
    pub(super) value: f64,
    /// Whether rounding changes only its last digits. If rounding decides between solutions within the tolerance, it
    /// changes more.
    pub(super) is_firm: bool,
}

impl Line {
    /// A result of `bytes`.
    pub(super) fn new(case: &str, quantity: impl Into<String>, bytes: &[u8]) -> Self {
        Self {
            case: case.to_owned(),
            quantity: quantity.into(),
            hash: Checksum::of(bytes).to_string(),
            numbers: Vec::new(),
        }
    }

    /// A result that a method refused.
    pub(super) fn refused(case: &str, quantity: impl Into<String>) -> Self {
        Self {
            case: case.to_owned(),
            quantity: quantity.into(),
            hash: "refused".to_owned(),
            numbers: Vec::new(),
        }
    }

    /// The same with a further number.
    pub(super) fn with(mut self, name: &str, value: f64) -> Self {
        self.numbers.push(Number {
            name: name.to_owned(),
            value,
            is_firm: true,
        });
        self
    }

    fn text(&self) -> String {
        let mut text = format!("{} {} {}", self.case, self.quantity, self.hash);
        for number in &self.numbers {
            let sign = if number.is_firm { FIRM } else { SOFT };
            // Writing to a string cannot fail.
            let _ = write!(text, " {}{sign}{:?}", number.name, number.value);
        }
        text
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ').map(str::to_owned);
        let [case, quantity, hash] = [words.next()?, words.next()?, words.next()?];
        let numbers = words
            .map(|word| {
                let (name, value) = word.split_once([FIRM, SOFT])?;
                Some(Number {
                    name: name.to_owned(),
                    value: value.parse().ok()?,
                    is_firm: word.contains(FIRM),
                })
            })
            .collect::<Option<_>>()?;
        Some(Self {
            case,
            quantity,
            hash,
            numbers,
        })
    }
}

/// All results.
#[derive(Debug, PartialEq)]
pub(super) struct Book {
    /// The reason of each record, with the date.
    pub(super) reasons: Vec<String>,
    /// The kind of processor of the bits.
    pub(super) machine: String,
    pub(super) lines: Vec<Line>,
}

/// Separators between the name and the value of a firm number and of another one.
const FIRM: char = '=';
const SOFT: char = '~';

const REASON: &str = "# because ";
const MACHINE: &str = "# machine ";

impl Book {
    /// Reads the file.
    pub(super) fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            format!(
                "{}: {error}; write it with `cargo xtask golden record`",
                path.display()
            )
        })?;
        Self::parse(&text).map_err(|line| format!("{}:{line}: no result", path.display()).into())
    }

    /// Writes the file.
    pub(super) fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        Ok(std::fs::write(path, self.text())?)
    }

    fn text(&self) -> String {
        let mut text = "# Results that no refactoring may change: `cargo xtask golden check`.\n\
            # Each line: case, quantity, hash of its bits, plain numbers (energy in J, momentum in N·s);\n\
            # those with ~ are not compared by --numeric, since rounding decides between answers within a tolerance.\n"
            .to_owned();
        // Writing to a string cannot fail.
        for reason in &self.reasons {
            let _ = writeln!(text, "{REASON}{reason}");
        }
        let _ = writeln!(text, "{MACHINE}{}", self.machine);
        let mut lines: Vec<String> = self.lines.iter().map(Line::text).collect();
        lines.sort_unstable();
        for line in lines {
            text += &line;
            text.push('\n');
        }
        text
    }

    /// The book of a text, or the number of the first invalid line.
    fn parse(text: &str) -> Result<Self, usize> {
        let mut book = Self {
            reasons: Vec::new(),
            machine: String::new(),
            lines: Vec::new(),
        };
        for (index, line) in text.lines().enumerate() {
            if let Some(reason) = line.strip_prefix(REASON) {
                book.reasons.push(reason.to_owned());
            } else if let Some(machine) = line.strip_prefix(MACHINE) {
                machine.clone_into(&mut book.machine);
            } else if !line.starts_with('#') {
                book.lines.push(Line::parse(line).ok_or(index + 1)?);
            }
        }
        Ok(book)
    }
}

/// The kind of processor, which decides between code paths with different last bits.
pub(super) fn machine() -> String {
    #[cfg(target_arch = "x86_64")]
    let features = [
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("fma", std::arch::is_x86_feature_detected!("fma")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let features: [(&str, bool); 0] = [];
    let mut text = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    for (name, _) in features.into_iter().filter(|&(_, has)| has) {
        text.push(' ');
        text += name;
    }
    text
}

/// The date (UTC), as in 2030-01-31.
pub(super) fn today() -> Result<String, Box<dyn Error>> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let [year, month, day] = date(seconds / 86_400);
    Ok(format!("{year:04}-{month:02}-{day:02}"))
}

/// Year, month and day of the Gregorian calendar, `days` after 1970-01-01.
fn date(mut days: u64) -> [u64; 3] {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    [year, month, days + 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_is_read_back_as_it_was_written() {
        let mut soft = Line::new("b", "steps.csv", b"2").with("energy", -1e-30);
        soft.numbers[0].is_firm = false;
        let book = Book {
            reasons: vec!["2030-01-31: first".to_owned()],
            machine: "here".to_owned(),
            lines: vec![
                Line::new("a", "frame_00001", b"1").with("energy", 0.1 + 0.2),
                soft,
            ],
        };
        assert_eq!(Book::parse(&book.text()), Ok(book));
    }

    #[test]
    fn a_line_that_is_no_result_is_named() {
        assert_eq!(Book::parse("# head\na b c d"), Err(2));
    }

    #[test]
    fn days_are_dates() {
        assert_eq!(date(0), [1970, 1, 1]);
        assert_eq!(date(59), [1970, 3, 1]);
        assert_eq!(date(11_016), [2000, 2, 29]);
        assert_eq!(date(19_723), [2024, 1, 1]);
    }
}
