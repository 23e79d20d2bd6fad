"""The version of tfx-bsl whose names and signatures these are."""

__version__ = "1.21.0"
