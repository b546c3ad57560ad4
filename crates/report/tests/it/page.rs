//! Pages and their files.

use std::fs;

use impinge_report::scene::{SampleSize, size_of};
use impinge_report::{Draft, MethodRow, Page, ReportError, SceneRecord, curves};
use impinge_sim::{Scene, Simulation};

use super::{LANDING, land};

fn page() -> Page {
    let mut page = Page::new("test");
    page.push("<p>new</p>");
    page
}

#[test]
fn a_page_replaces_the_old_one_when_it_is_finished_and_not_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("deep/page.html");
    Draft::claim(&path)
        .and_then(|draft| draft.finish(&page().html()))
        .expect("a page");
    fs::write(&path, "old").expect("a file");

    let draft = Draft::claim(&path).expect("a place");
    assert_eq!(fs::read_to_string(&path).expect("a page"), "old");
    drop(draft);
    assert_eq!(fs::read_to_string(&path).expect("a page"), "old");
    let left = fs::read_dir(folder.path().join("deep"))
        .expect("a folder")
        .count();
    assert_eq!(left, 1, "a draft that was given up leaves nothing");

    Draft::claim(&path)
        .and_then(|draft| draft.finish(&page().html()))
        .expect("a page");
    assert!(
        fs::read_to_string(&path)
            .expect("a page")
            .contains("<p>new</p>")
    );
}

#[test]
fn places_where_no_page_can_be_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = Draft::claim(folder.path()).expect_err("a folder is no file");
    assert!(matches!(error, ReportError::Folder { .. }), "{error}");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a file");
    let error = Draft::claim(&file.join("page.html")).expect_err("a file is no folder");
    assert!(matches!(error, ReportError::Write { .. }), "{error}");
    assert!(error.to_string().contains("page.html"), "{error}");
}

#[test]
fn a_scene_has_its_table_its_plots_and_its_rounds() {
    let names = ["cr", "ica"];
    let landed = land(&names, 1, 2);
    let sample = landed.sample.expect("a step with contacts");
    let scene = Scene::parse("landing.toml", LANDING, &[""; 0]).expect("a scene");
    let simulation = Simulation::new(&scene).expect("a simulation");
    let record = SceneRecord {
        name: "landing".to_owned(),
        title: scene.title.clone(),
        size: size_of(simulation.model(), 2),
        reports: landed.reports,
        reference: "cr".to_owned(),
        methods: MethodRow::of(&landed.records, "cr", |_| None),
        remarks: "<p>remark</p>".to_owned(),
        efforts: landed.records,
        curves: curves(&sample, &landed.methods),
        sample: Some(SampleSize::from(&sample)),
        film: Some(landed.film),
    };
    let mut page = Page::new("test");
    page.push_scenes(&names, &[record]);
    let html = page.html();
    assert!(html.contains("<h3>landing: a cube lands</h3>"), "{html}");
    assert_eq!(html.matches("<svg").count(), 8);
    assert_eq!(html.matches("</svg>").count(), 8);
    // Each plot of convergence marks the second round of each method.
    let rounds = sample.rounds.len();
    assert_eq!(html.matches("class=\"mark\"").count(), 4 * 2 * (rounds - 1));
    assert!(html.contains(&format!("{rounds} rounds")), "{html}");
    assert!(html.contains("re-linearised contacts"));
    assert!(html.contains("<p>remark</p>"));
    assert_eq!(
        html.matches("class Viewer").count(),
        1,
        "one program for all films"
    );
    assert!(!html.contains("NaN"), "{html}");
}
