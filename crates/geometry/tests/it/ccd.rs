//! A contact must never be missed, nor reported late: tested with stored queries with exact answers, exactly built
//! contacts, and dense sampling of distances.

use impinge_geometry::ccd::{CcdRule, Toi};
use nalgebra::Vector3;

mod batch;
mod built;
mod oracle;
mod sampled;
mod single;
mod step_size;
mod stored;

type Query = fn(&[Vector3<f64>; 4], &[Vector3<f64>; 4], &CcdRule) -> Toi;
