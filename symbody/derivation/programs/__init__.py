"""Forward and inverse dynamics and their derivatives in the cheapest known form.

`Equations` in, expressions ready to compile out.
"""
