"""`scene`: from equations, a state or a trajectory to a `Scene`, the 3-D picture as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...argument_kinds import answered_class, checked_flags
from ...bodies.frames.frames import Frame
from ...bodies.frames.points import Point
from ...derivation.equations.keywords import values_by_name
from ...emit.run.callable import Array
from ...errors import ViewError, listed, shown
from ...formats.robot.robot import Robot
from ...later import later
from ...study.piles.pile_motion import PileMotion
from ...study.requests import Drawing
from ...whole_files import write_bytes, write_text
from .appearance import Appearance
from .camera import Seen, camera_and_floor
from .deformed_surfaces import refuse_paint
from .forces import arrows
from .glyphs import axes_solids, joint_solids
from .picture import svg
from .pile_scene import pile_items
from .scene_items import (
    GROUND,
    GROUPS,
    Arrow,
    Camera,
    End,
    Floor,
    Instances,
    Label,
    Mesh,
    Solid,
    Span,
    Surface,
    Trace,
    Track,
)
from .shown_motion import mode_about, shown_motion_of, trajectory_of
from .skeleton import SkeletonFinder, placer
from .viewer import fragment, in_notebook, page

if TYPE_CHECKING:
    from ...stability.spectra.spectrum import Mode

SHOWN: Final = ("bodies", "joints")
MANY_BODIES: Final = 100  # above which forces are drawn on request only


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class Scene:
    """A mechanism in motion, as plain data: visible objects, fixed to frames, and how the frames move.

    scene.save("view.html")     a page that opens offline; also .glb (glTF with animation) and .svg (a still)
    scene.html()                the same as a part of another page
    in a notebook               the last line of a cell shows it

    t            times; of a mode, one period
    levels       amplitudes of a mode; frames have poses for each
    frequency    of a mode, in radians per second
    shown        groups that are visible initially: bodies, joints, frames, forces, traces, labels
    size         the overall size of the mechanism
    surfaces     meshes of bodies that deform
    instances    equal solids by the thousand, which the page draws at once (the bodies of a pile)
    centre       path of the mass centre, (times, 3)
    notes        on requested features that could not be drawn, and on vibrations that are too fast for its times
    solids       fixed to `frames`, which have their motion; `spans` lie between two points, `traces` are paths of
                 points
    arrows       forces and torques
    meshes       triangles by name, of solids that are meshes
    camera       the initial view
    floor        a plane with a grid; None: none
    labels       words at points

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
    >>> picture = sb.scene(sb.derive(m), theta=0.5)
    >>> sorted({solid.group for solid in picture.solids})
    ['bodies', 'frames', 'joints']

    See also: `scene`, `write.film`, `write.glb`.
    """

    name: str
    t: Array
    levels: tuple[float, ...]
    frequency: float | None
    frames: tuple[Track, ...]
    solids: tuple[Solid, ...]
    spans: tuple[Span, ...]
    traces: tuple[Trace, ...]
    labels: tuple[Label, ...]
    arrows: tuple[Arrow, ...]
    meshes: Mapping[str, Mesh]
    camera: Camera
    floor: Floor | None
    size: float
    centre: Array
    surfaces: tuple[Surface, ...] = ()
    instances: tuple[Instances, ...] = ()
    shown: tuple[str, ...] = SHOWN
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        moves = f"{len(self.t)} times from {self.t[0]:g} to {self.t[-1]:g}" if len(self.t) > 1 else "standing still"
        meshes = f", {len(self.surfaces)} deforming" if self.surfaces else ""
        meshes += f", {sum(map(len, self.instances))} bodies" if self.instances else ""
        said = "".join(f"\n  {n}" for n in self.notes)
        return f"<Scene of {self.name}: {len(self.frames)} frames, {len(self.solids)} solids{meshes}, {moves}{said}>"

    @checked_flags(ViewError)
    def html(self, *, assets: bool = True, height: str = "26rem", autoplay: bool = True) -> str:
        """A part of a page. `assets=False` leaves out style and script, where `symbody.view.scenes.viewer.assets()` is on the
        page once."""
        return fragment(self, assets=assets, height=height, autoplay=autoplay)

    def save(self, path: str | Path) -> Path:
        """Write the scene: .html a complete page, .glb glTF with animation, .svg a still picture.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
        >>> picture = sb.scene(sb.derive(m), theta=0.5)
        >>> picture.save("view.html").name, picture.svg()[:4], picture.gltf()[:4], len(picture.html()) > 1000
        ('view.html', '<svg', b'glTF', True)

        See also: `scene`, `write.film`.
        """
        target = Path(path)
        if target.suffix == ".html":
            write_text(target, page(self))
        elif target.suffix == ".glb":
            write_bytes(target, self.gltf())
        elif target.suffix == ".svg":
            write_text(target, self.svg())
        else:
            raise ViewError(
                f"scene: cannot save {target.name!r}; a name ends in .html, .glb or .svg, and film(scene, "
                "name) writes .gif and .mp4"
            )
        return target

    def gltf(self) -> bytes:
        """The scene as binary glTF 2.0, with animation."""
        return later("write.files.gltf", "glb")(self)

    def svg(self, t: float | None = None, width: int = 960, height: int = 600, theme: str = "light") -> str:
        """A still picture at a time (the first by default), as SVG."""
        return svg(self, t, width, height, theme)

    def _repr_html_(self) -> str:
        return in_notebook(self)


@values_by_name(ViewError)
def scene(
    source: Any,
    *,
    shapes: Mapping[str, Any] | Robot | Drawing | None = None,
    colours: Mapping[str, str] | None = None,
    packages: Mapping[str, str | Path] | None = None,
    traces: Iterable[str | Point] | None = None,
    forces: str | Iterable[str] | None = None,
    mode: Mode | Mapping[str, complex] | None = None,
    frequency: float | None = None,
    samples: int | None = None,
    show: Iterable[str] | None = None,
    paint: str = "",
    title: str | None = None,
    values: Mapping[Any, float] | None = None,
    options: Mapping[str, Any] | None = None,
    **named: float,
) -> Scene:
    """The 3-D scene of a trajectory, an orbit, a state, the motion of a pile, or equations at values from which a state is
    assembled.

    shapes      of bodies by name, instead of their own: `{"slider": sb.box(0.1, 0.06, 0.06)}`, or solids, or
                several; or a robot from a URDF file, whose visuals are shown; or the drawing of a model file
    colours     of bodies, as "#rrggbb" or by name
    packages    folders of a robot's meshes, which are opened only so: `{"package://": folder}`; .stl and .obj can be
                read, and where a link has neither among its visuals, its collision shapes are shown
    traces      bodies (their mass centres) and points whose paths are drawn; by default the ends of the tree
    forces      "loads" (the default up to 100 bodies), "reactions" or both: arrows along the motion
    mode        a mode of a linear system, or complex displacements by coordinate: q0 + Re(ε shape exp(i ω t)), with ε
                to be set in the viewer; q0 is the state given, or the first of a trajectory
    frequency   of the mode in rad/s, if `mode` does not contain it
    samples     number of times; by default enough for smooth motion
    show        groups that are visible initially; by default bodies, joints, and traces and forces if they are given
    paint       "displacement" or "stress" (von Mises): colours the meshes of finite-element bodies by this quantity
    values      of equations or of a state, by name or symbol; also as keywords if the name is not that of an option
    options     any of these arguments by name, for names that also exist in the model

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
    >>> picture = sb.scene(sb.derive(m), theta=0.5)
    >>> picture.name, [track.name for track in picture.frames]
    ('pendulum', ['bob'])
    >>> path = picture.save("pendulum.html")

    See also: `view.Scene`, `write.film`, `plot`, `Solid`.
    """
    shown_first = _groups(show, traces=traces, forces=forces)
    if isinstance(source, PileMotion):
        refused = {
            "shapes": shapes,
            "packages": packages,
            "traces": traces,
            "forces": forces,
            "mode": mode,
            "values": values,
        }
        if wrong := [name for name, given in refused.items() if given]:
            raise ViewError(f"scene of {source.pile.name!r}: a pile is shown without {listed(f'{w}=' for w in wrong)}")
        return pile_scene(source, colours or {}, samples, shown_first, title)
    given = trajectory_of(source, values or {})
    refuse_paint(paint, (s for b in given.segments[0].equations.mechanism.bodies if (s := b.surface) is not None))
    place = placer(given.segments[0].equations, _frames_drawn_on(shapes, traces))
    motion = shown_motion_of(given, place, samples)
    finder = SkeletonFinder(motion, place)
    if mode is not None:
        shape, omega = _mode(mode, frequency)
        motion = mode_about(motion, place, shape, omega, finder.size)
        finder = SkeletonFinder(motion, place)
    appearance = Appearance(finder, shapes, colours or {}, packages or {})
    bodies, spans, paths = appearance.solids(), appearance.spans(), appearance.traces(traces)
    surfaces = appearance.surfaces(paint)
    tracks, centre, skeleton = appearance.tracks(), appearance.centre(), appearance.skeleton
    view = camera_and_floor(
        finder, Seen(bodies, appearance.meshes, spans, surfaces, tracks), centre, appearance.drawing.up
    )
    signs = joint_solids(skeleton, appearance.painter.rod, appearance.supports(view, bodies))
    length = 0.16 * skeleton.size
    axes = [s for n in appearance.bodies for s in axes_solids(n, length)]
    return Scene(
        name=title or appearance.mechanism.name, t=motion.t, levels=motion.levels, frequency=motion.frequency, frames=tracks,
        solids=(*bodies, *signs, *axes_solids(GROUND, 1.3 * length), *axes), spans=spans, traces=paths,
        labels=tuple(Label(n, End(n, skeleton.centres[n])) for n in appearance.bodies),
        arrows=() if motion.is_mode else arrows(finder, _usual_forces(appearance) if forces is None else forces), meshes=appearance.meshes, camera=view.camera, floor=view.floor,
        size=skeleton.size, centre=centre, surfaces=surfaces, shown=shown_first, notes=(*appearance.notes, *filter(None, [motion.note])),
    )  # fmt: skip


def _usual_forces(appearance: Appearance) -> tuple[str, ...]:
    """Loads, unless there are so many bodies that arrows would hide them and take longer than everything else."""
    return ("loads",) if len(appearance.bodies) <= MANY_BODIES else ()


def pile_scene(
    motion: PileMotion, colours: Mapping[str, str], samples: int | None, shown_first: tuple[str, ...], title: str | None
) -> Scene:
    """Bodies as instances, height fields and the floor; no other walls."""
    x = pile_items(motion, colours, samples)
    return Scene(
        name=title or motion.pile.name, t=x.t, levels=(1.0,), frequency=None, frames=(), solids=x.solids, spans=(), traces=(),
        labels=(), arrows=(), meshes=x.meshes, camera=x.camera, floor=x.floor, size=x.size, centre=x.centre, instances=x.instances, shown=shown_first,
    )  # fmt: skip


def _groups(show: Iterable[str] | None, **asked: Any) -> tuple[str, ...]:
    """Groups that are switched on at first: those that are named, or the usual ones and those requested."""
    if show is None:
        return (*SHOWN, *(group for group, given in asked.items() if given is not None))
    named = tuple(show)
    if wrong := [g for g in named if g not in GROUPS]:
        raise ViewError(f"scene: show={listed(wrong)}; there are {listed(GROUPS)}")
    return named


def named_frames(state: Any, shapes: Any = None, packages: Mapping[str, str | Path] | None = None) -> dict[str, Frame]:
    """The frames of a scene, by the names of its tracks."""
    given = trajectory_of(state, {})
    place = placer(given.segments[0].equations, _frames_drawn_on(shapes, None))
    appearance = Appearance(SkeletonFinder(shown_motion_of(given, place, None), place), shapes, {}, packages or {})
    appearance.solids(), appearance.spans(), appearance.traces(None)  # frames are found as things are put on them
    return appearance.named_frames()


def _frames_drawn_on(shapes: Any, traces: Any) -> list[Frame]:
    """Frames with drawn items, in addition to those of the mechanism."""
    out = [p.frame for p in traces or () if isinstance(p, Point)]
    if isinstance(shapes, Robot):
        out += shapes.links.values()
    if isinstance(shapes, Drawing):
        out += [s.frame for s in shapes.shapes] + [x.point.frame for x in shapes.traces]
    return out


def _mode(mode: Any, frequency: float | None) -> tuple[Mapping[str, complex], float]:
    shape = mode if isinstance(mode, Mapping) else getattr(mode, "shape", None)
    if not isinstance(shape, Mapping):
        raise ViewError(
            f"scene: mode= must be a mode of a linear system or displacements by coordinate, got {shown(mode)}"
        )
    eigenvalue = complex(getattr(mode, "eigenvalue", 0.0))
    return shape, float(abs(eigenvalue.imag) if frequency is None else frequency)
