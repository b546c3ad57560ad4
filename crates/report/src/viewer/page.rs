//! A page with nothing but a film.

use super::figure;
use super::film::Film;
use super::script::{STYLE, script};
use crate::escape::escape;

/// The page of one film; it needs no network.
pub fn page(title: &str, film: &Film) -> String {
    html(title, &film.figure())
}

/// The page of a film that a server holds: `film` is its description, and each part has the address of its name.
pub fn served_page(title: &str) -> String {
    html(title, &figure::served())
}

fn html(title: &str, figure: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><title>{title} - impinge</title>\n<link rel=\"icon\" \
         href=\"data:,\">\n<style>\n{}{STYLE}</style></head>\n<body class=\"alone\">\n<h1>{title}</h1>\n\
         {figure}<script>\n{}</script>\n</body></html>\n",
        include_str!("page.css"),
        script(),
    )
}
