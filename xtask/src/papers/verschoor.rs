//! Verschoor and Jalba 2019.

use super::claim::{Claim, Judge, Paper, full_rows, quick_rows, rows, test};
use crate::conformance::Layer::{Methods, Sweeps};

pub(super) const PAPER: Paper = Paper {
    title: "Verschoor and Jalba 2019",
    about: "Guarantees of `cargo xtask conformance methods`: every step is taken, its solves converge, no state has \
            intersections, no method claims a convergence that it has not, and 1 and 3 threads give the same bits. \
            Ratios of methods, beside the paper's where it states one, are figures and [aims](../methods/rivals.md), \
            which do not fail it.",
    claims: &[
        Claim {
            part: "Fig. 1 and Fig. 10",
            scenes: &["armadillo_rollers"],
            faithful: false,
            says: "An armadillo is drawn between rollers: [the whole 5 s](rollers.md), and [the first half \
                   second](fine_armadillo.md) with the paper's 200,000 unknowns, without inverted elements and without \
                   a step that gains energy. The rows are for a bunny; with `--full` for the first 2 s of the \
                   armadillo.",
            judges: &[
                Judge::Page("rollers.md"),
                Judge::Page("fine_armadillo.md"),
                quick_rows(Methods, "bunny_rollers"),
                full_rows(Methods, "armadillo_rollers"),
            ],
        },
        Claim {
            part: "Fig. 2 (a)",
            scenes: &["verschoor_wedge", "wedge"],
            faithful: true,
            says: "Half of the bodies: all solves converge, no element is inverted, and the soft crowd moves with the \
                   wedge. `wedge` has rigid bricks and rubber balls.",
            judges: &[
                test("papers::verschoor::a_wedge_moves_its_soft_crowd"),
                test("scenes::a_wedge_pushes_its_crowd"),
                rows(Methods, "wedge"),
            ],
        },
        Claim {
            part: "Fig. 2 (b)",
            scenes: &["verschoor_strings", "strings"],
            faithful: true,
            says: "Forces twist six strings about each other; they come free when the forces end.",
            judges: &[
                test("papers::verschoor::strings_are_tangled_by_forces_and_come_free"),
                rows(Methods, "strings"),
            ],
        },
        Claim {
            part: "Fig. 2 (c)",
            scenes: &["rigid_stack"],
            faithful: false,
            says: "Ten boxes stay at rest; with `--full` for ten seconds.",
            judges: &[
                test("scenes::a_rigid_stack_rests"),
                rows(Methods, "rigid_stack"),
                rows(Sweeps, "rigid_stack"),
            ],
        },
        Claim {
            part: "Fig. 6 and Fig. 7",
            scenes: &["bearing"],
            faithful: false,
            says: "The turning shaft drags the balls along; they brake it, and press it down. In a step the residual \
                   falls with either preconditioner, and faster with Full; `impinge compare --report FILE` draws it by \
                   iteration.",
            judges: &[
                test("scenes::a_bearing_turns"),
                test("papers::verschoor::residuals_of_a_bearing_fall_with_either_preconditioner"),
                rows(Methods, "bearing"),
            ],
        },
        Claim {
            part: "Fig. 8 (b)",
            scenes: &["bunnies"],
            faithful: false,
            says: "[The whole second of all 120](bunnies.md), without inverted elements and without a step that gains \
                   energy. The rows are for two bunnies; with `--full` for 12 of 120 and 0.3 s, since some methods \
                   take days on all of them.",
            judges: &[Judge::Page("bunnies.md"), rows(Methods, "bunnies")],
        },
        Claim {
            part: "Fig. 8 (h), Fig. 11, left, and Table 1",
            scenes: &["rings", "rings_stiff"],
            faithful: false,
            says: "Twelve rings in the quick form; with `--full` all 120, and in the mean at most 60 iterations a step \
                   of the default method.",
            judges: &[rows(Methods, "rings"), rows(Methods, "rings_stiff")],
        },
        Claim {
            part: "Fig. 8 (e), Fig. 9, Fig. 11, right, and Table 1",
            scenes: &["pyramid", "pyramid_small"],
            faithful: false,
            says: "Fourteen bodies in the quick form; with `--full` all 140, and in the mean at most 45 iterations a \
                   step of the default method. Iterations a simulated second differ by at most a factor of 2 in steps \
                   of 1 and 2 ms; with `--full` in steps of 0.5 to 4 ms, and from 0.3 to 5 MPa.",
            judges: &[rows(Methods, "pyramid"), rows(Sweeps, "pyramid")],
        },
        Claim {
            part: "Fig. 12",
            scenes: &["rings", "bearing", "armadillo_rollers"],
            faithful: false,
            says: "[The time to build the Delassus operator](delassus.md), of a soft cube, of rings, of the bearing \
                   and of the armadillo, beside that of solves. The page judges whether it takes longer than a solve.",
            judges: &[Judge::Page("delassus.md")],
        },
    ],
    missing: &[
        "the rest of the 5 s of the armadillo of 200,000 unknowns: in steps of 10 ms the run stops, safely, between \
         the rollers at 3.9 s",
    ],
};
