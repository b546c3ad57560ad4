"""The Python of the README of the project."""

from pathlib import Path

import pytest

README = Path(__file__).parents[3] / "README.md"


@pytest.mark.skipif(not README.is_file(), reason="the package is not in a clone of the project")
def test_the_ball_of_the_readme_lies_on_the_ground(capsys, monkeypatch, tmp_path):
    text = README.read_text(encoding="utf-8")
    scene, code = (text.split(f"```{name}\n")[1].split("```")[0] for name in ("toml", "python"))
    (tmp_path / "ball.toml").write_text(scene, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(code, names)
    ball = names["ball"]
    assert 0 < ball.positions[:, 2].min() < 0.02
    assert ball.positions[:, 0].mean() > 0.05
    assert capsys.readouterr().out.count("\n") == 2
