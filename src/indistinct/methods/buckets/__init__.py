"""Methods that break the link between exact quasi values and sensitive ones, in groups of rows."""
