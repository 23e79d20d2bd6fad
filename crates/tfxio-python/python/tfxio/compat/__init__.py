"""Modules with the names and signatures of other packages, over this one.

`tfxio.compat.tfrecord` stands in for the package `tfrecord`. After `tfxio.compat.install("tfrecord")`, whoever imports `tfrecord` gets it.
`tfxio.compat.tfx_bsl` stands in for tfx-bsl, likewise; and `tfxio.compat.tfx_bsl_extension` for its native module alone, under the Python
of tfx-bsl.
`tfxio.compat.tensorflow_io` stands in for what `tensorflow_io` has for Avro.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["PACKAGES", "install"]

#: The packages that `install` replaces.
PACKAGES = ("tensorflow_io", "tfrecord", "tfx_bsl")
#: The native module of tfx-bsl, and its name here.
EXTENSION = "tfx_bsl_extension"
_THEIRS = "tfx_bsl.cc.tfx_bsl_extension"
_MODULES = ("", ".arrow", ".arrow.array_util", ".arrow.table_util", ".coders", ".sketches", ".statistics")


class _Alias(MetaPathFinder, Loader):
    """Imports the modules of a package of this one under the name of another: the same objects under both names."""

    def __init__(self, package: str) -> None:
        self.package = package
        self._own_specs: dict[str, ModuleSpec] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.package and not fullname.startswith(f"{self.package}."):
            return None
        own = importlib.util.find_spec(f"{__name__}.{fullname}")
        if own is None:
            return None
        self._own_specs[own.name] = own
        return ModuleSpec(fullname, self, is_package=own.submodule_search_locations is not None)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return importlib.import_module(f"{__name__}.{spec.name}")

    def exec_module(self, module: ModuleType) -> None:
        # The machinery of imports has put the spec of the other name there.
        module.__spec__ = self._own_specs.pop(module.__name__)


def install(package: str) -> None:
    """Makes every later `import package` import `tfxio.compat.package`, in this process.

    Args:
        package: The name of the package: `"tfrecord"`, `"tensorflow_io"`, `"tfx_bsl"`, or `"tfx_bsl_extension"` for the native module of
            tfx-bsl.

    Raises:
        ValueError: There is no module in its stead.
        RuntimeError: The package was imported before: what has its objects would not see ours.
    """
    if package == EXTENSION:
        _install_extension()
        return
    if package not in PACKAGES:
        raise ValueError(f"no module stands in for {package!r}: there are {', '.join((*PACKAGES, EXTENSION))}")
    if any(isinstance(finder, _Alias) and finder.package == package for finder in sys.meta_path):
        return
    if package in sys.modules:
        raise RuntimeError(f'{package} is already imported: call tfxio.compat.install("{package}") before its first import')
    sys.meta_path.insert(0, _Alias(package))


def extension_modules() -> dict[str, ModuleType]:
    """Returns the stand-ins for the native module of tfx-bsl and its submodules, by what follows its name there."""
    return {module: importlib.import_module(f"{__name__}.{EXTENSION}{module}") for module in _MODULES}


def _install_extension() -> None:
    ours = {_THEIRS + name: module for name, module in extension_modules().items()}
    if any(sys.modules.get(module, own) is not own for module, own in ours.items()):
        raise RuntimeError(f'tfx_bsl is already imported: call tfxio.compat.install("{EXTENSION}") before its first import')
    sys.modules.update(ours)
