"""How much a table says about single people."""
