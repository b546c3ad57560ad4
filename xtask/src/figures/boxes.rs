//! A pyramid of rigid boxes, and the share of collision detection in a step.

use std::error::Error;

use impinge_sim::Scene;

use super::figure::Figure;
use super::measure::{Case, Measured};
use super::{Context, Section, Sheet, scenes};

pub(super) const BOXES: Section = Section {
    name: "boxes",
    title: "Rigid boxes, and collision detection",
    about: "A pyramid of 140 rigid boxes settles within a tenth of a second and rests for the remainder of the first:\n\
            the fixed costs of a step, without elements. The other rows show the share of candidate detection and\n\
            continuous collision detection in the time of a step.\n\n\
            Limits: every round proves again that no near pair collides, and a step of a millisecond has few\n\
            iterations beside it. Bounds of separation spare most of these tests; what is left compares every near\n\
            pair with its bound.",
    long: false,
    measure: boxes,
};

fn boxes(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let layers = context.choose(3, 6);
    let rings = context.choose(48, 120);
    let scenes: [(&str, String, Scene, u64); 3] = [
        (
            "boxes",
            "pyramid of 140 rigid boxes".to_owned(),
            scenes::parse(&scenes::pyramid(), &[])?,
            1000,
        ),
        (
            "stack",
            format!("{} stacked rings", 20 * layers),
            scenes::parse(&scenes::stacked_rings(layers), &[])?,
            context.choose(30, 100),
        ),
        (
            "rings",
            format!("{rings} falling rings"),
            scenes::shipped("rings.toml", &[format!("body.0.copies.count={rings}")])?,
            context.choose(100, 300),
        ),
    ];
    for (kind, name, scene, steps) in scenes {
        let run = Measured::new(
            context,
            &Case {
                what: &name,
                scene: &scene,
                steps,
                threads: 1,
                repetitions: 3,
            },
        )?;
        if kind == "boxes" {
            sheet.figures.push(
                Figure::speed("CPU a step of 1 ms (s)", &name)
                    .at_most(2e-3)
                    .value(run.per_step()),
            );
        }
        let times = run.reports.iter().map(|report| &report.times);
        let (detection, total) = times.fold((0.0, 0.0), |(detection, total), times| {
            (
                detection + times.detect + times.refine,
                total + times.total(),
            )
        });
        sheet.figures.push(
            Figure::speed("collision detection over the time of a step", &name)
                .at_most_if((kind != "boxes").then_some(0.25))
                .value(detection / total),
        );
    }
    Ok(())
}
