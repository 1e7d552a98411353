# SPDX-License-Identifier: Apache-2.0
"""The magics in JupyterLab, notebook 7 and the classic notebook, in a browser: `make notebooks` (lab.py NAME: in one).

Starts a server of its own on a free port with a notebook in it; lab.mjs opens it in chromium, runs all cells
and looks at what is shown.
"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TIMEOUT_S = 300

# What is started, and where in it the notebook is found.
APPLICATIONS = {"jupyterlab": "lab/tree/book.ipynb", "notebook": "notebooks/book.ipynb",
                "nbclassic": "nbclassic/notebooks/book.ipynb"}

CELLS = [
    "%load_ext scalene",
    "def spin(n):\n    total = 0\n    for i in range(n):\n        total += i % 7\n    return total",
    "%scrun spin(2_000_000)",
    "%%scalene\nkept = [bytearray(200_000) for _ in range(100)]\nspin(2_000_000)",
    "%%scalene\nimport asyncio\nawait asyncio.sleep(0)\nspin(1_000_000)\n1 / 0",
]


def notebook() -> dict:
    cells = [{"cell_type": "code", "id": f"c{i}", "metadata": {}, "execution_count": None, "outputs": [],
              "source": source} for i, source in enumerate(CELLS)]
    return {"cells": cells, "nbformat": 4, "nbformat_minor": 5,
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(url: str) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def look(application: str) -> int:
    """0: all that was to be seen was seen. What the server said is shown only if it was not."""
    with tempfile.TemporaryDirectory(prefix="scalene-lab-") as folder, \
            open(os.path.join(folder, "log"), "w+", encoding="utf-8") as log:
        pathlib.Path(folder, "book.ipynb").write_text(json.dumps(notebook()), encoding="utf-8")
        port = free_port()
        env = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "JUPYTER_CONFIG_DIR": folder + "/config",
               "JUPYTER_DATA_DIR": folder + "/data", "IPYTHONDIR": folder + "/ipython"}
        server = subprocess.Popen(
            [sys.executable, "-m", application, "--no-browser", "--allow-root", f"--port={port}",
             "--ServerApp.port_retries=0", "--IdentityProvider.token=", f"--ServerApp.root_dir={folder}",
             "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"],
            env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            wait_for(f"http://127.0.0.1:{port}/api")
            address = f"http://127.0.0.1:{port}/{APPLICATIONS[application]}"
            status = subprocess.run(["node", HERE / "lab.mjs", application, address], check=False,
                                    timeout=2 * TIMEOUT_S).returncode
        finally:
            server.terminate()
            server.wait(30)
        if status:
            log.seek(0)
            print(log.read()[-4000:], file=sys.stderr)
        return status


def main() -> int:
    return max(look(application) for application in sys.argv[1:] or APPLICATIONS)


if __name__ == "__main__":
    sys.exit(main())
