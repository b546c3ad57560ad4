//! Line plots as inline SVG.

use std::fmt::Write as _;

use crate::escape::escape;

/// Colours that most eyes distinguish (Okabe and Ito), one per method; after the last, lines are dashed.
pub(crate) const COLOURS: [&str; 8] = [
    "#0072b2", "#56b4e9", "#000000", "#e69f00", "#d55e00", "#cc79a7", "#009e73", "#7f7f7f",
];

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 40.0;
const TOP: f64 = 26.0;
const RIGHT: f64 = 12.0;

/// Half the height of a mark.
const MARK: f64 = 9.0;

/// The colour of a line.
pub(crate) fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

/// A line plot.
#[derive(Debug, Clone)]
pub struct Plot<'a> {
    /// Title above the plot.
    pub title: &'a str,
    /// Horizontal axis.
    pub x: Axis<'a>,
    /// Vertical axis.
    pub y: Axis<'a>,
    /// A dashed horizontal line, for a tolerance.
    pub level: Option<f64>,
    /// The lines.
    pub lines: Vec<Line<'a>>,
}

/// An axis of the plot.
#[derive(Debug, Clone, Copy)]
pub struct Axis<'a> {
    /// Its label.
    pub label: &'a str,
    /// Whether the scale is logarithmic; numbers that are not positive are then dropped.
    pub logarithmic: bool,
}

/// One line and its colour.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// Its name.
    pub name: &'a str,
    /// Index of its colour.
    pub colour: usize,
    /// Its corners; those that are not finite are dropped.
    pub points: Vec<[f64; 2]>,
    /// Marked points: short vertical strokes.
    pub marks: Vec<[f64; 2]>,
}

impl<'a> Line<'a> {
    /// A line through `points`.
    pub fn new(name: &'a str, colour: usize, points: Vec<[f64; 2]>) -> Self {
        Self {
            name,
            colour,
            points,
            marks: Vec::new(),
        }
    }
}

/// Map from numbers to positions on the page.
struct Scale {
    logarithmic: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale around `values`; numbers without a logarithm are dropped on a logarithmic scale.
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

    /// Grid lines with their labels.
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
    pub fn svg(&self) -> String {
        let all = || self.lines.iter().flat_map(|line| &line.points);
        let x = Scale::around(all().map(|p| p[0]), self.x.logarithmic, LEFT, WIDTH - RIGHT);
        let y = Scale::around(
            all().map(|p| p[1]).chain(self.level),
            self.y.logarithmic,
            HEIGHT - BOTTOM,
            TOP,
        );
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n<text x=\"{LEFT}\" y=\"15\" \
             class=\"head\">{}</text>\n",
            self.title, self.title
        );
        self.draw_grid(&x, &y, &mut svg);
        for line in &self.lines {
            line.draw(&x, &y, &mut svg);
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n<text transform=\"translate(12 {:.1}) \
             rotate(-90)\" text-anchor=\"middle\">{}</text>\n</svg>",
            0.5 * (LEFT + WIDTH - RIGHT),
            HEIGHT - 8.0,
            self.x.label,
            0.5 * (TOP + HEIGHT - BOTTOM),
            self.y.label
        );
        svg
    }

    /// Appends the lines of the grid with their numbers, and the level.
    fn draw_grid(&self, x: &Scale, y: &Scale, svg: &mut String) {
        // Writing to a string cannot fail.
        for (value, label) in x.ticks() {
            let at = x.place(value);
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {TOP}V{:.1}\" class=\"grid\"/><text x=\"{at:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\">{label}</text>",
                HEIGHT - BOTTOM,
                HEIGHT - BOTTOM + 14.0
            );
        }
        for (value, label) in y.ticks() {
            let at = y.place(value);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{:.1}\" class=\"grid\"/><text x=\"{:.1}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{label}</text>",
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
    }
}

impl Line<'_> {
    /// Appends the line, its marks and its end.
    fn draw(&self, x: &Scale, y: &Scale, svg: &mut String) {
        // Writing to a string cannot fail.
        let mut path = String::new();
        let shown = |p: &&[f64; 2]| p.iter().all(|x| x.is_finite());
        for point in self.points.iter().filter(shown) {
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
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{}><title>{}</title></path>",
            colour(self.colour),
            if self.colour < COLOURS.len() {
                ""
            } else {
                " stroke-dasharray=\"6 3\""
            },
            escape(self.name)
        );
        for mark in self.marks.iter().filter(shown) {
            let _ = writeln!(
                svg,
                "<path d=\"M{:.1} {:.1}v{}\" stroke=\"{}\" stroke-width=\"0.8\" class=\"mark\"/>",
                x.place(mark[0]),
                y.place(mark[1]) - MARK,
                2.0 * MARK,
                colour(self.colour)
            );
        }
        if let Some(end) = self.points.iter().rfind(shown) {
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.6\" fill=\"{}\"/>",
                x.place(end[0]),
                y.place(end[1]),
                colour(self.colour)
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithm_omits_values_that_are_not_positive() {
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
