//! The tutorial: its scenes are run by its own commands.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Place, SCENE};

/// One fenced block of a page.
struct Block {
    language: String,
    /// The last code span before the block that names a scene.
    scene: Option<String>,
    text: String,
}

/// The fenced blocks of `page`.
fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut scene, mut open) = (None, false);
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            open = !open;
            if open {
                blocks.push(Block {
                    language: language.to_owned(),
                    scene: scene.clone(),
                    text: String::new(),
                });
            }
        } else if open {
            let block = blocks.last_mut().expect("the fence opened a block");
            block.text.push_str(line);
            block.text.push('\n');
        } else {
            let spans = line.split('`').skip(1).step_by(2);
            let is_scene = |span: &&str| {
                Path::new(span).extension().is_some_and(|end| end == "toml") && !span.contains('/')
            };
            scene = spans.filter(is_scene).map(str::to_owned).last().or(scene);
        }
    }
    blocks
}

fn pages(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(folder);
    let mut pages: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the book is beside the crates")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages
}

/// Follows a page to the letter: writes its scenes, and runs its commands.
fn follow(page: &Path) -> (Place, (usize, usize)) {
    let text = fs::read_to_string(page).expect("the page exists");
    let place = Place::new(SCENE);
    let (mut scenes, mut commands) = (0, 0);
    for block in blocks(&text) {
        if block.language == "toml" {
            let name = block.scene.expect("the text before a scene names its file");
            fs::write(place.path(&name), &block.text).expect("room for a file");
            scenes += 1;
        }
        for command in block.text.lines().filter(|_| block.language == "sh") {
            let words: Vec<&str> = command
                .split(" #")
                .next()
                .unwrap_or_default()
                .split_whitespace()
                .collect();
            if let Some(("impinge", rest)) = words.split_first().map(|(first, rest)| (*first, rest))
            {
                let answer = place.impinge(rest);
                assert_eq!(
                    answer.code,
                    Some(0),
                    "{}: {command}\n{}{}",
                    page.display(),
                    answer.out,
                    answer.err
                );
                if rest[0] == "doctor" {
                    assert!(
                        answer.out.contains("0 errors, 0 warnings"),
                        "{command}: {}",
                        answer.out
                    );
                }
                if rest[0] == "verify" {
                    assert!(
                        answer.out.contains(": sound; "),
                        "{command}: {}",
                        answer.out
                    );
                }
                commands += 1;
            }
        }
    }
    (place, (scenes, commands))
}

#[test]
fn the_tutorial_does_what_it_says() {
    let pages = pages("tutorial");
    assert_eq!(pages.len(), 5);
    for page in pages {
        let (_, (scenes, commands)) = follow(&page);
        assert!(scenes == 1 && commands >= 2, "{}", page.display());
    }
}

/// The text of the gripper: its forces are the grip and half the weight, and less friction leaves the ball behind.
#[test]
fn the_gripper_of_the_tutorial_carries_the_ball_by_friction() {
    let page = pages("tutorial")
        .into_iter()
        .find(|page| page.ends_with("gripper.md"));
    let text = fs::read_to_string(page.expect("the page exists")).expect("the page exists");
    let place = Place::new(SCENE);
    let scene = blocks(&text)
        .into_iter()
        .find(|block| block.language == "toml");
    fs::write(place.path("gripper.toml"), scene.expect("a scene").text).expect("room for a file");
    let force = |options: &[&str]| {
        let mut arguments = vec!["run", "gripper.toml", "--set", "output.every=400"];
        arguments.extend(options);
        let answer = place.impinge(&arguments);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        let table = fs::read_to_string(place.path("out/gripper/rigid.csv")).expect("the table");
        let mut rows = table.lines();
        let column = rows
            .next()
            .and_then(|head| head.split(',').position(|name| name == "force_z"));
        let column = column.expect("a column of forces");
        let left = rows
            .rfind(|row| row.contains(",left,"))
            .expect("a row of the finger");
        left.split(',')
            .nth(column)
            .and_then(|force| force.parse::<f64>().ok())
            .expect("a number")
    };
    // 500 kg/m³ in the ball of 80 flat faces an edge, which is 3 % smaller than a round one.
    let weight = 9.81 * 500.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.03_f64.powi(3);
    let carried = -2.0 * force(&[]);
    assert!(
        (0.9 * weight..weight).contains(&carried),
        "{carried} N of {weight} N"
    );
    let carried = -2.0 * force(&["--set", "world.friction=0.05"]);
    assert!(carried.abs() < 0.5 * weight, "{carried} N of {weight} N");
}

/// The page on friction: a bar far within its friction does not creep out of a grip, and beyond it slips.
#[test]
fn the_bar_of_the_page_on_friction_stays_in_its_grip() {
    let page = pages(".")
        .into_iter()
        .find(|page| page.ends_with("friction_that_holds.md"));
    let page = page.expect("the page exists");
    let (place, counts) = follow(&page);
    assert_eq!(counts, (1, 2));
    let height = |run: &str| {
        let table = fs::read_to_string(place.path(run).join("rigid.csv")).expect("the table");
        let row = table
            .lines()
            .rfind(|row| row.contains(",bar,"))
            .expect("a row of the bar");
        row.split(',')
            .nth(6)
            .and_then(|z| z.parse::<f64>().ok())
            .expect("a number")
    };
    let (held, slipped) = (height("out/pinch"), height("out/slips"));
    assert!(held.abs() < 1e-7, "a bar that sticks moved by {held} m");
    assert!(
        slipped < -1e-2,
        "a bar beyond its friction moved by {slipped} m"
    );
}

/// The README: its scene runs and verifies, and its Rust is an example that `cargo xtask ci examples` runs.
#[test]
fn the_readme_does_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("README.md")).expect("the README");
    let of = |language: &str| {
        let block = blocks(&text)
            .into_iter()
            .find(|block| block.language == language);
        block.expect("the README has such a block").text
    };
    let place = Place::new(SCENE);
    fs::write(place.path("ball.toml"), of("toml")).expect("room for a file");
    let commands = text
        .lines()
        .filter(|line| line.starts_with("impinge ") && line.contains("ball"));
    let mut count = 0;
    for command in commands {
        let words = command
            .split(" #")
            .next()
            .unwrap_or_default()
            .split_whitespace();
        let arguments: Vec<&str> = words.skip(1).collect();
        let answer = place.impinge(&arguments);
        assert_eq!(
            answer.code,
            Some(0),
            "{command}: {}{}",
            answer.out,
            answer.err
        );
        count += 1;
    }
    assert_eq!(count, 6);
    let example =
        fs::read_to_string(root.join("crates/sim/examples/ball.rs")).expect("the example");
    assert!(
        example.ends_with(&of("rust")),
        "crates/sim/examples/ball.rs differs from README.md"
    );
}
