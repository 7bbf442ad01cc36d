"""Forward and inverse dynamics and their derivatives in the cheapest known form, as expressions ready to compile."""
