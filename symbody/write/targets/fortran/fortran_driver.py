"""The Fortran driver: it calls every subroutine and compares, then integrates and compares."""

from __future__ import annotations

from typing import Final

from ...artefacts.artefact import Artefact
from .fortran_printer import constant_array, folded, literal

AGREEMENT: Final = 1e-9


class FortranDriver:
    """Text of the main program. A target with procedures of its own adds their checks to `checks`."""

    def __init__(self, made: Artefact) -> None:
        self.made, self.name = made, made.identifier
        assert made.check is not None
        self.check = made.check
        self.n, self.n_r = len(made.state), len(made.inputs)

    def text(self) -> str:
        lines = [
            f"! Checks {self.name}.f90.",
            f"program {self.name}_driver",
            f"    use {self.name}",
            "    implicit none",
            "    integer :: wrong",
            "    wrong = 0",
        ]
        checks = self.checks()
        lines += [f"    call check_{n}" for n in checks]
        lines += ["    call check_motion"] if self.made.reference else []
        lines += [
            "    if (wrong > 0) then",
            '        print "(a)", "SOMETHING IS WRONG"',
            "        stop 1",
            "    end if",
            '    print "(a)", "all good"',
            "contains",
        ]
        parts = [
            *self._verdict(),
            *checks.values(),
            *([self._step(), self._motion()] if self.made.reference else []),
        ]
        body = "\n\n".join("\n".join("    " + x if x else x for line in part for x in folded(line)) for part in parts)
        return "\n".join([*lines, "", body, "", f"end program {self.name}_driver", ""])

    def checks(self) -> dict[str, list[str]]:
        """Subroutines that check, by what they check."""
        return {n: self._one(n) for n in self.made.names if n in self.check.values}

    def _verdict(self) -> list[list[str]]:
        difference = [
            "pure function difference(got, wanted) result(worst)", "    real(wp), intent(in) :: got(:), wanted(:)", "    real(wp) :: worst",
            "    worst = maxval(abs(got - wanted)) / (1.0_wp + maxval(abs(wanted)))", "    if (.not. worst <= huge(worst)) worst = huge(worst)",
            "end function difference",
        ]  # fmt: skip
        verdict = [
            "subroutine verdict(what, status, worst, allowed)", "    character(*), intent(in) :: what", "    integer, intent(in) :: status",
            "    real(wp), intent(in) :: worst, allowed", "    logical :: is_good", "    is_good = status == 0 .and. worst <= allowed",
            '    print "(a28, 1x, a5, 2x, a, i0, a, es9.2, a, es9.2)", what, merge("good ", "WRONG", is_good), &',
            '        "status ", status, ", off by ", worst, " of at most ", allowed', "    if (.not. is_good) wrong = wrong + 1", "end subroutine verdict",
        ]  # fmt: skip
        return [*([difference] if self.check.values else []), verdict]

    def constants(self, name: str, values: tuple[float, ...]) -> list[str]:
        return constant_array("real(wp)", name, [literal(v) for v in values])

    def _one(self, name: str) -> list[str]:
        check = self.check.values[name]
        function = next((f for f in self.made.functions if f.name == name), None)
        algorithm = next((a for a in self.made.algorithms if a.name == name), None)
        lines = [f"subroutine check_{name}", *self.constants("r", self.check.r)]
        lines += self.constants("x", self.check.x) if function is not None else []
        lines += [f"    type({self.name}_parameters) :: p", "    integer :: status"]
        for k, values in enumerate(check.inputs):
            lines += self.constants(f"in_{k}", values)
        for k, values in enumerate(check.outputs):
            lines += self.constants(f"wanted_{k}", values)
        inputs = [f"in_{k}" for k in range(len(check.inputs))]
        outputs = [f"out_{k}" for k in range(len(check.outputs))]
        given = ["x", "r", "p", *inputs, *outputs]
        worst, before = [], []
        if function is not None:
            for k, o in enumerate(function.program.outputs):
                shape = (len(o.values),) if o.is_sparse else o.shape
                size = f"({', '.join(map(str, shape))})" if shape else ""
                lines.append(f"    real(wp) :: out_{k}{size}")
                flat = (
                    f"reshape(transpose(out_{k}), [{len(o.values)}])"
                    if len(shape) == 2
                    else f"out_{k}"
                    if shape
                    else f"[out_{k}]"
                )
                worst += [f"difference({flat}, wanted_{k})"] if o.values else []
        else:
            assert algorithm is not None
            given = [inputs[0], "r", "p", *inputs[1:], *outputs]
            lines += [f"    real(wp) :: out_{k}({len(v)})" for k, v in enumerate(check.outputs)]
            worst = [f"difference(out_{k}, wanted_{k})" for k in range(len(check.outputs))]
            if algorithm.changes:
                before, given = ["    out_0 = in_0"], ["out_0", "r", "p"]
        largest = worst[0] if len(worst) == 1 else f"max({', '.join(worst)})" if worst else "0.0_wp"
        lines += [*before, f"    call {self.name}_{name}({', '.join([literal(self.check.t), *given, 'status'])})"]
        return [
            *lines,
            f'    call verdict("{name}", status, {largest}, {literal(AGREEMENT)})',
            f"end subroutine check_{name}",
        ]

    def _step(self) -> list[str]:
        project = (
            [f"    if (status == 0) call {self.name}_project(t + h, x, r, p, status)"]
            if self.made.has("project")
            else []
        )
        n = self.name
        return [
            "! One step of the classical Runge-Kutta method.", "pure subroutine step(t, h, x, r, p, status)",
            f"    real(wp), intent(in) :: t, h, r({self.n_r})", f"    real(wp), intent(inout) :: x({self.n})", f"    type({n}_parameters), intent(in) :: p",
            "    integer, intent(out) :: status", f"    real(wp) :: k({self.n}, 4)",
            f"    call {n}_rhs(t, x, r, p, k(:, 1), status)",
            f"    if (status == 0) call {n}_rhs(t + h / 2, x + h / 2 * k(:, 1), r, p, k(:, 2), status)",
            f"    if (status == 0) call {n}_rhs(t + h / 2, x + h / 2 * k(:, 2), r, p, k(:, 3), status)",
            f"    if (status == 0) call {n}_rhs(t + h, x + h * k(:, 3), r, p, k(:, 4), status)",
            "    if (status /= 0) return", "    x = x + h / 6 * (k(:, 1) + 2 * k(:, 2) + 2 * k(:, 3) + k(:, 4))", *project, "end subroutine step",
        ]  # fmt: skip

    def _motion(self) -> list[str]:
        ref = self.made.reference
        assert ref is not None
        points = len(ref.times)
        lines = [
            "! The reference motion, by steps of a fixed length.",
            "subroutine check_motion",
            *self.constants("times", ref.times),
        ]
        lines += self.constants("states", tuple(v for row in ref.states for v in row)) + self.constants(
            "scales", ref.scales
        )
        lines += [
            f"    real(wp) :: t, x({self.n}), r({self.n_r}), h, worst", f"    type({self.name}_parameters) :: p", "    integer :: k, s, status",
            f"    call {self.name}_initial_state(t, x, r)", "    worst = 0", "    status = 0", f"    do k = 1, {points - 1}",
            f"        h = (times(k + 1) - times(k)) / {ref.steps}", f"        do s = 1, {ref.steps}",
            "            if (status == 0) call step(times(k) + h * (s - 1), h, x, r, p, status)", "        end do",
            (
                    f"        worst = max(worst, maxval(abs(x - states(k * {self.n} + 1:(k + 1) * {self.n})) / "
                    "scales))"), "    end do",
            f'    call verdict("motion", status, worst, {literal(ref.tolerance)})', "end subroutine check_motion",
        ]  # fmt: skip
        return lines
