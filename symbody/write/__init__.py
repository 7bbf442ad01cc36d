"""Output of the package: code in other languages, model files, trajectories, glTF, films, reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from .artefacts.artefact import Artefact
    from .artefacts.make_artefact import ExportOptions, artefact
    from .entry.export import (
        add_target,
        auto,
        c,
        casadi,
        export,
        fortran,
        javascript,
        jax,
        matlab,
        modelica,
        numpy,
        rust,
        scilab,
        simulink,
        sympy,
        torch,
        wasm,
    )
    from .entry.printed_equations import equation_programs, equations_files
    from .files.branch_file import load_branch, save_branch
    from .files.film_file import film
    from .files.gltf import glb
    from .files.model_file import model_text, write_model
    from .files.orbit_file import load_orbit, load_orbits, save_orbit, save_orbits
    from .files.stored_results import load
    from .files.streamed_motion import stream
    from .files.trajectory_file import load_trajectory, save_trajectory
    from .live.live_page import live_page
    from .mockup.fmu import fmu
    from .report.report import write_report
    from .targets.c.c_printer import CSource, c_source

__all__ = [  # noqa: RUF022  (in order of flow)
    "CSource", "c_source", "equation_programs", "equations_files", "Artefact", "ExportOptions", "artefact", "export", "add_target", "c", "fortran", "auto", "simulink", "scilab", "modelica", "matlab", "rust", "javascript", "wasm", "numpy", "jax", "torch", "casadi", "sympy", "fmu", "live_page", "film", "glb", "model_text", "write_model", "write_report", "load", "load_branch", "save_branch", "load_orbit", "save_orbit", "load_orbits", "save_orbits", "load_trajectory",
    "save_trajectory", "stream",
]  # fmt: skip

offer(__name__)
