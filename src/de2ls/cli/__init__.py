"""The command line: ``de2ls COMMAND``, one module per command.

Each module defines ``app``, a `typer.Typer`: with one command it is mounted as that command, with
several as a group. It is imported when its command is called, and imports what is heavy inside its
functions. A command reports bad input by raising an exception whose message is fit to print, and
ends with another exit code than 0 or 1 by ``raise typer.Exit(code)``.
"""

import contextlib
import inspect
import logging
import os
import sys
import traceback
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

if TYPE_CHECKING:
    from de2ls.campaigns.campaign import Outcome

# Exit codes; docs/cli.md explains them.
FAILED = 1
USAGE = 2
STORE = 3
INTERRUPTED = 130

# Command: module and the line in `de2ls --help`.
COMMANDS = {
    "run": ("run", "Run a campaign: algorithms x problems x runs into a store; or resume it."),
    "score": ("score", "Score a store: U-scores with intervals, ranks and tests."),
    "report": ("report", "Write tables, figures and one HTML page from a store."),
    "dashboard": ("dashboard", "Follow a campaign on a local page that renews itself."),
    "reproduce": ("reproduce", "Run a published comparison and set it beside the figures."),
    "export": ("transfer:export_app", "Write result files from a store."),
    "import": ("transfer:import_app", "Read result files into a store."),
    "data": ("data", "Show, install or download the official CEC 2017 data."),
    "list": ("listing", "List suites, problems and algorithms."),
    "solve": ("solve", "Minimise the problem in a Python file of yours."),
    "store": ("store", "Look into a store, verify, merge or shrink it."),
}


_end_at_once = os._exit
_WIDEST = 200  # columns of a table that goes into a file
_OF_THE_ROOT = ("install_completion", "show_completion")


class LazyGroup(TyperGroup):
    """The root: knows its commands by name and loads a module when its command is used."""

    _listing = False  # while names are shown, the table above is all that is needed

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the table's order."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command; an unknown name is an error that suggests the nearest one."""
        if cmd_name not in COMMANDS:
            if ctx.resilient_parsing:  # the shell asks for completions
                return None
            from de2ls._lists import nearest

            ctx.fail(f"there is no command {cmd_name!r}{nearest(cmd_name, COMMANDS)}")
        place, summary = COMMANDS[cmd_name]
        if self._listing:
            return TyperCommand(name=cmd_name, short_help=summary)
        module, _, name = place.partition(":")
        command = get_command(getattr(import_module(f"de2ls.cli.{module}"), name or "app"))
        command.name = cmd_name
        command.params = [param for param in command.params if param.name not in _OF_THE_ROOT]
        _tidy(command, ctx)
        self.commands[cmd_name] = command
        return command

    @contextlib.contextmanager
    def _table_only(self) -> Iterator[None]:
        self._listing = True
        try:
            yield
        finally:
            self._listing = False

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the root without loading any command."""
        _hide_types_of_flags(self, ctx)
        with self._table_only():
            super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Return the commands and options that fit, without loading any command."""
        with self._table_only():
            return super().shell_complete(ctx, incomplete)


def _tidy(command: Any, ctx: Any) -> None:
    """Let the window break the lines of a command's help, and show no type beside a flag."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    command.help = "\n\n".join(text.replace("\n", " ") for text in paragraphs)
    _hide_types_of_flags(command, ctx)
    for inner in getattr(command, "commands", {}).values():
        _tidy(inner, ctx)


def _hide_types_of_flags(command: Any, ctx: Any) -> None:
    """Take away the ``<bool>`` beside flags, which reads as if they took a value."""
    for param in command.get_params(ctx):
        if getattr(param, "is_flag", False):
            param.metavar = ""


def print_tables(*tables: Any, markup: bool = True) -> None:
    """Write Rich's tables, as wide as they are where no window limits them.

    Without `markup` square brackets in users' text are only text.
    """
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDEST)
    for table in tables:
        console.print(table, markup=markup)


def end_interrupted(outcome: "Outcome") -> NoReturn:
    """End after a campaign was stopped; at once if its running trials are given up."""
    if outcome.abandoned:
        sys.stdout.flush()
        _end_at_once(INTERRUPTED)
    raise typer.Exit(INTERRUPTED)


def silence_compilation() -> None:
    """Leave out the notice that something is being compiled: for --quiet and --json."""
    logging.getLogger("de2ls.compile").setLevel(logging.ERROR)


def _print_version(wanted: bool) -> None:
    if wanted:
        from de2ls import __version__

        typer.echo(f"de2ls {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; may be given anywhere.")
    ] = False,
) -> None:
    """Constrained black-box optimization: run, compare and report differential evolution."""
    del version, debug


def main(argv: list[str] | None = None) -> None:
    """Run the command line and end the process with its exit code.

    Parameters
    ----------
    argv : list of str, optional
        The arguments after the program's name; by default those of this process.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in arguments
    try:
        with _no_silent_end():
            code = get_command(app).main(
                [argument for argument in arguments if argument != "--debug"],
                prog_name="de2ls",
                standalone_mode=False,
            )
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FAILED
    except Exception as error:  # turn an error into one line
        if debug:
            traceback.print_exc()
        else:
            _say(error)
        code = _exit_code(error)
    sys.exit(code)


@contextlib.contextmanager
def _no_silent_end() -> Iterator[None]:
    """Let `os._exit` in a user's file, run in this process, be an exit that is noticed."""
    os._exit = sys.exit  # type: ignore[assignment]
    try:
        yield
    finally:
        os._exit = _end_at_once


def _say(error: Exception) -> None:
    text = _one_line(error)
    if text:  # there is nothing to add after the help of a command without arguments
        typer.echo(f"error: {text}", err=True)


def _one_line(error: Exception) -> str:
    if isinstance(error, typer.TyperException):
        context, text = getattr(error, "ctx", None), error.format_message()
        return f"{text} (see '{context.command_path} --help')" if context and text else text
    text = " ".join(str(error).split())
    if isinstance(error, OSError) and error.strerror and error.filename:  # without its number
        text = f"{error.filename}: {error.strerror}"
    if isinstance(error, ValueError | TypeError | OSError | RuntimeError | ImportError) and text:
        return text
    return f"{type(error).__name__}: {text} (add --debug for the traceback)"


def _exit_code(error: Exception) -> int:
    import sqlite3

    if isinstance(error, typer.TyperException):
        return error.exit_code
    from de2ls.campaigns.errors import StoreError

    return STORE if isinstance(error, StoreError | sqlite3.Error) else FAILED
