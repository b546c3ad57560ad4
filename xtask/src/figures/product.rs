//! The block product beside the bandwidth of the memory.

use std::error::Error;

use super::figure::Figure;
use super::{Context, Section, Sheet, bandwidth};

pub(super) const PRODUCT: Section = Section {
    name: "product",
    title: "The block product",
    about: "Iterations multiply by the momentum matrix, half of which is stored. The value is the rate of bytes of\n\
            that product over that of the triad `a = b + s c`, measured in turns. A sum of all entries reads the\n\
            blocks and does nothing else: a product that is much slower is not limited by the bandwidth.\n\n\
            Limits: half of the blocks are stored, so each of them reads and writes entries of the vectors far apart.\n\
            Vectors of large bodies do not fit into the cache.",
    long: false,
    measure: product,
};

#[expect(clippy::unnecessary_wraps, reason = "it is one of the sections")]
fn product(sheet: &mut Sheet, context: &Context) -> Result<(), Box<dyn Error>> {
    for (axis, threads, bound) in [(20, 1, None), (58, 1, Some(0.7)), (58, 2, None)] {
        context.progress.run(&format!("{axis}³ nodes"), 0);
        let rate = bandwidth::measure(axis, threads, context.choose(20, 40));
        let figure = Figure::speed(
            format!(
                "product over triad, {threads} thread{}",
                if threads == 1 { "" } else { "s" }
            ),
            format!("{} nodes", rate.nodes),
        );
        let figure = match bound {
            Some(bound) => figure.at_least(bound),
            None => figure,
        };
        sheet.figures.push(figure.value(rate.share()));
        if axis == 58 {
            let on = if threads == 1 {
                "one thread"
            } else {
                "two threads"
            };
            sheet
                .figures
                .push(Figure::speed("triad (GB/s)", on).value(rate.triad));
        }
        if axis == 58 && threads == 1 {
            let reading = Figure::speed(
                "reading the blocks in one stream over triad, 1 thread",
                format!("{} nodes", rate.nodes),
            );
            sheet.figures.push(reading.value(rate.share_of_reading()));
        }
    }
    Ok(())
}
