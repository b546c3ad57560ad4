//! The comparison of contact methods as a page: one HTML file without anything from outside, to be sent, kept and
//! opened without a network.
//!
//! The contract: a page is written whole or not at all, and shows what was measured; nothing here decides or judges
//! beyond the tolerances that a solve is held to anyway.
//!
//! In the order in which a run goes through them:
//! - [`watch`]: every method on the problems of chosen steps, and the problem with the most contacts kept;
//! - [`film`]: where the surfaces were;
//! - [`convergence`]: how the answers to the kept problem improve with the iterations;
//! - [`effort`]: one row a method of what it needed;
//! - [`scene`]: all of that as the section of one scene; [`plot`]: its plots;
//! - [`page`]: sections as a page, and the page as a file;
//! - [`data`]: the numbers behind the plots, as tables.
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
//! It does **not** know: scene files, arguments, what a guarantee is.
//!
//! Present limits: a film shows surfaces only, and no more than some ten moments of a run.

pub mod convergence;
pub mod data;
mod draft;
pub mod effort;
mod error;
pub mod film;
pub mod page;
pub mod plot;
pub mod scene;
pub mod watch;

pub use convergence::{Curve, curves};
pub use draft::Draft;
pub use effort::MethodRow;
pub use error::ReportError;
pub use film::Film;
pub use page::Page;
pub use scene::SceneRecord;
pub use watch::{Selection, Watch};
