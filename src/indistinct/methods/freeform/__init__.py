"""Methods that decide which rows each published row covers: matchings instead of groups."""
