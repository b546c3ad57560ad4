//! The section of one scene: size, film, table of methods, plots over time, convergence.

use std::fmt::Write as _;

use impinge_sim::compare::MethodRecord;
use impinge_sim::{Model, StepReport};

use crate::convergence::{Curve, Point};
use crate::effort::{self, MethodRow};
use crate::escape::escape;
use crate::plot::{Axis, Line, Plot};
use crate::viewer::Film;
use crate::watch::Sample;

/// All results for one scene.
#[derive(Debug, Clone)]
pub struct SceneRecord {
    /// Short name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Bodies, elements, triangles and steps in words: [`size_of`].
    pub size: String,
    /// The steps of the run.
    pub reports: Vec<StepReport>,
    /// The method that ratios refer to.
    pub reference: String,
    /// One row per method.
    pub methods: Vec<MethodRow>,
    /// HTML below that table, with more results about methods.
    pub remarks: String,
    /// The effort of each method, step by step.
    pub efforts: Vec<MethodRecord>,
    /// The step of `curves`, if there is one.
    pub sample: Option<SampleSize>,
    /// Convergence of the methods in that step.
    pub curves: Vec<Curve>,
    /// The film of the run.
    pub film: Option<Film>,
}

/// The step of a convergence plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleSize {
    /// Number of the step.
    pub step: u64,
    /// Contacts of the largest of its problems.
    pub contacts: usize,
    /// Problems that the curves show.
    pub drawn: usize,
    /// Later problems that the curves do not show.
    pub left_out: usize,
}

impl From<&Sample> for SampleSize {
    fn from(sample: &Sample) -> Self {
        Self {
            step: sample.step,
            contacts: sample.contacts(),
            drawn: sample.rounds.len(),
            left_out: sample.left_out,
        }
    }
}

/// Bodies, elements, triangles and steps in words.
pub fn size_of(model: &Model, steps: u64) -> String {
    format!(
        "{} bodies, {} elements, {} triangles, {steps} steps of {:e} s",
        model.geometry.bodies.len(),
        model.elements.tets.len(),
        model.geometry.surface.triangles().len(),
        model.settings.time_step
    )
}

impl SceneRecord {
    /// The section; `methods` in the order of their colours.
    pub(crate) fn section(&self, methods: &[&str]) -> String {
        let mut html = format!(
            "<h3>{}: {}</h3>\n<p class=\"note\">{}.</p>\n",
            escape(&self.name),
            escape(&self.title),
            escape(&self.size)
        );
        // Writing to a string cannot fail.
        if let Some(film) = &self.film {
            html += &film.figure();
        }
        html += &effort::table(&self.methods, &self.reference);
        html += &self.remarks;
        html += "<div class=\"plots\">\n";
        html += &self.over_time(methods);
        html += "</div>\n";
        if let Some(size) = self.sample {
            let _ = writeln!(
                html,
                "<p class=\"note\">{}</p>\n<div class=\"plots\">\n{}</div>",
                self.about(size),
                self.convergence(methods)
            );
        }
        html
    }

    /// Description of the convergence plots.
    fn about(&self, size: SampleSize) -> String {
        let SampleSize {
            step,
            contacts,
            drawn,
            left_out,
        } = size;
        let solves = drawn + left_out;
        let mut text = format!(
            "Convergence on the compared step with the most contacts: step {step}, {contacts} contacts, {solves} {}",
            if solves == 1 { "round" } else { "rounds" }
        );
        // Writing to a string cannot fail.
        if left_out > 0 {
            let _ = write!(text, " (the first {drawn} are drawn)");
        }
        if let Some(report) = self.reports.iter().find(|report| report.step == step) {
            let _ = write!(
                text,
                ", {} re-linearised contacts, {} added ones",
                report.relinearised, report.contacts_added
            );
            if report.rejected > 0 {
                let _ = write!(
                    text,
                    "; {} attempts were rolled back, and the step was divided into {} substeps",
                    report.rejected, report.substeps
                );
            }
        }
        text + ". Each point is the independent residual of the method stopped there; for staggered projections, of \
                the best of their projections. A vertical mark is the start of the next round, with the warm start of \
                the run for all methods."
    }

    /// Iterations of every method over the time of the run, and measures of the run itself.
    fn over_time(&self, methods: &[&str]) -> String {
        let time_of = |step: u64| {
            let report = self.reports.iter().find(|report| report.step == step);
            report.map(|report| report.time)
        };
        let compared = Plot {
            title: "Iterations per step, every method",
            x: Axis {
                label: "time, s",
                logarithmic: false,
            },
            y: Axis {
                label: "iterations",
                logarithmic: true,
            },
            level: None,
            lines: self
                .efforts
                .iter()
                .map(|effort| {
                    let steps = effort.steps.iter();
                    Line::new(
                        &effort.name,
                        colour_of(methods, &effort.name),
                        steps
                            .filter_map(|step| Some([time_of(step.step)?, step.iterations as f64]))
                            .collect(),
                    )
                })
                .collect(),
        };
        let line = |name, colour, value: fn(&StepReport) -> f64| {
            let points = self.reports.iter();
            Line::new(
                name,
                colour,
                points.map(|report| [report.time, value(report)]).collect(),
            )
        };
        let run = Plot {
            title: "Run: iterations, re-linearised contacts, rounds",
            x: Axis {
                label: "time, s",
                logarithmic: false,
            },
            y: Axis {
                label: "per step",
                logarithmic: false,
            },
            level: None,
            lines: vec![
                line("iterations", 0, |report| report.iterations as f64),
                line("re-linearised contacts", 2, |report| {
                    f64::from(report.relinearised)
                }),
                line("rounds", 1, |report| f64::from(report.rounds)),
            ],
        };
        let sums = Plot {
            title: "Iterations so far, every method, compared steps",
            lines: self
                .efforts
                .iter()
                .map(|effort| {
                    let mut sum = 0.0;
                    let steps = effort.steps.iter().filter_map(|step| {
                        sum += step.iterations as f64;
                        Some([time_of(step.step)?, sum])
                    });
                    Line::new(
                        &effort.name,
                        colour_of(methods, &effort.name),
                        steps.collect(),
                    )
                })
                .collect(),
            ..compared.clone()
        };
        compared.svg() + &sums.svg() + &run.svg() + &self.volumes()
    }

    /// Smallest volume ratios over time; empty without elements.
    fn volumes(&self) -> String {
        let points: Vec<[f64; 2]> = self
            .reports
            .iter()
            .filter(|report| report.minimum_volume_ratio.is_finite())
            .map(|report| [report.time, report.minimum_volume_ratio])
            .collect();
        if points.is_empty() {
            return String::new();
        }
        Plot {
            title: "Run: smallest volume ratio of an element",
            x: Axis {
                label: "time, s",
                logarithmic: false,
            },
            y: Axis {
                label: "volume over volume at rest",
                logarithmic: false,
            },
            level: None,
            lines: vec![Line::new("smallest volume ratio", 0, points)],
        }
        .svg()
    }

    fn convergence(&self, methods: &[&str]) -> String {
        let plot = |title, label, level, value: fn(&Point) -> f64| {
            Plot {
                title,
                // From 1, so that the warm start has a place on the logarithmic axis.
                x: Axis {
                    label: "1 + iterations, all rounds",
                    logarithmic: true,
                },
                y: Axis {
                    label,
                    logarithmic: true,
                },
                level,
                lines: self
                    .curves
                    .iter()
                    .map(|curve| {
                        let place = |point: &Point| [1.0 + point.iterations as f64, value(point)];
                        let begins = curve.rounds.iter();
                        Line {
                            marks: begins.map(|&at| place(&curve.points[at])).collect(),
                            ..Line::new(
                                &curve.name,
                                colour_of(methods, &curve.name),
                                curve.points.iter().map(place).collect(),
                            )
                        }
                    })
                    .collect(),
            }
            .svg()
        };
        plot(
            "Momentum residual",
            "e_v over its tolerance",
            Some(1.0),
            |p| p.momentum,
        ) + &plot(
            "Preconditioned residual",
            "sqrt(r D⁻¹ r), √J",
            None,
            |p| p.preconditioned,
        ) + &plot(
            "Constraint residual",
            "max(e_n, e_t, e_c) over tolerance",
            Some(1.0),
            |p| p.constraints,
        ) + &plot("State changes so far", "changes", None, |p| {
            p.state_changes as f64
        })
    }
}

fn colour_of(methods: &[&str], name: &str) -> usize {
    methods
        .iter()
        .position(|method| *method == name)
        .unwrap_or(0)
}
