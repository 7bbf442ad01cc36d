"""# Sharp's motorcycle

Subjects: vehicles, two-wheelers, from papers
Reproduces: straight running of Lot and Da Lio's model is stable from 5.8948 to 10.2989 m/s; weave, wobble and capsize

Two frames joined by a steering axis, and tyres with side force relaxation: with this model Sharp explained
weave and wobble in 1971. This is the version of Lot and Da Lio for MBSymba, a built-in model.
"""

# %%
import symbody as sb

eq = sb.derive(sb.read_model("motorcycle").mechanism)
V = sb.symbol("V")
straight = sb.steady(eq, values={"x_dot": V}, zero=["y", "psi", "phi", "delta"])
straight

# %%
lin = sb.linearize(eq, straight, drop="cyclic")
locus = lin.root_locus(V=(1, 40))
first, last = (c.value for c in locus.critical[:2])
assert (round(first, 4), round(last, 4)) == (5.8948, 10.2989)
sb.plot(locus, label="speed [m/s]")

# %%
spectrum = lin.modes(V=20)
print(spectrum)

# %% [markdown]
# Weave at 20 m/s, as an animated mode:

# %%
weave = max((k for k in spectrum if 1 < k.frequency < 5), key=lambda k: k.frequency)
sb.scene(eq, mode=weave, x_dot=20.0)
