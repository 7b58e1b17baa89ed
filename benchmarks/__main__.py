"""Run every ``bench_*.py`` of this folder, or those named on the command line."""

import sys
from importlib import import_module
from pathlib import Path


def main(names: list[str]) -> None:
    """Run the benchmarks with these names, all of them by default."""
    known = sorted(
        path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py")
    )
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise SystemExit(f"no benchmark {', '.join(unknown)}; there are: {', '.join(known)}")
    for name in names or known:
        module = import_module(f"benchmarks.bench_{name}")
        print(f"== {name}: {(module.__doc__ or '').splitlines()[0]}")
        module.main()
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
