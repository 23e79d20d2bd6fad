"""The native module of tfx-bsl, by its name there: `tfxio.compat.tfx_bsl_extension`."""

import sys

from tfxio.compat import extension_modules, tfx_bsl_extension

__all__ = ["tfx_bsl_extension"]

sys.modules.update({f"{__name__}.tfx_bsl_extension{name}": module for name, module in extension_modules().items()})
