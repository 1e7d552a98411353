# SPDX-License-Identifier: Apache-2.0
"""Shows pickles of what __main__ defines."""
import pickle


class Point:
    def __init__(self, x):
        self.x = x


def function():
    return 5


print(pickle.dumps(Point(3), 2), pickle.loads(pickle.dumps(Point(4))).x)
print(pickle.dumps(function, 2), pickle.loads(pickle.dumps(function))())
print(Point, function.__module__, Point.__module__)
