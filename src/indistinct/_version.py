"""The version of indistinct, in one place."""

__version__ = "0.1.0"
