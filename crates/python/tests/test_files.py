"""Files of runs, as programs of others read them."""

import csv

import meshio
import numpy as np
import pytest
import pyvista

import impinge

MASS = 2.0
"""Mass of each block (kg)."""

GRAVITY = 9.81
"""Acceleration of gravity (m/s2)."""

SEPARATED, STICKING, SLIDING = 0, 1, 2
"""States of contacts, as docs/output.md has them."""


def block(name, height):
    return {
        "name": name,
        "kind": "rigid",
        "mass": MASS,
        "mesh": {"cuboid": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}},
        "position": [0, 0, height],
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of two blocks that come to rest on a plate, one on the other."""
    keys = {
        "time": {"step": 1e-2, "duration": 0.3},
        "world": {"gravity": [0, 0, -GRAVITY], "friction": 0.4},
        "output": {"every": 10},
        "body": [block("lower", 0.0505), block("upper", 0.152)],
        "obstacle": [
            {"name": "plate & co", "shape": {"cuboid": {"size": [1, 1, 0.1]}}, "position": [0, 0, -0.05]}
        ],
    }
    folder = tmp_path_factory.mktemp("run") / "blocks"
    impinge.run(impinge.Scene.from_dict(keys), folder)
    return folder


def force_on(contacts, name):
    """Sum of the contact forces on a body (N)."""
    forces = contacts["normal_force"] + contacts["friction_force"]
    number = contacts.field_data[name][0]
    first, second = (contacts["bodies"] == number).T
    return forces[first].sum(axis=0) - forces[second].sum(axis=0)


def test_frames_name_their_bodies_in_both_readers(folder):
    path = folder / "frame_00003.vtu"
    frame, mesh = pyvista.read(path), meshio.read(path)
    names = {"lower": 0, "upper": 1, "plate & co": 2}
    assert {name: int(numbers[0]) for name, numbers in frame.field_data.items()} == names
    assert {name: int(numbers.item()) for name, numbers in mesh.field_data.items()} == names
    np.testing.assert_array_equal(frame.points, mesh.points)
    for array in ["velocity", "contact_force", "body"]:
        values = frame.point_data[array]
        np.testing.assert_array_equal(values, mesh.point_data[array].reshape(values.shape))
    upper = frame.point_data["contact_force"][frame.point_data["body"] == names["upper"]]
    np.testing.assert_allclose(upper.sum(axis=0), [0, 0, MASS * GRAVITY], atol=1e-3 * MASS * GRAVITY)


def test_contacts_carry_the_weight(folder):
    reader = pyvista.get_reader(folder / "contacts.pvd")
    np.testing.assert_allclose(reader.time_values, [0, 0.1, 0.2, 0.3])
    reader.set_active_time_value(reader.time_values[-1])
    contacts = reader.read()[0]
    weight = MASS * GRAVITY
    expected = {"lower": weight, "upper": weight, "plate & co": -2 * weight}
    for name, force in expected.items():
        np.testing.assert_allclose(force_on(contacts, name), [0, 0, force], atol=1e-3 * weight, err_msg=name)
    assert contacts.n_points == contacts.n_verts > 0
    np.testing.assert_allclose(np.linalg.norm(contacts["normal"], axis=1), 1)
    assert set(contacts["state"]) <= {STICKING, SLIDING}
    # A block rests on the plate at z = 0, or on the other one at 0.1 m.
    heights = np.abs(contacts.points[:, 2, None] - [0, 0.1]).min(axis=1)
    assert heights.max() < 2e-3 and np.abs(contacts["gap"]).max() < 2e-3
    pressed = np.linalg.norm(contacts["normal_force"], axis=1)
    rubbed = np.linalg.norm(contacts["friction_force"], axis=1)
    assert (rubbed <= contacts["friction"] * pressed + 1e-9).all()


def test_features_are_nodes_of_the_frame(folder):
    frame = pyvista.read(folder / "frame_00003.vtu")
    contacts = pyvista.read(folder / "contacts_00003.vtp")
    vertices = 0
    for place, bodies, nodes in zip(contacts.points, contacts["bodies"], contacts["first_feature"]):
        assert (np.diff((nodes >= 0).astype(int)) <= 0).all(), "missing nodes come last"
        if (nodes >= 0).sum() == 1:
            of_body = frame.point_data["body"] == bodies[0]
            of_node = of_body & (frame.point_data["node"] == nodes[0])
            np.testing.assert_allclose(frame.points[of_node], [place], atol=1e-12)
            vertices += 1
    assert vertices > 0


def test_a_frame_without_contacts_has_an_empty_file(folder):
    contacts = pyvista.read(folder / "contacts_00000.vtp")
    assert contacts.n_points == 0
    assert list(contacts.field_data.keys()) == ["lower", "upper", "plate & co"]


def test_a_plate_carries_both_blocks(folder):
    with (folder / "reactions.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["step"] for row in rows] == [str(step) for step in range(1, 31)]
    assert {(row["kind"], row["name"], row["body"]) for row in rows} == {("driven",) + ("plate & co",) * 2}
    force = [float(rows[-1][f"force_{axis}"]) for axis in "xyz"]
    np.testing.assert_allclose(force, [0, 0, 2 * MASS * GRAVITY], atol=1e-3 * MASS * GRAVITY)


def test_the_run_is_proved(folder):
    assert impinge.verify(folder).is_sound
