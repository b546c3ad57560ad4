//! The film as HTML.

use std::fmt::Write as _;

use super::part::Part;

/// The canvas with its controls.
const CONTROLS: &str = include_str!("controls.html");

/// A film with all of its parts inside the page.
pub(super) fn embedded(description: &str, parts: &[Part]) -> String {
    // `<` would end the script early.
    let description = description.replace('<', "\\u003c");
    let mut html = format!(
        "<figure class=\"viewer\">\n{CONTROLS}<script type=\"application/json\" \
         data-part=\"film\">{description}</script>\n"
    );
    for part in parts {
        // Writing to a string cannot fail.
        let _ = writeln!(
            html,
            "<script type=\"application/octet-stream\" data-part=\"{}\">{}</script>",
            part.name,
            part.text()
        );
    }
    html + "</figure>\n"
}

/// A film whose parts are fetched from the server of the page.
pub(super) fn served() -> String {
    format!("<figure class=\"viewer\" data-served>\n{CONTROLS}</figure>\n")
}
