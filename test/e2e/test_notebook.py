# SPDX-License-Identifier: Apache-2.0
"""The magics, in a real kernel and in plain IPython. `make notebooks` has them in a browser."""
import os
import re
import sys

import nbformat
import pytest
from harness import ROOT, execute
from nbclient import NotebookClient

# What is read: that the page is one for this profile; its text is tested elsewhere.
PAGE = re.compile(r'^<iframe srcdoc="[^"]*" sandbox="[^"]*" ')
SPIN = ("def spin(n):\n"
        "    total = 0\n"
        "    for i in range(n):\n"
        "        total += i % 7\n"
        "    return total\n")


def notebook(tmp_path, *cells, allow_errors=False):
    """Runs cells in a new kernel: their outputs, cell by cell."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(book, timeout=240, startup_timeout=240, kernel_name="python3", allow_errors=allow_errors,
                            resources={"metadata": {"path": str(tmp_path)}})
    old = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(ROOT / "python")
    try:
        client.execute()
    finally:
        os.environ.pop("PYTHONPATH") if old is None else os.environ.update(PYTHONPATH=old)
    return [cell["outputs"] for cell in book["cells"]]


def shown(outputs):
    """The two forms of the one profile that is among the outputs."""
    found = [output["data"] for output in outputs if output["output_type"] == "display_data"]
    assert len(found) == 1, outputs
    return found[0]["text/html"], found[0]["text/plain"]


def printed(outputs):
    return "".join(output["text"] for output in outputs if output["output_type"] == "stream")


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """One kernel for many questions."""
    return notebook(
        tmp_path_factory.mktemp("notebook"),
        "%load_ext scalene",                                                        # [1]
        SPIN,                                                                       # [2]
        "import threading, time\n"                                                  # [3]
        "is_over = False\n"
        "def beside():\n"
        "    while not is_over:\n"
        "        time.sleep(0.002)\n"
        "thread = threading.Thread(target=beside, daemon=True); thread.start()",
        "%scrun spin(10_000_000)",                                                  # [4]
        "%%scalene\n"                                                               # [5]
        "kept = [bytearray(200_000) for _ in range(100)]\n"
        "data = bytes(20 << 20)\n"
        "for _ in range(10): other = bytearray(data)\n"
        "spin(2_000_000)",
        "lines = _scalene.lines\n"                                                  # [6]
        "seconds = _scalene['elapsed_time_sec']\n"
        "print({'[2]', '[5]'} <= set(_scalene.files), _scalene['program'])\n"
        "print(round(lines['[5]', 2]['n_malloc_mb']), round(lines['[5]', 4]['n_malloc_mb']),\n"
        "      round(lines['[5]', 4]['n_copy_mb_s'] * seconds, -1))\n"
        "print(len(_scalene['scalene']['processes'][0]['threads']) >= 2, repr(lines['[5]', 2]['line']))",
        "%%scalene --cpu-only\nspin(1_000_000)\n1 / 0",                             # [7]
        "print(_scalene['memory'], '[2]' in _scalene.files)",                       # [8]
        "%scrun -o kept.json spin(1_000_000);",                                     # [9]
        "import os, json; print(os.listdir(), len(json.load(open('kept.json'))['files']))",
        "is_over = True; thread.join(); print(threading.active_count() > 0)",
        allow_errors=True)


@pytest.mark.sees("run cells")
def test_line_magic_shows_the_function_of_another_cell(outputs):
    page, text = shown(outputs[3])
    assert PAGE.match(page) or page.startswith("<pre>")
    assert "[2]:4  spin" in text and "total += i % 7" in text
    values = [output["data"]["text/plain"] for output in outputs[3] if output["output_type"] == "execute_result"]
    assert values == [str(sum(i % 7 for i in range(10_000_000)))]


def test_cell_magic_has_memory_and_copies(outputs):
    shown(outputs[4])
    assert printed(outputs[5]).splitlines() == [
        "True [5]", "19 200 200.0", "True 'kept = [bytearray(200_000) for _ in range(100)]\\n'"]


def test_exception_is_shown_beside_the_profile(outputs):
    shown(outputs[6])
    errors = [output for output in outputs[6] if output["output_type"] == "error"]
    assert [error["ename"] for error in errors] == ["ZeroDivisionError"]
    assert printed(outputs[7]) == "False True\n"


def test_profile_is_kept_only_where_it_is_asked_for(outputs):
    shown(outputs[8])
    assert printed(outputs[9]).startswith("['kept.json'] ")
    assert printed(outputs[10]) == "True\n"


def test_cells_that_await_run_in_the_loop_of_the_kernel(tmp_path):
    outputs = notebook(
        tmp_path,
        "%load_ext scalene\n%reload_ext scalene",                                   # [1]
        SPIN,                                                                       # [2]
        "import asyncio\nloop = asyncio.get_running_loop()",                        # [3]
        "%%scalene --cpu-only\n"                                                    # [4]
        "async def task(n):\n"
        "    await asyncio.sleep(0.01)\n"
        "    return spin(n)\n"
        "print(asyncio.get_running_loop() is loop)\n"
        "await asyncio.gather(task(1_000_000), task(7))",
        "print('[2]' in _scalene.files, _scalene['program'], _scalene['memory'])",
        "%scrun -o kept.json await task(1_000_000)",                                # [6]
        "print(_scalene['memory'], _scalene['program'])",
        "x = %scrun await task(7)",                                                 # [8]
        "%%scalene\nawait task(1_000_000)\n1 / 0",                                  # [9]
        allow_errors=True)
    total = sum(i % 7 for i in range(1_000_000))

    def values(at):
        return [output["data"]["text/plain"] for output in outputs[at] if output["output_type"] == "execute_result"]

    shown(outputs[3])
    assert printed(outputs[3]) == "True\n" and values(3) == [f"[{total}, 21]"], outputs[3]
    assert printed(outputs[4]) == "True [4] False\n"
    shown(outputs[5])
    assert values(5) == [str(total)] and printed(outputs[6]) == "True [6]\n" and (tmp_path / "kept.json").exists()
    assert printed(outputs[7]) == "scalene: code that awaits needs %%scalene or %scrun as the first word of its cell.\n"
    shown(outputs[8])
    assert [output["ename"] for output in outputs[8] if output["output_type"] == "error"] == ["ZeroDivisionError"]


def test_plain_ipython_shows_the_terminal_view(tmp_path):
    result = execute([sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", "-c",
                      "get_ipython().run_cell('%load_ext scalene', store_history=True)\n"
                      f"get_ipython().run_cell({SPIN!r}, store_history=True)\n"
                      "get_ipython().run_cell('%scrun spin(6_000_000)', store_history=True)\n"
                      "get_ipython().run_cell('%scrun', store_history=True)\n"
                      "get_ipython().run_cell('import asyncio\\nasync def f(): return spin(5)', store_history=True)\n"
                      "get_ipython().run_cell('%scrun --cpu-only print(await f(), 77)', store_history=True)\n"
                      "get_ipython().run_cell('%scrun --no-such spin(1)', store_history=True)\n"
                      # The counter is ahead while a cell runs, as it is in IPython 9.
                      "get_ipython().run_cell('get_ipython().execution_count += 1\\n'\n"
                      "    '%scrun --outfile=kept.json spin(1_000_000)', store_history=True)\n"
                      "print('cell', _scalene['program'])\n"],
                     env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "IPYTHONDIR": str(tmp_path)},
                     cwd=tmp_path)
    assert result.status == 0, result.stderr
    assert re.search(r"\[2\]:4  spin +\d+% ", result.stdout) and "<iframe" not in result.stdout
    assert "scalene: there is nothing to run." in result.stdout
    assert "10 77\n" in result.stdout, "what awaits is run, too"
    assert re.search(r"scalene: .*--no-such", result.stdout)
    assert "cell [8]\n" in result.stdout and (tmp_path / "kept.json").exists(), result.stdout


def test_magics_know_the_options_that_have_a_value():
    """Or they would take the value for the statement to be run."""
    told = (ROOT / "doc/options.md").read_text().split("## scalene run\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(-[^`]*) [A-Z]+` \|", told, re.M)
    names = {name for row in rows for name in row.split(", ")} - {"-m", "--python"}  # it is this kernel that runs
    source = (ROOT / "python/scalene/magic.py").read_text()
    known = set(re.findall(r'"(-[\w-]+)"', re.search(r"_WITH_VALUE = \((.*?)\)", source, re.S).group(1)))
    assert known == names and len(names) > 10
