//! Constraints: derivatives of every law, rows in a problem, the method with constraint rows.

mod catalogue;
mod derivatives;
mod errors;
mod kkt;
mod materials;
mod turning;
