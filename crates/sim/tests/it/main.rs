//! One test binary; modules mirror `src`.

mod asynchronous;
mod constrained;
mod constrained_forces;
mod constrained_scene;
mod doctor;
mod energy;
mod foresight;
mod inversion;
mod joints;
mod motion;
mod output;
mod resume;
mod scene;
mod solids;
mod thin;
mod unheeded;
mod verdict;
