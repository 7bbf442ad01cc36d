"""Best motions and what is made of them: feedback, funnels, derivatives, families, pages."""
