"""A check of LaTeX tables where no TeX is installed: what would stop a compiler."""

import re

COMMANDS = {
    *("begin", "end", "centering", "caption", "toprule", "midrule", "bottomrule", "textbf"),
    *("par", "smallskip", "footnotesize", "textbackslash", "textasciicircum", "textasciitilde"),
    *("textless", "textgreater", "textbar", "pm", "approx"),
}


def faults(text: str) -> list[str]:
    """Return what is wrong with a table: braces, environments, commands, cells per row."""
    found = []
    bare = re.sub(r"\\[\\{}$&#%_]", "", text)  # escaped letters and row ends
    if bare.count("{") != bare.count("}"):
        found.append("unbalanced braces")
    if bare.count("$") % 2:
        found.append("unbalanced $")
    open_environments: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", bare):
        if kind == "begin":
            open_environments.append(name)
        elif not open_environments or open_environments.pop() != name:
            found.append(f"wrong end of {name}")
    found += [f"{name} is open" for name in open_environments]
    found += [
        f"unknown \\{name}" for name in re.findall(r"\\([A-Za-z]+)", bare) if name not in COMMANDS
    ]
    found += [f"special letter {letter}" for letter in re.findall(r"[#%_^~]", bare)]
    found += _row_faults(text)
    return found


def _row_faults(text: str) -> list[str]:
    align = re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)
    if align is None:
        return ["no tabular"]
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    cells = [len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows]
    return [f"row with {n} cells" for n in cells if n != len(align[1])] or (
        [] if rows else ["no rows"]
    )
