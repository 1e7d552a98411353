# SPDX-License-Identifier: Apache-2.0
"""Nothing but allocation: dictionaries that grow, are copied and emptied again."""
import pyperf


def churn(loops: int) -> None:
    for _ in range(loops):
        kept: "dict[int, dict[str, int]]" = {}
        for i in range(2000):
            kept[i] = {"first": i, "second": i + 1, "third": i + 2}
            if i % 3 == 0:
                del kept[i // 2]
        dict(kept)


if __name__ == "__main__":
    pyperf.Runner().bench_time_func("dict_churn", churn)
