//! One test binary; modules mirror `src`.

mod asynchronous;
mod constrained;
mod constrained_forces;
mod constrained_scene;
mod doctor;
mod foresight;
mod joints;
mod motion;
mod output;
mod resume;
mod scene;
mod scene_mistakes;
mod solids;
mod thin;
mod unheeded;
mod verdict;
