//! The log: events of a simulation and of its solves, as lines on standard error.

use std::fmt::{self, Write as _};
use std::time::Instant;

use clap::error::ErrorKind;
use clap::{ArgAction, Args, Command};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use super::terminal;

/// The packages that have events.
const SOURCES: [&str; 2] = ["impinge_sim", "impinge_contact"];

/// How a filter is written.
const FORM: &str = "write LEVEL or SOURCE=LEVEL, several with commas between them; LEVEL is off, info, debug or trace, \
                    SOURCE is impinge_sim, impinge_contact or a module of these, such as impinge_sim::stepper";

/// Place in the help: after the options of the command. These have their own number, from 0, so that any number above
/// the most options of a command serves.
const LAST: usize = 100;

/// Options of all commands.
#[derive(Debug, Args)]
pub(crate) struct LogOptions {
    /// Log on standard error what a simulation does: runs and frames (-v), also steps (-vv), also rounds and solves
    /// (-vvv).
    #[arg(short, long, global = true, display_order = LAST, action = ArgAction::Count)]
    verbose: u8,
    /// Log what a filter selects, for example debug or impinge_sim=debug,impinge_contact=trace.
    #[arg(long, global = true, display_order = LAST, value_name = "FILTER", value_parser = filter)]
    log: Option<Targets>,
}

impl LogOptions {
    /// Starts the log, if the options ask for one.
    ///
    /// With both options, `program` ends as with other wrong arguments. They may stand before and after the command,
    /// where clap sees no conflict between them.
    pub(crate) fn start(&self, program: &mut Command) {
        if self.log.is_some() && self.verbose > 0 {
            let conflict = "the argument '--verbose' cannot be used with '--log <FILTER>'";
            program.error(ErrorKind::ArgumentConflict, conflict).exit();
        }
        let filter = match (&self.log, self.verbose) {
            (Some(filter), _) => filter.clone(),
            (None, 0) => return,
            (None, 1) => Targets::new().with_default(LevelFilter::INFO),
            (None, 2) => Targets::new().with_default(LevelFilter::DEBUG),
            (None, _) => Targets::new().with_default(LevelFilter::TRACE),
        };
        let log = Log {
            start: Instant::now(),
        };
        let subscriber = tracing_subscriber::registry().with(filter).with(log);
        // It fails only if there is a log already.
        drop(tracing::subscriber::set_global_default(subscriber));
    }
}

/// The filter of `--log`.
fn filter(text: &str) -> Result<Targets, String> {
    let mut filter = Targets::new();
    for part in text.split(',').map(str::trim) {
        let (source, level) = match part.split_once('=') {
            Some((source, level)) => (Some(source), level),
            None => (None, part),
        };
        let level = match level {
            "off" => LevelFilter::OFF,
            "info" => LevelFilter::INFO,
            "debug" => LevelFilter::DEBUG,
            "trace" => LevelFilter::TRACE,
            _ => return Err(format!("in `{part}`, `{level}` is not a level; {FORM}")),
        };
        filter = match source {
            None => filter.with_default(level),
            Some(source) if is_source(source) => filter.with_target(source, level),
            Some(source) => {
                return Err(format!("in `{part}`, `{source}` is not a source; {FORM}"));
            }
        };
    }
    Ok(filter)
}

/// Whether `name` is one of the packages, or a module of one.
fn is_source(name: &str) -> bool {
    let package = name.split_once("::").map_or(name, |(package, _)| package);
    SOURCES.contains(&package)
}

/// Writes each event as a line: seconds since the start, level, source, message and fields.
struct Log {
    start: Instant,
}

impl<S: Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let (seconds, about) = (self.start.elapsed().as_secs_f64(), event.metadata());
        let mut line = Line::default();
        event.record(&mut line);
        let Line { message, fields } = line;
        let text = format!(
            "{seconds:9.3} s {:>5} {}: {message}{fields}",
            about.level(),
            about.target()
        );
        // Messages of several lines become one.
        let parts: Vec<_> = text.trim_end().split('\n').map(str::trim_end).collect();
        terminal::log(&parts.join(" "));
    }
}

/// Message and fields of an event.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    /// Six significant digits suffice to read; files have all of them.
    fn record_f64(&mut self, field: &Field, value: f64) {
        let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
        self.record_debug(field, &rounded);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
