//! A server for one page and the numbers of its film, on this machine only.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use impinge_report::viewer::{RunFolder, served_page};

use super::super::exit::{Code, Failure};
use super::super::interrupt::Interrupt;
use super::super::terminal;
use super::failure;

/// Longest request that is read (bytes): browsers send some hundred.
const LONGEST_REQUEST: u64 = 16 << 10;

/// Time for a browser to send its request, and to take the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time between two looks for an interrupt.
const PAUSE: Duration = Duration::from_millis(20);

/// Serves the film of `run` on the loopback interface until an interrupt.
pub(super) fn serve(run: &RunFolder, title: &str, port: u16) -> Result<(), Failure> {
    let description = run.description().map_err(failure)?;
    let refused = |error: io::Error| {
        Failure::new(
            Code::Output,
            format!(
                "port {port} cannot be used: {error}\n  mend: give another one with --port, or none"
            ),
        )
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refused)?;
    listener.set_nonblocking(true).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let server = Server {
        run,
        page: served_page(title),
        description,
        address,
    };
    let interrupt = Interrupt::listen();
    terminal::say(&format!(
        "open http://{address}/ in a browser; Ctrl-C ends the server"
    ))?;
    std::thread::scope(|scope| {
        while !interrupt.requested() {
            match listener.accept() {
                // A browser that goes away is no error.
                Ok((stream, _)) => {
                    let server = &server;
                    scope.spawn(move || server.answer(&stream));
                }
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    });
    Ok(())
}

struct Server<'a> {
    run: &'a RunFolder,
    page: String,
    description: String,
    address: SocketAddr,
}

/// Status, type of the contents, contents.
type Answer = (&'static str, &'static str, Vec<u8>);

impl Server<'_> {
    fn answer(&self, mut stream: &TcpStream) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut lines = BufReader::new(stream.take(LONGEST_REQUEST)).lines();
        let request = lines.next().transpose()?.unwrap_or_default();
        let mut host = None;
        for line in lines {
            let line = line?;
            if line.is_empty() {
                break;
            }
            if let Some((key, value)) = line.split_once(':')
                && key.eq_ignore_ascii_case("host")
            {
                host = Some(value.trim().to_owned());
            }
        }
        let (status, kind, bytes) = self.contents(&request, host.as_deref());
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
            bytes.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(&bytes)
    }

    fn contents(&self, request: &str, host: Option<&str>) -> Answer {
        let refuse = |status, text: &str| (status, "text/plain; charset=utf-8", text.into());
        // A page of another site reaches this server under the name of that site only.
        let own = [
            self.address.to_string(),
            format!("localhost:{}", self.address.port()),
        ];
        if !host.is_some_and(|host| own.iter().any(|own| own == host)) {
            return refuse(
                "403 Forbidden",
                "the server answers to its own address only",
            );
        }
        let mut words = request.split(' ');
        let (Some("GET"), Some(place)) = (words.next(), words.next()) else {
            return refuse("405 Method Not Allowed", "the server answers to GET only");
        };
        match place {
            "/" => (
                "200 OK",
                "text/html; charset=utf-8",
                self.page.clone().into(),
            ),
            "/film" => (
                "200 OK",
                "application/json",
                self.description.clone().into(),
            ),
            _ => match self.run.part(place.trim_start_matches('/')) {
                Ok(Some(part)) => ("200 OK", "application/octet-stream", part.bytes),
                Ok(None) => refuse("404 Not Found", "there is no such part"),
                Err(error) => refuse("500 Internal Server Error", &error.to_string()),
            },
        }
    }
}
