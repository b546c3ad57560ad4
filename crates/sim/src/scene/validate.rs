//! What the numbers of a scene must fulfil beyond their type.

use super::format::{
    Body, BodyKind, BodyMesh, Copies, Fixed, Formulation, Joint, JointKind, Material,
    MaterialModel, MeshFile, Motion, ObstacleShape, Pull, Region, Rotation, StepperChoice,
};
use super::{Scene, SceneError};

/// Checks the whole scene; the first thing found is the error.
pub(super) fn validate(scene: &Scene) -> Result<(), SceneError> {
    let check = Check { scene };
    check.time()?;
    check.world_and_solver()?;
    check.stepper()?;
    for (index, body) in scene.bodies.iter().enumerate() {
        let path = format!("body.{index}");
        check.body_mesh(&format!("{path}.mesh"), &body.mesh)?;
        check.kind_of_mesh(&path, body)?;
        match body.kind {
            BodyKind::Elastic => check.elastic(&path, body)?,
            BodyKind::Shell => check.shell(&path, body)?,
            BodyKind::Rigid => check.rigid(&path, body)?,
        }
        check.vectors(&path, "position", &body.position)?;
        check.vectors(&path, "velocity", &body.velocity)?;
        check.vectors(&path, "angular_velocity", &body.angular_velocity)?;
        check.placement(&path, body.rotation.as_ref(), body.friction)?;
        for (index, fixed) in body.fixed.iter().enumerate() {
            check.fixed(&format!("{path}.fixed.{index}"), fixed)?;
        }
        for (index, pull) in body.pulls.iter().enumerate() {
            check.pull(&format!("{path}.pulls.{index}"), pull)?;
        }
        if let Some(copies) = &body.copies {
            check.copies(&format!("{path}.copies"), copies)?;
        }
    }
    for (index, obstacle) in scene.obstacles.iter().enumerate() {
        let path = format!("obstacle.{index}");
        if scene.stepper == StepperChoice::Constrained {
            return Err(scene.error_at(
                &path,
                "the constrained stepper knows no contact, so nothing would touch this obstacle",
                "remove it, and hold bodies by `fixed`, `motion` and joints; or use another stepper",
            ));
        }
        check.obstacle_shape(&format!("{path}.shape"), &obstacle.shape)?;
        check.vectors(&path, "position", &obstacle.position)?;
        check.placement(&path, obstacle.rotation.as_ref(), obstacle.friction)?;
        if let Some(motion) = &obstacle.motion {
            check.motion(&format!("{path}.motion"), motion)?;
            if matches!(obstacle.shape, ObstacleShape::HalfSpace { .. }) {
                return Err(scene.error_at(
                    &format!("{path}.motion"),
                    "a half-space stands still",
                    "leave `motion` out, or use a `cuboid` shape as the moving obstacle",
                ));
            }
        }
    }
    for (index, joint) in scene.joints.iter().enumerate() {
        check.joint(&format!("joint.{index}"), joint)?;
    }
    if scene.bodies.is_empty() {
        return Err(scene.error_at(
            "",
            "the scene has no body, so nothing can move",
            "add a [[body]] with a mesh and a material",
        ));
    }
    Ok(())
}

struct Check<'a> {
    scene: &'a Scene,
}

impl Check<'_> {
    fn fail(&self, path: &str, problem: String, mend: &str) -> Result<(), SceneError> {
        Err(self.scene.error_at(path, problem, mend))
    }

    /// Greater than zero. Written so that NaN fails.
    fn positive(&self, path: &str, what: &str, value: f64) -> Result<(), SceneError> {
        if value > 0.0 && value.is_finite() {
            return Ok(());
        }
        self.fail(
            path,
            format!("{what} is {value}, but must be greater than 0"),
            "write a number greater than 0",
        )
    }

    fn not_negative(&self, path: &str, what: &str, value: f64) -> Result<(), SceneError> {
        if value >= 0.0 && value.is_finite() {
            return Ok(());
        }
        self.fail(
            path,
            format!("{what} is {value}, but must not be negative"),
            "write 0 or a greater number",
        )
    }

    fn at_least(&self, path: &str, what: &str, value: u32, least: u32) -> Result<(), SceneError> {
        if value >= least {
            return Ok(());
        }
        self.fail(
            path,
            format!("{what} is {value}, but must be at least {least}"),
            &format!("write {least} or more"),
        )
    }

    fn finite(&self, path: &str, values: &[f64]) -> Result<(), SceneError> {
        match values.iter().find(|value| !value.is_finite()) {
            None => Ok(()),
            Some(value) => self.fail(
                path,
                format!("{value} is not a finite number"),
                "write a finite number",
            ),
        }
    }

    fn vectors(&self, path: &str, key: &str, value: &[f64; 3]) -> Result<(), SceneError> {
        self.finite(&format!("{path}.{key}"), value)
    }

    fn direction(&self, path: &str, what: &str, value: &[f64; 3]) -> Result<(), SceneError> {
        self.finite(path, value)?;
        if value.iter().any(|&component| component != 0.0) {
            return Ok(());
        }
        self.fail(
            path,
            format!("{what} has no direction: all of it is 0"),
            "write a vector of any length but 0, for example [0, 0, 1]",
        )
    }

    fn time(&self) -> Result<(), SceneError> {
        let time = &self.scene.time;
        self.positive("time.step", "the time step (s)", time.step)?;
        self.positive("time.duration", "the duration (s)", time.duration)?;
        // Half a step of slack: a duration of one step must not fail for its last bit.
        if time.duration < 0.5 * time.step {
            return self.fail(
                "time.duration",
                format!(
                    "the duration {} s is shorter than one step of {} s",
                    time.duration, time.step
                ),
                "make the duration longer or the step shorter",
            );
        }
        if let Some(minimum) = time.minimum_step {
            self.positive("time.minimum_step", "the shortest step (s)", minimum)?;
            if minimum > time.step {
                return self.fail(
                    "time.minimum_step",
                    format!(
                        "the shortest step {minimum} s is longer than the step {} s",
                        time.step
                    ),
                    "make it equal to `step` (no subdivision) or smaller",
                );
            }
        }
        Ok(())
    }

    fn world_and_solver(&self) -> Result<(), SceneError> {
        let Scene {
            world,
            solver,
            output,
            ..
        } = self.scene;
        self.finite("world.gravity", &world.gravity)?;
        self.not_negative("world.friction", "the friction coefficient", world.friction)?;
        for (key, value) in [
            ("momentum_tolerance", solver.momentum_tolerance),
            ("gap_tolerance", solver.gap_tolerance),
            ("slip_tolerance", solver.slip_tolerance),
        ] {
            if let Some(value) = value {
                self.positive(&format!("solver.{key}"), &format!("`{key}`"), value)?;
            }
        }
        if let Some(count) = solver.max_iterations {
            self.at_least("solver.max_iterations", "`max_iterations`", count, 1)?;
        }
        if let Some(time) = output.settled_after {
            self.not_negative("output.settled_after", "`settled_after` (s)", time)?;
        }
        self.at_least("output.every", "`every`", output.every, 1)
    }

    /// A joint: the keys of its kind, and their values.
    fn joint(&self, path: &str, joint: &Joint) -> Result<(), SceneError> {
        self.vectors(path, "anchor", &joint.anchor)?;
        self.not_negative(
            &format!("{path}.compliance"),
            "the compliance (m/N)",
            joint.compliance,
        )?;
        if let Some(length) = joint.length {
            self.positive(&format!("{path}.length"), "the length (m)", length)?;
        }
        if let Some(reach) = joint.reach {
            self.positive(&format!("{path}.reach"), "the reach (m)", reach)?;
        }
        self.joint_keys(path, joint)?;
        for (index, via) in joint.via.iter().enumerate() {
            self.vectors(&format!("{path}.via.{index}"), "at", &via.at)?;
        }
        if let Some(axis) = &joint.axis {
            self.direction(&format!("{path}.axis"), "the axis", axis)?;
        }
        if let Some(end) = &joint.end {
            self.vectors(path, "end", end)?;
        }
        if let Some(limits) = &joint.limits {
            self.finite(&format!("{path}.limits"), limits)?;
            if limits[0] > limits[1] {
                return self.fail(
                    &format!("{path}.limits"),
                    format!("the limits {} … {} leave no room", limits[0], limits[1]),
                    "write the lower one first",
                );
            }
        }
        Ok(())
    }

    /// Which keys belong to which kind of joint.
    fn joint_keys(&self, path: &str, joint: &Joint) -> Result<(), SceneError> {
        let is_link = matches!(joint.kind, JointKind::Link | JointKind::Rope);
        let turns_about = matches!(joint.kind, JointKind::Hinge | JointKind::Slider);
        let binds = joint.kind == JointKind::Bind;
        if binds && joint.second.is_none() {
            return self.fail(
                path,
                "`second` is missing for a bind".to_owned(),
                "name the body that nodes of `first` are bound to; `fixed` holds them to the world",
            );
        }
        for (key, given, wanted, kinds) in [
            ("reach", joint.reach.is_some(), binds, "a bind"),
            ("end", joint.end.is_some(), is_link, "a link or rope"),
            (
                "axis",
                joint.axis.is_some(),
                turns_about,
                "a hinge or slider",
            ),
        ] {
            if given != wanted {
                let verb = if given {
                    "belongs to"
                } else {
                    "is missing for"
                };
                return self.fail(
                    path,
                    format!("`{key}` {verb} {kinds}"),
                    "see the kinds of joints in the schema: `impinge scene schema`",
                );
            }
        }
        if joint.limits.is_some() && !turns_about {
            return self.fail(
                &format!("{path}.limits"),
                "`limits` belong to a hinge or slider".to_owned(),
                "leave them out",
            );
        }
        if joint.length.is_some() && !is_link {
            return self.fail(
                &format!("{path}.length"),
                "`length` belongs to a link or rope".to_owned(),
                "leave it out",
            );
        }
        if joint.contact && joint.second.is_none() {
            return self.fail(
                &format!("{path}.contact"),
                "`contact` belongs to a joint of two bodies: bodies may touch what they are not joined to".to_owned(),
                "leave it out",
            );
        }
        let yields = is_link || binds || joint.kind == JointKind::Ball;
        if joint.compliance > 0.0 && !yields {
            return self.fail(
                &format!("{path}.compliance"),
                "`compliance` belongs to a ball, link, rope or bind".to_owned(),
                "leave it out",
            );
        }
        if !joint.via.is_empty() && joint.kind != JointKind::Rope {
            return self.fail(
                &format!("{path}.via"),
                "`via` belongs to a rope".to_owned(),
                "leave it out, or write kind = \"rope\"",
            );
        }
        if joint.formulation == Some(Formulation::Stiffness) && joint.compliance <= 0.0 {
            return self.fail(
                &format!("{path}.formulation"),
                "without `compliance` a joint is hard and has no stiffness".to_owned(),
                "leave `formulation` out, or give the joint a compliance (m/N)",
            );
        }
        Ok(())
    }

    /// The stepper and its table.
    fn stepper(&self) -> Result<(), SceneError> {
        let Scene {
            stepper,
            asynchronous,
            ..
        } = self.scene;
        let Some(settings) = asynchronous else {
            return match stepper {
                StepperChoice::Synchronous | StepperChoice::Constrained => Ok(()),
                StepperChoice::Asynchronous => self.fail(
                    "stepper",
                    "the asynchronous stepper needs to know the thickness of its layers".to_owned(),
                    "add a table [asynchronous] with thickness = ... (m)",
                ),
            };
        };
        if *stepper != StepperChoice::Asynchronous {
            return self.fail(
                "asynchronous",
                "this table means something to the asynchronous stepper only".to_owned(),
                "add stepper = \"asynchronous\" at the top of the file, or remove the table",
            );
        }
        self.positive(
            "asynchronous.thickness",
            "the thickness of the first layer (m)",
            settings.thickness,
        )?;
        if let Some(stiffness) = settings.stiffness {
            self.positive(
                "asynchronous.stiffness",
                "the stiffness of the first layer (N/m)",
                stiffness,
            )?;
        }
        self.positive(
            "asynchronous.longest_period",
            "the longest period (s)",
            settings.longest_period,
        )?;
        self.positive(
            "asynchronous.most_ticks",
            "the number of ticks per second (1/s)",
            settings.most_ticks,
        )?;
        if !(0.0..=1.0).contains(&settings.restitution) {
            return self.fail(
                "asynchronous.restitution",
                format!(
                    "the coefficient of restitution is {}, but must be from 0 to 1",
                    settings.restitution
                ),
                "write 1 for impacts without loss, 0 for none that bounces",
            );
        }
        match settings.layer_step {
            Some(step) if !(step > 0.0 && step <= 0.2) => self.fail(
                "asynchronous.layer_step",
                format!("the step of a layer is {step}, but must be above 0 and at most 0.2"),
                "leave it out, or write for example 0.05: beyond 0.2 every bounce gains energy",
            ),
            _ => Ok(()),
        }
    }

    /// Whether this kind of body can have this mesh under this stepper.
    fn kind_of_mesh(&self, path: &str, body: &Body) -> Result<(), SceneError> {
        let flat = matches!(
            body.mesh,
            BodyMesh::Grid { .. } | BodyMesh::Quadrilaterals { .. } | BodyMesh::Strip { .. }
        );
        if flat && body.kind != BodyKind::Shell {
            return self.fail(
                &format!("{path}.mesh"),
                "a grid, quadrilaterals or a strip have no volume, but this body needs one"
                    .to_owned(),
                "make it thin with kind = \"shell\", or use a `sheet`",
            );
        }
        if body.shell.is_some() && body.kind != BodyKind::Shell {
            return self.fail(
                &format!("{path}.shell"),
                "`shell` belongs to thin bodies".to_owned(),
                "make it thin with kind = \"shell\", or leave `shell` out",
            );
        }
        match (self.scene.stepper, body.kind) {
            (StepperChoice::Constrained, BodyKind::Elastic) => self.fail(
                &format!("{path}.kind"),
                "the constrained stepper does not know solids that deform".to_owned(),
                "make it rigid or a shell, or use the synchronous stepper",
            ),
            (StepperChoice::Constrained, BodyKind::Shell)
                if body.shell.is_some_and(|shell| shell.bend > 0.0) =>
            {
                self.fail(
                    &format!("{path}.shell.bend"),
                    "the constrained stepper does not know bending".to_owned(),
                    "leave `bend` out, or use the synchronous stepper",
                )
            }
            (StepperChoice::Asynchronous, BodyKind::Elastic)
                if matches!(body.mesh, BodyMesh::Hexahedra { .. })
                    || body.material.is_some_and(|material| {
                        material.formulation.is_some()
                            || material.yield_stress.is_some()
                            || material.meshless.is_some()
                    }) =>
            {
                self.fail(
                    path,
                    "the asynchronous stepper knows tetrahedra that spring back, in one form only"
                        .to_owned(),
                    "leave `formulation`, `yield_stress` and `meshless` out and write a `cuboid`, or use the synchronous stepper",
                )
            }
            (StepperChoice::Asynchronous, BodyKind::Shell)
                if matches!(body.mesh, BodyMesh::Quadrilaterals { .. })
                    || body.shell.is_some_and(|shell| shell.orthotropic.is_some()) =>
            {
                self.fail(
                    path,
                    "the asynchronous stepper knows neither quadrilaterals nor orthotropic thin bodies"
                        .to_owned(),
                    "write a `grid` and leave `orthotropic` out, or use the synchronous stepper",
                )
            }
            (StepperChoice::Asynchronous, BodyKind::Shell)
                if body.shell.is_some_and(|shell| shell.formulation.is_some()) =>
            {
                self.fail(
                    &format!("{path}.shell.formulation"),
                    "the asynchronous stepper solves no equations, so there are no two forms of them"
                        .to_owned(),
                    "leave `formulation` out, or use the synchronous stepper",
                )
            }
            (StepperChoice::Asynchronous, BodyKind::Rigid) if body.motion.is_none() => self.fail(
                &format!("{path}.kind"),
                "the asynchronous stepper does not know rigid bodies that forces move".to_owned(),
                "make it elastic or a shell, give it a `motion`, or use the synchronous stepper",
            ),
            (StepperChoice::Asynchronous | StepperChoice::Constrained, _)
                if let Some(fixed) = body.fixed.iter().position(|fixed| fixed.until.is_some()) =>
            {
                self.fail(
                    &format!("{path}.fixed.{fixed}.until"),
                    "only the synchronous stepper can let go of nodes".to_owned(),
                    "leave `until` out, or use the synchronous stepper",
                )
            }
            _ => Ok(()),
        }
    }

    fn shell(&self, path: &str, body: &Body) -> Result<(), SceneError> {
        for (key, given) in [
            ("density", body.density.is_some()),
            ("mass", body.mass.is_some()),
            ("motion", body.motion.is_some()),
            ("material", body.material.is_some()),
        ] {
            if given {
                return self.fail(
                    &format!("{path}.{key}"),
                    format!("`{key}` does not belong to a thin body"),
                    "leave it out; `shell` says what a thin body is made of, `fixed` moves its points",
                );
            }
        }
        let Some(shell) = &body.shell else {
            return self.fail(
                path,
                "a thin body needs a `shell`".to_owned(),
                "add shell = { stretch = ..., bend = ..., density = ... } (N/m, J, kg/m²)",
            );
        };
        let path = format!("{path}.shell");
        self.not_negative(&format!("{path}.stretch"), "`stretch` (N/m)", shell.stretch)?;
        self.not_negative(&format!("{path}.bend"), "`bend` (J)", shell.bend)?;
        self.not_negative(&format!("{path}.damping"), "`damping` (s)", shell.damping)?;
        let what = "`bend_damping` (s)";
        self.not_negative(&format!("{path}.bend_damping"), what, shell.bend_damping)?;
        let what = "the mass per area (kg/m²)";
        self.positive(&format!("{path}.density"), what, shell.density)?;
        if let Some(of) = &shell.orthotropic {
            let path = format!("{path}.orthotropic");
            self.direction(&format!("{path}.fibre"), "the fibre", &of.fibre)?;
            self.positive(&format!("{path}.across"), "`across` (N/m)", of.across)?;
            self.positive(&format!("{path}.shear"), "`shear` (N/m)", of.shear)?;
        }
        let of_strains =
            shell.orthotropic.is_some() || matches!(body.mesh, BodyMesh::Quadrilaterals { .. });
        if of_strains && shell.poisson.is_none() {
            return self.fail(
                &path,
                "quadrilaterals and orthotropic bodies resist every strain, so they need `poisson`"
                    .to_owned(),
                "write for example poisson = 0.3",
            );
        }
        match shell.poisson {
            Some(poisson) if !(0.0..1.0).contains(&poisson) => self.fail(
                &format!("{path}.poisson"),
                format!("Poisson's ratio is {poisson}, but must be at least 0 and below 1"),
                "write for example 0.3, or leave it out",
            ),
            Some(_) if shell.damping > 0.0 => self.fail(
                &format!("{path}.damping"),
                "`damping` acts along edges, which have springs only without `poisson`".to_owned(),
                "leave one of the two out",
            ),
            _ => Ok(()),
        }
    }

    fn elastic(&self, path: &str, body: &Body) -> Result<(), SceneError> {
        for (key, given) in [
            ("density", body.density.is_some()),
            ("mass", body.mass.is_some()),
        ] {
            if given {
                return self.fail(
                    &format!("{path}.{key}"),
                    format!("`{key}` belongs to rigid bodies, but this one is elastic"),
                    "write the density into its `material`, or make it rigid with kind = \"rigid\"",
                );
            }
        }
        if body.motion.is_some() {
            return self.fail(
                &format!("{path}.motion"),
                "`motion` moves a rigid body, but this one is elastic".to_owned(),
                "write `fixed` with a `motion` for its nodes, or make it rigid with kind = \"rigid\"",
            );
        }
        match &body.material {
            Some(material) => {
                if material.meshless.is_some() && matches!(body.mesh, BodyMesh::Hexahedra { .. }) {
                    return self.fail(
                        &format!("{path}.material.meshless"),
                        "a body of hexahedra is not without elements".to_owned(),
                        "leave `meshless` out, or write a `cuboid`",
                    );
                }
                self.material(&format!("{path}.material"), material)
            }
            None => self.fail(
                path,
                "an elastic body needs a `material`".to_owned(),
                "add material = { young = ..., poisson = ..., density = ... }, or make it rigid with kind = \"rigid\"",
            ),
        }
    }

    fn rigid(&self, path: &str, body: &Body) -> Result<(), SceneError> {
        if body.material.is_some() {
            return self.fail(
                &format!("{path}.material"),
                "a rigid body does not deform, so it has no `material`".to_owned(),
                "leave `material` out, and write `density` (kg/m³) or `mass` (kg) beside `mesh`",
            );
        }
        if !body.fixed.is_empty() {
            return self.fail(
                &format!("{path}.fixed"),
                "a rigid body moves as a whole, so no part of it can be `fixed`".to_owned(),
                "leave `fixed` out; `motion` moves the whole body",
            );
        }
        if !body.pulls.is_empty() {
            return self.fail(
                &format!("{path}.pulls"),
                "`pulls` act on nodes of elastic and thin bodies".to_owned(),
                "leave `pulls` out, or make the body elastic",
            );
        }
        if let Some(density) = body.density {
            let path = format!("{path}.density");
            self.positive(&path, "the density (kg/m³)", density)?;
        }
        if let Some(mass) = body.mass {
            self.positive(&format!("{path}.mass"), "the mass (kg)", mass)?;
        }
        let Some(motion) = &body.motion else {
            return match (body.density, body.mass) {
                (Some(_), Some(_)) => self.fail(
                    &format!("{path}.mass"),
                    "both `density` and `mass` are given".to_owned(),
                    "write only one of them",
                ),
                (None, None) => self.fail(
                    path,
                    "a rigid body needs a mass".to_owned(),
                    "add `density` (kg/m³) or `mass` (kg), or a `motion` that moves it",
                ),
                _ => Ok(()),
            };
        };
        self.motion(&format!("{path}.motion"), motion)?;
        let moves = |velocity: &[f64; 3]| velocity.iter().any(|v| v.abs() > 0.0);
        for (key, given) in [
            ("density", body.density.is_some()),
            ("mass", body.mass.is_some()),
            ("velocity", moves(&body.velocity)),
            ("angular_velocity", moves(&body.angular_velocity)),
        ] {
            if given {
                return self.fail(
                    &format!("{path}.{key}"),
                    format!("`{key}` means nothing for a body that follows a `motion`"),
                    "leave one of the two out",
                );
            }
        }
        Ok(())
    }

    fn material(&self, path: &str, material: &Material) -> Result<(), SceneError> {
        self.positive(
            &format!("{path}.young"),
            "Young's modulus (Pa)",
            material.young,
        )?;
        if !(0.0..0.5).contains(&material.poisson) {
            return self.fail(
                &format!("{path}.poisson"),
                format!(
                    "Poisson's ratio is {}, but must be at least 0 and below 0.5",
                    material.poisson
                ),
                "write for example 0.2 (foam), 0.3 (metal) or 0.45 (nearly incompressible)",
            );
        }
        self.positive(
            &format!("{path}.density"),
            "the density (kg/m³)",
            material.density,
        )?;
        self.not_negative(
            &format!("{path}.mass_damping"),
            "`mass_damping` (1/s)",
            material.mass_damping,
        )?;
        self.not_negative(
            &format!("{path}.stiffness_damping"),
            "`stiffness_damping` (s)",
            material.stiffness_damping,
        )?;
        if let Some(radius) = material.meshless {
            self.positive(&format!("{path}.meshless"), "the radius (m)", radius)?;
        }
        let Some(stress) = material.yield_stress else {
            return Ok(());
        };
        if material.model != MaterialModel::Corotational {
            return self.fail(
                &format!("{path}.yield_stress"),
                "only a corotational material can flow".to_owned(),
                "leave `yield_stress` or `model` out",
            );
        }
        self.positive(
            &format!("{path}.yield_stress"),
            "the yield stress (Pa)",
            stress,
        )
    }

    fn mesh_file(&self, path: &str, file: &MeshFile) -> Result<(), SceneError> {
        self.positive(&format!("{path}.scale"), "the scale", file.scale)
    }

    fn lengths(&self, path: &str, what: &str, values: &[f64]) -> Result<(), SceneError> {
        values
            .iter()
            .try_for_each(|&value| self.positive(path, what, value))
    }

    fn cells(&self, path: &str, values: &[u32], least: u32) -> Result<(), SceneError> {
        for &value in values {
            self.at_least(path, "this count", value, least)?;
            // A typing error must not fill the memory: 500³ cells are already 750 million elements.
            if value > 500 {
                return self.fail(
                    path,
                    format!("{value} divisions are more than the 500 allowed"),
                    "use a coarser mesh, or a mesh file",
                );
            }
        }
        Ok(())
    }

    fn body_mesh(&self, path: &str, mesh: &BodyMesh) -> Result<(), SceneError> {
        match mesh {
            BodyMesh::Ring {
                major_radius,
                section,
                segments,
            } => self.ring(&format!("{path}.ring"), *major_radius, *section, *segments),
            BodyMesh::Cuboid { size, cells } => {
                self.lengths(&format!("{path}.cuboid.size"), "a side length (m)", size)?;
                self.cells(&format!("{path}.cuboid.cells"), cells, 1)
            }
            BodyMesh::Hexahedra { size, cells } => {
                self.lengths(&format!("{path}.hexahedra.size"), "a side length (m)", size)?;
                self.cells(&format!("{path}.hexahedra.cells"), cells, 1)
            }
            BodyMesh::Sphere {
                radius,
                subdivisions,
            } => {
                self.positive(&format!("{path}.sphere.radius"), "the radius (m)", *radius)?;
                self.cells(&format!("{path}.sphere.subdivisions"), &[*subdivisions], 1)
            }
            BodyMesh::Cylinder {
                radius,
                height,
                rings,
                layers,
            } => {
                self.cylinder(path, *radius, *height)?;
                self.cells(&format!("{path}.cylinder.rings"), &[*rings], 1)?;
                self.cells(&format!("{path}.cylinder.layers"), &[*layers], 1)
            }
            BodyMesh::Sheet {
                size,
                thickness,
                cells,
            } => {
                self.lengths(&format!("{path}.sheet.size"), "a side length (m)", size)?;
                self.positive(
                    &format!("{path}.sheet.thickness"),
                    "the thickness (m)",
                    *thickness,
                )?;
                self.cells(&format!("{path}.sheet.cells"), cells, 1)
            }
            BodyMesh::Grid { size, cells } => {
                self.lengths(&format!("{path}.grid.size"), "a side length (m)", size)?;
                self.cells(&format!("{path}.grid.cells"), cells, 1)
            }
            BodyMesh::Quadrilaterals { size, cells } => {
                let path = format!("{path}.quadrilaterals");
                self.lengths(&format!("{path}.size"), "a side length (m)", size)?;
                self.cells(&format!("{path}.cells"), cells, 1)
            }
            BodyMesh::Strip {
                points,
                across,
                width,
                spacing,
            } => self.strip(&format!("{path}.strip"), points, across, *width, *spacing),
            BodyMesh::Voussoir {
                inner_radius,
                outer_radius,
                degrees,
                depth,
            } => {
                let path = format!("{path}.voussoir");
                for (key, length) in [
                    ("inner_radius", *inner_radius),
                    ("outer_radius", *outer_radius),
                    ("depth", *depth),
                ] {
                    self.positive(&format!("{path}.{key}"), &format!("`{key}` (m)"), length)?;
                }
                if outer_radius <= inner_radius {
                    return self.fail(
                        &format!("{path}.outer_radius"),
                        format!("the outer radius {outer_radius} m is not above the inner one, {inner_radius} m"),
                        "exchange the two or correct one of them",
                    );
                }
                if !(*degrees > 0.0 && *degrees < 180.0) {
                    return self.fail(
                        &format!("{path}.degrees"),
                        format!("the angle of the block is {degrees} degrees, but must be above 0 and below 180"),
                        "write for example 12, which makes an arch of fifteen blocks",
                    );
                }
                Ok(())
            }
            BodyMesh::File(file) => self.mesh_file(&format!("{path}.file"), file),
            BodyMesh::Filled(filled) => {
                self.mesh_file(&format!("{path}.filled"), &filled.file())?;
                self.positive(&format!("{path}.filled.size"), "the size (m)", filled.size)
            }
        }
    }

    fn ring(
        &self,
        path: &str,
        major_radius: f64,
        section: f64,
        segments: u32,
    ) -> Result<(), SceneError> {
        self.positive(&format!("{path}.section"), "the section (m)", section)?;
        let radius = format!("{path}.major_radius");
        self.positive(&radius, "the major radius (m)", major_radius)?;
        if major_radius <= 0.5 * section {
            return self.fail(
                &radius,
                format!("the major radius {major_radius} m leaves no hole in a ring of section {section} m"),
                "make it greater than half of the section",
            );
        }
        let path = format!("{path}.segments");
        self.at_least(&path, "`segments`", segments, 3)?;
        self.cells(&path, &[segments], 3)
    }

    fn strip(
        &self,
        path: &str,
        points: &[[f64; 3]],
        across: &[f64; 3],
        width: f64,
        spacing: f64,
    ) -> Result<(), SceneError> {
        let count = u32::try_from(points.len()).unwrap_or(u32::MAX);
        self.at_least(&format!("{path}.points"), "the number of points", count, 2)?;
        for (index, point) in points.iter().enumerate() {
            self.finite(&format!("{path}.points.{index}"), point)?;
        }
        self.direction(&format!("{path}.across"), "the direction across", across)?;
        self.positive(&format!("{path}.width"), "the width (m)", width)?;
        self.positive(&format!("{path}.spacing"), "the spacing (m)", spacing)
    }

    fn obstacle_shape(&self, path: &str, shape: &ObstacleShape) -> Result<(), SceneError> {
        match shape {
            ObstacleShape::HalfSpace { point, normal } => {
                self.finite(&format!("{path}.half_space.point"), point)?;
                self.direction(&format!("{path}.half_space.normal"), "the normal", normal)
            }
            ObstacleShape::Sphere {
                radius,
                subdivisions,
            } => {
                self.positive(&format!("{path}.sphere.radius"), "the radius (m)", *radius)?;
                self.cells(&format!("{path}.sphere.subdivisions"), &[*subdivisions], 1)
            }
            ObstacleShape::Cylinder {
                radius,
                height,
                sides,
            } => {
                self.cylinder(path, *radius, *height)?;
                self.at_least(&format!("{path}.cylinder.sides"), "`sides`", *sides, 3)
            }
            ObstacleShape::Cuboid { size } => {
                self.lengths(&format!("{path}.cuboid.size"), "a side length (m)", size)
            }
            ObstacleShape::Torus {
                major_radius,
                minor_radius,
                sides,
                tube_sides,
            } => {
                let path = format!("{path}.torus");
                let minor = format!("{path}.minor_radius");
                self.positive(&minor, "the minor radius (m)", *minor_radius)?;
                let major = format!("{path}.major_radius");
                self.positive(&major, "the major radius (m)", *major_radius)?;
                if major_radius <= minor_radius {
                    return self.fail(
                        &major,
                        format!("the major radius {major_radius} m leaves no hole in a tube of radius {minor_radius} m"),
                        "make it greater than the minor radius",
                    );
                }
                self.at_least(&format!("{path}.sides"), "`sides`", *sides, 3)?;
                self.at_least(
                    &format!("{path}.tube_sides"),
                    "`tube_sides`",
                    *tube_sides,
                    3,
                )
            }
            ObstacleShape::File(file) => self.mesh_file(&format!("{path}.file"), file),
        }
    }

    fn cylinder(&self, path: &str, radius: f64, height: f64) -> Result<(), SceneError> {
        self.positive(&format!("{path}.cylinder.radius"), "the radius (m)", radius)?;
        self.positive(&format!("{path}.cylinder.height"), "the height (m)", height)
    }

    fn placement(
        &self,
        path: &str,
        rotation: Option<&Rotation>,
        friction: Option<f64>,
    ) -> Result<(), SceneError> {
        if let Some(rotation) = rotation {
            self.direction(&format!("{path}.rotation.axis"), "the axis", &rotation.axis)?;
            self.finite(&format!("{path}.rotation.degrees"), &[rotation.degrees])?;
        }
        match friction {
            None => Ok(()),
            Some(friction) => self.not_negative(
                &format!("{path}.friction"),
                "the friction coefficient",
                friction,
            ),
        }
    }

    fn motion(&self, path: &str, motion: &Motion) -> Result<(), SceneError> {
        self.vectors(path, "velocity", &motion.velocity)?;
        self.vectors(path, "angular_velocity", &motion.angular_velocity)?;
        match &motion.center {
            None => Ok(()),
            Some(center) => self.vectors(path, "center", center),
        }
    }

    fn pull(&self, path: &str, pull: &Pull) -> Result<(), SceneError> {
        if self.scene.stepper == StepperChoice::Constrained {
            return self.fail(
                path,
                "the constrained stepper does not know `pulls`".to_owned(),
                "remove the entry, or use another stepper",
            );
        }
        self.vectors(path, "force", &pull.force)?;
        self.region(path, pull.region.as_ref())
    }

    fn region(&self, path: &str, region: Option<&Region>) -> Result<(), SceneError> {
        let Some(region) = region else {
            return Ok(());
        };
        self.finite(&format!("{path}.box.lower"), &region.lower)?;
        self.finite(&format!("{path}.box.upper"), &region.upper)?;
        if (0..3).any(|axis| region.lower[axis] > region.upper[axis]) {
            return self.fail(
                &format!("{path}.box"),
                "`lower` exceeds `upper`, so the box is empty".to_owned(),
                "exchange the coordinates that are the wrong way round",
            );
        }
        Ok(())
    }

    fn fixed(&self, path: &str, fixed: &Fixed) -> Result<(), SceneError> {
        self.region(path, fixed.region.as_ref())?;
        if let Some(until) = fixed.until {
            self.positive(&format!("{path}.until"), "`until`", until)?;
            if self.scene.solver.rest_compliance.is_some() {
                return self.fail(
                    &format!("{path}.until"),
                    "the compliance at rest is stored for one set of fixed nodes".to_owned(),
                    "leave out `until`, or `solver.rest_compliance`",
                );
            }
        }
        match &fixed.motion {
            None => Ok(()),
            Some(motion) => self.motion(&format!("{path}.motion"), motion),
        }
    }

    fn copies(&self, path: &str, copies: &Copies) -> Result<(), SceneError> {
        self.at_least(&format!("{path}.count"), "`count`", copies.count, 1)?;
        for columns in copies.columns {
            self.at_least(
                &format!("{path}.columns"),
                "the number of columns",
                columns,
                1,
            )?;
        }
        if copies.columns[0].checked_mul(copies.columns[1]).is_none() {
            return self.fail(
                &format!("{path}.columns"),
                "there are more columns than can be counted".to_owned(),
                "write smaller numbers",
            );
        }
        if let Some(turn) = &copies.turn {
            let turned = format!("{path}.turn");
            self.direction(&format!("{turned}.axis"), "the axis", &turn.axis)?;
            self.finite(&format!("{turned}.degrees"), &[turn.degrees])?;
            if let Some(center) = &turn.center {
                self.vectors(&turned, "center", center)?;
            }
            let gridded = copies.columns != [1, 1] || copies.spacing.is_some();
            if gridded || copies.random_rotation {
                return self.fail(
                    &turned,
                    "`turn` places all copies, so columns, spacing and random rotations have no place".to_owned(),
                    "leave `columns`, `spacing` and `random_rotation` out, or `turn`",
                );
            }
        }
        match &copies.spacing {
            None => Ok(()),
            Some(spacing) => self.lengths(
                &format!("{path}.spacing"),
                "the distance of neighbours (m)",
                spacing,
            ),
        }
    }
}
