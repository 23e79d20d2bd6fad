"""Modules with the names and signatures of other packages, over this one.

`tfxio.compat.tfrecord` stands in for the package `tfrecord`. After `tfxio.compat.install("tfrecord")`, whoever imports `tfrecord` gets it.
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
PACKAGES = ("tfrecord",)


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
        package: The name of the package: `"tfrecord"`.

    Raises:
        ValueError: There is no module in its stead.
        RuntimeError: The package was imported before: what has its objects would not see ours.
    """
    if package not in PACKAGES:
        raise ValueError(f"no module stands in for {package!r}: there are {', '.join(PACKAGES)}")
    if any(isinstance(finder, _Alias) and finder.package == package for finder in sys.meta_path):
        return
    if package in sys.modules:
        raise RuntimeError(f'{package} is already imported: call tfxio.compat.install("{package}") before its first import')
    sys.meta_path.insert(0, _Alias(package))
