"""Scenes from files, texts and dictionaries."""

from pathlib import Path

import numpy as np
import pytest

import impinge
from impinge import Scene


def test_a_file_and_its_overrides(scenes):
    scene = Scene.load(scenes / "drop_cube.toml", ["time.duration=0.25"])
    assert scene.duration == 0.25
    assert scene.folder == scenes


def test_a_dictionary_a_text_and_back_are_the_same_scene(cube_keys):
    scene = Scene.from_dict(cube_keys)
    assert Scene.from_dict(scene.to_dict()).to_toml() == scene.to_toml()
    assert Scene.from_toml(scene.to_toml()).to_dict() == scene.to_dict()


def test_arrays_tuples_and_paths_are_values(cube_keys):
    body = cube_keys["body"][0]
    body["position"] = np.array([0, 0, 0.06])
    body["mesh"] = {"cuboid": {"size": (0.1, 0.1, np.float64(0.1)), "cells": np.full(3, 2)}}
    body["velocity"] = None
    cube_keys["title"] = Path("a/b")
    scene = Scene.from_dict(cube_keys)
    assert scene.title == str(Path("a/b"))
    assert tuple(scene.to_dict()["body"][0]["position"]) == (0.0, 0.0, 0.06)


def test_a_mistake_has_its_key_and_its_remedy(cube_keys):
    cube_keys["body"][0]["material"]["densty"] = 1.0
    with pytest.raises(impinge.SceneError, match="densty(?s:.*)did you mean `density`"):
        Scene.from_dict(cube_keys)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), r"body\.0\.position\.2 is NaN"),
        (object(), r"body\.0\.position\.2 is a object"),
        (2**70, r"body\.0\.position\.2 is an integer beyond 64 bits"),
    ],
)
def test_a_value_that_no_key_can_have_is_named(cube_keys, value, message):
    cube_keys["body"][0]["position"][2] = value
    with pytest.raises(impinge.ArgumentError, match=message):
        Scene.from_dict(cube_keys)


def test_a_dictionary_within_itself_ends(cube_keys):
    cube_keys["world"] = cube_keys
    with pytest.raises(impinge.ArgumentError, match="deeper"):
        Scene.from_dict(cube_keys)


def test_a_missing_file_is_named():
    with pytest.raises(impinge.SceneError, match="nowhere.toml"):
        Scene.load("nowhere.toml")


def test_the_schema_describes_keys():
    assert "body" in Scene.schema()["properties"]


def test_the_doctor_finds_an_overlap_and_a_separation_mends_it(cube_keys):
    cube_keys["body"][0]["position"] = [0, 0, 0.04]
    scene = Scene.from_dict(cube_keys)
    worst = impinge.doctor(scene)[0]
    assert worst["severity"] == "error" and worst["kind"] == "penetration"
    assert worst["depth"] == pytest.approx(0.01)
    with pytest.raises(impinge.SceneError, match="half-space `ground`"):
        impinge.Simulation(scene)
    mended, moves = scene.separated()
    assert moves[0]["body"] == "cube" and moves[0]["length"] < 0.0101
    assert not [finding for finding in impinge.doctor(mended) if finding["severity"] == "error"]
