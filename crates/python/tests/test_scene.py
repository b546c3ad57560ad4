"""Scenes from files, texts, dictionaries and builders."""

import doctest
import sys
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


def built(keys, sections):
    """The scene of a dictionary, built section by section in that order."""
    builder = Scene.builder(title=keys["title"])
    for section in sections:
        given = keys[section]
        for entry in [given] if isinstance(given, dict) else given:
            assert getattr(builder, section)(**entry) is builder
    return builder.build()


def test_a_builder_makes_the_scene_of_its_keys_in_any_order(cube_keys):
    cube_keys["world"] = {"friction": 0.2, "gravity": [0.5, 0, -9.81]}
    cube_keys["body"].append(cube_keys["body"][0] | {"name": "upper", "position": [0.02, 0.01, 0.153]})
    cube_keys["friction"] = [{"first": "cube", "second": "upper", "coefficient": 0.3}]
    cube_keys["joint"] = [{"kind": "rope", "first": "upper", "anchor": [0, 0, 0.2], "end": [0, 0, 0.3]}]
    sections = ["time", "world", "body", "obstacle", "joint", "friction"]
    scene = Scene.from_dict(cube_keys)
    states = []
    for own in [scene, built(cube_keys, sections), built(cube_keys, reversed(sections))]:
        assert own.to_toml() == scene.to_toml()
        simulation = impinge.Simulation(own)
        simulation.step(10)
        states.append(simulation.positions.tobytes() + simulation.velocities.tobytes())
    assert states[0] == states[1] == states[2]


def test_a_mistake_in_a_builder_has_the_words_of_a_dictionary(cube_keys):
    cube_keys["body"][0]["frictoin"] = 0.5
    with pytest.raises(impinge.SceneError, match=r"frictoin(?s:.*)did you mean `friction`") as by_keys:
        Scene.from_dict(cube_keys)
    with pytest.raises(impinge.SceneError) as by_calls:
        built(cube_keys, ["time", "body", "obstacle"])
    assert str(by_calls.value) == str(by_keys.value)
    with pytest.raises(impinge.ArgumentError, match=r"body\.0\.position\.2 is NaN"):
        Scene.builder().body("cube", position=[0, 0, float("nan")]).build()


def test_a_builder_goes_on_from_a_scene_and_leaves_its_keys(cube_keys):
    keys = Scene.from_dict(cube_keys).to_dict()
    builder = Scene.builder(**keys).time(duration=1.0).world(friction=0.1)
    more = builder.body("ball", mesh={"sphere": {"radius": 0.02, "subdivisions": 1}}, kind="rigid", mass=1).build()
    assert [body["name"] for body in more.to_dict()["body"]] == ["cube", "ball"]
    assert more.time_step == 1e-3 and more.duration == 1.0
    assert keys == Scene.from_dict(cube_keys).to_dict()
    assert len(builder.obstacle("wall", shape={"cuboid": {"size": [1, 1, 1]}}).build().to_dict()["obstacle"]) == 2
    assert len(more.to_dict()["obstacle"]) == 1


def test_a_builder_has_a_call_for_each_section():
    calls = {name for name in vars(impinge.SceneBuilder) if not name.startswith("_")}
    scalars = {"title", "stepper"}
    assert calls - {"build"} == set(Scene.schema()["properties"]) - scalars


def test_the_example_of_the_builder_holds():
    results = doctest.testmod(sys.modules["impinge._builder"])
    assert results.attempted == 3 and results.failed == 0


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
