//! The pictures of the gallery: when and from where.

/// A picture of a scene.
pub(super) struct Shot {
    /// Name of the scene, without folder and extension.
    pub(super) scene: &'static str,
    /// Simulated time (s): early, so that a run takes seconds, but not before the scene shows what its title says.
    pub(super) time: f64,
    /// Angles of the eye about the vertical and above the horizon (degrees).
    pub(super) view: [f64; 2],
    /// Width (pixels); less for pictures with many details, which take many bytes.
    pub(super) width: u32,
}

/// A picture from the usual place.
const fn shot(scene: &'static str, time: f64) -> Shot {
    Shot {
        scene,
        time,
        view: [-55.0, 24.0],
        width: 480,
    }
}

impl Shot {
    /// From another place.
    const fn from(mut self, turn: f64, tilt: f64) -> Self {
        self.view = [turn, tilt];
        self
    }

    /// Small.
    const fn small(mut self) -> Self {
        self.width = 320;
        self
    }
}

/// All scenes, by group.
pub(super) const GROUPS: [(&str, &[Shot]); 5] = [
    (
        "Soft bodies",
        &[
            shot("drop_cube", 0.2),
            shot("thrown_cube", 0.1),
            shot("rings", 0.1).small(),
            shot("rings_stiff", 0.175).small(),
            shot("stack", 0.1),
            shot("complex_materials", 0.15),
            shot("tournier_creatures", 0.3),
            shot("tournier_armadillos", 0.4),
            shot("cantilever", 0.3),
            shot("wedge", 0.3).from(-55.0, 55.0),
            shot("verschoor_wedge", 0.3).from(-75.0, 15.0),
            shot("verschoor_strings", 1.4).from(-75.0, 20.0),
            shot("bearing", 0.15),
            shot("pyramid_small", 0.03),
            shot("pyramid", 0.06).small().from(-60.0, 20.0),
            shot("incline", 0.1),
            shot("pinched_ball", 0.2).from(-75.0, 15.0),
            shot("gripped_peg", 0.8).from(-65.0, 20.0),
            shot("bunny_drop", 0.216),
            shot("armadillo_drop", 0.144),
            shot("armadillo_rollers", 0.4),
            // A run of a quarter of an hour.
            shot("bunnies", 0.9).small(),
            shot("dino_rain", 1.6).small(),
        ],
    ),
    (
        "Rigid bodies",
        &[shot("arch", 1.0), shot("rigid_stack", 0.5)],
    ),
    (
        "Cloth",
        &[
            shot("cloth_on_ball", 0.4),
            shot("cloth_over_post", 0.288),
            shot("hanging_cloth", 2.0),
            shot("stiff_cloth_fem", 0.304),
            shot("tournier_sheet", 0.42).from(-40.0, 15.0),
            shot("orthotropic_patch", 1.52),
            shot("trampoline", 0.608),
            shot("tournier_trampoline", 0.5),
            shot("pinched_cloth", 0.2).from(-60.0, 10.0),
        ],
    ),
    (
        "Joints, cables and chains",
        &[
            shot("knee", 2.0),
            shot("tournier_knee", 0.6),
            shot("ragdoll_on_liana", 1.05),
            shot("tournier_ragdoll", 1.0),
            shot("tournier_hinge_chain", 1.0),
            shot("bow_and_arrow", 0.25).from(-75.0, 15.0),
            shot("tournier_bow", 0.3).from(-75.0, 15.0),
            shot("rubber_mount", 0.48),
            shot("tournier_cable", 1.2).from(-75.0, 12.0),
            shot("tournier_load", 2.0).from(-75.0, 12.0),
            shot("cable_crane", 4.0),
            shot("cable_impact", 0.418).from(-75.0, 15.0),
            shot("cable_round_post", 0.024),
            shot("chain_impact", 0.275),
            shot("chain_round_post", 0.9),
            shot("chain_rigid", 1.0),
            shot("rigid_chain_10", 1.0),
            shot("rigid_chain_50", 1.0),
            shot("chain3", 0.9),
            shot("chain3_vertical", 2.0),
            shot("chain5", 1.2),
            shot("chain5_vertical", 0.9),
            shot("mixed_links", 4.0),
            shot("deformation_models", 0.6),
        ],
    ),
    (
        "Asynchronous contact",
        &[
            shot("falling_sheet", 0.14).from(-55.0, 10.0),
            shot("bed_of_nails", 0.04).from(-55.0, 12.0),
            shot("projectiles_on_nails", 0.076),
            shot("particle_and_curtains", 0.25).from(-120.0, 15.0),
            shot("trash_compactor", 0.1).from(-55.0, 80.0),
            shot("harmon_compactor", 0.5).from(-90.0, 70.0),
            shot("harmon_curtains", 0.4).from(-120.0, 15.0),
            shot("harmon_projectiles", 0.12),
            shot("harmon_stack", 0.3).from(-55.0, 12.0),
            shot("harmon_dice", 0.4).from(-55.0, 12.0),
            shot("wrecking_ball", 0.44).from(-70.0, 12.0),
            shot("strings", 0.075),
            shot("reef_knot", 0.2),
            shot("reef_knot_overpulled", 0.016),
        ],
    ),
];
