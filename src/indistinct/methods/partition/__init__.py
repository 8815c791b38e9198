"""Methods that decide groups of rows, each group published alike."""
