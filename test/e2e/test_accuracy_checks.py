# SPDX-License-Identifier: Apache-2.0
"""The accuracy checks themselves: made-up profiles, right ones and wrong ones, are told apart."""
import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from lib import checks, run, source  # noqa: E402  (found by the line above)
from lib.profile import Profile, frame_of  # noqa: E402

SAMPLES_PER_S = 250


def line(number, seconds, kind="python"):
    cost = {f"cpu_seconds_{k}": 0.0 for k in ("python", "native", "system")}
    cost[f"cpu_seconds_{kind}"] = seconds
    return {"lineno": number, "cpu_samples": int(seconds * SAMPLES_PER_S), **cost}


def made_up(tmp_path, program, spent, told, kind="python", stacks=(), **truth):
    """A run of a program that spent so much, with a profile that tells another story."""
    path = run.PROGRAMS / program
    line_of = {tag: number for number, tag in source.tags(path).items()}
    lines = [line(line_of[tag], seconds, kind) for tag, seconds in told.items()]
    story = {
        "files": {str(path): {"lines": lines, "functions": []}},
        "stacks": [[list(frames), facts] for frames, facts in stacks],
        "scalene": {"outside_seconds": 0.0, "processes": []},
    }
    file = tmp_path / "profile.json"
    file.write_text(json.dumps(story))
    return run.Run(run.Variant(), path, {"spent": spent, **truth}, Profile(file), doubt=0.0)


def is_accepted(judge, made):
    return all(measure.is_ok for measure in judge([made]))


SPENT = {"inline": 4.0, "calling": 6.0}


@pytest.mark.parametrize("moved, verdict", [(0.0, True), (0.2, True), (0.4, False), (-0.4, False)])
def test_share_off_by_more_than_three_points_is_refused(tmp_path, moved, verdict):
    told = {"inline": 4.0 + moved, "calling": 6.0 - moved}
    assert is_accepted(checks.shares(3), made_up(tmp_path, "bias.py", SPENT, told)) is verdict


def test_profile_without_samples_is_refused(tmp_path):
    empty = made_up(tmp_path, "bias.py", SPENT, {})
    assert not is_accepted(checks.shares(100), empty)
    assert not is_accepted(checks.all_of_kind("python", 97), empty)


@pytest.mark.parametrize("kind", ["python", "native"])
def test_wrong_kind_is_refused(tmp_path, kind):
    made = made_up(tmp_path, "bias.py", SPENT, SPENT, kind)
    assert is_accepted(checks.all_of_kind("python", 97), made) is (kind == "python")
    assert is_accepted(checks.all_of_kind("native", 95), made) is (kind == "native")


def frames(program, *places):
    return [f"{run.PROGRAMS / program} {function}:{number};" for function, number in places]


def chain(*, leaf="leaf_a", hot_line="return leaf_a(x)", is_whole=True):
    """A stack of chains.py: <module>, main, alternate, hot_a and a leaf."""
    lines = (run.PROGRAMS / "chains.py").read_text().splitlines()

    def at(text):
        return 1 + next(index for index, line in enumerate(lines) if line.strip() == text)

    outer = [("<module>", at("main()")), ("main", at("alternate()"))]
    inner = [("alternate", at("x = hot_a(x)")), ("hot_a", at(hot_line)), (leaf, 1)]
    return frames("chains.py", *(outer if is_whole else []), *inner)


CALLS = {"leaf_a": ["hot_a", "middle_a"], "leaf_b": ["hot_b", "middle_b"], "hot_a": ["alternate"]}


@pytest.mark.parametrize(
    "stack, facts, verdict",
    [
        (dict(), {}, True),
        (dict(leaf="leaf_b"), {}, False),
        (dict(hot_line="x = middle_a(x)"), {}, False),
        (dict(is_whole=False), {}, False),
        (dict(is_whole=False), {"is_cut": True}, True),
    ],
)
def test_torn_stacks_are_refused(tmp_path, stack, facts, verdict):
    stacks = [(chain(**stack), {"count": 20, **facts})]
    made = made_up(tmp_path, "chains.py", {}, {}, stacks=stacks, calls=CALLS, entry="<module>")
    assert is_accepted(checks.chains, made) is verdict


@pytest.mark.parametrize(
    "depth, facts, verdict",
    [(20, {}, True), (21, {}, False), (19, {}, False), (19, {"is_cut": True}, True)],
)
def test_recursion_of_another_depth_is_refused(tmp_path, depth, facts, verdict):
    places = [("start", 1)] + [("down", 2)] * depth + [("bottom", 3)]
    stacks = [(frames("recursion.py", *places), {"count": 300, **facts})]
    spent = {"bottom": 1.0}
    truth = {"depth": 20, "function": "down", "entry": "start"}
    made = made_up(tmp_path, "recursion.py", spent, spent, stacks=stacks, **truth)
    assert is_accepted(checks.recursion, made) is verdict


def test_frame_with_blanks_and_colons_in_its_path_is_read():
    frame = frame_of("/a b\t:c/x y.py Class.method:12;")
    assert (frame.path, frame.function, frame.line) == ("/a b\t:c/x y.py", "method", 12)
