//! One test binary; modules mirror `src`.

mod output;
mod scene;
