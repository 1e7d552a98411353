# SPDX-License-Identifier: Apache-2.0
"""Ends in the way its argument names: python end.py WAY."""
import atexit
import ctypes
import os
import resource
import signal
import sys
import threading


class OwnExit(SystemExit):
    pass


class OwnError(Exception):
    def __str__(self):
        return "of our own"


def throw(error):
    raise error


def at_signal(number, handler=None):
    if handler:
        signal.signal(number, handler)
    os.kill(os.getpid(), number)


def in_thread(function):
    thread = threading.Thread(target=function, name="worker")
    thread.start()
    thread.join()


def in_child(status):
    child = os.fork()
    if child == 0:
        sys.exit(status)
    sys.exit(os.waitpid(child, 0)[1] >> 8)


def closed_output():
    sys.stdout.write("lost")
    os.close(1)


def cpu_limit():
    resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
    while True:
        pass


WAYS = {
    "plain": lambda: None,
    "none": lambda: sys.exit(None),
    "zero": lambda: sys.exit(0),
    "three": lambda: sys.exit(3),
    "255": lambda: sys.exit(255),
    "256": lambda: sys.exit(256),
    "minus": lambda: sys.exit(-1),
    "huge": lambda: sys.exit(1 << 70),
    "true": lambda: sys.exit(True),
    "text": lambda: sys.exit("a text for stderr"),
    "tuple": lambda: sys.exit((1, 2)),
    "own_exit": lambda: throw(OwnExit(6)),
    "error": lambda: throw(OwnError()),
    "interrupt": lambda: throw(KeyboardInterrupt()),
    "generator_exit": lambda: throw(GeneratorExit()),
    "_exit": lambda: os._exit(5),
    "abort": os.abort,
    "segfault": lambda: ctypes.string_at(0),
    "kill": lambda: at_signal(signal.SIGKILL),
    "term": lambda: at_signal(signal.SIGTERM),
    "term_handled": lambda: at_signal(signal.SIGTERM, lambda n, frame: sys.exit(17)),
    "int": lambda: at_signal(signal.SIGINT),
    "int_default": lambda: at_signal(signal.SIGINT, signal.SIG_DFL),
    "int_handled": lambda: at_signal(signal.SIGINT, lambda n, frame: print("handled")),
    "int_ignored": lambda: at_signal(signal.SIGINT, signal.SIG_IGN),
    "hup": lambda: at_signal(signal.SIGHUP),
    "quit": lambda: at_signal(signal.SIGQUIT),
    "usr1": lambda: at_signal(signal.SIGUSR1),
    "alarm": lambda: at_signal(signal.SIGALRM),
    "prof": lambda: at_signal(signal.SIGPROF),
    "realtime": lambda: at_signal(signal.SIGRTMIN + 5),
    "pipe": lambda: at_signal(signal.SIGPIPE, signal.SIG_DFL),
    "cpu_limit": cpu_limit,
    "thread_exit": lambda: in_thread(lambda: sys.exit(4)),
    "thread_error": lambda: in_thread(lambda: throw(OwnError())),
    "child": lambda: in_child(9),
    "atexit_error": lambda: atexit.register(throw, OwnError()),
    "atexit_exit": lambda: atexit.register(os._exit, 11),
    "closed_output": closed_output,
}

if __name__ == "__main__":
    print("begins", flush=True)
    WAYS[sys.argv[1]]()
