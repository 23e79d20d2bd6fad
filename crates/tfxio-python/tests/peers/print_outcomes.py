"""Calls tfx-bsl, or what stands in for it, on nothing and on what it refuses, and prints what came of each case as a line of JSON.

    PYTHON tests/peers/print_outcomes.py theirs|ours [SUBJECT ...]
"""

from __future__ import annotations

import importlib
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

#: The modules of `outcomes` that have cases.
SUBJECTS = ("arrays", "tables", "sketches", "coders", "tensors", "sources", "inference")


def main() -> None:
    """Prints the outcomes of one side."""
    if sys.argv[1] == "ours":
        import tfxio.compat

        tfxio.compat.install("tfx_bsl")
    from outcomes.described import outcome

    for subject in sys.argv[2:] or SUBJECTS:
        for name, call in importlib.import_module(f"outcomes.{subject}").cases():
            print(json.dumps({"subject": subject, "case": name, **outcome(call)}), flush=True)


if __name__ == "__main__":
    main()
