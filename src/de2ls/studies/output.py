"""Writing a reproduction: small files that can be kept in a repository."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from de2ls._version import __version__
from de2ls.campaigns.maintenance import StoreInfo
from de2ls.reports.figures import save
from de2ls.reports.tables import write_tables
from de2ls.scores import Table
from de2ls.studies.scale import Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass
class Output:
    """What a reproduction writes."""

    title: str
    introduction: Sequence[str]
    tables: dict[str, Table] = field(default_factory=dict)  # for readers and as CSV
    machines: dict[str, Table] = field(default_factory=dict)  # as CSV only
    figures: "dict[str, Figure]" = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)  # of the figures
    shown: Sequence[str] = ()  # tables that the README itself contains

    def write(self, folder: Path, provenance: Sequence[str]) -> None:
        """Write README, tables and figures."""
        write_tables(folder, self.tables, self.machines, latex=False)
        for name, figure in self.figures.items():
            save(figure, folder, name, formats=("png",))
        (folder / "README.md").write_text(self._readme(provenance), encoding="utf-8")

    def _readme(self, provenance: Sequence[str]) -> str:
        links = [
            f"- [{table.title}]({name}.md) ([CSV]({name}.csv))"
            for name, table in self.tables.items()
            if name not in self.shown
        ]
        links += [f"- [{table.title}]({name}.csv)" for name, table in self.machines.items()]
        parts = [
            f"# {self.title}",
            *self.introduction,
            *(self.tables[name].to_markdown() for name in self.shown),
            *(f"![{name}]({name}.png)\n\n*{self.captions[name]}*" for name in self.figures),
            "## Tables",
            "\n".join(links),
            "## Provenance",
            "\n".join(f"- {line}" for line in provenance),
        ]
        return "\n\n".join(parts) + "\n"


def provenance(command: str, scale: Scale, info: StoreInfo, labels: Sequence[str]) -> list[str]:
    """Return how the trials were made, in words that hold on any machine."""
    series = {s.label: s for s in info.series if s.label in labels}
    settings = f"D = {scale.dim}, {scale.budget:,} evaluations, {scale.runs} runs"
    data = "official data" if scale.instance == 0 else f"generated data, instance {scale.instance}"
    return [
        f"command: `{command}`",
        f"de2ls {__version__}; campaign seed {scale.seed}; {settings}; {data}",
        "the seed of a trial is derived from the campaign seed, the label, the problem and the run "
        "(`de2ls.campaigns.seeds.trial_seed`); trials with shared random numbers leave the label "
        "out",
        f"trials by {environments(info)}",
        "series: " + ", ".join(f"{label} ({s.algorithm})" for label, s in series.items()),
    ]


def environments(info: StoreInfo) -> str:
    """Return where the trials of a store were made: versions and machines."""
    texts: Mapping[str, None] = dict.fromkeys(
        f"de2ls {env.version} with "
        + ", ".join(f"{name} {value}" for name, value in env.description.items())
        for env in info.environments
    )
    return "; ".join(texts)
