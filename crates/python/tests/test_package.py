"""The package as it is shipped: types, descriptions, notebooks without outputs."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import impinge

PACKAGE = Path(__file__).resolve().parents[1]


def public():
    """Classes and functions of the package, and the members of classes."""
    modules = [impinge, impinge.ccd, impinge.mesh]
    for module in modules:
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.ismodule(thing) or name == "__version__":
                continue
            yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing) and thing.__module__.startswith("impinge"):
                for member, value in vars(thing).items():
                    if not member.startswith("_"):
                        yield f"{module.__name__}.{name}.{member}", value


def test_everything_public_has_a_description():
    missing = [name for name, thing in public() if not (getattr(thing, "__doc__", None) or "").strip()]
    # Defaults of attributes are described by their class.
    assert [name for name in missing if ".StepError." not in name and ".Sweep." not in name] == []


def test_native_names_have_types_and_types_have_names():
    from impinge import _native

    text = (Path(impinge.__file__).parent / "_native.pyi").read_text(encoding="utf-8")
    typed = set(re.findall(r"^(?:@final\n)?class (\w+):", text, re.M)) | set(re.findall(r"^def (\w+)\(", text, re.M))
    real = {name for name in dir(_native) if not name.startswith("_")}
    assert typed == real
    for name in real:
        thing = getattr(_native, name)
        if inspect.isclass(thing):
            body = re.search(rf"^class {name}:\n(.*?)(?=^\S|\Z)", text, re.M | re.S).group(1)
            members = set(re.findall(r"def (\w+)\(", body)) - {"__new__", "__bool__"}
            assert members == {member for member in vars(thing) if not member.startswith("_")}, name


def test_studies_and_numpy_are_imported_when_they_are_asked_for(cube_keys):
    code = f"""
import sys, impinge
simulation = impinge.Simulation(impinge.Scene.from_dict({cube_keys}))
simulation.step(3)
assert not {{"numpy", "subprocess", "typing", "impinge._sweep"}} & set(sys.modules), sys.modules.keys()
assert {{"sweep", "Sweep"}} <= set(dir(impinge)) and callable(impinge.sweep)
print(simulation.positions.tobytes().hex())
"""
    # Without what `site` imports for packages that are installed to be edited.
    places = [str(Path(impinge.__file__).parents[1]), str(Path(np.__file__).parents[1])]
    code = f"import sys; sys.path += {places}\n{code}"
    late = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert late.returncode == 0, late.stderr
    simulation = impinge.Simulation(impinge.Scene.from_dict(cube_keys))
    positions = simulation.positions
    simulation.step(3)
    assert late.stdout.strip() == positions.tobytes().hex()


def test_the_package_is_typed():
    assert (Path(impinge.__file__).parent / "py.typed").exists()


def test_the_code_of_the_readme_runs(monkeypatch, scenes):
    blocks = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 2
    monkeypatch.chdir(scenes.parent)
    exec("\n".join(blocks), {})


@pytest.mark.parametrize("path", sorted((PACKAGE / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_have_no_outputs(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None
