//! One row of a table, and its verdict.

use crate::page::digits;

/// Value of a row.
#[derive(Clone, Debug)]
enum Value {
    Number(f64),
    /// It could not be measured here, for a reason such as missing data.
    Skipped(String),
    /// The simulation ended early, or the value does not exist.
    Failed(String),
}

/// Bound of a value, in its unit.
#[derive(Clone, Copy, Debug)]
enum Bound {
    None,
    AtMost(f64),
    AtLeast(f64),
    Above(f64),
}

/// Verdict of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Within the bound.
    Holds,
    /// A law is outside its bound, or has no value: the program is wrong.
    Broken,
    /// A speed or count is outside its bound.
    Missed,
    /// Shown without bound.
    Shown,
    /// Not measured.
    Skipped,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Broken => "BROKEN",
            Self::Missed => "outside its bound",
            Self::Shown => "",
            Self::Skipped => "skipped",
        }
    }
}

/// One measured quantity.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    quantity: String,
    scene: String,
    value: Value,
    bound: Bound,
    /// Whether it is a law of physics; else a speed or a count of work.
    law: bool,
}

impl Figure {
    /// A law of physics: outside its bound the command fails.
    pub(super) fn law(quantity: impl Into<String>, scene: impl Into<String>) -> Self {
        Self {
            quantity: quantity.into(),
            scene: scene.into(),
            value: Value::Failed("not measured".to_owned()),
            bound: Bound::None,
            law: true,
        }
    }

    /// A time, a count of work or a ratio of these.
    pub(super) fn speed(quantity: impl Into<String>, scene: impl Into<String>) -> Self {
        Self {
            law: false,
            ..Self::law(quantity, scene)
        }
    }

    pub(super) fn at_most(mut self, bound: f64) -> Self {
        self.bound = Bound::AtMost(bound);
        self
    }

    pub(super) fn at_most_if(self, bound: Option<f64>) -> Self {
        match bound {
            Some(bound) => self.at_most(bound),
            None => self,
        }
    }

    pub(super) fn at_least(mut self, bound: f64) -> Self {
        self.bound = Bound::AtLeast(bound);
        self
    }

    /// A value on the bound is outside.
    pub(super) fn above(mut self, bound: f64) -> Self {
        self.bound = Bound::Above(bound);
        self
    }

    pub(super) fn value(mut self, value: f64) -> Self {
        self.value = Value::Number(value);
        self
    }

    pub(super) fn failed(mut self, reason: impl Into<String>) -> Self {
        self.value = Value::Failed(reason.into());
        self
    }

    pub(super) fn skipped(mut self, reason: impl Into<String>) -> Self {
        self.value = Value::Skipped(reason.into());
        self
    }

    pub(super) fn verdict(&self) -> Verdict {
        let outside = if self.law {
            Verdict::Broken
        } else {
            Verdict::Missed
        };
        let value = match self.value {
            Value::Number(value) => value,
            Value::Skipped(_) => return Verdict::Skipped,
            Value::Failed(_) => f64::NAN,
        };
        let within = match self.bound {
            Bound::None if value.is_finite() => return Verdict::Shown,
            Bound::None => false,
            Bound::AtMost(bound) => value <= bound,
            Bound::AtLeast(bound) => value >= bound,
            Bound::Above(bound) => value > bound,
        };
        if within { Verdict::Holds } else { outside }
    }

    /// The columns `quantity, scene, value, bound, verdict`.
    pub(super) fn columns(&self) -> [String; 5] {
        let verdict = self.verdict().word();
        [
            self.quantity.clone(),
            self.scene.clone(),
            match self.value {
                Value::Number(value) => digits(value),
                _ => "none".to_owned(),
            },
            match self.bound {
                Bound::None => String::new(),
                Bound::AtMost(bound) => format!("at most {}", digits(bound)),
                Bound::AtLeast(bound) => format!("at least {}", digits(bound)),
                Bound::Above(bound) => format!("above {}", digits(bound)),
            },
            match &self.value {
                Value::Number(_) => verdict.to_owned(),
                Value::Skipped(reason) | Value::Failed(reason) => {
                    format!("{verdict}: {}", reason.lines().next().unwrap_or_default())
                }
            },
        ]
    }
}

/// Numbers of one kind of run, such as one line a step size.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// A sentence above it.
    pub(super) about: String,
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    pub(super) fn new(about: impl Into<String>, heads: &[&str]) -> Self {
        Self {
            about: about.into(),
            heads: heads.iter().map(|&head| head.to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The heads, then the rows.
    pub(super) fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.heads).chain(&self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_outside_its_bound_fails_and_a_speed_does_not() {
        let judge = |figure: Figure| {
            let figure = figure.at_most(1.0);
            [0.5, 1.0, 1.5, f64::NAN].map(|value| figure.clone().value(value).verdict())
        };
        let (holds, broken, missed) = (Verdict::Holds, Verdict::Broken, Verdict::Missed);
        assert_eq!(judge(Figure::law("q", "s")), [holds, holds, broken, broken]);
        assert_eq!(
            judge(Figure::speed("q", "s")),
            [holds, holds, missed, missed]
        );
        let ratio = Figure::law("q", "s").above(0.0);
        assert_eq!(ratio.clone().value(0.0).verdict(), broken);
        assert_eq!(ratio.value(0.1).verdict(), holds);
    }

    #[test]
    fn a_law_without_a_value_fails_unless_its_data_are_missing() {
        let law = Figure::law("q", "s");
        assert_eq!(law.verdict(), Verdict::Broken);
        assert_eq!(law.clone().failed("stopped").verdict(), Verdict::Broken);
        assert_eq!(law.skipped("no meshes").verdict(), Verdict::Skipped);
    }

    #[test]
    fn three_digits_are_shown() {
        let shown = [0.0, 1234.0, 0.052_34, 1.5, 2e-9, 9_980_000.0].map(digits);
        assert_eq!(shown, ["0", "1234", "0.0523", "1.5", "2e-9", "9.98e6"]);
    }
}
