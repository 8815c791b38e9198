"""Publishing: the rows that leave the house, one file for each kind of recoding."""
