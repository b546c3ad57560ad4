//! One test binary; modules mirror `src`.

#![expect(clippy::too_many_lines, reason = "tests list their cases")]

mod asynchronous;
mod bound_nodes;
mod changing_joints;
mod closed_joints;
mod coarse_grid;
mod compose;
mod constrained;
mod constrained_forces;
mod constrained_scene;
mod contacts_on_disk;
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
mod lines_on_disk;
mod motion;
mod nonlinear;
mod obstacles;
mod output;
mod recorded;
mod resume;
mod scene;
mod scene_mistakes;
mod second_order;
mod skinned_ropes;
mod small_forces;
mod solids;
mod solvers_of_rows;
mod starts;
mod thin;
mod unsupported_keys;
mod unsymmetric;
mod verdict;
