"""The reference: every public function and class has an example that runs, and says what else to look at."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from docs.book.reference import groups, named_things

THINGS = dict(named_things())
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\d+(?=e)|\.\d+)(?:e[-+]?\d+)?")
SEE_ALSO = re.compile(r"^See also: ((?:`[\w.]+`,?\s?)+)\.$", re.MULTILINE)

NOT_YET: frozenset[str] = frozenset(
    """
    sb.Model sb.LynchInput sb.Mechanism sb.Body sb.Frame sb.Point sb.Vector sb.Dyad sb.SystemVector sb.axial
    sb.express sb.read_model sb.read_model_text sb.write_model sb.model_text sb.model_schema sb.read_urdf
    sb.read_mjcf sb.read_sdf sb.inertia sb.bar sb.disc sb.cylinder sb.sphere sb.shell sb.cuboid sb.ElasticBody
    sb.material sb.finite_elements sb.FiniteElements sb.ReducedBody sb.read_reduced sb.interpolated_body
    sb.Coulomb sb.LuGre sb.HalfSpace sb.Ball sb.Ring sb.Tube sb.Ellipsoid sb.touch sb.corners sb.audit sb.Audit
    sb.derive sb.from_equations sb.from_lagrangian sb.Equations sb.Variables sb.Variable sb.NamedRow sb.certify
    sb.Certificate sb.minimal sb.kinetic_energy sb.potential_energy sb.energy sb.momentum sb.angular_momentum
    sb.centre_of_mass sb.power sb.load_powers sb.generalized_force sb.constraint_power sb.reaction sb.reactions
    sb.Reaction sb.inverse_dynamics sb.InverseDynamics sb.joint_forces sb.forward_derivatives
    sb.ForwardDerivatives sb.inverse_derivatives sb.first_order sb.FirstOrder sb.diagonalized sb.gram_schmidt
    sb.tangent_vectors sb.partial_velocities sb.shared_work sb.coriolis_matrix sb.christoffel_symbols
    sb.mass_matrix_sparsity sb.program sb.compile sb.device_array sb.numpy_function sb.numpy_source sb.c_source
    sb.assemble sb.all_assemblies sb.State sb.violation sb.simulate sb.closed_loop sb.Event sb.Trajectory
    sb.Contact sb.Friction sb.simulate_modes sb.Contacts sb.Modes sb.Switch sb.simulate_batch sb.stepper
    sb.cuda_motions sb.save_trajectory sb.load_trajectory sb.steady sb.steady_motions sb.branch sb.Branch
    sb.load_branch sb.orbit sb.Orbit sb.load_orbit sb.orbits sb.OrbitBranch sb.load_orbits sb.poincare
    sb.lyapunov sb.attractors sb.basins sb.linearize sb.linear_system sb.linear_integrals sb.LinearSystem
    sb.to_scipy sb.to_control sb.sweep sb.SweepResult sb.load_sweep sb.identify sb.Measurement sb.Identification
    sb.task sb.regressor sb.base_parameters sb.plot sb.scene sb.Solid sb.film sb.SymbodyError sb.ExpressionError
    sb.EvaluationError sb.ModelError sb.ModelFileError sb.DerivationError sb.ProgramError sb.StabilityError
    sb.CompileError sb.AssemblyError sb.SimulationError sb.StudyError sb.ViewError sb.bodies.Pose
    sb.bodies.Touch sb.bodies.LinePath sb.bodies.WrapSphere sb.bodies.WrapCylinder sb.bodies.ViaPoint
    sb.bodies.Robot sb.bodies.RobotReport sb.emit.Cost sb.emit.Program sb.emit.Compiled sb.emit.CudaFunction
    sb.emit.ptx_source sb.emit.DeviceArray sb.emit.Dynamics sb.integrate.Batch sb.integrate.BatchOutputs
    sb.integrate.CudaMotion sb.integrate.CudaMotions sb.integrate.FixedMotions sb.integrate.MarchedMotions
    sb.integrate.interpolation sb.integrate.Ending sb.integrate.Outcome sb.integrate.Statistics
    sb.integrate.Stepper sb.integrate.StepDerivatives sb.integrate.Violation sb.integrate.Occurrence
    sb.integrate.Segment sb.integrate.Violations sb.stability.StabilityChart sb.stability.Design
    sb.stability.EigenvalueSensitivities sb.stability.Feedback sb.stability.Critical sb.stability.RootLocus
    sb.stability.frequency_grid sb.stability.FrequencyResponse sb.stability.StateSpace sb.stability.TimeResponse
    sb.stability.SecondOrder sb.stability.Mode sb.stability.Spectrum sb.stability.SteadyMotion
    sb.stability.SpecialPoint sb.stability.SpecialCurve sb.stability.DegeneratePoint sb.stability.SpecialOrbit
    sb.stability.SpecialOrbitCurve sb.stability.OrbitEnd sb.stability.PoincareSection
    sb.stability.LyapunovExponents sb.stability.Attractors sb.stability.Basins sb.study.ModelFile
    sb.study.built_in sb.study.ModelSource sb.study.find_model sb.study.Study sb.study.at_times sb.study.at_end
    sb.study.extremes sb.study.spectrum sb.study.steady_values sb.study.orbit_values sb.study.swept_study
    sb.study.over_of_texts sb.study.sobol_indices sb.study.morris_indices sb.study.objective sb.study.Objective
    sb.view.Figure sb.view.Scene sb.write.CSource sb.write.equation_programs sb.write.equations_files
    sb.write.Artefact sb.write.ExportOptions sb.write.artefact sb.write.export sb.write.c sb.write.fortran
    sb.write.auto sb.write.simulink sb.write.scilab sb.write.modelica sb.write.matlab sb.write.rust
    sb.write.javascript sb.write.wasm sb.write.numpy sb.write.jax sb.write.torch sb.write.casadi sb.write.sympy
    sb.write.fmu sb.write.live_page sb.write.glb sb.write.write_report sb.write.save_branch sb.write.save_orbit
    sb.write.save_orbits sb.kits.LinkTask sb.kits.centre_of_mass_jacobian sb.kits.centroidal_momentum_matrix
    sb.kits.inverse_kinematics sb.kits.gravity_compensation sb.kits.computed_torque sb.kits.task_control
    sb.kits.Regressor sb.kits.BaseParameters sb.kits.excitation sb.kits.Excitation sb.kits.identify_robot
    sb.kits.Identified
    """.split()
)  # without an example or "See also" until somebody writes it: this list only gets shorter


class AsShown(doctest.OutputChecker):
    """Numbers with a decimal point agree to the digits that are shown; all else exactly."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if super().check_output(want, got, optionflags):
            return True
        shown, found = NUMBER.findall(want), NUMBER.findall(got)
        if NUMBER.sub("#", want) != NUMBER.sub("#", got) or len(shown) != len(found):
            return False
        return all(_agree(a, b) for a, b in zip(shown, found, strict=True))


def _agree(shown: str, found: str) -> bool:
    mantissa, _, exponent = shown.partition("e")
    last = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(float(shown) - float(found)) <= 0.51 * last


def text_of(thing: Any) -> str:
    return inspect.getdoc(thing) or ""


def lacks(thing: Any) -> list[str]:
    """Which of the two a docstring does not have."""
    text = text_of(thing)
    return [what for what, found in (("an example", ">>> " in text), ("See also", SEE_ALSO.search(text))) if not found]


@pytest.mark.parametrize("name", THINGS)
def test_has_an_example_and_see_also(name: str) -> None:
    missing = lacks(THINGS[name])
    if name in NOT_YET:
        assert missing, f"{name} has both: take it from the list NOT_YET"
    else:
        assert not missing, f"{name} lacks {' and '.join(missing)} in its docstring (CONTRIBUTING.md says how)"


def test_list_of_what_is_missing_has_no_strangers() -> None:
    assert set(THINGS) >= NOT_YET


@pytest.mark.parametrize("name", THINGS)
def test_see_also_leads_somewhere_else(name: str) -> None:
    """Public names, or members of public classes, other than this one."""
    known = {n.removeprefix("sb."): t for n, t in THINGS.items()} | {"pi": sb.pi}
    for found in SEE_ALSO.findall(text_of(THINGS[name])):
        for other in re.findall(r"`([\w.]+)`", found):
            owner, _, member = other.rpartition(".")
            assert other != name.removeprefix("sb.")
            assert other in known or hasattr(known.get(owner), member), f"{name}: there is no {other}"


@pytest.mark.parametrize("group", groups(), ids=lambda g: g.slug)
def test_examples_run(group: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by itself, in an empty folder, after `import symbody as sb` and `import numpy as np`."""
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    runner = doctest.DocTestRunner(AsShown(), verbose=False)
    for name in group.names:
        thing = group.thing(name)
        for label, text in _examples(name, thing):
            test = doctest.DocTestParser().get_doctest(text, {"sb": sb, "np": np}, label, None, 0)
            runner.run(test, out=said.append)
    assert not said, "\n".join(said)


def _examples(name: str, thing: Any) -> list[tuple[str, str]]:
    """The docstring of a name, and those of the members of a class."""
    found = [(name, text_of(thing))] if callable(thing) else []
    if inspect.isclass(thing):
        members = (
            (n, inspect.getdoc(m.__func__ if isinstance(m, (classmethod, staticmethod)) else m) or "")
            for owner in thing.__mro__
            if owner.__module__.startswith("symbody")
            for n, m in vars(owner).items()
            if not n.startswith("_") and hasattr(m, "__get__")
        )
        found += [(f"{name}.{n}", text) for n, text in members]
    return [(n, text) for n, text in found if ">>> " in text]


@pytest.mark.parametrize(
    ("want", "got", "is_same"),
    [
        ("0.333333\n", "0.3333333333\n", True),
        ("0.333333\n", "0.333335\n", False),
        ("(1.5, 2)\n", "(1.5, 3)\n", False),
        ("1.2e-05\n", "1.24e-05\n", True),
        ("array([ 0.5, 1. ])\n", "array([ 0.5, 1. ])\n", True),
        ("x**2 + 0.5\n", "x**3 + 0.5\n", False),
    ],
)
def test_numbers_agree_as_shown(want: str, got: str, is_same: bool) -> None:
    assert AsShown().check_output(want, got, 0) == is_same
