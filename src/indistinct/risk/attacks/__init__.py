"""What an attacker gets from a release, one attack per file; each may fail."""
