"""The independent check, which shares nothing with whatever made the release.

It imports no method and no kernel, nor what measures the loss or the risk, nor what publishes: it
reads published rows through `frames/` and holds them to the definitions in `requirements/`. What a
published cell covers it works out by itself. A test of imports keeps it so.
"""
