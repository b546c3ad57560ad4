//! One test binary; modules mirror `src`.

mod asynchronous;
mod constrained;
mod doctor;
mod output;
mod scene;
