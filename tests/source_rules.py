"""Rules of what stands in a file (`test_architecture.py` holds them): caches, parameters, private attributes, writers of
files, inverses, eliminations, names, lengths."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import symbody

from .eliminations import ELIMINATIONS, eliminations
from .package_sources import all_imports, called_name, is_name, nodes, sources

PUBLIC = {
    *symbody.__all__,
    *symbody.integrate.__all__,
    *symbody.write.__all__,
    *symbody.kits.biomechanics.__all__,
    *symbody.kits.robots.__all__,
}  # names that users call, with as many options as they need

# ---------------------------------------------------------------------------------------------------------- caches

PLAIN = {
    "str",
    "int",
    "float",
    "bool",
    "bytes",
    "tuple",
    "Path",
    "Kernel",
    "Type",  # of a kernel's arguments
    "type",
}  # what a function of a process-wide cache may take
REGISTRIES = {  # tables that files fill when they are loaded
    "symbody/algebra/graph/graph.py": ("PRINTERS",),
    "symbody/algebra/graph/rules/rule_table.py": ("registry",),
    "symbody/bodies/file/keys.py": ("_shapes",),
    "symbody/write/entry/export.py": ("ADDED_TARGETS",),  # by the door for languages of one's own
}
TABLES = {"dict", "list", "set", "defaultdict", "OrderedDict", "WeakKeyDictionary", "WeakValueDictionary", "WeakSet"}


def no_cache_that_pins_its_key(root: Path) -> list[str]:
    """What is made of an object is kept by the object (`CacheOwner`): no cache of a process is keyed by objects, and no
    table outside of them grows."""
    bad = []
    for file, tree in sources(root).items():
        scopes: list[Any] = [tree, *(n for n in nodes(tree) if isinstance(n, ast.ClassDef))]
        for scope in scopes:
            for s in scope.body:
                is_table = isinstance(s, (ast.Assign, ast.AnnAssign)) and _is_empty_table(s.value)
                if is_table and ast.unparse(s).split(":")[0].split(" ")[0] not in REGISTRIES.get(file, ()):
                    bad.append(f"{file}:{s.lineno} keeps a table beside what it is about")
        for f in nodes(tree):
            if isinstance(f, ast.FunctionDef) and any(_is_cache(d) for d in f.decorator_list):
                bad += [f"{file}:{f.lineno} {f.name} is cached by {a.arg}" for a in f.args.args if not _is_plain(a)]
    return bad


def _is_empty_table(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).split(".")[-1].split("[")[0] in TABLES and not value.args[1:]
    return isinstance(value, (ast.Dict, ast.List, ast.Set)) and not ast.unparse(value).strip("{}[]")


def _is_cache(decorator: ast.expr) -> bool:
    return ast.unparse(decorator).split("(")[0].split(".")[-1] in ("cache", "lru_cache")


def _is_plain(argument: ast.arg) -> bool:
    if argument.annotation is None:
        return False
    parts = list(ast.walk(argument.annotation))
    modules = {n.value for n in parts if isinstance(n, ast.Attribute)}
    names = {n.id for n in parts if isinstance(n, ast.Name) and n not in modules}
    return names | {n.attr for n in parts if isinstance(n, ast.Attribute)} <= PLAIN


# ---------------------------------------------------------------------------------------------------------- parameters

LOOP_TYPES = {
    "Numbers",
    "Indices",
    "Function",
    "list[Any]",
    "list[int]",
}  # by which kernels are told from other functions
MOST_OF_A_KERNEL = 10
MOST_OF_A_PRIVATE_FUNCTION = 12


def few_parameters(root: Path) -> list[str]:
    """Kernels take records instead of many numbers and arrays, private functions types of their own; public ones may
    have many options."""
    bad = []
    for file, tree in sources(root).items():
        for f in nodes(tree):
            if not isinstance(f, ast.FunctionDef):
                continue
            given = [*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs]
            if len(given) <= min(MOST_OF_A_KERNEL, MOST_OF_A_PRIVATE_FUNCTION):
                continue
            is_kernel = any(a.annotation and ast.unparse(a.annotation) in LOOP_TYPES for a in given)
            is_private = f.name.startswith("_") or (f in tree.body and f.name not in PUBLIC)
            if is_kernel and len(given) > MOST_OF_A_KERNEL:
                bad.append(
                    f"{file}:{f.lineno} kernel {f.name} has {len(given)} parameters: make them fields of records"
                )
            elif is_private and len(given) > MOST_OF_A_PRIVATE_FUNCTION:
                bad.append(f"{file}:{f.lineno} {f.name} has {len(given)} parameters: make them fields of a type")
    return bad


# --------------------------------------------------------------------------------------------------- private attributes

NAMED_TUPLE_METHODS = ("_replace", "_asdict", "_fields")
FOREIGN_PRIVATE = {  # SymPy's time symbol, and what its methods were made of, have no public names
    "dynamicsymbols._t",
    *(f"method.{part}" for part in ("_L", "_hol_coneqs", "_inertial", "_uaux", "_f_h", "_k_nh", "_f_nh", "_fr")),
}


def no_foreign_private_attributes(root: Path) -> list[str]:
    """A private attribute stays in the file of its class: other files use what an object offers."""
    bad = []
    for file, tree in sources(root).items():
        own = private_names(tree)
        for node in nodes(tree):
            if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
                text = ast.unparse(node)
                if ast.unparse(node.value) not in ("self", "cls") and text not in FOREIGN_PRIVATE:
                    bad.append(f"{file}:{node.lineno} reaches into another object: {text}")
    return bad


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name not in NAMED_TUPLE_METHODS


def private_names(tree: ast.Module) -> set[str]:
    """Private attributes of the classes of a file: assigned to self, declared, or methods."""
    names = set()
    for c in (n for n in nodes(tree) if isinstance(n, ast.ClassDef)):
        names |= {n.name for n in c.body if isinstance(n, ast.FunctionDef)}
        names |= {n.target.id for n in c.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
        stored = (n for n in ast.walk(c) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
        names |= {n.attr for n in stored if is_name(n.value, "self", "cls")}
    return {n for n in names if is_private(n)}


ESCAPING = ("html", "xml.sax.saxutils", "shlex", "urllib.parse")  # modules that know how to write text for others


def one_escaping_function_a_target(root: Path) -> list[str]:
    """Text of the user's choice is escaped by `escaping.py`, and by nothing else. The tables of `html.entities` escape nothing."""
    imported = [i for i in all_imports(root) if i.module in ESCAPING or i.module.startswith("html.")]
    imported = [i for i in imported if not i.module.startswith("html.entities")]
    return [f"{i}: escaping.py has a function for that" for i in imported if i.file != "symbody/escaping.py"]


WRITERS = (
    "write_text",
    "write_bytes",
    "savefig",
    "savez",
    "savez_compressed",
    "fdopen",
    "mkstemp",
    "NamedTemporaryFile",
)


def one_writer_of_files(root: Path) -> list[str]:
    """Files are written by `whole_files.py`, whole or not at all; libraries are given a file or a name that comes from
    there."""
    bad = []
    for file, tree in sources(root).items():
        given = {a.id for a in _targets_of_with(tree)}
        for node in nodes(tree):
            if not isinstance(node, ast.Call) or file == "symbody/whole_files.py":
                continue
            called, is_method = called_name(node), isinstance(node.func, ast.Attribute)
            modes = [a.value for a in (*node.args, *(k.value for k in node.keywords)) if isinstance(a, ast.Constant)]
            opens = called == "open" and any(isinstance(m, str) and set(m) & set("wax+") and len(m) < 4 for m in modes)
            whole = node.args and isinstance(node.args[0], ast.Name) and node.args[0].id in given
            if opens or (called in WRITERS and is_method and not whole):
                bad.append(f"{file}:{node.lineno} writes a file by {called}: use whole_files.py")
    return bad


def _targets_of_with(tree: ast.Module) -> Iterator[ast.Name]:
    """Names that whole_file and unfinished_file give."""
    for node in nodes(tree):
        for item in node.items if isinstance(node, ast.With) else ():
            made = item.context_expr.func if isinstance(item.context_expr, ast.Call) else None
            if (
                made
                and ast.unparse(made) in ("whole_file", "unfinished_file")
                and isinstance(item.optional_vars, ast.Name)
            ):
                yield item.optional_vars


# ------------------------------------------------------------------------------------------------------ no inverses

INVERSES = {  # files that may form one, and why
    "symbody/integrate/kernels/explicit.py": "the map between two bases of polynomials is itself what is wanted: a few exact numbers",
}


def no_inverse_matrices(root: Path) -> list[str]:
    """Equations are solved by factors: an inverse takes more work, loses digits where the matrix is nearly singular, and
    hides the rank (Higham, Accuracy and Stability of Numerical Algorithms, section 14.1)."""
    return [
        f"{file}:{node.lineno} forms an inverse by {ast.unparse(node.func)}: solve, or lstsq or least_norm with the rank told"
        for file, tree in sources(root).items()
        for node in nodes(tree)
        if isinstance(node, ast.Call)
        and called_name(node) in ("inv", "pinv", "pinvh", "tensorinv")
        and file not in INVERSES
    ]


# -------------------------------------------------------------------------------------------------- one elimination


def one_elimination(root: Path) -> list[str]:
    """Rows are eliminated by `algebra/elimination/elimination.py`, with whatever pivots are wanted, and by the few functions
    that have a reason for a text of their own."""
    return [
        f"{file}:{line} {name} eliminates by itself: call what is in algebra/elimination/elimination.py"
        for file, tree in sources(root).items()
        for name, line in eliminations(tree)
        if (file, name) not in ELIMINATIONS
    ]


# ---------------------------------------------------------------------------------------------- one Runge-Kutta step

TABLEAUX = "symbody/integrate/kernels/tableaux.py"


def one_runge_kutta_step(root: Path) -> list[str]:
    """Explicit steps are `stages.py` with a table of `tableaux.py`: the classical method, which everybody knows by heart,
    is written nowhere else. Found are its weights 1/6, 1/3, 1/3, 1/6 in a table, and k1 + 2 k2 + 2 k3 + k4."""
    return [
        f"{file}:{node.lineno} writes a Runge-Kutta step: use Tableau.named('rk4').step, or stages.py"
        for file, tree in sources(root).items()
        if file != TABLEAUX
        for node in nodes(tree)
        if (isinstance(node, ast.Tuple | ast.List) and _has_classical_weights(node))
        or (isinstance(node, ast.BinOp) and _is_classical_sum(node))
    ]


def _has_classical_weights(table: ast.expr) -> bool:
    """Of the innermost table that has them all."""
    inner = [e for e in ast.iter_child_nodes(table) if isinstance(e, ast.Tuple | ast.List)]
    numbers = [x for n in ast.walk(table) if (x := _ratio(n)) is not None]
    found = [sum(1 for x in numbers if abs(x - w) < 1e-6) for w in (1 / 6, 1 / 3)]
    return min(found) >= 2 and not any(map(_has_classical_weights, inner))


def _ratio(e: ast.AST) -> float | None:
    """1 / 6, Fraction(1, 6), 0.16666667."""
    match e:
        case ast.BinOp(ast.Constant(int() | float() as a), ast.Div(), ast.Constant(int() | float() as b)) if b:
            return a / b
        case ast.Call(args=[ast.Constant(int() as a), ast.Constant(int() as b)]) if b:
            return a / b
        case ast.Constant(float() as a):
            return a
    return None


def _is_classical_sum(e: ast.BinOp) -> bool:
    """Four terms, the second and third of which are doubled; the whole of it."""
    terms = _summands(e)
    is_doubled = [
        isinstance(t, ast.BinOp) and isinstance(t.op, ast.Mult) and any(_is_two(x) for x in (t.left, t.right))
        for t in terms
    ]
    return is_doubled == [False, True, True, False]


def _summands(e: ast.expr) -> list[ast.expr]:
    if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Add):
        return [*_summands(e.left), *_summands(e.right)]
    return [e]


def _is_two(e: ast.expr) -> bool:
    return isinstance(e, ast.Constant) and e.value == 2


# ---------------------------------------------------------------------------------------------------- names used once


PARTICIPLES = frozenset(  # that do not end in -ed, and are no verbs as `read` and `cut` are
    "bent born borne bound broken brought built caught chosen dealt done drawn driven fed felt found frozen given gone grown held hidden hung kept known laid led left lent lost made meant met paid "
    "rebuilt said seen sent shown sought spent struck strung stuck sunk swept taken taught thought thrown told torn undone won written".split()
)  # fmt: skip
NOUNS = frozenset("bed deed feed need reed seed speed".split())  # that end in -ed
PUBLIC_PARTICIPLES = {  # names that users call with the thing that is changed: sb.simplified(x)
    "composed", "diagonalized", "linearized", "simplified", "stacked", "undetermined", "unshared",
}  # fmt: skip
MESSAGE_PARTICIPLES = {"answered", "counted", "listed", "shown"}  # words of messages: f"got {shown(value)}"


def functions_named_by_nouns(root: Path) -> list[str]:
    """A function of a module is named by what it returns, or by what it does: `specialised_form`, not `specialised`."""
    return [
        f"{file}:{node.lineno} {node.name} is a participle: name what it returns, or what it does"
        for file, tree in sources(root).items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and is_participle(node.name.strip("_"))
        if node.name not in PUBLIC_PARTICIPLES | MESSAGE_PARTICIPLES
    ]


def is_participle(name: str) -> bool:
    """One word, such as `solved` or `made`."""
    return name in PARTICIPLES or (name.endswith("ed") and "_" not in name and name not in NOUNS)


def class_names_are_unique(root: Path) -> list[str]:
    """A class name says what it is in the whole package: none is used twice, with or without an underscore."""
    seen: dict[str, str] = {}
    bad = []
    for file, tree in sources(root).items():
        for c in (n for n in nodes(tree) if isinstance(n, ast.ClassDef)):
            first = seen.setdefault(c.name.lstrip("_"), f"{file}:{c.lineno}")
            if first != f"{file}:{c.lineno}":
                bad.append(f"{file}:{c.lineno} class {c.name} has the name of the one in {first}")
    return bad


def file_names_are_unique(root: Path) -> list[str]:
    """No two files of the package have one name."""
    seen: dict[str, str] = {}
    names = [(Path(f).name, f) for f in sources(root) if not Path(f).name.startswith("__")]
    return [f"{f} has the name of {first}" for name, f in names if (first := seen.setdefault(name, f)) != f]


LONGEST_FILE = 600


def files_of_moderate_length(root: Path) -> list[str]:
    """A file is one subject: those that grow beyond some hundred lines have several."""
    lengths = {file: len((root / file).read_text(encoding="utf-8").splitlines()) for file in sources(root)}
    return [f"{f} has {n} lines: divide it by its subjects" for f, n in lengths.items() if n > LONGEST_FILE]
