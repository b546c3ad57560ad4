//! Runs and comparisons of contact methods as pages: self-contained HTML files that need no network.
//!
//! The contract: a page is written whole or not at all, and shows measurements; the only criteria are the tolerances of
//! the solves.
//!
//! In the order of use:
//! - [`watch`]: every method on the problems of chosen steps, and the problem with the most contacts kept;
//! - [`viewer`]: the surfaces, links and ropes of a run over time, in three dimensions;
//! - [`export`]: the same for other programs, as models, pictures and films;
//! - [`convergence`]: convergence of the methods on the kept problem;
//! - [`effort`]: the effort of each method, one row per method;
//! - [`scene`]: the section of one scene with all of these; [`plot`]: its plots;
//! - [`page`]: sections as a page, and the page as a file;
//! - [`data`]: the numbers of the plots, as tables.
//!
//! # Example
//! ```
//! use impinge_report::{Page, plot::{Axis, Line, Plot}};
//!
//! let plot = Plot {
//!     title: "A parabola",
//!     x: Axis { label: "x", logarithmic: false },
//!     y: Axis { label: "x²", logarithmic: false },
//!     level: None,
//!     lines: vec![Line::new("x²", 0, (0..9).map(f64::from).map(|x| [x, x * x]).collect())],
//! };
//! let mut page = Page::new("plots");
//! page.push(&plot.svg());
//! assert!(page.html().contains("<svg"));
//! ```
//!
//! It does **not** know: scene files, arguments, guarantees.
//!
//! Present limits: a film shows surfaces, links and ropes only; contact forces are those of nodes.

pub mod convergence;
pub mod data;
mod draft;
pub mod effort;
mod error;
mod escape;
pub mod export;
pub mod page;
pub mod plot;
pub mod scene;
pub mod viewer;
pub mod watch;

pub use convergence::{Curve, curves};
pub use draft::Draft;
pub use effort::MethodRow;
pub use error::ReportError;
pub use page::Page;
pub use scene::SceneRecord;
pub use viewer::Film;
pub use watch::{Selection, Watch};
