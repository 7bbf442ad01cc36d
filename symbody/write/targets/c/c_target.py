"""The C99 target: library, driver, build files, README."""

from __future__ import annotations

from ...artefacts.artefact import Artefact
from ...printers.readme import readme
from ...printers.templates import template, template_parts
from .c_driver import c_driver
from .c_library import CLibrary, CVariant


def c_files(made: Artefact, variant: CVariant) -> dict[str, str]:
    """Text of each file, by name."""
    library = CLibrary(made, variant)
    name = made.identifier
    source = library.source()  # first: helpers are known once functions are written
    return {
        f"{name}.h": library.header(),
        f"{name}.c": source,
        f"{name}_driver.c": c_driver(made, library, variant),
        "Makefile": template(__package__, "Makefile").filled(name=name),
        "CMakeLists.txt": template(__package__, "CMakeLists.txt").filled(name=name),
        "README.md": _readme(made, library, variant),
    }


def _readme(made: Artefact, library: CLibrary, variant: CVariant) -> str:
    n, names = made.identifier, ", ".join(f"`{f.name}`" for f in made.hooks)
    parts = template_parts(__package__, "readme_parts.md")
    call = f"{n}_rhs(t, x, r, &p, xdot);" if made.has("rhs") else f"{n}_{made.functions[0].name}(t, x, r, &p, ...);"
    return readme(
        made, template(__package__, "README.md"), f"{n}_", name=n, upper=n.upper(), variant=variant.title, real=library.real, n_x=len(made.state),
        n_r=max(1, len(made.inputs)), call=call, many=parts["many"].filled(name=n) if made.has("rhs") else "",
        supplied=parts["supplied"].filled(names=names) if names else "", embedded=parts["embedded"].filled(upper=n.upper()) if variant.embedded else "",
    )  # fmt: skip
