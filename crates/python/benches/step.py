"""Processor time of this package, relative to the programs in Rust that do the same. One thread, in turns.

    cargo build --release -p impinge -p impinge-sim --bin impinge --example gripper
    pip install ./crates/python
    python crates/python/benches/step.py             # --pairs N: number of turns

Of the gripper, that of Python begins after its imports. Of the cube, that of the whole processes counts; a program that
asks for arrays imports NumPy, too.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CUBE = ROOT / "scenes/drop_cube.toml"

GRIPPER = """
import runpy, sys, time
import numpy, impinge
start = time.process_time()
runpy.run_path(sys.argv[1])
print(time.process_time() - start)
"""
DROP = """
import sys
import impinge
simulation = impinge.Simulation(impinge.Scene.load(sys.argv[1]))
print(simulation.step(1000)["kinetic_energy"])
"""
ARRAYS = DROP + "print(simulation.positions.min())"


def processor_time(command):
    """User and system time of a process (s), and what it prints."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime, done.stdout


def gripper(programs):
    """A pair of times of the gripper (s): Rust, Python."""
    rust, rust_says = processor_time([programs / "examples/gripper"])
    example = ROOT / "crates/python/examples/gripper.py"
    _, says = processor_time([sys.executable, "-c", GRIPPER, example])
    python_says, python = says.splitlines()
    assert python_says == rust_says.strip(), "both end in the same state"
    return rust, float(python)


def drop_cube(programs, code=DROP):
    """A pair of times of 1000 steps of the cube (s): the program with one frame, Python."""
    with tempfile.TemporaryDirectory() as folder:
        once = ["--set", "output.every=1000", "--quiet", "--out", folder]
        program, _ = processor_time([programs / "impinge", "run", CUBE, "--steps", "1000", *once])
    python, _ = processor_time([sys.executable, "-c", code, CUBE])
    return program, python


def drop_cube_arrays(programs):
    """The same, with an array in Python."""
    return drop_cube(programs, ARRAYS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=15, help="number of turns of each case")
    parser.add_argument("--programs", type=Path, default=ROOT / "target/release", help="folder of the programs in Rust")
    arguments = parser.parse_args()
    # The second thread of NumPy's linear algebra would wait busily for work that nobody gives it.
    os.environ |= {"RAYON_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    for case, aim in [(gripper, "at most 1.1"), (drop_cube, "at most 1.2"), (drop_cube_arrays, "none")]:
        pairs = [case(arguments.programs) for _ in range(arguments.pairs)]
        rust, python = (statistics.median(times) for times in zip(*pairs, strict=True))
        ratio = statistics.median(python / rust for rust, python in pairs)
        print(f"{case.__name__}: Rust {rust:.4f} s, Python {python:.4f} s, ratio {ratio:.3f} (aim: {aim})")


if __name__ == "__main__":
    main()
