"""A running simulation that a program questions and changes."""

import _thread
import gc
import runpy
import signal
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import impinge

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture
def brick_keys():
    """A rigid brick of 3 kg without gravity, a rigid bar that a motion carries, and a plate."""
    return {
        "time": {"step": 1e-2, "duration": 1},
        "world": {"gravity": [0, 0, 0]},
        "body": [
            {
                "name": "brick",
                "kind": "rigid",
                "mass": 3,
                "mesh": {"cuboid": {"size": [0.1, 0.2, 0.3], "cells": [1, 1, 1]}},
                "position": [1, 2, 3],
            },
            {
                "name": "bar",
                "kind": "rigid",
                "mesh": {"cuboid": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}},
                "position": [0, 0, 2],
                "motion": {},
            },
        ],
        "obstacle": [{"name": "plate", "shape": {"cuboid": {"size": [1, 1, 0.1]}}}],
    }


@pytest.fixture
def brick(brick_keys):
    """The simulation of the brick."""
    return impinge.Simulation(impinge.Scene.from_dict(brick_keys))


@pytest.fixture
def held_keys(cube_keys):
    """The cube in the air, held by its upper nodes."""
    cube_keys["body"][0]["position"] = [0, 0, 1]
    upper = {"box": {"lower": [-1, -1, 1.049], "upper": [1, 1, 2]}, "name": "top"}
    cube_keys["body"][0]["fixed"] = [upper]
    cube_keys["body"][0]["material"]["mass_damping"] = 20
    return cube_keys


def test_a_force_and_a_torque_are_the_rates_of_momenta(brick):
    body = brick.body("brick")
    brick.set_force("brick", [6, -3, 1.5])
    brick.set_torque("brick", np.array([0, 0, 0.02]))
    force, torque = body.given_load
    assert np.array_equal(force, [6, -3, 1.5]) and np.array_equal(torque, [0, 0, 0.02])
    brick.step_until(0.5)
    assert np.allclose(body.momentum, [3, -1.5, 0.75], rtol=0, atol=1e-12)
    assert np.allclose(body.velocity, [1, -0.5, 0.25], rtol=0, atol=1e-12)
    assert np.allclose(body.angular_momentum, [0, 0, 0.01], rtol=0, atol=1e-12)
    inertia = 3 / 12 * (0.1**2 + 0.2**2)
    assert np.allclose(body.angular_velocity, [0, 0, 0.01 / inertia], rtol=0, atol=1e-10)
    assert body.energies["kinetic"] == pytest.approx(0.5 * 3 * 1.3125 + 0.5 * 0.01**2 / inertia)
    assert set(body.energies) == {"kinetic", "elastic", "gravitational"}
    brick.set_force("brick", np.zeros(3))
    brick.step(10)
    assert np.allclose(body.momentum, [3, -1.5, 0.75], rtol=0, atol=1e-12)


def test_order_type_and_strides_of_a_vector_do_not_matter(brick):
    body = brick.body("brick")
    padded = np.array([6, 0, -3, 0, 1.5, 0])
    columns = np.asfortranarray(np.outer([6, -3, 1.5], [0, 1]))
    vectors = [
        (6, -3, 1.5),
        padded[::2],
        columns[:, 1],
        np.array([1.5, -3, 6])[::-1],
        np.array([6, -3, 1.5], ">f8"),
        np.array([6, -3, 1.5], np.float16),
    ]
    for force in vectors:
        brick.set_force("brick", [0, 0, 0])
        brick.set_force("brick", force)
        assert np.array_equal(body.given_load[0], [6, -3, 1.5])
    brick.set_force("brick", np.array([6, -3, 1], np.int8))
    assert np.array_equal(body.given_load[0], [6, -3, 1])


def test_contacts_are_a_structured_array(cube):
    assert len(cube.contacts) == 0
    assert cube.contacts["place"].shape == (0, 3)
    cube.step_until(0.3)
    contacts = cube.contacts
    count = len(contacts)
    assert count >= 3
    assert (contacts["bodies"] == ["cube", "ground"]).all()
    assert np.allclose(contacts["normal"], [0, 0, 1])
    assert (contacts["gap"] > 0).all() and (contacts["gap"] < 1e-3).all()
    assert contacts["friction"] == pytest.approx(0.5)
    assert set(contacts["state"]) <= {"sticking", "sliding"}
    force, torque = cube.body("cube").contact_load
    assert np.allclose(contacts["force"].sum(axis=0), force, rtol=1e-9)
    assert force[2] == pytest.approx(9.81, rel=0.05)
    along = contacts["normal_force"][:, None] * contacts["normal"]
    assert np.array_equal(contacts["force"], along + contacts["friction_force"])
    assert contacts["slip"].shape == (count, 3) and np.abs(contacts["slip"]).max() < 1e-3
    arms = contacts["place"] - cube.body("cube").center_of_mass
    assert np.allclose(np.cross(arms, contacts["force"]).sum(axis=0), torque, rtol=0, atol=1e-6)


def test_contacts_name_the_nodes_that_touch(cube):
    cube.step_until(0.3)
    body, contacts = cube.body("cube"), cube.contacts
    first, second = contacts["features"][:, 0], contacts["features"][:, 1]
    assert (first[:, 1:] == -1).all() and (second == -1).all()
    point = np.argsort(body.nodes)[first[:, 0]]
    assert np.array_equal(body.positions[point], contacts["place"])


def test_states_of_contacts_tell_sticking_from_sliding(cube_keys):
    states = []
    for friction in [0.0, 0.8]:
        cube_keys["body"][0]["velocity"] = [0.2, 0, 0]
        cube_keys["world"] = {"friction": friction}
        simulation = impinge.Simulation(impinge.Scene.from_dict(cube_keys))
        simulation.step_until(0.3)
        states.append(set(simulation.contacts["state"]))
    assert states == [{"sliding"}, {"sticking"}]


def test_a_prescribed_motion_goes_where_it_is_sent(brick):
    for name, kind in [("plate", "obstacle"), ("bar", "rigid")]:
        start = brick.time
        body = brick.body(name)
        assert body.kind == kind and body.is_prescribed
        origin, _ = body.pose
        brick.set_velocity(name, [0.1, 0, 0])
        assert np.array_equal(body.velocity, [0.1, 0, 0])
        brick.step(10)
        assert brick.time == pytest.approx(start + 0.1)
        position, _ = body.pose
        assert np.allclose(position, origin + [0.01, 0, 0], rtol=0, atol=1e-12)
        goal, turn = origin + [0.02, 0.01, 0], [np.cos(0.05), 0, 0, np.sin(0.05)]
        brick.set_pose(name, goal, turn)
        brick.step()
        reached = body.pose
        assert np.allclose(reached[0], goal, rtol=0, atol=1e-9)
        assert np.allclose(reached[1], turn, rtol=0, atol=1e-9)
        kept = body.positions.copy()
        brick.step(5)
        assert np.allclose(body.positions, kept, rtol=0, atol=1e-12)
        # Without an orientation it keeps its own.
        brick.set_pose(name, origin)
        brick.step()
        assert np.allclose(body.pose[0], origin, rtol=0, atol=1e-9)
        assert np.allclose(body.pose[1], turn, rtol=0, atol=1e-9)


def test_a_motion_turns_about_its_center(brick):
    body = brick.body("bar")
    brick.set_center("bar", [0.5, 0, 2])
    brick.set_angular_velocity("bar", [0, 0, np.pi])
    brick.step(100)
    assert np.allclose(body.pose[0], [1, 0, 2], rtol=0, atol=1e-9)
    assert np.allclose(body.angular_velocity, [0, 0, np.pi])


def test_held_nodes_are_moved_by_their_name(held_keys):
    simulation = impinge.Simulation(impinge.Scene.from_dict(held_keys))
    body = simulation.body("cube")
    top = body.positions[:, 2] > 1.049
    start = body.positions[top]
    simulation.set_velocity("cube/top", [0, 0, 0.5])
    simulation.step(20)
    assert np.allclose(body.positions[top], start + [0, 0, 0.01], rtol=0, atol=1e-12)
    assert not body.is_prescribed and body.pose is None
    with pytest.raises(impinge.ArgumentError, match="have no pose; use set_velocity"):
        simulation.set_pose("cube/top", [0, 0, 2])


def test_friction_between_two_bodies(cube_keys):
    cube_keys["body"][0]["velocity"] = [0.5, 0, 0]
    simulation = impinge.Simulation(impinge.Scene.from_dict(cube_keys))
    simulation.set_friction("cube", "ground", 0.0)
    simulation.step_until(0.1)
    assert simulation.body("cube").momentum[0] == pytest.approx(0.5, rel=1e-6)
    simulation.set_friction("cube", "ground", np.float32(0.75))
    simulation.step_until(0.2)
    assert simulation.body("cube").momentum[0] < 0.1
    assert simulation.contacts["friction"] == pytest.approx(0.75)


def test_reactions_carry_the_weight(held_keys):
    simulation = impinge.Simulation(impinge.Scene.from_dict(held_keys))
    simulation.step_until(1.0)
    reactions = simulation.reactions
    assert reactions.shape == (1,)
    assert reactions[0]["kind"] == "held" and reactions[0]["body"] == "cube"
    assert reactions[0]["name"] == "cube/top"
    assert reactions["force"][0, 2] == pytest.approx(9.81, rel=1e-2)
    assert np.abs(reactions["torque"]).max() < 1e-2
    named = simulation.reaction("cube/top")
    assert list(named) == list(reactions.dtype.names)
    assert all(np.array_equal(named[key], reactions[key][0]) for key in named)
    with pytest.raises(impinge.UnknownNameError, match="no reaction `cube/bottom`; known are `cube/top`"):
        simulation.reaction("cube/bottom")


def test_a_joint_acts_on_both_of_its_bodies(brick_keys):
    brick_keys["world"]["gravity"] = [0, 0, -10]
    brick_keys["body"][0]["position"] = [0, 0, 1.5]
    joint = {"kind": "ball", "name": "hook", "first": "brick", "second": "bar", "anchor": [0, 0, 1.8]}
    brick_keys["joint"] = [joint]
    simulation = impinge.Simulation(impinge.Scene.from_dict(brick_keys))
    simulation.step(5)
    both = simulation.reactions[simulation.reactions["name"] == "hook"]
    assert list(both["kind"]) == ["joint"] * 2 and list(both["body"]) == ["brick", "bar"]
    assert np.allclose(both["force"].sum(axis=0), 0, rtol=0, atol=1e-6)
    hook = simulation.reaction("hook")
    assert hook["body"] == "brick" and hook["force"][2] == pytest.approx(30, rel=1e-6)
    assert simulation.reaction("bar")["force"][2] == pytest.approx(30, rel=1e-6)


def test_a_saved_state_is_returned_to_bit_for_bit(cube):
    cube.step_until(0.15)
    saved = cube.save()
    assert saved.time == cube.time and saved.step_count == cube.step_count
    view = cube.body("cube").positions
    cube.step(20)
    expected = view.copy(), cube.velocities.copy(), cube.contacts
    cube.restore(saved)
    assert cube.time == saved.time and cube.step_count == saved.step_count
    cube.step(20)
    assert np.array_equal(view, expected[0]) and np.array_equal(cube.velocities, expected[1])
    assert np.array_equal(cube.contacts, expected[2])
    # Another simulation of the same scene goes on from it.
    other = impinge.Simulation(cube.scene)
    other.restore(saved)
    assert other.step(20)["step"] == cube.step_count
    assert np.array_equal(other.positions, expected[0])


def test_a_saved_state_holds_what_was_set(brick):
    brick.set_force("brick", [6, 0, 0])
    brick.set_velocity("bar", [0.1, 0, 0])
    saved = brick.save()
    brick.set_force("brick", [0, 0, 0])
    brick.set_velocity("bar", [0, 0, 0])
    brick.restore(saved)
    brick.step(10)
    assert brick.body("brick").velocity[0] == pytest.approx(0.2)
    assert brick.body("bar").pose[0][0] == pytest.approx(0.01)


def test_a_state_of_another_scene_is_refused(cube, falling, brick):
    for other in (falling, brick):
        before = other.positions.copy()
        with pytest.raises(impinge.StateError, match="of another scene; use a simulation of the same scene"):
            other.restore(cube.save())
        assert np.array_equal(other.positions, before)
        assert other.step()["step"] == 1
    with pytest.raises(TypeError):
        cube.restore(cube.positions)


def test_a_controller_is_called_before_each_step(brick):
    calls = []

    @brick.on_step
    def push(simulation):
        calls.append((simulation.step_count, simulation.time))
        simulation.set_force("brick", [3 if simulation.time < 0.045 else 0, 0, 0])

    brick.on_step(lambda simulation: calls.append("second"))
    brick.step(3)
    brick.step_until(0.1)
    assert calls[1::2] == ["second"] * 10
    assert [step for step, _ in calls[::2]] == list(range(10))
    assert np.allclose([time for _, time in calls[::2]], np.arange(10) * 1e-2)
    assert brick.body("brick").velocity[0] == pytest.approx(0.05)
    assert callable(push)
    brick.clear_controllers()
    brick.step()
    assert len(calls) == 20


def test_a_controller_reads_the_last_step(cube):
    """A drone: the force is computed from place and speed."""
    keys = cube.scene.to_dict()
    keys["body"][0]["position"] = [0, 0, 0.5]
    drone = impinge.Simulation(impinge.Scene.from_dict(keys))

    def hover(simulation):
        body = simulation.body("cube")
        lift = 9.81 + 400 * (0.6 - body.center_of_mass[2]) - 40 * body.velocity[2]
        simulation.set_force("cube", [0, 0, lift * body.mass])

    drone.on_step(hover)
    drone.step_until(1.0)
    assert drone.body("cube").center_of_mass[2] == pytest.approx(0.6, abs=1e-4)


def test_a_controller_that_raises_leaves_the_state_before_the_step(brick):
    @brick.on_step
    def fail(simulation):
        if simulation.step_count == 3:
            raise RuntimeError("no more")

    place = r"step 4 \(t = 0\.030000 s\).* controller `fail`.* raised RuntimeError: no more"
    with pytest.raises(impinge.ControllerError, match=place) as raised:
        brick.step(10)
    error = raised.value
    assert isinstance(error, impinge.StepError) and isinstance(error.__cause__, RuntimeError)
    assert (error.step, error.controller) == (4, "fail") and error.time == pytest.approx(0.03)
    assert brick.step_count == 3
    with pytest.raises(impinge.ControllerError):
        brick.step_until(1.0)
    brick.clear_controllers()
    assert brick.step()["step"] == 4


def test_a_refused_change_in_a_controller_is_its_cause(brick):
    class Pusher:
        def __call__(self, simulation):
            simulation.set_force("brik", [0, 0, 1])

    brick.on_step(Pusher())
    with pytest.raises(impinge.ControllerError, match="`Pusher`.*`brik`; known are `brick`") as raised:
        brick.step()
    assert isinstance(raised.value.__cause__, impinge.UnknownNameError)


@pytest.mark.parametrize("leaving", [KeyboardInterrupt, SystemExit])
def test_ctrl_c_in_a_controller_stays_what_it_is(brick, leaving):
    @brick.on_step
    def leave(simulation):
        raise leaving

    with pytest.raises(leaving):
        brick.step()
    brick.clear_controllers()
    brick.step()


def test_ctrl_c_ends_controlled_steps(brick):
    brick.on_step(lambda simulation: None)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        brick.step(10_000_000)
    timer.join()
    signal.signal(signal.SIGINT, before)
    reached = brick.step_count
    assert brick.step()["step"] == reached + 1


@pytest.mark.parametrize(
    ("deed", "message"),
    [
        (lambda simulation: simulation.step(), "a controller takes a step"),
        (lambda simulation: simulation.step_until(1.0), "a controller takes a step"),
        (lambda simulation: simulation.restore(simulation.save()), "a controller restores a state"),
    ],
)
def test_a_controller_moves_no_time(brick, deed, message):
    brick.on_step(deed)
    with pytest.raises(impinge.ControllerError, match=f"{message}; only the caller of the step may") as raised:
        brick.step()
    assert isinstance(raised.value.__cause__, impinge.StateError)
    assert brick.step_count == 0
    brick.clear_controllers()
    brick.step()


@pytest.mark.parametrize("controller", [3, None, "push"])
def test_what_is_no_controller(brick, controller):
    with pytest.raises(impinge.ArgumentError, match="controller is a .*; give a function of the simulation"):
        brick.on_step(controller)
    brick.step()


def test_a_controller_that_refers_to_its_simulation_is_collected(brick_keys):
    class Mark:
        pass

    simulation = impinge.Simulation(impinge.Scene.from_dict(brick_keys))
    mark = Mark()
    alive = weakref.ref(mark)
    simulation.on_step(lambda _, own=simulation, mark=mark: None)
    del simulation, mark
    gc.collect()
    assert alive() is None


def test_bodies_have_meshes_masses_and_places(cube):
    body, ground = cube.body("cube"), cube.body("ground")
    assert cube.names == ["cube", "ground"] and list(cube.bodies) == cube.names
    assert ground.kind == "half_space" and ground.is_prescribed and ground.pose is None
    assert ground.positions.shape == (0, 3) and ground.mass == 0
    corners = body.rest_positions[body.tetrahedra]
    edges = corners[:, 1:] - corners[:, :1]
    assert np.linalg.det(edges).sum() / 6 == pytest.approx(1e-3)
    assert np.allclose(body.center_of_mass, [0, 0, 0.051])
    cube.step(10)
    assert np.allclose(body.velocity, body.momentum / body.mass)
    fall = body.energies["kinetic"]
    assert fall == pytest.approx(0.5 * 0.0981**2, rel=1e-9)
    assert body.energies["gravitational"] == pytest.approx(9.81 * body.center_of_mass[2])
    with pytest.raises(impinge.ArgumentError, match="`ground` is a half-space"):
        cube.set_velocity("ground", [0, 0, 1])


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda s: s.body("brik"), "UnknownNameError", "no body or obstacle `brik`; known are `brick`, `bar`, `plate`"),
        (lambda s: s.set_force("brik", [0, 0, 1]), "UnknownNameError", "`brik`; known are `brick`"),
        (lambda s: s.set_torque("", [0, 0, 1]), "UnknownNameError", "known are `brick`"),
        (lambda s: s.set_velocity("brick/top", [0, 0, 1]), "UnknownNameError", "held nodes `brick/top`"),
        (lambda s: s.set_pose("table", [0, 0, 1]), "UnknownNameError", "`table`; known are `brick`"),
        (lambda s: s.set_friction("brick", "x", 1), "UnknownNameError", "`x`; known are `brick`"),
        (lambda s: s.set_force("plate", [0, 0, 1]), "ArgumentError", "`plate` is an obstacle, .*; use set_velocity"),
        (lambda s: s.set_force("bar", [0, 0, 1]), "ArgumentError", "`bar` has a prescribed motion, .*; use set_vel"),
        (lambda s: s.set_torque("bar", [0, 0, 1]), "ArgumentError", "`bar` has a prescribed motion"),
        (lambda s: s.set_velocity("brick", [0, 0, 1]), "ArgumentError", "`brick` is moved by forces; use set_force"),
        (lambda s: s.set_pose("brick", [0, 0, 1]), "ArgumentError", "`brick` is moved by forces"),
        (lambda s: s.set_force("brick", [0, 0, NAN]), "ArgumentError", r"force\[2\] is NaN; give finite numbers"),
        (lambda s: s.set_torque("brick", [INF, 0, 0]), "ArgumentError", r"torque\[0\] is inf"),
        (lambda s: s.set_velocity("bar", [0, -INF, 0]), "ArgumentError", r"velocity\[1\] is -inf"),
        (lambda s: s.set_angular_velocity("bar", [NAN] * 3), "ArgumentError", r"angular_velocity\[0\] is NaN"),
        (lambda s: s.set_center("bar", [0, NAN, 0]), "ArgumentError", r"place\[1\] is NaN"),
        (lambda s: s.set_pose("bar", [0, 0, NAN]), "ArgumentError", r"position\[2\] is NaN"),
        (lambda s: s.set_pose("bar", [0, 0, 0], [1, 0, 0, NAN]), "ArgumentError", r"orientation\[3\] is NaN"),
        (lambda s: s.set_pose("bar", [0, 0, 0], [0.7, 0, 0, 0]), "ArgumentError", "of length 0.7; give a unit quat"),
        (lambda s: s.set_pose("bar", [0, 0, 0], [1, 0, 0]), "ArgumentError", r"\(3,\); give \(4,\), .* w, x, y, z"),
        (lambda s: s.set_force("brick", [0, 1]), "ArgumentError", r"force has shape \(2,\); give \(3,\)"),
        (lambda s: s.set_force("brick", [[0, 0, 1]]), "ArgumentError", r"force has shape \(1, 3\); give \(3,\)"),
        (lambda s: s.set_force("brick", 1.0), "ArgumentError", r"force has shape .*; give \(3,\)"),
        (lambda s: s.set_force("brick", np.zeros((3, 1), order="F")), "ArgumentError", r"force has shape \(3, 1\)"),
        (lambda s: s.set_force("brick", [0, 0, [1]]), "ArgumentError", "force is no array"),
        (lambda s: s.set_force("brick", "up"), "ArgumentError", "force has dtype <U2; give real numbers"),
        (lambda s: s.set_force("brick", [0, 0, 1j]), "ArgumentError", "force has dtype complex128"),
        (lambda s: s.set_force("brick", None), "ArgumentError", "force has dtype object"),
        (lambda s: s.set_friction("brick", "plate", -1), "ArgumentError", "`brick` and `plate` is -1, but must be 0"),
        (lambda s: s.set_friction("brick", "plate", NAN), "ArgumentError", "`brick` and `plate` is NaN"),
        (lambda s: s.set_friction("brick", "plate", "rough"), "ArgumentError", "coefficient has dtype <U5"),
        (lambda s: s.set_friction("brick", "plate", [0.1]), "ArgumentError", "coefficient is an array"),
    ],
)
def test_what_cannot_be_done_changes_nothing(brick, call, error, message):
    before = brick.positions.copy()
    with pytest.raises(getattr(impinge, error), match=message):
        call(brick)
    brick.step(3)
    assert np.array_equal(brick.positions, before)


def test_nothing_is_set_while_a_thread_computes(cube_keys):
    cube_keys["body"][0]["mesh"]["cuboid"]["cells"] = [8, 8, 8]
    simulation = impinge.Simulation(impinge.Scene.from_dict(cube_keys))
    saved, body = simulation.save(), simulation.body("cube")
    thread = threading.Thread(target=lambda: simulation.step(300))
    thread.start()
    while "not available" not in repr(simulation) and thread.is_alive():
        pass
    for call in [
        lambda: simulation.set_force("cube", [0, 0, 1]),
        lambda: simulation.restore(saved),
        lambda: simulation.contacts,
        lambda: simulation.reactions,
        lambda: body.velocity,
    ]:
        with pytest.raises(impinge.StateError, match="another thread computes with the simulation; wait"):
            call()
    thread.join()
    simulation.set_force("cube", [0, 0, 1])
    assert simulation.step()["step"] == 301


def test_an_asynchronous_simulation_says_what_it_cannot_do(cube_keys):
    cube_keys |= {"stepper": "asynchronous", "asynchronous": {"thickness": 1e-3}}
    simulation = impinge.Simulation(impinge.Scene.from_dict(cube_keys))
    with pytest.raises(impinge.ArgumentError, match="asynchronous stepper does not support forces that change"):
        simulation.set_force("cube", [0, 0, 1])
    saved = simulation.save()
    simulation.step()
    with pytest.raises(impinge.StateError, match="use the synchronous stepper"):
        simulation.restore(saved)
    assert simulation.step()["step"] == 2


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_examples_run(example):
    assert len(example.read_text(encoding="utf-8").splitlines()) < 40
    runpy.run_path(str(example), run_name="__main__")
