//! Harmon et al. 2012.

use super::claim::{Claim, Paper, rows, sim_test, test};
use crate::conformance::Layer::Asynchronous;

pub(super) const PAPER: Paper = Paper {
    title: "Harmon et al. 2012, \"Asynchronous contact mechanics\"",
    about: "Conformance proves that no two features meet on their way.",
    claims: &[
        Claim {
            part: "Fig. 1",
            scenes: &["harmon_curtains", "particle_and_curtains"],
            faithful: false,
            says: "A ball is shot through curtains. They come to rest, and no step gains energy.",
            judges: &[
                test("papers::harmon::curtains_come_to_rest"),
                test("asynchronous::a_ball_goes_through_curtains_without_going_through_cloth"),
                rows(Asynchronous, "particle_and_curtains"),
            ],
        },
        Claim {
            part: "Fig. 8 and Fig. 9",
            scenes: &["reef_knot"],
            faithful: false,
            says: "A reef knot is pulled tight: the bends stay linked, and overlap by less than 8 cm.",
            judges: &[
                test("asynchronous::a_reef_knot_tightens"),
                rows(Asynchronous, "reef_knot"),
            ],
        },
        Claim {
            part: "Fig. 9",
            scenes: &["reef_knot_overpulled"],
            faithful: false,
            says: "A knot that is pulled too tight: the run stops with \"no progress\" before cloth goes through \
                   cloth. The test allows fewer ticks, and so stops early.",
            judges: &[test(
                "asynchronous::a_reef_knot_that_is_pulled_too_tight_stops_safely",
            )],
        },
        Claim {
            part: "Fig. 10",
            scenes: &["harmon_compactor", "trash_compactor"],
            faithful: false,
            says: "The walls of a compactor press five different shapes flat, to less than a tenth of their distance; \
                   those of `trash_compactor` press balls. Tests have coarser meshes and five times the speed.",
            judges: &[
                test("papers::harmon::a_compactor_closes_to_less_than_a_tenth"),
                test("asynchronous::a_compactor_presses"),
                rows(Asynchronous, "trash_compactor"),
            ],
        },
        Claim {
            part: "Fig. 11",
            scenes: &["bed_of_nails"],
            faithful: false,
            says: "A sheet lies on the points of nails and another one on it, which is pulled.",
            judges: &[
                test("asynchronous::sheets_lie_on_nails_and_are_tugged"),
                rows(Asynchronous, "bed_of_nails"),
            ],
        },
        Claim {
            part: "Fig. 11",
            scenes: &["harmon_projectiles", "projectiles_on_nails"],
            faithful: false,
            says: "Balls are shot at nails: two stick, one rolls on. Of `projectiles_on_nails` the small ball flies \
                   down between nails, and the large ones rebound.",
            judges: &[
                test("papers::harmon::balls_stick_between_nails_and_roll_over_them"),
                test("asynchronous::balls_are_shot_at_nails"),
                rows(Asynchronous, "projectiles_on_nails"),
            ],
        },
        Claim {
            part: "Sec. 6.3",
            scenes: &["harmon_stack", "harmon_dice"],
            faithful: false,
            says: "Of two balls shot at one gap between nails the second rests on the first. Rigid dice end at rest on \
                   each other, and the contact forces of steps carry their weight. So do those of a soft cube at \
                   rest, to 1 %.",
            judges: &[
                test("papers::harmon::balls_that_are_shot_at_nails_stack"),
                test(
                    "papers::harmon::dice_that_are_thrown_between_nails_come_to_rest_on_each_other",
                ),
                sim_test("contacts_on_disk::forces_of_layers_carry_the_weight"),
            ],
        },
        Claim {
            part: "Beyond the paper: joints",
            scenes: &["wrecking_ball"],
            faithful: false,
            says: "A weight on a chain knocks a wall down. A double pendulum keeps its energy to 1 % of its range; a \
                   chain falls and comes to rest.",
            judges: &[
                test("papers::harmon::a_weight_on_a_chain_knocks_a_wall_down"),
                sim_test("asynchronous::joints::a_double_pendulum_keeps_its_energy"),
                sim_test("asynchronous::joints::a_chain_falls_on_the_ground"),
            ],
        },
    ],
    missing: &[],
};
