"""The package tfx_bsl on tfxio: importing it imports `tfxio.compat.tfx_bsl` under this name."""

import importlib
import sys
from importlib.metadata import PackageNotFoundError, distribution

import tfxio.compat

try:
    distribution("tfx-bsl")
except PackageNotFoundError:
    pass
else:
    raise ImportError(
        "tfx-bsl and tfxio-tfx-bsl are both installed, and their files have the same names: "
        "pip uninstall tfx-bsl tfxio-tfx-bsl, and then pip install the one that is wanted"
    )

# From here on, the name is found by tfxio: this module as well.
del sys.modules[__name__]
tfxio.compat.install("tfx_bsl")
importlib.import_module("tfx_bsl")
