#![no_main]

libfuzzer_sys::fuzz_target!(|content: &[u8]| {
    impinge_geometry_fuzz::read("vtu", content);
    // The arrays of frames are read by this one.
    let _ = impinge_geometry::io::vtk::read_vtu(content);
});
