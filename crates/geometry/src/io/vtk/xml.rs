//! XML files: the pieces of a data set and the places of their arrays.
//!
//! Arrays are decoded on request. Together they may use no more stored bytes than the file has, so that many arrays
//! over the same bytes cannot fill the memory.

use std::borrow::Cow;
use std::cell::Cell;

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use super::array::{ByteOrder, NumberType, Values};
use super::stored::{Compressor, Storage, from_base64};
use crate::io::{ParseError, Place};

/// Kind of the data set in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DataSet {
    UnstructuredGrid,
    PolyData,
}

/// Name of the section of arrays of the whole data set.
const FIELDS: &str = "FieldData";

/// A file whose arrays are decoded on request.
pub(super) struct Document<'a> {
    bytes: &'a [u8],
    pub(super) data_set: DataSet,
    storage: Storage,
    pub(super) pieces: Vec<Piece<'a>>,
    /// Arrays of the whole data set.
    fields: Vec<Entry<'a>>,
    appended: Option<Appended<'a>>,
    /// Stored bytes decoded so far.
    decoded: Cell<usize>,
}

/// A part of the data set with its own numbering of points.
#[derive(Default)]
pub(super) struct Piece<'a> {
    /// The attributes of the element: counts such as `NumberOfPoints`.
    counts: Vec<(String, String)>,
    pub(super) arrays: Vec<Entry<'a>>,
}

/// An array of a piece.
pub(super) struct Entry<'a> {
    /// Name of the enclosing element, such as `Points`.
    pub(super) section: String,
    pub(super) name: String,
    pub(super) components: usize,
    number_type: String,
    format: Format<'a>,
    /// Start of its element.
    position: usize,
}

enum Format<'a> {
    Ascii(Cow<'a, [u8]>),
    Base64(Cow<'a, [u8]>),
    Appended(String),
    Unknown(String),
}

/// The data behind the XML part of the file.
struct Appended<'a> {
    raw: bool,
    data: &'a [u8],
    /// Ascending.
    offsets: Vec<usize>,
}

impl<'a> Piece<'a> {
    /// The first array of a section with that name, or of any name.
    pub(super) fn array(&self, section: &str, name: Option<&str>) -> Option<&Entry<'a>> {
        self.arrays
            .iter()
            .find(|entry| entry.section == section && name.is_none_or(|name| entry.name == name))
    }

    /// A count that the piece announces, if any.
    pub(super) fn count(&self, name: &str) -> Option<usize> {
        let (_, count) = self.counts.iter().find(|(key, _)| key == name)?;
        count.trim().parse().ok()
    }
}

impl<'a> Document<'a> {
    /// Finds the pieces and arrays of a file.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let mut reader = Reader::from_reader(bytes);
        let (data_set, storage) = read_root(&mut reader, bytes)?;
        let mut document = Self {
            bytes,
            data_set,
            storage,
            pieces: Vec::new(),
            fields: Vec::new(),
            appended: None,
            decoded: Cell::new(0),
        };
        document.read_elements(&mut reader)?;
        Ok(document)
    }

    fn read_elements(&mut self, reader: &mut Reader<&'a [u8]>) -> Result<(), ParseError> {
        // Depth below the open piece: 1 in a section, 2 in an array. Field data are a section outside of pieces; other
        // elements there are ignored.
        let mut depth: Option<usize> = None;
        let mut section = String::new();
        let mut in_fields = false;
        loop {
            let position = reader.buffer_position() as usize;
            let event = next_event(reader, self.bytes)?;
            let is_start = matches!(event, Event::Start(_));
            match event {
                Event::Eof => return Ok(()),
                Event::Start(tag) | Event::Empty(tag) => {
                    let name = tag.local_name().as_ref().to_vec();
                    match (name.as_slice(), depth) {
                        (b"AppendedData", None) => {
                            if is_start {
                                let start = reader.buffer_position() as usize;
                                self.appended = self.read_appended(&tag, position, start)?;
                            }
                            // The rest need not be XML.
                            return Ok(());
                        }
                        (b"Piece", None) => {
                            self.pieces.push(Piece {
                                counts: attributes(&tag).collect(),
                                arrays: Vec::new(),
                            });
                            depth = is_start.then_some(0);
                            continue;
                        }
                        (b"FieldData", None) if is_start => {
                            FIELDS.clone_into(&mut section);
                            (depth, in_fields) = (Some(1), true);
                            continue;
                        }
                        (_, Some(0)) => section = String::from_utf8_lossy(&name).into_owned(),
                        // An `Array` holds texts; it takes its place, so that they do not count as another array's.
                        (b"DataArray" | b"Array", Some(1)) if in_fields => {
                            self.fields.push(Entry::announced(&tag, &section, position));
                        }
                        (b"DataArray", Some(1)) => {
                            let entry = Entry::announced(&tag, &section, position);
                            if let Some(piece) = self.pieces.last_mut() {
                                piece.arrays.push(entry);
                            }
                        }
                        _ => {}
                    }
                    if is_start {
                        depth = depth.map(|depth| depth + 1);
                    }
                }
                Event::End(_) if in_fields && depth == Some(1) => {
                    (depth, in_fields) = (None, false);
                }
                Event::End(_) => depth = depth.and_then(|depth| depth.checked_sub(1)),
                Event::Text(text) if depth == Some(2) => {
                    let arrays = if in_fields {
                        Some(&mut self.fields)
                    } else {
                        self.pieces.last_mut().map(|piece| &mut piece.arrays)
                    };
                    if let Some(entry) = arrays.and_then(|arrays| arrays.last_mut())
                        && entry.section == section
                    {
                        entry.add_text(text.into_inner());
                    }
                }
                _ => {}
            }
        }
    }

    /// The data of the element `AppendedData`; they begin with an underscore after `start`.
    fn read_appended(
        &self,
        tag: &BytesStart<'_>,
        position: usize,
        start: usize,
    ) -> Result<Option<Appended<'a>>, ParseError> {
        let encoding = attribute(tag, "encoding").unwrap_or_default();
        let raw = match encoding.as_str() {
            "raw" => true,
            "base64" => false,
            _ => {
                return Err(self.problem(
                    position,
                    "AppendedData",
                    format!("the encoding {encoding:?} is neither `raw` nor `base64`"),
                ));
            }
        };
        let Some(data) = self
            .bytes
            .get(start..)
            .and_then(|rest| rest.trim_ascii_start().strip_prefix(b"_"))
        else {
            return Err(self.problem(
                position,
                "AppendedData",
                "the data do not begin with an underscore".to_owned(),
            ));
        };
        let mut offsets: Vec<usize> = self
            .pieces
            .iter()
            .flat_map(|piece| &piece.arrays)
            .chain(&self.fields)
            .filter_map(|entry| match &entry.format {
                Format::Appended(offset) => offset.trim().parse().ok(),
                _ => None,
            })
            .collect();
        offsets.sort_unstable();
        Ok(Some(Appended { raw, data, offsets }))
    }

    /// The arrays of numbers of the whole data set.
    pub(super) fn number_fields(&self) -> impl Iterator<Item = &Entry<'a>> {
        let is_numeric = |entry: &&Entry<'_>| NumberType::of_xml(&entry.number_type).is_some();
        self.fields.iter().filter(is_numeric)
    }

    /// The numbers of an array.
    pub(super) fn values(&self, entry: &Entry<'_>) -> Result<Values, ParseError> {
        self.decode(entry)
            .map_err(|problem| self.fault(entry, problem))
    }

    /// A problem with an array.
    pub(super) fn fault(&self, entry: &Entry<'_>, problem: String) -> ParseError {
        let place = if entry.name.is_empty() {
            entry.section.clone()
        } else {
            format!("{}, array {:?}", entry.section, entry.name)
        };
        self.problem(entry.position, &place, problem)
    }

    fn problem(&self, position: usize, section: &str, problem: String) -> ParseError {
        let section = section.chars().take(80).collect();
        problem_at(self.bytes, position, Some(section), problem)
    }

    fn decode(&self, entry: &Entry<'_>) -> Result<Values, String> {
        let number_type = NumberType::of_xml(&entry.number_type).ok_or_else(|| {
            format!(
                "numbers of type {:?} cannot be read",
                beginning(&entry.number_type)
            )
        })?;
        let unpacked = |stored: &[u8]| -> Result<Values, String> {
            let bytes = self.storage.unpack(stored)?;
            if bytes.len() % number_type.width() != 0 {
                return Err(format!(
                    "its {} bytes are not a multiple of the {} of a {}",
                    bytes.len(),
                    number_type.width(),
                    entry.number_type
                ));
            }
            Ok(number_type.decode(&bytes, self.storage.order))
        };
        match &entry.format {
            Format::Ascii(text) => {
                let text = str::from_utf8(text).map_err(|_| "it is not text".to_owned())?;
                number_type
                    .parse(text.split_ascii_whitespace())
                    .map_err(|word| format!("{:?} is not a {}", beginning(word), entry.number_type))
            }
            Format::Base64(text) => unpacked(&from_base64(text)?),
            Format::Appended(offset) => {
                let appended = self
                    .appended
                    .as_ref()
                    .ok_or_else(|| "it is appended, but the file has no AppendedData".to_owned())?;
                let offset: usize = offset
                    .trim()
                    .parse()
                    .map_err(|_| format!("its offset {:?} is not a number", beginning(offset)))?;
                let next = appended.offsets.partition_point(|&other| other <= offset);
                let end = appended
                    .offsets
                    .get(next)
                    .map_or(appended.data.len(), |&end| end.min(appended.data.len()));
                let stored = appended
                    .data
                    .get(offset..end)
                    .ok_or_else(|| format!("its offset {offset} is beyond the end of the file"))?;
                let decoded = self.decoded.get() + stored.len();
                if decoded > self.bytes.len() {
                    return Err("it takes bytes that belong to other arrays".to_owned());
                }
                self.decoded.set(decoded);
                if appended.raw {
                    return unpacked(stored);
                }
                // The element ends at the first character that is not base64.
                let end = stored.iter().position(|&byte| byte == b'<');
                unpacked(&from_base64(&stored[..end.unwrap_or(stored.len())])?)
            }
            Format::Unknown(format) => Err(format!(
                "the format {:?} is none of `ascii`, `binary` and `appended`",
                beginning(format)
            )),
        }
    }
}

impl<'a> Entry<'a> {
    /// The array that an element announces, without its text.
    fn announced(tag: &BytesStart<'_>, section: &str, position: usize) -> Self {
        let mut entry = Self {
            section: section.to_owned(),
            name: String::new(),
            components: 1,
            number_type: String::new(),
            format: Format::Ascii(Cow::Borrowed(&[])),
            position,
        };
        let mut offset = String::new();
        for (key, value) in attributes(tag) {
            match key.as_str() {
                "Name" => entry.name = value,
                "type" => entry.number_type = value,
                "NumberOfComponents" => entry.components = value.trim().parse().unwrap_or(0),
                "offset" => offset = value,
                "format" => {
                    entry.format = match value.as_str() {
                        "ascii" => Format::Ascii(Cow::Borrowed(&[])),
                        "binary" => Format::Base64(Cow::Borrowed(&[])),
                        "appended" => Format::Appended(String::new()),
                        _ => Format::Unknown(value),
                    }
                }
                _ => {}
            }
        }
        if let Format::Appended(place) = &mut entry.format {
            *place = offset;
        }
        entry
    }

    /// Text may come in parts, with comments and other elements between them.
    fn add_text(&mut self, text: Cow<'a, [u8]>) {
        if text.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match &mut self.format {
            Format::Ascii(known) | Format::Base64(known) if known.is_empty() => *known = text,
            Format::Ascii(known) | Format::Base64(known) => {
                known.to_mut().push(b' ');
                known.to_mut().extend_from_slice(&text);
            }
            Format::Appended(_) | Format::Unknown(_) => {}
        }
    }
}

/// Reads up to the element `VTKFile`, with its attributes.
fn read_root(reader: &mut Reader<&[u8]>, bytes: &[u8]) -> Result<(DataSet, Storage), ParseError> {
    loop {
        let position = reader.buffer_position() as usize;
        let problem = |text: String| Err(problem_at(bytes, position, None, text));
        let tag = match next_event(reader, bytes)? {
            Event::Start(tag) if tag.local_name().as_ref() == b"VTKFile" => tag,
            Event::Start(_) | Event::Empty(_) | Event::Eof => {
                return problem("not a VTK file: there is no element <VTKFile>".to_owned());
            }
            _ => continue,
        };
        let value = |name: &str| attribute(&tag, name);
        let data_set = match value("type").as_deref() {
            Some("UnstructuredGrid") => DataSet::UnstructuredGrid,
            Some("PolyData") => DataSet::PolyData,
            Some(
                kind @ ("PUnstructuredGrid" | "PPolyData" | "vtkMultiBlockDataSet" | "Collection"),
            ) => {
                return problem(format!(
                    "the data of a {kind} lie in other files: save it as one serial file"
                ));
            }
            kind => {
                return problem(format!(
                    "the data set is a {:?}, neither an unstructured grid nor poly data: save it as one of them",
                    beginning(kind.unwrap_or_default())
                ));
            }
        };
        let order = match value("byte_order").as_deref() {
            Some("BigEndian") => ByteOrder::Big,
            Some("LittleEndian") | None => ByteOrder::Little,
            Some(other) => {
                return problem(format!("the byte order {:?} is unknown", beginning(other)));
            }
        };
        let wide_headers = match value("header_type").as_deref() {
            Some("UInt64") => true,
            Some("UInt32") | None => false,
            Some(other) => {
                return problem(format!("the header type {:?} is unknown", beginning(other)));
            }
        };
        let compressor = match value("compressor").as_deref() {
            None | Some("") => None,
            Some("vtkZLibDataCompressor") => Some(Compressor::Zlib),
            Some("vtkLZ4DataCompressor") => Some(Compressor::Lz4),
            Some(other) => {
                return problem(format!(
                    "data packed by {:?} cannot be read: save it with zlib or lz4 compression, or with none",
                    beginning(other)
                ));
            }
        };
        let storage = Storage {
            order,
            wide_headers,
            compressor,
        };
        return Ok((data_set, storage));
    }
}

fn next_event<'a>(reader: &mut Reader<&'a [u8]>, bytes: &[u8]) -> Result<Event<'a>, ParseError> {
    reader.read_event().map_err(|error| {
        let position = reader.error_position() as usize;
        let text = error.to_string();
        problem_at(
            bytes,
            position,
            None,
            format!("not well-formed XML ({})", beginning(&text)),
        )
    })
}

/// The attributes of an element; malformed ones are skipped.
fn attributes(tag: &BytesStart<'_>) -> impl Iterator<Item = (String, String)> {
    // The check for duplicates takes quadratic time; the first of them counts.
    let mut attributes = tag.attributes();
    attributes.with_checks(false);
    attributes.filter_map(Result::ok).map(|attribute| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let value = text(&attribute.value);
        // A text with unknown entities stays as it is.
        let value = match unescape(&value) {
            Ok(Cow::Owned(unescaped)) => unescaped,
            Ok(Cow::Borrowed(_)) | Err(_) => value,
        };
        (text(attribute.key.as_ref()), value)
    })
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    attributes(tag)
        .find(|(key, _)| key == name)
        .map(|(_, value)| value)
}

fn problem_at(
    bytes: &[u8],
    position: usize,
    section: Option<String>,
    problem: String,
) -> ParseError {
    let before = &bytes[..position.min(bytes.len())];
    let line = before.split(|&byte| byte == b'\n').count();
    ParseError {
        place: Place::Line { line, section },
        problem,
    }
}

/// The beginning of a text, for a message.
pub(super) fn beginning(text: &str) -> String {
    text.chars().take(60).collect()
}
