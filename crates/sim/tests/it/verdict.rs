//! Run status, exit code and last lines from counters and the end of a run.

use impinge_sim::output::{Accepted, Counters, End, FirstEvents, Status, Verdict, verdict};

fn completed(counters: Counters) -> Verdict {
    verdict(
        &counters,
        End::Completed,
        Accepted::default(),
        FirstEvents::default(),
    )
}

/// Every counter of an unmet guarantee, alone.
fn unmet() -> [(&'static str, Counters); 6] {
    let none = Counters::default();
    [
        (
            "inexact_solves",
            Counters {
                inexact_solves: 3,
                ..none
            },
        ),
        (
            "relaxed_solves",
            Counters {
                relaxed_solves: 3,
                ..none
            },
        ),
        (
            "unmet_momentum",
            Counters {
                unmet_momentum: 3,
                ..none
            },
        ),
        (
            "energy_gains",
            Counters {
                energy_gains: 3,
                ..none
            },
        ),
        (
            "crossings",
            Counters {
                crossings: 3,
                ..none
            },
        ),
        (
            "inverted_elements",
            Counters {
                inverted_elements: 3,
                ..none
            },
        ),
    ]
}

#[test]
fn an_untroubled_run_is_completed() {
    let verdict = completed(Counters::default());
    assert_eq!(
        (verdict.status, verdict.status.exit_code()),
        (Status::Completed, 0)
    );
    assert!(verdict.message.is_none() && verdict.notes.is_empty());
}

/// Irregular events that are resolved in the run violate no guarantee.
#[test]
fn trouble_that_was_mended_is_no_failure() {
    let verdict = completed(Counters {
        subdivided_steps: 1,
        rejected_attempts: 1,
        least_squares_solves: 1,
        rescued_solves: 1,
        preconditioner_fallbacks: 1,
        loose_contacts: 1,
        box_overruns: 1,
        ccd_work_limits: 1,
        ..Counters::default()
    });
    assert_eq!(verdict.status, Status::Completed);
    assert!(verdict.notes.is_empty());
}

#[test]
fn every_unmet_guarantee_has_the_exit_code_and_is_named() {
    for (column, counters) in unmet() {
        let verdict = completed(counters);
        assert_eq!(verdict.status.exit_code(), 5, "{column}");
        let message = verdict.message.expect("a reason");
        assert!(
            message.contains('3') && message.contains(column) && message.contains("\n  mend: "),
            "{message}"
        );
        assert!(message.contains("--accept-inexact"), "{message}");
    }
}

#[test]
fn accepted_deviations_are_still_named() {
    let accepted = Accepted {
        inexact: true,
        ..Accepted::default()
    };
    for (column, counters) in unmet() {
        let verdict = verdict(&counters, End::Completed, accepted, FirstEvents::default());
        assert_eq!(
            (verdict.status, &verdict.message),
            (Status::Completed, &None)
        );
        assert!(verdict.notes[0].contains(column), "{:?}", verdict.notes);
    }
}

#[test]
fn inversion_that_the_scene_allows_is_named_only() {
    let counters = Counters {
        inverted_elements: 649,
        ..Counters::default()
    };
    let accepted = Accepted {
        inversion: true,
        ..Accepted::default()
    };
    let verdict = verdict(&counters, End::Completed, accepted, FirstEvents::default());
    assert_eq!(verdict.status, Status::Completed);
    assert!(verdict.notes[0].contains("649"), "{:?}", verdict.notes);
}

#[test]
fn a_step_that_may_be_too_long_is_the_last_note() {
    let first = FirstEvents {
        long_step: Some("too long for joint 3"),
        ..FirstEvents::default()
    };
    let verdict = verdict(
        &Counters::default(),
        End::Completed,
        Accepted::default(),
        first,
    );
    assert_eq!(verdict.status, Status::Completed);
    assert_eq!(verdict.notes, ["too long for joint 3"]);
}

#[test]
fn a_run_that_stopped_names_unmet_guarantees_too() {
    let counters = Counters {
        energy_gains: 2,
        inexact_solves: 1,
        ..Counters::default()
    };
    let stopped = verdict(
        &counters,
        End::Stopped("why".to_owned()),
        Accepted::default(),
        FirstEvents::default(),
    );
    assert_eq!(
        (stopped.status.exit_code(), stopped.message.as_deref()),
        (4, Some("why"))
    );
    assert_eq!(stopped.notes.len(), 2);
    let interrupted = verdict(
        &counters,
        End::Interrupted,
        Accepted::default(),
        FirstEvents::default(),
    );
    assert_eq!(
        (interrupted.status.exit_code(), interrupted.message),
        (130, None)
    );
}
