import os
import subprocess
import sys
from pathlib import Path

import pytest

from de2ls.cli import COMMANDS
from tests.campaigns.support import command, de2ls


def test_help_names_every_command(called):
    code, out, err = called("--help")
    assert (code, err) == (0, "")
    words = out.split()
    assert all(name in words for name in COMMANDS)
    promised = "run score report dashboard reproduce export import data list solve store"
    assert " ".join(COMMANDS) == promised


def test_help_loads_no_command_and_nothing_heavy():
    program = (
        "import sys\n"
        "from de2ls.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "loaded = [m for m in sys.modules if m.startswith('de2ls.cli.')]\n"
        "heavy = {'numba', 'scipy', 'numpy', 'matplotlib', 'plotly'} & sys.modules.keys()\n"
        "print('LOADED', loaded, sorted(heavy))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "LOADED [] []"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_without_loading_the_engine(name, called):
    code, out, err = called(name, "--help")
    assert (code, err) == (0, "")
    assert f"Usage: de2ls {name}" in out
    assert "completion" not in out  # that belongs to the root


def test_examples_stand_in_the_help(called):
    for name in ("run", "solve", "export", "import"):
        _, out, _ = called(name, "--help")
        assert f"de2ls {name}" in out.split("Usage:")[1].split("\n", 1)[1]


def test_flags_show_no_type_and_paragraphs_fit_the_window(called):
    for arguments in (["--help"], ["run", "--help"], ["store", "info", "--help"]):
        assert "bool" not in called(*arguments)[1]
    text = " ".join(called("import", "--help")[1].split())
    assert "stored as it stands. If a file cannot be read, nothing is stored." in text
    lines = [line.strip() for line in called("import", "--help")[1].splitlines()]
    assert not any(line.endswith("If a file") for line in lines)  # where the source breaks


def test_version(called):
    import de2ls as package

    assert called("--version") == (0, f"de2ls {package.__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rnu"], "there is no command 'rnu' (did you mean 'run'?) (see 'de2ls --help')"),
        (["--bla"], "No such option: --bla"),
        (["run", "--bla"], "No such option: --bla (see 'de2ls run --help')"),
        (["run", "--seed", "x"], "Invalid value for '--seed'"),
        (["run", "--executor", "thread"], "Invalid value for '--executor'"),
        (["export"], "Missing argument 'STORE'"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(called, arguments, message):
    code, out, err = called(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1


def test_an_error_is_one_line_and_debug_shows_its_traceback(called, tmp_path):
    path = str(tmp_path / "none.db")
    code, out, err = called("store", "info", path)
    assert (code, out, err) == (3, "", f"error: there is no store at {path}\n")
    for arguments in (["--debug", "store", "info", path], ["store", "info", path, "--debug"]):
        code, _, err = called(*arguments)
        assert code == 3
        assert "Traceback (most recent call last)" in err
        assert f"StoreError: there is no store at {path}" in err


def test_a_bug_says_how_to_see_more(called, monkeypatch):
    def broken(*_, **__):
        raise KeyError("inside")

    monkeypatch.setattr("de2ls.campaigns.store.Store.open", broken)
    code, _, err = called("store", "info", "a.db")
    assert code == 1
    assert err == "error: KeyError: 'inside' (add --debug for the traceback)\n"


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    done = subprocess.run(
        f"{sys.executable} -m de2ls list problems | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    assert "Broken" not in done.stderr


def test_the_installed_command_is_this_one():
    script = Path(sys.executable).with_name("de2ls")
    if not script.exists():
        pytest.skip("de2ls is not installed beside this interpreter")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == de2ls("--version").stdout


def completed(**variables):
    """Ask as a shell does that loads the completion, or whose user presses the tabulator key."""
    done = subprocess.run(
        command(),
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize(
    ("shell", "marker"), [("bash", "complete -o"), ("zsh", "#compdef de2ls"), ("fish", "complete")]
)
def test_completion_scripts(shell, marker):
    script = completed(_DE2LS_COMPLETE=f"source_{shell}")
    assert marker in script
    assert f"_DE2LS_COMPLETE=complete_{shell}" in script


def completions(words):
    variables = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    return completed(_DE2LS_COMPLETE="complete_bash", **variables).split()


def test_completion_of_commands_options_and_algorithms():
    assert set(completions("de2ls re")) == {"report", "reproduce"}
    assert "--paired" in completions("de2ls run --p")
    assert completions("de2ls run --executor p") == ["processes"]
    assert "de2ls,rdex" in completions("de2ls run --algorithms de2ls,rd")
