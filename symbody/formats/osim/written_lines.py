"""Elements of a written .osim file, as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...escaping import in_xml
from ..robot.moving_parts import ConstantPose
from ..robot.written_model import number_text, numbers_text


def leaf(tag: str, text: str) -> str:
    return f"<{tag}>{in_xml(text)}</{tag}>"


def leaves(values: Mapping[str, float]) -> list[str]:
    return [leaf(k, number_text(v)) for k, v in values.items()]


def element(tag: str, attributes: Mapping[str, str], lines: Iterable[str]) -> list[str]:
    given = "".join(f' {k}="{in_xml(v)}"' for k, v in attributes.items())
    return [f"<{tag}{given}>", *(f"  {line}" for line in lines), f"</{tag}>"]


def objects(tag: str, lines: Iterable[str]) -> list[str]:
    return element(tag, {}, element("objects", {}, lines))


def offset_frame(name: str, body: str, pose: ConstantPose) -> list[str]:
    """Angles about x, y, z that turn along, so that R = Rx Ry Rz."""
    values = {"translation": numbers_text(pose.d), "orientation": numbers_text(angles_xyz(pose.R))}
    lines = [leaf("socket_parent", body), *(leaf(k, v) for k, v in values.items())]
    return element("PhysicalOffsetFrame", {"name": name}, lines)


def angles_xyz(R: Any) -> tuple[float, float, float]:
    """a, b, c of Rx(a) Ry(b) Rz(c), to full precision also where b is a right angle: c is read off Rx(-a) R."""
    a = float(np.arctan2(-R[1, 2], R[2, 2])) if R[1, 2] or R[2, 2] else 0.0
    cosine, sine = np.cos(a), np.sin(a)
    b = float(np.arctan2(R[0, 2], cosine * R[2, 2] - sine * R[1, 2]))
    c = float(np.arctan2(cosine * R[1, 0] + sine * R[2, 0], cosine * R[1, 1] + sine * R[2, 1]))
    return a, b, c


def coupler(name: str, dependent: str, independent: str, coefficients: Sequence[float]) -> list[str]:
    """A coordinate that is a polynomial of another; coefficients of rising powers here, of falling ones in the file."""
    falling = np.trim_zeros(np.asarray(coefficients, float)[::-1], "f")
    powers = falling if len(falling) else np.zeros(1)
    law = element("PolynomialFunction", {}, [leaf("coefficients", numbers_text(powers))])
    lines = [
        *element("coupled_coordinates_function", {}, law),
        leaf("independent_coordinate_names", independent),
        leaf("dependent_coordinate_name", dependent),
    ]
    return element("CoordinateCouplerConstraint", {"name": name}, lines)
