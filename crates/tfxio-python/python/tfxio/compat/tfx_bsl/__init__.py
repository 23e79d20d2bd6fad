"""The Python of tfx-bsl 1.21 on tfxio: the same modules, names and signatures.

After `tfxio.compat.install("tfx_bsl")`, whoever imports `tfx_bsl` gets it. `docs/compatibility.md` says what differs.
"""

from tfxio.compat.tfx_bsl.version import __version__

__all__ = ["__version__"]
