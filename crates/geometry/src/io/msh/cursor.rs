//! A position in a `.msh` file, with its line or byte and its section.

use std::str::FromStr;

use super::super::error::{ParseError, Place, Problem};

/// Storage of numbers inside sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// The line that ends a section; format 1 writes everything in capitals.
fn end_mark(section: &str) -> String {
    match section {
        "NOD" | "ELM" => format!("$END{section}"),
        _ => format!("$End{section}"),
    }
}

/// Reads a file from front to back.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
    /// Start of the last word, line or number: the place of a problem.
    mark: usize,
    section: Option<String>,
    encoding: Encoding,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            position: 0,
            mark: 0,
            section: None,
            encoding: Encoding::Ascii,
        }
    }

    pub(super) fn set_encoding(&mut self, encoding: Encoding) {
        self.encoding = encoding;
    }

    pub(super) fn is_ascii(&self) -> bool {
        self.encoding == Encoding::Ascii
    }

    /// A problem at the last word, line or number.
    pub(super) fn problem(&self, problem: impl Into<String>) -> Problem {
        let section = self.section.as_ref().map(|name| format!("${name}"));
        let place = if self.is_ascii() {
            let before = &self.bytes[..self.mark];
            Place::Line {
                line: before.split(|&byte| byte == b'\n').count(),
                section,
            }
        } else {
            Place::Byte {
                byte: self.mark,
                section,
            }
        };
        Problem::Parse(ParseError {
            place,
            problem: problem.into(),
        })
    }

    /// Moves into the next section and returns its name without the `$`, or `None` at the end of the file.
    pub(super) fn next_section(&mut self) -> Result<Option<String>, Problem> {
        self.section = None;
        self.skip_whitespace();
        if self.position == self.bytes.len() {
            return Ok(None);
        }
        let line = self.text_line()?;
        match line.strip_prefix('$') {
            Some(name)
                if !name.is_empty() && !name.starts_with("End") && !name.starts_with("END") =>
            {
                self.section = Some(name.to_owned());
                Ok(Some(name.to_owned()))
            }
            _ => {
                let shown: String = line.chars().take(40).collect();
                Err(self.problem(format!(
                    "expected the start of a section such as $Nodes, found {shown:?}"
                )))
            }
        }
    }

    /// Checks that the section ends here.
    pub(super) fn end_section(&mut self, section: &str) -> Result<(), Problem> {
        self.skip_whitespace();
        let end = end_mark(section);
        if self.bytes[self.position..].starts_with(end.as_bytes()) {
            self.position += end.len();
            return Ok(());
        }
        Err(self.problem(format!(
            "expected {end}: the counts in the section are wrong or the file is truncated"
        )))
    }

    /// Moves behind the end of a section without reading it.
    pub(super) fn skip_section(&mut self, section: &str) -> Result<(), Problem> {
        let end = end_mark(section);
        let found = self.bytes[self.position..]
            .windows(end.len())
            .position(|window| window == end.as_bytes());
        match found {
            Some(offset) => {
                self.position += offset + end.len();
                Ok(())
            }
            None => Err(self.problem(format!("{end} is missing: the file is truncated"))),
        }
    }

    /// The rest of the current line, trimmed; text also in binary files.
    pub(super) fn text_line(&mut self) -> Result<String, Problem> {
        self.mark = self.position;
        let rest = &self.bytes[self.position..];
        if rest.is_empty() {
            return Err(self.problem("the file ends here: it is truncated"));
        }
        let length = rest
            .iter()
            .position(|&byte| byte == b'\n')
            .unwrap_or(rest.len());
        let line = String::from_utf8_lossy(&rest[..length]).trim().to_owned();
        self.position += (length + 1).min(rest.len());
        Ok(line)
    }

    /// The next whitespace-separated word of an ASCII section.
    fn word(&mut self) -> Result<&'a str, Problem> {
        self.skip_whitespace();
        let rest = &self.bytes[self.position..];
        let word = (rest.split(u8::is_ascii_whitespace).next()).unwrap_or_default();
        if word.is_empty() {
            return Err(self.problem("expected a number, but the file ends: it is truncated"));
        }
        let word = str::from_utf8(word)
            .map_err(|_| self.problem("expected a number, found other bytes"))?;
        if word.starts_with('$') {
            return Err(self.problem(format!(
                "expected a number, but the section ends with {word}: a count is too large"
            )));
        }
        self.position += word.len();
        Ok(word)
    }

    fn parsed<T: FromStr>(&mut self, kind: &str) -> Result<T, Problem> {
        let word = self.word()?;
        word.parse().map_err(|_| {
            let shown: String = word.chars().take(40).collect();
            self.problem(format!("expected {kind}, found {shown:?}"))
        })
    }

    /// The next `N` bytes.
    pub(super) fn take<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        self.mark = self.position;
        match self.bytes[self.position..].first_chunk::<N>() {
            Some(chunk) => {
                self.position += N;
                Ok(*chunk)
            }
            None => Err(self.problem("the file ends inside a number: it is truncated")),
        }
    }

    /// A C `int`.
    pub(super) fn int(&mut self) -> Result<i64, Problem> {
        match self.encoding {
            Encoding::Ascii => self.parsed("an integer"),
            Encoding::LittleEndian => Ok(i64::from(i32::from_le_bytes(self.take()?))),
            Encoding::BigEndian => Ok(i64::from(i32::from_be_bytes(self.take()?))),
        }
    }

    /// A C `int` that must not be negative.
    pub(super) fn unsigned_int(&mut self) -> Result<u64, Problem> {
        let value = self.int()?;
        u64::try_from(value)
            .map_err(|_| self.problem(format!("expected a number from 0 up, found {value}")))
    }

    /// A C `size_t`.
    pub(super) fn size(&mut self) -> Result<u64, Problem> {
        match self.encoding {
            Encoding::Ascii => self.parsed("a number from 0 up"),
            Encoding::LittleEndian => Ok(u64::from_le_bytes(self.take()?)),
            Encoding::BigEndian => Ok(u64::from_be_bytes(self.take()?)),
        }
    }

    /// A C `double`.
    pub(super) fn double(&mut self) -> Result<f64, Problem> {
        match self.encoding {
            Encoding::Ascii => self.parsed("a decimal number"),
            Encoding::LittleEndian => Ok(f64::from_le_bytes(self.take()?)),
            Encoding::BigEndian => Ok(f64::from_be_bytes(self.take()?)),
        }
    }

    fn skip_whitespace(&mut self) {
        let rest = &self.bytes[self.position..];
        self.position += rest.len() - rest.trim_ascii_start().len();
        self.mark = self.position;
    }
}
