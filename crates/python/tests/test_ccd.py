"""Certified step sizes."""

import numpy as np
import pytest

import impinge
from impinge.ccd import step_size

FACES = [[0, 1, 2]]
START = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 1]])
END = START - [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2]]


def test_a_point_stops_before_the_triangle():
    fraction, limit = step_size([0, 1, 2, 3], FACES, None, START, END)
    assert 0.4999 < fraction < 0.5
    assert limit == ("vertex_face", 3, 0)
    # It is certified: the point is above the triangle.
    assert (START + fraction * (END - START))[3, 2] > 0


def test_without_the_point_the_motion_is_free():
    assert step_size(None, FACES, None, START, END) == (1.0, None)


def test_two_edges_meet():
    start = np.array([[-1.0, 0, 0], [1, 0, 0], [0, -1, 1], [0, 1, 1]])
    fraction, limit = step_size([], np.zeros((0, 3), int), [[0, 1], [2, 3]], start, start * [1, 1, -1])
    assert 0.4999 < fraction < 0.5
    assert limit == ("edge_edge", 0, 1)


def test_a_separation_is_kept():
    fraction, _ = step_size([3], FACES, None, START, END, minimum_separation=0.1)
    assert 0.4499 < fraction < 0.45


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"end": END[:3]}, "4 positions at the start but 3 at the end"),
        ({"vertices": [4]}, "names point 4, but there are 4 points"),
        ({"faces": [[0, 0, 1]]}, "names point 0 twice"),
        ({"start": np.full((4, 3), np.inf)}, r"start\[0, 0\] is inf"),
        ({"edges": [[0, 1, 2]]}, r"edges has shape \(1, 3\)"),
        ({"vertices": [[0]]}, r"vertices has shape \(1, 1\)"),
        ({"minimum_separation": -1.0}, "minimum_separation is -1"),
    ],
)
def test_arrays_that_are_no_motion(change, message):
    arguments = {"vertices": [3], "faces": FACES, "edges": None, "start": START, "end": END} | change
    with pytest.raises(impinge.ArgumentError, match=message):
        step_size(**arguments)
