"""A gripper with force control: two fingers close until each presses with 2 N, then they lift a soft ball."""

import impinge

GRIP = 2.0  # N
finger = {
    "kind": "rigid",
    "mesh": {"cuboid": {"size": [0.02, 0.06, 0.06], "cells": [1, 1, 1]}},
    "motion": {},
}
ball = {
    "name": "ball",
    "mesh": {"sphere": {"radius": 0.03, "subdivisions": 2}},
    "material": {"young": 5e4, "poisson": 0.4, "density": 500, "stiffness_damping": 5e-3},
    "position": [0, 0, 0.0301],
}
left = finger | {"name": "left", "position": [-0.045, 0, 0.035]}
right = finger | {"name": "right", "position": [0.045, 0, 0.035]}
ground = {"name": "ground", "shape": {"half_space": {"normal": [0, 0, 1]}}}
scene = {"time": {"step": 5e-3, "duration": 1.5}, "body": [ball, left, right], "obstacle": [ground]}
gripper = impinge.Simulation(impinge.Scene.from_dict(scene))


@gripper.on_step
def grip(gripper):
    lift = 0.1 if gripper.time > 0.5 else 0.0  # m/s
    for name, inwards in [("left", 1), ("right", -1)]:
        press = -inwards * gripper.body(name).contact_load[0][0]  # N
        gripper.set_velocity(name, [inwards * 0.02 * (GRIP - press), 0, lift])


gripper.step_until(1.5)
soft, (force, _) = gripper.body("ball"), gripper.body("left").contact_load
print(f"the ball is at {soft.center_of_mass[2]:.9f} m, held with {-force[0]:.9f} N")
assert abs(soft.center_of_mass[2] - 0.13) < 3e-3, "the ball is 10 cm higher"
assert abs(force[0] + GRIP) < 0.05, "the grip holds"
assert abs(2 * force[2] + 9.81 * soft.mass) < 0.02, "friction carries the weight"
