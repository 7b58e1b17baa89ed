#!/bin/sh
# Compare a search of your own with DE-2LS and RDEx, on G1-G12 and on two problems of your own.
# Usage: compare.sh [FOLDER [RUNS [EVALUATIONS]]]; the results go to FOLDER, "comparison" by default.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-comparison} runs=${2:-25} evals=${3:-20000}
mkdir -p "$folder"

set -- --algorithms "$here/../evolution_strategy.py,de2ls,rdex" \
    --suite cec2006 --problems "G1-G12,$here/disk.py,$here/bowls.py" --dim 5,10 \
    --runs "$runs" --max-evals "$evals" --workers 2 --store "$folder/results.db"

# The power may fail at any moment: here the campaign is killed after its first trials.
de2ls run "$@" --json > "$folder/first.log" 2>&1 &
until grep -q '"event": "trial"' "$folder/first.log"; do
    kill -0 $! # an end of its own before the first trial is an error
    sleep 0.1
done
kill -KILL $!
wait $! || true

de2ls run "$@" # the same command continues; what is stored is not run again
de2ls score "$folder/results.db" > "$folder/scores.txt"
de2ls report "$folder/results.db" --output "$folder/report"
