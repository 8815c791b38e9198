"""Tree records in files: JSON Lines, XML, and tables joined by keys."""
