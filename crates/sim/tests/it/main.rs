//! One test binary; modules mirror `src`.

mod doctor;
mod output;
mod scene;
