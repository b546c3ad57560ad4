//! The script and the style of the figures of a page.

/// Style of a figure.
pub const STYLE: &str = include_str!("viewer.css");

/// The script of all figures of a page.
pub fn script() -> String {
    let files = [
        include_str!("js/vectors.js"),
        include_str!("js/source.js"),
        include_str!("js/film.js"),
        include_str!("js/camera.js"),
        include_str!("js/colours.js"),
        include_str!("js/shaders.js"),
        include_str!("js/painter.js"),
        include_str!("js/pick.js"),
        include_str!("js/numbers.js"),
        include_str!("js/legend.js"),
        include_str!("js/plots.js"),
        include_str!("js/gestures.js"),
        include_str!("js/clock.js"),
        include_str!("js/pace.js"),
        include_str!("js/viewer.js"),
    ];
    format!("(() => {{\n\"use strict\";\n{}}})();\n", files.join("\n"))
}
