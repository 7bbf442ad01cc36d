"""# String with two particles

Subjects: linkages, from papers
Reproduces: the string hangs at q1 = 0.2013475071 (Lennartsson, section 7.3)

Two particles hang on a light string between two supports: the second moves on a circle about the line from
the first to its own support. The model uses vectors; there is no joint for this.
"""

# %%
import symbody as sb

file = sb.read_model("string_with_particles")
eq = sb.derive(file.mechanism)
hanging = sb.steady(eq, start={"q1": 0.1})
assert abs(hanging["q1"] - 0.2013475071) < 1e-10
print(sb.linearize(eq, hanging).modes())

# %%
sim = sb.simulate(eq, 5, hanging, q2=0.05)
sim.plot("q1", "q2", "q3")

# %%
sim.scene()
