//! What bodies are made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Law between deformation and stress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MaterialModel {
    /// Co-rotational linear elasticity: stiffness stays linear while bodies turn.
    #[default]
    Corotational,
    /// Neo-Hookean, with the energy extrapolated below the volume ratio `extrapolation_below`. In compliance form and
    /// without elements its strains are the principal stretches.
    NeoHookean,
    /// Saint Venant-Kirchhoff: linear in the Green-Lagrange strain.
    StVenantKirchhoff,
}

/// What a body is made of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Law between deformation and stress.
    #[serde(default)]
    pub model: MaterialModel,
    /// Young's modulus (Pa), greater than 0.
    pub young: f64,
    /// Poisson's ratio (1), at least 0 and below 0.5.
    pub poisson: f64,
    /// Mass per rest volume (kg/m³), greater than 0.
    pub density: f64,
    /// Volume ratio (1) below which the energy is extrapolated, so that crushed elements have a finite resistance,
    /// greater than 0 and less than 1; `neo_hookean` only. 0.7 is the value of Verschoor and Jalba. Default: 0.1, so
    /// that all but crushed elements follow the law.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extrapolation_below: Option<f64>,
    /// Rayleigh damping in proportion to mass (1/s), 0 or more.
    #[serde(default)]
    pub mass_damping: f64,
    /// Rayleigh damping in proportion to stiffness (s), 0 or more.
    #[serde(default)]
    pub stiffness_damping: f64,
    /// How strains enter the equations of a step; not for the asynchronous stepper. Default: "stiffness", the better one of
    /// solids unless they are very stiff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulation: Option<Formulation>,
    /// Von Mises stress above which the material flows and keeps its shape (Pa), greater than 0; `corotational` only. Default:
    /// it springs back from everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yield_stress: Option<f64>,
    /// Without elements: strains are those of moving least squares between the nodes of the mesh within this radius (m) of
    /// each of its tetrahedra. About 1.3 times the side of a cell: much more leaves motions that no point sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meshless: Option<f64>,
}

/// How the strains of a body, or a link, enter the equations of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Formulation {
    /// As forces and their stiffness: for what is soft, and for any number of contacts by any contact method.
    Stiffness,
    /// As rows of their own beside those of joints and contacts, with geometric stiffness: for what hardly stretches and heavy
    /// loads on it, with some hundred contacts at most. Takes the method `compliant-kkt`.
    Compliance,
}

/// A thin body that is stiffer along one direction than across it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Orthotropic {
    /// Direction of `stretch` at rest, in the body's own frame (any length but 0); it is laid into the surface.
    pub fibre: [f64; 3],
    /// Young's modulus across the fibre times thickness (N/m), greater than 0.
    pub across: f64,
    /// Shear modulus times thickness (N/m), greater than 0.
    pub shear: f64,
}

/// What a thin body is made of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shell {
    /// Young's modulus times thickness (N/m), 0 or more.
    pub stretch: f64,
    /// Bending stiffness of the edges between triangles (J), 0 or more: a small part of `stretch` times the square of the
    /// thickness.
    #[serde(default)]
    pub bend: f64,
    /// Mass per area (kg/m²), greater than 0.
    pub density: f64,
    /// Poisson's ratio (1), at least 0 and below 1: triangles resist every strain. Default: springs along the edges, which
    /// is cheaper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
    /// Another stiffness across one direction, for cloth with a weave and fibre mats; `poisson` is then the strain across the
    /// fibre under tension along it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orthotropic: Option<Orthotropic>,
    /// Damping along edges in proportion to their stiffness (s), 0 or more; only without `poisson`.
    #[serde(default)]
    pub damping: f64,
    /// Damping of bending in proportion to its stiffness (s), 0 or more.
    #[serde(default)]
    pub bend_damping: f64,
    /// How stretching enters the equations; bending always does as a stiffness. Not for the asynchronous stepper. Default:
    /// "compliance" under the constrained stepper, "stiffness" under the synchronous one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulation: Option<Formulation>,
}
