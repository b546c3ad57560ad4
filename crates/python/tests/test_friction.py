"""Bare friction problems, and the comparison of methods."""

import numpy as np
import pytest

import impinge


def test_one_contact_sticks_or_slides_by_coulomb():
    mass = 2.0
    for speed, sliding in [(0.3, False), (3.0, True)]:
        # A particle that hits the ground at 1 m/s: the reaction is an impulse.
        solution = impinge.solve(np.eye(3) / mass, [[-1.0, speed, 0.0]], 0.5)
        normal, tangent, _ = solution.reactions[0]
        assert solution.is_solved
        assert normal == pytest.approx(mass)
        assert tangent == pytest.approx(-0.5 * mass if sliding else -mass * speed)
        assert solution.velocities[0, 1] == pytest.approx(speed - 0.5 if sliding else 0.0, abs=1e-8)
        assert max(solution.residual["siconos_error"], solution.residual["scaled_error"]) < 1e-8


@pytest.mark.parametrize("method", ["auto", "pgs", "newton", "admm"])
def test_methods_agree(method):
    rng = np.random.default_rng(1)
    half = rng.normal(size=(12, 20))
    W, q = half @ half.T, rng.normal(size=12)
    expected = impinge.solve(W, q, 0.3)
    found = impinge.solve(W, q.reshape(-1, 3), np.full(4, 0.3), method=method)
    assert expected.is_solved and found.is_solved
    assert np.allclose(found.reactions, expected.reactions, atol=1e-6)


def test_a_sparse_matrix_is_the_same_problem():
    class Coordinates:
        """What SciPy's sparse matrices offer."""

        shape = (6, 6)
        row, col = np.arange(6), np.arange(6)
        data = np.full(6, 0.5)

        def tocoo(self):
            return self

    q = [[-1.0, 0.2, 0.0], [-2.0, 5.0, 1.0]]
    sparse, dense = (impinge.solve(W, q, 0.4) for W in (Coordinates(), np.eye(6) / 2))
    assert np.array_equal(sparse.reactions, dense.reactions)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((np.eye(4), np.zeros(3), 0.1), impinge.ArgumentError, r"W has shape \(4, 4\)"),
        ((np.ones((3, 6)), np.zeros(3), 0.1), impinge.ArgumentError, r"W has shape \(3, 6\)"),
        ((np.eye(3) * np.nan, np.zeros(3), 0.1), impinge.ArgumentError, r"W\[0, 0\] is NaN"),
        ((np.eye(3), np.zeros(6), 0.1), impinge.SolveError, "W"),
        ((np.eye(3), np.zeros(3), -0.1), impinge.SolveError, "-0.1"),
        ((-np.eye(3), np.zeros(3), 0.1), impinge.SolveError, "contact 0"),
        ((np.eye(3), np.zeros(3), [0.1, 0.1]), impinge.SolveError, "2"),
    ],
)
def test_arrays_that_are_no_friction_problem(arguments, error, message):
    with pytest.raises(error, match=message):
        impinge.solve(*arguments)


def test_an_unknown_method_lists_the_known_ones():
    with pytest.raises(impinge.UnknownNameError, match="`pgs`, `newton`, `admm`"):
        impinge.solve(np.eye(3), np.zeros(3), 0.1, method="siconos")


def test_methods_on_a_scene(cube_keys):
    records = impinge.compare(impinge.Scene.from_dict(cube_keys), ["cr", "sp-2cr"], steps=20, from_step=15)
    assert [record["name"] for record in records] == ["cr", "sp-2cr"]
    for record in records:
        assert [step["step"] for step in record["steps"]] == list(range(15, 21))
        assert not any(step["unmet"] for step in record["steps"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": ["no-such"]}, "no-such"),
        ({"methods": []}, "methods is empty"),
        ({"methods": ["ica:law"]}, "KEY=VALUE"),
        ({"steps": 3, "from_step": 4}, "no step would be compared"),
    ],
)
def test_a_comparison_of_nothing(cube_keys, change, message):
    with pytest.raises(impinge.ArgumentError, match=message):
        impinge.compare(impinge.Scene.from_dict(cube_keys), **change)
