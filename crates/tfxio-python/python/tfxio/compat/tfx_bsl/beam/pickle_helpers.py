"""How dill pickles code."""

from __future__ import annotations

import marshal
import re
from types import CodeType
from typing import Any

__all__ = ["fix_code_type_pickling"]

#: From this version on, dill knows the code of Python 3.11.
_RIGHT = (0, 3, 6)


def fix_code_type_pickling() -> None:
    """Makes an old dill pickle the code of functions as this version of Python has it. A new one, or none, is left alone."""
    try:
        import dill
    except ImportError:
        return
    if tuple(int(number) for number in re.findall(r"\d+", dill.__version__)[:3]) >= _RIGHT:
        return

    @dill.register(CodeType)
    def save(pickler: Any, code: CodeType) -> None:
        pickler.save_reduce(marshal.loads, (marshal.dumps(code),), obj=code)
