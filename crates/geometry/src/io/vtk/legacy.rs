//! Legacy files, ASCII and binary, versions 1 to 5.

use nalgebra::Vector3;

use super::array::{ByteOrder, NumberType, Values};
use super::cells::{self, Cells};
use super::xml::beginning;
use crate::io::error::{ParseError, Place, Problem};
use crate::io::extract::Elements;

/// Reads the points and cells of an unstructured grid or of poly data.
pub(super) fn read(bytes: &[u8]) -> Result<Elements, Problem> {
    let mut file = File::open(bytes)?;
    let mut elements = Elements::default();
    let mut points = None;
    // The types of the cells of an unstructured grid follow later.
    let mut untyped: Option<(Vec<u32>, Vec<u32>)> = None;
    let mut tags = 0;
    while let Some(keyword) = file.keyword()? {
        match (keyword.as_str(), points) {
            // The arrays on points and cells are the last sections.
            ("POINT_DATA" | "CELL_DATA", _) => break,
            ("METADATA", _) => file.skip_paragraph(),
            ("FIELD", _) => file.skip_field()?,
            ("POINTS", None) => {
                let count = file.count()?;
                let kind = file.number_type()?;
                let numbers = count.checked_mul(3).ok_or_else(|| file.truncated())?;
                let coordinates = file.numbers(kind, numbers)?.to_doubles();
                let chunks = coordinates.as_chunks::<3>().0;
                elements.add_nodes(chunks.iter().copied().map(Vector3::from).collect())?;
                points = Some(chunks.len());
            }
            ("CELLS", Some(_)) => untyped = Some(file.cells()?),
            ("CELL_TYPES", Some(points)) => {
                let count = file.count()?;
                let kinds = file.numbers(NumberType::Int32, count)?.to_indices();
                let kinds = kinds
                    .into_iter()
                    .flatten()
                    .map(|kind| u8::try_from(kind).unwrap_or(u8::MAX))
                    .collect();
                let (ends, corners) = untyped
                    .take()
                    .ok_or_else(|| file.problem("CELLS must come before CELL_TYPES"))?;
                let cells =
                    Cells::from_ends(kinds, &ends, corners).ok_or_else(|| file.contradiction())?;
                cells::add(&mut elements, &cells, points, 0)?;
            }
            ("VERTICES" | "LINES", Some(_)) => {
                file.cells()?;
            }
            ("POLYGONS" | "TRIANGLE_STRIPS", Some(points)) => {
                let (ends, corners) = file.cells()?;
                let kind = match keyword.as_str() {
                    "POLYGONS" => cells::POLYGON,
                    _ => cells::STRIP,
                };
                let leading = usize::from(ends.first() == Some(&0));
                let kinds = vec![kind; ends.len() - leading];
                let cells =
                    Cells::from_ends(kinds, &ends, corners).ok_or_else(|| file.contradiction())?;
                cells::add(&mut elements, &cells, points, tags)?;
                tags += cells.len();
            }
            _ => {
                return Err(file.problem(format!(
                    "expected a section such as POINTS, CELLS or POLYGONS, found {:?}",
                    beginning(&keyword)
                )));
            }
        }
    }
    match (points, untyped) {
        (None, _) => Err(file.problem("there is no section POINTS: the file is truncated")),
        (_, Some(_)) => Err(file.problem("there is no section CELL_TYPES: the file is truncated")),
        _ => Ok(elements),
    }
}

/// A position in a file.
struct File<'a> {
    bytes: &'a [u8],
    position: usize,
    /// Start of the last word, line or number: the place of a problem.
    mark: usize,
    binary: bool,
}

impl<'a> File<'a> {
    /// Reads the header up to the kind of the data set.
    fn open(bytes: &'a [u8]) -> Result<Self, Problem> {
        let mut file = Self {
            bytes,
            position: 0,
            mark: 0,
            binary: false,
        };
        let first = file.line().to_ascii_lowercase();
        if !first.trim_start().starts_with("# vtk datafile") {
            return Err(file.problem("not a VTK file: it does not begin with `# vtk DataFile`"));
        }
        let _title = file.line();
        match file.line().trim().to_ascii_uppercase().as_str() {
            "ASCII" => {}
            "BINARY" => file.binary = true,
            other => {
                return Err(file.problem(format!(
                    "expected ASCII or BINARY, found {:?}",
                    beginning(other)
                )));
            }
        }
        loop {
            match file.keyword()?.as_deref() {
                Some("FIELD") => file.skip_field()?,
                Some("DATASET") => break,
                _ => return Err(file.problem("expected the keyword DATASET")),
            }
        }
        let kind = file.word()?.to_ascii_uppercase();
        if kind == "UNSTRUCTURED_GRID" || kind == "POLYDATA" {
            Ok(file)
        } else {
            Err(file.problem(format!(
                "the data set is a {:?}, neither an unstructured grid nor poly data: save it as one of them",
                beginning(&kind)
            )))
        }
    }

    fn problem(&self, problem: impl Into<String>) -> Problem {
        let place = if self.binary {
            Place::Byte {
                byte: self.mark,
                section: None,
            }
        } else {
            let before = &self.bytes[..self.mark];
            Place::Line {
                line: before.split(|&byte| byte == b'\n').count(),
                section: None,
            }
        };
        Problem::Parse(ParseError {
            place,
            problem: problem.into(),
        })
    }

    fn truncated(&self) -> Problem {
        self.problem("a count is too large or the file is truncated")
    }

    fn contradiction(&self) -> Problem {
        self.problem("the numbers of cells, their sizes and their corners contradict each other")
    }

    /// The rest of the line; moves behind its end.
    fn line(&mut self) -> String {
        self.mark = self.position;
        let rest = &self.bytes[self.position..];
        let end = rest.iter().position(|&byte| byte == b'\n');
        self.position += end.map_or(rest.len(), |end| end + 1);
        String::from_utf8_lossy(&rest[..end.unwrap_or(rest.len())]).into_owned()
    }

    /// The next word, if there is one, in capitals.
    fn keyword(&mut self) -> Result<Option<String>, Problem> {
        self.skip_whitespace();
        if self.position == self.bytes.len() {
            return Ok(None);
        }
        Ok(Some(self.word()?.to_ascii_uppercase()))
    }

    fn word(&mut self) -> Result<&'a str, Problem> {
        self.skip_whitespace();
        let rest = &self.bytes[self.position..];
        let word = (rest.split(u8::is_ascii_whitespace).next()).unwrap_or_default();
        if word.is_empty() {
            return Err(self.problem("the file ends here: it is truncated"));
        }
        let word =
            str::from_utf8(word).map_err(|_| self.problem("expected a word, found other bytes"))?;
        self.position += word.len();
        Ok(word)
    }

    fn skip_whitespace(&mut self) {
        let rest = &self.bytes[self.position..];
        self.position += rest.len() - rest.trim_ascii_start().len();
        self.mark = self.position;
    }

    /// Moves behind the next empty line.
    fn skip_paragraph(&mut self) {
        self.line();
        while self.position < self.bytes.len() && !self.line().trim().is_empty() {}
    }

    fn count(&mut self) -> Result<usize, Problem> {
        let word = self.word()?;
        word.parse()
            .map_err(|_| self.problem(format!("expected a count, found {:?}", beginning(word))))
    }

    fn number_type(&mut self) -> Result<NumberType, Problem> {
        let word = self.word()?.to_ascii_lowercase();
        Ok(match word.as_str() {
            "char" | "vtktypeint8" => NumberType::Int8,
            "unsigned_char" | "vtktypeuint8" => NumberType::UInt8,
            "short" | "vtktypeint16" => NumberType::Int16,
            "unsigned_short" | "vtktypeuint16" => NumberType::UInt16,
            // Ids are written as `int`.
            "int" | "vtktypeint32" | "vtkidtype" => NumberType::Int32,
            "unsigned_int" | "vtktypeuint32" => NumberType::UInt32,
            "long" | "vtktypeint64" => NumberType::Int64,
            "unsigned_long" | "vtktypeuint64" => NumberType::UInt64,
            "float" => NumberType::Float32,
            "double" => NumberType::Float64,
            other => {
                return Err(self.problem(format!(
                    "numbers of type {:?} cannot be read",
                    beginning(other)
                )));
            }
        })
    }

    /// The next `count` numbers.
    fn numbers(&mut self, kind: NumberType, count: usize) -> Result<Values, Problem> {
        if self.binary {
            // The data begin behind the end of the line.
            self.line();
            self.mark = self.position;
            let length = count.checked_mul(kind.width());
            let stored = length.and_then(|length| self.bytes[self.position..].get(..length));
            let stored = stored.ok_or_else(|| self.truncated())?;
            self.position += stored.len();
            return Ok(kind.decode(stored, ByteOrder::Big));
        }
        let mut left = count;
        let mut failure = None;
        let words = std::iter::from_fn(|| {
            left = left.checked_sub(1)?;
            self.word().map_err(|problem| failure = Some(problem)).ok()
        });
        let values = kind.parse(words);
        match (failure, values) {
            (Some(problem), _) => Err(problem),
            (None, Ok(values)) => Ok(values),
            (None, Err(word)) => Err(self.problem(format!(
                "expected a number, found {:?}: a count is wrong",
                beginning(word)
            ))),
        }
    }

    /// Ends and corners of the cells of a section; there may be a leading zero among the ends.
    fn cells(&mut self) -> Result<(Vec<u32>, Vec<u32>), Problem> {
        let (count, size) = (self.count()?, self.count()?);
        let start = self.position;
        let next = self.bytes[start..].trim_ascii_start();
        if next
            .get(..7)
            .is_some_and(|word| word.eq_ignore_ascii_case(b"OFFSETS"))
        {
            // Version 5: as many offsets as cells and one more, then all corners.
            let ends = self.named_numbers("OFFSETS", count)?;
            let corners = self.named_numbers("CONNECTIVITY", size)?;
            return Ok((ends, corners));
        }
        // Each cell is the number of its corners, then its corners.
        let flat = self.indices(NumberType::Int32, size)?;
        let (mut ends, mut corners) = (Vec::new(), Vec::with_capacity(flat.len()));
        let mut rest = flat.as_slice();
        while let Some((&length, after)) = rest.split_first() {
            let (cell, after) = after
                .split_at_checked(length as usize)
                .ok_or_else(|| self.contradiction())?;
            corners.extend_from_slice(cell);
            ends.push(corners.len() as u32);
            rest = after;
        }
        if ends.len() == count {
            Ok((ends, corners))
        } else {
            Err(self.contradiction())
        }
    }

    fn named_numbers(&mut self, name: &str, count: usize) -> Result<Vec<u32>, Problem> {
        if self.keyword()?.as_deref() != Some(name) {
            return Err(self.problem(format!("expected the keyword {name}")));
        }
        let kind = self.number_type()?;
        self.indices(kind, count)
    }

    fn indices(&mut self, kind: NumberType, count: usize) -> Result<Vec<u32>, Problem> {
        let values = self.numbers(kind, count)?;
        values.to_indices().ok_or_else(|| {
            self.problem("the numbers are not all whole numbers from 0 to 4294967295")
        })
    }

    /// Moves behind `FIELD name count` and its arrays.
    fn skip_field(&mut self) -> Result<(), Problem> {
        self.word()?;
        for _ in 0..self.count()? {
            // Metadata of one array may stand before the next.
            let mut name = self.word()?;
            while name == "METADATA" {
                self.skip_paragraph();
                name = self.word()?;
            }
            let (components, entries) = (self.count()?, self.count()?);
            let numbers = components
                .checked_mul(entries)
                .ok_or_else(|| self.truncated())?;
            if self.bytes[self.position..]
                .trim_ascii_start()
                .starts_with(b"string")
            {
                // Encoded by its own rules; the points begin on a new line.
                let rest = &self.bytes[self.position..];
                let points = rest.windows(8).position(|word| word == b"\nPOINTS ");
                self.position += points.ok_or_else(|| self.truncated())?;
                return Ok(());
            }
            let kind = self.number_type()?;
            self.numbers(kind, numbers)?;
        }
        Ok(())
    }
}
