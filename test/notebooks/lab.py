# SPDX-License-Identifier: Apache-2.0
"""The magics in JupyterLab, in a browser: `make notebooks`.

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

CELLS = [
    "%load_ext scalene",
    "def spin(n):\n    total = 0\n    for i in range(n):\n        total += i % 7\n    return total",
    "%scrun spin(2_000_000)",
    "%%scalene\nkept = [bytearray(200_000) for _ in range(100)]\nspin(2_000_000)",
    "%%scalene\nspin(1_000_000)\n1 / 0",
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


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="scalene-lab-") as folder:
        pathlib.Path(folder, "book.ipynb").write_text(json.dumps(notebook()), encoding="utf-8")
        port = free_port()
        env = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "JUPYTER_CONFIG_DIR": folder + "/config",
               "JUPYTER_DATA_DIR": folder + "/data", "IPYTHONDIR": folder + "/ipython"}
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}",
             "--ServerApp.port_retries=0", "--IdentityProvider.token=", f"--ServerApp.root_dir={folder}",
             "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"],
            env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        try:
            wait_for(f"http://127.0.0.1:{port}/api")
            return subprocess.run(["node", HERE / "lab.mjs", f"http://127.0.0.1:{port}/lab/tree/book.ipynb"],
                                  check=False, timeout=2 * TIMEOUT_S).returncode
        finally:
            server.terminate()
            server.wait(30)


if __name__ == "__main__":
    sys.exit(main())
