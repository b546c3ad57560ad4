//! VTK files that are written and read back.

use impinge_geometry::io::vtk::{
    Cells, DataArray, PointSet, PolyLines, TETRA, TRIANGLE, UnstructuredGrid, Values, read_lines,
    read_vtp, read_vtu, write_lines, write_vtp, write_vtu,
};
use nalgebra::Vector3;

/// A grid with values of all kinds, including NaN with a payload.
#[test]
fn reading_a_written_grid_gives_back_every_bit() {
    let mut cells = Cells::default();
    cells.push(TETRA, &[0, 1, 2, 3]);
    cells.push(TRIANGLE, &[3, 1, 0]);
    let odd = f64::from_bits(0x7ff8_0000_0000_1234);
    let grid = UnstructuredGrid {
        points: [odd, -0.0, 5e-324, f64::INFINITY]
            .map(|x| Vector3::new(x, 0.1, -x))
            .to_vec(),
        cells,
        point_data: vec![DataArray {
            name: "a < \"b\"".to_owned(),
            components: 2,
            values: Values::Int32(vec![i32::MIN, -1, 0, 1, 2, 3, 4, i32::MAX]),
        }],
        cell_data: vec![DataArray {
            name: "s".to_owned(),
            components: 1,
            values: Values::UInt64(vec![u64::MAX, 0]),
        }],
        field_data: vec![DataArray {
            name: "löwer & 'upper' <1>".to_owned(),
            components: 1,
            values: Values::UInt32(vec![7, 0, 7]),
        }],
    };
    let mut written = Vec::new();
    write_vtu(&mut written, &grid).expect("memory");
    let read = read_vtu(&written).expect("a sound file");
    let bits = |grid: &UnstructuredGrid| -> Vec<[u64; 3]> {
        grid.points
            .iter()
            .map(|p| [p.x, p.y, p.z].map(f64::to_bits))
            .collect()
    };
    assert_eq!(bits(&read), bits(&grid));
    assert_eq!(read.cells, grid.cells);
    assert_eq!(read.cell_data, grid.cell_data);
    assert_eq!(read.point_data, grid.point_data);
    assert_eq!(read.field_data, grid.field_data);
}

#[test]
fn reading_written_points_gives_back_every_bit() {
    let array = |name: &str, components, values| DataArray {
        name: name.to_owned(),
        components,
        values,
    };
    for count in [0, 1, 3] {
        let set = PointSet {
            points: (0..count)
                .map(|i| Vector3::repeat(0.1) * f64::from(i))
                .collect(),
            point_data: vec![
                array("a", 2, Values::UInt32((0..2 * count).collect())),
                array("b", 1, Values::UInt8((0..count as u8).collect())),
            ],
            field_data: vec![array("none", 1, Values::UInt32(Vec::new()))],
        };
        let mut written = Vec::new();
        write_vtp(&mut written, &set).expect("memory");
        assert_eq!(read_vtp(&written).expect("a sound file"), set);
        assert!(read_vtu(&written).is_err());
    }
}

#[test]
fn reading_written_lines_gives_back_every_bit() {
    let array = |name: &str, values| DataArray {
        name: name.to_owned(),
        components: 1,
        values,
    };
    for counts in [&[][..], &[2], &[2, 5, 0, 3]] {
        let line = |(index, &count): (usize, &u32)| {
            let at = |point| Vector3::new(0.1 * index as f64, 0.3 * f64::from(point), -0.7);
            (0..count).map(at).collect()
        };
        let set = PolyLines {
            lines: counts.iter().enumerate().map(line).collect(),
            cell_data: vec![array("count", Values::UInt32(counts.to_vec()))],
            field_data: vec![array("name", Values::UInt32(vec![1]))],
        };
        let mut written = Vec::new();
        write_lines(&mut written, &set).expect("memory");
        assert_eq!(read_lines(&written).expect("a sound file"), set);
        let points = read_vtp(&written).expect("a sound file").points;
        assert_eq!(points, set.lines.concat());
    }
}

#[test]
fn lines_through_missing_points_are_refused() {
    let head = "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"1\" NumberOfLines=\"1\"><Points>\
                <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0</DataArray></Points>";
    let lines = |corners: &str, end: u32| {
        format!(
            "{head}<Lines><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">{corners}</DataArray>\
             <DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">{end}</DataArray></Lines></Piece>\
             </PolyData></VTKFile>"
        )
    };
    let whole = read_lines(lines("0 0", 2).as_bytes()).expect("a sound file");
    assert_eq!(whole.lines, [vec![Vector3::zeros(); 2]]);
    assert!(read_lines(lines("0 1", 2).as_bytes()).is_err());
    assert!(read_lines(lines("0 0", 3).as_bytes()).is_err());
}
