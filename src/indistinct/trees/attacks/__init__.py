"""What an attacker gets from a release of tree records; one attack per file."""
