// Follows the stream of events and shows the latest; users' text enters as text nodes only.
"use strict";

const latest = { progress: null, scores: null };
const connection = { open: false, skew: 0 }; // skew: this clock minus the server's, in seconds

const element = (id) => document.getElementById(id);
const title = (label) => latest.scores?.titles?.[label] ?? label;
const whole = (value) => Math.round(value).toLocaleString("en-US");
const share = (part, all) => all > 0 ? Math.min(100, (100 * part) / all) : 0;
const count = (n, noun) => `${whole(n)} ${noun}${n === 1 ? "" : "s"}`;

function duration(seconds) {
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const first = parts.findIndex(([size]) => seconds >= size);
  if (first < 0) return "0 s";
  const [size, name] = parts[first];
  const [next, nextName] = parts[first + 1] ?? [0, ""];
  const rest = next ? Math.floor((seconds % size) / next) : 0;
  return `${Math.floor(seconds / size)} ${name}${rest && size > 60 ? ` ${rest} ${nextName}` : ""}`;
}

const clock = () => Date.now() / 1000 - connection.skew; // the server's

const age = (stored) => stored === null ? "–" : `${duration(Math.max(0, clock() - stored))} ago`;

function rateText(perSecond) {
  if (perSecond >= 1) return `${points(perSecond)} per s`;
  if (perSecond >= 1 / 60) return `${points(60 * perSecond)} per min`;
  return `${points(3600 * perSecond)} per h`;
}

function totals({ series }) {
  const sum = (name) => series.reduce((all, one) => all + one[name], 0);
  return { done: sum("done"), planned: sum("planned"), failed: sum("failed") };
}

// What is going on, as [state, a word or two, a sentence].
function situation() {
  const now = latest.progress;
  if (!connection.open) return ["lost", "Connection lost", "The dashboard does not answer; this page tries again by itself."];
  if (!now) return ["waiting", "Connecting", "Waiting for the first look at the file."];
  if (now.error) return ["stopped", "Unreadable", "The file cannot be read."];
  if (now.kind === "run") return runSituation(now);
  const { done, planned, failed } = totals(now);
  const left = planned - done;
  if (now.writer) return ["running", "Running", `The campaign is running (${now.writer}).`];
  if (planned === 0) return ["waiting", "Empty", "The store holds neither plans nor trials."];
  if (left === 0) return ["complete", "Complete", "All planned trials are done; nobody writes to the store."];
  if (left === failed) return ["complete", "Ended", `The campaign has ended: ${count(failed, "trial")} failed.`];
  return ["stopped", "Nobody writes", `Nobody writes to the store, and ${count(left, "trial")} of the plan ${left === 1 ? "is" : "are"} missing: the campaign's command continues it.`];
}

function showSituation() {
  const [state, word, sentence] = situation();
  const shown = element("state");
  shown.dataset.state = state;
  if (shown.textContent !== word) shown.textContent = word; // it is read out
  element("summary").textContent = sentence;
}

const tile = (heading, value, detail, kind = "") =>
  make("div", { class: `tile ${kind}` }, make("span", {}, heading), make("b", {}, value), make("span", {}, detail));

function showTiles() {
  const now = latest.progress;
  const { done, planned, failed } = totals(now);
  const running = now.writer && now.pace;
  const left = running && now.secondsLeft !== null ? Math.max(0, now.secondsLeft - (clock() - now.now)) : null;
  const end = left === null ? null : new Date(Date.now() + 1000 * left);
  element("tiles").replaceChildren(
    tile("Trials done", whole(done), planned > 0 ? `of ${whole(planned)}, ${Math.floor(share(done, planned))} %` : "nothing is planned"),
    tile("Rate", running ? rateText(now.pace.trials) : "–", running ? `${whole(now.pace.evaluations)} evaluations per s` : "nobody writes"),
    tile("Time left", left === null ? "–" : `about ${duration(left)}`, end ? `until about ${end.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}` : now.recent.length ? `last result ${age(now.recent[0].stored)}` : "no result yet"),
    tile("Failures", whole(now.failed), now.failed ? "see below" : "none so far", now.failed ? "bad" : ""),
  );
  document.title = planned > 0 ? `${Math.floor(share(done, planned))} % · ${now.source}` : now.source;
}

function meter(name, { done, planned, failed }, paint, kind = "") {
  const bar = make("div", { class: "track", role: "progressbar", "aria-label": name, "aria-valuemin": 0, "aria-valuemax": planned, "aria-valuenow": done },
    make("i", { paint: { width: `${share(done, planned)}%`, background: paint } }));
  return make("div", { class: `line ${kind}` }, make("span", { class: "name", title: name }, name), bar,
    make("span", { class: "count" }, `${whole(done)} of ${whole(planned)}${failed ? `, ${whole(failed)} failed` : ""}`));
}

function showSeries() {
  const { series } = latest.progress;
  series.forEach(({ light, dark }, place) => document.documentElement.style.setProperty(`--series-${place}`, `light-dark(${light}, ${dark})`));
  const lines = series.map((one, place) => meter(title(one.label), one, colour({ place })));
  element("series").replaceChildren(...(series.length > 1 ? [meter("All series", totals(latest.progress), "var(--text)", "whole")] : []), ...lines);
}

// Fills a picker where there is more than one group, and returns the group that is chosen.
function chosen(picker, groups) {
  const names = groups.map(({ name }) => name);
  const before = picker.value;
  if (names.join("\n") !== [...picker.options].map(({ text }) => text).join("\n")) {
    picker.replaceChildren(...names.map((name) => make("option", { selected: name === before }, name)));
  }
  picker.closest("[data-several]").hidden = names.length < 2;
  return groups[Math.max(0, picker.selectedIndex)];
}

const PARTS = {
  done: ([done, planned]) => [share(done, planned), done === planned ? whole(done) : `${done} of ${planned}`],
  feasible: ([done, , , feasible]) => [share(feasible, done), done ? `${Math.floor(share(feasible, done))} %` : "–"],
  best: ([, , , , best]) => [0, number(best)],
};

function heatCell(cell) {
  if (!cell) return make("td", { class: "none" }, "");
  const [filled, text] = PARTS[element("part").value](cell);
  const failed = cell[2];
  return make("td", { paint: { background: `color-mix(in oklab, var(--more) ${(0.6 * filled).toFixed(1)}%, var(--surface))` } },
    text, failed ? make("small", {}, `${failed} failed`) : null);
}

function showHeat() {
  const { series, groups } = latest.progress;
  const group = chosen(element("group"), groups);
  const [table] = document.querySelectorAll("#problems table");
  table.tHead.replaceChildren(make("tr", {}, make("th", { scope: "col" }, "problem"),
    series.map(({ label }) => make("th", { scope: "col", title: title(label), paint: { width: `${90 / series.length}%` } }, title(label)))));
  const open = (cells) => cells.some((cell) => cell && cell[0] < cell[1]);
  const rows = group ? group.problems.map((name, p) => [name, group.titles[p], group.cells[p]]) : [];
  table.tBodies[0].replaceChildren(...rows
    .filter(([, , cells]) => !element("unfinished").checked || open(cells))
    .map(([name, full, cells]) => make("tr", {}, make("th", { scope: "row", title: full }, name), cells.map(heatCell))));
}

function fillTable(id, header, rows) {
  const table = document.querySelector(`#${id} table`);
  table.tHead.replaceChildren(make("tr", {}, header.map(([name, kind]) => make("th", { scope: "col", class: kind }, name))));
  table.tBodies[0].replaceChildren(...rows.map((row) => make("tr", {}, row.map((text, place) =>
    make(place ? "td" : "th", { class: header[place][1], ...(place ? {} : { scope: "row", title: text }) }, text)))));
}

// Where there are several groups, a label alone does not tell a problem.
const problemName = ({ problem, key }) => latest.progress.groups.length > 1 ? key : problem;

function showResults() {
  fillTable("results", [["series", ""], ["problem", ""], ["Min_EV", "number"], ["LCV", "number"], ["run", "number"], ["evaluations", "number"], ["seconds", "number"], ["stored", "number"]],
    latest.progress.recent.map((trial) => [title(trial.label), problemName(trial), number(trial.min_ev), number(trial.lcv), trial.run, whole(trial.n_evals), trial.wall_time.toFixed(2), age(trial.stored)]));
}

function showFailures() {
  const { failures, failed } = latest.progress;
  element("failed").textContent = failed === 0 ? "None so far." :
    `${count(failed, "trial")} failed and did not succeed since${failed > failures.length ? `; these are the latest ${failures.length}` : ""}. The others go on; the campaign's command tries them again.`;
  document.querySelector("#failures .scroll").hidden = failed === 0;
  fillTable("failures", [["series", ""], ["problem", ""], ["run", "number"], ["reason", "reason"]],
    failures.map((trial) => [title(trial.label), problemName(trial), trial.run, trial.reason]));
}

function scoreLine(row, top) {
  const place = latest.progress.series.findIndex(({ label }) => label === row.label);
  const bar = make("div", { class: "track" }, make("i", { paint: { width: `${share(row.total, top)}%`, background: colour({ place }) } }));
  if (row.limits) {
    const [low, high] = row.limits;
    bar.append(make("i", { class: "limits", paint: { left: `${share(low, top)}%`, width: `${share(high - low, top)}%` } }));
  }
  return make("div", { class: "line" }, make("span", { class: "name", title: title(row.label) }, title(row.label)), bar,
    make("span", { class: "count" }, points(row.total), make("span", { class: "none" }, row.limits ? ` [${row.limits.map(points).join(", ")}]` : "", ` rank ${row.rank.toFixed(2)}`)));
}

// What the scores are of, and whether they may still change.
function scoreNote(group, now) {
  const { done, planned, failed } = totals(now);
  const hasEnded = !now.writer && planned > 0 && planned - done === failed;
  const sample = group.isSample ? ", a sample of what is there" : "";
  const what = `U-scores of ${count(group.runs, "run")} on ${whole(group.problems)} of ${count(group.ofProblems, "problem")} that all series have`;
  if (!hasEnded) {
    return make("p", { class: "warning", role: "note" }, make("b", {}, "Provisional. "),
      `${what} so far${sample}. They change until the campaign ends; de2ls score gives the result.`);
  }
  return make("p", { role: "note" }, make("b", {}, failed ? "The campaign has ended. " : "The campaign is complete. "),
    `${what}${sample}. de2ls score tells more, with tests.`);
}

function showScores() {
  const { scores, progress } = latest;
  if (!scores || !progress?.series) return;
  if (scores.error) return element("totals").replaceChildren(make("p", { class: "note" }, scores.error));
  const group = chosen(element("score-group"), scores.groups);
  if (!group) return element("totals").replaceChildren(make("p", {}, "There are no results yet."));
  if (!group.rows.length) return element("totals").replaceChildren(make("p", {}, group.reason));
  const top = Math.max(...group.rows.map(({ total, limits }) => Math.max(total, limits?.[1] ?? 0)));
  return element("totals").replaceChildren(
    scoreNote(group, progress),
    ...group.rows.map((row) => scoreLine(row, top)),
    make("p", { class: "note" }, group.runs > 1 ? "In brackets and as thin bars: 95 % intervals of 1000 bootstrap resamples; mean ranks over the problems." : "Intervals come with the second run of every problem; mean ranks over the problems."),
  );
}

function show() {
  showSituation();
  const now = latest.progress;
  if (!now) return;
  element("error").hidden = !now.error;
  element("error").textContent = now.error ?? "";
  if (now.error) return;
  element("source").textContent = now.source;
  document.querySelectorAll("[data-kind]").forEach((part) => { part.hidden = part.dataset.kind !== now.kind; });
  if (now.kind === "run") return showRun(now);
  for (const part of [showTiles, showSeries, showScores, showHeat, showResults, showFailures]) part();
}

function follow() {
  const source = new EventSource("events");
  source.addEventListener("open", () => { connection.open = true; showSituation(); });
  source.addEventListener("error", () => { connection.open = false; showSituation(); });
  source.addEventListener("progress", ({ data }) => {
    latest.progress = JSON.parse(data);
    if (latest.progress.now) connection.skew = Date.now() / 1000 - latest.progress.now;
    show();
  });
  source.addEventListener("scores", ({ data }) => { latest.scores = JSON.parse(data); show(); });
}

element("group").addEventListener("change", showHeat);
element("part").addEventListener("change", showHeat);
element("unfinished").addEventListener("change", showHeat);
element("score-group").addEventListener("change", showScores);
setInterval(() => { // ages, and the time that is left
  const now = latest.progress;
  if (!now || now.error) return;
  if (now.kind === "run") { showSituation(); showRunTiles(now); } else { showTiles(); showResults(); }
}, 5000);
follow();
