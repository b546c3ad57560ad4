//! The papers' own scenes do what the papers say of them; `docs/results/papers.md` lists them.

mod harmon;
mod saupin;
mod tournier;
mod verschoor;
