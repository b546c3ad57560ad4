"""Types of the native module."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, final

import numpy as np
import numpy.typing as npt

from ._builder import SceneBuilder

__version__: str

_Floats = npt.NDArray[np.float64]
_Indices = npt.NDArray[np.uint32]
_Controller = TypeVar("_Controller", bound=Callable[[Simulation], Any])
_Path = str | os.PathLike[str]

class StepReport(TypedDict):
    """Statistics of a step; a subdivided step has the sum or the worst of its substeps."""

    step: int
    time: float
    """Simulated time at its end (s)."""
    substeps: int
    rejected: int
    iterations: int
    rounds: int
    active: int
    """Active contacts at the end."""
    sticking: int
    sliding: int
    momentum_residual: float
    """Independent momentum residual (N s)."""
    normal_residual: float
    """Independent residual of complementarity (m)."""
    friction_residual: float
    """Independent residual of friction (m)."""
    minimum_gap: float
    """Smallest distance of an active contact (m); infinite without one."""
    kinetic_energy: float
    """J."""
    elastic_energy: float
    """J."""
    gravitational_energy: float
    """J, relative to the origin."""
    momentum: Sequence[float]
    """Linear momentum of free nodes, without rigid bodies (N s)."""
    contact_force: Sequence[float]
    """Sum of contact forces on free nodes (N)."""
    times: Mapping[str, float]
    """Wall time of each stage (s)."""

class Finding(TypedDict):
    """A finding of the doctor; further keys are the measures of its kind in SI units."""

    severity: Literal["error", "warning", "note"]
    kind: str
    problem: str
    mend: str

class Move(TypedDict):
    """A body that was moved."""

    body: str
    translation: Sequence[float]
    """m."""
    length: float
    """m."""

class StepEffort(TypedDict):
    """Effort of a method for all solves of a step. Residuals are relative to their tolerances."""

    step: int
    solves: int
    contacts: int
    iterations: int
    products: int
    state_changes: int
    seconds: float
    unmet: int
    false_claims: int
    not_finite: int
    relaxed: int
    momentum: float
    normal: float
    friction: float
    penetration: float

class MethodRecord(TypedDict):
    """A method and its effort, step by step."""

    name: str
    settings: Any
    steps: list[StepEffort]
    refusal: str | None

class RunFacts(TypedDict):
    """How a run ended."""

    status: Literal["completed", "inexact", "stopped", "interrupted"]
    message: str | None
    notes: list[str]
    steps: int
    frames: int
    wall_seconds: float

class Reaction(TypedDict):
    """Force and torque of a prescribed motion or a joint on a body."""

    kind: Literal["held", "driven", "joint"]
    name: str
    body: str
    place: _Floats
    """Reference point of the torque (m), shape (3,)."""
    force: _Floats
    """N, shape (3,)."""
    torque: _Floats
    """N m, shape (3,)."""

class BodyEnergies(TypedDict):
    """Energies of a body."""

    kinetic: float
    """J."""
    elastic: float
    """J, without joints."""
    gravitational: float
    """J, relative to the origin."""

class StuffingReport(TypedDict):
    """What ``tetrahedralize`` made."""

    dihedral: list[float]
    """Smallest and largest dihedral angle (degrees)."""
    surface_volume: float
    """m³."""
    volume: float
    """m³."""
    parts: int
    welded: int
    removed: int

class RepairReport(TypedDict):
    """What ``repair`` changed, and what remains."""

    changed: bool
    text: str
    welded_nodes: int
    unused_nodes: int
    split_nodes: int
    flat_elements: int
    duplicate_elements: int
    wall_triangles: int
    reversed_elements: int
    open_edges: int
    intersections: int

@final
class Scene:
    @staticmethod
    def load(path: _Path, overrides: Sequence[str] = ...) -> Scene: ...
    @staticmethod
    def from_toml(
        text: str, overrides: Sequence[str] = ..., folder: _Path | None = None, name: str = "scene"
    ) -> Scene: ...
    @staticmethod
    def from_dict(keys: dict[str, Any], folder: _Path | None = None) -> Scene: ...
    @staticmethod
    def builder(**keys: Any) -> SceneBuilder: ...
    @staticmethod
    def schema() -> dict[str, Any]: ...
    def to_dict(self) -> dict[str, Any]: ...
    def to_toml(self) -> str: ...
    def separated(self) -> tuple[Scene, list[Move]]: ...
    @property
    def title(self) -> str: ...
    @property
    def time_step(self) -> float: ...
    @property
    def duration(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def folder(self) -> Path: ...

@final
class Simulation:
    def __new__(cls, scene: Scene) -> Simulation: ...
    def step(self, count: int = 1) -> StepReport: ...
    def step_until(self, time: float) -> StepReport | None: ...
    def body(self, name: str) -> Body: ...
    def reaction(self, name: str) -> Reaction: ...
    def set_force(self, body: str, force: npt.ArrayLike) -> None: ...
    def set_torque(self, body: str, torque: npt.ArrayLike) -> None: ...
    def set_velocity(self, name: str, velocity: npt.ArrayLike) -> None: ...
    def set_angular_velocity(self, name: str, angular_velocity: npt.ArrayLike) -> None: ...
    def set_center(self, name: str, place: npt.ArrayLike) -> None: ...
    def set_pose(self, name: str, position: npt.ArrayLike, orientation: npt.ArrayLike | None = None) -> None: ...
    def set_friction(self, first: str, second: str, coefficient: float) -> None: ...
    def on_step(self, controller: _Controller) -> _Controller: ...
    def clear_controllers(self) -> None: ...
    def save(self) -> Snapshot: ...
    def restore(self, snapshot: Snapshot) -> None: ...
    def take_notices(self) -> list[str]: ...
    @property
    def contacts(self) -> npt.NDArray[np.void]: ...
    @property
    def reactions(self) -> npt.NDArray[np.void]: ...
    @property
    def scene(self) -> Scene: ...
    @property
    def time(self) -> float: ...
    @property
    def step_count(self) -> int: ...
    @property
    def positions(self) -> _Floats: ...
    @property
    def velocities(self) -> _Floats: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def bodies(self) -> dict[str, Body]: ...

@final
class Snapshot:
    @property
    def time(self) -> float: ...
    @property
    def step_count(self) -> int: ...

@final
class Body:
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> Literal["elastic", "shell", "rigid", "obstacle", "half_space"]: ...
    @property
    def is_prescribed(self) -> bool: ...
    @property
    def positions(self) -> _Floats: ...
    @property
    def velocities(self) -> _Floats: ...
    @property
    def rest_positions(self) -> _Floats: ...
    @property
    def nodes(self) -> _Indices: ...
    @property
    def faces(self) -> _Indices: ...
    @property
    def tetrahedra(self) -> _Indices: ...
    @property
    def mass(self) -> float: ...
    @property
    def center_of_mass(self) -> _Floats: ...
    @property
    def velocity(self) -> _Floats: ...
    @property
    def angular_velocity(self) -> _Floats: ...
    @property
    def momentum(self) -> _Floats: ...
    @property
    def angular_momentum(self) -> _Floats: ...
    @property
    def energies(self) -> BodyEnergies: ...
    @property
    def contact_load(self) -> tuple[_Floats, _Floats]: ...
    @property
    def given_load(self) -> tuple[_Floats, _Floats]: ...
    @property
    def contact_forces(self) -> _Floats: ...
    @property
    def pose(self) -> tuple[_Floats, _Floats] | None: ...

@final
class Verification:
    @property
    def is_sound(self) -> bool: ...
    @property
    def frames(self) -> int: ...
    @property
    def motions(self) -> int: ...
    @property
    def unknown_motions(self) -> int: ...
    @property
    def findings(self) -> list[str]: ...
    @property
    def notes(self) -> list[str]: ...
    def __bool__(self) -> bool: ...

@final
class FrictionSolution:
    @property
    def reactions(self) -> _Floats: ...
    @property
    def velocities(self) -> _Floats: ...
    @property
    def is_solved(self) -> bool: ...
    @property
    def method(self) -> str: ...
    @property
    def iterations(self) -> int: ...
    @property
    def residual(self) -> dict[str, float]: ...

@final
class Study:
    def __new__(cls, axes: Sequence[str]) -> Study: ...
    def points(self) -> list[tuple[list[str], str]]: ...
    def table(self, rows: Sequence[StudyRow]) -> str: ...

@final
class StudyRow:
    @staticmethod
    def failed(message: str) -> StudyRow: ...
    @staticmethod
    def of(folder: _Path, scene: Scene, steps: int | None = None) -> StudyRow | None: ...

def doctor(scene: Scene) -> list[Finding]: ...
def run(
    scene: Scene,
    out: _Path,
    *,
    steps: int | None = None,
    resume: bool = False,
    accept_inexact: bool = False,
) -> RunFacts: ...
def verify(path: _Path) -> Verification: ...
def compare(
    scene: Scene, methods: Sequence[str] | None = None, *, steps: int | None = None, from_step: int = 1
) -> list[MethodRecord]: ...
def solve(
    W: Any, q: npt.ArrayLike, mu: npt.ArrayLike, *, method: str = "auto", tolerance: float = 1e-8
) -> FrictionSolution: ...
def read_mesh(path: _Path, kind: Literal["solid", "surface"] | None = None) -> tuple[_Floats, _Indices]: ...
def write_mesh(path: _Path, nodes: npt.ArrayLike, elements: npt.ArrayLike) -> None: ...
def tetrahedralize(
    vertices: npt.ArrayLike,
    faces: npt.ArrayLike,
    size: float,
    *,
    volume_tolerance: float = 0.1,
    most_tets: int = 20_000_000,
) -> tuple[_Floats, _Indices, StuffingReport]: ...
def repair(
    nodes: npt.ArrayLike, elements: npt.ArrayLike, weld: float | None = None
) -> tuple[_Floats, _Indices, RepairReport]: ...
def step_size(
    vertices: npt.ArrayLike | None,
    faces: npt.ArrayLike,
    edges: npt.ArrayLike | None,
    start: npt.ArrayLike,
    end: npt.ArrayLike,
    *,
    minimum_separation: float = 0.0,
) -> tuple[float, tuple[Literal["vertex_face", "edge_edge"], int, int] | None]: ...
