"""What is handed on from step to step: the table as integers, and what a method decides."""
