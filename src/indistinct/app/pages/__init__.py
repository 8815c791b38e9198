"""One file for each page: it reads a form, calls a verb, and shows what came of it."""
