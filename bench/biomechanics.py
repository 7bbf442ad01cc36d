"""Gait analysis beside OpenSim 4.6: marker kinematics, inverse dynamics and static optimisation of a walking trial, and
forward simulation of a muscle-driven model on its feet.

`SYMBODY_OPENSIM_MODELS=.../opensim-models/Models python -m bench biomechanics`, where the folder Pipelines of
opensim-org/opensim-models stands beside Models. `first` includes making and compiling functions, `cpu_s` does not; CPU
seconds. Without the package `opensim` the columns of the peer are empty.
"""

from __future__ import annotations

import importlib.util
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.kits import biomechanics as bio

from .timing import Row

RESERVE: Final = 10.0
SPAN: Final = 1.0  # s, of the forward simulation
SPHERES: Final = (("heel", "calcn", "0.03 0.02 0", 0.035), ("ball", "calcn", "0.18 0.01 0", 0.03), ("toe", "toes", "0.05 0 0", 0.025))  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """Files of a walking trial, and the time of one gait cycle in it."""

    name: str
    model: str
    markers: str
    forces: str
    loads: str
    tasks: str
    cycle: tuple[float, float]


TRIALS: Final = (
    Trial(
        "gait10dof18musc", "Models/Gait10dof18musc/subject01.osim",
        "Pipelines/Gait10dof18musc/ExperimentalData/subject01_walk.trc", "Pipelines/Gait10dof18musc/ExperimentalData/subject01_walk_grf.mot",
        "Pipelines/Gait10dof18musc/ExperimentalData/subject01_walk_grf.xml", "Pipelines/Gait10dof18musc/IK/walk_Setup_IK.xml", (0.5, 1.75),
    ),
    Trial(
        "gait2392", "Models/Gait2392_Simbody/subject01.osim",
        "Pipelines/Gait2392_Simbody/subject01_walk1.trc", "Pipelines/Gait2392_Simbody/subject01_walk1_grf.mot",
        "Pipelines/Gait2392_Simbody/subject01_walk1_grf.xml", "Pipelines/Gait2392_Simbody/subject01_Setup_IK.xml", (0.6, 1.85),
    ),
)  # fmt: skip


class Walk:
    """A trial as symbody reads it."""

    def __init__(self, folder: Path, trial: Trial) -> None:
        self.folder, self.trial = folder, trial
        self.path = folder / trial.model
        self.markers = sb.formats.read_motion(folder / trial.markers)
        plate = sb.formats.read_motion(folder / trial.forces)
        text = (folder / trial.loads).read_text()
        tags = ("applied_to_body", "force_identifier", "point_identifier", "torque_identifier")
        found = re.findall(".*?".join(rf"<{t}>\s*(.*?)\s*</{t}>" for t in tags), text, re.DOTALL)
        self.loads = [bio.ExternalForce(body, plate, f, p, m or None) for body, f, p, m in found]
        self.text = re.sub(r"<datafile>.*?</datafile>", f"<datafile>{folder / trial.forces}</datafile>", text)

    def weights(self, m: sb.formats.OsimModel) -> dict[str, float]:
        text = (self.folder / self.trial.tasks).read_text()
        task = r'<IKMarkerTask name="(.*?)">.*?<apply>\s*(.*?)\s*</apply>.*?<weight>(.*?)</weight>'
        told = {n: float(w) if on == "true" else 0.0 for n, on, w in re.findall(task, text, re.DOTALL)}
        return {n: told.get(n, 0.0) if n in self.markers.markers else 0.0 for n in m.markers}

    def towards(self, m: sb.formats.OsimModel) -> dict[str, tuple[float, float]]:
        """Coordinates that the tasks draw to the file's defaults."""
        text = (self.folder / self.trial.tasks).read_text()
        task = r'<IKCoordinateTask name="(.*?)">.*?<apply>\s*true\s*</apply>.*?<weight>(.*?)</weight>'
        found = {n: float(w) for n, w in re.findall(task, text, re.DOTALL) if n in m.symbols}
        return {n: (w, m.coordinates_of_file[n].default) for n, w in found.items()}


def seconds(act: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.process_time()
    found = act()
    return time.process_time() - begun, found


def analyses(walk: Walk) -> Iterator[Row]:
    trial, m = walk.trial, sb.read_osim(walk.path)
    making, subject = seconds(lambda: bio.Subject(m))
    weights, towards = walk.weights(m), walk.towards(m)

    def kinematics() -> Any:
        return subject.marker_kinematics(walk.markers, weights=weights, towards=towards, times=trial.cycle)

    first, found = seconds(kinematics)
    again, found = seconds(kinematics)
    with tempfile.TemporaryDirectory() as folder:
        peer = Peer(walk, Path(folder)) if importlib.util.find_spec("opensim") else None
        yield _row(trial, "marker kinematics", found.outcome, making + first, again, *(peer.kinematics(found) if peer else (None, None)))  # fmt: skip
        smooth = subject.motion(found.table, cutoff=6).table
        sb.formats.write_motion(smooth, Path(folder) / "motion.mot")
        motion = subject.motion(smooth)
        first, moments = seconds(lambda: subject.inverse_dynamics(motion, walk.loads))
        again, moments = seconds(lambda: subject.inverse_dynamics(motion, walk.loads))
        yield _row(trial, "inverse dynamics", "", first, again, *(peer.dynamics(moments) if peer else (None, None)))

        def optimum() -> Any:
            return subject.static_optimisation(motion, walk.loads, reserves=RESERVE, isometric=True, between=(0.01, 1))

        first, muscles = seconds(optimum)
        again, muscles = seconds(optimum)
        yield _row(trial, "static optimisation", muscles.outcome, first, again, *(peer.optimum(muscles) if peer else (None, None)))  # fmt: skip


def _row(trial: Trial, what: str, outcome: Any, first: float, again: float, peer: float | None, off: float | None) -> Row:  # fmt: skip
    return {
        "case": f"{trial.name}, {what}",
        "first": first,
        "cpu_s": again,
        "peer": "OpenSim 4.6",
        "peer_seconds": peer,
        "difference": off,
        "ratio": None if peer is None else peer / again,
        "outcome": str(outcome)[:60],
    }


class Peer:
    """The same by OpenSim's tools, on the same coordinates."""

    def __init__(self, walk: Walk, folder: Path) -> None:
        self.osim: Any = importlib.import_module("opensim")
        self.osim.Logger.setLevelString("Error")
        self.osim.Logger.removeFileSink()
        self.walk, self.folder = walk, folder
        (folder / "loads.xml").write_text(walk.text)

    def kinematics(self, ours: Any) -> tuple[float, float]:
        tool = self.osim.InverseKinematicsTool(str(self.walk.folder / self.walk.trial.tasks), False)
        model = self.osim.Model(str(self.walk.path))
        model.initSystem()
        tool.setModel(model)
        tool.set_accuracy(1e-9)
        tool.setMarkerDataFileName(str(self.walk.folder / self.walk.trial.markers))
        tool.set_coordinate_file("Unassigned")
        tool.setStartTime(self.walk.trial.cycle[0])
        tool.setEndTime(self.walk.trial.cycle[1])
        tool.setOutputMotionFileName(str(self.folder / "ik.mot"))
        tool.setResultsDir(str(self.folder))
        took, _ = seconds(tool.run)
        found = sb.formats.read_motion(self.folder / "ik.mot").at(ours.table.times)
        off = [np.abs(ours.table[n] - (np.radians(found[n]) if not n.endswith(("_tx", "_ty", "_tz")) else found[n])).max() for n in ours.table.names]  # fmt: skip
        return took, float(max(off))

    def dynamics(self, ours: sb.formats.MotionTable) -> tuple[float, float]:
        model, tool = self.osim.Model(str(self.walk.path)), self.osim.InverseDynamicsTool()
        model.initSystem()
        tool.setModel(model)
        tool.setCoordinatesFileName(str(self.folder / "motion.mot"))
        tool.setLowpassCutoffFrequency(-1)
        tool.setStartTime(float(ours.times[0]))
        tool.setEndTime(float(ours.times[-1]))
        without = self.osim.ArrayStr()
        without.append("Muscles")
        tool.setExcludedForces(without)
        tool.setExternalLoadsFileName(str(self.folder / "loads.xml"))
        tool.setResultsDir(str(self.folder))
        tool.setOutputGenForceFileName("id.sto")
        took, _ = seconds(tool.run)
        found = sb.formats.read_motion(self.folder / "id.sto")
        names = {n: f"{n}_moment" if f"{n}_moment" in found.names else f"{n}_force" for n in ours.names}
        return took, float(max(np.abs(found[names[n]] - ours[n]).max() for n in ours.names))

    def optimum(self, ours: Any) -> tuple[float, float]:
        osim, model = self.osim, self.osim.Model(str(self.walk.path))
        for n in ours.reserves.names:
            extra = osim.CoordinateActuator(n)
            extra.setName(f"{n}_reserve")
            extra.setOptimalForce(RESERVE)
            extra.setMinControl(-np.inf)
            extra.setMaxControl(np.inf)
            model.addForce(extra)
        model.finalizeConnections()
        model.printToXML(str(self.folder / "so.osim"))
        begin, end = (float(ours.effort.size and t) for t in (ours.reserves.times[0], ours.reserves.times[-1]))
        analysis = osim.StaticOptimization()
        analysis.setStartTime(begin)
        analysis.setEndTime(end)
        analysis.setUseModelForceSet(True)
        analysis.setActivationExponent(2)
        analysis.setUseMusclePhysiology(False)
        analysis.setConvergenceCriterion(1e-6)
        analysis.setMaxIterations(300)
        tool = osim.AnalyzeTool()
        tool.updAnalysisSet().cloneAndAppend(analysis)
        tool.setName("so")
        tool.setModelFilename(str(self.folder / "so.osim"))
        tool.setInitialTime(begin)
        tool.setFinalTime(end)
        tool.setCoordinatesFileName(str(self.folder / "motion.mot"))
        tool.setLowpassCutoffFrequency(-1)
        tool.setExternalLoadsFileName(str(self.folder / "loads.xml"))
        tool.setResultsDir(str(self.folder))
        tool.setSolveForEquilibrium(False)
        tool.printToXML(str(self.folder / "setup.xml"))
        took, _ = seconds(osim.AnalyzeTool(str(self.folder / "setup.xml")).run)
        found = sb.formats.read_motion(self.folder / "so_StaticOptimization_activation.sto")
        rows = [k for k, t in enumerate(found.times) if np.min(np.abs(ours.activations.times - t)) < 1e-6]
        mine = ours.activations.at(np.clip(found.times[rows], begin, end))
        return took, float(max(np.abs(found[n][rows] - mine[n]).max() for n in mine.names))


# ------------------------------------------------------------------------------------------------ forward simulation


def model_on_feet(text: str) -> str:
    """A gait model with three contact spheres under each foot."""
    shapes = "".join(
        f'<ContactSphere name="{n}_{s}"><socket_frame>/bodyset/{b}_{s}</socket_frame><location>{p}</location>'
        f"<orientation>0 0 0</orientation><radius>{r}</radius></ContactSphere>"
        for s in "rl" for n, b, p, r in SPHERES
    )  # fmt: skip
    floor = (
        '<ContactHalfSpace name="floor"><socket_frame>/ground</socket_frame><location>0 0 0</location>'
        "<orientation>0 0 -1.5707963267948966</orientation></ContactHalfSpace>"
    )
    names = " ".join(f"{n}_{s}" for s in "rl" for n, *_ in SPHERES)
    force = (
        '<HuntCrossleyForce name="feet"><HuntCrossleyForce::ContactParametersSet><objects><HuntCrossleyForce::ContactParameters>'
        f"<geometry>floor {names}</geometry><stiffness>3000000</stiffness><dissipation>2</dissipation>"
        "<static_friction>0.9</static_friction><dynamic_friction>0.8</dynamic_friction><viscous_friction>0</viscous_friction>"
        "</HuntCrossleyForce::ContactParameters></objects></HuntCrossleyForce::ContactParametersSet>"
        "<transition_velocity>0.1</transition_velocity></HuntCrossleyForce>"
    )
    text = re.sub(r"<ContactGeometrySet.*?</ContactGeometrySet>", "", text, flags=re.DOTALL)
    text = re.sub(r"(<ForceSet[^>]*>\s*<objects>)", lambda found: found.group(1) + force, text, count=1)
    return text.replace(
        "</Model>", f"<ContactGeometrySet><objects>{floor}{shapes}</objects></ContactGeometrySet></Model>"
    )


def forward(folder: Path) -> Iterator[Row]:
    """A second of walking from a measured pose, with muscles of rigid tendons and feet on the ground."""
    trial = TRIALS[0]
    walk, m = Walk(folder, trial), sb.read_osim(model_on_feet((folder / trial.model).read_text()))
    found = bio.Subject(sb.read_osim(folder / trial.model))
    table = found.marker_kinematics(walk.markers, weights=walk.weights(m), times=(0.5, 0.9)).table
    motion = found.motion(table, cutoff=6)
    bio.add_muscles(m, tendon="rigid", curves="opensim", outputs=False)
    bio.add_contacts(m, outputs=False)
    eq = sb.derive(m)
    start = {n: float(motion.q[8, k]) for k, n in enumerate(motion.names)}
    start |= {f"{n}_dot": float(motion.u[8, k]) for k, n in enumerate(motion.names)}
    start |= {z.name: 0.1 for z in eq.z}
    inputs = {r.name: 0.1 for r in eq.r}
    exact = sb.simulate(eq, SPAN, start, inputs=inputs, rtol=1e-9, method="radau")
    for method, rtol in (("radau", 1e-3), ("dp5", 1e-3)):
        run = lambda method=method, rtol=rtol: sb.simulate(eq, SPAN, start, inputs=inputs, rtol=rtol, method=method)  # noqa: E731
        run()
        times = [seconds(run) for _ in range(9)]
        least = min(t for t, _ in times)
        sim = times[-1][1]
        yield {
            "case": f"forward gait, {method}",
            "states": len(eq.q) + len(eq.u) + len(eq.z),
            "simulated_s": SPAN,
            "cpu_s": least,
            "times_real_time": SPAN / least,
            "error": float(np.abs(sim.q[-1] - exact.q[-1]).max()),
            "outcome": f"{sim.outcome}; {sim.statistics}"[:80],
        }


def rows() -> Iterator[Row]:
    given = os.environ.get("SYMBODY_OPENSIM_MODELS")
    if not given:
        raise SystemExit(
            "bench biomechanics: SYMBODY_OPENSIM_MODELS must name the folder Models of opensim-org/opensim-models"
        )
    folder = Path(given).resolve().parent
    for trial in TRIALS:
        yield from analyses(Walk(folder, trial))
    yield from forward(folder)
