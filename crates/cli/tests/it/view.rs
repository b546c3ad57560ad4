//! `impinge view`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use super::{LANDING, Place};

/// A run in the folder `run`.
pub(super) fn landed() -> Place {
    let place = Place::new(LANDING);
    ends(
        &place,
        &[
            "run",
            "scene.toml",
            "--out",
            "run",
            "--quiet",
            "--set",
            "output.every=1",
        ],
        0,
    );
    place
}

/// Both outputs of a command that ends with `code`.
pub(super) fn ends(place: &Place, arguments: &[&str], code: i32) -> String {
    let answer = place.impinge(arguments);
    assert_eq!(answer.code, Some(code), "{}", answer.err);
    answer.out + &answer.err
}

#[test]
fn a_run_becomes_a_page_beside_its_folder() {
    let place = landed();
    assert!(ends(&place, &["view", "run"], 0).contains("run.html"));
    let html = std::fs::read_to_string(place.path("run.html")).expect("a page");
    assert!(html.contains("<title>a cube lands - impinge</title>"));
    for part in ["film", "surface", "table", "frame0", "frame4"] {
        assert_eq!(
            html.matches(&format!("data-part=\"{part}\"")).count(),
            1,
            "{part}"
        );
    }
    assert!(!html.contains("data-part=\"frame5\""));
    let quiet = ends(
        &place,
        &["view", "run", "--out", "pages/other.html", "--quiet"],
        0,
    );
    assert_eq!(quiet, "");
    assert_eq!(
        std::fs::read_to_string(place.path("pages/other.html")).expect("a page"),
        html
    );
}

#[test]
fn what_is_no_run_is_refused() {
    let place = landed();
    ends(&place, &["view", "nowhere"], 3);
    ends(&place, &["view", "run", "--out", "run/steps.csv"], 3);
    ends(&place, &["view", "run", "--out", "run"], 6);
    ends(&place, &["view", "run", "--port", "8000"], 2);
    std::fs::write(place.path("run/frame_00002.vtu"), "<VTKFile>").expect("room");
    assert!(ends(&place, &["view", "run"], 3).contains("frame_00002.vtu"));
    assert!(!place.path("run.html").exists());
}

/// A server that ends with the test.
struct Server(Child, String);

impl Server {
    fn of(place: &Place) -> Self {
        let mut command = place.command(&["view", "run", "--serve"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program");
        let mut line = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let address = line
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.split('/').next());
        let address = address.expect("an address").to_owned();
        Self(child, address)
    }

    /// Head and contents of the answer to a request.
    fn ask(&self, request: &str, host: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.1).expect("a connection");
        write!(stream, "{request} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("a request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let end = answer
            .windows(4)
            .position(|bytes| bytes == b"\r\n\r\n")
            .expect("a head");
        let contents = answer.split_off(end + 4);
        (String::from_utf8(answer).expect("text"), contents)
    }

    fn get(&self, part: &str) -> (String, Vec<u8>) {
        self.ask(&format!("GET {part}"), &self.1)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_server_has_the_page_and_every_part() {
    let place = landed();
    let server = Server::of(&place);
    assert!(server.1.starts_with("127.0.0.1:"), "{}", server.1);
    let (head, page) = server.get("/");
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    assert!(String::from_utf8_lossy(&page).contains("data-served"));
    let (_, film) = server.get("/film");
    assert!(film.starts_with(b"{"));
    for part in ["/surface", "/table", "/frame0", "/frame4"] {
        let (head, bytes) = server.get(part);
        assert!(head.starts_with("HTTP/1.1 200 OK"), "{part}: {head}");
        assert!(!bytes.is_empty() && bytes.len() % 4 == 0, "{part}");
    }
}

/// Files outside of the film, other methods, other names of the server: nothing of these.
#[test]
fn a_server_gives_nothing_else() {
    let place = landed();
    let server = Server::of(&place);
    for part in [
        "/frame5",
        "/frame-1",
        "/../run/steps.csv",
        "/steps.csv",
        "//etc/passwd",
        "/frame99999999999999999999",
    ] {
        let (head, _) = server.get(part);
        assert!(head.starts_with("HTTP/1.1 404"), "{part}: {head}");
    }
    let (head, _) = server.ask("POST /", &server.1);
    assert!(head.starts_with("HTTP/1.1 405"), "{head}");
    let (head, _) = server.ask("GET /film", "example.org");
    assert!(head.starts_with("HTTP/1.1 403"), "{head}");
    let (head, _) = server.get("/film");
    assert!(head.starts_with("HTTP/1.1 200"), "it still answers: {head}");
}
