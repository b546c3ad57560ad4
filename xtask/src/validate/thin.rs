//! Thin bodies at rest.

use std::error::Error;

use super::row::{Rows, Within};
use super::run::Run;
use super::theory::root;
use super::{Extent, Family};

pub(super) const FAMILY: Family = Family {
    name: "thin bodies",
    about: "Straps and sheets without thickness.",
    cases: &[("catenary", catenary)],
};

/// A slack strip between two points at one height hangs in an elastic catenary.
fn catenary(rows: &mut Rows, _: Extent) -> Result<(), Box<dyn Error>> {
    let (dip, width, density) = (0.3_f64, 0.02, 0.5);
    let length = 2.0 * (0.25 + dip * dip).sqrt();
    let weight = length * width * density * 9.81;
    for stretch in [1e5, 1e2] {
        let text = format!(
            r#"
[time]
step = 2e-2
duration = 10
[[body]]
kind = "shell"
mesh.strip = {{ points = [[-0.5, 0, 0], [0, 0, {}], [0.5, 0, 0]], across = [0, 1, 0], width = {width}, spacing = 0.03 }}
shell = {{ stretch = {stretch}, bend = 1e-9, density = {density} }}
fixed = [{{ box = {{ lower = [-0.51, -1, -0.001], upper = [-0.499, 1, 0.001] }} }},
         {{ box = {{ lower = [0.499, -1, -0.001], upper = [0.51, 1, 0.001] }} }}]
"#,
            -dip
        );
        let run = Run::whole(&text, &[])?;
        let lowest = run
            .simulation
            .state()
            .positions
            .iter()
            .map(|x| x.z)
            .fold(0.0, f64::min);
        // Irvine 1981: span and sag of a cable with unstretched length S and weight W under the horizontal tension H.
        let stiffness = stretch * width;
        let span = |pull: f64| {
            pull * length / stiffness + 2.0 * pull * length / weight * (0.5 * weight / pull).asinh()
        };
        let pull = root([1e-3 * weight, 1e3 * weight], |pull| span(pull) - 1.0);
        let arc = (1.0 + (0.5 * weight / pull).powi(2)).sqrt() - 1.0;
        let sag = weight * length / (8.0 * stiffness) + pull * length / weight * arc;
        let case = format!("slack strip, E t = {stretch} N/m: sag (m)");
        rows.push(case, sag, -lowest, Within::Relative(0.01));
    }
    Ok(())
}
