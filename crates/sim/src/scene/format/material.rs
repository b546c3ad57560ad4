//! Materials of bodies.

use impinge_fem::MaterialError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Constitutive law.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MaterialModel {
    /// Co-rotational linear elasticity: linear in the strain of each element, for arbitrary rotations.
    #[default]
    Corotational,
    /// Neo-Hookean, extrapolated below the volume ratio `extrapolation_below`. In compliance form and for meshless
    /// bodies its strains are the principal stretches.
    NeoHookean,
    /// Saint Venant-Kirchhoff: linear in the Green-Lagrange strain.
    StVenantKirchhoff,
}

/// Material of an elastic body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Constitutive law.
    #[serde(default)]
    pub model: MaterialModel,
    /// Young's modulus (Pa), > 0.
    pub young: f64,
    /// Poisson's ratio (1), ≥ 0 and < 0.5.
    pub poisson: f64,
    /// Mass per rest volume (kg/m³), > 0.
    pub density: f64,
    /// Volume ratio (1), > 0 and < 1, below which the energy of `neo_hookean` is extrapolated: crushed elements have a
    /// finite stiffness. Verschoor and Jalba (2019) use 0.7. Default: 0.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extrapolation_below: Option<f64>,
    /// Rayleigh damping in proportion to mass (1/s), ≥ 0.
    #[serde(default)]
    pub mass_damping: f64,
    /// Rayleigh damping in proportion to stiffness (s), ≥ 0.
    #[serde(default)]
    pub stiffness_damping: f64,
    /// Form of the strains; not for the asynchronous stepper. Default: "stiffness", the better choice unless a solid is
    /// very stiff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulation: Option<Formulation>,
    /// Von Mises yield stress of perfect plasticity (Pa), > 0; `corotational` only. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yield_stress: Option<f64>,
    /// Radius of a meshless discretisation (m), about 1.3 cells: each tetrahedron has one strain point, with a
    /// moving-least-squares fit to the nodes within this radius. A much larger one leaves deformations without strain.
    /// Default: elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meshless: Option<f64>,
}

impl Material {
    /// The co-rotational material of a Young's modulus (Pa), Poisson's ratio (1) and density (kg/m³), all else by
    /// default.
    #[must_use]
    pub fn new(young: f64, poisson: f64, density: f64) -> Self {
        Self {
            model: MaterialModel::default(),
            young,
            poisson,
            density,
            extrapolation_below: None,
            mass_damping: 0.0,
            stiffness_damping: 0.0,
            formulation: None,
            yield_stress: None,
            meshless: None,
        }
    }

    /// The law of its elements.
    ///
    /// # Errors
    /// [`MaterialError`] for parameters outside their range.
    pub(crate) fn law(&self) -> Result<impinge_fem::Material, MaterialError> {
        use impinge_fem::Material as Law;
        match self.model {
            MaterialModel::Corotational => Law::corotational(self.young, self.poisson),
            MaterialModel::NeoHookean => match self.extrapolation_below {
                Some(ratio) => Law::neo_hookean_below(self.young, self.poisson, ratio),
                None => Law::neo_hookean(self.young, self.poisson),
            },
            MaterialModel::StVenantKirchhoff => Law::st_venant_kirchhoff(self.young, self.poisson),
        }
    }

    /// Whether the strains of a solid are constraints, not finite elements.
    pub(crate) fn has_constraints(&self) -> bool {
        self.formulation == Some(Formulation::Compliance)
            || self.yield_stress.is_some()
            || self.meshless.is_some()
    }
}

/// Form in which strains of a body, or a joint, enter the equations of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Formulation {
    /// Forces with their stiffness: for soft bodies and joints, with any contact method.
    Stiffness,
    /// Constraint rows with geometric stiffness: for nearly inextensible bodies under heavy loads, with at most some
    /// hundred contacts, by `compliant-kkt`, `cr` or `active-set`.
    Compliance,
}

/// Orthotropic stiffness of a thin body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Orthotropic {
    /// Fibre direction at rest, along which `stretch` acts, in the body's own frame; projected onto the surface.
    pub fibre: [f64; 3],
    /// Young's modulus across the fibre times thickness (N/m), > 0.
    pub across: f64,
    /// Shear modulus times thickness (N/m), > 0.
    pub shear: f64,
}

/// Material of a thin body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shell {
    /// Young's modulus times thickness (N/m), ≥ 0.
    pub stretch: f64,
    /// Bending stiffness of inner edges (J), ≥ 0: a small share of `stretch` times the squared thickness.
    #[serde(default)]
    pub bend: f64,
    /// Mass per area (kg/m²), > 0.
    pub density: f64,
    /// Poisson's ratio (1), ≥ 0 and < 1; triangles then resist every strain. Default: springs along the edges, which
    /// are cheaper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
    /// Different stiffness along and across a fibre. `poisson` is then the contraction across it under tension along
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orthotropic: Option<Orthotropic>,
    /// Stiffness-proportional damping along edges (s), ≥ 0; without `poisson` only.
    #[serde(default)]
    pub damping: f64,
    /// Stiffness-proportional damping of bending (s), ≥ 0.
    #[serde(default)]
    pub bend_damping: f64,
    /// Damping in proportion to mass (1/s), ≥ 0, as the drag of air; not for the constrained stepper.
    #[serde(default)]
    pub mass_damping: f64,
    /// Form of the stretching; not for the asynchronous stepper. Default: "compliance" with the constrained stepper,
    /// else "stiffness".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulation: Option<Formulation>,
}
