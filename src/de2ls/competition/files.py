"""The competition's result files, in every layout that circulates.

The proper file is ``<name>_CEC26_CSOP_F<k>.txt``: 2001 rows, first column FEs, then Min_EV and LCV
of run 1, run 2, ... Others come without the first column, with 2000 rows, transposed (a line per
run and quantity) or with other blanks. The layout is detected; values stay as they stand in the
file, and what contradicts the rules is reported as findings. `ResultFile.corrected` applies the
rules where the caller so decides.

Runs on any other problem have the same columns below a line that says whose they are:
``# {"label": "my-es", "problem": {"suite": "cec2006", "number": 1, "dim": 13}}``.
"""

import json
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.competition.layout import (
    FileFormatError,
    counts_up,
    first_drop,
    is_transposed,
    read_matrix,
)
from de2ls.competition.rules import (
    BEYOND_REPAIR,
    INFINITE_OBJECTIVE,
    ROWS,
    RUNS,
    Finding,
    check_evaluations,
    check_values,
    commonest_step,
    corrected,
    other_dimension,
)
from de2ls.problems.key import ProblemKey
from de2ls.scores.collection import feasible_tol
from de2ls.scores.groups import grouped
from de2ls.scores.pairwise import ends
from de2ls.scores.tables import Column, Table, Tabular
from de2ls.suites.registry import record_rule
from de2ls.trials.key import TrialKey
from de2ls.trials.record import TrialRecord

MAX_BYTES = 64 * 2**20  # a proper file has about 2 million
SUITE, PROBLEMS = "cec2017", 28

_NAME = re.compile(r"(?P<name>.+?)(_CEC\d+_CSOP)?_F(?P<k>\d{1,4})(_D(?P<dim>\d{1,5}))?\.txt", re.I)
_MARK = b"#"  # begins the line of a file that says whose runs it holds
_DAMAGED_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    IndexError,
)


@dataclass(frozen=True)
class Layout:
    """How a file was laid out."""

    transposed: bool
    has_evaluations: bool
    described: bool  # whether the first line says whose runs these are


@dataclass(frozen=True, eq=False)
class ResultFile:
    """The contents of one result file, unchanged, and what contradicts the rules."""

    file: str
    algorithm: str
    key: ProblemKey  # as far as the file tells: its name has no variant, and not always D
    layout: Layout
    evaluations: FloatArray | None  # (samples,)
    values: FloatArray  # (runs, samples, 2): Min_EV, LCV
    findings: tuple[Finding, ...]

    @property
    def contradictions(self) -> tuple[Finding, ...]:
        """The findings about values; the others are about the layout."""
        return tuple(finding for finding in self.findings if finding.row is not None)

    def corrected(self) -> "ResultFile":
        """Return the file with Min_EV and LCV as the rules want them.

        Objectives of infeasible points become NaN, what rises becomes the best so far, values
        below 1e-8 become 0. The findings of the result are those that remain.

        Raises
        ------
        FileFormatError
            If a violation is missing or negative: that cannot be corrected.
        """
        self._refuse(BEYOND_REPAIR)
        return _with_findings(replace(self, values=corrected(self.values, record_rule(self.key))))

    def _refuse(self, rules: Collection[str]) -> None:
        """Refuse the file if a value contradicts one of these rules."""
        for finding in self.contradictions:
            if finding.row is not None and finding.rule in rules:
                raise FileFormatError(self.file, finding.row, finding.text)

    def records(
        self,
        dim: int | None = None,
        definition: str = "report",
        instance: int | str = 0,
        label: str | None = None,
    ) -> list[TrialRecord]:
        """Return the runs as trial records; run r gets r as its seed, for want of the true one.

        Parameters
        ----------
        dim : int, optional
            Dimension D; by default the one that the file tells.
        definition, instance
            What the trials were made with, if the file does not tell.
        label : str, optional
            Name of the series; by default the algorithm's.

        Raises
        ------
        FileFormatError
            If evaluations are those of another dimension, or if a value cannot be scored: a
            violation that is missing or negative, an objective that is infinite.
        """
        key = self._whole_key(dim, definition, instance)
        self._refuse((*BEYOND_REPAIR, INFINITE_OBJECTIVE))
        evaluations = self.evaluations
        if evaluations is None:
            evaluations = _implied_evaluations(self.values.shape[1], key.dim)
        elif other_dimension(evaluations, key.dim):
            raise FileFormatError(
                self.file,
                1,
                f"evaluations go up in steps of {commonest_step(evaluations):g} to "
                f"{np.nanmax(evaluations):,.0f}; dim = {key.dim} has steps of {10 * key.dim}",
            )
        budget = int(evaluations[-1])
        return [
            TrialRecord(
                key=TrialKey(label or self.algorithm, key, run),
                algorithm=self.algorithm,
                config={},
                seed=run,
                max_evals=budget,
                n_evals=budget,
                curve=np.column_stack([evaluations, samples]),
                x=np.empty(0),
                f=float(samples[-1, 0]),
                g=np.empty(0),
                h=np.empty(0),
                violation=float(samples[-1, 1]),
                feasible=bool(feasible),
                stop="imported",
            )
            for run, (samples, feasible) in enumerate(
                zip(self.values, ends(self.values, feasible_tol(key)).feasible, strict=True),
                start=1,
            )
        ]

    def _whole_key(self, dim: int | None, definition: str, instance: int | str) -> ProblemKey:
        """Return the key, completed where only the file's name tells the problem."""
        known = self.key.dim or None
        if dim is None and known is None:
            raise ValueError(f"dim must be given: the name of {self.file} does not tell it")
        dim = _checks.integer("dim", known if dim is None else dim, 1)
        if known not in (None, dim):
            raise ValueError(f"dim must be {known}, as {self.file} says, got {dim}")
        if self.layout.described:
            return self.key
        from de2ls.suites.cec2017 import DEFINITIONS

        _checks.integer("dim", dim, 2)
        _checks.choice("definition", definition, DEFINITIONS)
        if not isinstance(instance, str):  # a digest of own data
            _checks.integer("instance", instance, 0)
        return replace(self.key, dim=dim).varied(definition=definition, instance=instance)


@dataclass(frozen=True, eq=False)
class Submission(Tabular):
    """All result files of a folder or zip."""

    source: str
    files: tuple[ResultFile, ...]  # sorted by algorithm, dimension and problem
    refused: tuple[FileFormatError, ...]
    ignored: tuple[str, ...]  # files that are no result files by their names

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What contradicts the rules, in all files."""
        return tuple(finding for file in self.files for finding in file.findings)

    def curves(self) -> dict[str, FloatArray]:
        """Return arrays (problems, runs, samples, 2) by algorithm, as `uscore` takes them.

        Raises
        ------
        ValueError
            If the algorithms do not have files on the same problems, in one dimension, or if an
            algorithm's files differ in the numbers of runs and samples.
        """
        series: dict[str, list[ResultFile]] = {}
        for file in self.files:
            series.setdefault(file.algorithm, []).append(file)
        groups = grouped(file.key for file in self.files)
        if len(groups) > 1:
            raise ValueError(f"files must be of one group, got {'; '.join(map(str, groups))}")
        problems = {
            name: ", ".join(file.key.label for file in files) for name, files in series.items()
        }
        if len(set(problems.values())) > 1:
            found = "; ".join(f"{name} has {numbers}" for name, numbers in problems.items())
            raise ValueError(f"algorithms must have files on the same problems, but {found}")
        for name, files in series.items():
            if len({file.values.shape for file in files}) > 1:
                raise ValueError(f"files of {name} must agree in numbers of runs and samples")
        return {name: np.stack([file.values for file in files]) for name, files in series.items()}

    def table(self) -> Table:
        """Return what was read, and the findings counted by rule."""
        rows = []
        for file in self.files:
            counts: dict[str, int] = {}
            for finding in file.findings:
                counts[finding.rule] = counts.get(finding.rule, 0) + finding.count
            findings = "; ".join(f"{rule}: {count}" for rule, count in counts.items())
            runs, samples = file.values.shape[:2]
            rows.append((file.algorithm, file.key.label, runs, samples, findings or None))
        columns = tuple(map(Column, ("algorithm", "problem", "runs", "samples", "findings")))
        notes = (
            *(f"refused: {error}" for error in self.refused),
            *(f"not read, no result file by its name: {name}" for name in self.ignored),
        )
        return Table(f"Result files in {self.source}", columns, tuple(rows), notes=notes)


def read_results(path: str | os.PathLike[str]) -> Submission:
    """Read the result files of a folder (and its subfolders), a zip, or one file.

    Parameters
    ----------
    path : path
        A file whose first line does not say whose runs it holds, and whose name does not look like
        ``<name>_F<k>.txt``, is listed as ignored.

    Returns
    -------
    Submission
        A file that cannot be read stands among the refused; the others are read all the same.
    """
    source = Path(path)
    if source.is_dir():
        members = _folder_members(source)
    elif zipfile.is_zipfile(source):
        members = _zip_members(source)
    else:
        return Submission(source.name, (read_file(source),), (), ())
    files: dict[tuple[str, ProblemKey], ResultFile] = {}
    refused, ignored = [], []
    for name, read in members:
        try:
            data = read() if name.lower().endswith(".txt") else b""
            if not data.startswith(_MARK) and not _NAME.fullmatch(_base(name)):
                ignored.append(name)
                continue
            file = parse(data, name)
            known = files.setdefault((file.algorithm, file.key), file)
            if known is not file:
                raise FileFormatError(name, 1, f"the same runs are given by {known.file}")
        except FileFormatError as error:
            refused.append(error)
    ordered = tuple(
        files[name, key]
        for name, key in sorted(files, key=lambda place: (place[0], place[1].dim, place[1]))
    )
    return Submission(source.name, ordered, tuple(refused), tuple(ignored))


def read_file(path: str | os.PathLike[str]) -> ResultFile:
    """Read one result file.

    Raises
    ------
    FileFormatError
        Naming file and row.
    """
    source = Path(path)
    return parse(_read_limited(source), source.name)


def parse(data: bytes, file: str) -> ResultFile:
    """Read the contents of a result file.

    Algorithm and problem are those of its first line, if that describes them, or of its name.
    """
    described = data.startswith(_MARK)
    first, _, rest = data.partition(b"\n")
    algorithm, key = _described(first, file) if described else _named(file)
    matrix = read_matrix(rest, file, 2) if described else read_matrix(data, file)
    transposed = is_transposed(matrix, file)
    matrix = matrix.T if transposed else matrix
    has_evaluations = matrix.shape[1] % 2 == 1
    if matrix.shape[1] < 2:
        raise FileFormatError(file, 1, "one number beside each sample: Min_EV or LCV is missing")
    if has_evaluations and not counts_up(matrix[:, 0]):
        row = 1 if transposed else first_drop(matrix[:, 0]) + 1
        raise FileFormatError(
            file,
            row,
            f"{matrix.shape[1]} numbers for each sample, an odd one: the first should count "
            "evaluations, but here it does not",
        )
    samples = matrix[:, 1:] if has_evaluations else matrix
    values = np.ascontiguousarray(samples.reshape(len(matrix), -1, 2).transpose(1, 0, 2))
    evaluations = matrix[:, 0].copy() if has_evaluations else None
    layout = Layout(transposed, has_evaluations, described)
    return _with_findings(ResultFile(file, algorithm, key, layout, evaluations, values, ()))


def description(algorithm: str, key: ProblemKey) -> str:
    """Return the line that says whose runs the file below it holds."""
    return f"# {json.dumps({'label': algorithm, 'problem': key.as_dict()})}"


def _described(line: bytes, file: str) -> tuple[str, ProblemKey]:
    """Return what `description` has written: algorithm and problem."""
    try:
        fields = json.loads(line[1:])
        found = TrialKey(fields["label"], ProblemKey.from_dict(fields["problem"]))
        _checks.integer("dim", found.problem.dim, 1)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise FileFormatError(file, 1, f"it does not say whose runs these are: {error}") from error
    return found.series, found.problem


def _named(file: str) -> tuple[str, ProblemKey]:
    """Return what a file's name tells: algorithm, problem and perhaps the dimension."""
    match = _NAME.fullmatch(_base(file))
    if match is None:
        raise FileFormatError(file, 1, "the name does not look like <name>_CEC26_CSOP_F<k>.txt")
    problem = int(match["k"])
    if not 1 <= problem <= PROBLEMS:
        raise FileFormatError(file, 1, f"the name says problem {problem}, expected 1 to {PROBLEMS}")
    return match["name"], ProblemKey(SUITE, problem, int(match["dim"] or 0))


def _with_findings(file: ResultFile) -> ResultFile:
    """Return the file with its findings: those of the layout first."""
    n_runs, n_samples = file.values.shape[:2]
    findings = []
    if file.layout.transposed:
        findings.append(Finding(file.file, "layout", "transposed: a line per run and quantity"))
    if file.evaluations is None:
        findings.append(Finding(file.file, "layout", "no column of evaluations"))
    if n_samples != ROWS and not file.layout.described:
        findings.append(Finding(file.file, "layout", f"{n_samples} samples instead of {ROWS}"))
    if n_runs != RUNS and not file.layout.described:
        findings.append(Finding(file.file, "layout", f"{n_runs} runs instead of {RUNS}"))
    row_of = _row_numbers(file.layout)
    if file.evaluations is not None:
        findings += check_evaluations(
            file.file, file.evaluations, file.key.dim or None, lambda sample: row_of(-1, sample, 1)
        )
    findings += check_values(file.file, file.values, record_rule(file.key), row_of)
    return replace(file, findings=tuple(findings))


def _row_numbers(layout: Layout) -> Callable[[int, int, int], int]:
    """Return the function from run (-1: the evaluations), sample and quantity to the file's row."""
    first = 1 + layout.described
    if layout.transposed:
        return lambda run, _, quantity: first + layout.has_evaluations + 2 * run + quantity
    return lambda _run, sample, _quantity: first + sample


def _implied_evaluations(samples: int, dim: int) -> FloatArray:
    """Return the evaluations of files without that column; N0 in row 0 is not known."""
    if samples not in (ROWS, ROWS - 1):
        raise ValueError(
            f"a file without a column of evaluations must have {ROWS} or {ROWS - 1} samples, "
            f"got {samples}: it does not tell at which evaluations they were taken"
        )
    column: FloatArray = 10.0 * dim * np.arange(ROWS, dtype=np.float64)
    column[0] = np.nan
    return column[-samples:]


Read = Callable[[], bytes]


def _base(name: str) -> str:
    return re.split(r"[/\\]", name)[-1]


def _folder_members(folder: Path) -> Iterator[tuple[str, Read]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), partial(_read_limited, path)


def _read_limited(path: Path) -> bytes:
    with path.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    return _limited(data, path.name)


def _zip_members(path: Path) -> Iterator[tuple[str, Read]]:
    try:
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                if not name.endswith("/"):
                    yield name, partial(_read_member, archive, name)
    except _DAMAGED_ZIP as error:
        raise FileFormatError(path.name, 1, f"damaged zip: {error}") from error


def _read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        with archive.open(name) as stream:
            data = stream.read(MAX_BYTES + 1)
    except _DAMAGED_ZIP as error:
        raise FileFormatError(name, 1, f"damaged zip: {error}") from error
    return _limited(data, name)


def _limited(data: bytes, name: str) -> bytes:
    if len(data) > MAX_BYTES:
        raise FileFormatError(name, 1, f"more than {MAX_BYTES} bytes")
    return data
