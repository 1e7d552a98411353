# SPDX-License-Identifier: Apache-2.0
"""Samples that meet the program inside one of its own signal handlers."""

# The handler is faulthandler's, in C, and walks the stack each time: nearly all of the time is its.
PROGRAM = """\
import faulthandler, os, signal, time

def deep(n):
    if n:
        deep(n - 1)
        return
    end = time.process_time() + 0.5
    while time.process_time() < end:
        os.kill(os.getpid(), signal.SIGUSR1)

with open(os.devnull, "w") as sink:
    faulthandler.register(signal.SIGUSR1, file=sink)
    deep(40)
"""
KILL_LINE = 9


def test_way_to_the_evaluation_loop_leads_out_of_handlers(scalene, interpreter, tmp_path):
    program = tmp_path / "handler.py"
    program.write_text(PROGRAM)
    facts = scalene.run(program, interpreter=interpreter).profile
    own = facts["scalene"]
    assert own["samples"] >= 20
    assert own["drops"]["unwind_failed"] <= 0.05 * own["samples"], own["drops"]
    lines = {line["lineno"]: line for line in facts["files"][str(program)]["lines"]}
    assert lines[KILL_LINE]["n_cpu_percent_python"] < lines[KILL_LINE]["n_cpu_percent_c"] + \
        lines[KILL_LINE]["n_sys_percent"]
