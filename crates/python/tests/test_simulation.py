"""Steps, views of arrays, threads, signals, and what goes wrong."""

import _thread
import gc
import signal
import threading
import time

import numpy as np
import pytest

import impinge


def test_a_cube_falls_by_the_law(falling):
    report = falling.step(10)
    assert report["step"] == falling.step_count == 10
    assert falling.time == pytest.approx(0.01)
    assert np.allclose(falling.body("cube").velocities, [0, 0, -9.81e-2], rtol=0, atol=1e-9)


def test_a_cube_rests_on_the_ground_by_its_weight(cube):
    assert cube.step_until(0.3)["active"] > 0
    body = cube.body("cube")
    assert body.mass == pytest.approx(1.0)
    assert body.positions[:, 2].min() > 0
    assert body.contact_forces.sum(axis=0)[2] == pytest.approx(9.81, rel=0.05)
    assert abs(body.momentum[2]) < 0.01


def test_step_until_stops_at_the_time_and_does_nothing_twice(falling):
    falling.step_until(0.005)
    assert falling.step_count == 5
    assert falling.step_until(0.005) is None
    assert falling.step_until(0.0051)["step"] == 6


def test_all_views_share_memory_and_follow_the_steps(falling):
    body = falling.body("cube")
    before = body.positions
    kept = before.copy()
    assert np.shares_memory(before, falling.positions)
    assert np.shares_memory(before, body.positions)
    assert np.shares_memory(falling.bodies["cube"].velocities, falling.velocities)
    address = before.__array_interface__["data"][0]
    falling.step(3)
    assert body.positions.__array_interface__["data"][0] == address
    assert (before[:, 2] < kept[:, 2]).all()
    assert np.array_equal(before, body.positions)


def test_a_view_outlives_its_simulation(cube_keys):
    simulation = impinge.Simulation(impinge.Scene.from_dict(cube_keys))
    view = simulation.body("cube").positions
    kept = view.copy()
    del simulation
    gc.collect()
    assert np.array_equal(view, kept)


def test_views_are_read_only_and_force_does_not_reach_the_state(falling):
    view = falling.positions
    with pytest.raises(ValueError):
        view[0, 0] = 1.0
    before = view.copy()
    view.flags.writeable = True
    view[:] = np.nan
    falling.step()
    assert np.isfinite(falling.positions).all()
    assert np.abs(falling.positions - before).max() < 1e-3


def test_surfaces_and_nodes_of_the_given_mesh(cube):
    body = cube.body("cube")
    assert body.kind == "elastic"
    assert sorted(body.nodes) == list(range(len(body.positions)))
    corners = body.positions[body.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    # Gauss' theorem: the volume of the cube, with triangles wound outwards.
    volume = (normals * corners[:, 0]).sum() / 6
    assert volume == pytest.approx(1e-3)


def test_a_rigid_body_has_a_pose(cube_keys):
    body = cube_keys["body"][0]
    body["kind"] = "rigid"
    del body["material"]
    body["density"] = 1000
    body["position"] = [0, 0, 10]
    simulation = impinge.Simulation(impinge.Scene.from_dict(cube_keys))
    simulation.step(10)
    cube = simulation.body("cube")
    center, turn = cube.pose
    assert cube.kind == "rigid"
    assert np.allclose(turn, [1, 0, 0, 0])
    assert center[2] == pytest.approx(10, abs=1e-3)
    assert cube.momentum[2] == pytest.approx(-9.81e-2, rel=1e-9)


def test_the_same_scene_gives_the_same_bits(cube_keys):
    scene = impinge.Scene.from_dict(cube_keys)
    first, second = impinge.Simulation(scene), impinge.Simulation(scene)
    first.step(20)
    for _ in range(20):
        second.step()
    assert np.array_equal(first.positions, second.positions)
    assert np.array_equal(first.velocities, second.velocities)


def test_an_unknown_name_lists_the_known_ones(cube):
    with pytest.raises(impinge.UnknownNameError, match="no body or obstacle `cubes`; known are `cube`, `ground`"):
        cube.body("cubes")
    cube.step()


@pytest.mark.parametrize("count", [0, -1])
def test_a_number_of_steps_that_is_none(cube, count):
    with pytest.raises(impinge.ArgumentError, match=f"count is {count}"):
        cube.step(count)


@pytest.mark.parametrize("until", [float("nan"), float("inf")])
def test_a_time_that_is_none(cube, until):
    with pytest.raises(impinge.ArgumentError, match="finite time"):
        cube.step_until(until)


def test_a_failed_step_leaves_the_state_before_it(cube_keys):
    cube_keys["obstacle"].append(
        {
            "name": "press",
            "shape": {"cuboid": {"size": [0.3, 0.3, 0.02]}},
            "position": [0, 0, 0.12],
            "motion": {"velocity": [0, 0, -10]},
        }
    )
    scene = impinge.Scene.from_dict(cube_keys)
    simulation = impinge.Simulation(scene)
    start = simulation.save()
    with pytest.raises(impinge.StepError, match="could not be completed") as failed:
        simulation.step(100)
    assert failed.value.step == simulation.step_count + 1 > 1
    assert failed.value.time == simulation.time > 0
    assert np.isfinite(simulation.positions).all()
    with pytest.raises(impinge.StepError):
        simulation.step(100)
    # It goes on from a saved state, with a press that waits.
    simulation.restore(start)
    simulation.set_velocity("press", [0, 0, 0])
    assert simulation.step(20)["step"] == 20


def test_other_threads_run_during_a_step_and_cannot_use_the_simulation(cube_keys):
    cube_keys["body"][0]["mesh"]["cuboid"]["cells"] = [8, 8, 8]
    simulation = impinge.Simulation(impinge.Scene.from_dict(cube_keys))
    before = impinge.Simulation(simulation.scene).positions
    failures = []

    def run():
        try:
            simulation.step(400)
        except KeyboardInterrupt:
            failures.append("interrupted")

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.05)
    begin = time.perf_counter()
    counted = sum(range(10_000))
    assert counted and time.perf_counter() - begin < 5
    with pytest.raises(impinge.StateError, match="another thread"):
        simulation.step()
    # An array that is first asked for in the meantime, too.
    assert np.array_equal(simulation.positions, before)
    assert "not available" in repr(simulation)
    thread.join()
    assert not failures
    assert simulation.step_count == 400
    assert not np.array_equal(simulation.positions, before)


def test_ctrl_c_ends_a_step_and_the_simulation_goes_on(cube_keys):
    cube_keys["body"][0]["mesh"]["cuboid"]["cells"] = [8, 8, 8]
    simulation = impinge.Simulation(impinge.Scene.from_dict(cube_keys))
    # A process in the background may ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        simulation.step(20_000)
    assert time.perf_counter() - begin < 30
    timer.join()
    signal.signal(signal.SIGINT, before)
    reached = simulation.step_count
    assert simulation.step()["step"] == reached + 1
