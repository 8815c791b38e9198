"""For those who receive a release: its cells as numbers, days and values, and what follows."""
