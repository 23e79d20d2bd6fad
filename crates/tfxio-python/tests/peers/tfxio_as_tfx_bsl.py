"""Puts `tfxio.compat.tfx_bsl` in the stead of tfx-bsl, and says at the exit whether anything of tfx-bsl was imported all the same.

It is a plugin of pytest, `pytest -p tfxio_as_tfx_bsl`, and may be imported by a program.
"""

import atexit
import sys
from pathlib import Path

import tfxio.compat

OURS = Path(tfxio.compat.__file__).parent


@atexit.register
def say_whose_modules_they_were() -> None:
    """Prints how many modules of the name there are, or which of them are not ours."""
    modules = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "tfx_bsl"}
    theirs = sorted(name for name, module in modules.items() if not Path(str(module.__file__)).is_relative_to(OURS))
    print(f"not ours: {', '.join(theirs)}" if theirs else f"ours: {len(modules)} modules", file=sys.stderr)


tfxio.compat.install("tfx_bsl")
