"""`symbody mcp`, by the reference client of the protocol over standard input and output: the answers are those of the
commands, hostile calls are refused by name, and a call that takes too long ends without the server."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from symbody.command_line.cli import main
from symbody.command_line.mcp_server import TOOLS
from symbody.study import built_in

from .test_cli import PENDULUM

anyio = pytest.importorskip("anyio")
mcp = pytest.importorskip("mcp")

SLOW = PENDULUM.replace("t: 2", "t: 1e9")


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One conversation with a server: what it said, by what was asked."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "pendulum.yaml").write_text(PENDULUM)
    (folder / "code.py").write_text("open('was_run', 'w')")
    (folder.parent / "outside.yaml").write_text(PENDULUM)
    (folder / "link.yaml").symlink_to(folder.parent / "outside.yaml")
    asked: dict[str, tuple[str, dict[str, Any]]] = {
        "check": ("check", {"model": "pendulum.yaml"}),
        "derive": ("derive", {"model": PENDULUM, "as": "latex", "route": "kane"}),
        "eig": ("eig", {"model": PENDULUM, "set": ["l=4"]}),
        "simulate": ("simulate", {"model": PENDULUM, "time": 1, "points": 5, "set": ["q=-0.25"]}),
        "sketch": ("render", {"model": PENDULUM, "show": "sketch"}),
        "scene": ("render", {"model": PENDULUM}),
        "start": ("model_file", {}),
        "built in": ("model_file", {"name": "hoop"}),
        "no model": ("check", {}),
        "wrong model": ("check", {"model": PENDULUM.replace("bob: {mass: 1", "bob: {mas: 1")}),
        "wrong argument": ("simulate", {"model": PENDULUM, "tme": 1}),
        "wrong type": ("simulate", {"model": PENDULUM, "time": "1"}),
        "wrong choice": ("derive", {"model": PENDULUM, "as": "cobol"}),
        "wrong tool": ("shell", {"model": "x"}),
        "an option": ("check", {"model": PENDULUM, "set": ["--output=x"]}),
        "an option as a model": ("check", {"model": "--help"}),
        "output": ("simulate", {"model": PENDULUM, "output": "x.csv"}),
        "python": ("check", {"model": "code.py"}),
        "outside": ("check", {"model": "../outside.yaml"}),
        "link": ("check", {"model": "link.yaml"}),
        "zero": ("check", {"model": "a\0b"}),
    }
    return {**conversation(asked, str(folder)), "folder": folder}


def conversation(asked: dict[str, tuple[str, dict[str, Any]]], *words: str) -> dict[str, Any]:
    said: dict[str, Any] = {}

    async def converse() -> None:
        server = mcp.StdioServerParameters(command=sys.executable, args=["-m", "symbody", "mcp", *words])
        async with mcp.stdio_client(server) as streams, mcp.ClientSession(*streams) as session:
            said["hello"] = await session.initialize()
            said["tools"] = (await session.list_tools()).tools

            async def ask(key: str) -> None:
                said[key] = await session.call_tool(*asked[key])

            async with anyio.create_task_group() as group:
                for key in asked:
                    group.start_soon(ask, key)
            said["after all"] = await session.call_tool("model_file", {})

    anyio.run(converse)
    return said


def error(result: Any) -> str:
    assert result.is_error
    return result.content[0].text


def test_tools_are_the_commands(talk, capsys):
    tools = {t.name: t for t in talk["tools"]}
    assert set(tools) == {*TOOLS, "model_file"}
    simulate = tools["simulate"].input_schema
    assert simulate["required"] == ["model"]
    assert simulate["properties"]["rtol"]["type"] == "number"
    assert simulate["properties"]["method"]["type"] == "string"
    assert "output" not in simulate["properties"]
    assert "latex" in tools["derive"].input_schema["properties"]["as"]["enum"]
    assert talk["hello"].server_info.name == "symbody"


def assert_alike(got, want, where):
    """The same data; numbers to rounding, since eigenvectors depend on the alignment of arrays in memory."""
    if isinstance(want, dict):
        assert got.keys() == want.keys(), where
        for key, value in want.items():
            assert_alike(got[key], value, f"{where}.{key}")
    elif isinstance(want, list):
        assert len(got) == len(want), where
        for k, value in enumerate(want):
            assert_alike(got[k], value, f"{where}[{k}]")
    elif isinstance(want, float):
        assert got == pytest.approx(want, rel=1e-13, abs=1e-13), where
    else:
        assert got == want, where


def test_answers_are_those_of_the_command_line(talk, capsys, tmp_path):
    path = tmp_path / "pendulum.yaml"
    path.write_text(PENDULUM)
    for key, words in {
        "check": ["check", path],
        "derive": ["derive", path, "--as", "latex", "--route", "kane"],
        "eig": ["eig", path, "--set", "l=4"],
    }.items():
        assert main([*map(str, words), "--json"]) == 0
        assert_alike(talk[key].structured_content, json.loads(capsys.readouterr().out), key)
    moved = talk["simulate"].structured_content
    assert len(moved["t"]) == 5
    assert moved["columns"]["q"][0] == -0.25


def test_pictures(talk):
    sketch, scene = talk["sketch"].content[0], talk["scene"].content[0]
    assert (sketch.type, sketch.mime_type) == ("image", "image/png")
    assert sketch.data.startswith("iVBORw0KGgo")
    assert scene.mime_type == "image/svg+xml"


def test_model_files(talk):
    assert "symbody: 1" in talk["start"].structured_content["text"]
    assert talk["built in"].structured_content["text"] == built_in()["hoop"].read_text()


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("no model", "'model' is missing"),
        ("wrong model", "Did you mean 'mass'"),
        ("wrong argument", "Did you mean 'time'"),
        ("wrong type", "'time' is of type number, got '1'"),
        ("wrong choice", "there is no as 'cobol'"),
        ("wrong tool", "there is no tool 'shell'"),
        ("an option", "--output"),
        ("an option as a model", "--help"),
        ("output", "there is no argument 'output'"),
        ("python", "Python files are not read"),
        ("outside", "outside of the folder"),
        ("link", "outside of the folder"),
        ("zero", "is not the name of a file"),
    ],
)
def test_hostile_calls_are_refused_by_name(talk, key, words):
    assert words in error(talk[key])
    assert "Traceback" not in error(talk[key])


def test_python_is_not_run(talk):
    folder: Path = talk["folder"]
    assert sorted(p.name for p in folder.iterdir()) == ["code.py", "link.yaml", "pendulum.yaml"]


def test_a_call_that_takes_too_long_ends_without_the_server():
    begun = time.monotonic()
    said = conversation({"too long": ("simulate", {"model": SLOW})}, "--seconds", "2")
    assert "stopped after 2 s" in error(said["too long"])
    assert time.monotonic() - begun < 100
    assert "symbody: 1" in said["after all"].structured_content["text"]


def test_without_the_package(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    assert main(["mcp"]) == 3
    assert "pip install 'symbody[mcp]'" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "said"), [(["nowhere"], "there is no folder"), (["--seconds", "0"], "positive")])
def test_wrong_arguments_of_the_server(words, said, capsys):
    assert main(["mcp", *words]) == 3
    assert said in capsys.readouterr().err
