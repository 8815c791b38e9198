"""What methods of several kinds share: feasibility, demands on groups, orders of rows, repair."""
