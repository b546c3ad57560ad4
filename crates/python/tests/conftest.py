"""Scenes of the tests."""

from pathlib import Path

import pytest

import impinge

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def cube_keys():
    """A cube a little above the ground, as a dictionary."""
    return {
        "title": "cube",
        "time": {"step": 1e-3, "duration": 0.02},
        "body": [
            {
                "name": "cube",
                "mesh": {"cuboid": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}},
                "material": {"young": 1e5, "poisson": 0.3, "density": 1000},
                "position": [0, 0, 0.051],
            }
        ],
        "obstacle": [{"name": "ground", "shape": {"half_space": {"normal": [0, 0, 1]}}}],
    }


@pytest.fixture
def cube(cube_keys):
    """The simulation of the cube."""
    return impinge.Simulation(impinge.Scene.from_dict(cube_keys))


@pytest.fixture
def falling(cube_keys):
    """A cube that falls and touches nothing."""
    cube_keys["body"][0]["position"] = [0, 0, 10]
    return impinge.Simulation(impinge.Scene.from_dict(cube_keys))


@pytest.fixture
def scenes():
    """The folder of example scenes."""
    return ROOT / "scenes"
