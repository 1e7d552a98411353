# SPDX-License-Identifier: Apache-2.0
"""Every message of Scalene 2: the words by which ours is known; None where it would mean nothing here.

test/e2e/test_messages.py sees to it that a test hears each one that is said, and that doc/coming-from-scalene.md
gives the reason for each one that is not.
"""
import re

MESSAGES = {
    # The command line as a whole
    "not a valid command": r"'(\S+)' is not a valid command, nor a program; did you mean 'scalene run \1'\?\nUsage: scalene ",
    "no command": r"\AUsage: scalene COMMAND",
    "ambiguous option": r"--cpu can mean --cpu-only or --cpu-percent-threshold\.",
    "wrong value": r"--cpu-sampling-rate needs a number of seconds .*, not 'fast'\.",
    "value missing": r"--cpu-sampling-rate needs a value \(SEC\)\.",
    # scalene run, before the program
    "no input file specified": r"no input file specified\.",
    "could not find input file": r"could not find input file 'missing\.py'\.",
    "outfile is a directory": r"outfile '\.' is a directory\.",
    "config file not found": r"config file 'none\.yaml' not found\.",
    "config file is no mapping": r"config file 'list\.yaml' must be a mapping",
    "invalid YAML": r"invalid YAML in config file 'bad\.yaml'",
    "unknown config option": r"unknown config option 'zebra' \(ignored\)",
    "background job": r"profiling process (\d+)\r?\n.*profile --off --pid \1\r?\n.*profile --on --pid \1\r?\n",
    "unsupported platform": r"nothing was measured: no Python was started that the agent could be loaded into\.",
    # ... while it runs
    "WARNING: Scalene uses the signal of its timer": None,
    "WARNING: SIGILL, SIGBUS, SIGPROF, SIGXCPU or SIGXFSZ redirected": None,
    "profile saved, at each interval": None,
    # ... after it
    "profile saved": r"\n\nScalene: profile saved to mine\.json\n.*scalene view mine\.json\n.*scalene view --cli mine\.json\n\Z",
    "profile saved, usual file": r"\n\nScalene: profile saved to scalene-profile\.json\n.*scalene view\n.*scalene view --cli\n\Z",
    "did not run for long enough": r"The specified code did not run for long enough to profile\.\n",
    "hint: --profile-all": r"only files under the program's folder.*\n.*--profile-all",
    "hint: patterns": r"--profile-only or --profile-exclude may leave out too much\.",
    "hint: a second or 10 MB": r"a second of work, or 10 MB of memory",
    "Scalene execution interrupted": r"Scalene execution interrupted\.\n\nScalene: profile saved",
    "received signal": r"received signal SIGSEGV\.\n\nScalene: profile saved",
    "traceback": r"(?s)Traceback.*\nZeroDivisionError: division by zero\n",
    "syntax error": r"SyntaxError: ",
    "Error in program being profiled": None,
    "JSON failed validation": None,
    "NOTE: NVIDIA without per-process accounting": None,
    # scalene view
    "profile file not found": r"profile file 'missing\.json' not found\.",
    "invalid JSON in profile file": r"invalid JSON in profile file 'bad\.json'\.",
    "no profile data": r"no profile data in 'empty\.json'\.",
    "Profile saved to: scalene-profile.html": r"\AProfile saved to: scalene-profile\.html\n\Z",
    "no browser": r"no browser with a window was found: open the address below in one\.",
    "--api-keys-from-env refused": r"--api-keys-from-env is for the page in the browser alone",
    # scalene profile
    "profiling turned on": r"\AScalene: profiling turned on\.\n",
    "profiling turned off": r"\AScalene: profiling turned off\.\n",
    "Process not found": r"Process 4194304 not found\.",
    "profile without options": r"--on, --off and --dump; --pid N",
    "profile of pid 0": r"--pid needs the number of a process, not '0'\.",
    # The API
    "ERROR: start() without scalene": None,
}


def assert_said(name: str, text: str) -> None:
    assert re.search(MESSAGES[name], text), f"{name}: {text!r}"
