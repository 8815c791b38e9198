"""coarsen makes personal microdata safe to publish."""

from coarsen._version import __version__

__all__ = ["__version__"]
