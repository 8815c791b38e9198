"""The plan made visible: a page in the browser of the same machine, over the same verbs."""
