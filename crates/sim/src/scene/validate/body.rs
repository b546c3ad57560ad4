//! Bodies of every kind, and their materials.

use super::Check;
use crate::scene::format::{
    Body, BodyKind, BodyMesh, Detection, Material, MaterialModel, Shell, StepperChoice,
};

impl Check<'_> {
    /// Checks that this kind of body can have this mesh with this stepper.
    pub(super) fn kind_of_mesh(&self, path: &str, body: &Body) {
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
        if matches!(body.mesh, BodyMesh::Sheet { .. }) && body.kind == BodyKind::Shell {
            return self.fail(
                &format!("{path}.mesh"),
                "a `sheet` is a solid plate: as a thin body it would be hollow, its two sides and its rim without \
                 anything between them"
                    .to_owned(),
                "write `grid` with the same `size` and two `cells` for a thin body; or leave `kind` and `shell` out \
                 and give it a `material`",
            );
        }
        if body.shell.is_some() && body.kind != BodyKind::Shell {
            return self.fail(
                &format!("{path}.shell"),
                "`shell` belongs to thin bodies".to_owned(),
                "make it thin with kind = \"shell\", or leave `shell` out",
            );
        }
        self.body_of_stepper(path, body);
    }

    /// Names the keys of a thin body that the constrained stepper does not support.
    fn shell_of_rows(&self, path: &str, shell: &Shell) {
        for (key, value, what) in [
            ("bend", shell.bend, "bending"),
            ("mass_damping", shell.mass_damping, "`mass_damping`"),
        ] {
            if value > 0.0 {
                self.fail(
                    &format!("{path}.shell.{key}"),
                    format!("the constrained stepper does not support {what}"),
                    &format!("leave `{key}` out, or use the synchronous stepper"),
                );
            }
        }
    }

    /// Checks that the stepper supports the body.
    fn body_of_stepper(&self, path: &str, body: &Body) {
        if let (StepperChoice::Constrained, Some(shell)) = (self.scene.stepper, &body.shell) {
            self.shell_of_rows(path, shell);
        }
        match (self.scene.stepper, body.kind) {
            (StepperChoice::Constrained, BodyKind::Elastic) => self.fail(
                &format!("{path}.kind"),
                "the constrained stepper does not support deformable solids".to_owned(),
                "make it rigid or a shell, or use the synchronous stepper",
            ),
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
                    "the asynchronous stepper supports elastic tetrahedra in stiffness form only"
                        .to_owned(),
                    "leave `formulation`, `yield_stress` and `meshless` out and write a `cuboid`, or use the \
                     synchronous stepper",
                );
            }
            (StepperChoice::Asynchronous, BodyKind::Shell)
                if matches!(body.mesh, BodyMesh::Quadrilaterals { .. })
                    || body.shell.is_some_and(|shell| shell.orthotropic.is_some()) =>
            {
                self.fail(
                    path,
                    "the asynchronous stepper supports neither quadrilaterals nor orthotropic thin bodies"
                        .to_owned(),
                    "write a `grid` and leave `orthotropic` out, or use the synchronous stepper",
                );
            }
            (StepperChoice::Asynchronous, BodyKind::Shell)
                if body.shell.is_some_and(|shell| shell.formulation.is_some()) =>
            {
                self.fail(
                    &format!("{path}.shell.formulation"),
                    "the asynchronous stepper does not support `formulation`: it solves no equations"
                        .to_owned(),
                    "leave `formulation` out, or use the synchronous stepper",
                );
            }
            (StepperChoice::Asynchronous, BodyKind::Rigid)
                if body.motion.is_none()
                    && (self.scene.asynchronous)
                        .is_some_and(|settings| settings.detection == Detection::Speculative) =>
            {
                self.fail(
                    &format!("{path}.kind"),
                    "speculative detection does not support freely moving rigid bodies".to_owned(),
                    "use detection = \"kinetic\", or give it a `motion`",
                );
            }
            (StepperChoice::Asynchronous | StepperChoice::Constrained, _)
                if let Some(fixed) = body.fixed.iter().position(|fixed| fixed.until.is_some()) =>
            {
                self.fail(
                    &format!("{path}.fixed.{fixed}.until"),
                    "only the synchronous stepper supports `until`".to_owned(),
                    "leave `until` out, or use the synchronous stepper",
                );
            }
            _ => {}
        }
    }

    /// Checks the numbers of a shell that may be zero.
    fn not_negative_numbers(&self, path: &str, shell: &Shell) {
        for (key, unit, value) in [
            ("stretch", "N/m", shell.stretch),
            ("bend", "J", shell.bend),
            ("damping", "s", shell.damping),
            ("bend_damping", "s", shell.bend_damping),
            ("mass_damping", "1/s", shell.mass_damping),
        ] {
            let what = format!("`{key}` ({unit})");
            self.not_negative(&format!("{path}.{key}"), &what, value);
        }
    }

    pub(super) fn shell(&self, path: &str, body: &Body) {
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
                    "leave it out; `shell` is the material of a thin body, and `fixed` moves its points",
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
        self.not_negative_numbers(&path, shell);
        let what = "the mass per area (kg/m²)";
        self.positive(&format!("{path}.density"), what, shell.density);
        if let Some(of) = &shell.orthotropic {
            let path = format!("{path}.orthotropic");
            self.direction(&format!("{path}.fibre"), "the fibre", &of.fibre);
            self.positive(&format!("{path}.across"), "`across` (N/m)", of.across);
            self.positive(&format!("{path}.shear"), "`shear` (N/m)", of.shear);
            // The energy is positive for every strain if 1 − ν² E_across / E_along > 0.
            let ratio = shell.poisson.unwrap_or(0.0).powi(2) * of.across / shell.stretch;
            if shell.stretch > 0.0 && ratio >= 1.0 {
                self.fail(
                    &format!("{path}.across"),
                    format!(
                        "`across` is {} times `stretch`; with `poisson` = {} the energy is not positive definite",
                        of.across / shell.stretch,
                        shell.poisson.unwrap_or(0.0)
                    ),
                    "turn `fibre` by a right angle and exchange `stretch` and `across`, or write a `poisson` below \
                     the root of stretch / across",
                );
            }
        }
        let of_strains =
            shell.orthotropic.is_some() || matches!(body.mesh, BodyMesh::Quadrilaterals { .. });
        if of_strains && shell.stretch <= 0.0 {
            self.fail(
                &format!("{path}.stretch"),
                "quadrilaterals and orthotropic bodies resist every strain, so `stretch` (N/m) must be greater than 0"
                    .to_owned(),
                "write a number greater than 0",
            );
        }
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
            _ => {}
        }
    }

    pub(super) fn elastic(&self, path: &str, body: &Body) {
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
                        "`meshless` is not supported for hexahedra".to_owned(),
                        "leave `meshless` out, or write a `cuboid`",
                    );
                }
                self.material(&format!("{path}.material"), material);
            }
            None => self.fail(
                path,
                "an elastic body needs a `material`".to_owned(),
                "add material = { young = ..., poisson = ..., density = ... }, or make it rigid with kind = \"rigid\"",
            ),
        }
    }

    pub(super) fn rigid(&self, path: &str, body: &Body) {
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
            self.positive(&path, "the density (kg/m³)", density);
        }
        if let Some(mass) = body.mass {
            self.positive(&format!("{path}.mass"), "the mass (kg)", mass);
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
                _ => {}
            };
        };
        self.motion(&format!("{path}.motion"), motion);
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
                    format!("`{key}` has no effect on a body with a `motion`"),
                    "leave one of the two out",
                );
            }
        }
    }

    pub(super) fn material(&self, path: &str, material: &Material) {
        self.positive(
            &format!("{path}.young"),
            "Young's modulus (Pa)",
            material.young,
        );
        if !(0.0..0.5).contains(&material.poisson) {
            return self.fail(
                &format!("{path}.poisson"),
                format!(
                    "Poisson's ratio is {} but must be at least 0 and below 0.5",
                    material.poisson
                ),
                "write for example 0.2 (foam), 0.3 (metal) or 0.45 (nearly incompressible)",
            );
        }
        self.positive(
            &format!("{path}.density"),
            "the density (kg/m³)",
            material.density,
        );
        if let Some(ratio) = material.extrapolation_below {
            let path = format!("{path}.extrapolation_below");
            if material.model != MaterialModel::NeoHookean {
                return self.fail(
                    &path,
                    "`extrapolation_below` is supported for the neo-Hookean model only".to_owned(),
                    "leave it out, or write model = \"neo_hookean\"",
                );
            }
            if !(ratio > 0.0 && ratio < 1.0) {
                return self.fail(
                    &path,
                    format!(
                        "the volume ratio is {ratio}, but must be greater than 0 and less than 1"
                    ),
                    "write for example 0.1, or leave it out",
                );
            }
        }
        self.not_negative(
            &format!("{path}.mass_damping"),
            "`mass_damping` (1/s)",
            material.mass_damping,
        );
        self.not_negative(
            &format!("{path}.stiffness_damping"),
            "`stiffness_damping` (s)",
            material.stiffness_damping,
        );
        if let Some(radius) = material.meshless {
            self.positive(&format!("{path}.meshless"), "the radius (m)", radius);
        }
        let Some(stress) = material.yield_stress else {
            return;
        };
        if material.model != MaterialModel::Corotational {
            return self.fail(
                &format!("{path}.yield_stress"),
                "`yield_stress` is supported for the corotational model only".to_owned(),
                "leave `yield_stress` or `model` out",
            );
        }
        self.positive(
            &format!("{path}.yield_stress"),
            "the yield stress (Pa)",
            stress,
        );
    }
}
