"""Methods that cut ordered domains into intervals, the same for all rows."""
