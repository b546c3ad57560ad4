//! One elastic body with more and more elements.

use std::error::Error;

use super::figure::{Figure, Grid};
use super::measure::{Case, Measured};
use super::{Context, Section, Sheet, scenes};
use crate::page::digits;

pub(super) const GROWTH: Section = Section {
    name: "growth",
    title: "Growth with the number of elements",
    about: "A soft cube of 0.5 m reaches the ground on a corner at 2 m/s. Its mesh is refined from one thousand\n\
            tetrahedra on. The exponent `p` of two sizes says that processor time a step grows as the number of\n\
            elements to the power `p`. Steps of 16 ms show how iterations grow where the step is long beside the\n\
            time of sound across an element.\n\n\
            Limits: steps of 1 ms have the diagonal preconditioner, and iterations grow with the number of elements\n\
            along an edge. Steps of 16 ms have a coarse grid from ten thousand elements on. It leaves out nodes of\n\
            contacts, whose motion the diagonal finds. In short steps a grid costs as much as it saves. The largest\n\
            mesh exceeds the cache, which raises `p` too.",
    long: false,
    measure: growth,
};

fn growth(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let mut grid = Grid::new(
        "A cube on the ground, 0.032 s:",
        &[
            "tetrahedra",
            "CPU, 1 ms (s a step)",
            "iterations, 1 ms",
            "CPU, 16 ms (s a step)",
            "iterations, 16 ms",
        ],
    );
    let mut smaller: Option<[Measured; 2]> = None;
    for &cells in context.choose(&[6, 12, 26][..], &[6, 12, 26, 55]) {
        let text = scenes::cube(cells);
        let measure = |step: &str, steps| {
            let scene = scenes::parse(&text, &[format!("time.step={step}")])?;
            Measured::new(
                context,
                &Case {
                    what: &format!("{} tetrahedra, steps of {step} s", 6 * cells.pow(3)),
                    scene: &scene,
                    steps,
                    threads: 1,
                    repetitions: if cells < 20 { 3 } else { context.choose(1, 2) },
                },
            )
        };
        // The quick form ends the large run early; the contact begins in the first steps.
        let short = if context.full || cells < 20 { 32 } else { 16 };
        let runs = [measure("1e-3", short)?, measure("1.6e-2", 2)?];
        grid.row(vec![
            runs[0].elements.to_string(),
            digits(runs[0].per_step()),
            digits(runs[0].iterations()),
            digits(runs[1].per_step()),
            digits(runs[1].iterations()),
        ]);
        if let Some(smaller) = smaller {
            let refined = runs[0].elements as f64 / smaller[0].elements as f64;
            for (index, step) in ["1 ms", "16 ms"].into_iter().enumerate() {
                let ratio = runs[index].per_step() / smaller[index].per_step();
                let bound = (cells > 50 && index == 0).then_some(1.08);
                sheet.figures.push(
                    Figure::speed(
                        format!("exponent of CPU a step, {step}"),
                        format!("{} to {} tetrahedra", smaller[0].elements, runs[0].elements),
                    )
                    .at_most_if(bound)
                    .value(ratio.ln() / refined.ln()),
                );
            }
        }
        let bound = (20..50).contains(&cells).then_some(3.0);
        sheet.figures.push(
            Figure::speed(
                "CPU a step, 16 ms over 1 ms",
                format!("{} tetrahedra", runs[0].elements),
            )
            .at_most_if(bound)
            .value(runs[1].per_step() / runs[0].per_step()),
        );
        smaller = Some(runs);
    }
    sheet.grids.push(grid);
    Ok(())
}
