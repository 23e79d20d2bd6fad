"""Takes the picture of a data set in a notebook, `notebook.png`, with a Chromium that needs no screen.

    PYTHON docs/images/notebook.py [CHROMIUM]

PYTHON is of an environment in which tfxio can be imported. CHROMIUM is the program; by default the first of those that are installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tfxio

HERE = Path(__file__).resolve().parent
DIGITS = HERE.parents[1] / "fixtures" / "digits" / "digits@3.tfrecord"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SIZE = "760,302"
PAGE = """<!doctype html>
<meta charset="utf-8">
<body style="margin: 12px; font-family: sans-serif; background: white; color: black">
<pre style="margin: 0 0 10px 0; padding: 6px 10px; background: #f5f5f5">tfxio.open("fixtures/digits/digits@3.tfrecord")</pre>
{table}
</body>
"""


def main() -> int:
    """Writes the picture."""
    program = next(filter(None, map(shutil.which, sys.argv[1:] or PROGRAMS)), None)
    if program is None:
        raise SystemExit(f"no Chromium is installed: looked for {', '.join(sys.argv[1:] or PROGRAMS)}")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(PAGE.format(table=tfxio.open(DIGITS)._repr_html_()))
        how = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile"]
        picture = HERE / "notebook.png"
        command = [program, *how, f"--window-size={SIZE}", f"--screenshot={picture}", page.as_uri()]
        subprocess.run(command, check=True, timeout=120, stderr=subprocess.DEVNULL)
        print(f"{picture}: {picture.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
