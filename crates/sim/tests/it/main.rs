//! One test binary; modules mirror `src`.

mod asynchronous;
mod constrained;
mod constrained_forces;
mod constrained_scene;
mod control;
mod damage;
mod doctor;
mod doctor_kinds;
mod doctor_motions;
mod energy;
mod foresight;
mod free_flight;
mod inversion;
mod islands;
mod joints;
mod joints_by_group;
mod motion;
mod output;
mod resume;
mod scene;
mod scene_mistakes;
mod solids;
mod starts;
mod thin;
mod unsupported_keys;
mod verdict;
