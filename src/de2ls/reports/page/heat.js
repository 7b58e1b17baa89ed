// Tables whose cells are coloured: shares of a problem's points, and probabilities.
function shade(cell, excess) {
  const strength = Math.round(60 * Math.min(1, Math.abs(excess)));
  cell.style.background = `color-mix(in oklab, var(--${excess > 0 ? "more" : "less"}) ${strength}%, var(--surface))`;
}

function heatTable(corner, columns, rows, label) {
  const head = make("tr", {}, make("th", { scope: "col" }, corner), columns.map((text) => make("th", { scope: "col", class: "number" }, text)));
  const body = make("tbody", {}, rows.map(([name, cells]) => make("tr", {}, make("th", { scope: "row", title: name }, name), cells)));
  const table = make("table", { class: "heat" }, make("thead", {}, head), body);
  sortable(table);
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, table);
}

const PARTS = { total: ["U-score", "uscores"], accuracy: ["accuracy", "accuracy"], speed: ["speed", "speed"], rank: ["rank", "ranks"] };

function heatChart(container, data) {
  const { algorithms, problems, byProblem } = data;
  const place = make("div");
  const names = algorithms.map(({ label }) => label);
  const tools = make("span", { class: "tools" });
  const show = (part) => {
    const values = byProblem[part];
    const spread = Math.max(1e-9, ...values.flatMap((row) => shares(row, part).map(Math.abs)));
    const rows = problems.map((problem, p) => {
      const excess = shares(values[p], part);
      return [problem, values[p].map((value, a) => {
        const rank = part === "rank" ? [] : make("small", { title: "rank by U-score" }, `(${byProblem.rank[p][a]})`);
        const cell = make("td", {}, points(value), rank);
        shade(cell, excess[a] / spread);
        return cell;
      })];
    });
    place.replaceChildren(heatTable("problem", names, rows, `${PARTS[part][0]} by problem`));
    const name = PARTS[part][1];
    tools.replaceChildren(make("button", { type: "button", "data-copy": name }, "Copy"), make("button", { type: "button", "data-download": name }, "CSV"));
  };
  const choice = make("select", { id: `part${data.suffix}` }, Object.keys(PARTS).filter((part) => byProblem[part]).map((part) => make("option", { value: part }, PARTS[part][0])));
  choice.addEventListener("change", () => show(choice.value));
  container.append(make("div", { class: "controls" }, make("label", {}, "Show", choice), tools), place);
  show("total");
}

// How much more than an equal share each cell is; few ranks are good.
function shares(row, part) {
  const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
  return row.map((value) => (part === "rank" ? mean - value : value - mean) / (mean || 1));
}

function superiorityChart(container, { algorithms, superiority }) {
  const names = algorithms.map(({ label }) => label);
  const rows = names.map((name, i) => [name, names.map((_, j) => {
    const cell = make("td", {}, i === j ? "" : superiority[i][j].toFixed(3));
    if (i !== j) shade(cell, 2 * (superiority[i][j] - 0.5));
    return cell;
  })]);
  container.append(heatTable("row > column", names, rows, "Probability that the row's total exceeds the column's"));
}

// A click on a heading sorts its table; again, the other way round.
function sortable(table) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    heading.tabIndex = 0;
    const sort = () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[column].textContent.replaceAll(",", "");
      const rows = [...table.tBodies[0].rows].sort((a, b) => compare(key(a), key(b)) * (down ? -1 : 1));
      table.tBodies[0].append(...rows);
    };
    heading.addEventListener("click", sort);
    heading.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(); }
    });
  });
}

function compare(a, b) {
  const [x, y] = [parseFloat(a), parseFloat(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y;
}
