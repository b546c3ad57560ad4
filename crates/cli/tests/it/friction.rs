//! `solve` on friction problems.

use std::fs;

use super::{Place, SCENE};

/// Two particles, one sliding and one sticking.
const PROBLEM: &str = "FCP 1 local
name two
contacts 2
mu 0.5 0.5
q -2 3 4   -2 0.5 0
W 2
0 0  0.5 0 0  0 0.5 0  0 0 0.5
1 1  0.5 0 0  0 0.5 0  0 0 0.5
end
";

fn place(problem: &str) -> Place {
    let place = Place::new(SCENE);
    fs::write(place.path("two.fcp"), problem).expect("room for a file");
    place
}

#[test]
fn a_problem_is_solved_judged_and_written() {
    let place = place(PROBLEM);
    for method in ["auto", "pgs", "newton", "admm"] {
        let answer = place.impinge(&["solve", "two.fcp", "--method", method, "--out", "r.txt"]);
        assert_eq!(
            answer.code,
            Some(0),
            "{method}: {}{}",
            answer.out,
            answer.err
        );
        assert!(
            answer.out.contains("two: 2 contacts, 2 blocks of W"),
            "{}",
            answer.out
        );
        assert!(answer.out.contains("solved after"), "{}", answer.out);
        let text = fs::read_to_string(place.path("r.txt")).expect("written");
        let numbers: Vec<f64> = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .flat_map(str::split_whitespace)
            .map(|word| word.parse().expect("a number"))
            .collect();
        for (found, expected) in numbers.iter().zip([4.0, -1.2, -1.6, 4.0, -1.0, 0.0]) {
            assert!((found - expected).abs() < 1e-6, "{text}");
        }
        assert_eq!(numbers.len(), 6);
    }
}

#[test]
fn a_tolerance_out_of_reach_is_code_1() {
    let place = place(&PROBLEM.replace("-2 3 4", "-2.1 3.3 4.7"));
    let answer = place.impinge(&[
        "solve",
        "two.fcp",
        "--method",
        "admm",
        "--tolerance",
        "1e-300",
    ]);
    assert_eq!(answer.code, Some(1), "{}", answer.out);
    assert!(answer.out.contains("not met"), "{}", answer.out);
    assert!(answer.err.contains("raise --tolerance"), "{}", answer.err);
}

#[test]
fn unusable_problems_give_code_3_with_file_and_place() {
    let place = place(&PROBLEM.replace("mu 0.5", "mu -0.5"));
    let answer = place.impinge(&["solve", "two.fcp"]);
    assert_eq!(answer.code, Some(3));
    assert_eq!(
        answer.err,
        "error: two.fcp: contact 0 has the friction coefficient -0.5; give a finite number that is at least 0\n"
    );
    let broken = [
        ("1 1  0.5", "1 1  nan", "NaN"),
        ("q -2 3 4", "q -2 inf 4", "inf"),
        (
            "W 2\n",
            "W 3\n0 1  0.1 0 0  0 0.1 0  0 0 0.1\n",
            "W is not symmetric: blocks (0, 1) and (1, 0)",
        ),
    ];
    for (sound, unsound, said) in broken {
        fs::write(place.path("two.fcp"), PROBLEM.replace(sound, unsound)).expect("room for a file");
        let answer = place.impinge(&["solve", "two.fcp"]);
        assert_eq!(answer.code, Some(3), "{said}: {}", answer.out);
        assert!(
            answer.err.starts_with("error: two.fcp: ") && answer.err.contains(said),
            "{}",
            answer.err
        );
    }
    let answer = place.impinge(&["solve", "missing.fcp"]);
    assert_eq!(answer.code, Some(3));
    assert!(
        answer.err.starts_with("error: missing.fcp: "),
        "{}",
        answer.err
    );
    fs::write(place.path("two.fcp"), PROBLEM).expect("room for a file");
    let answer = place.impinge(&["solve", "two.fcp", "--method", "lemke"]);
    assert_eq!(answer.code, Some(3));
    assert!(
        answer.err.contains("auto, pgs, newton, admm"),
        "{}",
        answer.err
    );
    let answer = place.impinge(&["solve", "two.fcp", "--out", "no/such/folder/r.txt"]);
    assert_eq!(answer.code, Some(6));
}

#[test]
fn reactions_do_not_take_the_place_of_their_problem() {
    let place = place(PROBLEM);
    let answer = place.impinge(&["solve", "two.fcp", "--out", "./two.fcp"]);
    assert_eq!(answer.code, Some(3), "{}", answer.err);
    assert!(
        answer
            .err
            .contains("--out ./two.fcp: this is an input file"),
        "{}",
        answer.err
    );
    let text = fs::read_to_string(place.path("two.fcp")).expect("still there");
    assert_eq!(text, PROBLEM);
}

/// Two contacts with opposite velocities: one of them penetrates for any forces, and forces of 1e8 make both errors
/// small.
#[test]
fn forces_blown_up_are_no_answer() {
    let opposed = PROBLEM
        .replace("q -2 3 4   -2 0.5 0", "q -1 0 0   -1 0 0")
        .replace("mu 0.5 0.5", "mu 0 0")
        .replace(
            "W 2",
            "W 4\n0 1  -0.5 0 0  0 -0.5 0  0 0 -0.5\n1 0  -0.5 0 0  0 -0.5 0  0 0 -0.5",
        );
    let place = place(&opposed);
    for method in ["auto", "pgs", "newton", "admm"] {
        let answer = place.impinge(&["solve", "two.fcp", "--method", method]);
        assert_eq!(
            answer.code,
            Some(1),
            "{method}: {}{}",
            answer.out,
            answer.err
        );
    }
    let answer = place.impinge(&["solve", "two.fcp", "--method", "newton"]);
    assert!(
        answer
            .out
            .contains("is above max(1e-3, tolerance): not met"),
        "{}",
        answer.out
    );
    assert!(
        answer.err.contains("no solution: both relative errors")
            && answer.err.contains("\n  mend: give a smaller --tolerance"),
        "{}",
        answer.err
    );
}

/// Column starts beyond the entries: the matrix library would index with them.
#[test]
fn column_starts_out_of_order_are_refused() {
    let global = |starts: &str| {
        format!(
            "FCP 1 global\nname g\ncontacts 1\nmu 0.5\ndofs 3\nf -1 0.1 0\nb 0 0 0\nM 3 3 3\n{starts}\n0 1 2\n1 1 1\n\
             H 3 3 3\n0 1 2 3\n0 1 2\n1 1 1\nend\n"
        )
    };
    let place = place(&global("0 1 2 3"));
    let answer = place.impinge(&["solve", "two.fcp"]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.err);
    for starts in ["0 5 2 3", "0 1 2 2", "0 2 1 3", "1 1 2 3", "0 1 2 4"] {
        fs::write(place.path("two.fcp"), global(starts)).expect("room for a file");
        let answer = place.impinge(&["solve", "two.fcp"]);
        assert_eq!(
            answer.code,
            Some(3),
            "{starts}: {}{}",
            answer.out,
            answer.err
        );
        assert!(
            answer.err.contains("compressed columns with ascending"),
            "{}",
            answer.err
        );
    }
}

#[test]
fn a_trace_is_not_ignored() {
    let place = place(PROBLEM);
    let answer = place.impinge(&["solve", "two.fcp", "--trace", "t.csv"]);
    assert_eq!(answer.code, Some(3), "{}{}", answer.out, answer.err);
    assert!(
        answer.err.contains("friction problems have no trace"),
        "{}",
        answer.err
    );
    assert!(!place.path("t.csv").exists());
}

/// Symptom: a problem that is a link to an endless device is read until the memory is full.
#[cfg(unix)]
#[test]
fn files_without_text_are_rejected() {
    let place = Place::new("");
    std::os::unix::fs::symlink("/dev/zero", place.path("endless.fcp")).expect("a link");
    fs::write(place.path("bytes.fcp"), b"FCP 1 local\nname \xff\n").expect("room for a file");
    for (name, said) in [("endless.fcp", "device"), ("bytes.fcp", "utf-8")] {
        let answer = place.impinge(&["solve", name]);
        assert_eq!(answer.code, Some(3), "{}", answer.err);
        assert!(answer.err.contains(said), "{}", answer.err);
    }
}
