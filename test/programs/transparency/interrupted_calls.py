# SPDX-License-Identifier: Apache-2.0
"""Shows blocking calls while another thread works."""
import os
import select
import socket
import threading
import time

stop = False


def work():
    while not stop:
        sum(range(1000))


thread = threading.Thread(target=work)
thread.start()
read, write = os.pipe()
print(select.select([read], [], [], 0.1), select.poll().poll(50))
left, right = socket.socketpair()
left.settimeout(0.1)
try:
    left.recv(1)
except socket.timeout as error:
    print(error)
begin = time.monotonic()
time.sleep(0.1)
print(time.monotonic() - begin >= 0.1, threading.Event().wait(0.05), threading.Lock().acquire(timeout=1))
stop = True
thread.join()
