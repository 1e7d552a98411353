# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests claim to see, by their marks: `@pytest.mark.sees(...)` and `@pytest.mark.says(...)`."""
import functools
import importlib.util
import re
from typing import Dict, List, Tuple

from harness import ROOT

E2E = ROOT / "test/e2e"
# A mark does not count as using what it names.
MARK = re.compile(r"@pytest\.mark\.(?:sees|says)\(.*?\)\n", re.S)


@functools.lru_cache(maxsize=None)
def claims(kind: str) -> Dict[str, List[Tuple[str, str]]]:
    """What the marks of this kind name, and who bears them: the text of the file without its marks, the function."""
    found: Dict[str, List[Tuple[str, str]]] = {}
    for path in sorted(E2E.glob("test_*.py")):
        text = path.read_text()
        if f"mark.{kind}(" not in text:
            continue
        spec = importlib.util.spec_from_file_location(f"claims_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for function in vars(module).values():
            for mark in getattr(function, "pytestmark", []):
                for name in mark.args if mark.name == kind else ():
                    found.setdefault(name, []).append((MARK.sub("", text), f"{path.name}: {function.__name__}"))
    return found
