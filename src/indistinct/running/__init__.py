"""How work is run: how far it is, on which thread, and how long it takes."""
