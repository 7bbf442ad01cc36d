"""`symbody mcp`: the commands as tools of the Model Context Protocol, for language models that write and check models.

A tool has the arguments of its command and returns the object that the command prints with --json. Each call is a process
of its own with a time limit: a model that takes too long or exhausts the machine ends its call, not the server. Models
are names of built-in ones, files inside one folder, or texts of model files; Python files are refused, because reading
one runs it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL
from typing import Any, Final

from ..errors import ModelError, SymbodyError, shown, unknown
from ..optional_packages import optional_package
from ..study.model_reading import built_in
from ..study.sources import starting_file
from ..version import VERSION
from ..whole_files import write_text
from .answer import Answer
from .command_arguments import CommandParser

TOOLS: Final = ("examples", "check", "derive", "simulate", "eig", "branch", "orbit", "frf", "certify", "render")
OF_THE_SERVER: Final = ("help", "json", "output", "meshes")  # arguments of commands that no tool has
LONGEST_ANSWER: Final = 1_000_000  # characters: longer ones are of no use to a reader
MODEL: Final = "name of a built-in model, a model file in the folder of the server, or the text of a model file (YAML)"
MODEL_FILE: Final = "model_file"
TYPES: Final[dict[str, tuple[type, ...]]] = {
    "array": (str,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
}  # of values, by the words of JSON schemas; items of arrays are texts
INSTRUCTIONS: Final = (
    "symbody derives and analyses equations of motion of mechanisms. Write a model file (YAML): `model_file` returns a "
    "commented one to start from, or the text of a built-in model; `check` validates yours, and its errors name line, "
    "value and remedy. Numbers are in SI units unless they carry a unit; complex numbers are [re, im]."
)


@dataclass(frozen=True)
class Tool:
    """A command as a tool: `options` are its arguments by name, as the command line defines them."""

    name: str
    about: str
    options: Mapping[str, argparse.Action]

    @property
    def takes_model(self) -> bool:
        return any(not action.option_strings for action in self.options.values())

    def schema(self) -> dict[str, Any]:
        """Its arguments, as a JSON schema."""
        required = [name for name, action in self.options.items() if action.required]
        kinds = {name: _kind(action) for name, action in self.options.items()}
        return {"type": "object", "properties": kinds, "required": required, "additionalProperties": False}

    def words(self, arguments: Mapping[str, Any]) -> list[str]:
        """Options of the command line; `--name=value` is never taken for another option, whatever the value."""
        out = []
        for name, value in arguments.items():
            if name not in self.options:
                raise unknown(self.name, "argument", name, self.options)
            out += self._words_of(name, value) if name != "model" else []
        if missing := [n for n in self.schema()["required"] if n not in arguments]:
            raise ModelError(f"{self.name}: the argument {missing[0]!r} is missing")
        return out

    def _words_of(self, name: str, value: Any) -> list[str]:
        action = self.options[name]
        kind, flag = _kind(action)["type"], action.option_strings[-1]
        if kind == "boolean" and isinstance(value, bool):
            return [flag] if value else []
        many = value if kind == "array" and isinstance(value, list) else [value]
        if any(not isinstance(v, TYPES.get(kind, ())) or isinstance(v, bool) or "\0" in str(v) for v in many):
            raise ModelError(f"{self.name}: {name!r} is of type {kind}, got {shown(value)}")
        if action.choices is not None and value not in action.choices:
            raise unknown(self.name, name, value, action.choices)
        return [f"{flag}={v}" for v in many]


def _kind(action: argparse.Action) -> dict[str, Any]:
    """An argument of a command as a JSON schema."""
    about = {"description": MODEL if action.dest == "model" else action.help or ""}
    if action.nargs == 0:
        return {"type": "boolean", **about}
    if isinstance(action.default, list):
        return {"type": "array", "items": {"type": "string"}, "description": f"{action.metavar}: {action.help}"}
    if action.choices is not None:
        return {"type": "string", "enum": list(action.choices), **about}
    is_text = action.type is None or action.type is str
    return {"type": "string" if is_text else "integer" if action.type is int else "number", **about}


def tools_of(parsers: Mapping[str, CommandParser]) -> dict[str, Tool]:
    """The tools, from the parsers of their commands."""
    out = {}
    for name in TOOLS:
        actions = [a for a in parsers[name].arguments if a.dest not in OF_THE_SERVER]
        named = {
            (a.option_strings[-1].lstrip("-").replace("-", "_") if a.option_strings else a.dest): a for a in actions
        }
        out[name] = Tool(name, parsers[name].description or "", named)
    return out


@dataclass(frozen=True)
class ToolAnswer:
    """What a call found: an object, or why there is none; a picture as its bytes and type."""

    data: Any = None
    error: str = ""
    picture: tuple[bytes, str] | None = None


@dataclass(frozen=True)
class Calls:
    """Runs calls of tools: each in a process and a folder of its own, for at most so many seconds."""

    tools: Mapping[str, Tool]
    folder: Path
    seconds: float
    anyio: Any
    at_once: Any  # as many as there are cores

    async def run(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        try:
            if name == MODEL_FILE:
                return ToolAnswer(model_file(arguments))
            if name not in self.tools:
                raise unknown("symbody", "tool", name, [*self.tools, MODEL_FILE])
            with tempfile.TemporaryDirectory(prefix="symbody") as scratch:
                async with self.at_once:
                    return await self._command(self.tools[name], arguments, Path(scratch))
        except (SymbodyError, OSError, UnicodeError) as reason:
            return ToolAnswer(error=str(reason))

    async def _command(self, tool: Tool, arguments: Mapping[str, Any], scratch: Path) -> ToolAnswer:
        words = [tool.name, "--json", *tool.words(arguments)]
        picture = scratch / ("picture.svg" if arguments.get("show", "scene") == "scene" else "picture.png")
        if tool.name == "render":
            words.append(f"--output={picture}")
        if tool.takes_model:
            words += ["--", self._model(tool, arguments["model"], scratch)]
        done = await self._process([sys.executable, "-m", "symbody", *words])
        if done is None:
            return ToolAnswer(
                error=f"{tool.name}: stopped after {self.seconds:g} s; request less (a shorter time, fewer points), or "
                "start the server with more --seconds"
            )
        found = _read(tool, done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace"))
        if found.error or tool.name != "render":
            return found
        kind = "image/svg+xml" if picture.suffix == ".svg" else "image/png"
        return ToolAnswer({k: v for k, v in found.data.items() if k != "file"}, picture=(picture.read_bytes(), kind))

    async def _process(self, words: Sequence[str]) -> Any:
        """The process if it ended on its own; None if it was killed because its time was over."""
        try:
            with self.anyio.fail_after(self.seconds):
                return await self.anyio.run_process(words, check=False, stdin=DEVNULL, cwd=self.folder)
        except TimeoutError:
            return None

    def _model(self, tool: Tool, given: Any, scratch: Path) -> str:
        """What the command takes for MODEL; texts become files."""
        if not isinstance(given, str):
            raise ModelError(f"{tool.name}: 'model' must be a text, got {shown(given)}")
        if "\n" in given:
            return str(write_text(scratch / "model.yaml", given))
        if given in built_in():
            return given
        try:
            path = (self.folder / given).resolve()
        except ValueError as reason:
            raise ModelError(f"{tool.name}: {shown(given)} is not the name of a file ({reason})") from None
        if not path.is_relative_to(self.folder.resolve()):
            raise ModelError(f"{tool.name}: {shown(given)} is outside of the folder of the server")
        if path.suffix.lower() == ".py":
            raise ModelError(f"{tool.name}: {shown(given)}: Python files are not read, because that would run them")
        return str(path)


def _read(tool: Tool, code: int, out: str, err: str) -> ToolAnswer:
    if code < 0 or code > 4 or not out:
        last = err.strip().rpartition("\n")[2].partition("error: ")
        return ToolAnswer(error=f"{tool.name}: {last[2] or last[0] or f'the process ended with {code}'}")
    if len(out) > LONGEST_ANSWER:
        return ToolAnswer(
            error=f"{tool.name}: the answer has {len(out)} characters, more than {LONGEST_ANSWER}; request fewer points"
        )
    data = json.loads(out)
    return ToolAnswer(error=data["error"]) if set(data) == {"error"} else ToolAnswer(data)


def model_file(arguments: Mapping[str, Any]) -> dict[str, str]:
    """The text of a built-in model, or a commented file to start from."""
    if wrong := [k for k in arguments if k != "name"]:
        raise unknown(MODEL_FILE, "argument", wrong[0], ["name"])
    name, models = arguments.get("name"), built_in()
    if name is None:
        return {"name": "mechanism", "text": starting_file("mechanism")}
    if name not in models:
        raise unknown(MODEL_FILE, "built-in model", name, models)
    return {"name": name, "text": models[name].read_text(encoding="utf-8")}


MODEL_FILE_SCHEMA: Final = {
    "type": "object",
    "properties": {"name": {"type": "string", "description": "of a built-in model; without it, a commented file to start from"}},
    "additionalProperties": False,
}  # fmt: skip


def serve(parsers: Mapping[str, CommandParser], asked: Any) -> Answer:
    """Answer on standard input and output until the client goes."""
    if not asked.folder.is_dir():
        raise ModelError(f"mcp: there is no folder {str(asked.folder)!r}")
    if not asked.seconds > 0:
        raise ModelError(f"mcp: --seconds must be positive, got {asked.seconds:g}")
    where, install = "mcp", "'symbody[mcp]'"
    lowlevel, stdio, types, anyio = (
        optional_package(m, where, SymbodyError, install)
        for m in ("mcp.server.lowlevel", "mcp.server.stdio", "mcp.types", "anyio")
    )
    tools = tools_of(parsers)
    calls = Calls(tools, asked.folder, asked.seconds, anyio, anyio.CapacityLimiter(os.cpu_count() or 1))

    async def list_tools(_: Any, __: Any) -> Any:
        known = [(t.name, t.about, t.schema()) for t in tools.values()]
        known.append((MODEL_FILE, model_file.__doc__ or "", MODEL_FILE_SCHEMA))
        hints = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
        return types.ListToolsResult(
            tools=[types.Tool(name=n, description=about, input_schema=s, annotations=hints) for n, about, s in known]
        )

    async def call_tool(_: Any, params: Any) -> Any:
        return _result(types, await calls.run(params.name, params.arguments or {}))

    async def main() -> None:
        server = lowlevel.Server(
            "symbody", version=VERSION, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
        )
        async with stdio.stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(main)
    return Answer("")


def _result(types: Any, found: ToolAnswer) -> Any:
    if found.error:
        return types.CallToolResult(content=[types.TextContent(type="text", text=found.error)], is_error=True)
    content = [types.TextContent(type="text", text=json.dumps(found.data))]
    if found.picture:
        data, kind = found.picture
        content.insert(0, types.ImageContent(type="image", data=b64encode(data).decode(), mime_type=kind))
    return types.CallToolResult(content=content, structured_content=found.data)
