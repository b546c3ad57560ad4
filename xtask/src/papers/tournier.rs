//! Tournier et al. 2015.

use super::claim::{Claim, Judge, Paper, rows, sim_test, test};
use crate::conformance::Layer::Constraints;

pub(super) const PAPER: Paper = Paper {
    title: "Tournier et al. 2015, \"Stable constrained dynamics\"",
    about: "",
    claims: &[
        Claim {
            part: "Fig. 1",
            scenes: &["tournier_trampoline", "trampoline"],
            faithful: true,
            says: "A hard mat on soft springs throws a ball up. Energy falls in every step. Of the coarser \
                   `trampoline`, the ball comes back up.",
            judges: &[
                test("papers::tournier::a_hard_mat_on_soft_springs_throws_a_ball_up"),
                test("scenes::a_trampoline_throws_a_ball_up"),
            ],
        },
        Claim {
            part: "Fig. 1",
            scenes: &["tournier_ragdoll", "ragdoll_on_liana"],
            faithful: true,
            says: "A doll of twelve bodies swings on a liana, in steps of 10 ms. Energy falls, no step is divided, the \
                   liana stays closed, and the eleven hinges of the doll keep their limits. With linearised elasticity \
                   and without geometric stiffness `ragdoll_on_liana` fails.",
            judges: &[
                test("papers::tournier::a_ragdoll_of_twelve_bodies_swings"),
                test("scenes::a_ragdoll_swings_on_a_liana"),
            ],
        },
        Claim {
            part: "Fig. 3, left",
            scenes: &["tournier_cable"],
            faithful: true,
            says: "A weight falls on a cable of ten rods, 1:100, in steps of 40 ms. No step is divided or gains \
                   energy, and rods keep their length. With one linear solve a step, as in the paper, rods stretch by \
                   less than 2 %. Without geometric stiffness a step gains energy, even at 1:1.",
            judges: &[test(
                "papers::tournier::a_cable_of_particles_carries_a_weight_in_steps_of_forty_milliseconds",
            )],
        },
        Claim {
            part: "Fig. 3, right, and Fig. 5",
            scenes: &["chain_rigid"],
            faithful: false,
            says: "Ten bodies on ball joints, the last a thousand times as heavy. Energy falls and joints stay closed; \
                   without geometric stiffness a step gains energy.",
            judges: &[test("papers::tournier::a_chain_with_a_heavy_end_swings")],
        },
        Claim {
            part: "Fig. 3, right, Sec. 4.1, Fig. 4 and Table 1",
            scenes: &[
                "rigid_chain_10",
                "rigid_chain_50",
                "cable_crane",
                "hanging_cloth",
            ],
            faithful: false,
            says: "Chains of 1:1000, a crane's cable and a hanging cloth with the constrained stepper. No step gains \
                   energy beyond rounding; without geometric stiffness a step does, or fails.",
            judges: &[
                sim_test("constrained_scene::shipped_scenes_hold_by_geometric_stiffness"),
                rows(Constraints, "swinging rigid_chain_10"),
                rows(Constraints, "swinging cable_crane"),
                rows(Constraints, "swinging hanging_cloth"),
            ],
        },
        Claim {
            part: "Beyond the paper: an impact on a chain",
            scenes: &["chain_impact"],
            faithful: false,
            says: "Links of 50 g catch a thousand times their mass and throw it up. Until then no step gains a \
                   millionth of the kinetic energy before the catch, and all gains of the whole run are less than a \
                   thousandth of it, also with ropes that do not stretch. Without geometric stiffness a step gains a \
                   hundredth.",
            judges: &[test(
                "papers::tournier::a_chain_catches_a_block_without_a_gain_of_energy",
            )],
        },
        Claim {
            part: "Table 1",
            scenes: &["tournier_load"],
            faithful: false,
            says: "A cable of ten links and 500 kg carries 10 t to 1e15 t in steps of 10 ms, while it swings, and on \
                   systems of the library. Without geometric stiffness it fails beyond 51 t, and the run says \
                   that the step is too long.",
            judges: &[
                test("papers::tournier::a_cable_of_five_hundred_kilograms_carries_any_load"),
                rows(Constraints, "elongation"),
            ],
        },
        Claim {
            part: "Table 2",
            scenes: &["tournier_sheet"],
            faithful: false,
            says: "A stiff sheet falls and swings. With rows in compliance form no step gains energy; with forces \
                   instead, steps do, and MINRES takes more iterations with the full preconditioner, which is not the \
                   paper's. Condition numbers, of systems of the library with other parameters than the paper's: in \
                   compliance form they are at most 1e-9 (springs) or a tenth (triangles) of those in stiffness form, \
                   as the paper says, and all are within a decade of those of an independent prototype.",
            judges: &[
                test("papers::tournier::a_falling_sheet_of_rows_gains_no_energy"),
                test(
                    "papers::tournier::a_falling_sheet_of_forces_gains_energy_and_takes_more_iterations",
                ),
                rows(Constraints, "condition"),
            ],
        },
        Claim {
            part: "Fig. 5",
            scenes: &["chain_rigid"],
            faithful: false,
            says: "At 1:1000 the longest step with geometric stiffness is ten times that without it, or longer: of the \
                   scene with one linear system a step, and of systems of the library, whose strains and gaps of \
                   falling chains of mass ratios 1:1 to 1:1000 are judged too. With the unsymmetric stiffness it is \
                   the same to a factor of two.",
            judges: &[
                test("papers::tournier::geometric_stiffness_allows_longer_steps"),
                rows(Constraints, "falling chain"),
                rows(Constraints, "rigid chain"),
            ],
        },
        Claim {
            part: "Sec. 4.1",
            scenes: &["tournier_hinge_chain"],
            faithful: true,
            says: "Fifty links on hinges with limits. Energy falls, joints stay closed, and hinges reach their limit \
                   of 0.25 rad and keep it; without geometric stiffness a step gains energy.",
            judges: &[test(
                "papers::tournier::a_chain_of_fifty_hinges_keeps_its_limits",
            )],
        },
        Claim {
            part: "Fig. 4 and Fig. 5, the paper's solvers",
            scenes: &["chain_rigid"],
            faithful: false,
            says: "[Solvers of the paper](../methods/stable_constraints.md#solvers-of-the-paper) as settings, on the \
                   chain of Fig. 5, one of five boxes, a rope and a stack of boxes. MINRES and factors give one \
                   motion of either chain to 1e-6 m, and a budget that ends early counts as inexact; projected \
                   Gauss-Seidel alone gives the motion of the combined solver; the unsymmetric stiffness ends within \
                   5 cm of its symmetric part, and neither gains energy; unsupported combinations are named.",
            judges: &[
                test("papers::tournier::minres_moves_the_chain_of_rigid_bodies_as_factors_do"),
                sim_test("solvers_of_rows::minres_moves_as_factors_do_unless_its_budget_ends"),
                sim_test("solvers_of_rows::gauss_seidel_alone_holds_a_rope"),
                sim_test("solvers_of_rows::gauss_seidel_alone_holds_contacts"),
                sim_test("solvers_of_rows::the_unsymmetric_stiffness_acts_as_its_symmetric_part"),
                sim_test("solvers_of_rows::unsupported_combinations_are_named"),
            ],
        },
        Claim {
            part: "Sec. 4.2",
            scenes: &["stiff_cloth_fem"],
            faithful: false,
            says: "Strain rows of 1 GPa in steps of 40 ms. Energy falls, no step is divided, and edges keep their \
                   length to 1 %.",
            judges: &[test(
                "papers::tournier::strains_of_a_stiff_sheet_hold_in_steps_of_forty_milliseconds",
            )],
        },
        Claim {
            part: "Sec. 4.2",
            scenes: &["cantilever"],
            faithful: false,
            says: "Tetrahedra in stiffness and in compliance form sag alike; hexahedra sag more.",
            judges: &[
                test("scenes::cantilevers_of_both_forms_agree"),
                rows(Constraints, "cantilever, corotational: compliance"),
                rows(Constraints, "cantilever, st_venant_kirchhoff: compliance"),
                rows(Constraints, "cantilever, neo_hookean: compliance"),
            ],
        },
        Claim {
            part: "Fig. 6, left",
            scenes: &["orthotropic_patch"],
            faithful: false,
            says: "A patch that is stiff in one direction leans to one side and carries the ball.",
            judges: &[test("scenes::an_orthotropic_patch_leans_and_carries")],
        },
        Claim {
            part: "Fig. 6, right",
            scenes: &[
                "tournier_armadillos",
                "tournier_creatures",
                "complex_materials",
            ],
            faithful: false,
            says: "A rigid, a plastic, a neo-Hookean and a meshless body collide. No step of 4 ms is divided or gains \
                   energy, no element of the plastic and of the neo-Hookean body folds, and the plastic body flows. \
                   [The whole 1.2 s of the armadillos](armadillos.md); rows judge 0.1 s of them, and 0.32 s of \
                   creatures without data. Of `complex_materials`, simple shapes, the plastic body keeps part of \
                   its strain.",
            judges: &[
                Judge::Page("armadillos.md"),
                test("papers::tournier::creatures::four_armadillos_of_different_materials_collide"),
                test("papers::tournier::creatures::four_creatures_of_different_materials_collide"),
                test("scenes::four_materials_collide"),
            ],
        },
        Claim {
            part: "Fig. 7",
            scenes: &["tournier_bow", "bow_and_arrow"],
            faithful: false,
            says: "A bow shoots an arrow. With the frame as constraints or as forces the arrow has the same speed, \
                   and no step gains energy from the release to the end of the run, while the arrow flies and the bow \
                   vibrates. The arrow of `bow_and_arrow` leaves with less energy than the \
                   drawn bow has.",
            judges: &[
                test("papers::tournier::a_stiff_bow_shoots_alike_in_both_forms"),
                test("scenes::a_bow_shoots_an_arrow"),
            ],
        },
        Claim {
            part: "Fig. 8",
            scenes: &["tournier_knee", "knee"],
            faithful: false,
            says: "Bones of simple shapes, ligaments and a tendon attached to two bones by linear blend skinning. A \
                   muscle whose strain limit shortens bends the knee, and no step gains energy. The Lachman test, on \
                   both scenes: a force pulls the shin forward, and farther without the front cruciate ligament.",
            judges: &[
                test("papers::tournier::knee::a_muscle_bends_a_knee"),
                test("papers::tournier::knee::a_knee_without_its_ligament_fails_the_lachman_test"),
                test("scenes::a_knee_without_its_ligament_gives_way"),
            ],
        },
    ],
    missing: &["surfaces of the muscles and ligaments of the knee: pictures show them as lines"],
};
