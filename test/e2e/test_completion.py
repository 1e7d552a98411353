# SPDX-License-Identifier: Apache-2.0
"""The manual page and what bash, zsh and fish complete: every option is in it, and the shells themselves take it."""
import re

import pytest
from harness import SCALENE, execute


def options_of(command):
    help_text = execute([SCALENE, command, "--help-advanced" if command == "run" else "--help"]).stdout
    return set(re.findall(r"^  (?:-\w, |    )--([\w-]+)", help_text, re.M))


@pytest.mark.parametrize("command", ["run", "view", "profile", "replay"])
def test_manual_and_completions_have_every_option(command):
    names = options_of(command)
    assert len(names) >= 3
    manual = execute([SCALENE, "manual"]).stdout.replace("\\-", "-")
    section = re.search(rf"^\.SS scalene {command} .*?(?=^\.S[SH])", manual, re.M | re.S).group()
    bash = re.search(rf'^    {command}\) options="(.*?)"', execute([SCALENE, "completion", "bash"]).stdout, re.M)
    zsh = re.search(rf"^    {command}\)\n.*?;;", execute([SCALENE, "completion", "zsh"]).stdout, re.M | re.S)
    fish = execute([SCALENE, "completion", "fish"]).stdout
    for name in names:
        assert f"--{name}" in section
        assert f"--{name}" in bash.group(1).split()
        assert re.search(rf"'--{name}=?\[", zsh.group())
        assert re.search(rf"from {command}' -l {name}\b", fish)


# What is typed, and what a shell makes of it.
TYPED = {"scalene run --profile-a": "--profile-all", "scalene vi": "view", "scalene view --ap": "--api-keys-from-env",
         "scalene view --cli prof": "profile-of-mine.json"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "profile-of-mine.json").write_text("{}")
    return tmp_path


def test_bash_completes(folder):
    script = f"source <({SCALENE} completion bash)\n" + "".join(
        f"COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _scalene; echo \"${{COMPREPLY[@]}}\"\n"
        for line in TYPED)
    assert execute(["bash", "-c", script], cwd=folder).stdout.split() == list(TYPED.values())


# Types each line into a zsh on a terminal of its own, then the tab key and #; tells what then stands there.
ZSH = """\
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -d $1/dump; PROMPT=REA''DY"
shift
for line in "$@"; do
    zpty -r -m z seen '*READY*'
    zpty -w -n z "$line"$'\\t#\\n'
    zpty -r -m z seen '*[#]*'
    print -r -- "$seen"
done
zpty -d z
"""


def test_zsh_completes(folder):
    functions = folder / ".functions"
    functions.mkdir()
    (functions / "_scalene").write_text(execute([SCALENE, "completion", "zsh"]).stdout)
    done = execute(["zsh", "-f", "-c", ZSH, "zsh", functions, *TYPED], cwd=folder)
    assert done.status == 0, done.stderr
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|[\x07\b\r]", "", done.stdout)
    for line, whole in TYPED.items():
        assert f"{line.rpartition(' ')[0]} {whole} " in shown, shown


def test_fish_completes(folder):
    script = f"source ({SCALENE} completion fish | psub)\n" + "".join(f"complete -C '{line}'\n" for line in TYPED)
    done = execute(["fish", "--no-config", "-c", script], cwd=folder)
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == list(TYPED.values()), done.stderr
    assert "\tshow a profile" in done.stdout, "with what it is for"


def test_manual_is_understood_by_man():
    result = execute(["groff", "-man", "-ww", "-Tascii", "-z", "-"], stdin=execute([SCALENE, "manual"]).stdout)
    assert result.status == 0 and result.stderr == ""
