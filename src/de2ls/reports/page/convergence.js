// The convergence browser: medians and quartiles, single trials, values at any time.
async function unpacked(group, problem) {
  const place = document.querySelectorAll(`script.curves[data-group="${group}"]`)[problem];
  const bytes = Uint8Array.from(atob(place.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// The value of a step curve at sample k; null while it is infinite.
function at([changes, values], k) {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle] <= k) low = middle + 1; else high = middle;
  }
  return values[low - 1];
}

const column = (x, evaluations) => Math.max(0, x.findLastIndex((value) => value <= evaluations));

const FEW = 3; // series whose bands can be told apart; of more, the one that is pointed at

const QUANTITIES = { gap: "Min_EV", lcv: "LCV" };

class Convergence {
  constructor(container, data) {
    this.data = data;
    this.cache = new Map();
    this.shown = new Set(data.algorithms.keys());
    this.build(container);
    this.pick(0);
  }

  build(container) {
    const { algorithms, problems, suffix } = this.data;
    this.problem = make("select", { id: `problem${suffix}` }, problems.map((name, p) => make("option", { value: p }, name)));
    this.problem.addEventListener("change", () => this.pick(Number(this.problem.value)));
    const step = (text, by, label) => {
      const button = make("button", { type: "button", "aria-label": label }, text);
      button.addEventListener("click", () => this.pick((this.current + by + problems.length) % problems.length));
      return button;
    };
    this.axis = make("select", { id: `scale${suffix}` }, ["automatic", "logarithmic", "linear"].map((name) => make("option", { value: name }, name)));
    this.axis.addEventListener("change", () => this.redraw());
    const box = (id, text, checked) => {
      const input = make("input", { type: "checkbox", id: `${id}${suffix}`, checked });
      input.addEventListener("change", () => this.redraw());
      this[id] = input;
      return make("label", {}, input, text);
    };
    this.time = make("input", { type: "range", id: `time${suffix}`, min: 0, max: 1000, value: 1000, "aria-label": "Evaluations" });
    this.time.addEventListener("input", () => this.mark());
    this.plots = Object.fromEntries(Object.keys(QUANTITIES).map((quantity) => [quantity, make("div", { class: "plot" })]));
    this.titles = Object.fromEntries(Object.keys(QUANTITIES).map((quantity) => [quantity, make("h3")]));
    this.when = make("output", { for: `time${suffix}` });
    this.values = make("div");
    this.finals = make("div");
    container.append(
      make("div", { class: "controls" }, make("label", {}, "Problem", this.problem), step("‹", -1, "Previous problem"), step("›", 1, "Next problem"),
        make("label", {}, "Scale", this.axis), box("logTime", "log evaluations", false), box("band", "quartiles", true), box("single", "single trials", false)),
      make("div", { class: "controls chips", role: "group", "aria-label": "Series" }, algorithms.map((algorithm, a) => this.chip(algorithm, a))),
      make("div", { class: "pair" }, Object.keys(QUANTITIES).map((quantity) => make("div", {}, this.titles[quantity], this.plots[quantity]))),
      make("div", { class: "controls" }, make("label", { for: `time${suffix}` }, "At"), this.time, this.when, this.csvTools()),
      this.values,
      make("details", {}, make("summary", {}, "Final values of the trials on this problem"), this.finals));
    for (const plot of Object.values(this.plots)) new ResizeObserver(() => this.redraw()).observe(plot);
  }

  chip(series, a) {
    const sample = draw("svg", { width: 26, height: 8, viewBox: "0 0 26 8", "aria-hidden": "true", paint: { width: "26px" } },
      draw("line", { x1: 0, y1: 4, x2: 26, y2: 4, "stroke-width": 3, "stroke-dasharray": series.dash.join(" "), paint: { stroke: colour(series) } }));
    const button = make("button", { type: "button", "aria-pressed": "true" }, sample, make("span", {}, series.label));
    const point = (on) => Object.values(this.plots).forEach((plot) => plot.querySelector(`[data-series="${a}"]`)?.classList.toggle("pointed", on));
    for (const [name, on] of [["pointerenter", true], ["focus", true], ["pointerleave", false], ["blur", false]]) button.addEventListener(name, () => point(on));
    button.addEventListener("click", () => {
      if (!this.shown.delete(a)) this.shown.add(a);
      button.setAttribute("aria-pressed", this.shown.has(a));
      this.redraw();
    });
    return button;
  }

  csvTools() {
    const button = (text, act) => {
      const element = make("button", { type: "button" }, text);
      element.addEventListener("click", () => act(this.csv(), element));
      return element;
    };
    return make("span", { class: "tools" }, button("Copy", copy), button("CSV", (text) => save("curves.csv", text)));
  }

  async pick(p) {
    this.current = p;
    this.problem.value = p;
    if (!this.cache.has(p)) this.cache.set(p, unpacked(this.data.group, p));
    const curves = await this.cache.get(p);
    if (this.current !== p) return; // another problem was picked meanwhile
    this.curves = curves;
    this.budget = Math.max(...curves.series.map(({ x }) => x.at(-1)));
    this.first = Math.min(...curves.series.map(({ x }) => x[0]));
    this.redraw();
    this.showFinals();
  }

  redraw() {
    if (!this.curves) return;
    this.marks = [];
    for (const quantity of Object.keys(QUANTITIES)) this.plot(quantity);
    this.mark();
  }

  // Whether the axis is logarithmic, and the span of what will be drawn.
  span(quantity) {
    const drawn = [...this.shown].flatMap((a) => {
      const series = this.curves.series[a];
      return [...series[quantity], ...(this.single.checked ? series.trials.map((trial) => trial[quantity]) : [])];
    }).flatMap(([, values]) => values).filter((value) => value !== null);
    const positive = drawn.filter((value) => value > 0);
    const [low, high] = positive.length ? [positive.reduce((a, b) => Math.min(a, b)), positive.reduce((a, b) => Math.max(a, b))] : [1, 1];
    const zero = drawn.includes(0);
    const log = positive.length > 0 && (this.axis.value === "logarithmic" || (this.axis.value === "automatic" && (zero || high > 30 * low)));
    return { empty: drawn.length === 0, log, zero, low, high: positive.length ? high : 0 };
  }

  plot(quantity) {
    const place = this.plots[quantity];
    const width = Math.floor(place.clientWidth);
    if (!width) return;
    const { empty, log, zero, low, high } = this.span(quantity);
    const { best } = this.curves;
    const feasible = [...this.shown].some((a) => this.curves.series[a].trials.some(({ gap }) => gap[1].at(-1) !== null));
    const message = !this.shown.size ? "no series chosen" : empty ? (feasible ? "too few feasible runs" : "no feasible point") : high === 0 && !best ? "0 from the start" : "";
    const shift = quantity === "gap" && !log ? best : 0;
    const [left, right, height] = [54, width - 16, 290];
    const x = this.logTime.checked ? logScale([this.first, this.budget], [left, right], { count: 5 }) : linearScale([0, this.budget], [left, right], 4);
    const y = log ? logScale([low, high], [height, 8], { zero }) : linearScale([shift + (zero ? 0 : low), shift + high], [height, 8]);
    const svg = picture(width, height + 40, `${QUANTITIES[quantity]} over evaluations on ${this.data.problems[this.current]}`);
    svg.append(bottomAxis(x, height, right, "evaluations"));
    for (const { value, text } of message ? [] : y.ticks) {
      svg.append(line(left, y(value), right, y(value), "grid"), words(left - 6, y(value) + 4, text, { "text-anchor": "end", class: "quiet" }));
    }
    if (message) svg.append(words((left + right) / 2, height / 2, message, { "text-anchor": "middle", class: "quiet" }));
    const order = [...this.shown].sort((a, b) => a - b);
    order.forEach((a, i) => svg.append(this.curve(a, quantity, x, (value) => y(value + shift), height, 1.4 + 1.8 * (1 - i / Math.max(1, order.length - 1)))));
    const cross = line(left, 8, left, height, "cross");
    svg.append(cross);
    this.marks.push((evaluations) => {
      const place = x(Math.max(evaluations, this.first));
      cross.setAttribute("x1", place);
      cross.setAttribute("x2", place);
    });
    svg.addEventListener("pointermove", (event) => this.follow(event, svg, x, width));
    svg.addEventListener("pointerdown", (event) => this.follow(event, svg, x, width));
    const distance = quantity === "gap" && log && best !== 0;
    this.titles[quantity].textContent = distance ? `Min_EV above the best end, ${number(best)}` : `${QUANTITIES[quantity]}${quantity === "lcv" ? " (summed violation)" : ""}`;
    place.replaceChildren(svg);
  }

  curve(a, quantity, x, y, height, width) {
    const series = this.curves.series[a];
    const hue = colour(this.data.algorithms[a]);
    const paint = { stroke: hue };
    const group = draw("g", { "data-series": a });
    const [low, median, high] = series[quantity];
    if (this.band.checked) {
      const kind = this.shown.size > FEW ? "band hidden" : "band";
      group.append(draw("path", { d: this.band_path(series.x, low, high, x, y), class: kind, "fill-opacity": 0.16, paint: { fill: hue } }));
    }
    if (this.single.checked) {
      for (const trial of series.trials) group.append(draw("path", { d: this.path(series.x, trial[quantity], x, y), fill: "none", opacity: 0.35, "stroke-width": 0.8, paint }));
    }
    group.append(draw("path", { d: this.path(series.x, median, x, y), fill: "none", "stroke-width": width, "stroke-dasharray": this.data.algorithms[a].dash.join(" "), class: "median", paint }));
    return group;
  }

  path(grid, [changes, values], x, y) {
    let [d, open] = ["", false];
    changes.forEach((k, i) => {
      if (values[i] === null) { open = false; return; }
      const end = i + 1 < changes.length ? grid[changes[i + 1]] : grid.at(-1);
      d += `${open ? "V" : `M${x(grid[k]).toFixed(1)} `}${y(values[i]).toFixed(1)}H${x(end).toFixed(1)}`;
      open = true;
    });
    return d;
  }

  // Where the upper quartile is infinite the band reaches to the top.
  band_path(grid, low, high, x, y) {
    const times = [...new Set([...low[0], ...high[0]])].sort((a, b) => a - b).filter((k) => at(low, k) !== null);
    const boxes = times.map((k, i) => {
      const [from, to] = [x(grid[k]), x(i + 1 < times.length ? grid[times[i + 1]] : grid.at(-1))];
      const upper = at(high, k);
      const [top, bottom] = [upper === null ? 8 : y(upper), y(at(low, k))];
      return bottom - top > 0.2 && to > from ? `M${from.toFixed(1)} ${top.toFixed(1)}H${to.toFixed(1)}V${bottom.toFixed(1)}H${from.toFixed(1)}Z` : "";
    });
    return boxes.join("");
  }

  follow(event, svg, x, width) {
    const box = svg.getBoundingClientRect();
    const evaluations = x.invert(((event.clientX - box.left) / box.width) * width);
    this.time.value = Math.round((1000 * evaluations) / this.budget);
    this.mark();
  }

  get evaluations() {
    return Math.max(this.first, Math.round((this.budget * Number(this.time.value)) / 1000));
  }

  mark() {
    if (!this.curves) return;
    const now = this.evaluations;
    this.marks.forEach((move) => move(now));
    this.when.textContent = `${now.toLocaleString("en-US")} evaluations`;
    const rows = [...this.shown].sort((a, b) => a - b).map((a) => {
      const series = this.curves.series[a];
      const k = column(series.x, now);
      const feasible = series.trials.filter((trial) => at(trial.gap, k) !== null).length;
      const cells = [`${feasible} of ${series.trials.length}`, ...this.quartiles(series, k)];
      const { label } = this.data.algorithms[a];
      return make("tr", {}, make("th", { scope: "row", title: label }, label), cells.map((text) => make("td", { class: "number" }, text)));
    });
    const head = ["series", "feasible", ...Object.values(QUANTITIES).flatMap((name) => [`${name} lower`, `${name} median`, `${name} upper`])];
    const table = make("table", {}, make("thead", {}, make("tr", {}, head.map((text, i) => make("th", { scope: "col", class: i ? "number" : "" }, text)))), make("tbody", {}, rows));
    this.values.replaceChildren(make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Values at this time" }, table));
  }

  quartiles(series, k) {
    const objective = series.gap.map((curve) => at(curve, k));
    return [...objective.map((gap) => number(gap === null ? null : this.curves.best + gap, 9)), ...series.lcv.map((curve) => number(at(curve, k)))];
  }

  showFinals() {
    const { algorithms, finals } = this.data;
    const rows = finals[this.current];
    const head = ["run", ...algorithms.map(({ label }) => label)];
    const body = rows.map(([run, cells]) => make("tr", {}, make("th", { scope: "row" }, run), cells.map((cell) => make("td", { class: "number" }, cell))));
    const table = make("table", {}, make("thead", {}, make("tr", {}, head.map((text) => make("th", { scope: "col" }, text)))), make("tbody", {}, body));
    sortable(table);
    this.finals.replaceChildren(make("p", { class: "note" }, "Min_EV, or the violation (CV) of a trial without a feasible point."),
      make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Final values" }, table));
  }

  // The curves that are drawn: the quartiles, and the single trials if they are shown.
  csv() {
    const chosen = [...this.shown].sort((a, b) => a - b).map((a) => [this.data.algorithms[a].label, this.curves.series[a]]);
    const runs = this.single.checked ? [...new Set(chosen.flatMap(([, { trials }]) => trials.map(({ run }) => run)))].sort((a, b) => a - b) : [];
    const parts = ["lower", "median", "upper", ...runs.map((run) => `run ${run}`)];
    const rows = [["problem", "series", "evaluations", ...Object.values(QUANTITIES).flatMap((name) => parts.map((part) => `${name} ${part}`))]];
    for (const [label, { x, trials, ...quartiles }] of chosen) {
      const single = new Map(trials.map((trial) => [trial.run, trial]));
      const values = (quantity, k) => [...quartiles[quantity], ...runs.map((run) => single.get(run)?.[quantity])].map((curve) => curve ? at(curve, k) : null);
      x.forEach((evaluations, k) => {
        const objective = values("gap", k).map((gap) => gap === null ? null : this.curves.best + gap);
        rows.push([this.data.problems[this.current], label, evaluations, ...objective, ...values("lcv", k)]);
      });
    }
    return csvOf(rows);
  }
}
