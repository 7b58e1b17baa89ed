"""``de2ls import`` and ``de2ls export``: between a store and files of others."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from de2ls.cli import selection as chosen

if TYPE_CHECKING:
    from de2ls.competition.files import ResultFile, Submission
    from de2ls.competition.rules import Finding
    from de2ls.trials.record import TrialRecord

export_app = typer.Typer()
import_app = typer.Typer()


class Form(StrEnum):
    """For which program trials are written."""

    cec = "cec"
    ioh = "ioh"
    coco = "coco"


_SHOWN = 3  # findings of each rule


@export_app.command(epilog="Example: de2ls export results.db -o files --dim 30")
def export_files(
    store: chosen.StoreFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write into.")],
    algorithms: chosen.Algorithms = None,
    problems: chosen.Problems = None,
    suite: chosen.Suite = None,
    dim: chosen.Dim = None,
    definition: chosen.Definition = None,
    instance: chosen.Instance = None,
    form: Annotated[Form, typer.Option("--format", help="For whom.")] = Form.cec,
) -> None:
    """Write trials for other programs, one folder per series.

    cec: the competition's files NAME_CEC26_CSOP_F<k>.txt; trials on other suites, or on several
    dimensions, in files that name their problem. ioh: JSON and .dat files for IOHanalyzer. coco:
    archives of trials on bbob-constrained for cocopp.
    """
    from de2ls.campaigns.store import Store

    selection = chosen.selection(algorithms, problems, suite, dim, definition, instance)
    with Store.open(store, readonly=True) as opened:
        opened.check_selection(**selection)
        files = _writer(form)(opened.records(**selection), output)
    if form is Form.coco:
        typer.echo(f"{len(files)} archives written: {', '.join(map(str, files))}")
        return
    folders = sorted({str(file.parent) for file in files})
    typer.echo(f"{len(files)} files written into {', '.join(folders)}")


def _writer(form: Form) -> "Callable[[Iterable[TrialRecord], Path], list[Path]]":
    if form is Form.ioh:
        from de2ls.interop.iohprofiler import write_ioh

        return write_ioh
    if form is Form.coco:
        from de2ls.interop.coco_archive import write_coco

        return write_coco
    from de2ls.competition.export import write_records

    return write_records


@import_app.command(epilog="Example: de2ls import results.zip --dim 30 --store results.db")
def import_files(
    source: Annotated[Path, typer.Argument(help="A folder, a zip or one file.", metavar="SOURCE")],
    store: Annotated[Path, typer.Option(help="The store's file; created if missing.")] = Path(
        "results.db"
    ),
    dim: Annotated[
        int | None, typer.Option(help="Dimension, where the files do not tell it.")
    ] = None,
    definition: Annotated[str, typer.Option(help="report or cpp2017.")] = "report",
    instance: Annotated[int, typer.Option(help="0: the official data.")] = 0,
    label: Annotated[
        str | None, typer.Option(help="Name of the series.", show_default="from the files' names")
    ] = None,
    correct: Annotated[
        bool, typer.Option("--correct", help="Apply the rules to values that contradict them.")
    ] = False,
) -> None:
    """Read result files, the competition's in any layout that circulates, into a store.

    --dim, --definition and --instance are for files that do not name their problem.

    What contradicts the rules is reported and, without --correct, stored as it stands. If a file
    cannot be read, nothing is stored.
    """
    from de2ls.campaigns.store import Store
    from de2ls.competition.files import read_results

    if not source.exists():
        raise FileNotFoundError(f"there is no file or folder {source}")
    submission = read_results(source)
    _report(submission)
    if submission.refused:
        *others, last = submission.refused
        for error in others:
            typer.echo(f"error: {error}", err=True)
        raise last
    names = {file.algorithm for file in submission.files}
    if label is not None and len(names) > 1:
        raise ValueError(f"--label is for one algorithm; {source} has {', '.join(sorted(names))}")
    if not submission.files:
        raise ValueError(f"{source} holds no result file named <name>_F<k>.txt")
    files = [file.corrected() if correct else file for file in submission.files]
    trials = _trials(submission.source, files, (dim, definition, instance, label))
    with Store.open(store) as opened, opened.transaction():
        for record in trials:
            opened.insert(record)
    typer.echo(f"{len(trials)} trials from {len(files)} files stored in {store}")


def _trials(
    source: str, files: "list[ResultFile]", made_with: tuple[Any, ...]
) -> "list[TrialRecord]":
    """Return the runs of files; their environment names the file."""
    return [
        replace(record, environment={"source": f"{source}: {file.file}"})
        for file in files
        for record in file.records(*made_with)
    ]


def _report(submission: "Submission") -> None:
    """Print the first findings of every rule, and how many there are."""
    from de2ls._lists import count

    by_rule: dict[str, list[Finding]] = {}
    for finding in submission.findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    for rule, findings in by_rule.items():
        for finding in findings[:_SHOWN]:
            typer.echo(str(finding))
        if len(findings) > _SHOWN:
            files = count(len({finding.file for finding in findings}), "file")
            typer.echo(f"... {rule}: {len(findings)} findings in {files}")
    for name in submission.ignored:
        typer.echo(f"not read, no result file by its name: {name}")
