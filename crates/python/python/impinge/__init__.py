"""Elastic and rigid bodies in frictional contact, free of intersections.

    import impinge

    scene = impinge.Scene.load("scenes/drop_cube.toml")
    simulation = impinge.Simulation(scene)
    cube = simulation.body("cube")
    simulation.step_until(0.1)
    print(cube.positions.min(axis=0))

All quantities are in SI units, and arrays are in C order: one row per point.

- ``Scene``, ``Simulation``, ``Body``: scenes, and simulations that take forces, motions and controllers on the way
- ``run``, ``verify``, ``doctor``: recorded runs, the proof of one, problems of a scene
- ``sweep``: one scene with several values of its keys, and one table of all runs
- ``compare``, ``solve``: contact methods on a scene; bare friction problems
- ``mesh``, ``ccd``: meshes and collision queries from arrays
"""

from . import ccd, mesh
from ._builder import SceneBuilder
from ._errors import (
    ArgumentError,
    ControllerError,
    ImpingeError,
    InternalError,
    MeshError,
    RunError,
    SceneError,
    SolveError,
    StateError,
    StepError,
    UnknownNameError,
)
from ._native import (
    Body,
    FrictionSolution,
    Scene,
    Simulation,
    Snapshot,
    Verification,
    __version__,
    compare,
    doctor,
    run,
    solve,
    verify,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._sweep import Executor, Processes, Sweep, sweep

__all__ = [
    "ArgumentError",
    "Body",
    "ControllerError",
    "Executor",
    "FrictionSolution",
    "ImpingeError",
    "InternalError",
    "MeshError",
    "Processes",
    "RunError",
    "Scene",
    "SceneBuilder",
    "SceneError",
    "Simulation",
    "Snapshot",
    "SolveError",
    "StateError",
    "StepError",
    "Sweep",
    "UnknownNameError",
    "Verification",
    "__version__",
    "ccd",
    "compare",
    "doctor",
    "mesh",
    "run",
    "solve",
    "sweep",
    "verify",
]


def __getattr__(name: str) -> object:
    """Imports studies when they are asked for: processes and threads take time to import."""
    if name in ("Executor", "Processes", "Sweep", "sweep"):
        from . import _sweep

        return getattr(_sweep, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
