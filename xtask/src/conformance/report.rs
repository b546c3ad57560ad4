//! The page of all tables and of the contact methods by scene; and its numbers as tables beside it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use impinge_report::page::escape;
use impinge_report::{Draft, Page, ReportError, SceneRecord, data};

use super::Extent;
use super::methods::METHODS;
use super::table::Table;

/// Default path of the page.
pub(super) fn place() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
        PathBuf::from,
    );
    target.join("conformance/report.html")
}

/// Writes the page, and beside it `NAME-tables.csv` and, for each scene, `NAME-SCENE-steps.csv` and
/// `NAME-SCENE-convergence.csv`; each atomically.
pub(super) fn write(
    path: &Path,
    extent: Extent,
    tables: &[Table],
    scenes: &[SceneRecord],
) -> Result<(), ReportError> {
    Draft::claim(path)?.finish(&page(extent, tables, scenes).html())?;
    let beside = |what: &str, text: &str| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Draft::claim(&path.with_file_name(format!("{name}-{what}.csv")))?.finish(text)
    };
    let rows = tables.iter().flat_map(|table| {
        table.rows.iter().map(|row| {
            (
                &table.layer,
                &row.case,
                &row.measured,
                &row.bound,
                row.verdict(),
            )
        })
    });
    beside(
        "tables",
        &data::table("layer case measured bound verdict", rows),
    )?;
    for scene in scenes {
        let name = &scene.name;
        beside(&format!("{name}-steps"), &data::efforts(&scene.efforts))?;
        beside(
            &format!("{name}-convergence"),
            &data::convergence(&scene.curves),
        )?;
    }
    Ok(())
}

fn page(extent: Extent, tables: &[Table], scenes: &[SceneRecord]) -> Page {
    let variant = match extent {
        Extent::Quick => "small variants of the scenes (quick)",
        Extent::Full => "the scenes as shipped (full)",
    };
    let count = |verdict| -> usize { tables.iter().map(|table| table.count(verdict)).sum() };
    let [broken, reached, missed] = ["BROKEN", "reached", "MISSED"].map(count);
    let mut verdict = if broken == 0 {
        "Every guarantee holds.".to_owned()
    } else {
        format!("{broken} guarantees are BROKEN.")
    };
    if reached + missed > 0 {
        let _ = write!(
            verdict,
            " Of {} aims, which are about speed, {missed} are missed.",
            reached + missed
        );
    }
    let mut page = Page::new("conformance");
    page.push(&format!(
        "<p><b>{verdict}</b> Measured on {variant}, {} processors.</p>\n",
        std::thread::available_parallelism().map_or(1, usize::from),
    ));
    if !scenes.is_empty() {
        page.push_scenes(&METHODS, scenes);
    }
    for table in tables {
        page.push(&layer_section(table));
    }
    page
}

fn layer_section(table: &Table) -> String {
    let mut html = format!(
        "<h2>Layer: {}</h2>\n<div \
         class=\"scroll\"><table><tr><th>case</th><th>measured</th><th>bound</th><th>verdict</th></tr>\n",
        escape(&table.layer)
    );
    for row in &table.rows {
        let verdict = row.verdict();
        let _ = writeln!(
            html,
            "<tr class=\"{verdict}\"><td>{}</td><td>{}</td><td>{}</td><td class=\"{verdict}\">{verdict}</td></tr>",
            escape(&row.case),
            escape(&row.measured),
            escape(&row.bound)
        );
    }
    html + "</table></div>\n"
}
