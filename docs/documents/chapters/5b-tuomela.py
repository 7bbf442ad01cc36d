"""# Tuomela, Arponen and Normi: three mechanisms and their runs

Section 6 of the report: a pendulum in space, a planar quadrangle treated in space and a crank mechanism, each of free
bodies with Euler parameters, run over 10 s with Dormand and Prince's method of order 5. Tables 8 to 11 list run
characteristics; figures 6.4 to 6.9 show energies and step sizes.

The three mechanisms are typed from tables 2 to 7 in `examples/documents/tuomela_*.py`. `sb.simulate` runs them as the report
does: `metric="unit"`, `project_stages=True`, `constraint_tolerance=1e-5`; `sim.statistics` has the counts. The defaults
of the package are shown beside them: states are projected at the ends of steps, in the metric of the mass matrix, to rounding.
"""

# %%
from dataclasses import replace

import numpy as np

import symbody as sb
from bench import tuomela as bench
from docs.documents import Document, measured, printed, statement
from docs.documents.stills import Stills
from docs.documents.tuomela_tables import CONDITIONS, CUBIC, ORTHOGONAL, PRINTED, QUASI, TABLES
from examples.documents import tuomela_crank, tuomela_pendulum, tuomela_quadrangle

report = Document("Tuomela, Arponen, Normi")
SCRIPTS = {"pendulum": tuomela_pendulum, "quadrangle": tuomela_quadrangle, "crank": tuomela_crank}
eq = {name: sb.derive(script.m) for name, script in SCRIPTS.items()}
start = {name: script.START if name == "pendulum" else script.start(eq[name]) for name, script in SCRIPTS.items()}

# %% [markdown]
# ## Section 6.2: the models
#
# Bodies are homogeneous, of density 7810 kg/m³. The report does not print their shapes, but masses and inertias of tables 2
# and 5 are those of bars of 0.1 m by 0.05 m and of a cube of 0.1 m, to all printed digits but one: `m.body(density=7810,
# shape=sb.box(...))`. The pendulum's shape is in a drawing alone. "Centre of mass m = 38.34" means the mass.

# %%
SHAPES = {
    "table 2": {"B1": (sb.box(2, 0.1, 0.05), ("78.10", "0.08", "26.05", "26.1")), "B2": (sb.box(4, 0.1, 0.05), ("156.20", "0.16", "208.3", "208.4")),
                "B3": (sb.box(4, 0.1, 0.05), ("156.20", "0.16", "208.3", "208.4"))},
    "table 5": {"B1": (sb.box(0.5, 0.1, 0.05), ("19.50", "0.02", "0.41", "0.42")), "B2": (sb.box(1.8, 0.1, 0.05), ("70.29", "0.07", "18.99", "19.04")),
                "B3": (sb.box(0.1, 0.1, 0.1), ("7.81", "0.01", "0.01", "0.01"))},
}  # fmt: skip
rows = []
for table, bodies in SHAPES.items():
    solids = sb.Model(table)
    for name, (shape, texts) in bodies.items():
        made = solids.body(name, density=7810, shape=shape)
        numbers = [float(sb.evaluate(x)) for x in (made.mass.m, *(made.mass.I_BBcm[k, k] for k in range(3)))]
        for what, text, value in zip(
            ("mass [kg]", "I₁ [kg m²]", "I₂ [kg m²]", "I₃ [kg m²]"), texts, numbers, strict=True
        ):
            differs = (
                {"instead": "19.525", "because": "7810 · 0.5 · 0.1 · 0.05 is 19.525; the runs take the printed 19.50"}
                if text == "19.50"
                else {}
            )
            rows.append(printed(table, f"{name}, {what}", text, value, **differs))
report.compare(*rows)

# %% [markdown]
# Table 3 has the initial configuration of the quadrangle: B1 at 60°, the others by the loop, here from `sb.assemble`; table 6
# that of the crank. Tables 4 and 7 count the conditions of the joints.

# %%
TABLE_3 = {
    "B1": ("0.500", "0.866", "0.866", "0.500"), "B2": ("2.824", "2.553", "0.978", "0.210"), "B3": ("3.574", "1.687", "0.877", "0.481"),
}  # fmt: skip
TABLE_6 = {
    "B1": ("0", "0", "-0.25", "0.707", "0", "0.707", "0"), "B2": ("0.9", "0", "-0.5", "1", "0", "0", "0"),
    "B3": ("1.8", "0", "-0.5", "1", "0", "0", "0"),
}  # fmt: skip
closed = start["quadrangle"]
on_axis = start["crank"]
NAMES = ("x", "y", "z", "e0", "e1", "e2", "e3")


def joints(name):
    """Conditions of each joint of a mechanism, in the order of its table."""
    of = [c.name.split(" ")[1] for c in eq[name].mechanism.constraints]
    return [of.count(k) for k in sorted(set(of))]


report.compare(
    *(printed("table 3", f"{b}, {c}", text, closed[f"{b}_{c}"])
      for b, texts in TABLE_3.items() for c, text in zip(("x", "y", "e0", "e3"), texts, strict=True)),
    *(printed("table 6", f"{b}, {c}", text, on_axis[f"{b}_{c}"]) for b, texts in TABLE_6.items() for c, text in zip(NAMES, texts, strict=True)),
    *(printed("table 4", f"conditions of joint {k}", text, n) for k, (text, n) in enumerate(zip("5345", joints("quadrangle"), strict=True), 1)),
    *(printed("table 7", f"conditions of joint {k}", text, n) for k, (text, n) in enumerate(zip("3545", joints("crank"), strict=True), 1)),
    printed("sec. 6.2.2", "degrees of freedom that the joints take", "17", len(eq["quadrangle"].lam)),
)  # fmt: skip

# %%
VIEWS = {"pendulum": (-1.0, 0.8, 1.0), "quadrangle": (0.0, 0.0, 1.0), "crank": (1.0, 0.8, 1.0)}  # towards the eye


def still(name, **options):
    """The initial configuration, from where the report looks."""
    state = start[name] if name != "pendulum" else sb.assemble(eq[name], start=start[name])
    seen = sb.scene(state, show=("bodies", "joints", "frames"), **options)
    direction = tuple(float(x) for x in np.array(VIEWS[name]) / np.linalg.norm(VIEWS[name]))
    return replace(seen, camera=replace(seen.camera, direction=direction), floor=None)


report.figure("figure 6.1", "initial configuration of the pendulum; the joint is in the origin, e₂ points upwards",
              Stills(still("pendulum"), [0.0], "the bar along e₁", 1))  # fmt: skip

# %%
report.figure("figure 6.2", "initial configuration of the planar quadrangle",
              Stills(still("quadrangle", shapes={b: shape for b, (shape, _) in SHAPES["table 2"].items()}), [0.0], "e₁ to the right, e₂ upwards", 1))  # fmt: skip

# %%
report.figure("figure 6.3", "initial configuration of the crank mechanism",
              Stills(still("crank", shapes={b: shape for b, (shape, _) in SHAPES["table 5"].items()}), [0.0],
                     "e₁ to the lower right, e₂ upwards, e₃ to the lower left", 1))  # fmt: skip

# %% [markdown]
# ## Section 6.3: test runs
#
# Twelve runs as in the report, and six by the defaults of the package, each made three times: the quickest is shown.

# %%
FORMS = {QUASI: "projection", ORTHOGONAL: "orthogonal"}


def run(name, projection=QUASI, with_energy=True, **others):
    how = {"form": FORMS[projection], "metric": "unit", "project_stages": True, "constraint_tolerance": 1e-5, **others}
    kept = ["energy"] if with_energy else []
    options = {"invariants": kept, **SCRIPTS[name].RUN, **how}
    return quickest(sb.simulate(eq[name], 10, start[name], **options) for _ in range(3))


def quickest(sims):
    return min(sims, key=lambda sim: sim.statistics.seconds)


runs = {(name, *case): run(name, *case) for name, table in PRINTED.items() for case in table}
own = {
    (name, energy): run(name, with_energy=energy, metric="mass", project_stages=False, constraint_tolerance=1e-13)
    for name in eq for energy in (True, False)
}  # fmt: skip


def characteristics(name, case):
    """Rows of a table beside the statistics of our run."""
    theirs, found = PRINTED[name][case], runs[name, *case].statistics
    place = TABLES.get((name, case[1]), "table 11")
    rows = [
        ("steps (rejected)", f"{theirs.steps} ({theirs.rejected})", f"{found.steps} ({found.rejected})"),
        ("Newton iterations: mean (most)", f"{theirs.mean} ({theirs.most})", f"{found.corrections / found.projections:.2f} ({found.most_corrections})"),
        ("# dist, `evaluations`", theirs.evaluations, found.evaluations), ("# proj, `projections`", theirs.projections, found.projections),
        ("CPU dist [s]", theirs.dist, f"{found.seconds - found.projection_seconds:.4f}"),
        ("CPU proj [s], `projection_seconds`", theirs.proj, f"{found.projection_seconds:.4f}"), ("CPU total [s], `seconds`", theirs.seconds, f"{found.seconds:.4f}"),
        ("# dg, `constraint_jacobians`", theirs.dg, found.constraint_jacobians), ("# d²gⁱ, `constraint_hessians`", theirs.d2g, found.constraint_hessians),
        ("# d³gⁱ, `constraint_third_derivatives`", theirs.d3g, found.constraint_third_derivatives),
        ("# df, `invariant_gradients`", theirs.df, found.invariant_gradients), ("# d²f, `invariant_hessians`", theirs.d2f, found.invariant_hessians),
    ]  # fmt: skip
    which = f"{name}, {case[0]}" if case[1] else f"{name}, {case[0]}, without energy"
    return [
        measured(place, f"{which}: {what}", str(text), str(value)) for what, text, value in rows if text is not None
    ]


report.compare(
    *(row for name in ("pendulum",) for case in PRINTED[name] if case[1] for row in characteristics(name, case))
)

# %% [markdown]
# Counts come out in the order of those printed where algorithms are the same: projections, Jacobian matrices, evaluations.
# Three differences stand behind the rest. The error that decides on a step is here measured along the constraints, so that
# fewer steps are rejected. Corrections are taken without second differentials: # d²gⁱ counts those of the accelerations alone.
# And the invariant is reached along the constraints, once for each projection of a step's end; theirs is reached along its own
# gradient, which leaves the constraints, in up to 265 rounds.
#
# The defaults of the package project the ends of steps alone:

# %%
report.compare(
    *(measured("tables 8–10", f"{name}, by the defaults: steps (rejected), projections, # dg, ms",
               f"{PRINTED[name][QUASI, True].steps} ({PRINTED[name][QUASI, True].rejected}), {PRINTED[name][QUASI, True].projections}, {PRINTED[name][QUASI, True].dg}, {1e3 * PRINTED[name][QUASI, True].seconds:.0f}",
               f"{s.steps} ({s.rejected}), {s.projections}, {s.constraint_jacobians}, {1e3 * s.seconds:.1f}",
               f"{100 * s.projection_seconds / s.seconds:.0f} % of it in projections") for name in eq for s in [own[name, True].statistics]),
)  # fmt: skip

# %%
report.compare(
    *(row for name in ("quadrangle",) for case in PRINTED[name] if case[1] for row in characteristics(name, case))
)

# %%
report.compare(
    *(row for name in ("crank",) for case in PRINTED[name] if case[1] for row in characteristics(name, case))
)

# %%
report.compare(*(row for name in eq for case in PRINTED[name] if not case[1] for row in characteristics(name, case)))

# %% [markdown]
# The printed counts agree with each other, and with the mechanisms: second differentials are counted once for each of ℓ
# constraints, third ones for those constraints that have any. Coincidence along spatial axes is quadratic in Euler
# parameters; SO- and O-constraints between two moving bodies are not.


# %%
def cubic(name):
    """Constraints whose third differential does not vanish."""
    direction = {q: sb.symbol(f"d_{q.name}") for q in eq[name].q}
    third = list(eq[name].phi.entries)
    for _ in range(3):
        third = [sb.algebra.directional_derivative(e, direction) for e in third]
    return sum(bool(sb.free_symbols(e)) for e in third)


quasi, full = ({name: table[p, True] for name, table in PRINTED.items()} for p in (QUASI, ORTHOGONAL))
ratio = {name: full[name].seconds / quasi[name].seconds for name in PRINTED}
without = {p: PRINTED["pendulum"][p, False] for p in (QUASI, ORTHOGONAL)}
report.compare(
    *(printed(TABLES[name, True], f"{name}, orthogonal: # d²gⁱ over # dg is ℓ", str(full[name].d2g), full[name].dg * CONDITIONS[name]) for name in PRINTED),
    *(statement(TABLES[name, True], f"{name}: {CUBIC[name]} constraints have third differentials, which divides # d³gⁱ",
                cubic(name) == CUBIC[name] and (full[name].d3g == 0 if CUBIC[name] == 0 else full[name].d3g % CUBIC[name] == 0)) for name in PRINTED),
    *(statement(TABLES[name, True], f"{name}: CPU dist and CPU proj are less than CPU total", t.dist + t.proj < t.seconds)
      for name in PRINTED for t in (quasi[name], full[name])),
    printed("sec. 6.3", "pendulum: more steps by quasi-orthogonal projection [%]", "10", 100 * (quasi["pendulum"].steps / full["pendulum"].steps - 1),
            within=2, because="by table 8 it is 8.6 %"),
    printed("sec. 6.3", "pendulum: rejected steps, times those of the usual method", "3", quasi["pendulum"].rejected / full["pendulum"].rejected),
    printed("sec. 6.3", "pendulum: CPU time, part of that of the usual method", "0.5", 1 / ratio["pendulum"]),
    printed("sec. 6.3", "pendulum without energy: less CPU time, quasi-orthogonal [%]", "20", 100 * (1 - without[QUASI].seconds / quasi["pendulum"].seconds),
            within=2, because="by tables 8 and 11 it is 22 %"),
    printed("sec. 6.3", "pendulum without energy: less CPU time, orthogonal [%]", "5", 100 * (1 - without[ORTHOGONAL].seconds / full["pendulum"].seconds)),
    printed("sec. 6.3", "pendulum without energy: quasi-orthogonal faster by [%]", "58", 100 * (1 - without[QUASI].seconds / without[ORTHOGONAL].seconds),
            instead="58.8", because="58.75 by table 11, printed without its last digits"),
    printed("sec. 6.3", "the same as part of the usual CPU time, \"a third\"", "0.33", without[QUASI].seconds / without[ORTHOGONAL].seconds,
            instead="0.41", because="by table 11"),
    printed("sec. 6.3", "quadrangle: quasi-orthogonal projection faster by a factor", "4", ratio["quadrangle"], instead="2.28",
            because="by table 9; the projections alone by 2.6. The text speaks of twice as many steps, too, and table 9 has 1300 and 1218"),
    printed("sec. 6.3", "crank: quasi-orthogonal projection faster by a factor", "4", ratio["crank"]),
    printed("sec. 6.3", "crank: evaluations of df, d²f over those of the quadrangle, \"3-5 times\", most", "5", quasi["crank"].d2f / quasi["quadrangle"].d2f),
    printed("sec. 6.3", "the same, least", "3", full["crank"].df / full["quadrangle"].df, instead="2.09", because="for the orthogonal projection, by tables 9 and 10"),
    printed("sec. 7", "largest part of projections in CPU time [%]", "90", 100 * full["crank"].proj / full["crank"].seconds, instead="97.2",
            because="by table 10, orthogonal; 89 for the quasi-orthogonal projection"),
    measured("sec. 7", "the same here, by the defaults, with energy", "90 %", f"{100 * max(own[n, True].statistics.projection_seconds / own[n, True].statistics.seconds for n in eq):.0f} %"),
    measured("sec. 6.3", "quasi-orthogonal faster than orthogonal, as in the report: pendulum, quadrangle, crank", ", ".join(f"{ratio[n]:.1f}" for n in eq),
             ", ".join(f"{runs[n, ORTHOGONAL, True].statistics.seconds / runs[n, QUASI, True].statistics.seconds:.1f}" for n in eq)),
)  # fmt: skip

# %% [markdown]
# ### Energies and step sizes
#
# On the left kinetic, potential and total energy of a run that keeps the energy, on the right the total energy with and
# without that, at the ends of steps. Loads without a potential do work W: the total is T + U − W; here the torque is constant
# about the axis of B1, so that W is the torque times the angle.


# %%
def balance(name, sim):
    """T + U − W less its value at the start, at the ends of steps."""
    if name == "pendulum":
        return sim.energy - sim.energy[0]
    angle = (
        2 * np.arctan2(sim["B1_e3"], sim["B1_e0"]) if name == "quadrangle" else np.arctan2(sim["B1_y"], -sim["B1_z"])
    )
    angle = np.unwrap(angle)
    return sim.energy - sim.energy[0] - sim["tau"] * (angle - angle[0])


def energies(name):
    """The two panels of figures 6.4, 6.6 and 6.8."""
    kept, free = (runs[name, QUASI, energy] for energy in (True, False))
    curve, panel = sb.view.Curve, sb.view.Panel
    fine = kept.at(np.linspace(0, 10, 1001))
    left = panel("time [s]", "energy [J]", (
        curve(fine.t, fine.kinetic_energy, "kinetic", group=0), curve(fine.t, fine.potential_energy, "potential", group=1),
        curve(kept.t, balance(name, kept) + kept.energy[0], "total", group=2),
    ))  # fmt: skip
    right = panel("time [s]", "change of total energy [J]", (
        curve(kept.t, balance(name, kept), "imposed", group=0), curve(free.t, balance(name, free), "not imposed", kind="dashed", group=1),
    ))  # fmt: skip
    return sb.view.Figure(f"{name}: energies", (left,)) | sb.view.Figure(f"{name}: total energy", (right,))


def step_sizes(name):
    """Step sizes over time, as a line: there are too many for marks. The last step is cut by the end of the run."""
    figure = sb.plot(runs[name, QUASI, True], "steps", title=f"step sizes of the {name}")
    (panel,) = figure.panels
    return replace(
        figure,
        panels=(replace(panel, curves=tuple(replace(c, x=c.x[:-1], y=c.y[:-1], kind="line") for c in panel.curves)),),
    )


def drift(name, energy):
    return float(np.abs(balance(name, runs[name, QUASI, energy])).max())


report.figure(
    "figure 6.4",
    "energies of the pendulum that keeps its energy (left); its total energy with and without that (right)",
    energies("pendulum"),
)

# %%
report.figure("figure 6.5", "step sizes of the pendulum", step_sizes("pendulum"))

# %%
report.figure(
    "figure 6.6",
    "energies of the quadrangle that keeps its balance of work (left); its total energy with and without that (right)",
    energies("quadrangle"),
)

# %%
report.figure("figure 6.7", "step sizes of the quadrangle", step_sizes("quadrangle"))

# %%
report.figure(
    "figure 6.8",
    "energies of the crank mechanism that keeps its balance of work (left); its total energy with and without that (right)",
    energies("crank"),
)

# %%
report.figure("figure 6.9", "step sizes of the crank mechanism", step_sizes("crank"))

# %% [markdown]
# What the report says of these figures:


# %%
def growth(name):
    """Of kinetic energy, averaged over a second, over time, by a straight line in logarithms."""
    sim = runs[name, QUASI, True]
    middles = np.arange(1.5, 10.0, 1.0)
    means = [
        np.trapezoid(sim.kinetic_energy[s], sim.t[s]) / np.ptp(sim.t[s])
        for c in middles
        for s in [np.abs(sim.t - c) <= 0.5]
    ]
    return np.polyfit(np.log(middles), np.log(means), 1)[0]


def crossings(name, begin, end):
    """Of the potential energy through its mean, in an interval."""
    sim = runs[name, QUASI, True]
    inside = (sim.t >= begin) & (sim.t < end)
    U = sim.potential_energy[inside] - sim.potential_energy.mean()
    return int(np.count_nonzero(np.diff(np.sign(U))))


report.compare(
    *(statement(f"fig. {fig}", f"{name}: energy stays practically constant where it is imposed, and drifts where it is not", drift(name, True) < 0.1 * drift(name, False),
                f"{drift(name, True):.0e} J and {drift(name, False):.0e} J") for fig, name in (("6.4", "pendulum"), ("6.6", "quadrangle"), ("6.8", "crank"))),
    statement("fig. 6.6", "quadrangle: periods of the potential energy become shorter", crossings("quadrangle", 5, 10) > crossings("quadrangle", 0, 5)),
    statement("fig. 6.8", "crank: periods of the potential energy become shorter", crossings("crank", 5, 10) > crossings("crank", 0, 5)),
    measured("fig. 6.8", "crank: kinetic energy grows as a power of time", "quadratic tendency", f"{growth('crank'):.2f}"),
)  # fmt: skip

# %% [markdown]
# ### A torque on the pendulum
#
# The report tells of runs with a constant torque of 10 and 50 N m, without its direction; here it is
# about e₂ of the bar, across it. States are projected at the ends of steps:

# %%
twisted = sb.Model("3D pendulum with a torque")
twisted.gravity(0, -9.81, 0)
bar = tuomela_pendulum.rigid_body(twisted, "B1", 38.34, (0.147, 3.175, 3.154))
tuomela_pendulum.joint(twisted, "joint", "spherical", (twisted.ground, bar), (0, 0, 0), (-0.765, 0, 0))
twisted.torque("tau", bar, bar.vector(0, twisted.parameter("tau", 10.0), 0))
turned = sb.derive(twisted)
turns = {
    (tau, projection, energy): quickest(
        sb.simulate(turned, 10, tuomela_pendulum.START, tau=tau, form=form, metric="unit", invariants=["energy"] if energy else [], **tuomela_pendulum.RUN)
        for _ in range(9)
    )
    for tau in (10.0, 50.0) for projection, form in FORMS.items() for energy in (True, False)
}  # fmt: skip
cost = {case: sim.statistics.seconds for case, sim in turns.items()}
more = {p: 100 * (cost[10.0, p, True] / cost[10.0, p, False] - 1) for p in FORMS}
report.compare(
    measured("sec. 6.3", "torque of 10 N m: energy kept costs more, quasi-orthogonal", "110 %", f"{more[QUASI]:.0f} %"),
    measured("sec. 6.3", "torque of 10 N m: energy kept costs more, orthogonal", "276 %", f"{more[ORTHOGONAL]:.0f} %"),
    measured("sec. 6.3", "torque of 50 N m, energy kept: steps, quasi-orthogonal and orthogonal", "a lot more iterations; radically smaller steps",
             ", ".join(str(turns[50.0, p, True].statistics.steps) for p in FORMS), "no breakdown in either"),
    statement("sec. 6.3", "torque of 50 N m: all runs reach the end", all(turns[50.0, p, e].outcome for p in FORMS for e in (True, False))),
)  # fmt: skip

# %% [markdown]
# ## Section 7: what the report leaves to future work
#
# - *Less frequent updates of differentials*: projections of the crank are replayed below with differentials of different age.
#   New ones end a projection with one correction; those of the beginning of the step need several, and keeping them longer
#   saves no update. There is nothing to gain where a step's end is as near to the constraints as here.
# - *Automatic differentiation*: all derivatives here are exact, on the graph.
# - *All three manifolds at once, without losing the efficiency of the quasi-orthogonal iteration*: corrections towards the
#   invariants go along the constraints, so that one round suffices; `form="orthogonal"` has all in one Newton iteration.
# - *Preconditioning*: condition numbers of S = dg W⁻¹ dgᵀ along the motion, in the unit metric and in that of the masses, with
#   and without a diagonal preconditioner. It saves iterations of conjugate gradients where masses differ; here S is factorised.
#   `python -m bench.tuomela` prints both for all three mechanisms.
# - *Nonholonomic systems*: `m.constrain_speed`, in every form.

# %%
rounds = {name: runs[name, QUASI, True].statistics.most_corrections for name in eq}
report.compare(
    *(
        measured("sec. 7", f"{name}: most corrections in a projection", str(quasi[name].most), str(rounds[name]))
        for name in eq
    ),
    statement("sec. 7", "onto all three manifolds in a dozen corrections at most", max(rounds.values()) <= 12),
)

# %%
ages, metrics = bench.replays("crank"), bench.conditioning("crank")
report.compare(
    *(measured("sec. 7", f"crank, differentials {age}: updates, corrections of a projection", "updates could be less frequent", f"{r.updates:.2f}, {r.corrections:.2f}")
      for age, r in ages.items()),
    *(measured("sec. 7", f"crank, condition of S, iterations, metric {metric}", "preconditioning could help", f"{c.condition:.1e}, {c.iterations}") for metric, c in metrics.items()),
    statement("sec. 7", "one update of differentials suffices for a projection to 1e-12", ages["at every correction"].updates <= 1.05),
)  # fmt: skip
