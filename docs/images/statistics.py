"""Takes the picture of the page of the digits' statistics, `statistics.png`, with a Chromium that needs no screen.

    PYTHON docs/images/statistics.py TFXIO [CHROMIUM]

TFXIO is the command. CHROMIUM is the program; by default the first of those that are installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIGITS = "fixtures/digits/digits@3.tfrecord"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SIZE = "1000,470"


def main() -> int:
    """Writes the picture."""
    if len(sys.argv) < 2:
        raise SystemExit("which command? PYTHON docs/images/statistics.py TFXIO [CHROMIUM]")
    programs = sys.argv[2:] or PROGRAMS
    program = next(filter(None, map(shutil.which, programs)), None)
    if program is None:
        raise SystemExit(f"no Chromium is installed: looked for {', '.join(programs)}")
    tfxio = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        subprocess.run([tfxio, "stats", DIGITS, "--html", page], cwd=HERE.parents[1], check=True, stdout=subprocess.DEVNULL)
        how = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile"]
        picture = HERE / "statistics.png"
        command = [program, *how, f"--window-size={SIZE}", f"--screenshot={picture}", page.as_uri()]
        subprocess.run(command, check=True, timeout=120, stderr=subprocess.DEVNULL)
        print(f"{picture}: {picture.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
