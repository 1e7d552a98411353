# SPDX-License-Identifier: Apache-2.0
"""%scrun and %%scalene: profiles in the kernel that runs, shown where they were asked for.

    %load_ext scalene
    %scrun [options] statement
    %%scalene [options]

Options are those of `scalene run`. Code may await at its top level. The profile is shown inline as the page, in plain IPython as the
terminal view; `_scalene` holds it afterwards. Functions of other cells are shown as [N], N being the
number of the cell that defined them.
"""
import ast
import contextlib
import functools
import html
import inspect
import os
import shlex
import shutil
import tempfile
from types import CodeType
from typing import Any, Dict, Iterator, List, Optional, Tuple

from IPython.core.magic import Magics, line_cell_magic, line_magic, magics_class
from IPython.display import display

from scalene import agent
from scalene.result import Profile

# Options of `scalene run` that are followed by a value of their own.
_WITH_VALUE = ("-o", "--outfile", "-c", "--config", "--record", "--column-width", "--cpu-sampling-rate",
               "--profile-only", "--profile-exclude", "--program-path", "--cpu-percent-threshold", "--allocation-sampling-window",
               "--malloc-threshold", "--profile-interval")


def split_options(line: str) -> Tuple[List[str], str]:
    """The options at the beginning of a line, and the statement that follows them."""
    options: List[str] = []
    rest = line.strip()
    while rest.startswith("-"):
        word, _, rest = rest.partition(" ")
        rest = rest.lstrip()
        if word in ("---", "--"):
            break
        options.append(word)
        if word in _WITH_VALUE:
            value = shlex.split(rest)[0] if rest else ""
            options.append(value)
            rest = rest[len(rest.split()[0]):].lstrip() if rest else ""
    return options, rest


def _split_last(code: str) -> Tuple[ast.Module, Optional[ast.Expression]]:
    """The statements, and the expression at the end whose value is to be shown."""
    tree = ast.parse(code)
    is_silent = code.rstrip().endswith(";")
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not is_silent:
        last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
        return tree, last
    return tree, None


class _Cells:
    """The cells that were run so far, as files with their texts and a list of what they are called."""

    def __init__(self, shell: Any, folder: str):
        self.path = os.path.join(folder, "cells")
        names: Dict[str, int] = getattr(shell.compile, "_filename_map", {})
        with open(self.path, "w", encoding="utf-8", errors="surrogateescape") as cells:
            for name, number in names.items():
                text = self._text(name)
                if text is None or "\t" in name or "\n" in name:
                    continue
                path = os.path.join(folder, f"cell-{number}-{abs(hash(name))}.py")
                with open(path, "w", encoding="utf-8", errors="replace") as file:
                    file.write(text)
                cells.write(f"{name}\t[{number}]\t{path}\n")

    @staticmethod
    def _text(name: str) -> Optional[str]:
        import linecache
        entry = linecache.cache.get(name)
        return "".join(entry[2]) if entry and len(entry) > 2 else None


@magics_class
class ScaleneMagics(Magics):
    """The two magics."""

    @line_magic
    def scrun(self, line: str) -> Any:
        """%scrun [options] statement: profiles a statement."""
        return self._run(line)

    @line_cell_magic
    def scalene(self, line: str, cell: Optional[str] = None) -> Any:
        """%%scalene [options]: profiles the cell."""
        return self._run(line, cell)

    async def run_awaiting(self, line: str, cell: Optional[str]) -> Any:
        """A cell or statement that awaits: what `_rewrite` makes IPython call."""
        options, code = self._code(line, cell)
        parts = self._compile(code)
        try:
            with self._measuring(options):
                value = None
                for part in parts:
                    value = eval(part, self.shell.user_global_ns, self.shell.user_ns)  # pylint: disable=eval-used
                    value = await value if _awaits(part) else value
                return value
        except agent.Error as error:
            print(f"scalene: {error}")
            return None

    def _code(self, line: str, cell: Optional[str]) -> Tuple[List[str], str]:
        """The options, and what is to be run."""
        options, statement = split_options(line)
        # The magic's own line stays, as a comment: lines are numbered as the notebook shows them.
        return options, statement if cell is None else f"# %%scalene {line}".rstrip() + "\n" + cell

    def _compile(self, code: str) -> List[CodeType]:
        """Under the name of a cell of this number, so that its lines are known to everybody: the statements, and
        the expression at the end, if there is one."""
        shell = self.shell
        text = shell.transform_cell(code)
        number = _number(shell)
        try:
            name = shell.compile.cache(text, number, raw_code=code)
        except TypeError:  # before IPython 7.17
            name = shell.compile.cache(text, number)
        names = getattr(shell.compile, "_filename_map", None)
        if names is not None:
            names.setdefault(name, number)
        flags = shell.compile.flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        body, last = _split_last(text)
        parts = [compile(body, name, "exec", flags)]
        return [*parts, compile(last, name, "eval", flags)] if last else parts

    def _run(self, line: str, cell: Optional[str] = None) -> Any:
        options, code = self._code(line, cell)
        if not code.strip():
            print("scalene: there is nothing to run.")
            return None
        parts = self._compile(code)
        if any(map(_awaits, parts)):
            print("scalene: code that awaits needs %%scalene or %scrun as the first word of its cell.")
            return None
        try:
            with self._measuring(options):
                value = None
                for part in parts:
                    value = eval(part, self.shell.user_global_ns, self.shell.user_ns)  # pylint: disable=eval-used
                return value
        except agent.Error as error:
            print(f"scalene: {error}")
            return None

    @contextlib.contextmanager
    def _measuring(self, options: List[str]) -> Iterator[None]:
        """What is done within is measured; its profile is shown then, also after an exception."""
        folder = tempfile.mkdtemp(prefix="scalene-cells-")
        outfile = _take_outfile(options)
        try:
            cells = _Cells(self.shell, folder)
            session = agent.Loaded([*options, "--cells", cells.path],
                                   program=f"[{_number(self.shell)}]", root=os.getcwd())
            session.start()
            try:
                yield
            finally:
                session.stop()
                profile = Profile(session.profile)
                self.shell.user_ns["_scalene"] = profile
                if outfile:
                    profile.save(outfile)
                self._show(profile)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _show(self, profile: Profile) -> None:
        if not _has_activity(profile):
            print("scalene: the code did not run for long enough to profile.")
        elif hasattr(self.shell, "kernel"):
            display(_bundle(profile), raw=True)
        else:
            profile.show()


def _number(shell: Any) -> int:
    """The number of the cell that runs, by its place in the history: from IPython 9 on the counter is ahead by then."""
    return max(1, len(shell.history_manager.input_hist_parsed) - 1)


def _has_activity(profile: Profile) -> bool:
    return bool(profile) and bool(profile.files)


def _take_outfile(options: List[str]) -> str:
    """Takes -o out of the options: the file is written by us, when the profile is there."""
    for at, word in enumerate(options):
        if word in ("-o", "--outfile"):
            value = options[at + 1]
            del options[at:at + 2]
            return value
        if word.startswith("--outfile="):
            del options[at]
            return word.split("=", 1)[1]
    return ""


def _bundle(profile: Profile) -> Dict[str, str]:
    """The profile for a notebook: the page in a frame of its own, so that neither can disturb the
    other, and the table for whoever shows no HTML."""
    text = profile.text("--color", "never")
    page = profile.html()
    if page:
        shown = (f'<iframe srcdoc="{html.escape(page, quote=True)}" sandbox="allow-scripts allow-downloads '
                 'allow-popups" style="width: 100%; height: 640px; border: 1px solid #8884" '
                 'title="Scalene profile"></iframe>')
    else:
        shown = f"<pre>{html.escape(text)}</pre>"
    return {"text/html": shown, "text/plain": text}


def _awaits(code: CodeType) -> bool:
    return bool(code.co_flags & inspect.CO_COROUTINE)


def _rewrite(shell: Any, lines: List[str]) -> List[str]:
    """A magic is an ordinary call and cannot await: of a cell that is one of ours, and whose code awaits, is made
    one that awaits us. All others stay as they are."""
    words = lines[0].split() if lines else []
    is_cell = words[:1] == ["%%scalene"]
    if not is_cell and not (words[:1] in (["%scrun"], ["%scalene"]) and not "".join(lines[1:]).strip()):
        return lines
    line, cell = lines[0].strip()[len(words[0]):].strip(), "".join(lines[1:]) if is_cell else None
    code = split_options(line)[1] if cell is None else cell
    try:
        awaits = _awaits(compile(shell.transform_cell(code), "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
    except (SyntaxError, ValueError):
        return lines  # told by whoever runs it
    if not awaits:
        return lines
    call = "get_ipython().magics_manager.registry['ScaleneMagics'].run_awaiting"
    return [f"await {call}({line!r}, {cell!r})\n"]


def load(shell: Any) -> None:
    """%load_ext scalene."""
    shell.register_magics(ScaleneMagics)
    rewrite = functools.partial(_rewrite, shell)
    rewrite.scalene = True  # type: ignore[attr-defined]
    known = shell.input_transformers_cleanup
    known[:] = [one for one in known if not getattr(one, "scalene", False)] + [rewrite]
