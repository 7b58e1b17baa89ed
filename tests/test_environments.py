"""The package on other machines: without extras, without POSIX, without a home, read-only."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXTRAS = ("typer", "rich", "jinja2", "markupsafe", "matplotlib", "pooch", "dask", "distributed")
OPTIONAL = (*EXTRAS, "pandas", "pymoo", "cocoex", "starlette", "uvicorn", "nlopt", "minionpy")
BLOCK = """
import sys
for name in {names!r}:
    sys.modules[name] = None
"""
CORE = """
import warnings
warnings.simplefilter("error")
import de2ls
problem = de2ls.cec2017(1, dim=3, instance=1)
print(de2ls.run_trial("de-rand-1-bin", problem, seed=1, max_evals=300).n_evals)
options = {"algorithm": "de-rand-1-bin", "max_evals": 200, "seed": 1}  # quick to compile
print(de2ls.minimize(lambda x: float(x @ x), [(-5, 5)] * 2, **options).feasible)
"""


def python(script: str, *, check: bool = True, **options: object) -> "subprocess.CompletedProcess":
    """Run a script in a process of its own."""
    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, **options
    )
    assert not check or process.returncode == 0, process.stderr
    return process


def blocked(*names: str) -> str:
    """Return the beginning of a script in which some modules cannot be imported."""
    return BLOCK.format(names=names)


def test_the_core_needs_no_extra() -> None:
    assert python(blocked(*OPTIONAL) + CORE).stdout == "300\nTrue\n"


def test_windows_has_no_fcntl_and_no_user_ids() -> None:
    """Everything imports and runs without the modules and functions of POSIX systems."""
    without_locks = "import os, warnings\nwarnings.simplefilter('ignore')\nimport filelock\n"
    script = blocked("fcntl", "pwd", "grp", "resource") + without_locks + "del os.getuid\n" + CORE
    everything = """
import importlib, pkgutil
for found in pkgutil.walk_packages(de2ls.__path__, "de2ls."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
"""
    assert python(script + everything).stdout == "300\nTrue\n"


@pytest.mark.parametrize(
    ("extra", "module", "use"),
    [
        ("report", "matplotlib", "de2ls.minimize(sum, [(0, 1)] * 2, max_evals=100).plot()"),
        ("report", "matplotlib", "from de2ls.reports.figures import new_figure; new_figure(1, 1)"),
        ("report", "jinja2", "from de2ls.reports.html import page; page(None, 'title', None)"),
        ("cli", "rich", "from de2ls.scores.tables import Table; Table.to_rich(None)"),
        ("cli", "rich", "from de2ls.campaigns.progress import LiveProgress; LiveProgress()"),
        ("pandas", "pandas", "from de2ls.scores.tables import Table; Table.to_frame(None)"),
        ("data", "pooch", "from de2ls.suites.cec2017.data import fetch; fetch('http://x')"),
        (
            "dask",
            "distributed",
            "from de2ls.campaigns.dask_executor import dask_workers; dask_workers('local', 1)",
        ),
        ("pymoo", "pymoo", "import de2ls.interop.pymoo"),
        ("studies", "cma", "from de2ls.studies.rivals import by_cma; by_cma(None, 1)"),
        ("dashboard", "uvicorn", "import de2ls.reports.dashboard.server"),
        ("coco", "cocoex", "import de2ls.interop.coco"),
    ],
)
def test_a_missing_extra_is_named(extra: str, module: str, use: str) -> None:
    process = python(f"{blocked(module)}\nimport de2ls\n{use}", check=False)
    last = process.stderr.splitlines()[-1]
    assert last == (
        f"de2ls._extras.MissingExtraError: {module} is not installed: pip install 'de2ls[{extra}]'"
    )


def test_an_extra_hides_no_other_missing_module() -> None:
    script = "from de2ls._extras import extra\nwith extra('cli'):\n    import no_such_module"
    assert (
        "ModuleNotFoundError: No module named 'no_such_module'"
        in python(script, check=False).stderr
    )


@pytest.mark.parametrize("module", ["typer", "rich"])
def test_the_command_without_its_extra_says_so(module: str) -> None:
    call = "from de2ls.__main__ import main\nsys.argv = ['de2ls', '--help']\nmain()"
    process = python(blocked(module) + call, check=False)
    assert process.returncode == 1
    assert process.stderr.count("\n") == 1
    assert "pip install 'de2ls[cli]'" in process.stderr


@pytest.mark.parametrize("cache", [True, False])
def test_containers_without_home_and_user_name(tmp_path: Path, cache: bool) -> None:
    """The user has neither a home nor an entry in passwd."""
    environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME")}
    environment["TMPDIR"] = str(tmp_path)
    environment.pop("DE2LS_CACHE_DIR", None)
    if cache:
        environment["DE2LS_CACHE_DIR"] = str(tmp_path / "cache")
    nobody = """
import pwd
def getpwuid(uid): raise KeyError(uid)
pwd.getpwuid = getpwuid
"""
    assert python(nobody + CORE, env=environment, cwd=tmp_path).stdout == "300\nTrue\n"
    used = [path.name for path in tmp_path.iterdir() if list(path.rglob("*.nbc"))]
    assert used == ["cache" if cache else f"de2ls-{tmp_path.stat().st_uid}"]
    assert not (tmp_path / "~").exists()


def test_a_read_only_installation(tmp_path: Path) -> None:
    package = Path(__file__).parents[1] / "src" / "de2ls"
    shutil.copytree(package, tmp_path / "de2ls", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (tmp_path / "de2ls", *(tmp_path / "de2ls").rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    # root needs to give up its right to write where it must not
    weak = ["setpriv", "--inh-caps=-all", "--bounding-set=-dac_override"]
    if hasattr(os, "getuid") and os.getuid() != 0:
        weak = []
    elif not shutil.which("setpriv"):
        pytest.skip("needs setpriv, or a user other than root")
    process = subprocess.run(
        [*weak, sys.executable, "-c", f"{CORE}print(de2ls.__file__)"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert process.stdout == f"300\nTrue\n{tmp_path / 'de2ls' / '__init__.py'}\n", process.stderr
    assert not list(tmp_path.rglob("__pycache__"))


def test_type_checkers_see_a_misspelt_name(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(
        "import de2ls\nreveal_type(de2ls.minimize)\nreveal_type(de2ls.minimise)\n"
    )
    process = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "user.py"],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(Path(__file__).parents[1] / "src")},
        capture_output=True,
        text=True,
    )
    assert re.search(r'user\.py:2: note: Revealed type is "def \(fun', process.stdout)
    assert re.search(r'user\.py:3: error: .*"minimise"', process.stdout)
