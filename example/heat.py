# SPDX-License-Identifier: Apache-2.0
"""A numpy program to look at: heat spreads over a plate, and three of its lines are worth a change."""
import json

import numpy as np

SIZE = 600


def plate() -> np.ndarray:
    grid = np.zeros((SIZE, SIZE))
    grid[0, :] = 100.0
    grid[:, 0] = np.linspace(100.0, 0.0, SIZE)
    return grid


def step(grid: np.ndarray) -> np.ndarray:
    inner = grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]
    after = grid.copy()
    after[1:-1, 1:-1] = inner / 4.0
    return after


def warmest(grid: np.ndarray) -> float:
    """A loop where one call of numpy would do."""
    most = 0.0
    for row in grid[1:-1:4]:
        for value in row:
            if value > most:
                most = value
    return most


def snapshot(grid: np.ndarray, shots: list) -> None:
    """Copies all of it into Python objects, and keeps them."""
    shots.append([list(row) for row in grid[::4]])


def smooth(grid: np.ndarray) -> np.ndarray:
    kernel = np.exp(-np.abs(np.arange(SIZE)[:, None] - np.arange(SIZE)) / 8.0)
    return kernel @ grid @ kernel / kernel.sum()


def main() -> None:
    grid = plate()
    shots: list = []
    for n in range(400):
        grid = step(grid)
        if n % 4 == 0:
            warmest(grid)
        if n % 16 == 0:
            snapshot(grid, shots)
    for _ in range(12):
        grid = smooth(grid)
    print(len(json.dumps(shots[-1])), "bytes for the last picture")


main()
