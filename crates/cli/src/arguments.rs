//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use impinge_sim::output::DumpWhen;

use super::exit::EXIT_CODES;

/// Simulate elastic bodies in frictional contact, without a single intersection.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a scene and write frames, statistics and a summary.
    #[command(after_help = EXIT_CODES)]
    Run(Run),
    /// Solve a stored contact problem, or a friction problem `W, q, mu`, and judge the answer.
    #[command(after_help = EXIT_CODES)]
    Solve(Solve),
    /// Prove a saved run again: intersections, elements, prescribed positions, motions between frames.
    #[command(after_help = EXIT_CODES)]
    Verify(Verify),
    /// Examine, convert and make meshes.
    #[command(subcommand)]
    Mesh(Mesh),
    /// Check scene files and tell their format.
    #[command(subcommand)]
    Scene(Scene),
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The scene file, for example scenes/rings.toml.
    pub(crate) scene: PathBuf,
    /// Folder for the results; an earlier run in it is replaced. Default: out/ and the name of the scene.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Simulated time to run for (s), instead of the scene's duration.
    #[arg(long, value_name = "SECONDS", conflicts_with = "steps", value_parser = positive)]
    pub(crate) until: Option<f64>,
    /// Steps to run for, instead of the scene's duration.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: Option<u64>,
    /// Threads to use; results do not depend on it. Default: all processors.
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Set a key of the scene: dotted, list entries from 0, for example body.0.material.young=1e6. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Store contact problems into problems/ of the run's folder, for `impinge solve`. Which solves: all, step:100,
    /// step:100..110, iterations>500 or unmet. May be repeated.
    #[arg(long, value_name = "WHEN")]
    pub(crate) dump_problems: Vec<DumpWhen>,
    /// Show no progress and say nothing but errors.
    #[arg(long)]
    pub(crate) quiet: bool,
    /// End with exit code 0 even if some solves did not meet their tolerance.
    #[arg(long)]
    pub(crate) accept_inexact: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Solve {
    /// The problem, for example out/rings/problems/step_00100_round_01.problem, or a friction problem (.fcp).
    pub(crate) problem: PathBuf,
    /// The method: cr, active-set, sp-active-set, sp-2cr, ica or exact-compliance. Default: the one that the problem was met by, with its settings.
    /// For friction problems: auto, pgs, newton or admm. Default: auto.
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
    /// Set a setting of the method, for example max_iterations=5000 or tolerances.gap=1e-7. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Friction problems: bound on both relative errors. Default: 1e-8.
    #[arg(long, value_name = "T", value_parser = positive)]
    pub(crate) tolerance: Option<f64>,
    /// Friction problems: file for the reactions, N T1 T2 of a contact per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Threads to use; results do not depend on it. Default: all processors.
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// Folders of runs, or single frames (.vtu).
    #[arg(required = true, value_name = "DIR|FILE")]
    pub(crate) paths: Vec<PathBuf>,
    /// Threads to use. Default: all processors.
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Show no progress and say nothing but what is wrong.
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Mesh {
    /// Tell counts, size, volume, quality and defects of mesh files.
    Info {
        /// Mesh files (.msh, .vtk, .vtu, .obj).
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Convert a mesh file into another format, by the extension: solids to .msh or .vtu, surfaces to .obj.
    Convert {
        /// The file to read.
        from: PathBuf,
        /// The file to write; from a solid to .obj writes its surface.
        to: PathBuf,
        /// Factor on all coordinates.
        #[arg(long, default_value_t = 1.0, value_parser = positive)]
        scale: f64,
    },
    /// Make a solid mesh of a simple shape about the origin.
    #[command(subcommand)]
    Make(Make),
}

#[derive(Debug, Subcommand)]
pub(crate) enum Make {
    /// A torus of square section about the z axis.
    Ring {
        /// Radius of the centre line (m).
        #[arg(long, default_value_t = 0.05)]
        major_radius: f64,
        /// Side of the section (m).
        #[arg(long, default_value_t = 0.02)]
        section: f64,
        /// Hexahedra around the ring, 6 tetrahedra each.
        #[arg(long, default_value_t = 18)]
        segments: usize,
        /// The file to write (.msh, .vtu, or .obj for the surface).
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
        /// The file to write (.msh, .vtu, or .obj for the surface).
        to: PathBuf,
    },
    /// A ball.
    Sphere {
        /// Radius (m).
        #[arg(long, default_value_t = 0.5)]
        radius: f64,
        /// Cuts along each edge: 20 n³ tetrahedra.
        #[arg(long, default_value_t = 4)]
        subdivisions: usize,
        /// The file to write (.msh, .vtu, or .obj for the surface).
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
        /// The file to write (.msh, .vtu, or .obj for the surface).
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
        /// The file to write (.msh, .vtu, or .obj for the surface).
        to: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Scene {
    /// Print the JSON schema of scene files: every key with its meaning and unit.
    Schema,
    /// Check scene files completely, meshes and overlaps included, without running them.
    Validate {
        /// Scene files.
        #[arg(required = true)]
        scenes: Vec<PathBuf>,
        /// Set a key of the scenes, as in `run`.
        #[arg(long = "set", value_name = "KEY=VALUE")]
        overrides: Vec<String>,
    },
}

/// A finite number greater than 0.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("a number greater than 0 is needed".to_owned()),
    }
}
