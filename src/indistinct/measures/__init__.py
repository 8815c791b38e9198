"""What a release cost: information loss and its kin."""
