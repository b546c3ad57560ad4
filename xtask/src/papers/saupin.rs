//! Saupin et al. 2008.

use super::claim::{Claim, Paper, full_rows, rows, test};
use crate::conformance::Layer::Compliance;

pub(super) const PAPER: Paper = Paper {
    title: "Saupin et al. 2008",
    about: "With own meshes. Conformance of `dino_rain` needs `IMPINGE_DATA`.",
    claims: &[
        Claim {
            part: "Table 1, Table 2 and Fig. 2",
            scenes: &["chain3", "chain3_vertical", "chain5_vertical"],
            faithful: false,
            says: "With `--full`, shapes of `chain3` and `chain3_vertical` with warped compliance agree with those of \
                   the exact one to the paper's 1.5 % and 4.4 % at the largest deformation and 1.7 % and 3.1 % at the \
                   end, where small changes of gravity do not have a like effect. At the most contacts of each scene \
                   in 200 steps velocities agree to 5 %, and the compliance by iterative solves takes at least 1000 \
                   times as long as the warped one. The quick form has 60 steps of `chain3_vertical`, without bound \
                   on times.",
            judges: &[
                rows(Compliance, "chain3_vertical"),
                full_rows(Compliance, "chain3"),
                full_rows(Compliance, "chain5_vertical"),
            ],
        },
        Claim {
            part: "Table 2",
            scenes: &["chain5"],
            faithful: false,
            says: "Rigid rings are at the same distances with either compliance, with fewer contacts than the \
                   paper. Momentum is met in every step.",
            judges: &[test(
                "papers::saupin::a_chain_of_five_links_is_as_long_with_either_compliance",
            )],
        },
        Claim {
            part: "Fig. 3",
            scenes: &["mixed_links"],
            faithful: false,
            says: "The rigid rings of a chain of soft and rigid links hang at the same places with either compliance, \
                   to 1 % of the chain. Momentum is met in every step.",
            judges: &[test(
                "papers::saupin::soft_and_rigid_links_hang_alike_with_either_compliance",
            )],
        },
        Claim {
            part: "Fig. 4",
            scenes: &["dino_rain"],
            faithful: false,
            says: "Four of the forty bodies; with `--full` all of them for 10 s. Every step is taken, its solves \
                   converge, momentum is met, no step gains energy, and every 50th state is free of crossing \
                   triangles.",
            judges: &[rows(Compliance, "dino_rain")],
        },
        Claim {
            part: "Abstract, \"any deformation model\"",
            scenes: &["deformation_models"],
            faithful: false,
            says: "Hexahedra, meshless and plastic bodies, shells and sheets of quadrilaterals end as with the exact \
                   compliance, to 0.2 %. Corrections bring the error estimate of every step below the tolerance, but \
                   of shells of springs under tension not always. Joined bodies move as with factors of the whole \
                   system, to 0.1 mm, and with a rope and a limit to 0.5 mm. For a body that is turned as a whole, \
                   warping is exact.",
            judges: &[
                test("papers::saupin::bodies_of_many_models_move_alike_with_either_compliance"),
                rows(Compliance, "W turned as a whole"),
                test("compliance::any_deformation_model_asks_for_corrections"),
                test("joined_compliance::joined_bodies_fall_alike_where_rows_are_eliminated"),
                test("joined_compliance::ropes_and_limits_act_alike_where_rows_are_eliminated"),
            ],
        },
    ],
    missing: &[
        "the paper's 12 to 67 contacts of chains: it counts all potential contacts that detection finds. Here \
         only pairs that touch are contacts (\"contacts of the problem\")",
    ],
};
