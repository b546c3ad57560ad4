#![no_main]

libfuzzer_sys::fuzz_target!(|content: &[u8]| impinge_sim_fuzz::friction_problem(content));
