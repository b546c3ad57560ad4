//! Arguments of the linker: on macOS, symbols of Python are found when the module is imported.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
