# SPDX-License-Identifier: Apache-2.0
"""Nothing but allocation: bytes of many sizes, some of them kept for a while."""
import pyperf


def churn(loops: int) -> None:
    sizes = [1 + i * i % 4001 for i in range(1000)]
    for _ in range(loops):
        kept = [b""] * 64
        for i, size in enumerate(sizes):
            kept[i % 64] = bytes(size)


if __name__ == "__main__":
    pyperf.Runner().bench_time_func("bytes_churn", churn)
