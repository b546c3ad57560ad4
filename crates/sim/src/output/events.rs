//! `events.json`: statistics of the asynchronous stepper.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::{OutputError, atomic};
use crate::stepper::asynchronous::force::ForceKind;
use crate::stepper::asynchronous::{EventKind, Statistics, StepHistogram, Times};

/// Name of the file.
pub(super) const EVENTS: &str = "events.json";

/// The contents of the file.
#[derive(Serialize)]
struct Page {
    events: u64,
    springs: u64,
    membranes: u64,
    hinges: u64,
    tetrahedra: u64,
    given_forces: u64,
    layer_ticks: u64,
    layer_pushes: u64,
    slab_lapses: u64,
    slabs_redated: u64,
    volume_lapses: u64,
    volumes_rebuilt: u64,
    windows: u64,
    windows_returned: u64,
    events_in_vain: u64,
    script_ticks: u64,
    promises_broken: u64,
    layers_called: u64,
    layers_dismissed: u64,
    deepest_layer: u32,
    smallest_distance: f64,
    shares_of_time: Option<Shares>,
    /// Pairs of a duration (s) and the number of trajectory pieces between it and twice that.
    flights: Vec<(f64, u64)>,
    /// The same for each step.
    flights_over_time: Vec<Flights>,
}

/// Shares of the time of all events, with sum 1.
#[derive(Serialize)]
struct Shares {
    elastic_forces: f64,
    given_forces: f64,
    layers: f64,
    slabs: f64,
    slabs_redated: f64,
    volumes: f64,
    volumes_redated: f64,
    scripts: f64,
}

impl Shares {
    /// `None` if no time was measured.
    fn of(times: &Times) -> Option<Self> {
        let total = times.total().as_secs_f64();
        let share = |time: Duration| time.as_secs_f64() / total;
        let given = times.forces[ForceKind::Given as usize];
        (total > 0.0).then(|| Self {
            elastic_forces: share(times.of(EventKind::Force).saturating_sub(given)),
            given_forces: share(given),
            layers: share(times.of(EventKind::Layer)),
            slabs: share(times.of(EventKind::Slab)),
            slabs_redated: share(times.slabs_redated),
            volumes: share(times.of(EventKind::Volume)),
            volumes_redated: share(times.volumes_redated),
            scripts: share(times.of(EventKind::Script) + times.of(EventKind::Rigid)),
        })
    }
}

/// Trajectory pieces that ended in one step.
#[derive(Serialize)]
struct Flights {
    /// End of the step (s).
    time: f64,
    flights: Vec<(f64, u64)>,
}

/// Writes `events.json` into `folder`; `flights` are the trajectory pieces of each step with its end (s).
///
/// # Errors
/// [`OutputError`] of the operating system.
pub fn write_events(
    folder: impl AsRef<Path>,
    statistics: &Statistics,
    flights: &[(f64, StepHistogram)],
) -> Result<(), OutputError> {
    let path = folder.as_ref().join(EVENTS);
    let [springs, membranes, hinges, tetrahedra, given_forces] = statistics.force_terms;
    let page = Page {
        events: statistics.events(),
        springs,
        membranes,
        hinges,
        tetrahedra,
        given_forces,
        layer_ticks: statistics.layer_ticks,
        layer_pushes: statistics.layer_pushes,
        slab_lapses: statistics.slab_lapses,
        slabs_redated: statistics.slabs_redated,
        volume_lapses: statistics.volume_lapses,
        volumes_rebuilt: statistics.volumes_rebuilt,
        windows: statistics.windows,
        windows_returned: statistics.windows_returned,
        events_in_vain: statistics.events_in_vain,
        script_ticks: statistics.script_ticks + statistics.rigid_pieces,
        promises_broken: statistics.velocity_bounds_left,
        layers_called: statistics.activations,
        layers_dismissed: statistics.deactivations,
        deepest_layer: statistics.deepest_layer,
        smallest_distance: statistics.smallest_distance,
        shares_of_time: Shares::of(&statistics.times),
        flights: statistics.steps.bins().collect(),
        flights_over_time: flights
            .iter()
            .map(|(time, flights)| Flights {
                time: *time,
                flights: flights.bins().collect(),
            })
            .collect(),
    };
    let mut bytes = serde_json::to_vec_pretty(&page)
        .map_err(|error| OutputError::format(&path, error.to_string()))?;
    bytes.push(b'\n');
    atomic::write(&path, &bytes)
}
