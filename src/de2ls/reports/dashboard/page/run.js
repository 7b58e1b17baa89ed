// A single run of minimize: its tiles, its history and its incumbent.
"use strict";

const QUIET = 30; // seconds without a checkpoint after which a run may have ended

function runSituation(now) {
  if (now.over) return ["complete", "Ended", `The run has ended (${now.over}).`];
  const since = clock() - now.written;
  if (since < QUIET) return ["running", "Running", `${now.algorithm} with seed ${now.seed} is running.`];
  return ["stopped", "Nothing new", `No checkpoint was written for ${duration(since)}: the run was stopped, or one evaluation takes long. The same call continues it.`];
}

function showRunTiles(now) {
  const speed = now.seconds > 0 ? now.n_evals / now.seconds : 0;
  const left = speed > 0 && !now.over ? (now.budget - now.n_evals) / speed : null;
  element("tiles").replaceChildren(
    tile("Evaluations", whole(now.n_evals), `of ${whole(now.budget)}, ${Math.floor(share(now.n_evals, now.budget))} %`),
    tile("Objective", number(now.f, 8), now.feasible ? "feasible" : "not feasible", now.feasible ? "" : "bad"),
    tile("Violation", number(now.violation), "summed over the constraints"),
    tile("Time left", left === null ? "–" : `at most ${duration(left)}`, `written ${age(now.written)}, after ${duration(now.seconds)} of work`),
  );
  element("series").replaceChildren(meter("Budget", { done: now.n_evals, planned: now.budget, failed: 0 }, "var(--accent)"));
  document.title = `${Math.floor(share(now.n_evals, now.budget))} % · ${now.source}`;
}

// One curve against the evaluations; logarithmic where all values are positive and far apart.
function historyChart(container, rows, column, heading) {
  const known = rows.map((row) => [row[0], row[column]]).filter(([, value]) => value !== null);
  const caption = make("h3", {}, heading);
  if (known.length < 2) return container.replaceChildren(caption, make("p", { class: "note" }, "Nothing to draw yet."));
  const [width, height, left] = [560, 220, 64];
  const values = known.map(([, value]) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const positive = values.filter((value) => value > 0);
  const isLog = positive.length > 0 && low >= 0 && high > 50 * Math.min(...positive);
  const x = linearScale([0, known.at(-1)[0]], [left, width - 12]);
  const y = isLog ? logScale([Math.min(...positive), high], [height, 10], { zero: low === 0 }) : linearScale([low, high], [height, 10]);
  const svg = picture(width, height + 44, heading);
  svg.append(bottomAxis(x, height, width - 12, "evaluations"));
  for (const { value, text } of y.ticks) {
    svg.append(line(left, y(value), width - 12, y(value), "grid"), words(left - 6, y(value) + 4, text, { "text-anchor": "end", class: "quiet" }));
  }
  const path = known.map(([n, value], k) => `${k ? `H${x(n).toFixed(1)}V` : `M${x(n).toFixed(1)},`}${y(value).toFixed(1)}`).join("");
  svg.append(draw("path", { d: path, class: "median", fill: "none", "stroke-width": 2, paint: { stroke: "var(--accent)" } }));
  return container.replaceChildren(caption, svg);
}

function showRun(now) {
  showRunTiles(now);
  historyChart(element("value"), now.history, 1, "Best feasible value");
  historyChart(element("violation"), now.history, 2, "Lowest violation");
  element("coordinates").textContent = now.coordinates > now.x.length ? `The first ${now.x.length} of ${whole(now.coordinates)} coordinates.` : count(now.coordinates, "coordinate");
  fillTable("incumbent", [["coordinate", ""], ["value", "number"]], now.x.map((value, k) => [`x${k + 1}`, number(value, 10)]));
}
