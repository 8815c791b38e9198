"""Methods that decide cell by cell: suppression and generalization of single cells."""
