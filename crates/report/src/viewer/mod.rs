//! A film of a run in three dimensions, in a page of its own or as a figure of another one.
//!
//! [`RunFolder`] reads a film from the folder of a run, [`Film::new`] takes it beside a simulation. [`page()`] is a
//! self-contained page; [`served_page`] fetches its frames from a server, one by one. The drawing is WebGL 2, in the
//! files of `js`, one idea each.
//!
//! A film has a description in JSON and parts of little-endian numbers of four bytes, `n` vertices each: `surface`
//! (corners of the triangles, body and node of each vertex), `table` (columns of `steps.csv`) and `frame0`, `frame1`,
//! .. (number `c` of contact forces, `3 n` positions, `n` stresses and `n` volume ratios if there are elements, `c`
//! vertices, `3 c` forces, three numbers per point of a link or rope).

mod elements;
mod figure;
mod film;
mod folder;
mod limits;
mod page;
mod part;
pub(crate) mod patch;
mod script;
pub(crate) mod shot;
mod simplify;
mod stage;
mod surface;
mod table;

pub use film::Film;
pub use folder::RunFolder;
pub use page::{page, served_page};
pub use part::Part;
pub use script::{STYLE, script};
