"""The charts of the report that are measured for it: one file each, and a registry."""
