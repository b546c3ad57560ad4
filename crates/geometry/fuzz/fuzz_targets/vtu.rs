#![no_main]

libfuzzer_sys::fuzz_target!(|content: &[u8]| {
    impinge_geometry_fuzz::read("vtu", content);
    // Reads the arrays too, as for frames.
    let _ = impinge_geometry::io::vtk::read_vtu(content);
});
