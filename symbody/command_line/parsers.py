"""The parser of the commands of `symbody`."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from ..simulation_options import SimulationOptions
from . import commands, gait_command, stability_commands
from .answer import Answer
from .command_arguments import CommandParser
from .mcp_server import serve

EXAMPLES: Final = {
    "examples": "symbody examples",
    "new": "symbody new my_robot",
    "check": "symbody check slider_crank",
    "derive": "symbody derive double_pendulum --as latex",
    "export": "symbody export slider_crank --to c -o slider_crank_c",
    "simulate": "symbody simulate slider_crank -t 5 --set x_dot=1 -o run.csv",
    "eig": "symbody eig motorcycle --vary V=1:40:200",
    "branch": "symbody branch hoop --vary Omega=0.5:8 --show a -o branches.svg",
    "orbit": "symbody orbit column --hopf 0 --vary P=1.4:2 --show q2 -o orbits.svg",
    "optimise": "symbody optimise my_robot.yaml -o motion.html",
    "gait": "symbody gait subject.osim walk.trc -o gait",
    "frf": "symbody frf motorcycle --input tau --output phi --hertz 0.1:20",
    "sweep": "symbody sweep bicycle --vary V=1:10:100 --vary b=0.02:0.08:60 -o study.zarr",
    "certify": "symbody certify bicycle",
    "render": "symbody render slider_crank --show sketch -o sketch.svg",
    "report": "symbody report motorcycle -o out",
    "watch": "symbody watch my_robot.yaml",
    "cache": "symbody cache --clear",
    "mcp": "symbody mcp models --seconds 30",
}


def command_parser(description: str = "") -> argparse.ArgumentParser:
    """All commands with their arguments."""
    out = argparse.ArgumentParser(
        prog="symbody", description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = out.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=CommandParser)

    for add in (
        _models,
        _equations,
        _simulate,
        _eig,
        _branch,
        _orbit,
        _optimise,
        _frf,
        _gait,
        _sweeps,
        _results,
        _server,
    ):
        add(parts)
    return out


def _models(parts: Any) -> None:
    _command(parts, "examples", "list the built-in models", commands.examples)

    new = _command(parts, "new", "write a commented model file to start from", commands.new)
    new.add_argument("name", help="name of the model; the file is NAME.yaml")
    _output(new, "another file")

    _model(_command(parts, "check", "validate a model and summarise its parts", commands.check))


def _equations(parts: Any) -> None:
    derive = _model(_command(parts, "derive", "derive the equations of motion", commands.derive))
    derive.add_argument("--route", default="recursive", help="recursive, kane, lagrange, newton-euler or gibbs-appell")
    derive.add_argument(
        "--as", dest="style", default="text", choices=commands.STYLES, help="text (default), latex, sympy, c, numpy"
    )
    _output(derive, "write to this file (c: a folder)")

    export = _model(_command(parts, "export", "write a complete project in another language", commands.export))
    export.add_argument(
        "--to",
        required=True,
        choices=(*commands.TARGETS, *commands.MODEL_FILES),
        help="language (docs/export.md), or mjcf, osim: the model as a file for MuJoCo or OpenSim",
    )
    _output(export, "folder to write; fmu, page: file", metavar="DIR", required=True)
    export.add_argument(
        "--functions",
        metavar="NAMES",
        help="functions or groups of functions, separated by commas, or all; by default core,derivatives",
    )
    _repeatable(
        export,
        "--event",
        "NAME[=EXPRESSION]",
        "a variable or output whose zeros are events, or an expression: --event 'low=q1 - 0.1'",
    )
    export.add_argument("--name", help="name of files and functions; by default that of the model")
    export.add_argument(
        "--reference", type=_number, metavar="SECONDS", help="length of the reference motion that is included (1)"
    )
    export.add_argument("--no-reference", action="store_true", help="include no reference motion")
    export.add_argument("--single-precision", action="store_true", help="c: numbers of type float")
    export.add_argument(
        "--embedded", action="store_true", help="c: call only sine, cosine and square root of the C library"
    )
    export.add_argument("--vary", metavar="NAME", help="auto: the parameter or input of the first run")
    export.add_argument("--fmi", type=int, choices=(2, 3), help="fmu: version of the standard (2)")
    export.add_argument(
        "--kind",
        action="append",
        choices=("model exchange", "co-simulation"),
        help="fmu: one interface only; by default both",
    )
    export.add_argument(
        "--platform",
        action="append",
        metavar="NAME",
        help="fmu: linux64, win64, darwin64, ...; by default that of this computer",
    )


def _simulate(parts: Any) -> None:
    simulate = _model(
        _command(parts, "simulate", "simulate the motion from the initial state of the model", commands.simulate)
    )
    simulate.add_argument("-t", "--time", type=_number, help="end of the motion in seconds")
    simulate.add_argument("--points", type=int, help="number of output times, evenly spaced")
    for option, words in commands.SIMULATION_OPTIONS.items():
        kind = str if isinstance(getattr(SimulationOptions, option), str) else _number
        simulate.add_argument(f"--{option.replace('_', '-')}", type=kind, help=words)
    _output(simulate, "write .csv, .npz (everything), .json, or a plot: .svg, .png, .pdf")


def _eig(parts: Any) -> None:
    eig = _model(
        _command(
            parts, "eig", "compute eigenvalues about a steady motion, also over a parameter", stability_commands.eig
        )
    )
    _repeatable(
        eig, "--vary", "NAME=FROM:TO[:POINTS]", "compute a root locus over a parameter (twice: a stability chart)"
    )
    _output(eig, "write a plot (.svg, .png, .pdf) or the numbers (.csv, .json)")


def _branch(parts: Any) -> None:
    branch = _model(
        _command(
            parts,
            "branch",
            "follow steady motions over a parameter, through folds and bifurcations",
            stability_commands.branch,
        )
    )
    _repeatable(
        branch,
        "--vary",
        "NAME=FROM:TO",
        "a parameter, an input, or a value of the motion (twice: folds and Hopf points over both)",
    )
    _repeatable(branch, "--show", "NAME", "quantity to draw; by default those that change")
    branch.add_argument("--single", action="store_true", help="only the branch of the motion, not those that cross it")
    _output(branch, "write the diagram (.svg, .png, .pdf) or its numbers (.csv, .json)")


def _orbit(parts: Any) -> None:
    orbit = _model(
        _command(
            parts,
            "orbit",
            "find periodic motions, and follow families of them over a parameter",
            stability_commands.orbit,
        )
    )
    orbit.add_argument(
        "--period",
        metavar="EXPRESSION",
        help="period of the drive, or an estimate of that of the orbit through the start: 2*pi/w",
    )
    orbit.add_argument("--settle", type=_number, metavar="SECONDS", help="simulate from the start for this time first")
    orbit.add_argument("--hopf", type=int, metavar="K", help="begin at this Hopf point of the branches, counted from 0")
    _repeatable(orbit, "--mirror", "NAME", "coordinate that changes its sign in half a period; may be repeated")
    _repeatable(orbit, "--vary", "NAME=FROM:TO", "follow a family over this value")
    _repeatable(orbit, "--show", "NAME", "quantity to draw")
    orbit.add_argument(
        "--single", action="store_true", help="only the family of the orbit, not those that begin at period doublings"
    )
    _output(orbit, "write everything (.npz), a figure (.svg, .png, .pdf) or its numbers (.csv, .json)")


def _optimise(parts: Any) -> None:
    optimise = _model(_command(parts, "optimise", "solve for the best motion that the file states", commands.optimise))
    optimise.add_argument("--intervals", type=int, metavar="N", help="of each phase (those of the file, or 20)")
    optimise.add_argument(
        "--method", choices=("trapezoidal", "hermite-simpson", "radau", "shooting"), help="transcription"
    )
    optimise.add_argument(
        "--accuracy", type=_number, metavar="ERROR", help="refine the mesh to this error of an interval"
    )
    _output(optimise, "write a report page (.html) or a table (.csv)")


def _frf(parts: Any) -> None:
    frf = _model(_command(parts, "frf", "compute frequency responses", stability_commands.frf))
    frf.add_argument("--input", help="input that oscillates")
    frf.add_argument("--output", dest="seen", help="output, coordinate or speed that responds")
    frf.add_argument("--hertz", metavar="FROM:TO[:POINTS]", help="frequencies")
    frf.add_argument(
        "-o", dest="output", type=Path, help="write a plot (.svg, .png, .pdf) or the numbers (.csv, .json)"
    )


def _gait(parts: Any) -> None:
    gait = _command(
        parts,
        "gait",
        "analyse a measured motion of a person: joint moments, muscle forces, joint loads",
        gait_command.gait,
    )
    gait.add_argument("subject", type=Path, metavar="SUBJECT.osim", help="musculoskeletal model, scaled to the person")
    gait.add_argument("motion", type=Path, metavar="MOTION", help="markers (.trc, .c3d) or coordinates (.mot, .sto)")
    gait.add_argument("--forces", type=Path, metavar="FILE", help="table of force plates (.mot, .sto)")
    _repeatable(
        gait,
        "--plate",
        "BODY=FORCE,POINT[,TORQUE]",
        "columns of a plate in the ground: calcn_r=ground_force_v,ground_force_p,ground_torque_; may be repeated",
    )
    gait.add_argument("--times", metavar="FROM:TO", help="part of the motion, in seconds")
    gait.add_argument("--cutoff", type=_number, default=6.0, metavar="HZ", help="of the low-pass filter (6)")
    gait.add_argument(
        "--reserves", type=_number, default=1.0, metavar="FORCE", help="optimal force of reserve actuators (1)"
    )
    _output(gait, "folder to write tables into", metavar="DIR", required=True)


def _sweeps(parts: Any) -> None:
    what = "compute eigenvalues or motions over ranges of parameters, stored as they are computed"
    sweep = _model(_command(parts, "sweep", what, commands.sweep))
    sweep.add_argument(
        "--vary",
        action="append",
        required=True,
        metavar="NAME=WHAT",
        help="FROM:TO:POINTS, A,B,C (values), FROM:TO (an interval), or a distribution of scipy.stats: norm(8, 0.5)",
    )
    sweep.add_argument(
        "--ask", default="eigenvalues", choices=commands.ASKS, help="quantity to compute for each member (eigenvalues)"
    )
    sweep.add_argument("--show", metavar="NAMES", help="end, extremes: variables and outputs, separated by commas")
    sweep.add_argument("-t", "--time", type=_number, help="end, extremes: length of the motion in seconds")
    sweep.add_argument("--sample", default="grid", metavar="HOW", help="grid, random, sobol or latin hypercube")
    sweep.add_argument("--repeat", type=int, default=1, help="points in intervals and distributions")
    sweep.add_argument("--seed", type=int, default=0, help="seed of random points")
    sweep.add_argument("--on", default="threads", help="threads, processes, dask, or the address of a scheduler")
    sweep.add_argument("--workers", type=int, help="number of workers; by default the number of cores")
    sweep.add_argument("--batch", type=int, help="members in a task; by default about one second of work")
    _output(sweep, "folder to write", metavar="STUDY.zarr", required=True)
    sweep.add_argument("--resume", action="store_true", help="continue an interrupted study")


def _results(parts: Any) -> None:
    _model(_command(parts, "certify", "check the equations against other routes and laws", commands.certify))

    report = _model(_command(parts, "report", "write a report on one page, with animated 3-D views", commands.report))
    _output(report, "folder to write; index.html opens with a double click", metavar="DIR", required=True)
    report.add_argument("-t", "--time", type=_number, help="end of the simulation in seconds")
    _repeatable(report, "--vary", "NAME=FROM:TO[:POINTS]", "root locus over a parameter")

    render = _model(_command(parts, "render", "draw the mechanism or its motion", commands.render))
    render.add_argument(
        "--show",
        default="scene",
        choices=commands.PICTURES,
        help="scene (default), sketch, free-body (forces in symbols; at a time in numbers), motion (plots)",
    )
    render.add_argument("-t", "--time", type=_number, help="time of the picture in seconds; by default the start")
    _output(render, "scene: .svg, .html or .glb; others: .svg, .png, .pdf or .html", required=True)

    watch = _model(_command(parts, "watch", "rebuild the report whenever the file is saved", commands.watch))
    _output(watch, "folder to write; by default NAME_report", metavar="DIR")
    watch.add_argument("-t", "--time", type=_number, help="end of the simulation in seconds")
    _repeatable(watch, "--vary", "NAME=FROM:TO[:POINTS]", "root locus over a parameter")

    cache = _command(parts, "cache", "show where compiled code is cached, and its size", commands.cache)
    cache.add_argument("--clear", action="store_true", help="remove all of it; it is compiled again when needed")


def _server(parts: Any) -> None:
    what = "serve these commands to language models, by the Model Context Protocol on standard input and output"
    mcp = _command(parts, "mcp", what, partial(serve, parts.choices))
    mcp.add_argument(
        "folder", nargs="?", type=Path, default=Path(), help="folder whose model files may be read (this one)"
    )
    mcp.add_argument("--seconds", type=_number, default=60.0, help="time limit of one call (60)")


def _command(parts: Any, name: str, what: str, run: Callable[[Any], Answer]) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = parts.add_parser(
        name, help=what, description=what[0].upper() + what[1:] + ".", epilog=f"example: {EXAMPLES[name]}"
    )
    made.add_argument("--json", action="store_true", help="print one JSON object, for machines")
    made.set_defaults(run=run)
    return made


def _model(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument(
        "model", metavar="MODEL", help="built-in name, .yaml, .urdf, .xml, .sdf, or .py (which is run as your own code)"
    )
    _repeatable(parser, "--set", "NAME=VALUE", "change a parameter or an initial value")
    _repeatable(parser, "--meshes", "DIR", "another folder to search for package://, besides that of the .urdf file")
    return parser


def _output(parser: argparse.ArgumentParser, what: str, metavar: str = "OUTPUT", required: bool = False) -> None:
    parser.add_argument("-o", "--output", type=Path, metavar=metavar, required=required, help=what)


def _repeatable(parser: argparse.ArgumentParser, flag: str, metavar: str, what: str) -> None:
    parser.add_argument(flag, action="append", default=[], metavar=metavar, help=what)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
    return value
