//! Wall time on one thread over that on two.

use std::error::Error;

use impinge_sim::Scene;

use super::figure::Figure;
use super::measure::{Case, Measured};
use super::{Context, Section, Sheet, scenes};

pub(super) const THREADS: Section = Section {
    name: "threads",
    title: "Two threads",
    about: "The same steps on one thread and on two, which give the same bits. The value is the ratio of their wall\n\
            times, the least of all repetitions of each step. Other work on the machine lowers it.\n\n\
            Limits: the solver reads matrix and vectors from memory, and two threads share its bandwidth: the rows of\n\
            the block product show both. The stack is one island with fewer blocks than a parallel product repays,\n\
            and its contacts are solved one after the other. Short sums over nodes and contacts stay on one thread.",
    long: false,
    measure: threads,
};

fn threads(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let layers = context.choose(3, 6);
    let rings = context.choose(120, 960);
    let cells = context.choose(20, 55);
    let scenes: [(String, f64, Scene, u64); 3] = [
        (
            format!("{} stacked rings", 20 * layers),
            1.5,
            scenes::parse(&scenes::stacked_rings(layers), &[])?,
            context.choose(15, 50),
        ),
        (
            format!("{rings} falling rings"),
            1.8,
            scenes::shipped("rings.toml", &[format!("body.0.copies.count={rings}")])?,
            context.choose(50, 100),
        ),
        (
            format!("cube of {} tetrahedra", 6_u32 * u32::pow(cells, 3)),
            1.8,
            scenes::parse(&scenes::cube(cells), &[])?,
            context.choose(6, 10),
        ),
    ];
    for (name, bound, scene, steps) in scenes {
        let figure = Figure::speed("wall time, one thread over two", &name).at_least(bound);
        if processors < 2 {
            sheet
                .figures
                .push(figure.skipped("this machine has one processor"));
            continue;
        }
        let measure = |threads| {
            Measured::new(
                context,
                &Case {
                    what: &format!("{name}, threads: {threads}"),
                    scene: &scene,
                    steps,
                    threads,
                    repetitions: context.choose(2, 3),
                },
            )
        };
        let [one, two] = [measure(1)?, measure(2)?];
        sheet.figures.push(figure.value(one.total() / two.total()));
    }
    Ok(())
}
