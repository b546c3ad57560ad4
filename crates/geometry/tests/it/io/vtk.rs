//! VTK files as ParaView, PyVista and meshio write them, in every combination of options.

use std::fmt::Write as _;
use std::io::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use impinge_geometry::MeshIoError;
use impinge_geometry::io::vtk::{DataArray, PointSet, Values, read_vtp, read_vtu, write_vtp};
use impinge_geometry::io::{Place, read_solid_mesh, read_tet_mesh, read_triangle_mesh};

use super::file;

/// Bytes per block of compressed data: few, so that there are several blocks.
const BLOCK: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    Ascii,
    Inline,
    AppendedRaw,
    AppendedBase64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    mode: Mode,
    compressor: &'static str,
    wide: bool,
    big_endian: bool,
}

impl Options {
    /// All combinations.
    pub(super) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for mode in [
            Mode::Ascii,
            Mode::Inline,
            Mode::AppendedRaw,
            Mode::AppendedBase64,
        ] {
            for compressor in ["", "vtkZLibDataCompressor", "vtkLZ4DataCompressor"] {
                for wide in [false, true] {
                    for big_endian in [false, true] {
                        all.push(Self {
                            mode,
                            compressor,
                            wide,
                            big_endian,
                        });
                    }
                }
            }
        }
        all
    }

    fn number(self, value: usize) -> Vec<u8> {
        match (self.wide, self.big_endian) {
            (true, true) => (value as u64).to_be_bytes().to_vec(),
            (true, false) => (value as u64).to_le_bytes().to_vec(),
            (false, true) => (value as u32).to_be_bytes().to_vec(),
            (false, false) => (value as u32).to_le_bytes().to_vec(),
        }
    }

    /// Header and data as stored; base64 encodes each separately if there are blocks.
    fn stored(self, data: &[u8]) -> Vec<u8> {
        let encode = |bytes: &[u8]| match self.mode {
            Mode::AppendedRaw => bytes.to_vec(),
            _ => STANDARD.encode(bytes).into_bytes(),
        };
        if self.compressor.is_empty() {
            return encode(&[self.number(data.len()), data.to_vec()].concat());
        }
        let blocks: Vec<Vec<u8>> = data
            .chunks(BLOCK)
            .map(|block| {
                if self.compressor.contains("LZ4") {
                    return lz4_flex::block::compress(block);
                }
                let mut packer =
                    flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
                packer.write_all(block).expect("memory");
                packer.finish().expect("memory")
            })
            .collect();
        let mut header = self.number(blocks.len());
        header.extend(self.number(BLOCK));
        header.extend(self.number(data.len() % BLOCK));
        for block in &blocks {
            header.extend(self.number(block.len()));
        }
        [encode(&header), encode(&blocks.concat())].concat()
    }
}

/// An array as its type, name and numbers; `x` converts a number to bytes.
struct Array {
    kind: &'static str,
    name: &'static str,
    values: Vec<f64>,
}

#[expect(clippy::cast_sign_loss, reason = "numbers made for the test")]
fn bytes(kind: &str, value: f64, big_endian: bool) -> Vec<u8> {
    macro_rules! of {
        ($type:ty) => {
            if big_endian {
                (value as $type).to_be_bytes().to_vec()
            } else {
                (value as $type).to_le_bytes().to_vec()
            }
        };
    }
    match kind {
        "Int32" => of!(i32),
        "Int64" => of!(i64),
        "UInt8" => of!(u8),
        "UInt32" => of!(u32),
        "UInt64" => of!(u64),
        "Float32" => of!(f32),
        "Float64" => of!(f64),
        _ => unreachable!("{kind}"),
    }
}

/// A file with one piece of these sections.
fn xml(options: Options, data_set: &str, counts: &str, sections: &[(&str, Vec<Array>)]) -> Vec<u8> {
    let (order, header) = (
        if options.big_endian {
            "BigEndian"
        } else {
            "LittleEndian"
        },
        if options.wide { "UInt64" } else { "UInt32" },
    );
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<!-- made by a test -->\n<VTKFile type=\"{data_set}\" version=\"0.1\" \
         byte_order=\"{order}\" header_type=\"{header}\" compressor=\"{}\">\n<{data_set}>\n<FieldData><DataArray \
         type=\"String\" Name=\"note\" format=\"ascii\">1 2</DataArray></FieldData>\n<Piece {counts}>\n",
        options.compressor
    );
    let mut appended = Vec::new();
    for (section, arrays) in sections {
        write!(text, "<{section}>").expect("memory");
        for array in arrays {
            let components = if array.name == "Points" { 3 } else { 1 };
            let (kind, name) = (array.kind, array.name);
            let data: Vec<u8> = array
                .values
                .iter()
                .flat_map(|&value| bytes(kind, value, options.big_endian))
                .collect();
            write!(
                text,
                "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" RangeMin='0' "
            )
            .expect("memory");
            let numbers = || {
                let words: Vec<String> = array.values.iter().map(f64::to_string).collect();
                words.join("\n ")
            };
            let information = "<InformationKey name=\"L2_NORM_RANGE\" location=\"vtkDataArray\" length=\"1\">\
                               <Value index=\"0\">7</Value></InformationKey>";
            match options.mode {
                Mode::Ascii => {
                    write!(text, "format=\"ascii\">\n{information}{}\n", numbers())
                        .expect("memory");
                }
                Mode::Inline => {
                    let stored = String::from_utf8(options.stored(&data)).expect("base64");
                    write!(text, "format=\"binary\">\n   {stored}\n{information}").expect("memory");
                }
                Mode::AppendedRaw | Mode::AppendedBase64 => {
                    write!(
                        text,
                        "format=\"appended\" offset=\"{}\">{information}",
                        appended.len()
                    )
                    .expect("memory");
                    appended.extend(options.stored(&data));
                }
            }
            text.push_str("</DataArray>\n");
        }
        writeln!(text, "</{section}>").expect("memory");
    }
    write!(text, "</Piece>\n</{data_set}>\n").expect("memory");
    let mut file = text.into_bytes();
    if matches!(options.mode, Mode::AppendedRaw | Mode::AppendedBase64) {
        let encoding = if options.mode == Mode::AppendedRaw {
            "raw"
        } else {
            "base64"
        };
        file.extend(format!("<AppendedData encoding=\"{encoding}\">\n _").bytes());
        file.extend(appended);
        file.extend(b"\n</AppendedData>\n");
    }
    file.extend(b"</VTKFile>\n");
    file
}

const POINTS: [f64; 15] = [
    0.5, 0.25, -1.0, 1.5, 0.25, -1.0, 0.5, 1.25, -1.0, 0.5, 0.25, 0.125, 1.5, 1.25, 1.0,
];

/// Two tetrahedra and a line.
pub(super) fn grid(options: Options, float: &'static str, integer: &'static str) -> Vec<u8> {
    let array = |kind, name, values: &[f64]| Array {
        kind,
        name,
        values: values.to_vec(),
    };
    xml(
        options,
        "UnstructuredGrid",
        "NumberOfPoints=\"5\" NumberOfCells=\"3\"",
        &[
            (
                "PointData",
                vec![array("Float64", "u", &[1.0, 2.0, 3.0, 4.0, 5.0])],
            ),
            ("Points", vec![array(float, "Points", &POINTS)]),
            (
                "Cells",
                vec![
                    array(
                        integer,
                        "connectivity",
                        &[0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 1.0, 2.0, 3.0, 4.0],
                    ),
                    array(integer, "offsets", &[4.0, 6.0, 10.0]),
                    array("UInt8", "types", &[10.0, 3.0, 10.0]),
                ],
            ),
        ],
    )
}

/// A quadrangle and a strip of two triangles.
pub(super) fn polygons(options: Options) -> Vec<u8> {
    let array = |kind, name, values: &[f64]| Array {
        kind,
        name,
        values: values.to_vec(),
    };
    let square = [
        0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 2.0, 1.0, 0.0,
    ];
    xml(
        options,
        "PolyData",
        "NumberOfPoints=\"6\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"1\" NumberOfPolys=\"1\"",
        &[
            ("Points", vec![array("Float32", "Points", &square)]),
            (
                "Verts",
                vec![
                    array("Int64", "connectivity", &[]),
                    array("Int64", "offsets", &[]),
                ],
            ),
            (
                "Strips",
                vec![
                    array("Int64", "connectivity", &[2.0, 1.0, 5.0, 4.0]),
                    array("Int64", "offsets", &[4.0]),
                ],
            ),
            (
                "Polys",
                vec![
                    array("Int64", "connectivity", &[0.0, 1.0, 2.0, 3.0]),
                    array("Int64", "offsets", &[4.0]),
                ],
            ),
        ],
    )
}

#[test]
fn every_way_to_store_a_grid_gives_the_same_tetrahedra() {
    for options in Options::all() {
        for (float, integer) in [
            ("Float64", "Int64"),
            ("Float32", "Int32"),
            ("Float64", "UInt32"),
            ("Float32", "UInt64"),
        ] {
            let (_folder, path) = file("a.vtu", grid(options, float, integer));
            let mesh = read_tet_mesh(path).unwrap_or_else(|error| panic!("{options:?}: {error}"));
            assert_eq!(mesh.tets(), [[0, 1, 2, 3], [1, 2, 3, 4]], "{options:?}");
            let flat: Vec<f64> = mesh.nodes().iter().flat_map(|p| [p.x, p.y, p.z]).collect();
            assert_eq!(flat, POINTS, "{options:?}");
        }
    }
}

#[test]
fn every_way_to_store_polygons_gives_the_same_triangles() {
    for options in Options::all() {
        let (_folder, path) = file("a.vtp", polygons(options));
        let mesh = read_triangle_mesh(path).unwrap_or_else(|error| panic!("{options:?}: {error}"));
        assert_eq!(
            mesh.triangles(),
            [[0, 1, 2], [0, 2, 3], [2, 1, 5], [5, 1, 4]],
            "{options:?}"
        );
    }
}

/// Symptom: valid `.vtp` files with appended data are rejected. Cause: their offsets are decoded twice and count twice
/// against the bytes of the file. Law: a file whose arrays do not overlap is read.
#[test]
fn appended_polygons_without_other_arrays_are_read() {
    let array = |kind, name, values: Vec<f64>| Array { kind, name, values };
    let points = (0..1002).flat_map(|i| [f64::from(i / 2), f64::from(i % 2), 0.0]);
    let corners = (0..1000).flat_map(|i| [i, i + 1 + i % 2, i + 2 - i % 2].map(f64::from));
    let offsets = (1..=1000).map(|i| f64::from(3 * i));
    for options in Options::all() {
        let sections = [
            (
                "Points",
                vec![array("Float32", "Points", points.clone().collect())],
            ),
            (
                "Polys",
                vec![
                    array("Int64", "connectivity", corners.clone().collect()),
                    array("Int64", "offsets", offsets.clone().collect()),
                ],
            ),
        ];
        let counts = "NumberOfPoints=\"1002\" NumberOfPolys=\"1000\"";
        let (_folder, path) = file("a.vtp", xml(options, "PolyData", counts, &sections));
        let mesh = read_triangle_mesh(path).unwrap_or_else(|error| panic!("{options:?}: {error}"));
        assert_eq!(mesh.triangles().len(), 1000, "{options:?}");
    }
}

/// Fields of texts, as ParaView writes them, are no arrays of numbers, and their letters belong to no other array.
#[test]
fn fields_of_texts_are_left_out() {
    let set = PointSet {
        field_data: vec![DataArray {
            name: "n".to_owned(),
            components: 1,
            values: Values::UInt32(vec![5]),
        }],
        ..PointSet::default()
    };
    let mut written = Vec::new();
    write_vtp(&mut written, &set).expect("memory");
    let texts =
        "<Array type=\"String\" Name=\"names\" NumberOfTuples=\"1\" format=\"ascii\">97 0</Array>";
    let text = String::from_utf8(written).expect("text");
    for (place, inserted) in [
        ("    </FieldData>", format!("{texts}\n    </FieldData>")),
        ("    <FieldData>", format!("    <FieldData>\n{texts}")),
    ] {
        let text = text.replacen(place, &inserted, 1);
        assert_eq!(read_vtp(text.as_bytes()).expect("a sound file"), set);
    }
}

fn message(name: &str, content: impl AsRef<[u8]>) -> String {
    let (_folder, path) = file(name, content);
    let error = read_tet_mesh(path).expect_err("a fault");
    assert!(!matches!(
        &error,
        MeshIoError::Parse { source, .. } if source.place == Place::File && source.problem.is_empty()
    ));
    error.to_string()
}

#[test]
fn faults_are_placed_and_named() {
    let of = |mode, compressor| Options {
        mode,
        compressor,
        wide: true,
        big_endian: false,
    };
    let text = |options| String::from_utf8(grid(options, "Float64", "Int64")).expect("text");
    let ascii = text(of(Mode::Ascii, ""));
    for (from, to, words) in [
        ("0.25", "x", ["array \"Points\"", "\"x\" is not a Float64"]),
        ("Points=\"5\"", "Points=\"6\"", ["Points", "6 points"]),
        ("Cells=\"3\"", "Cells=\"2\"", ["types", "contradict"]),
        ("UInt64", "Int7", ["line 3", "header type"]),
        ("LittleEndian", "Mixed", ["line 3", "byte order"]),
        (
            "compressor=\"\"",
            "compressor=\"vtkLZMADataCompressor\"",
            ["LZMA", "zlib or lz4"],
        ),
        (
            "\"UnstructuredGrid\"",
            "\"ImageData\"",
            ["ImageData", "save it as"],
        ),
        (
            "\"UnstructuredGrid\"",
            "\"PUnstructuredGrid\"",
            ["other files", "one serial file"],
        ),
        ("</Points>", "</Point>", ["line", "not well-formed"]),
        (
            "Int64\" Name=\"conn",
            "Bit\" Name=\"conn",
            ["connectivity", "cannot be read"],
        ),
        ("format=\"ascii\"", "format=\"\"", ["format", "none of"]),
    ] {
        // Arrays that are not requested are not decoded.
        let last = ascii.rfind("<Points>").unwrap_or(0);
        let (head, tail) = ascii.split_at(if from.starts_with("format") { last } else { 0 });
        assert!(tail.contains(from), "{from}");
        let text = format!("{head}{}", tail.replacen(from, to, 1));
        assert!(read_vtu(text.as_bytes()).is_err(), "{from}");
        let said = message("a.vtu", text);
        for word in words {
            assert!(said.contains(word), "{word}: {said}");
        }
    }
    let inline = text(of(Mode::Inline, ""));
    let damaged = inline.replacen("   eAAAAAAAAAA", "   eAAAAAAAABA", 1);
    assert_ne!(inline, damaged);
    assert!(read_vtu(damaged.as_bytes()).is_err(), "a wrong length");
    let said = message("a.vtu", damaged);
    assert!(
        said.contains("array \"Points\"") && said.contains("follow"),
        "{said}"
    );
    // A letter of the compressed data, behind the four numbers of the header.
    let packed = text(of(Mode::Inline, "vtkZLibDataCompressor"));
    let points = packed.find("<Points>").expect("points");
    let data = points + packed[points..].find("   ").expect("data") + 3 + 44 + 12;
    let mut damaged = packed.into_bytes();
    damaged[data] = if damaged[data] == b'A' { b'B' } else { b'A' };
    assert!(read_vtu(damaged.as_slice()).is_err(), "a wrong letter");
    let said = message("a.vtu", damaged);
    assert!(said.contains("array \"Points\""), "{said}");
}

/// A truncated header of an array, as in the file of an interrupted run, must not cause a panic.
#[test]
fn an_array_shorter_than_its_header_is_an_error() {
    let text = "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\
        <UnstructuredGrid><Piece NumberOfPoints=\"1\" NumberOfCells=\"0\"><Points><DataArray type=\"Float64\" \
        NumberOfComponents=\"3\" format=\"binary\">AAAAAAA=</DataArray></Points></Piece></UnstructuredGrid></VTKFile>";
    let error = read_vtu(text.as_bytes()).expect_err("a fault");
    assert!(
        error.to_string().contains("ends inside its header"),
        "{error}"
    );
}

/// Every array of many pieces refers to the same bytes: decoding all would exhaust the memory.
#[test]
fn arrays_cannot_share_their_bytes() {
    let piece = "<Piece NumberOfPoints=\"1000\" NumberOfCells=\"0\"><Points><DataArray type=\"Float64\" \
                 NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points></Piece>";
    let mut bytes = format!(
        "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\"><UnstructuredGrid>{}</UnstructuredGrid>\
         <AppendedData encoding=\"raw\">_",
        piece.repeat(1000)
    )
    .into_bytes();
    bytes.extend(24_000u64.to_le_bytes());
    bytes.extend(std::iter::repeat_n(0, 24_000));
    let said = message("a.vtu", bytes);
    assert!(said.contains("belong to other arrays"), "{said}");
}

/// A megabyte of attributes in one element: the time must be linear in their number.
#[test]
fn many_attributes_take_linear_time() {
    let attributes: String = (0..100_000).fold(String::new(), |mut text, number| {
        write!(text, " a{number}='1'").expect("memory");
        text
    });
    let text = format!(
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece{attributes}></Piece></UnstructuredGrid></VTKFile>"
    );
    let start = std::time::Instant::now();
    read_vtu(text.as_bytes()).expect_err("no points");
    // Quadratic time would be ten seconds and more.
    assert!(start.elapsed().as_secs() < 2, "{:?}", start.elapsed());
}

fn legacy(version: &str, format: &str, sections: &[&[u8]]) -> Vec<u8> {
    let mut bytes = format!("# vtk DataFile Version {version}\ntitle\n{format}\n").into_bytes();
    for section in sections {
        bytes.extend_from_slice(section);
        bytes.push(b'\n');
    }
    bytes
}

fn big_endian<const N: usize>(values: &[f64], of: impl Fn(f64) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| of(value)).collect()
}

#[test]
fn legacy_files_of_all_versions() {
    let floats = big_endian(&POINTS, |value| (value as f32).to_be_bytes());
    let ints = |values: &[f64]| big_endian(values, |value| (value as i32).to_be_bytes());
    let longs = |values: &[f64]| big_endian(values, |value| (value as i64).to_be_bytes());
    let field = b"FIELD FieldData 2\ntime 1 1 double\n\x3f\xf0\0\0\0\0\0\0\nids 2 1 vtkIdType\n\0\0\0\x01\0\0\0\x02";
    let points = [b"POINTS 5 float\n".to_vec(), floats].concat();
    let metadata =
        b"METADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 0 1\n";
    let old = [
        b"CELLS 2 10\n".to_vec(),
        ints(&[4.0, 0.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]),
    ]
    .concat();
    let new = [
        b"CELLS 3 8\nOFFSETS vtktypeint64\n".to_vec(),
        longs(&[0.0, 4.0, 8.0]),
        b"\nCONNECTIVITY vtktypeint64\n".to_vec(),
        longs(&[0.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 4.0]),
    ]
    .concat();
    let types = [b"CELL_TYPES 2\n".to_vec(), ints(&[10.0, 10.0])].concat();
    let data = b"POINT_DATA 5\nSCALARS u double\nLOOKUP_TABLE default\n\x00\x01";
    let ascii = "0.5 0.25 -1 1.5 0.25 -1 0.5 1.25 -1\n0.5 0.25 0.125 1.5 1.25 1";
    let plain = format!("POINTS 5 double\n{ascii}\n");
    for content in [
        legacy("4.2", "BINARY", &[b"DATASET UNSTRUCTURED_GRID", field, &points, metadata, &old, &types, data]),
        legacy("5.1", "BINARY", &[b"DATASET UNSTRUCTURED_GRID", field, &points, metadata, &new, &types, data]),
        legacy(
            "3.0",
            "ascii",
            &[
                b"dataset unstructured_grid",
                plain.as_bytes(),
                b"cells 2 10 4 0 1 2 3\n4 1 2 3 4 cell_types 2 10 10",
            ],
        ),
        legacy(
            "5.1",
            "ASCII",
            &[
                b"DATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nnote 1 1 string\nhello%20world",
                plain.as_bytes(),
                b"CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4\nCELL_TYPES \
                  2\n10 10",
            ],
        ),
    ] {
        let (_folder, path) = file("a.vtk", &content);
        let mesh = read_tet_mesh(path)
            .unwrap_or_else(|error| panic!("{}: {error}", String::from_utf8_lossy(&content)));
        assert_eq!(mesh.tets(), [[0, 1, 2, 3], [1, 2, 3, 4]]);
        let flat: Vec<f64> = mesh.nodes().iter().flat_map(|p| [p.x, p.y, p.z]).collect();
        assert_eq!(flat, POINTS);
    }
    let surfaces = "POINTS 4 int\n0 0 0 1 0 0 1 1 0 0 1 0\nVERTICES 1 2 1 0\nPOLYGONS 2 3\nOFFSETS vtktypeint64\n0 3\n\
                    CONNECTIVITY vtktypeint64\n0 1 2\nTRIANGLE_STRIPS 1 4 3 0 2 3\nCELL_DATA 3\n";
    let (_folder, path) = file(
        "a.vtk",
        legacy("5.1", "ASCII", &[b"DATASET POLYDATA", surfaces.as_bytes()]),
    );
    assert_eq!(
        read_triangle_mesh(path).unwrap().triangles(),
        [[0, 1, 2], [0, 2, 3]]
    );
}

#[test]
fn voxels_and_pixels_are_cells_in_rows() {
    let cube = "POINTS 8 int\n0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1\n";
    let cells = "CELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n11\n";
    let head = b"DATASET UNSTRUCTURED_GRID";
    let (_folder, path) = file(
        "a.vtk",
        legacy("3.0", "ASCII", &[head, cube.as_bytes(), cells.as_bytes()]),
    );
    let solid = read_solid_mesh(path).unwrap();
    assert_eq!(solid.hexahedra, [[0, 1, 3, 2, 4, 5, 7, 6]]);
    assert!((solid.mesh.volume() - 1.0).abs() < 1e-15);

    let square = "POINTS 4 int\n0 0 0 1 0 0 0 1 0 1 1 0\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n8\n";
    let (_folder, path) = file("a.vtk", legacy("3.0", "ASCII", &[head, square.as_bytes()]));
    assert_eq!(
        read_triangle_mesh(path).unwrap().triangles(),
        [[0, 1, 3], [0, 3, 2]]
    );
}

#[test]
fn other_cells_are_refused_by_name() {
    for (kind, name) in [
        (13, "6-node wedge"),
        (14, "5-node pyramid"),
        (24, "10-node tetrahedron"),
        (71, "Lagrange tetrahedron"),
    ] {
        let text = format!(
            "DATASET UNSTRUCTURED_GRID\nPOINTS 4 int\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES \
             1\n{kind}\n"
        );
        let said = message("a.vtk", legacy("3.0", "ASCII", &[text.as_bytes()]));
        assert!(said.contains(name) && said.contains("remesh"), "{said}");
    }
}
