"""The CEC contests' result files: their layout and rules, import and export."""

from de2ls.competition.export import write_file, write_records
from de2ls.competition.files import ResultFile, Submission, read_file, read_results
from de2ls.competition.layout import FileFormatError
from de2ls.competition.rules import Finding

__all__ = [
    "FileFormatError",
    "Finding",
    "ResultFile",
    "Submission",
    "read_file",
    "read_results",
    "write_file",
    "write_records",
]
