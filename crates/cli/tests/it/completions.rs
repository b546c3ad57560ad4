//! `completions`: scripts that complete commands and options.

use std::process::Command;

use super::{Place, SCENE};

#[test]
fn scripts_name_every_command() {
    let place = Place::new(SCENE);
    for (shell, mark) in [
        ("bash", "complete -F _impinge"),
        ("zsh", "#compdef impinge"),
        ("fish", "complete -c impinge"),
    ] {
        let answer = place.impinge(&["completions", shell]);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        assert!(answer.out.contains(mark), "{shell}: {}", answer.out);
        for command in [
            "run",
            "sweep",
            "compare",
            "solve",
            "verify",
            "view",
            "export",
            "doctor",
            "mesh",
            "scene",
            "completions",
            "dump-problems",
        ] {
            assert!(answer.out.contains(command), "{shell}: {command}");
        }
    }
    assert_eq!(place.impinge(&["completions", "tcl"]).code, Some(2));
}

/// Bash itself offers the commands, and the options of a command.
#[test]
#[cfg(unix)]
fn bash_completes() {
    let place = Place::new(SCENE);
    let script = place.impinge(&["completions", "bash"]).out;
    // Bash passes the program, the word under the cursor and the word in front of it.
    let offered = |front: &str, word: &str| {
        let ask = format!(
            "{script}\nCOMP_WORDS=({front} {word}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _impinge impinge {word} \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["--norc", "-c", &ask]).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Ok(commands) = offered("impinge", "com") else {
        eprintln!("skipped: there is no bash");
        return;
    };
    assert_eq!(commands, "compare completions");
    let options = offered("impinge run", "--st").expect("bash has just run");
    assert_eq!(options, "--steps");
}
