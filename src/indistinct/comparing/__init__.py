"""Loss against privacy: several methods and parameters on one table, side by side."""
