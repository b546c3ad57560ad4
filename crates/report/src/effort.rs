//! One row per method: its effort over the compared steps of a run.

use impinge_sim::compare::{Average, MethodRecord};

use crate::escape::escape;

/// Largest residual of an accepted solve over its tolerance ([`impinge_contact::ContactResidual::meets`]).
pub const ACCEPTED: f64 = 2.0;

/// One line of the comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodRow {
    /// Name of the method, with settings.
    pub name: String,
    /// Iterations per step.
    pub iterations: Average,
    /// Iterations over those of the reference: of the means, of the medians.
    pub ratio: Average,
    /// The ratio in a paper, if given there.
    pub paper: Option<f64>,
    /// Mean number of products with the momentum matrix per step.
    pub products: f64,
    /// Processor time per step.
    pub milliseconds: Average,
    /// Processor time over that of the reference: of the means, of the medians.
    pub time_ratio: Average,
    /// Mean number of state changes per step.
    pub state_changes: f64,
    /// Solves above the residual of an accepted one.
    pub unmet: u32,
    /// Solves with relaxed friction.
    pub relaxed: u32,
    /// Largest `e_v`, `e_n`, `e_t` and penetration, over their tolerances.
    pub residuals: [f64; 4],
}

impl MethodRow {
    /// One row for each of `records`, compared with the one named `reference`; empty if there is no such record.
    /// `paper` returns the ratio of a method in a paper.
    pub fn of(
        records: &[MethodRecord],
        reference: &str,
        paper: impl Fn(&str) -> Option<f64>,
    ) -> Vec<Self> {
        let Some(reference) = records.iter().find(|record| record.name == reference) else {
            return Vec::new();
        };
        let iterations = |record: &MethodRecord| record.average(|step| step.iterations as f64);
        let seconds = |record: &MethodRecord| record.average(|step| step.seconds);
        let reference_iterations = iterations(reference);
        let reference_time = seconds(reference);
        records
            .iter()
            .map(|record| {
                let own = iterations(record);
                let own_time = seconds(record);
                Self {
                    name: record.name.clone(),
                    iterations: own,
                    ratio: Average {
                        mean: own.mean / reference_iterations.mean,
                        median: own.median / reference_iterations.median,
                    },
                    paper: paper(&record.name),
                    products: record.average(|step| step.products as f64).mean,
                    milliseconds: Average {
                        mean: 1e3 * own_time.mean,
                        median: 1e3 * own_time.median,
                    },
                    time_ratio: Average {
                        mean: own_time.mean / reference_time.mean,
                        median: own_time.median / reference_time.median,
                    },
                    state_changes: record.average(|step| step.state_changes as f64).mean,
                    unmet: record.total(|step| step.unmet),
                    relaxed: record.total(|step| step.relaxed),
                    residuals: [
                        record.worst(|step| step.momentum),
                        record.worst(|step| step.normal),
                        record.worst(|step| step.friction),
                        record.worst(|step| step.penetration),
                    ],
                }
            })
            .collect()
    }
}

/// The rows as a table; ratios refer to `reference`.
pub fn table(rows: &[MethodRow], reference: &str) -> String {
    let reference = escape(reference);
    let paper = rows.iter().any(|row| row.paper.is_some());
    let mut html = format!(
        "<div class=\"scroll\"><table><tr><th>method</th><th>iterations<br>mean (median)</th><th>/ \
         {reference}<br>mean (median)</th>{}<th>products</th><th>ms<br>mean (median)</th><th>time / \
         {reference}<br>mean \
         (median)</th><th>state<br>changes</th><th>unmet</th><th>relaxed</th>\
         <th>e_v</th><th>e_n</th><th>e_t</th><th>depth</th></tr>\n",
        if paper { "<th>paper</th>" } else { "" },
    );
    for row in rows {
        html += "<tr>";
        html += &cell(&escape(&row.name));
        html += &cell(&pair(row.iterations, 1));
        html += &cell(&pair(row.ratio, 2));
        if paper {
            html += &cell(&row.paper.map_or_else(|| "–".to_owned(), |x| x.to_string()));
        }
        html += &cell(&format!("{:.0}", row.products));
        html += &cell(&pair(row.milliseconds, 1));
        html += &cell(&pair(row.time_ratio, 2));
        html += &cell(&format!("{:.0}", row.state_changes));
        html += &judged(&row.unmet.to_string(), row.unmet == 0);
        html += &cell(&row.relaxed.to_string());
        for e in row.residuals {
            html += &judged(&figure(e, 2), e < ACCEPTED);
        }
        html += "</tr>\n";
    }
    html + "</table></div>\n"
}

/// Variants of methods as a table: the difference and the effort; ratios refer to `reference`.
pub fn variants(rows: &[(String, MethodRow)], reference: &str) -> String {
    let mut html = format!(
        "<div class=\"scroll\"><table><tr><th>variant</th><th>difference</th><th>iterations<br>mean \
         (median)</th><th>/ {}<br>mean (median)</th><th>ms<br>mean (median)</th><th>unmet</th></tr>\n",
        escape(reference)
    );
    for (what, row) in rows {
        html += "<tr>";
        html += &cell(&escape(&row.name));
        html += "<td class=\"words\">";
        html += &escape(what);
        html += "</td>";
        html += &cell(&pair(row.iterations, 1));
        html += &cell(&pair(row.ratio, 2));
        html += &cell(&pair(row.milliseconds, 1));
        html += &judged(&row.unmet.to_string(), row.unmet == 0);
        html += "</tr>\n";
    }
    html + "</table></div>\n"
}

/// One cell.
fn cell(text: &str) -> String {
    format!("<td>{text}</td>")
}

/// One cell, marked unless `good`.
fn judged(text: &str, good: bool) -> String {
    if good {
        cell(text)
    } else {
        format!("<td class=\"bad\">{text}</td>")
    }
}

/// `mean (median)`.
pub fn pair(average: Average, digits: usize) -> String {
    let Average { mean, median } = average;
    format!("{} ({})", figure(mean, digits), figure(median, digits))
}

/// A number, or a dash for the ratio of zero to zero.
fn figure(value: f64, digits: usize) -> String {
    if value.is_nan() {
        "–".to_owned()
    } else {
        format!("{value:.digits$}")
    }
}
