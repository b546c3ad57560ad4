//! Line plots as inline SVG.

use std::fmt::Write as _;

/// Colours that stay apart for most eyes (Okabe and Ito), one a method.
pub(super) const COLOURS: [&str; 8] = [
    "#0072b2", "#56b4e9", "#000000", "#e69f00", "#d55e00", "#cc79a7", "#009e73", "#7f7f7f",
];

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 40.0;
const TOP: f64 = 26.0;
const RIGHT: f64 = 12.0;

/// What a plot shows.
pub(super) struct Plot<'a> {
    pub(super) title: &'a str,
    pub(super) x: Axis<'a>,
    pub(super) y: Axis<'a>,
    /// A dashed line across, for a tolerance.
    pub(super) level: Option<f64>,
    pub(super) lines: Vec<Line<'a>>,
}

/// A direction of the plot.
pub(super) struct Axis<'a> {
    pub(super) label: &'a str,
    pub(super) logarithmic: bool,
}

/// One line and its colour.
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    pub(super) colour: usize,
    pub(super) points: Vec<[f64; 2]>,
}

/// From numbers to the places on the page.
struct Scale {
    logarithmic: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Around `values`; what a logarithm cannot show is left out.
    fn around(values: impl Iterator<Item = f64>, logarithmic: bool, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|v| v.is_finite() && (!logarithmic || *v > 0.0)) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        if logarithmic {
            (low, high) = (low.log10().floor(), high.log10().ceil());
            high = high.max(low + 1.0);
        } else {
            low = low.min(0.0);
            high = if high > low { high } else { low + 1.0 };
        }
        Self {
            logarithmic,
            low,
            high,
            from,
            to,
        }
    }

    fn place(&self, value: f64) -> f64 {
        let value = if self.logarithmic {
            value.max(f64::MIN_POSITIVE).log10()
        } else {
            value
        };
        let part = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.from + part * (self.to - self.from)
    }

    /// Numbers worth a line, with their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        if self.logarithmic {
            let every = ((self.high - self.low) / 5.0).ceil().max(1.0);
            let count = ((self.high - self.low) / every).floor() as i32;
            return (0..=count)
                .map(|i| self.low + f64::from(i) * every)
                .map(|power| (10f64.powf(power), power_of_ten(power)))
                .collect();
        }
        let rough = (self.high - self.low) / 5.0;
        let unit = 10f64.powf(rough.log10().floor());
        let every = [1.0, 2.0, 5.0, 10.0]
            .iter()
            .map(|m| m * unit)
            .find(|step| *step >= rough)
            .unwrap_or(unit);
        let count = ((self.high - self.low) / every).floor() as i32;
        #[expect(clippy::cast_sign_loss, reason = "at least 0")]
        let digits = (-every.log10().floor()).max(0.0) as usize;
        (0..=count)
            .map(|i| self.low + f64::from(i) * every)
            .map(|value| (value, format!("{value:.digits$}")))
            .collect()
    }
}

fn power_of_ten(power: f64) -> String {
    if (0.0..4.0).contains(&power) {
        format!("{:.0}", 10f64.powf(power))
    } else {
        format!("1e{power:.0}")
    }
}

impl Plot<'_> {
    /// The plot as an `svg` element.
    pub(super) fn svg(&self) -> String {
        let all = || self.lines.iter().flat_map(|line| &line.points);
        let x = Scale::around(all().map(|p| p[0]), self.x.logarithmic, LEFT, WIDTH - RIGHT);
        let y = Scale::around(
            all().map(|p| p[1]).chain(self.level),
            self.y.logarithmic,
            HEIGHT - BOTTOM,
            TOP,
        );
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n<text x=\"{LEFT}\" y=\"15\" class=\"head\">{}</text>\n",
            self.title, self.title
        );
        // Writing to a string cannot fail.
        for (value, label) in x.ticks() {
            let at = x.place(value);
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {TOP}V{:.1}\" class=\"grid\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                HEIGHT - BOTTOM,
                HEIGHT - BOTTOM + 14.0
            );
        }
        for (value, label) in y.ticks() {
            let at = y.place(value);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{:.1}\" class=\"grid\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                WIDTH - RIGHT,
                LEFT - 5.0,
                at + 3.5
            );
        }
        if let Some(level) = self.level {
            let at = y.place(level);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{:.1}\" class=\"level\"/>",
                WIDTH - RIGHT
            );
        }
        for line in &self.lines {
            let mut path = String::new();
            for point in line.points.iter().filter(|p| p[1].is_finite()) {
                let verb = if path.is_empty() { 'M' } else { 'L' };
                let _ = write!(
                    path,
                    "{verb}{:.1} {:.1}",
                    x.place(point[0]),
                    y.place(point[1])
                );
            }
            let _ = writeln!(
                svg,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"><title>{}</title></path>",
                COLOURS[line.colour % COLOURS.len()],
                line.name
            );
            if let Some(end) = line.points.last().filter(|p| p[1].is_finite()) {
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.6\" fill=\"{}\"/>",
                    x.place(end[0]),
                    y.place(end[1]),
                    COLOURS[line.colour % COLOURS.len()]
                );
            }
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n<text transform=\"translate(12 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n</svg>",
            0.5 * (LEFT + WIDTH - RIGHT),
            HEIGHT - 8.0,
            self.x.label,
            0.5 * (TOP + HEIGHT - BOTTOM),
            self.y.label
        );
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithm_leaves_out_what_it_cannot_show() {
        let scale = Scale::around([0.0, f64::NAN, 2.0, 300.0].into_iter(), true, 0.0, 3.0);
        assert!((scale.place(1.0) - 0.0).abs() < 1e-12);
        assert!((scale.place(100.0) - 2.0).abs() < 1e-12);
        assert!((scale.place(0.0) - 0.0).abs() < 1e-12);
        let labels: Vec<String> = scale.ticks().into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["1", "10", "100", "1000"]);
    }

    #[test]
    fn a_plot_without_points_is_a_plot() {
        let axis = || Axis {
            label: "x",
            logarithmic: true,
        };
        let plot = Plot {
            title: "empty",
            x: axis(),
            y: axis(),
            level: None,
            lines: Vec::new(),
        };
        assert!(plot.svg().contains("</svg>"));
        assert!(!plot.svg().contains("NaN"));
    }
}
