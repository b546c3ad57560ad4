"""Scenes that are built call by call."""

from __future__ import annotations

from ._native import Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any

__all__ = ["SceneBuilder"]


class SceneBuilder:
    """A scene that is built call by call; ``Scene.builder`` begins one.

    Each call is a section of a scene file, and its keyword arguments are the keys of that section: docs/scene.md and
    ``Scene.schema`` describe them. Values are those of ``Scene.from_dict``. Calls may come in any order. Each changes
    the builder and returns it.

    >>> import impinge
    >>> scene = (
    ...     impinge.Scene.builder(title="a ball rolls off a box")
    ...     .time(step=2e-3, duration=0.5)
    ...     .world(friction=0.4)
    ...     .body(
    ...         "ball",
    ...         mesh={"sphere": {"radius": 0.05, "subdivisions": 2}},
    ...         material={"young": 1e5, "poisson": 0.4, "density": 1000},
    ...         position=[0, 0, 0.2],
    ...     )
    ...     .body("box", kind="rigid", mesh={"cuboid": {"size": [0.1] * 3, "cells": [1] * 3}}, mass=0.5,
    ...           position=[0, 0, 0.06])
    ...     .obstacle("ground", shape={"half_space": {"normal": [0, 0, 1]}})
    ...     .joint("rope", "box", anchor=[0, 0, 0.06], end=[0.3, 0, 0.06])
    ...     .friction("ball", "box", 0.1)
    ...     .build()
    ... )
    >>> scene
    <Scene "a ball rolls off a box": 2 bodies, 1 obstacles, 1 joints>

    ``Scene.builder(**scene.to_dict())`` goes on from a scene.
    """

    def __init__(self, **keys: Any) -> None:
        self._keys = keys

    def time(self, **keys: Any) -> SceneBuilder:
        """Sets the time step, the simulated time and other keys of ``time``."""
        return self._table("time", keys)

    def world(self, **keys: Any) -> SceneBuilder:
        """Sets gravity, the friction of all that has none of its own, and other keys of ``world``."""
        return self._table("world", keys)

    def solver(self, **keys: Any) -> SceneBuilder:
        """Sets keys of the contact solver."""
        return self._table("solver", keys)

    def asynchronous(self, **keys: Any) -> SceneBuilder:
        """Sets keys of the asynchronous stepper; ``Scene.builder(stepper="asynchronous")`` selects it."""
        return self._table("asynchronous", keys)

    def output(self, **keys: Any) -> SceneBuilder:
        """Sets keys of the output of ``impinge.run``."""
        return self._table("output", keys)

    def body(self, name: str | None = None, **keys: Any) -> SceneBuilder:
        """Adds a body: elastic, or of another ``kind``."""
        return self._entry("body", {"name": name, **keys})

    def obstacle(self, name: str | None = None, **keys: Any) -> SceneBuilder:
        """Adds an obstacle."""
        return self._entry("obstacle", {"name": name, **keys})

    def joint(self, kind: str, first: str, second: str | None = None, **keys: Any) -> SceneBuilder:
        """Adds a joint or a link between two bodies, or between a body and the world."""
        return self._entry("joint", {"kind": kind, "first": first, "second": second, **keys})

    def friction(self, first: str, second: str, coefficient: float) -> SceneBuilder:
        """Sets the friction coefficient (1) between two bodies or obstacles."""
        return self._entry("friction", {"first": first, "second": second, "coefficient": coefficient})

    def build(self, folder: str | os.PathLike[str] | None = None) -> Scene:
        """The scene; the builder can go on, and build others.

        Args:
            folder: the folder that mesh files are relative to; by default the current one.

        Raises:
            ArgumentError: for a value that no key can have.
            SceneError: with key and remedy of every mistake.
        """
        return Scene.from_dict(self._keys, folder)

    def _table(self, section: str, keys: dict[str, Any]) -> SceneBuilder:
        self._keys[section] = {**(self._keys.get(section) or {}), **keys}
        return self

    def _entry(self, section: str, keys: dict[str, Any]) -> SceneBuilder:
        self._keys[section] = [*(self._keys.get(section) or ()), keys]
        return self
