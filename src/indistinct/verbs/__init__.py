"""The verbs, one per file as in `cli/`: each a few lines over the rest."""
