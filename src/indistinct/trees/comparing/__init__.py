"""Many releases of the same tree records side by side."""
