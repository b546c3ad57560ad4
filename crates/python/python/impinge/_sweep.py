"""Studies: one scene with several values of its keys, each run in a folder of its own, and one table of them all."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from . import _native
from ._errors import ArgumentError, ImpingeError
from ._native import Scene

__all__ = ["Executor", "Processes", "Sweep", "sweep"]

TABLE = "sweep.csv"
"""Name of the table in the folder of the study."""

COMMAND = [sys.executable, "-c", "import impinge._sweep; impinge._sweep._serve()"]
"""The process of a run."""

ATTEMPTS = 3
"""How often a run is begun whose process is killed: a run that kills its process each time ends, too."""

Task = tuple[str, list[str], str, str, int, int]
"""A run: text of the scene, overrides, its folder for meshes, folder of the run, steps, threads (0 for all)."""


@dataclass(frozen=True)
class Sweep:
    """Results of a study."""

    table: Path
    """The table as a file; ``impinge sweep`` writes the same."""
    rows: list[dict[str, str]]
    """Its rows: keys, ``folder``, ``status``, ``message``, and results by the names of their columns."""

    @property
    def failed(self) -> list[dict[str, str]]:
        """Rows of runs without a whole result."""
        return [row for row in self.rows if row["status"] not in ("completed", "inexact")]


class Executor(Protocol):
    """What runs tasks elsewhere: executors of ``concurrent.futures``, a client of Dask distributed."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        """Begins a task, and returns a future with ``result``."""


class Processes:
    """Runs on this machine, each in a process of its own: one that is killed costs its run only, which is repeated.

    Args:
        jobs: runs at a time, by default one for each processor.
    """

    def __init__(self, jobs: int | None = None) -> None:
        processors = os.cpu_count() or 1
        self.jobs = processors if jobs is None else jobs
        if self.jobs < 1:
            raise ArgumentError(f"jobs is {jobs}; give a number of at least 1")
        self.threads = max(1, processors // self.jobs)

        self._children: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def run(self, tasks: Sequence[Task]) -> list[str | None]:
        """Does all tasks, and returns what failed of each."""
        self._stopped = False
        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                return list(pool.map(self._attempts, tasks))
            except BaseException:
                # Ctrl-C: what waits is left out, and what runs is ended.
                self._stopped = True
                for child in list(self._children):
                    child.terminate()
                raise

    def _attempts(self, task: Task) -> str | None:
        """Does a task, again if its process is killed."""
        call = json.dumps((*task[:5], self.threads))
        for _ in range(ATTEMPTS):
            if self._stopped:
                return "it was left out"
            child = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self._children.add(child)
            try:
                answer, _ = child.communicate(call)
            finally:
                self._children.discard(child)
            if child.returncode == 0:
                failure: str | None = json.loads(answer)
                return failure
        return f"its process ended {ATTEMPTS} times, at last with code {child.returncode}"


def _serve() -> None:
    """Does the run that standard input names, and writes to standard output why it has no result."""
    failure = _run(*json.load(sys.stdin))
    json.dump(failure, sys.stdout)


def _run(text: str, overrides: list[str], meshes: str, folder: str, steps: int, threads: int) -> str | None:
    """Does a run, wherever it is called; returns why it has no result, or ``None``."""
    if threads:
        os.environ["RAYON_NUM_THREADS"] = str(threads)
    try:
        scene = Scene.from_toml(text, overrides, folder=meshes)
        _native.run(scene, folder, steps=steps)
    except ImpingeError as error:
        return str(error)
    return None


def _submitted(executor: Executor, tasks: Sequence[Task]) -> list[str | None]:
    """Does all tasks by ``executor``, and returns what failed of each."""
    # Dask takes equal calls for the same one, and keeps the results of pure ones.
    options = {"pure": False} if type(executor).__module__.split(".")[0] == "distributed" else {}
    futures = [executor.submit(_run, *task, **options) for task in tasks]
    failures: list[str | None] = []
    for future in futures:
        try:
            failures.append(future.result())
        except Exception as error:  # noqa: BLE001: a lost worker is whatever its executor says
            failures.append(f"{type(error).__name__}: {error}")
    return failures


def sweep(
    scene: Scene | str | os.PathLike[str],
    grid: Mapping[str, Iterable[Any]] | Sequence[str],
    out: str | os.PathLike[str],
    *,
    executor: Executor | Processes | None = None,
    jobs: int | None = None,
    steps: int | None = None,
) -> Sweep:
    """Runs a scene for every combination of values.

    Runs that have ended before, also by ``impinge sweep``, are not repeated. Results do not depend on the executor, on
    the number of jobs or of threads: the table is the same to the last bit.

    Args:
        scene: a scene or its file.
        grid: keys and their values, ``{"body.0.material.young": [1e4, 1e5]}``, or texts as of ``impinge sweep``.
        out: the folder of the study: the table ``sweep.csv``, and a folder for each run.
        executor: ``Processes(jobs)``, which is the default, an executor of ``concurrent.futures``, or a client of
            Dask distributed, whose workers have to see the same files.
        jobs: runs at a time, for the default executor.
        steps: number of steps, by default those of the scene.

    Returns:
        The table. A run that failed is in it with its message.

    Raises:
        ArgumentError: for a grid that cannot be used.
        SceneError: for a scene that cannot be read.
    """
    if not isinstance(scene, Scene):
        scene = Scene.load(scene)
    if executor is not None and jobs is not None:
        raise ArgumentError("jobs is of the default executor; leave jobs out, or the executor")
    study = _native.Study(_axes(grid))
    text, meshes, out = scene.to_toml(), str(scene.folder.absolute()), Path(out)
    out.mkdir(parents=True, exist_ok=True)

    rows: dict[int, _native.StudyRow] = {}
    scenes: dict[int, Scene] = {}
    tasks: list[Task] = []
    points = study.points()
    for index, (overrides, folder) in enumerate(points):
        try:
            point = Scene.from_toml(text, overrides, folder=meshes)
        except ImpingeError as error:
            rows[index] = _native.StudyRow.failed(str(error))
            continue
        row = _native.StudyRow.of(out / folder, point, steps)
        if row is not None:
            rows[index] = row
            continue
        scenes[index] = point
        last = point.steps if steps is None else steps
        tasks.append((text, overrides, meshes, str((out / folder).absolute()), last, 0))

    if executor is None:
        executor = Processes(jobs)
    failures = executor.run(tasks) if isinstance(executor, Processes) else _submitted(executor, tasks)
    for (index, point), failure in zip(scenes.items(), failures):
        row = _native.StudyRow.of(out / points[index][1], point, steps)
        rows[index] = row or _native.StudyRow.failed(failure or "the run ended without a result")

    table = study.table([rows[index] for index in range(len(points))])
    path = out / TABLE
    part = path.with_suffix(".part")
    part.write_text(table, encoding="utf-8", newline="")
    part.replace(path)
    return Sweep(path, list(csv.DictReader(io.StringIO(table, newline=""))))


def _axes(grid: Mapping[str, Iterable[Any]] | Sequence[str]) -> list[str]:
    if not isinstance(grid, Mapping):
        return list(grid)
    axes = []
    for key, values in grid.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise ArgumentError(f"grid: {key} is {values!r}; give a list of values")
        axes.append(f"{key}={','.join(_value(key, value) for value in values)}")
    return axes


def _value(key: str, value: Any) -> str:
    """A value as TOML."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return f"[{','.join(_value(key, entry) for entry in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value)
    raise ArgumentError(f"grid: a value of {key} is {value!r}, which no key can have")
