"""The page of a comparison of solvers: tables, figure, and what they stand on."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from de2ls._version import __version__
from de2ls.reports.figures import log_axis, new_figure, save, style
from de2ls.reports.palette import looks
from de2ls.scores.hitting import PRECISIONS
from de2ls.scores.tables import Table
from de2ls.studies.optima import COCO
from de2ls.studies.practitioners import (
    group,
    groups,
    solved_shares,
    solved_table,
    solver_table,
    solvers_of,
    target_shares,
    target_table,
    title_of,
)
from de2ls.studies.rivals import SLACK
from de2ls.studies.runs import SOLVED, Run

COARSE = PRECISIONS[:41]  # down to 1e-6

TEXT = """# {title}

`{command}` (de2ls {version}) made or completed the runs in [runs.csv](runs.csv), of which this page
is made: {problems} problems, {seeds} seeds at the most. An evaluation is one point, objective and
constraints together, counted alike for all. A run counts by its best feasible point: no constraint
over its tolerance by more than {slack:g}. The limit of CPU time of a run was {seconds:g} s in this
call; a run that it cuts counts by what it had found.
{seen}
{tables}

![Share of runs within {solved:g} of the best known value](profiles.png)

*Share of runs within {solved:g} of the best known value against evaluations per dimension: the
longest runs of each solver.*
"""

SEEN_TEXT = """
"Seen in design": COCO's first instances in D = 2, 5 and 10, on which CHORUS was made; its other
instances and dimensions were not used.
"""


def write_page(
    runs: Sequence[Run],
    budgets: Sequence[int],
    folder: Path,
    title: str,
    command: str,
    max_seconds: float,
) -> Table:
    """Write tables and figure into a folder; return the table of who leads."""
    leads = solved_shares(runs, budgets).leads(f"Who leads: problems solved to {SOLVED:g}")
    tables = [leads, solved_table(runs, budgets)]
    has_coco = any(run.case.key.suite == COCO for run in runs)
    if has_coco:
        shares = target_shares(runs, budgets, PRECISIONS)
        tables.append(shares.leads("Who leads: share of COCO's targets"))
        tables += [target_table(runs, budgets, aims) for aims in (PRECISIONS, COARSE)]
    tables.append(solver_table(runs))
    folder.mkdir(parents=True, exist_ok=True)
    draw_profiles(runs, folder)
    text = TEXT.format(
        title=title,
        command=command,
        version=__version__,
        problems=len({run.case.key for run in runs}),
        seeds=len({run.case.seed for run in runs}),
        slack=SLACK,
        seconds=max_seconds,
        seen=SEEN_TEXT if has_coco else "",
        tables="\n".join(table.to_markdown() for table in tables),
        solved=SOLVED,
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
    return leads


def draw_profiles(runs: Sequence[Run], folder: Path) -> None:
    """Draw the share of (problem, seed) pairs solved against evaluations per dimension."""
    solvers = solvers_of(runs)
    longest = {s: max(r.case.budget for r in runs if r.case.solver == s) for s in solvers}
    chosen = [run for run in runs if run.case.budget == longest[run.case.solver]]
    names, styles = list(groups(chosen)), looks(solvers)
    across = min(4, len(names))
    down = -(-len(names) // across)
    with style():
        figure = new_figure(3.4 * across + 2.4, 2.9 * down)
        panels = figure.subplots(down, across, sharey=True, squeeze=False).ravel()
        for axes, name in zip(panels, names, strict=False):
            for solver in solvers:
                at = np.sort(
                    [
                        run.solved_at
                        for run in chosen
                        if run.case.solver == solver and group(run.case.key) == name
                    ]
                )
                share = np.arange(1, at.size + 1) / max(1, at.size)
                dash = styles[solver].dash
                axes.step(
                    at,
                    share,
                    where="post",
                    label=title_of(solver),
                    color=styles[solver].light,
                    linestyle=(0, dash) if dash else "-",
                )
            log_axis(axes.xaxis, 1.0, max(longest.values()))
            axes.set(ylim=(0, 1), title=name)
        for axes in panels[len(names) :]:
            axes.set_axis_off()
        figure.supxlabel("evaluations / D")
        figure.supylabel(f"share of runs within {SOLVED:g}")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper")
        save(figure, folder, "profiles", formats=("png",))
