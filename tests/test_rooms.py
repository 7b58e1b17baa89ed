"""The rooms of the package: each imports only from those before it, late imports included."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "de2ls"
CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"  # its table gives the order

# Below all rooms; `_processes` starts workers, `_threads` keeps BLAS to one thread, `_extras` names
# what is not installed.
SHARED = ("_checks", "_extras", "_lists", "_processes", "_threads", "_version")
ROOMS = tuple(re.findall(r"^\| `(\w+)/` \|", CONTRIBUTING.read_text(encoding="utf-8"), re.M))


def imported(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports, in functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports by a relative path"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def neighbours(path: Path) -> set[str]:
    """Return the rooms and shared modules that a file imports from; "" is the package's root."""
    found = set()
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "de2ls":
            first = parts[1] if len(parts) > 1 else ""
            found.add(first if first in (*SHARED, *ROOMS) else "")
    return found


def test_every_folder_is_a_room():
    assert {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()} == set(
        ROOMS
    )


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_those_before_it(room):
    allowed = {*SHARED, *ROOMS[: ROOMS.index(room) + 1], *([""] if room == "cli" else [])}
    wrong = {
        path.relative_to(PACKAGE).as_posix(): sorted(neighbours(path) - allowed)
        for path in (PACKAGE / room).rglob("*.py")
        if neighbours(path) - allowed
    }
    assert wrong == {}


@pytest.mark.parametrize("module", SHARED)
def test_shared_modules_import_no_room(module):
    assert neighbours(PACKAGE / f"{module}.py") <= set(SHARED)
