#![no_main]

libfuzzer_sys::fuzz_target!(|content: &[u8]| impinge_geometry_fuzz::read("stl", content));
