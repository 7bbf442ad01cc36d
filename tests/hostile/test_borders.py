"""What crosses the borders of threads and processes: errors, and everything that stages hand to each other."""

import threading

import pytest

import symbody as sb

x = sb.symbol("x")


def reluctant(v: float) -> float:
    if v < 0:
        raise ArithmeticError(f"not for {v}")
    return 2 * v


@pytest.mark.parametrize("how", ["call", "batch"])
def test_exceptions_of_external_functions_stay_in_their_thread(how):
    """Good calls give numbers and bad ones raise, however many run at once; each bad call raises its own exception."""
    f = sb.compile(sb.program("f", {"x": x}, {"y": sb.ExternalFunction("g", 1, python=reluctant)(x) + 1}))
    wrong: list[object] = []

    def many(k: int) -> None:
        v = float(k + 1) * (-1) ** k
        for _ in range(300):
            try:
                y = f(v) if how == "call" else float(f.batch([v])[0])
                if v < 0 or y != 2 * v + 1:
                    wrong.append((v, y))
            except ArithmeticError as reason:
                if v > 0 or str(reason) != f"not for {v}":
                    wrong.append((v, reason))

    threads = [threading.Thread(target=many, args=(k,)) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_exceptions_in_a_batch_over_many_threads():
    f = sb.compile(sb.program("f", {"x": x}, {"y": sb.ExternalFunction("g", 1, python=reluctant)(x) + 1}))
    values = [1.0] * 5000 + [-3.0] + [1.0] * 5000
    with pytest.raises(ArithmeticError, match="not for -3"):
        f.batch(values, threads=4)
    assert f.batch([1.0] * 5000, threads=4)[0] == 3.0
