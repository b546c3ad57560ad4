//! Friction that holds, beside reports from the trackers of other programs.

use super::claim::{Claim, Paper, test};

pub(super) const PAPER: Paper = Paper {
    title: "Friction that holds",
    about: "Situations of reports by users of other programs; [their figures](../friction_that_holds.md).",
    claims: &[
        Claim {
            part: "A ramp",
            scenes: &["incline"],
            faithful: false,
            says: "A block lies on a slope 2 % below its friction angle, and slides 4 % above it by Coulomb's law. A \
                   cloth lies on a slope of 15 degrees.",
            judges: &[
                test("held::a_block_stays_on_a_slope_just_below_its_friction_angle"),
                test("held::a_cloth_lies_still_on_a_slope"),
            ],
        },
        Claim {
            part: "Pinches and a grip",
            scenes: &["pinched_ball", "pinched_cloth", "gripped_peg"],
            faithful: false,
            says: "Pads hold a ball and a cloth, which fall with too little friction; two soft fingers draw a peg out \
                   of its hole and hold it, and leave it there with too little friction. A cube is pressed against a \
                   wall.",
            judges: &[
                test("held::a_pinched_ball_hangs_still_and_falls_with_too_little_friction"),
                test("held::a_pinched_cloth_hangs_still_and_slips_with_too_little_friction"),
                test("held::a_gripped_peg_is_drawn_out_and_hangs_still"),
                test("held::a_cube_pressed_against_a_wall_hangs_still"),
            ],
        },
        Claim {
            part: "A capstan",
            scenes: &["cable_round_post"],
            faithful: false,
            says: "Half a turn round a post holds weights up to Euler's ratio, and does not creep.",
            judges: &[
                test("held::a_cable_round_a_post_does_not_creep"),
                test("scenes::a_cable_holds_up_to_eulers_ratio"),
            ],
        },
    ],
    missing: &[],
};
