"""`film`: a scene as GIF or MP4, where the tools for it are there.

Frames are drawn without a graphics card, by Pillow. GIF is written by Pillow as well, MP4 by the program ffmpeg.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...argument_kinds import answered
from ...errors import ViewError
from ...optional_packages import optional_package
from ...view.scenes.picture import PAGE_COLOURS, picture
from ...whole_files import unfinished_file

if TYPE_CHECKING:
    from ...view.scenes.scene import Scene

SUPERSAMPLING: Final = 2  # frames are drawn larger by this factor and scaled down, which smooths edges
SHORTEST, LONGEST = 2.0, 12.0  # default duration of a film in seconds


@answered
def film(
    scene: Scene,
    path: str | Path,
    *,
    width: int = 640,
    height: int = 400,
    rate: int = 25,
    speed: float | None = None,
    theme: str = "light",
) -> Path:
    """Write a scene as a film: .gif (needs Pillow) or .mp4 (needs Pillow and ffmpeg).

    rate    frames per second
    speed   of the film relative to the motion; by default 1, or a value for which the film lasts between 2 and 12
            seconds

    >>> m = sb.Model("pendulum")
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
    >>> picture = sb.scene(sb.derive(m), theta=0.5)
    >>> try:
    ...     name = sb.write.film(picture, "pendulum.gif", width=80, height=50, rate=2).name
    ... except sb.errors.ViewError:  # needs the package Pillow
    ...     name = "pendulum.gif"
    >>> name
    'pendulum.gif'

    See also: `scene`, `view.Scene`.
    """
    target = Path(path)
    if target.suffix not in (".gif", ".mp4"):
        raise ViewError(f"film: cannot write {target.name!r}; a name ends in .gif or .mp4")
    if width < 16 or height < 16 or rate < 1 or (speed is not None and speed <= 0):
        raise ViewError(
            f"film: width={width}, height={height}, rate={rate}, speed={speed}; width and height must be at least 16, rate at least 1, and speed positive"
        )
    if theme not in PAGE_COLOURS:
        raise ViewError(f"film: theme={theme!r}; there are {', '.join(PAGE_COLOURS)}")
    times = _times(scene, rate, speed)
    frames = _frames(scene, times, width - width % 2, height - height % 2, theme)
    with unfinished_file(target) as part:
        (_write_gif if target.suffix == ".gif" else _write_mp4)(frames, part, rate)
    return target


def _times(scene: Scene, rate: int, speed: float | None) -> list[float]:
    begin, end = float(scene.t[0]), float(scene.t[-1])
    lasts = (end - begin) / speed if speed else min(max(end - begin, SHORTEST), LONGEST)
    count = max(1, round(lasts * rate)) if end > begin else 1
    return [float(t) for t in np.linspace(begin, end, count)]


def _frames(scene: Scene, times: list[float], width: int, height: int, theme: str) -> Iterator[Any]:
    image, draw = (optional_package(f"PIL.{part}", "film", ViewError, "pillow") for part in ("Image", "ImageDraw"))
    large = (width * SUPERSAMPLING, height * SUPERSAMPLING)
    for t in times:
        made = picture(scene, t, *large, theme, fine=True)
        canvas = image.new("RGB", large, PAGE_COLOURS[theme][0])
        pen = draw.Draw(canvas, "RGBA")
        for p in made.patches:
            points = [(float(x), float(y)) for x, y in p.points]
            colour = _rgba(p.colour, p.opacity)
            if p.width:
                pen.line(points, fill=colour, width=max(1, round(p.width)), joint="curve")
            else:
                pen.polygon(points, fill=colour, outline=colour)
        yield canvas.resize((width, height), image.Resampling.LANCZOS)


def _rgba(colour: str, opacity: float) -> tuple[int, int, int, int]:
    return (int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16), round(255 * opacity))


def _write_gif(frames: Iterator[Any], target: Path, rate: int) -> None:
    first, *rest = (f.quantize(128) for f in frames)
    first.save(target, save_all=True, append_images=rest, duration=round(1000 / rate), loop=0, optimize=True)


def _write_mp4(frames: Iterator[Any], target: Path, rate: int) -> None:
    tool = shutil.which("ffmpeg")
    if tool is None:
        raise ViewError(
            "film: .mp4 is written by the program ffmpeg, which is not installed; install it, or write a .gif"
        )
    first = next(frames)
    size = f"{first.width}x{first.height}"
    command = [
        tool, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", str(rate), "-i", "-",
        "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(target),
    ]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        try:
            for f in (first, *frames):
                process.stdin.write(f.tobytes())
        except BrokenPipeError:  # what went wrong is in its own words below
            pass
        _, said = process.communicate()
    if process.returncode:
        raise ViewError(f"film: ffmpeg could not write it: {said.decode(errors='replace').strip()}")
