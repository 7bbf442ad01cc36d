"""The C99 target: library, driver, build files, README."""

from __future__ import annotations

from ...artefacts.artefact import Artefact
from ...artefacts.readme import LanguageWords, readme
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
        "Makefile": _makefile(made),
        "CMakeLists.txt": _cmake(made),
        "README.md": readme(made, _words(made, library, variant)),
    }


def _makefile(made: Artefact) -> str:
    name = made.identifier
    return f"""\
# make check builds the library and its driver, and runs it. HOOKS=my_functions.c adds functions that you supply.
CC ?= cc
CFLAGS ?= -O2 -std=c99 -Wall -Wextra -pedantic
HOOKS ?=

check: {name}_driver
	./{name}_driver

lib{name}.a: {name}.o
	ar rcs $@ $^

{name}.o: {name}.c {name}.h
	$(CC) $(CFLAGS) -c {name}.c -o $@

{name}_driver: {name}_driver.c {name}.h lib{name}.a $(HOOKS)
	$(CC) $(CFLAGS) {name}_driver.c $(HOOKS) -o $@ -L. -l{name} -lm

clean:
	rm -f {name}.o lib{name}.a {name}_driver

.PHONY: check clean
"""


def _cmake(made: Artefact) -> str:
    name = made.identifier
    return f"""\
# cmake -B build && cmake --build build && ctest --test-dir build
cmake_minimum_required(VERSION 3.10)
project({name} C)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(HOOKS "" CACHE STRING "source files with functions that you supply")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library({name} {name}.c)
target_include_directories({name} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
if(NOT MSVC)
  target_link_libraries({name} PUBLIC m)
endif()

enable_testing()
add_executable({name}_driver {name}_driver.c ${{HOOKS}})
target_link_libraries({name}_driver {name})
add_test(NAME {name} COMMAND {name}_driver)
"""


def _words(made: Artefact, library: CLibrary, variant: CVariant) -> LanguageWords:
    n, real = made.identifier, library.real
    n_r = max(1, len(made.inputs))
    call = f"{n}_rhs(t, x, r, &p, xdot);" if made.has("rhs") else f"{n}_{made.functions[0].name}(t, x, r, &p, ...);"
    example = f"""\
#include "{n}.h"

{real} t, x[{len(made.state)}], r[{n_r}], xdot[{len(made.state)}];
{n}_parameters p;
{n}_default_parameters(&p);
{n}_initial_state(&t, x, r);
{call}"""
    more = [
        "Functions return 0, or a status: 1 a null pointer, 2 results that overlap what is read, 3 a number that is not finite, 4 a projection that "
        f"does not end. `-D{n.upper()}_NO_CHECKS` leaves the looking out. Nothing is allocated, and there is no global state.",
    ]
    if made.has("rhs"):
        more.append(
            f"`{n}_rhs_of_many` takes many states; compiled with OpenMP (`make check CFLAGS='-O2 -std=c99 "
            "-fopenmp'`), on all cores."
        )
    if made.hooks:
        names = ", ".join(f"`{f.name}`" for f in made.hooks)
        more.append(f"You supply {names} (declared in the header): `make check HOOKS=my_functions.c`.")
    if variant.embedded:
        more.append(
            "Embedded variant: of the C library only sine, cosine and square root are called; "
            f"`-D{n.upper()}_SIN=my_sin` and so on replace them."
        )
    files = {
        f"{n}.h, {n}.c": "the library: all you need",
        f"{n}_driver.c": f"checks it; `./{n}_driver 10 0.01 > motion.csv` prints a motion of 10 s in steps of 0.01 s",
        "Makefile, CMakeLists.txt": "build files",
    }
    return LanguageWords(f"C99, {variant.title}", "make check", example, "c", f"{n}_", files, tuple(more))
