"""Recorded runs and their proof."""

import csv
import json

import numpy as np
import pytest

import impinge


@pytest.fixture
def scene(cube_keys):
    cube_keys["output"] = {"every": 5}
    return impinge.Scene.from_dict(cube_keys)


def test_a_run_is_recorded_and_proved(scene, tmp_path):
    facts = impinge.run(scene, tmp_path / "run")
    assert facts["status"] == "completed" and facts["message"] is None
    assert facts["steps"] == 20 and facts["frames"] == 5
    proof = impinge.verify(tmp_path / "run")
    assert proof and proof.is_sound and not proof.findings
    assert proof.frames == 5
    frame = impinge.verify(tmp_path / "run" / "frame_00001.vtu")
    assert frame.is_sound and frame.frames == 1


def test_a_run_goes_on_with_the_same_bits(scene, tmp_path):
    impinge.run(scene, tmp_path / "whole")
    impinge.run(scene, tmp_path / "parts", steps=10)
    facts = impinge.run(scene, tmp_path / "parts", resume=True)
    assert facts["frames"] == 5
    last = "frame_00004.vtu"
    assert (tmp_path / "whole" / last).read_bytes() == (tmp_path / "parts" / last).read_bytes()


def test_its_steps_are_those_of_the_simulation(scene, tmp_path):
    impinge.run(scene, tmp_path / "run")
    with (tmp_path / "run" / "steps.csv").open() as file:
        energies = [float(row["kinetic_energy"]) for row in csv.DictReader(file)]
    simulation = impinge.Simulation(scene)
    assert energies == [simulation.step()["kinetic_energy"] for _ in energies]


def test_a_damaged_frame_is_a_finding(scene, tmp_path):
    impinge.run(scene, tmp_path / "run")
    path = tmp_path / "run" / "frame_00002.vtu"
    path.write_bytes(path.read_bytes()[:-100])
    proof = impinge.verify(tmp_path / "run")
    assert not proof
    assert any("frame_00002.vtu" in finding for finding in proof.findings)


def test_what_is_no_run_is_named(scene, tmp_path):
    with pytest.raises(impinge.RunError, match="manifest.json"):
        impinge.verify(tmp_path)
    with pytest.raises(impinge.RunError):
        impinge.run(scene, tmp_path / "none", resume=True)
    with pytest.raises(impinge.RunError):
        impinge.verify(tmp_path / "nowhere")


def test_another_scene_cannot_go_on(scene, cube_keys, tmp_path):
    impinge.run(scene, tmp_path / "run", steps=10)
    cube_keys["body"][0]["material"]["young"] = 2e5
    with pytest.raises(impinge.RunError, match="scene"):
        impinge.run(impinge.Scene.from_dict(cube_keys), tmp_path / "run", resume=True)


def test_the_title_of_the_scene_is_in_the_summary(scene, tmp_path):
    impinge.run(scene, tmp_path / "run", steps=5)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["title"] == "cube"
    assert np.isfinite(summary["wall_seconds"])
