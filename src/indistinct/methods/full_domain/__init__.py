"""Methods that choose one level for each whole column."""
