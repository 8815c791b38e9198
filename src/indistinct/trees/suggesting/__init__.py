"""A first plan for tree records: what a look at their nesting and their values shows."""
