//! The page: every table, what the methods need over time, how they converge, and each scene to turn and play.
//!
//! One file without anything from outside: it can be sent, archived and opened without a network.

mod film;
mod plot;

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(super) use film::Film;
use plot::{Axis, COLOURS, Line, Plot};

use super::Extent;
use super::convergence::{Curve, Point};
use super::effort::{METHODS, REFERENCE};
use super::methods::{SceneRecord, pair};
use super::table::Table;

/// Where the page is written unless something else is asked for.
pub(super) fn place() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
        PathBuf::from,
    );
    target.join("conformance/report.html")
}

/// Writes the page, whole or not at all.
pub(super) fn write(
    path: &Path,
    extent: Extent,
    tables: &[Table],
    scenes: &[SceneRecord],
) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let unfinished = path.with_extension("html.tmp");
    fs::write(&unfinished, page(extent, tables, scenes))?;
    fs::rename(&unfinished, path)
}

fn page(extent: Extent, tables: &[Table], scenes: &[SceneRecord]) -> String {
    let variant = match extent {
        Extent::Quick => "small variants of the scenes (quick)",
        Extent::Full => "the scenes as shipped (full)",
    };
    let broken: usize = tables
        .iter()
        .flat_map(|table| &table.rows)
        .filter(|row| row.verdict() == "BROKEN")
        .count();
    let verdict = if broken == 0 {
        "Every guarantee holds.".to_owned()
    } else {
        format!("{broken} guarantees are BROKEN.")
    };
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>impinge: conformance</title>\n<style>\n{}</style></head>\n<body>\n<h1>impinge {}: conformance</h1>\n<p><b>{verdict}</b> Measured on {variant}, {} processors.</p>\n",
        include_str!("page.css"),
        env!("CARGO_PKG_VERSION"),
        std::thread::available_parallelism().map_or(1, usize::from),
    );
    if !scenes.is_empty() {
        html += "<h2>Contact methods</h2>\n";
        html += &legend();
        html += "<p class=\"note\">The run continues with the default method; the others solve the same problems from the same warm starts, to the same tolerances. An iteration takes one product with the momentum matrix; for staggered projections both projections count, for constraint anticipation its outer passes and linear iterations. “unmet” are solves beyond twice a tolerance, “relaxed” those whose friction is settled to the gap tolerance only. Residuals are the largest of any solve, over their tolerances, from an independent judge. Times are processor times.</p>\n";
        for scene in scenes {
            html += &scene_section(scene);
        }
    }
    for table in tables {
        html += &layer_section(table);
    }
    if scenes.iter().any(|scene| scene.film.is_some()) {
        let _ = write!(html, "<script>\n{}</script>\n", include_str!("film.js"));
    }
    html + "</body></html>\n"
}

/// Which colour is which method.
fn legend() -> String {
    let mut html = String::from("<p class=\"key\">");
    for (name, colour) in METHODS.iter().zip(COLOURS) {
        let _ = write!(
            html,
            "<span><i style=\"background:{colour}\"></i>{name}</span>"
        );
    }
    html + "</p>\n"
}

fn layer_section(table: &Table) -> String {
    let mut html = format!(
        "<h2>Layer: {}</h2>\n<div class=\"scroll\"><table><tr><th>case</th><th>measured</th><th>bound</th><th>verdict</th></tr>\n",
        escape(&table.layer)
    );
    for row in &table.rows {
        let verdict = row.verdict();
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"{verdict}\">{verdict}</td></tr>",
            escape(&row.case),
            escape(&row.measured),
            escape(&row.bound)
        );
    }
    html + "</table></div>\n"
}

fn scene_section(scene: &SceneRecord) -> String {
    let mut html = format!(
        "<h3>{}: {}</h3>\n<p class=\"note\">{}.</p>\n",
        escape(scene.name),
        escape(&scene.title),
        escape(&scene.size)
    );
    if let Some(film) = &scene.film {
        let _ = writeln!(
            html,
            "<figure class=\"film\"><canvas width=\"760\" height=\"430\"></canvas><br><button>play</button> <input type=\"range\" min=\"0\" value=\"0\" aria-label=\"time\"> <output></output><script type=\"application/json\">{}</script></figure>",
            film.json()
        );
    }
    html += &method_table(scene);
    html += "<div class=\"plots\">\n";
    html += &over_time(scene);
    html += "</div>\n";
    if let Some((step, contacts)) = scene.sample {
        let _ = writeln!(
            html,
            "<p class=\"note\">Convergence on the compared problem with the most contacts: {contacts}, step {step}. Each point is the answer of the method stopped there, judged from outside; staggered projections answer with the best of their projections.</p>\n<div class=\"plots\">\n{}</div>",
            convergence(&scene.curves)
        );
    }
    html
}

fn method_table(scene: &SceneRecord) -> String {
    let mut html = format!(
        "<div class=\"scroll\"><table><tr><th>method</th><th>iterations<br>mean (median)</th><th>/ {REFERENCE}<br>mean (median)</th><th>paper</th><th>products</th><th>ms<br>mean (median)</th><th>time<br>/ {REFERENCE}</th><th>state<br>changes</th><th>unmet</th><th>relaxed</th><th>e_v</th><th>e_n</th><th>e_t</th><th>depth</th></tr>\n"
    );
    for row in &scene.methods {
        let mut cells = vec![
            row.name.clone(),
            pair(row.iterations, 1),
            pair(row.ratio, 2),
            row.paper.map_or_else(|| "–".to_owned(), |x| x.to_string()),
            format!("{:.0}", row.products),
            pair(row.milliseconds, 1),
            format!("{:.2}", row.time_ratio),
            format!("{:.0}", row.state_changes),
            row.unmet.to_string(),
            row.relaxed.to_string(),
        ];
        cells.extend(row.residuals.map(|e| format!("{e:.2}")));
        let _ = writeln!(html, "<tr><td>{}</td></tr>", cells.join("</td><td>"));
    }
    html + "</table></div>\n"
}

/// Iterations of every method over the time of the run, and what the run itself did.
fn over_time(scene: &SceneRecord) -> String {
    let time_of = |step: u64| {
        scene
            .reports
            .get(step as usize - 1)
            .map(|report| report.time)
    };
    let methods = Plot {
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
        lines: scene
            .efforts
            .iter()
            .enumerate()
            .map(|(colour, effort)| Line {
                name: &effort.name,
                colour,
                points: effort
                    .steps
                    .iter()
                    .filter_map(|step| Some([time_of(step.step)?, step.iterations as f64]))
                    .collect(),
            })
            .collect(),
    };
    let line = |name, colour, value: fn(&impinge_sim::StepReport) -> f64| Line {
        name,
        colour,
        points: scene
            .reports
            .iter()
            .map(|report| [report.time, value(report)])
            .collect(),
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
    methods.svg() + &run.svg()
}

fn convergence(curves: &[Curve]) -> String {
    let plot = |title, label, level, value: fn(&Point) -> f64| {
        Plot {
            title,
            x: Axis {
                label: "iterations",
                logarithmic: true,
            },
            y: Axis {
                label,
                logarithmic: true,
            },
            level,
            lines: curves
                .iter()
                .map(|curve| Line {
                    name: curve.name,
                    colour: METHODS
                        .iter()
                        .position(|name| *name == curve.name)
                        .unwrap_or(0),
                    points: curve
                        .points
                        .iter()
                        .map(|point| [point.iterations.max(1) as f64, value(point)])
                        .collect(),
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
        "max(e_n, e_t) over tolerance",
        Some(1.0),
        |p| p.constraints,
    ) + &plot("State changes so far", "changes", None, |p| {
        p.state_changes as f64
    })
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
