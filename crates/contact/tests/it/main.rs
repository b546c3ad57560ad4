//! Tests of the contact crate, arranged as its sources are.

mod active_set_cr;
mod agreement;
mod choice;
mod constraint;
mod corrective_motion;
mod damage;
mod delassus;
mod frame;
mod own_tolerances;
mod problem;
mod residual;
mod rivals;
mod robustness;
mod stored;
mod support;
mod warped;
mod warped_data;
