"""Studies: the same table whatever runs it, and runs whose processes are killed."""

import concurrent.futures
import csv
import os
import signal
import sys
import threading
import time

import pytest

import impinge
from impinge import _sweep

GRID = {"body.0.material.young": [5e4, 1e5], "world.friction": [0.0, 0.3]}


@pytest.fixture
def scene(cube_keys):
    cube_keys["time"]["duration"] = 0.01
    cube_keys["body"][0]["velocity"] = [0.3, 0, -0.5]
    return impinge.Scene.from_dict(cube_keys)


def test_two_numbers_of_jobs_give_the_same_table(scene, tmp_path):
    first = impinge.sweep(scene, GRID, tmp_path / "one", jobs=1)
    second = impinge.sweep(scene, GRID, tmp_path / "two", jobs=2)
    assert first.table.read_bytes() == second.table.read_bytes()
    assert [row["status"] for row in first.rows] == ["completed"] * 4
    assert not first.failed
    assert [row["world.friction"] for row in first.rows] == ["0.0", "0.3", "0.0", "0.3"]
    slides, sticks = (float(row["end_momentum_x"]) for row in first.rows[:2])
    assert slides == pytest.approx(0.3, rel=1e-6) and sticks < 0.29
    with first.table.open(newline="") as file:
        assert list(csv.DictReader(file)) == first.rows
    assert impinge.verify(tmp_path / "one" / first.rows[0]["folder"])


def test_threads_of_a_pool_do_the_same(scene, tmp_path):
    expected = impinge.sweep(scene, GRID, tmp_path / "own")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = impinge.sweep(scene, GRID, tmp_path / "pool", executor=pool)
    assert found.table.read_bytes() == expected.table.read_bytes()


def test_runs_that_have_ended_are_not_repeated(scene, tmp_path):
    first = impinge.sweep(scene, GRID, tmp_path)
    summaries = [tmp_path / row["folder"] / "summary.json" for row in first.rows]
    written = [path.stat().st_mtime_ns for path in summaries]
    summaries[2].unlink()
    second = impinge.sweep(scene, GRID, tmp_path)
    assert second.rows == first.rows
    again = [path.stat().st_mtime_ns for path in summaries]
    assert [a == b for a, b in zip(again, written)] == [True, True, False, True]


def test_a_failed_run_is_in_the_table_with_its_message(scene, tmp_path):
    study = impinge.sweep(scene, ["body.0.material.poisson=0.3,0.7"], tmp_path)
    assert [row["status"] for row in study.rows] == ["completed", "failed"]
    assert "poisson" in study.failed[0]["message"]


KILLED = """
import json, os, signal, sys
from impinge import _sweep
task = json.load(sys.stdin)
mark = os.path.join(os.path.dirname(task[3]), "killed")
if task[1][0].endswith("=100000.0") and not os.path.exists(mark):
    open(mark, "w").close()
    os.kill(os.getpid(), signal.SIGKILL)
json.dump(_sweep._run(*task), sys.stdout)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
def test_a_killed_process_costs_its_run_only(scene, tmp_path, monkeypatch):
    expected = impinge.sweep(scene, GRID, tmp_path / "whole")
    monkeypatch.setattr(_sweep, "COMMAND", [sys.executable, "-c", KILLED])
    found = impinge.sweep(scene, GRID, tmp_path / "killed", jobs=2)
    assert (tmp_path / "killed" / "killed").exists()
    assert found.table.read_bytes() == expected.table.read_bytes()


def test_a_process_that_is_killed_each_time_is_a_failed_run(scene, tmp_path, monkeypatch):
    monkeypatch.setattr(_sweep, "COMMAND", [sys.executable, "-c", "import os; os.abort()"])
    study = impinge.sweep(scene, {"world.friction": [0.1]}, tmp_path)
    assert study.rows[0]["status"] == "failed"
    assert "its process ended 3 times" in study.rows[0]["message"]


def test_a_dask_worker_that_is_killed_costs_its_run_only(scene, tmp_path):
    distributed = pytest.importorskip("distributed")
    expected = impinge.sweep(scene, GRID, tmp_path / "own")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with distributed.LocalCluster(processes=True, **options) as cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        workers = list(client.run(os.getpid).values())
        started = tmp_path / "dask"

        def kill():
            deadline = time.monotonic() + 300
            while not list(started.glob("*/manifest.json")) and time.monotonic() < deadline:
                time.sleep(0.001)
            os.kill(workers[0], signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        found = impinge.sweep(scene, GRID, started, executor=client)
        killer.join()
        assert workers[0] not in client.run(os.getpid).values()
    assert found.table.read_bytes() == expected.table.read_bytes()


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"a": []}, "`a=` is no axis"),
        ({"a": "12"}, "give a list of values"),
        ({"a": [object()]}, "which no key can have"),
        (["a"], "KEY=VALUE"),
        (["a=1,1"], "twice"),
    ],
)
def test_what_is_no_grid(scene, tmp_path, grid, message):
    with pytest.raises(impinge.ArgumentError, match=message):
        impinge.sweep(scene, grid, tmp_path)


def test_jobs_and_executors_that_are_none(scene, tmp_path):
    with pytest.raises(impinge.ArgumentError, match="jobs is 0"):
        impinge.sweep(scene, GRID, tmp_path, jobs=0)
    with pytest.raises(impinge.ArgumentError, match="jobs is of the default executor"):
        impinge.sweep(scene, GRID, tmp_path, jobs=2, executor=impinge.Processes(1))
