# SPDX-License-Identifier: Apache-2.0
"""Names outside ASCII; the tests copy it to a path with spaces, a tab and other scripts too."""
import truth


def größe():  # @latin
    total = 0
    for zähler in range(1500):
        total += zähler & 7
    return total


def 計算():  # @wide
    x = 1
    for i in range(1500):
        x = (x * 31 + i) % 65521
    return x


class Ключ:  # @cyrillic
    def значение(self):
        x = 0
        for i in range(1500):
            x ^= i
        return x


PARTS = {"latin": größe, "wide": 計算, "cyrillic": Ключ().значение}
FUNCTIONS = ["größe", "計算", "Ключ.значение"]
truth.tell(spent=truth.rotate(PARTS, truth.seconds()), functions=FUNCTIONS)
