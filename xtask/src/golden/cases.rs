//! The scenes: shipped ones, reduced by overrides, that together cover every stepper, method, material and kind of
//! body.

/// A short run.
pub(super) struct Case {
    /// Its name.
    pub(super) name: &'static str,
    /// Its scene.
    base: Base,
    /// Further overrides.
    overrides: &'static [&'static str],
    /// Steps of the run.
    pub(super) steps: u64,
    /// Whether its meshes are found through `IMPINGE_DATA`.
    pub(super) data: bool,
    /// Whether its largest contact problem is also solved by every method.
    pub(super) problem: bool,
}

/// A scene file, from the root of the workspace, with `KEY=VALUE` as after `--set`.
#[derive(Clone, Copy)]
struct Base {
    scene: &'static str,
    overrides: &'static [&'static str],
}

const fn shipped(scene: &'static str) -> Base {
    Base {
        scene,
        overrides: &[],
    }
}

const fn case(
    name: &'static str,
    base: Base,
    steps: u64,
    overrides: &'static [&'static str],
) -> Case {
    Case {
        name,
        base,
        overrides,
        steps,
        data: false,
        problem: false,
    }
}

impl Case {
    /// The scene file, from the root of the workspace.
    pub(super) fn scene(&self) -> &'static str {
        self.base.scene
    }

    /// `KEY=VALUE` as after `--set`.
    pub(super) fn overrides(&self) -> Vec<&'static str> {
        [self.base.overrides, self.overrides].concat()
    }

    const fn with_data(self) -> Self {
        Self { data: true, ..self }
    }

    const fn with_problem(self) -> Self {
        Self {
            problem: true,
            ..self
        }
    }
}

/// A soft cube that hits the ground within the first steps.
const CUBE: Base = Base {
    scene: "scenes/drop_cube.toml",
    overrides: &["body.0.position=[0,0,0.082]"],
};

/// A small tower that is shoved: contacts between bodies and with the ground, sticking and sliding.
const SHOVED: Base = Base {
    scene: "scenes/stack.toml",
    overrides: &[
        "body.0.copies.count=3",
        "body.0.mesh.cuboid.cells=[2,2,2]",
        "body.0.velocity=[0.3,0.1,-0.2]",
    ],
};

/// Ten rings that are thrown down, in steps so large that elastic forces follow in the rounds that add contacts.
const THROWN_RINGS: Base = Base {
    scene: "scenes/rings.toml",
    overrides: &[
        "body.0.copies.count=10",
        "body.0.velocity=[0,0,-3]",
        "time.step=0.01",
    ],
};

/// Coarse cloth just above a ball.
const CLOTH: Base = Base {
    scene: "scenes/cloth_on_ball.toml",
    overrides: &[
        "body.0.mesh.grid.cells=[10,10]",
        "body.0.position=[0.02,0.01,0.305]",
        "body.0.velocity=[0,0,-0.5]",
    ],
};

/// A coarse sheet just above a ball.
const SHEET: Base = Base {
    scene: "scenes/falling_sheet.toml",
    overrides: &[
        "body.0.mesh.grid.cells=[12,12]",
        "asynchronous.thickness=0.008",
        "body.0.velocity=[0,0,-2]",
    ],
};

/// Hollow balls between walls that are near.
const COMPACTOR: Base = Base {
    scene: "scenes/trash_compactor.toml",
    overrides: &[
        "body.0.mesh.sphere.subdivisions=2",
        "asynchronous.thickness=0.004",
        "body.0.velocity=[0,0,-0.5]",
    ],
};

/// Four materials, about to collide.
const MATERIALS: Base = Base {
    scene: "scenes/complex_materials.toml",
    overrides: &[
        "body.0.velocity=[0,0,-9]",
        "body.1.position=[0,0,0.103]",
        "body.1.velocity=[0,0,-1]",
        "body.2.velocity=[0,0,-5]",
        "body.3.velocity=[0,0,-7]",
    ],
};

const INCLINE: Base = shipped("scenes/incline.toml");
const KNEE: Base = shipped("scenes/knee.toml");
const POST: Base = shipped("scenes/cable_round_post.toml");
const CHAIN: Base = shipped("scenes/rigid_chain_10.toml");
const HANGING: Base = shipped("scenes/hanging_cloth.toml");
const RINGS: Base = shipped("scenes/chain3.toml");
const JOINTS: Base = shipped("tests/golden/scenes/joints.toml");
const BLOCK: Base = shipped("tests/golden/scenes/asynchronous_solid.toml");

/// All cases.
pub(super) const CASES: &[Case] = &[
    // Solids, one law after the other.
    case(
        "cube/corotational",
        CUBE,
        30,
        &["body.0.velocity=[0.5,0,-1]"],
    )
    .with_problem(),
    case(
        "cube/neo_hookean",
        CUBE,
        30,
        &[
            "body.0.velocity=[0.5,0,-1]",
            "body.0.material.model=neo_hookean",
        ],
    ),
    case(
        "cube/extrapolated",
        CUBE,
        30,
        &[
            "body.0.velocity=[0,0,-6]",
            "body.0.material.model=neo_hookean",
            "body.0.material.extrapolation_below=0.95",
        ],
    ),
    case(
        "cube/st_venant_kirchhoff",
        CUBE,
        30,
        &[
            "body.0.velocity=[0.5,0,-1]",
            "body.0.material.model=st_venant_kirchhoff",
        ],
    ),
    case(
        "cube/plastic",
        CUBE,
        30,
        &[
            "body.0.velocity=[0,0,-3]",
            "body.0.material.yield_stress=3e3",
        ],
    ),
    case(
        "cube/meshless",
        CUBE,
        30,
        &[
            "body.0.velocity=[0.5,0,-1]",
            "body.0.material.meshless=0.045",
        ],
    ),
    case(
        "cube/hexahedra",
        CUBE,
        30,
        &[
            "body.0.velocity=[0.5,0,-1]",
            "body.0.mesh={ hexahedra = { size = [0.1, 0.1, 0.1], cells = [3, 3, 3] } }",
        ],
    ),
    case(
        "cube/damped",
        CUBE,
        30,
        &[
            "body.0.velocity=[0.5,0,-1]",
            "body.0.material.mass_damping=2",
            "body.0.material.stiffness_damping=1e-3",
            "body.0.angular_velocity=[3,5,7]",
        ],
    ),
    case(
        "cube/pulled",
        CUBE,
        30,
        &[
            "body.0.pulls=[{ force = [2, 0, -9] }]",
            "body.0.velocity=[0,0,-1]",
        ],
    ),
    case(
        "cube/thrown",
        shipped("scenes/thrown_cube.toml"),
        3,
        &["body.0.position=[0,0,0.3]", "body.0.velocity=[3,0,-9]"],
    ),
    // Contact methods and their settings.
    case("stack/cr", SHOVED, 16, &[]).with_problem(),
    case("stack/paper", SHOVED, 16, &["solver.tolerances=paper"]),
    case("stack/tight", SHOVED, 16, &["solver.tolerances=tight"]),
    case(
        "stack/without_prediction",
        SHOVED,
        16,
        &["solver.prediction=false"],
    ),
    case(
        "stack/diagonal",
        SHOVED,
        16,
        &["solver.preconditioner=diagonal"],
    ),
    case(
        "stack/evaluated_at_convergence",
        SHOVED,
        16,
        &["solver.evaluation=at_convergence"],
    ),
    case(
        "stack/active-set",
        SHOVED,
        16,
        &["solver.method=active-set"],
    ),
    case(
        "stack/sp-active-set",
        SHOVED,
        16,
        &["solver.method=sp-active-set"],
    ),
    case("stack/sp-2cr", SHOVED, 16, &["solver.method=sp-2cr"]),
    case("stack/ica", SHOVED, 16, &["solver.method=ica"]),
    case(
        "stack/exact-compliance",
        SHOVED,
        16,
        &["solver.method=exact-compliance"],
    ),
    case(
        "stack/exact-compliance_unbuilt",
        SHOVED,
        16,
        &["solver.method=exact-compliance", "solver.delassus=unbuilt"],
    ),
    case(
        "stack/warped-compliance",
        SHOVED,
        16,
        &["solver.method=warped-compliance"],
    ),
    case(
        "stack/warped-compliance_unbuilt",
        SHOVED,
        16,
        &[
            "solver.method=warped-compliance",
            "solver.delassus=unbuilt",
            "solver.momentum_repair=true",
        ],
    ),
    case(
        "stack/warped-compliance_as_published",
        SHOVED,
        16,
        &["solver.method=warped-compliance", "solver.corrections=0"],
    ),
    case(
        "stack/compliant-kkt",
        SHOVED,
        16,
        &["solver.method=compliant-kkt"],
    ),
    case("incline/anchored", INCLINE, 12, &[]),
    case(
        "incline/unanchored",
        INCLINE,
        12,
        &["solver.anchored_contacts=false"],
    ),
    // Many bodies, prescribed motions, rigid bodies.
    case(
        "pyramid",
        shipped("scenes/pyramid_small.toml"),
        24,
        &[
            "body.0.velocity=[0,0,-0.4]",
            "body.1.velocity=[0,0,-0.6]",
            "body.2.velocity=[0,0,-0.8]",
        ],
    ),
    case(
        "strings",
        shipped("scenes/strings.toml"),
        20,
        &[
            "body.1.copies.count=2",
            "body.1.copies.columns=[2,1]",
            "body.0.copies.count=1",
            "body.0.copies.columns=[1,1]",
            "body.0.fixed.0.until=0.01",
        ],
    ),
    case(
        "bearing",
        shipped("scenes/bearing.toml"),
        40,
        &[
            "body.0.mesh.sphere.subdivisions=2",
            "body.0.position=[0.16,0,0.0588]",
        ],
    )
    .with_problem(),
    case("arch", shipped("scenes/arch.toml"), 12, &[]).with_problem(),
    case(
        "wedge",
        shipped("scenes/wedge.toml"),
        10,
        &["body.0.velocity=[0.2,0,-0.1]"],
    )
    .with_problem(),
    case(
        "rigid_stack",
        shipped("scenes/rigid_stack.toml"),
        20,
        &[
            "body.0.velocity=[0.1,0,0]",
            "body.0.angular_velocity=[0,0.05,0]",
        ],
    ),
    // Thin bodies.
    case("rings/large_steps", THROWN_RINGS, 12, &[]).with_problem(),
    case(
        "rings/large_steps_bdf2",
        THROWN_RINGS,
        12,
        &["time.integrator=bdf2"],
    ),
    case("cloth/springs", CLOTH, 10, &[]).with_problem(),
    case(
        "cloth/triangles",
        CLOTH,
        10,
        &[
            "body.0.shell.damping=0",
            "body.0.shell.poisson=0.3",
            "body.0.shell.bend_damping=1e-3",
        ],
    ),
    case(
        "cloth/orthotropic",
        CLOTH,
        10,
        &[
            "body.0.shell.damping=0",
            "body.0.shell.poisson=0.2",
            "body.0.shell.orthotropic={ fibre = [1, 1, 0], across = 100, shear = 50 }",
        ],
    ),
    case(
        "cloth/compliance",
        CLOTH,
        10,
        &[
            "body.0.mesh.grid.cells=[8,8]",
            "body.0.position=[0.02,0.01,0.305]",
            "body.0.velocity=[0,0,-0.5]",
            "body.0.shell.formulation=compliance",
        ],
    ),
    case(
        "stiff_cloth",
        shipped("scenes/stiff_cloth_fem.toml"),
        60,
        &["body.0.mesh.grid.cells=[6,6]"],
    ),
    case(
        "mat",
        shipped("scenes/orthotropic_patch.toml"),
        8,
        &[
            "body.1.position=[0.02,0.01,0.605]",
            "body.1.velocity=[0,0,-1]",
            "body.0.mesh.quadrilaterals.cells=[6,6]",
        ],
    ),
    case(
        "trampoline",
        shipped("scenes/trampoline.toml"),
        8,
        &["body.1.position=[0.1,0,1.26]", "body.1.velocity=[0,0,-2]"],
    )
    .with_problem(),
    // Joints.
    case("bow", shipped("scenes/bow_and_arrow.toml"), 24, &[]),
    case("knee", KNEE, 60, &[]).with_problem(),
    case(
        "knee/cr-multipliers",
        KNEE,
        12,
        &["solver.method=cr-multipliers"],
    ),
    case("ragdoll", shipped("scenes/ragdoll_on_liana.toml"), 40, &[]),
    case("joints", JOINTS, 40, &[]).with_problem(),
    case(
        "joints/soft_bind",
        JOINTS,
        40,
        &["joint.3.compliance=1e-4", "joint.3.formulation=stiffness"],
    ),
    case(
        "mount",
        shipped("scenes/rubber_mount.toml"),
        16,
        &[
            "body.0.velocity=[0.6,0,-0.5]",
            "body.1.velocity=[0.6,0,-0.5]",
        ],
    ),
    case(
        "cable/impact",
        shipped("scenes/cable_impact.toml"),
        12,
        &["body.1.position=[0.03,0,1.145]", "body.1.velocity=[0,0,-2]"],
    ),
    case("cable/post", POST, 8, &[]),
    case(
        "cable/post_unprojected",
        POST,
        8,
        &["solver.joint_stiffness=symmetric"],
    ),
    case("chain/rigid", shipped("scenes/chain_rigid.toml"), 12, &[]),
    // Strains as constraints.
    case("cantilever", shipped("scenes/cantilever.toml"), 8, &[]),
    case("materials/compliance", MATERIALS, 10, &[]),
    case(
        "materials/stiffness",
        MATERIALS,
        10,
        &[
            "body.1.material.formulation=stiffness",
            "body.2.material.formulation=stiffness",
            "body.3.material.formulation=stiffness",
        ],
    ),
    // Constraints only.
    case("constrained/chain", CHAIN, 20, &[]),
    case(
        "constrained/chain_symmetric",
        CHAIN,
        20,
        &["solver.joint_stiffness=symmetric"],
    ),
    case(
        "constrained/chain_plain",
        CHAIN,
        10,
        &["solver.joint_stiffness=none"],
    ),
    case(
        "constrained/crane",
        shipped("scenes/cable_crane.toml"),
        12,
        &[],
    ),
    case("constrained/cloth", HANGING, 8, &[]),
    case(
        "constrained/cloth_triangles",
        HANGING,
        8,
        &["body.0.shell.poisson=0.3"],
    ),
    case(
        "constrained/cloth_stiffness",
        HANGING,
        8,
        &["body.0.shell.formulation=stiffness"],
    ),
    // Asynchronous.
    case("asynchronous/sheet", SHEET, 8, &[]),
    case(
        "asynchronous/sheet_speculative",
        SHEET,
        8,
        &["asynchronous.detection=speculative"],
    ),
    case("asynchronous/compactor", COMPACTOR, 4, &[]),
    case(
        "asynchronous/compactor_speculative",
        COMPACTOR,
        4,
        &["asynchronous.detection=speculative"],
    ),
    case(
        "asynchronous/nails",
        shipped("scenes/bed_of_nails.toml"),
        4,
        &[
            "body.0.mesh.grid.cells=[8,8]",
            "body.1.mesh.grid.cells=[8,8]",
            "body.0.velocity=[0,0,-0.3]",
        ],
    ),
    case("asynchronous/solid", BLOCK, 12, &[]),
    case(
        "asynchronous/solid_speculative",
        BLOCK,
        12,
        &["asynchronous.detection=speculative"],
    ),
    case(
        "asynchronous/knot",
        shipped("scenes/reef_knot.toml"),
        8,
        &[
            "body.0.pulls.0.force=[-0.4,0,0]",
            "body.1.pulls.0.force=[0.4,0,0]",
            "body.0.mesh.file.path=meshes/reef_knot_a_coarse.obj",
            "body.1.mesh.file.path=meshes/reef_knot_b_coarse.obj",
            "asynchronous.thickness=1.2e-3",
        ],
    ),
    case(
        "asynchronous/curtains",
        shipped("scenes/particle_and_curtains.toml"),
        4,
        &[
            "obstacle.0.motion={ velocity = [3, 0, 0], then = [{ at = 0.03, velocity = [1, 0, 0] }] }",
            "body.0.mesh.grid.cells=[6,6]",
            "asynchronous.thickness=0.02",
        ],
    ),
    case("rings/warped", RINGS, 30, &["body.1.velocity=[2,0,0]"]),
    case(
        "rings/exact",
        RINGS,
        30,
        &["body.1.velocity=[2,0,0]", "solver.method=exact-compliance"],
    ),
    case(
        "rings/cr",
        RINGS,
        30,
        &["body.1.velocity=[2,0,0]", "solver.method=cr"],
    )
    .with_problem(),
    // Meshes from files.
    case(
        "dinos",
        shipped("scenes/dino_rain.toml"),
        12,
        &[
            "body.0.copies.count=2",
            "body.0.copies.columns=[1,1]",
            "body.0.position=[0,0,0.6]",
            "body.0.velocity=[0,0,-4]",
        ],
    )
    .with_data(),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_one_word() {
        let names: BTreeSet<&str> = CASES.iter().map(|case| case.name).collect();
        assert_eq!(names.len(), CASES.len());
        assert!(names.iter().all(|name| !name.contains(char::is_whitespace)));
    }
}
