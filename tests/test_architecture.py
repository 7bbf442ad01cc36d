"""The rules of the house (docs/design.md, section 1), read off the source by parsing it; nothing is imported for them.

Each rule is a function from a source tree to a list of sentences, one for each violation. Below, every rule is held on
the package, and every rule is shown a planted violation.
"""

import ast
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import symbody

from .eliminations import ELIMINATIONS, eliminations
from .package_sources import all_imports, called_name, folder, is_name, nodes, path_of, sources
from .repository import tracked_files
from .source_rules import (
    class_names_are_unique,
    few_parameters,
    file_names_are_unique,
    files_of_moderate_length,
    functions_named_by_nouns,
    no_cache_that_pins_its_key,
    no_foreign_private_attributes,
    no_inverse_matrices,
    one_elimination,
    one_escaping_function_a_target,
    one_runge_kutta_step,
    one_writer_of_files,
)

ROOT = Path(__file__).parents[1]
FLOW = ("algebra", "bodies", "derivation", "emit", "integrate", "stability", "study", "view", "write")
BESIDE = ("formats", "kits")  # beside the flow: they import the public names of symbody, as a user would
ON_TOP = "command_line"  # imports every stage, and is imported by `symbody/__main__.py` alone
READERS_OF_FORMATS = ("study", "view", "write")  # stages that know robots, meshes and finite elements as types
ROOMS = {  # of each folder, in order of dependence: a room imports those before it
    "algebra": ("elimination", "graph", "calculus", "printing", "sympy_border", "normal_forms", "nonlinear"),
    "bodies": ("frames", "mass", "mechanism", "elastic", "joints", "paths", "loads", "model", "file"),
    "derivation": ("kinematics", "rank", "routes", "equations", "entry", "forms", "programs", "questions", "written"),
    "emit": ("loops", "programs", "lowering", "cache", "llvm", "text", "run"),
    "formats": ("robot", "meshes", "fem", "urdf", "sdf", "mjcf", "osim", "motion"),
    "formats/fem": ("bodies", "matrices", "reduced", "reduction"),
    "integrate": (
        "inputs", "elimination_kernels", "kernels", "start", "forms", "result", "events", "complementarity", "contact", "time_stepping", "run", "members", "modes", "gpu",
        "steppers", "environments", "rollouts", "piles",
    ),
    "kits/machines": ("bearings", "rotors", "transmission", "stepping", "models", "spectra"),
    "kits/motions": ("parts", "transcription", "results", "control", "entry"),
    "kits/vehicles": ("data", "roads", "tyres", "wheels", "suspensions", "driving", "models", "measures"),
    "stability": ("variation", "equilibria", "spectra", "design", "linear", "branches", "periodic", "long_run"),
    "stability/periodic": ("maps", "problem", "methods", "orbits", "families"),
    "study/sweeps": ("questions", "stored", "workers", "entry"),
    "view": ("figures", "scenes", "diagrams"),
    "write": ("files", "artefacts", "printers", "targets", "mockup", "pages", "live", "entry", "report"),
}  # fmt: skip
LATER = {  # calls of `later`: a result that is handed on to a later stage or room, and why it cannot be imported there
    ("algebra/sympy_border/from_sympy.py", "derivation.written.sympy_methods"): "from_sympy reads whole methods of sympy.physics, which become equations",
    ("bodies/file/body_items.py", "formats.fem.reduced.reduced_file"): "model files name reduced bodies",
    ("bodies/file/body_items.py", "formats.fem.matrices.sources_of_matrices"): "model files name matrices of finite elements",
    ("bodies/file/body_items.py", "formats.meshes.read_solids"): "model files name drawings of solids",
    ("bodies/file/used_model.py", "kits.names_in_files"): "model files use models and parts of kits",
    ("derivation/equations/energies.py", "derivation.programs.link_sums"): "energies of many equal links are loops",
    ("derivation/equations/own_terms.py", "derivation.programs.forward_dynamics"): "accelerations of many equal links are loops",
    ("formats/robot/collision_contacts.py", "formats.meshes.mesh_file"): "shapes of robots that collide may be meshes",
    ("formats/fem/bodies/finite_body.py", "formats.fem.reduction.reduce"): "SciPy's sparse solvers, for those who reduce",
    ("formats/fem/reduced/reduced_body.py", "formats.fem.reduced.reduced_file"): "body.save(path)",
    ("integrate/environments/environment.py", "integrate.environments.gymnasium_vector"): "env.gymnasium loads another package",
    ("integrate/inputs/splines.py", "integrate.inputs.cubic_splines"): "SciPy's splines, for those who give samples",
    ("integrate/result/trajectory.py", "integrate.run.singular_configurations"): "sim.singular_positions",
    ("integrate/result/trajectory.py", "view.figures.plots"): "sim.plot()",
    ("integrate/result/trajectory.py", "view.scenes.scene"): "sim.scene()",
    ("integrate/result/trajectory.py", "write.files.trajectory_file"): "sim.save(path)",
    ("integrate/rollouts/cuda_rollout.py", "integrate.rollouts.rollout_wrappers"): "roll.torch loads another package",
    ("integrate/steppers/stepper.py", "integrate.steppers.step_wrappers"): "env.jax, env.torch, env.gym load other packages",
    ("later.py", "errors"): "advice for names that do not exist: `import symbody` loads no file but this one",
    ("stability/branches/branch.py", "write.files.branch_file"): "branch.save(path)",
    ("stability/design/feedback.py", "stability.design.pole_placement"): "loads SciPy's optimisers",
    ("stability/linear/linear_system.py", "view.figures.plots"): "lin.plot()",
    ("stability/periodic/orbits/orbit.py", "write.files.orbit_file"): "orbit.save(path)",
    ("stability/periodic/families/orbit_branch.py", "write.files.orbit_file"): "family.save(path)",
    ("study/study.py", "integrate.start.consistent_start"): "commands that describe, derive and audit load no compiler",
    ("view/scenes/scene.py", "write.files.gltf"): "scene.save('view.glb')",
}  # fmt: skip
SHARED = (
    "argument_kinds",
    "array_files",
    "display",
    "errors",
    "escaping",
    "given_files",
    "interruption",
    "later",
    "optional_packages",
    "options",
    "printed_lines",
    "progress",
    "rotation_arrays",
    "row_files",
    "simulation_options",
    "small_figures",
    "summary",
    "units",
    "version",
    "whole_files",
)  # files that belong to no folder
KNOW_NO_JOINTS = ("emit", "integrate", "stability")
GROUPS = ("q", "u", "z", "r", "p", "lam")  # of symbols, in Equations
NOT_EQUATIONS = ("self", "m", "mechanism", "self.mechanism")  # owners of groups without a table
LAZY_DOORS = {  # files that may load a module when it is first needed, and why
    "symbody/algebra/graph/foreign_scalars.py": "objects of other packages find their converter when the first one arrives",
    "symbody/later.py": "public names, when they are first used, and methods that hand a result on to a later stage",
    "symbody/optional_packages.py": "packages that not everybody has, such as JAX and Pillow, and those that take long to load, such as scipy.stats",
}
NUMERICS = {  # files before `emit` that compute with arrays, and why
    "symbody/array_files.py": "files of arrays",
    "symbody/row_files.py": "tables of numbers that grow on disk",
    "symbody/rotation_arrays.py": "rotations in arrays, for files and figures",
    "symbody/algebra/nonlinear/nonlinear.py": "the one nonlinear solver, which every later stage uses",
    "symbody/algebra/nonlinear/trust_region.py": "its steps, by singular values",
    "symbody/algebra/nonlinear/least_norm.py": "linear equations of any rank, in stacks",
    "symbody/algebra/nonlinear/metric.py": "distances between its points",
    "symbody/algebra/nonlinear/deflation.py": "its rows with known zeros divided out",
    "symbody/algebra/nonlinear/homotopy.py": "ways to a zero where it finds none",
    "symbody/algebra/nonlinear/zeros.py": "searches that go through all of these",
    "symbody/algebra/nonlinear/continuation.py": "curves of its zeros",
    "symbody/algebra/calculus/jets.py": "coefficients of truncated series, in arrays",
    "symbody/derivation/rank/loop_closure.py": "asks it for configurations that keep the constraints",
    "symbody/derivation/rank/row_space.py": "ranks, by singular values",
    "symbody/derivation/rank/regular_configuration.py": "ranks at these",
    "symbody/derivation/equations/undetermined_forces.py": "null vectors at these",
    "symbody/derivation/entry/redundancy_advice.py": "tries what it advises on these ranks",
    "symbody/derivation/equations/random_states.py": "draws states around these",
}
# files beyond the border itself that read objects of sympy.physics, each in the stage of what it makes
SYMPY_MECHANICS = {
    "symbody/bodies/mechanism/sympy_frames.py": "frames, points, vectors, dyads and bodies",
    "symbody/derivation/written/sympy_methods.py": "equations of motion",
}
FENCES: dict[str, Callable[[str], bool]] = {  # packages: where they may be imported
    "numpy": lambda file: folder(file) in (*FLOW[FLOW.index("emit") :], *BESIDE) or file in NUMERICS,
    "scipy": lambda file: folder(file) in ("integrate", "stability", "study", *BESIDE),
    "llvmlite": lambda file: file == "symbody/emit/llvm/jit.py",
    "sympy": lambda file: file.startswith("symbody/algebra/sympy_border/") or file in SYMPY_MECHANICS,
    "yaml": lambda file: file == "symbody/bodies/file/yaml_tree.py",
    "difflib": lambda file: file == "symbody/errors.py",  # similar names are found in one way
    "mpmath": lambda file: file == "symbody/algebra/calculus/evaluate.py",
    "matplotlib": lambda file: folder(file) == "view",
}


# ---------------------------------------------------------------------------------------------------- the rules


def folders_in_order(root: Path) -> list[str]:
    """A folder imports only folders to its left, itself, and the files that belong to none."""
    bad = []
    for i in all_imports(root):
        here, parts = folder(i.file), i.module.split(".")
        if not here or parts[0] != "symbody":
            continue
        there = parts[1] if len(parts) > 1 else "symbody"
        if there in SHARED or there == here or here == ON_TOP:
            continue
        if here in BESIDE:
            if there != "symbody":
                bad.append(f"{i}: {here} import what a user imports, the names of symbody")
            continue
        if there == "formats" and here in READERS_OF_FORMATS:
            continue
        if here not in FLOW or there not in FLOW or FLOW.index(there) > FLOW.index(here):
            bad.append(f"{i}, which is not to the left of {here}")
    return bad


def beside_on_public_names(root: Path) -> list[str]:
    """Kits and formats reach for public names alone: `sb.bodies.Load`, not `sb.bodies.loads.loads.force`."""
    bad = []
    for file, tree in sources(root).items():
        if folder(file) not in BESIDE:
            continue
        for node in nodes(tree):
            if isinstance(node, ast.Attribute) and (hidden := first_hidden(chain_from("sb", node))):
                bad.append(f"{file}:{node.lineno} uses sb.{hidden}, which is not public")
    return sorted(set(bad))


def chain_from(start: str, node: ast.expr) -> list[str]:
    """[a, b] for start.a.b; nothing where it begins with another name."""
    chain = []
    while isinstance(node, ast.Attribute):
        chain.append(node.attr)
        node = node.value
    return chain[::-1] if is_name(node, start) else []


def first_hidden(chain: list[str]) -> str:
    """The beginning of a chain of attributes up to the first that its module does not offer; nothing where all are."""
    module: object = symbody
    for k, name in enumerate(chain, start=1):
        if not isinstance(module, ModuleType) or not hasattr(module, "__all__"):
            return ""
        if name not in module.__all__:
            return ".".join(chain[:k])
        module = getattr(module, name)
    return ""


def exporters_on_the_representation(root: Path) -> list[str]:
    """`write` imports `emit.ir` and public names of `emit`, and nothing else of it."""
    modules = ("symbody.emit", "symbody.emit.ir")
    bad = [
        f"{i}: exporters stand on emit.ir"
        for i in all_imports(root)
        if folder(i.file) == "write" and f"{i.module}.".startswith("symbody.emit.") and i.module not in modules
    ]
    for file, tree in sources(root).items():
        for node in nodes(tree) if folder(file) == "write" else ():
            if isinstance(node, ast.ImportFrom) and node.module in ("emit", "emit.ir"):
                offered = symbody.emit.__all__ if node.module == "emit" else symbody.emit.ir.__all__
                hidden = sorted(a.name for a in node.names if a.name not in offered)
                bad += [f"{file}:{node.lineno} imports {name}, which {node.module} does not offer" for name in hidden]
            elif (
                isinstance(node, ast.Attribute)
                and is_name(node.value, "ir")
                and node.attr not in symbody.emit.ir.__all__
            ):
                bad.append(f"{file}:{node.lineno} uses ir.{node.attr}, which emit.ir does not offer")
    return bad


def one_kernel_printer(root: Path) -> list[str]:
    """Statements of kernels are told apart in one place of `write`; a language is a subclass that says how each is written."""
    return [
        f"{file}:{node.pattern.lineno} prints kernels by itself: subclass KernelPrinter"
        for file, tree in sources(root).items()
        for node in nodes(tree)
        if folder(file) == "write" and file != KERNEL_PRINTER and isinstance(node, ast.match_case)
        if isinstance(node.pattern, ast.MatchClass) and ast.unparse(node.pattern.cls) == "ir.While"
    ]


KERNEL_PRINTER = "symbody/write/printers/kernel_printer.py"


def rooms_in_order(root: Path) -> list[str]:
    """Every file of a divided folder is in a room, and a room imports only those before it."""
    bad, files = [], set(sources(root))
    for divided, rooms in ROOMS.items():
        inside = f"symbody/{divided}/"
        for file in sorted(f for f in files if f.startswith(inside)):
            room, below, _ = file.removeprefix(inside).partition("/")
            if not below and room != "__init__.py" and file not in IN_NO_ROOM:
                bad.append(f"{file} is in no room of {divided}: {', '.join(rooms)}")
            elif below and room not in rooms:
                bad.append(f"{file}: tests/test_architecture.py does not list the room {room} of {divided}")
        for i in all_imports(root):
            target = path_of(i.module, files) or ""
            if i.for_types_only or not (i.file.startswith(inside) and target.startswith(inside)):
                continue
            from_, to = (f.removeprefix(inside).split("/")[0] for f in (i.file, target))
            if from_ in rooms and to in rooms and rooms.index(to) > rooms.index(from_):
                bad.append(f"{i}: the room {to} comes after {from_}")
    return bad


IN_NO_ROOM = {"symbody/emit/ir.py"}  # files of a divided folder that serve all its rooms


def modules_hide_behind_no_name(root: Path) -> list[str]:
    """`import symbody.emit.programs as p` gives the folder: no public name of a package is that of a folder or file in it."""
    bad = []
    for file, tree in sources(root).items():
        if not file.endswith("/__init__.py"):
            continue
        public = {
            name
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            for name in ast.literal_eval(node.value)
        }
        imported = {a.name for n in nodes(tree) if isinstance(n, ast.ImportFrom) and not n.module for a in n.names}
        here = file.removesuffix("__init__.py")
        inside = {f[len(here) :].split("/")[0].removesuffix(".py") for f in sources(root) if f.startswith(here)}
        bad += [f"{file}: the name {n!r} hides the module {here}{n}" for n in sorted(public & inside - imported)]
    return bad


def later_with_reason(root: Path) -> list[str]:
    """`later` hands results on at the places listed above, and at no others."""
    called = [
        (file.removeprefix("symbody/"), ast.unparse(node.args[0]).strip("'"), node.lineno)
        for file, tree in sources(root).items()
        for node in nodes(tree)
        if isinstance(node, ast.Call) and is_name(node.func, "later")
    ]
    bad = [
        f"symbody/{f}:{line} asks for {m} later: LATER gives no reason" for f, m, line in called if (f, m) not in LATER
    ]
    if root == ROOT:
        bad += [
            f"LATER lists {f} -> {m}, which is not there" for f, m in LATER if (f, m) not in {c[:2] for c in called}
        ]
    return bad


def no_joints_in_numbers(root: Path) -> list[str]:
    """`emit`, `integrate` and `stability` know symbols and numbers, not bodies."""
    return [
        f"{i}: {folder(i.file)} knows no bodies"
        for i in all_imports(root)
        if folder(i.file) in KNOW_NO_JOINTS and i.module.split(".")[:2] == ["symbody", "bodies"]
    ]


def no_cycles(root: Path) -> list[str]:
    """Files do not import each other in circles."""
    files = set(sources(root))
    graph: dict[str, set[str]] = {f: set() for f in files}
    for i in all_imports(root):
        target = path_of(i.module, files)
        if target and target != i.file and not i.for_types_only:
            graph[i.file].add(target)
    while leaves := {f for f, needs in graph.items() if not needs & graph.keys()}:
        graph = {f: needs for f, needs in graph.items() if f not in leaves}
    if not graph:
        return []
    path = [min(graph)]  # all that is left needs something that is left: walking along must close a circle
    while (step := min(graph[path[-1]] & graph.keys())) not in path:
        path.append(step)
    return ["import cycle: " + " -> ".join([*path[path.index(step) :], step])]


def no_hidden_imports(root: Path) -> list[str]:
    """No import inside a function; modules are loaded by name only at the doors listed above."""
    bad = [f"{i} inside a function" for i in all_imports(root) if i.in_function]
    for file, tree in sources(root).items():
        for node in nodes(tree):
            called = isinstance(node, ast.Call) and called_name(node)
            if called in ("import_module", "__import__") and file not in LAZY_DOORS:
                bad.append(f"{file}:{node.lineno} loads a module by {called}")  # type: ignore[attr-defined]
    return bad


def fenced_third_parties(root: Path) -> list[str]:
    """Other packages stay behind their fences."""
    return [
        f"{i}: not here"
        for i in all_imports(root)
        if (allowed := FENCES.get(i.module.split(".")[0])) and not i.for_types_only and not allowed(i.file)
    ]


def one_file_each(root: Path) -> list[str]:
    """llvmlite and mpmath are each known to one file at most."""
    bad = []
    for package in ("llvmlite", "mpmath"):
        files = sorted({i.file for i in all_imports(root) if i.module.split(".")[0] == package})
        if len(files) > 1:
            bad.append(f"{package} is imported by {', '.join(files)}")
    return bad


def no_reach_through(root: Path) -> list[str]:
    """`emit`, `integrate` and `stability` ask Equations, not the mechanism behind them."""
    return [
        f"{file}:{node.lineno} reaches through to {ast.unparse(node)}: Equations have variables and named rows"
        for file, tree in sources(root).items()
        if folder(file) in KNOW_NO_JOINTS
        for node in nodes(tree)
        if isinstance(node, ast.Attribute) and node.attr == "mechanism"
    ]


def symbols_from_the_table(root: Path) -> list[str]:
    """After `derive`, nobody strings groups of symbols together by hand: (*eq.q, *eq.u) is eq.variables.of("q
    u").symbols.

    A mechanism has no table, and records have groups of numbers of their own.
    """
    bad = []
    for file, tree in sources(root).items():
        if folder(file) not in FLOW[FLOW.index("emit") :]:
            continue
        for node in nodes(tree):
            whole = [e for e in _elements(node) if isinstance(e, ast.Starred)]
            if len(whole) < 2:
                continue
            groups = [e.value for e in whole if isinstance(e.value, ast.Attribute) and e.value.attr in GROUPS]
            owners = [ast.unparse(g.value) for g in groups]
            if twice := [o for o in dict.fromkeys(owners) if owners.count(o) > 1 and o not in NOT_EQUATIONS]:
                bad.append(f"{file}:{node.lineno} strings symbols of {twice[0]} together: {ast.unparse(node)}")  # type: ignore[attr-defined]
    return bad


def _elements(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return node.elts
    return node.args if isinstance(node, ast.Call) else []


def test_every_elimination_of_the_list_is_one() -> None:
    """Nothing stays on the list that is gone or written in another way."""
    assert {(file, name) for file, tree in sources(ROOT).items() for name, _ in eliminations(tree)} == set(ELIMINATIONS)


ROW_BY_ROW = "def f(a, n):\n    for k in range(n):\n        for i in range(k + 1, n):\n            t = a[i][k] / a[k][k]\n            "
ENTRY_BY_ENTRY = ROW_BY_ROW + "for j in range(k, n):\n                "
CHOLESKY = "def f(A, L, n):\n    for i in range(n):\n        for j in range(i):\n            L[i][j] = A[i][j] - sum(L[i][k] * L[j][k] for k in range(j))\n"
GRAM_SCHMIDT = "def f(a, n):\n    for k in range(n):\n        for i in range(k):\n            t = 0.0\n            for j in range(n):\n                t = t + a[i][j] * a[k][j]\n            for j in range(n):\n                a[k][j] = a[k][j] - t * a[i][j]\n"
TRIANGLE = "def f(a, x, n):\n    for k in range(n):\n        for i in range(k + 1, n):\n            x[i] = x[i] - x[k] * a[k * n + i]\n"


RULES = (
    class_names_are_unique, file_names_are_unique, files_of_moderate_length, functions_named_by_nouns,
    folders_in_order, beside_on_public_names, exporters_on_the_representation, one_kernel_printer, rooms_in_order, modules_hide_behind_no_name, later_with_reason, no_joints_in_numbers, no_cycles, no_hidden_imports, fenced_third_parties, one_file_each,
    no_reach_through, symbols_from_the_table, no_cache_that_pins_its_key, few_parameters,
    no_foreign_private_attributes, one_escaping_function_a_target, one_writer_of_files, no_inverse_matrices, one_elimination, one_runge_kutta_step,
)  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.__name__)
def test_package_keeps_the_rule(rule: Callable[[Path], list[str]]) -> None:
    assert rule(ROOT) == []


# ---------------------------------------------------------------------------------------------------- the rules bite


PLANTED = [  # rule, files of a small package, part of the sentence it must give
    (folders_in_order, {"algebra/a.py": "from ..emit import b"}, "algebra/a.py:1 imports symbody.emit"),
    (folders_in_order, {"derivation/a.py": "import symbody.emit.b"}, "derivation/a.py:1"),
    (folders_in_order, {"algebra/a.py": "from symbody.command_line import commands"}, "algebra/a.py:1"),
    (folders_in_order, {"kits/a.py": "from ..derivation import derive"}, "kits import what a user imports"),
    (folders_in_order, {"formats/a.py": "from ..derivation import audit"}, "formats import what a user imports"),
    (folders_in_order, {"integrate/a.py": "from ..formats import Robot"}, "not to the left of integrate"),
    (folders_in_order, {"bodies/a.py": "if TYPE_CHECKING:\n    from ..formats import Robot"}, "not to the left of bodies"),
    (beside_on_public_names, {"formats/a.py": "import symbody as sb\nx = sb.bodies.loads.loads.force"}, "a.py:2 uses sb.bodies.loads, which"),
    (beside_on_public_names, {"kits/a.py": "import symbody as sb\ndef f(x: sb.Frame) -> sb.Turn: ..."}, "a.py:2 uses sb.Turn, which"),
    (exporters_on_the_representation, {"write/targets/a.py": "from ...emit.loops.kernel_nodes import Loop"}, "imports symbody.emit.loops.kernel_nodes: exporters stand on emit.ir"),
    (exporters_on_the_representation, {"write/targets/a.py": "from ...emit.ir import Loop, _INNER"}, "a.py:1 imports _INNER, which emit.ir does not offer"),
    (exporters_on_the_representation, {"write/targets/a.py": "from ...emit import Program, Workers"}, "a.py:1 imports Workers, which emit does not offer"),
    (exporters_on_the_representation, {"write/a.py": "from ..emit import ir\nprint(ir.with_changed_expressions)"}, "a.py:2 uses ir.with_changed_expressions, which"),
    (one_kernel_printer, {"write/targets/a.py": "match s:\n    case ir.While(test, body): ...\n"}, "a.py:2 prints kernels by itself"),
    (rooms_in_order, {"integrate/forms/a.py": "from ..run.b import c", "integrate/run/b.py": ""}, "the room run comes after forms"),
    (rooms_in_order, {"stability/periodic/maps/a.py": "from ..orbits.b import c", "stability/periodic/orbits/b.py": ""}, "the room orbits comes after maps"),
    (rooms_in_order, {"kits/vehicles/a.py": ""}, "vehicles/a.py is in no room"),
    (rooms_in_order, {"integrate/a.py": ""}, "integrate/a.py is in no room"),
    (rooms_in_order, {"integrate/attic/a.py": ""}, "does not list the room attic"),
    (modules_hide_behind_no_name, {"emit/__init__.py": "__all__ = ['run']", "emit/run/a.py": ""}, "the name 'run' hides"),
    (modules_hide_behind_no_name, {"kits/cars/__init__.py": "__all__ = ['car']", "kits/cars/car.py": ""}, "the name 'car' hides"),
    (later_with_reason, {"bodies/model/a.py": "later('view.figures.plots', 'plot')(x)"}, "bodies/model/a.py:1 asks for view.figures.plots"),
    (folders_in_order, {"algebra/a.py": "def f():\n    from ..emit import b\n"}, "algebra/a.py:2"),
    (no_joints_in_numbers, {"emit/a.py": "from ..bodies.frames import Frame"}, "emit knows no bodies"),
    (no_joints_in_numbers, {"stability/a.py": "from .. import bodies", "bodies/__init__.py": ""}, "stability knows"),
    (no_cycles, {f"algebra/{a}.py": f"from .{b} import x" for a, b in ("ab", "bc", "ca")}, "a.py -> "),
    (no_cycles, {"algebra/a.py": "from . import b", "algebra/b.py": "import symbody.algebra.a"}, "/a.py -> "),
    (no_hidden_imports, {"algebra/a.py": "def f():\n    import math\n"}, "imports math inside a function"),
    (no_hidden_imports, {"algebra/a.py": "class A:\n    def f(self):\n        from . import b\n"}, "algebra/a.py:3"),
    (no_hidden_imports, {"emit/a.py": "import importlib\nimportlib.import_module('x')\n"}, "by import_module"),
    (no_hidden_imports, {"emit/a.py": "__import__('x')\n"}, "by __import__"),
    (fenced_third_parties, {"algebra/a.py": "import numpy as np"}, "algebra/a.py:1 imports numpy"),
    (fenced_third_parties, {"study/a.py": "from difflib import get_close_matches"}, "imports difflib"),
    (fenced_third_parties, {"emit/a.py": "from scipy.linalg import lu"}, "imports scipy.linalg"),
    (fenced_third_parties, {"emit/numpy_target.py": "from llvmlite import ir"}, "imports llvmlite"),
    (fenced_third_parties, {"algebra/printing/printing.py": "import sympy"}, "imports sympy"),
    (fenced_third_parties, {"algebra/graph/graph.py": "import mpmath"}, "imports mpmath"),
    (fenced_third_parties, {"integrate/a.py": "import matplotlib.pyplot as plt"}, "imports matplotlib"),
    (no_reach_through, {"integrate/a.py": "def f(eq):\n    return eq.mechanism.norms"}, "a.py:2 reaches through to eq.mechanism"),
    (no_reach_through, {"stability/a.py": "def f(self):\n    return self.equations.mechanism"}, "self.equations.mechanism"),
    (symbols_from_the_table, {"emit/run/a.py": "def f(eq):\n    return (eq.t, *eq.q, *eq.u, *eq.z)"}, "a.py:2 strings symbols of eq"),
    (symbols_from_the_table, {"stability/a.py": "x = [*(s.dot for s in eq.u), *self.eq.p, *self.eq.r]"}, "symbols of self.eq "),
    (symbols_from_the_table, {"view/a.py": "x = f(t, *source.q, *source.u)"}, "symbols of source"),
    (symbols_from_the_table, {"write/a.py": "x = {*eq.q, eq.t, *eq.p}"}, "write/a.py:1"),
    (one_escaping_function_a_target, {"view/a.py": "from html import escape"}, "view/a.py:1 imports html"),
    (one_writer_of_files, {"write/a.py": "Path(p).write_text(x)"}, "a.py:1 writes a file by write_text"),
    (one_writer_of_files, {"write/a.py": "with open(p, 'wb') as f: ..."}, "by open"),
    (one_writer_of_files, {"view/a.py": "with p.open('a') as f: ..."}, "by open"),
    (one_writer_of_files, {"view/a.py": "canvas.savefig(path, dpi=160)"}, "by savefig"),
    (one_file_each, {"emit/llvm/jit.py": "import llvmlite", "emit/b.py": "import llvmlite"}, "b.py, symbody/emit/llvm/jit.py"),
    (few_parameters, {"emit/a.py": f"def f({', '.join(f'a{i}: int' for i in range(10))}, x: Numbers) -> None: ..."}, "kernel f has 11 parameters"),
    (few_parameters, {"bodies/a.py": f"class A:\n    def _f({', '.join(f'a{i}' for i in range(13))}): ..."}, "a.py:2 _f has 13 parameters"),
    (few_parameters, {"bodies/a.py": f"def helper({', '.join(f'a{i}' for i in range(13))}): ..."}, "helper has 13 parameters"),
    (no_cache_that_pins_its_key, {"derive/a.py": "kept: WeakKeyDictionary[E, F] = WeakKeyDictionary()"}, "a.py:1 keeps a table"),
    (no_cache_that_pins_its_key, {"derive/a.py": "class A:\n    known = {}\n"}, "a.py:2 keeps a table"),
    (no_cache_that_pins_its_key, {"emit/a.py": "loaded: list[Loaded] = []"}, "a.py:1 keeps a table"),
    (no_cache_that_pins_its_key, {"emit/a.py": "@cache\ndef f(n: int, eq: Equations) -> int: ..."}, "f is cached by eq"),
    (no_cache_that_pins_its_key, {"emit/a.py": "@functools.lru_cache(maxsize=9)\ndef f(x): ..."}, "f is cached by x"),
    (no_cache_that_pins_its_key, {"emit/a.py": "class A:\n    @cache\n    def f(self): ...\n"}, "f is cached by self"),
    (no_inverse_matrices, {"stability/a.py": "x = np.linalg.pinv(J, rcond=1e-9) @ b"}, "a.py:1 forms an inverse by np.linalg.pinv"),
    (no_inverse_matrices, {"kits/a.py": "from scipy.linalg import inv\nx = inv(A) @ b"}, "a.py:2 forms an inverse by inv"),
    (one_elimination, {"emit/a.py": ENTRY_BY_ENTRY + "a[i][j] = a[i][j] - t * a[k][j]"}, "a.py:6 f eliminates by itself"),
    (one_elimination, {"emit/a.py": ENTRY_BY_ENTRY + "a[i * n + j] -= t * a[k * n + j]"}, "a.py:6 f eliminates"),
    (one_elimination, {"emit/a.py": ENTRY_BY_ENTRY.replace("t = ", "pass; ") + "a[i, j] -= a[i, k] * a[k, j]"}, "a.py:6 f eliminates"),
    (one_elimination, {"kits/a.py": ROW_BY_ROW + "a[i] = [x - t * y for x, y in zip(a[i], a[k], strict=True)]"}, "a.py:5 f eliminates"),
    (one_elimination, {"kits/a.py": ROW_BY_ROW + "a[i] -= t * a[k]"}, "a.py:5 f eliminates"),
    (one_elimination, {"bodies/a.py": CHOLESKY}, "a.py:4 f eliminates"),
    (one_runge_kutta_step, {"kits/a.py": "W = ((0.0, 1 / 6), (0.5, 1 / 3), (0.5, 1 / 3), (1.0, 1 / 6))"}, "a.py:1 writes a Runge-Kutta step"),
    (one_runge_kutta_step, {"kits/a.py": "B = [Fraction(1, 6), Fraction(1, 3), Fraction(1, 3), Fraction(1, 6)]"}, "a.py:1 writes"),
    (one_runge_kutta_step, {"study/a.py": "def f(x, h, a, b, c, d):\n    return x + h / 6 * (a + 2 * b + c * 2.0 + d)\n"}, "a.py:2 writes"),
    (functions_named_by_nouns, {"emit/a.py": "def solved(x): ..."}, "emit/a.py:1 solved is a participle"),
    (functions_named_by_nouns, {"view/a.py": "def made_scene(): ...\ndef _kept(x): ..."}, "view/a.py:2 _kept is a participle"),
    (class_names_are_unique, {"bodies/a.py": "class Row: ...", "derive/b.py": "class _Row: ..."}, "derive/b.py:1 class _Row has"),
    (class_names_are_unique, {"bodies/a.py": "class A: ...\ndef f():\n    class A: ...\n"}, "bodies/a.py:3 class A has the name"),
    (files_of_moderate_length, {"bodies/a.py": "x = 1\n" * 601}, "bodies/a.py has 601 lines"),
    (file_names_are_unique, {"bodies/names.py": "", "emit/text/names.py": ""}, "emit/text/names.py has the name of symbody/bodies/names.py"),
    (no_foreign_private_attributes, {"bodies/a.py": "def f(model, b):\n    model._bodies[b.name] = b\n"}, "bodies/a.py:2 reaches"),
    (no_foreign_private_attributes, {"bodies/a.py": "class A:\n    def f(self):\n        return self._model._q\n"}, "self._model._q"),
    (no_foreign_private_attributes, {"derive/a.py": "class A:\n    def f(self, other):\n        return self._x, other._x\n"}, "other._x"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "files", "says"), PLANTED, ids=lambda p: getattr(p, "__name__", None))
def test_planted_violation_is_found(
    rule: Callable[[Path], list[str]], files: dict[str, str], says: str, tmp_path: Path
) -> None:
    """The rule names the planted line, and finds nothing else to say."""
    plant(tmp_path, files)
    found = rule(tmp_path)
    assert len(found) == 1
    assert says in found[0]


def test_good_neighbours_are_left_alone(tmp_path: Path) -> None:
    """What the rules allow, in the forms in which it is written."""
    files = {
        "errors.py": "",
        "algebra/graph/foreign_scalars.py": "import importlib\nfrom ..errors import X\ndef f():\n    importlib.import_module('x')\n",
        "algebra/sympy_border/to_sympy.py": "import sympy\nfrom sympy import Integer\nfrom . import graph\n",
        "derive/a.py": "NAMES = {'a': 1}\n@cache\ndef f(n: int, names: tuple[str, ...] = ()) -> int: ...\n",
        "emit/llvm/jit.py": "import llvmlite.ir as ir\nimport numpy as np\nfrom ..algebra.graph import f\n",
        "derivation/equations/equations.py": "def f(eq):\n    return (*eq.q, *eq.u, *eq.mechanism.joints)\n",
        "stability/linear/c.py": "def f(eq, self):\n    return (*eq.r, *eq.dependent), (*self.q, *self.u)\n",
        "view/scenes/d.py": "def f(eq):\n    return eq.mechanism.joints\n",
        "write/files/e.py": "with unfinished_file(path) as part:\n    canvas.savefig(part)\nwith path.open('rb') as f: ...\n",
    }
    files["derive/b.py"] = (
        "class A:\n    def f(self, other):\n        self._x = other._x, row._replace(x=1), other._g\n    def _g(self): ...\n"
    )
    files["derive/projections.py"] = GRAM_SCHMIDT + TRIANGLE
    plant(tmp_path, files)
    assert [sentence for rule in RULES for sentence in rule(tmp_path)] == []


def plant(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / "symbody" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


# ---------------------------------------------------------------------------------------------------- machine paths

MACHINE_PATHS = tuple(f"/{top}/" for top in ("work", "tmp", "root", "home", "opt", "Users", "var/folders"))


def machine_paths(root: Path, names: list[str]) -> list[str]:
    """Lines that speak of a place on somebody's machine."""
    bad = []
    for name in names:
        try:
            text = (root / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        if not any(p in text for p in MACHINE_PATHS):
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            bad += [f"{name}:{number}: {line.strip()}" for p in MACHINE_PATHS if p in line]
    return bad


def test_no_paths_of_a_machine() -> None:
    assert machine_paths(ROOT, tracked_files()) == []


def test_planted_path_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\nopen('" + MACHINE_PATHS[1] + "y')\n", encoding="utf-8")
    assert machine_paths(tmp_path, ["a.py"]) == ["a.py:2: open('" + MACHINE_PATHS[1] + "y')"]
