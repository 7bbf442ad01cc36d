"""Damage to files, from a seed: bytes, numbers and lines of text, members of archives, arrays and compressed chunks."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import Final

Damage = Callable[[bytes, Random], bytes]
NUMBER: Final = re.compile(rb"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?")
STRANGE_NUMBERS: Final = (
    b"0", b"-1", b"1", b"2", b"7", b"1e308", b"-1e308", b"1e-320", b"nan", b"inf", b"-inf", b"2147483647", b"2147483648", b"4294967296",
    b"100000000", b"99999999999999999999", b"1000000000000", b"0x10", b"1_0", b"", b"1e999", b"1,5", b"True", b"null", b"[]", "٣".encode(),
)  # fmt: skip
STRANGE_TEXT: Final = (
    b"\x00", b"\x1b[2J", b"\xff\xfe", b"\r", b"\xe2\x80\xae", b"../", b"/etc/passwd", b"A" * 5000, b"<", b"]]>", b"&x;", b"\"", b"'", b"{", b"}", b"*", b"$",
    b"\n", b",", b"\xc3", b"%n", b"\\", b"#", b"new\n", b"end\n",
)  # fmt: skip
BOMB_BYTES: Final = 300 * 2**20
ARCHIVE, ARRAY, CHUNK = b"PK\x03\x04", b"\x93NUMPY", b"\x78"


def mutant(sample: Mapping[str, bytes], seed: str) -> dict[str, bytes]:
    """A sample with one of its files damaged, in one to three ways."""
    rng = Random(seed)
    name = rng.choice(sorted(sample))
    data = sample[name]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = damaged(data, rng)
    return {**sample, name: data}


def damaged(data: bytes, rng: Random) -> bytes:
    """Damage that knows the kind of file, or (in every third case, and for kinds that are unknown) any."""
    by_kind = ((ARCHIVE, in_archive), (ARRAY, in_array), (CHUNK, in_chunk))
    own = next((damage for magic, damage in by_kind if data.startswith(magic)), in_text)
    return own(data, rng) if rng.random() < 0.67 else in_bytes(data, rng)


# ---------------------------------------------------------------------------------------------------------- bytes


def in_bytes(data: bytes, rng: Random) -> bytes:
    return rng.choice((_flipped, _overwritten, _cut, _inserted, _left_out, _repeated, _words))(data, rng)


def _at(data: bytes, rng: Random) -> int:
    return rng.randrange(len(data)) if data else 0


def _flipped(data: bytes, rng: Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 4, 32))):
        if out:
            out[_at(data, rng)] ^= 1 << rng.randrange(8)
    return bytes(out)


def _overwritten(data: bytes, rng: Random) -> bytes:
    at, count = _at(data, rng), rng.choice((1, 2, 4, 8, 64))
    return data[:at] + rng.randbytes(min(count, len(data) - at)) + data[at + count :]


def _cut(data: bytes, rng: Random) -> bytes:
    return data[: _at(data, rng)]


def _inserted(data: bytes, rng: Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + rng.choice((rng.randbytes(rng.choice((1, 4, 100))), rng.choice(STRANGE_TEXT))) + data[at:]


def _left_out(data: bytes, rng: Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + data[at + rng.choice((1, 2, 8, 64, 512)) :]


def _repeated(data: bytes, rng: Random) -> bytes:
    at, count = _at(data, rng), rng.choice((1, 8, 64, 512))
    return data[:at] + data[at : at + count] * rng.choice((2, 3, 20)) + data[at + count :]


def _words(data: bytes, rng: Random) -> bytes:
    """A word of four or eight bytes, at a multiple of four, becomes one at the edge of what it can hold."""
    at, size = _at(data, rng) // 4 * 4, rng.choice((4, 8))
    value = rng.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, 10**8, 2**63 - 1)) % 2 ** (8 * size)
    return data[:at] + value.to_bytes(size, rng.choice(("little", "big"))) + data[at + size :]


# ---------------------------------------------------------------------------------------------------------- text


def in_text(data: bytes, rng: Random) -> bytes:
    return rng.choice((_number, _number, _line, _word, _text_put_in))(data, rng)


def _number(data: bytes, rng: Random) -> bytes:
    found = list(NUMBER.finditer(data))
    if not found:
        return in_bytes(data, rng)
    chosen = rng.choice(found)
    return data[: chosen.start()] + rng.choice(STRANGE_NUMBERS) + data[chosen.end() :]


def _line(data: bytes, rng: Random) -> bytes:
    """A line is left out, repeated, or put elsewhere; in files of one line, what stands between < and <."""
    mark = b"\n" if data.count(b"\n") > 3 else b"<"
    lines = data.split(mark)
    k = rng.randrange(len(lines))
    line = lines.pop(k)
    for _ in range(rng.choice((0, 1, 2, 50))):
        lines.insert(rng.choice((k, rng.randrange(len(lines) + 1))), line)
    return mark.join(lines)


def _word(data: bytes, rng: Random) -> bytes:
    """A word takes the place of another."""
    found = list(re.finditer(rb"[\w.+-]+", data))
    if len(found) < 2:
        return in_bytes(data, rng)
    a, b = rng.sample(found, 2)
    return data[: a.start()] + b[0] + data[a.end() :]


def _text_put_in(data: bytes, rng: Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + rng.choice(STRANGE_TEXT) + data[at:]


# ---------------------------------------------------------------------------------------- archives, arrays, chunks


def in_archive(data: bytes, rng: Random) -> bytes:
    """A member of an archive is damaged, left out, renamed, made large or given the content of another."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            if sum(i.file_size for i in file.infolist()) > BOMB_BYTES // 2:
                return in_bytes(data, rng)
            members = {n: file.read(n) for n in file.namelist()}
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, OSError):  # damaged before
        return in_bytes(data, rng)
    name = rng.choice(sorted(members))
    match rng.randrange(12):
        case 0:
            del members[name]
        case 1:
            members[rng.choice((f"{name}x", "../out.npy", "header.npy"))] = members.pop(name)
        case 2:
            members[name] = members[rng.choice(sorted(members))]
        case 3 if rng.random() < 0.1:
            return _archive(members, {name: BOMB_BYTES})
        case _:
            members[name] = damaged(members[name], rng)
    return _archive(members, {})


def _archive(members: Mapping[str, bytes], bombs: Mapping[str, int]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            with file.open(name, "w") as stream:
                stream.write(content)
                for _ in range(bombs.get(name, 0) // 2**20):
                    stream.write(bytes(2**20))
    return out.getvalue()


def in_array(data: bytes, rng: Random) -> bytes:
    """The header of an array (.npy) as text, or its numbers as words."""
    begin = data.find(b"{")
    end = data.find(b"\n", begin)
    if begin < 0 or end < 0 or rng.random() < 0.5:
        return data[: end + 1] + in_bytes(data[end + 1 :], rng)
    kinds = (b"<f4", b"<i8", b">f8", b"|O", b"<c16", b"<U9", b"|S3", b"<M8[s]", b"|b1", b"<f8")
    head = data[begin:end]
    head = re.sub(rb"[<>|=][a-zA-Z]\d+", rng.choice(kinds), head) if rng.random() < 0.4 else in_text(head, rng)
    return data[:8] + len(head + b"\n").to_bytes(2, "little") + head + b"\n" + data[end + 1 :]


def in_chunk(data: bytes, rng: Random) -> bytes:
    """What a chunk of zlib holds is damaged, then compressed again."""
    try:
        content = zlib.decompress(data)
    except zlib.error:
        return in_bytes(data, rng)
    return _bomb() if rng.random() < 0.02 else zlib.compress(in_bytes(content, rng))


@cache
def _bomb() -> bytes:
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(bytes(2**20)) for _ in range(BOMB_BYTES // 2**20)) + packer.flush()
