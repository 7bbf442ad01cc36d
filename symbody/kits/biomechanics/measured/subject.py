"""A person as a model with measurements: compiled functions of one musculoskeletal model, for all analyses of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import symbody as sb

from ....argument_kinds import answered_class, checked_flags
from ....errors import ModelError, listed, shown
from ....summary import Summarized, Summary, counted
from .coordinate_motion import CoordinateMotion, coordinate_motion
from .external_forces import ExternalForce
from .gait_analysis import GaitAnalysis, gait_analysis
from .marker_kinematics import MarkerKinematics, marker_kinematics
from .measured_moments import inverse_dynamics
from .muscle_control import MuscleControl, computed_muscle_control
from .residual_reduction import ReducedResiduals, residual_reduction
from .scaling import scale_factors
from .static_optimisation import MuscleForces, static_optimisation
from .subject_functions import SubjectFunctions
from .transmitted_loads import joint_loads


@answered_class
class Subject(Summarized):
    """A musculoskeletal model from `read_osim` and the analyses of measurements with it. Functions are compiled on
    first use and kept; the model is not changed.

    model        the model
    equations    its equations of motion, without muscles
    names        of its coordinates

    >>> m = sb.read_osim('''<OpenSimDocument Version="40000"><Model name="arm"><gravity>0 -10 0</gravity>
    ... <BodySet><objects><Body name="arm"><mass>2</mass><mass_center>0 -0.5 0</mass_center>
    ...   <inertia>0.1 0.01 0.1 0 0 0</inertia></Body></objects></BodySet>
    ... <JointSet><objects><PinJoint name="shoulder"><socket_parent_frame>/ground</socket_parent_frame>
    ...   <socket_child_frame>/bodyset/arm</socket_child_frame>
    ...   <coordinates><Coordinate name="raise"/></coordinates></PinJoint></objects></JointSet>
    ... <MarkerSet><objects><Marker name="WRIST"><socket_parent_frame>/bodyset/arm</socket_parent_frame>
    ...   <location>0 -1 0</location></Marker></objects></MarkerSet></Model></OpenSimDocument>''')
    >>> subject = sb.kits.biomechanics.Subject(m)
    >>> t = np.linspace(0, 1, 11)
    >>> seen = np.column_stack([np.sin(0.3 * t), -np.cos(0.3 * t), 0 * t])
    >>> table = sb.formats.MotionTable("lift", t, ["WRIST_x", "WRIST_y", "WRIST_z"], seen)
    >>> found = subject.marker_kinematics(table)
    >>> round(float(found.table["raise"][-1]), 9), bool(found.outcome)
    (0.3, True)
    >>> moments = subject.inverse_dynamics(subject.motion(found.table))  # 2 kg, 0.5 m, 10 m/s²
    >>> round(float(moments["raise"][-1]), 6)
    2.955202
    >>> loads = subject.joint_loads(subject.motion(found.table))
    >>> round(float(loads["shoulder_mz"][-1]), 6)
    2.955202
    >>> round(float(subject.analysis(table, cutoff=None).moments["raise"][-1]), 6)
    2.955202
    >>> twice = sb.formats.MotionTable("static", [0.0], ["WRIST_x", "WRIST_y", "WRIST_z"], np.array([[0, -1.2, 0]]))
    >>> sb.formats.scale_osim, subject.scale_factors(twice, {"arm": {"y": [("WRIST", "ORIGIN")]}})
    Traceback (most recent call last):
    symbody.errors.ModelError: scale_factors: body 'arm', model: there is no marker 'ORIGIN'; there is only WRIST.
    >>> lighter = subject.residual_reduction(subject.motion(found.table), {"raise": 5.0})
    >>> bool(lighter.outcome)
    True
    >>> subject.computed_muscle_control(subject.motion(found.table))
    Traceback (most recent call last):
    symbody.errors.ModelError: computed_muscle_control: model 'arm' has no muscles
    >>> subject.static_optimisation(subject.motion(found.table))
    Traceback (most recent call last):
    symbody.errors.ModelError: static_optimisation: model 'arm' has no muscles

    See also: `read_osim`, `kits.biomechanics.MarkerKinematics`, `kits.biomechanics.ExternalForce`.
    """

    def __init__(self, model: sb.formats.OsimModel) -> None:
        if not isinstance(model, sb.formats.OsimModel):
            raise ModelError(f"Subject: expected a model from read_osim, got {shown(model)}")
        self.model, self.equations = model, sb.derive(model)
        if made := [s.name for s in (*self.equations.z, *self.equations.r)]:
            raise ModelError(
                f"Subject: expected the model as it was read, without muscle forces or inputs, got one with {listed(made)}; "
                "pass a model on which add_muscles was not called"
            )
        self.names = tuple(q.name for q in self.equations.q)
        self._functions = SubjectFunctions(model, self.equations)

    def _summary(self) -> Summary:
        m = self.model
        counts = [
            counted(len(self.names), "coordinate"),
            counted(len(m.muscles), "muscle"),
            counted(len(m.markers), "marker"),
        ]
        rows = (("coordinates", listed(self.names)), ("next", "marker_kinematics, motion, inverse_dynamics, ..."))
        return Summary(f"Subject {m.name}: {', '.join(counts)}", rows)

    # ------------------------------------------------------------------------------------------------ analyses

    def analysis(
        self,
        measured: sb.formats.MotionTable,
        loads: Sequence[ExternalForce] = (),
        *,
        weights: Mapping[str, float] | None = None,
        cutoff: float | None = 6.0,
        times: Any = None,
        reserves: float | Mapping[str, float] = 1.0,
    ) -> GaitAnalysis:
        """Marker kinematics, inverse dynamics, static optimisation and joint loads in one call.

        measured   markers or coordinates, of `formats.read_motion`
        weights, times, reserves, cutoff   as of `marker_kinematics`, `static_optimisation` and `motion`
        """
        return gait_analysis(self, measured, loads, weights=weights, cutoff=cutoff, times=times, reserves=reserves)

    def marker_kinematics(
        self,
        markers: sb.formats.MotionTable,
        *,
        weights: Mapping[str, float] | None = None,
        towards: Mapping[str, tuple[float, float]] | None = None,
        start: Mapping[str, float] | None = None,
        times: Any = None,
    ) -> MarkerKinematics:
        """The motion whose markers are nearest to measured ones, by weighted least squares at each frame.

            min Σ wₖ |xₖ(q) - yₖ|² + Σ cⱼ (qⱼ - q̄ⱼ)²

        markers   of `formats.read_motion`; a marker that was not seen (nan) does not count in its frame
        weights   by marker; 0 leaves a marker out. Markers that are not named count with 1
        towards   coordinate -> (c, q̄): a value that it is drawn to
        start     coordinates near which the first frame is searched, instead of the file's defaults
        times     first and last time; None: all frames

        Coordinates that the file clamps stay in their range. Each frame begins with the result of the one before.
        """
        return marker_kinematics(self._functions, markers, weights or {}, towards or {}, start or {}, times)

    def motion(
        self, table: sb.formats.MotionTable, *, cutoff: float | None = None, times: Any = None
    ) -> CoordinateMotion:
        """Coordinates of a table with their speeds and accelerations, by a quintic spline through its rows.

        cutoff   frequency in Hz of a Butterworth filter of order 3 that runs forwards and backwards first; None: none
        times    at which to evaluate; None: those of the table
        """
        return coordinate_motion(self._functions, table, cutoff, times)

    def inverse_dynamics(self, motion: CoordinateMotion, loads: Sequence[ExternalForce] = ()) -> sb.formats.MotionTable:
        """Generalised forces, moments and residuals of a motion: a column for each coordinate.

        τ = M(q) u' - f(q, u) - Σ Jᵀ F
        """
        return inverse_dynamics(self._functions, motion, loads)

    @checked_flags(ModelError)
    def static_optimisation(
        self,
        motion: CoordinateMotion,
        loads: Sequence[ExternalForce] = (),
        *,
        reserves: float | Mapping[str, float] = 1.0,
        exponent: float = 2.0,
        curves: Any = "opensim",
        isometric: bool = False,
        passive: bool = False,
        between: tuple[float, float] = (0.0, 1.0),
    ) -> MuscleForces:
        """Activations of the muscles that make the joint moments of a motion with the least effort, at each time.

            min Σ aᵢᵖ + Σ |rⱼ/wⱼ|ᵖ,    Σ aᵢ Fᵢ(q, u) rᵢⱼ + rⱼ = τⱼ,    lo ≤ aᵢ ≤ hi

        reserves    wⱼ of the reserve actuators, for all coordinates or by name or pattern ("pelvis_*")
        exponent    p, more than 1
        curves      of the fibres, as for `muscle`; tendons are rigid
        isometric   F₀ instead of the force at the length and velocity of the fibre
        between     lo and hi of all activations (OpenSim's muscles have 0.01 and 1)
        passive     the passive force of the fibres acts too (it does not in OpenSim's static optimisation)
        """
        return static_optimisation(
            self._functions, motion, loads, reserves, float(exponent), curves, isometric, passive, between
        )

    def joint_loads(
        self,
        motion: CoordinateMotion,
        joints: Sequence[str] | str | None = None,
        loads: Sequence[ExternalForce] = (),
        forces: sb.formats.MotionTable | MuscleForces | None = None,
    ) -> sb.formats.MotionTable:
        """Forces and moments that joints transmit to their child bodies, at the origin of the child's side of the joint
        and along the axes of the ground: columns `knee_r_fx`, ..., `knee_r_mz`.

        joints   names of some; None: all
        forces   of the muscles, a table or a result of `static_optimisation`; None: without muscles
        """
        return joint_loads(self._functions, motion, joints, loads, forces)

    def computed_muscle_control(
        self,
        motion: CoordinateMotion,
        loads: Sequence[ExternalForce] = (),
        *,
        reserves: float | Mapping[str, float] = 1.0,
        curves: Any = "opensim",
        step: float = 0.01,
        gains: tuple[float, float] = (100.0, 20.0),
    ) -> MuscleControl:
        """Excitations with which a forward simulation follows a motion (Thelen and Anderson 2006); tendons are rigid.

        reserves   as for `static_optimisation`
        step       interval in which excitations are constant [s]
        gains      k₂ of places and k₁ of speeds: desired accelerations are a + k₁ (u_m - u) + k₂ (q_m - q)
        """
        return computed_muscle_control(self._functions, motion, loads, reserves, curves, step, gains)

    def residual_reduction(
        self,
        motion: CoordinateMotion,
        residuals: Mapping[str, float],
        loads: Sequence[ExternalForce] = (),
        *,
        weights: Mapping[str, float] | None = None,
        step: float = 0.01,
        gains: tuple[float, float] = (100.0, 20.0),
    ) -> ReducedResiduals:
        """A motion near the given one with smaller residual forces, at coordinates without an actuator.

        residuals   optimal forces wᵢ at these coordinates, such as {"pelvis_tx": 5, "pelvis_ty": 10}: smaller ones
                    reduce the residual more; joints have 1000
        weights     cⱼ of coordinates: larger ones keep to the motion more; 100 unless given
        """
        return residual_reduction(self._functions, motion, residuals, loads, weights or {}, step, gains)

    def scale_factors(
        self, static: sb.formats.MotionTable, measurements: Mapping[str, Any]
    ) -> dict[str, tuple[float, float, float]]:
        """Factors of bodies for `formats.scale_osim`: measured distances of markers over those of the model in its default
        pose, averaged over the frames and over the pairs.

        measurements   body -> pairs of markers, [("RASI", "RKNE"), ...]; or {"x": pairs, "y": pairs, "z": pairs} by axis
        """
        return scale_factors(self._functions, static, measurements)
