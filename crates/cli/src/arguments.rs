//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use impinge_contact::method::MethodSpec;
use impinge_sim::output::DumpWhen;

use super::exit::EXIT_CODES;
use super::log::LogOptions;

/// Simulate elastic and rigid bodies in frictional contact, free of intersections.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) log: LogOptions,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a scene and write frames, statistics and a summary.
    #[command(after_help = EXIT_CODES)]
    Run(Run),
    /// Solve a stored contact problem or a friction problem (.fcp) and check the answer.
    #[command(after_help = EXIT_CODES)]
    Solve(Solve),
    /// Solve every contact problem of a scene by several methods and compare their effort.
    #[command(after_help = EXIT_CODES)]
    Compare(Compare),
    /// Run a scene for every combination of values of its keys, and write one table.
    #[command(after_help = EXIT_CODES)]
    Sweep(Sweep),
    /// Check a saved run: intersections, elements, prescribed positions, motions between frames.
    #[command(after_help = EXIT_CODES)]
    Verify(Verify),
    /// Show a saved run in three dimensions: write a page for browsers, or serve it.
    #[command(after_help = EXIT_CODES)]
    View(View),
    /// Write a saved run for other programs: .glb or .usda (Blender, engines), .png, .apng, or .mp4 (needs ffmpeg).
    #[command(after_help = EXIT_CODES)]
    Export(Export),
    /// Report problems of a scene: overlaps, bad elements, suspicious units, steps and masses.
    #[command(after_help = EXIT_CODES)]
    Doctor(Doctor),
    /// Examine, convert, repair and make meshes.
    #[command(subcommand)]
    Mesh(Mesh),
    /// Start a scene file, check scene files, print their format.
    #[command(subcommand)]
    Scene(Scene),
    /// Print a script that completes commands and options in a shell.
    #[command(after_help = INSTALLING)]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// The lines that install completions.
const INSTALLING: &str = "Install:
  bash  impinge completions bash > ~/.local/share/bash-completion/completions/impinge
  zsh   impinge completions zsh > DIR/_impinge, for a DIR of $fpath
  fish  impinge completions fish > ~/.config/fish/completions/impinge.fish";

/// A shell with completions.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The scene file, for example scenes/rings.toml.
    pub(crate) scene: PathBuf,
    /// Folder for the results; an earlier run in it is replaced. Default: out/ and the name of the scene.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Continue the run of the same scene in the folder. --until and --steps count from its start.
    #[arg(long)]
    pub(crate) resume: bool,
    /// Simulated time to run for (s), instead of the scene's duration.
    #[arg(long, value_name = "SECONDS", conflicts_with = "steps", value_parser = positive,
        allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,
    /// Number of steps to run for, instead of the scene's duration.
    #[arg(long, value_name = "N", value_parser = from_one, allow_negative_numbers = true)]
    pub(crate) steps: Option<u64>,
    /// Number of threads; results do not depend on it. Default: all processors.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Set a key of the scene (dotted, list entries counted from 0), for example body.0.material.young=1e6. May be
    /// repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Store contact problems for `impinge solve` in problems/ of the run's folder: all, step:100, step:100..110,
    /// iterations>500 or unmet. May be repeated.
    #[arg(long, value_name = "WHEN")]
    pub(crate) dump_problems: Vec<DumpWhen>,
    /// Show no progress and print only errors.
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Exit with code 0 even if a guarantee does not hold; the last lines still name it.
    #[arg(long)]
    pub(crate) accept_inexact: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// The scene file.
    pub(crate) scene: PathBuf,
    /// A key of the scene and its values, for example body.0.material.young=1e4,1e5. May be repeated: all combinations
    /// are run, and the values of the last key vary fastest.
    #[arg(long, value_name = "KEY=VALUE,..", required = true)]
    pub(crate) grid: Vec<String>,
    /// Number of runs at a time; the table does not depend on it. Default: all processors.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Folder for the table, sweep.csv, and the folders of the runs. Runs that have ended there are not repeated.
    /// Default: out/ and the name of the scene, with .sweep.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Simulated time to run for (s), instead of the scene's duration.
    #[arg(long, value_name = "SECONDS", conflicts_with = "steps", value_parser = positive,
        allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,
    /// Number of steps to run for, instead of the scene's duration.
    #[arg(long, value_name = "N", value_parser = from_one, allow_negative_numbers = true)]
    pub(crate) steps: Option<u64>,
    /// Set a key of the scene in all runs, as in `run`. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Show no progress and print only errors.
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Solve {
    /// The problem, for example out/rings/problems/step_00100_round_01.problem, or a friction problem (.fcp).
    pub(crate) problem: PathBuf,
    /// Another method than that of the run.
    #[arg(long, value_name = "NAME", help = method_help())]
    pub(crate) method: Option<String>,
    /// Change a setting of the method, for example max_iterations=5000 or tolerances.gap=1e-7. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Write one row per iteration to a CSV file: phase, residual, active-set updates, state changes.
    #[arg(long, value_name = "CSV")]
    pub(crate) trace: Option<PathBuf>,
    /// Friction problems: bound on both relative errors. Default: 1e-8.
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Friction problems: file for the reactions, one contact N T1 T2 per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Number of threads; results do not depend on it. Default: all processors.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Names of the methods that solve a stored problem, from their table.
fn method_help() -> String {
    let names: Vec<&str> = MethodSpec::all()
        .filter(|spec| !spec.capabilities.bodies_at_rest)
        .map(|spec| spec.name)
        .collect();
    format!(
        "Method: {}. Default: method and settings of the run. For friction problems: auto, pgs, newton or admm. \
         Default: auto",
        names.join(", ")
    )
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The scene file.
    pub(crate) scene: PathBuf,
    /// Methods as in `solve`, each with settings if needed (ica:law=pyramid). The run continues with the solutions of
    /// the first one.
    #[arg(
        long,
        value_name = "NAME,..",
        value_delimiter = ',',
        default_value = "cr,cr-full,cr-diagonal,sp-2cr,ica"
    )]
    pub(crate) methods: Vec<String>,
    /// Simulated time to run for (s), instead of the scene's duration.
    #[arg(long, value_name = "SECONDS", conflicts_with = "steps", value_parser = positive,
        allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,
    /// Number of steps to run for, instead of the scene's duration.
    #[arg(long, value_name = "N", value_parser = from_one, allow_negative_numbers = true)]
    pub(crate) steps: Option<u64>,
    /// First step to compare; earlier steps are solved by the first method only.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = from_one, allow_negative_numbers = true)]
    pub(crate) from: u64,
    /// Number of threads; results do not depend on it. Default: all processors.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Set a key of the scene, as in `run`. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Print every step of every method as JSON instead of the table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write every step of every method to a CSV file, for plots.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Also write an HTML page with the table, plots over time, the convergence in one step, and a film of the run.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Show no progress.
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct View {
    /// The folder of a run.
    #[arg(value_name = "DIR")]
    pub(crate) run: PathBuf,
    /// The page to write; it needs no network. Default: DIR.html beside the folder.
    #[arg(long, value_name = "FILE.html", conflicts_with = "serve")]
    pub(crate) out: Option<PathBuf>,
    /// Serve the page to browsers of this machine instead, and read frames as they are shown: for long runs.
    #[arg(long)]
    pub(crate) serve: bool,
    /// Port of the server. Default: a free one.
    #[arg(
        long,
        value_name = "N",
        requires = "serve",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) port: u16,
    /// Show no progress and print only errors.
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The folder of a run.
    #[arg(value_name = "DIR")]
    pub(crate) run: PathBuf,
    /// The file to write: a model (.glb, .usda), a picture (.png) or a film (.apng, .mp4).
    #[arg(value_name = "FILE")]
    pub(crate) to: PathBuf,
    /// Time of a picture (s). Default: the end of the run.
    #[arg(long, value_name = "SECONDS", value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) time: Option<f64>,
    /// Take every N-th frame of the run.
    #[arg(long, value_name = "N", default_value = "1", value_parser = count, allow_negative_numbers = true)]
    pub(crate) every: NonZeroUsize,
    /// Meaning of the colours of pictures and films.
    #[arg(long, value_enum, default_value_t = Colour::Body)]
    pub(crate) colour: Colour,
    /// Width and height of pictures and films (pixels).
    #[arg(long, num_args = 2, value_names = ["WIDTH", "HEIGHT"], default_values_t = [1280, 720],
        value_parser = clap::value_parser!(u32).range(16..=8192))]
    pub(crate) size: Vec<u32>,
    /// Angles of the eye about the vertical and above the horizon (degrees).
    #[arg(long, num_args = 2, value_names = ["TURN", "TILT"], default_values_t = [-55.0, 24.0],
        allow_negative_numbers = true)]
    pub(crate) view: Vec<f64>,
    /// Pictures of a film in a second.
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u16).range(1..=120))]
    pub(crate) pace: u16,
    /// Show no progress and print only errors.
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// Meaning of the colours of a picture.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Colour {
    /// Body.
    Body,
    /// Von Mises stress.
    Stress,
    /// Contact force on a node.
    Force,
    /// Volume ratio to the first frame.
    Ratio,
}

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// Folders of runs, or single frames (.vtu).
    #[arg(required = true, value_name = "DIR|FILE")]
    pub(crate) paths: Vec<PathBuf>,
    /// Number of threads. Default: all processors.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Show no progress and print only findings.
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// The scene file.
    pub(crate) scene: PathBuf,
    /// Set a key of the scene, as in `run`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Print the findings as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a scene to OUT in which bodies are moved until nothing overlaps. Moves are short, not proven minimal.
    #[arg(long, value_name = "OUT")]
    pub(crate) separate: Option<PathBuf>,
    /// Number of threads; the result does not depend on it. Default: all processors.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) threads: Option<NonZeroUsize>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Mesh {
    /// Print counts, size, volume, quality and defects of mesh files.
    Info {
        /// Mesh files (.msh, .mesh, .vtk, .vtu, .vtp, .obj, .stl, .ply).
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Convert a mesh file to another format, by the extension: solids to .msh, .vtu or .mesh, surfaces to .obj or
    /// .stl.
    Convert {
        /// The file to read.
        from: PathBuf,
        /// The file to write; .obj or .stl for the surface of a solid.
        to: PathBuf,
        /// Factor on all coordinates.
        #[arg(long, default_value_t = 1.0, value_parser = positive, allow_negative_numbers = true)]
        scale: f64,
        /// Reverse every triangle of a surface that is oriented inwards.
        #[arg(long)]
        reverse: bool,
        /// Merge vertices of a surface at exactly the same position, for files with seams.
        #[arg(long)]
        weld: bool,
    },
    /// Repair a mesh and report the changes: unused, duplicate and touching nodes; flat, duplicate and inverted
    /// elements.
    Repair {
        /// The file to read.
        from: PathBuf,
        /// The file to write; it may be the same as the file to read.
        to: PathBuf,
        /// Merge nodes within this distance (m). Default: a millionth of the mesh size.
        #[arg(long, value_name = "METRES", value_parser = not_negative, allow_negative_numbers = true)]
        weld: Option<f64>,
    },
    /// Fill a watertight surface with well-shaped tetrahedra.
    ///
    /// All dihedral angles are between 9 and 165 degrees. Several parts are allowed if they do not touch; a part inside
    /// another that is wound inwards is a cavity. A box whose sides are multiples of the size is matched exactly; other
    /// sharp edges are rounded off within one element.
    Tetrahedralize(Tetrahedralize),
    /// Make a solid mesh of a simple shape centred at the origin.
    #[command(subcommand)]
    Make(Make),
}

#[derive(Debug, Args)]
pub(crate) struct Tetrahedralize {
    /// The surface to read (.obj, .stl, .ply, .mesh, .msh, .vtk, .vtu, .vtp).
    pub(crate) from: PathBuf,
    /// The solid to write (.msh, .vtu, .mesh).
    pub(crate) to: PathBuf,
    /// Length of the longest inner edges (m); details smaller than this are lost.
    #[arg(long, value_name = "METRES", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) size: f64,
    /// Factor on all coordinates, applied first.
    #[arg(long, default_value_t = 1.0, value_parser = positive, allow_negative_numbers = true)]
    pub(crate) scale: f64,
    /// Largest relative difference between the volume of the result and that of the surface.
    #[arg(long, value_name = "PART", default_value_t = 0.1, value_parser = positive, allow_negative_numbers = true)]
    pub(crate) volume_tolerance: f64,
    /// Largest number of tetrahedra; a size that needs more is rejected.
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub(crate) most_tets: usize,
    /// Number of threads; the result does not depend on it. Default: all processors.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Print only errors.
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Make {
    /// A torus of square section about the z axis.
    Ring {
        /// Radius of the centre line (m).
        #[arg(long, default_value_t = 0.05)]
        major_radius: f64,
        /// Side of the square section (m).
        #[arg(long, default_value_t = 0.02)]
        section: f64,
        /// Hexahedra around the ring, 6 tetrahedra each.
        #[arg(long, default_value_t = 18)]
        segments: usize,
        /// The file to write (.msh, .vtu, .mesh, or .obj or .stl for the surface).
        to: PathBuf,
    },
    /// A torus of round section about the z axis.
    Torus {
        /// Radius of the centre line (m).
        #[arg(long, default_value_t = 0.05)]
        major_radius: f64,
        /// Radius of the tube (m).
        #[arg(long, default_value_t = 0.015)]
        minor_radius: f64,
        /// Layers around the axis, 18 rings² tetrahedra each.
        #[arg(long, default_value_t = 48)]
        layers: usize,
        /// Concentric rings of the section, a polygon of 6 rings sides.
        #[arg(long, default_value_t = 2)]
        rings: usize,
        /// The file to write (.msh, .vtu, .mesh, or .obj or .stl for the surface).
        to: PathBuf,
    },
    /// A box.
    Cuboid {
        /// Side lengths (m).
        #[arg(long, num_args = 3, value_names = ["X", "Y", "Z"], default_values_t = [1.0, 1.0, 1.0])]
        size: Vec<f64>,
        /// Cells along each side, 6 tetrahedra each.
        #[arg(long, num_args = 3, value_names = ["X", "Y", "Z"], default_values_t = [4, 4, 4])]
        cells: Vec<usize>,
        /// The file to write (.msh, .vtu, .mesh, or .obj or .stl for the surface).
        to: PathBuf,
    },
    /// A ball.
    Sphere {
        /// Radius (m).
        #[arg(long, default_value_t = 0.5)]
        radius: f64,
        /// Subdivisions of each edge: 20 n³ tetrahedra.
        #[arg(long, default_value_t = 4)]
        subdivisions: usize,
        /// The file to write (.msh, .vtu, .mesh, or .obj or .stl for the surface).
        to: PathBuf,
    },
    /// A cylinder about the z axis.
    Cylinder {
        /// Radius (m).
        #[arg(long, default_value_t = 0.5)]
        radius: f64,
        /// Length (m).
        #[arg(long, default_value_t = 1.0)]
        height: f64,
        /// Concentric rings of elements.
        #[arg(long, default_value_t = 3)]
        rings: usize,
        /// Layers along the axis: 18 rings² layers tetrahedra.
        #[arg(long, default_value_t = 4)]
        layers: usize,
        /// The file to write (.msh, .vtu, .mesh, or .obj or .stl for the surface).
        to: PathBuf,
    },
    /// A plate in the xy plane, one cell thick.
    Sheet {
        /// Side lengths (m).
        #[arg(long, num_args = 2, value_names = ["X", "Y"], default_values_t = [1.0, 1.0])]
        size: Vec<f64>,
        /// Thickness (m).
        #[arg(long, default_value_t = 0.02)]
        thickness: f64,
        /// Cells along x and y.
        #[arg(long, num_args = 2, value_names = ["X", "Y"], default_values_t = [20, 20])]
        cells: Vec<usize>,
        /// The file to write (.msh, .vtu, .mesh, or .obj or .stl for the surface).
        to: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Scene {
    /// Write a commented scene to start from; an existing file is never changed.
    New {
        /// The file to write; without an extension, .toml is added.
        #[arg(default_value = "scene.toml")]
        name: PathBuf,
    },
    /// Print the JSON schema of scene files: every key with its meaning and unit.
    Schema,
    /// Check scene files completely, including meshes and overlaps, without running them.
    Validate {
        /// Scene files.
        #[arg(required = true)]
        scenes: Vec<PathBuf>,
        /// Set a key of the scenes, as in `run`.
        #[arg(long = "set", value_name = "KEY=VALUE")]
        overrides: Vec<String>,
    },
}

// Options with one of these parsers allow negative numbers, so that the message is about the value.

/// A whole number greater than 0.
fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "give a whole number greater than 0".to_owned())
}

/// Number of a step, or of steps.
fn from_one(text: &str) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(number) if number >= 1 => Ok(number),
        _ => Err("give a whole number that is at least 1".to_owned()),
    }
}

/// A finite number from 0 up.
fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("give a number that is at least 0".to_owned()),
    }
}

/// A finite number greater than 0.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("give a number greater than 0".to_owned()),
    }
}
