"""The interface of functions along a beam, X from 0 to 1: piecewise polynomials (`line_polynomials.py`) or sines
(`line_waves.py`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ...algebra.graph.graph import Expr

Component = Any  # names one of the orthogonal functions in which a function is expanded


class LineFunction(ABC):
    """A function of X with exact products, derivatives and integrals; operands of a product are of the same kind."""

    @property
    @abstractmethod
    def n(self) -> int:
        """How many equal pieces the line has."""

    @property
    @abstractmethod
    def is_zero(self) -> bool: ...

    @property
    @abstractmethod
    def one(self) -> LineFunction:
        """1, on the same line."""

    @property
    @abstractmethod
    def position(self) -> LineFunction:
        """X, on the same line."""

    @property
    @abstractmethod
    def slope(self) -> LineFunction:
        """By X."""

    @abstractmethod
    def primitive(self, origin: int | None) -> LineFunction:
        """∫ dX from the beginning (0), from the end (1), or with mean zero (None)."""

    @abstractmethod
    def with_shapes_between(self, count: int) -> LineFunction:
        """The same at both ends; between them by a straight line and `count` shapes that vanish at the ends, those of the
        least mean square."""

    @abstractmethod
    def scaled(self, factor: Fraction) -> LineFunction: ...

    @abstractmethod
    def __mul__(self, other: Any) -> LineFunction: ...

    @abstractmethod
    def at(self, X: Expr) -> Expr:
        """The value at a place."""

    @abstractmethod
    def product_integral(self, other: Any) -> Fraction | Expr:
        """∫ f g dX."""

    @abstractmethod
    def piece_integral(self, other: Any, piece: int, k: int) -> Fraction | Expr:
        """∫ ξ^k f g dX over a piece, ξ from 0 to 1 along it."""

    @abstractmethod
    def components(self) -> Iterator[tuple[Component, Fraction | Expr]]:
        """Nonzero coefficients of the expansion in orthogonal functions."""

    @abstractmethod
    def component(self, key: Component) -> LineFunction:
        """The orthogonal function of that name."""

    @abstractmethod
    def mean_square(self, key: Component) -> LineFunction:
        """The mean of its square over each piece."""
