//! `--ccd FOLDER`: every query file of a folder, checked against its ground truth.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use impinge_ccd_oracle::{Corners, ExactQuery, Kind};
use impinge_geometry::ccd::{self, CcdRule, Toi};
use nalgebra::Vector3;

use super::{Extent, Table};

/// Reasons for an unusable folder of queries.
#[derive(Debug, thiserror::Error)]
pub(super) enum QueryError {
    /// The folder or a file cannot be read.
    #[error("{path}: {source}; --ccd FOLDER or IMPINGE_DATA names another place", path = .path.display())]
    Unreadable {
        /// Path of the folder or file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The folder has no queries.
    #[error("{path}: no queries: the folder needs files *.csv with one query per line", path = .path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// A line is not a query.
    #[error("{path}:{line}: {problem}", path = .path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// Counted from one.
        line: usize,
        /// The error and the expected form.
        problem: String,
    },
}

/// Fields before the coordinates: id, kind, scene, source, truth, toi_lo, toi_hi, contact.
const HEAD: usize = 8;

/// The ground truth of a query.
#[derive(Clone, Copy, PartialEq)]
enum Truth {
    Free,
    Touches {
        /// The smallest `f64` not below the exact first time, if the file has it.
        latest: Option<f64>,
    },
}

/// One line of a query file.
struct Row<'a> {
    kind: Kind,
    scene: &'a str,
    truth: Truth,
    start: Corners,
    end: Corners,
}

/// Counts of the queries of one scene.
#[derive(Default)]
struct Tally {
    queries: usize,
    colliding: usize,
    misses: usize,
    late: usize,
    false_alarms: usize,
    work_limited: usize,
    nanoseconds: Vec<f64>,
}

/// Runs every `*.csv` of the folder; prints one line per kind and scene of each file.
pub(super) fn fill(table: &mut Table, folder: &Path, extent: Extent) -> Result<(), QueryError> {
    let mut total = 0;
    for path in query_files(folder)? {
        let text = std::fs::read_to_string(&path).map_err(|source| QueryError::Unreadable {
            path: path.clone(),
            source,
        })?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        total += file(table, &path, &name, &text, extent)?;
    }
    if total == 0 {
        return Err(QueryError::Empty {
            path: folder.to_owned(),
        });
    }
    Ok(())
}

/// The `*.csv` files of a folder, sorted by name.
fn query_files(folder: &Path) -> Result<Vec<PathBuf>, QueryError> {
    let unreadable = |source| QueryError::Unreadable {
        path: folder.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_table = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        if is_table && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Runs the queries of one file and returns their number.
fn file(
    table: &mut Table,
    path: &Path,
    name: &str,
    text: &str,
    extent: Extent,
) -> Result<usize, QueryError> {
    let mut scenes: BTreeMap<(Kind, String), Tally> = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        // Comments, the column names, and a final empty line.
        if line.is_empty() || line.starts_with('#') || line.starts_with("id,") {
            continue;
        }
        let row = Row::parse(line).map_err(|problem| QueryError::Row {
            path: path.to_owned(),
            line: index + 1,
            problem,
        })?;
        scenes
            .entry((row.kind, row.scene.to_owned()))
            .or_default()
            .judge(&row, extent);
    }
    if scenes.is_empty() {
        return Ok(0);
    }
    println!(
        "{:<42}{:>8}{:>9}{:>8}{:>6}{:>8}{:>9}{:>11}{:>9}{:>9}",
        format!("{name}, by kind and scene"),
        "queries",
        "collide",
        "misses",
        "late",
        "alarms",
        "limited",
        "median ns",
        "p99 ns",
        "max ns"
    );
    let mut all = Tally::default();
    for ((kind, scene), tally) in &mut scenes {
        tally.print(&format!("{} {scene}", short_name(*kind)));
        all.absorb(tally);
    }
    all.print("all");
    println!();
    table.figure(
        &format!("ccd {name}: queries, false alarms"),
        format!("{}, {}", all.queries, all.false_alarms),
    );
    table.exactly(&format!("ccd {name}: impacts missed"), all.misses, 0);
    table.exactly(&format!("ccd {name}: impacts reported late"), all.late, 0);
    Ok(all.queries)
}

fn short_name(kind: Kind) -> &'static str {
    match kind {
        Kind::VertexFace => "vf",
        Kind::EdgeEdge => "ee",
    }
}

impl<'a> Row<'a> {
    fn parse(line: &'a str) -> Result<Self, String> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        if fields.len() != HEAD + 24 {
            return Err(format!(
                "{} fields instead of {}: id, kind, scene, source, truth, toi_lo, toi_hi, contact, then 24 coordinates",
                fields.len(),
                HEAD + 24
            ));
        }
        let kind = match fields[1] {
            "vf" => Kind::VertexFace,
            "ee" => Kind::EdgeEdge,
            other => return Err(format!("kind `{other}` is neither `vf` nor `ee`")),
        };
        let number = |index: usize| {
            let field = fields[index];
            match field.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(value),
                _ => Err(format!(
                    "field {}: `{field}` is no finite number",
                    index + 1
                )),
            }
        };
        let truth = match fields[4] {
            "0" => Truth::Free,
            "1" => Truth::Touches {
                latest: if fields[6].is_empty() {
                    None
                } else {
                    Some(number(6)?)
                },
            },
            other => return Err(format!("truth `{other}` is neither `0` nor `1`")),
        };
        let mut corners = [[[0.0; 3]; 4]; 2];
        for (index, coordinate) in corners
            .as_flattened_mut()
            .as_flattened_mut()
            .iter_mut()
            .enumerate()
        {
            *coordinate = number(HEAD + index)?;
        }
        let [start, end] = corners;
        Ok(Self {
            kind,
            scene: fields[2],
            truth,
            start,
            end,
        })
    }
}

impl Tally {
    fn judge(&mut self, row: &Row<'_>, extent: Extent) {
        // Repetitions, of which the fastest counts, and calls per time measurement.
        let (rounds, calls) = match extent {
            Extent::Quick => (3, 4),
            Extent::Full => (15, 20),
        };
        let query = match row.kind {
            Kind::VertexFace => ccd::vertex_face,
            Kind::EdgeEdge => ccd::edge_edge,
        };
        let (start, end) = (row.start.map(Vector3::from), row.end.map(Vector3::from));
        let rule = CcdRule::default();
        let mut fastest = f64::INFINITY;
        for _ in 0..rounds {
            let clock = Instant::now();
            for _ in 0..calls {
                black_box(query(black_box(&start), black_box(&end), &rule));
            }
            fastest = fastest.min(clock.elapsed().as_nanos() as f64 / f64::from(calls));
        }
        self.queries += 1;
        self.nanoseconds.push(fastest);
        self.colliding += usize::from(row.truth != Truth::Free);
        match (row.truth, query(&start, &end, &rule)) {
            (Truth::Touches { .. }, Toi::Separated) => self.misses += 1,
            (Truth::Touches { latest }, Toi::Impact { time, work_limited }) => {
                self.work_limited += usize::from(work_limited);
                self.late += usize::from(match latest {
                    Some(latest) => time > latest,
                    // Exact arithmetic finds a time that the file lacks.
                    None => ExactQuery::new(row.kind, &row.start, &row.end, 0.0)
                        .is_none_or(|exact| exact.touches_before(time)),
                });
            }
            (Truth::Free, Toi::Impact { work_limited, .. }) => {
                self.work_limited += usize::from(work_limited);
                self.false_alarms += 1;
            }
            (Truth::Free, Toi::Separated) => {}
        }
    }

    fn at_percent(&self, percent: usize) -> f64 {
        self.nanoseconds[(self.nanoseconds.len() - 1) * percent / 100]
    }

    fn absorb(&mut self, other: &Self) {
        self.queries += other.queries;
        self.colliding += other.colliding;
        self.misses += other.misses;
        self.late += other.late;
        self.false_alarms += other.false_alarms;
        self.work_limited += other.work_limited;
        self.nanoseconds.extend_from_slice(&other.nanoseconds);
    }

    fn print(&mut self, name: &str) {
        self.nanoseconds.sort_unstable_by(f64::total_cmp);
        println!(
            "  {name:<40}{:>8}{:>9}{:>8}{:>6}{:>8}{:>9}{:>11.0}{:>9.0}{:>9.0}",
            self.queries,
            self.colliding,
            self.misses,
            self.late,
            self.false_alarms,
            self.work_limited,
            self.at_percent(50),
            self.at_percent(99),
            self.at_percent(100)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: &str = "0,vf,s,f:0,0,,,,0,0,1,0,0,0,1,0,0,0,1,0,0,0,1,0,0,0,1,0,0,0,1,0";
    const HIT: &str =
        "1,vf,s,f:1,1,0.5,0.5,interior,0,0,1,0,0,0,1,0,0,0,1,0,0,0,-1,0,0,0,1,0,0,0,1,0";

    fn run(text: &str) -> (Table, Result<usize, QueryError>) {
        let mut table = Table::new("queries");
        let result = file(
            &mut table,
            Path::new("some.csv"),
            "some",
            text,
            Extent::Quick,
        );
        (table, result)
    }

    #[test]
    fn remarks_and_empty_lines_are_passed_over() {
        let unknown_time = HIT.replace("0.5,0.5", ",");
        let text = format!("# remark\r\nid,kind,\n{FREE}\n{HIT}\r\n{unknown_time}\n\n");
        let (table, result) = run(&text);
        assert_eq!(result.expect("these are queries"), 3);
        assert!(table.holds());
    }

    #[test]
    fn wrong_answers_break_the_guarantee() {
        // A separated query declared colliding counts as a miss; a contact declared earlier counts as late.
        for wrong in [
            FREE.replace("f:0,0,,,", "f:0,1,,,"),
            HIT.replace("0.5,0.5", "0.25,0.25"),
        ] {
            assert!(!run(&wrong).0.holds(), "{wrong}");
        }
    }

    #[test]
    fn wrong_rows_are_named_by_file_and_line() {
        for (row, problem) in [
            (FREE.replace(",vf,", ",fv,"), "kind `fv`"),
            (FREE.replace("f:0,0,", "f:0,2,"), "truth `2`"),
            (FREE.replacen(",1,0,0,0,1", ",1,0,0,1", 1), "31 fields"),
            (format!("{FREE},7"), "33 fields"),
            (format!("{}NaN", &FREE[..FREE.len() - 1]), "field 32: `NaN`"),
            (FREE.replacen("0,0,1,0", "0,0,1 0,0", 1), "field 11: `1 0`"),
        ] {
            let error = run(&format!("# remark\n{FREE}\n{row}"))
                .1
                .expect_err("not a query")
                .to_string();
            assert!(error.starts_with("some.csv:3: "), "{error}");
            assert!(error.contains(problem), "{error}");
        }
    }
}
