"""# Triple pendulum out of plane

Subjects: linkages, from papers
Reproduces: half lengths for ω² of 20, 40 and 130 (Lynch, tables 6.1 and 6.2)

Three links swing, each across the plane of the one above. Lynch computed the lengths for prescribed
frequencies by sensitivities of eigenvalues; `design` does this in one call.
"""

# %%
import symbody as sb

eq = sb.derive(sb.read_model("triple_pendulum").mechanism)
lin = sb.linearize(eq, sb.steady(eq))
design = sb.stability.design_parameters(
    lin, [20, 40, 130], ["d1", "d2", "d3"], of="squares", g=98.1
)
last = design.steps[-1]
assert (
    max(abs(x - y) for x, y in zip(sorted(last.quantities.real), (20, 40, 130))) < 1e-6
)
assert [round(float(d), 4) for d in last.parameters] == [2.5692, 1.8793, 0.3237]
design

# %%
sb.plot(design)

# %%
sim = sb.simulate(eq, 10, q1=0.5, q2=0.5, q3=0.5)
sim.plot("q1", "q2", "q3")

# %%
sim.scene()
