//! A page of sections.

use std::fmt::Write as _;

pub use crate::escape::escape;
use crate::plot::{COLOURS, colour};
use crate::scene::SceneRecord;
use crate::viewer::{STYLE, script};

/// A page under construction.
#[derive(Debug, Clone)]
pub struct Page {
    title: String,
    body: String,
    films: bool,
}

impl Page {
    /// An empty page.
    pub fn new(title: &str) -> Self {
        Self {
            title: escape(title),
            body: String::new(),
            films: false,
        }
    }

    /// Adds HTML.
    pub fn push(&mut self, html: &str) {
        self.body += html;
    }

    /// Adds the introduction and a section for each of `scenes`; `methods` are in the order of their colours.
    pub fn push_scenes(&mut self, methods: &[&str], scenes: &[SceneRecord]) {
        self.body += "<h2>Contact methods</h2>\n";
        self.body += &legend(methods);
        self.body += "<p class=\"note\">The run continues with the method named first; the others solve the same \
                      problems from the same warm starts, to the same tolerances. An iteration takes one product with \
                      the momentum matrix; for staggered projections both projections count, for constraint \
                      anticipation its outer passes and linear iterations. “unmet” are solves with a residual above \
                      twice its tolerance, “relaxed” those with friction converged to the gap tolerance only. \
                      Residuals are independent, the largest of any solve, over their tolerances. Times are processor \
                      times.</p>\n";
        for scene in scenes {
            self.body += &scene.section(methods);
            self.films |= scene.film.is_some();
        }
    }

    /// The page as one text.
    pub fn html(&self) -> String {
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\"><title>impinge: {}</title>\n<style>\n{}{}</style></head>\n\
             <body>\n<h1>impinge {}: {}</h1>\n{}",
            self.title,
            include_str!("page.css"),
            if self.films { STYLE } else { "" },
            env!("CARGO_PKG_VERSION"),
            self.title,
            self.body,
        );
        if self.films {
            // Writing to a string cannot fail.
            let _ = write!(html, "<script>\n{}</script>\n", script());
        }
        html + "</body></html>\n"
    }
}

/// The colours of the methods.
fn legend(methods: &[&str]) -> String {
    let mut html = String::from("<p class=\"key\">");
    for (index, name) in methods.iter().enumerate() {
        let line = if index < COLOURS.len() {
            "solid"
        } else {
            "dashed"
        };
        let _ = write!(
            html,
            "<span><i style=\"border-top:3px {line} {}\"></i>{}</span>",
            colour(index),
            escape(name)
        );
    }
    html + "</p>\n"
}
