// The small charts: totals, accuracy against speed, mean ranks, variants.
function whisker(y, low, high, size = 4) {
  return draw("g", { class: "strong", "stroke-width": 1.2 },
    line(low, y, high, y), line(low, y - size, low, y + size), line(high, y - size, high, y + size));
}

function bottomAxis(scale, height, width, title) {
  const axis = draw("g");
  for (const { value, text } of scale.ticks) {
    axis.append(line(scale(value), 0, scale(value), height, "grid"),
      words(scale(value), height + 16, text, { "text-anchor": "middle", class: "quiet" }));
  }
  axis.append(words(width, height + 34, title, { "text-anchor": "end", class: "quiet" }));
  return axis;
}

const margin = (width, labels) =>
  Math.min(0.34 * width, 14 + 7 * Math.max(...labels.map((label) => label.length)));

// Bars of totals, accuracy before speed, with the interval of the sum.
function totalsChart(container, { algorithms, totals }) {
  const order = algorithms.map((_, a) => a).sort((a, b) => totals.total[b][0] - totals.total[a][0]);
  responsive(container, (width) => {
    const left = margin(width, algorithms.map(({ label }) => label));
    const high = Math.max(...totals.total.flat().filter((value) => value !== null));
    const row = 34;
    const height = row * order.length + 6;
    const room = 12 + 8 * Math.max(...totals.total.map(([total]) => points(total).length)); // for the number beside a bar
    const scale = linearScale([0, high], [left, width - room], width < 600 ? 3 : 6);
    const svg = picture(width, height + 40, "Total points of each series");
    svg.append(bottomAxis(scale, height, width, totals.accuracy ? "points: accuracy, then speed (paler)" : "points"));
    order.forEach((a, i) => {
      const y = 6 + row * i;
      const [total, low, top] = totals.total[a];
      const accuracy = totals.accuracy ? totals.accuracy[a][0] : total;
      const bar = (from, to, opacity) => draw("rect", { x: scale(from), y, width: Math.max(0, scale(to) - scale(from)), height: row - 13, opacity, paint: { fill: colour(a) } });
      svg.append(words(left - 8, y + 15, shorten(algorithms[a].label, left - 10), { "text-anchor": "end" }),
        bar(0, accuracy, 0.95), bar(accuracy, total, 0.45));
      if (low !== null) svg.append(whisker(y + (row - 13) / 2, scale(low), scale(top)));
      svg.append(words(scale(Math.max(total, top ?? 0)) + 8, y + 15, points(total), { "font-weight": 600 }));
    });
    return svg;
  });
}

// The first place beside a point where a name covers neither a point nor another name.
function placeName(x, y, size, right, taken) {
  const places = [-8, 20, -24, 36].flatMap((rise) => [1, -1].map((side) => ({
    side, rise, top: y + rise - 11, bottom: y + rise + 3,
    left: side > 0 ? x + 10 : x - 10 - size, right: side > 0 ? x + 10 + size : x - 10,
  })));
  const apart = (a, b) => a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top;
  const place = places.find((one) => one.left > 0 && one.right < right && taken.every((other) => apart(one, other))) ?? places[0];
  taken.push(place);
  return { x: x + 10 * place.side, y: y + place.rise, anchor: place.side > 0 ? "start" : "end" };
}

function scatterChart(container, { algorithms, totals }) {
  const span = (part) => {
    const all = totals[part].flat().filter((value) => value !== null);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const room = (high - low || high) * 0.1;
    return [low - room, high + room];
  };
  responsive(container, (width) => {
    const [left, height] = [62, Math.min(440, Math.max(280, width * 0.55))];
    const x = linearScale(span("speed"), [left, width - 14], width < 600 ? 4 : 7);
    const y = linearScale(span("accuracy"), [height, 8], 6);
    const svg = picture(width, height + 42, "Accuracy against speed of each series");
    const clip = draw("clipPath", { id: "scatter-area" }, draw("rect", { x: left, y: 8, width: width - 14 - left, height: height - 8 }));
    svg.append(clip, bottomAxis(x, height, width - 14, "speed (points)"));
    for (const { value, text } of y.ticks) {
      svg.append(line(left, y(value), width - 14, y(value), "grid"), words(left - 7, y(value) + 4, text, { "text-anchor": "end", class: "quiet" }));
    }
    svg.append(words(left, 8, "accuracy (points)", { class: "quiet", "dominant-baseline": "hanging", dx: 6 }));
    const taken = algorithms.map((_, a) => [x(totals.speed[a][0]), y(totals.accuracy[a][0])])
      .map(([at, up]) => ({ left: at - 6, right: at + 6, top: up - 6, bottom: up + 6 }));
    algorithms.forEach(({ label }, a) => {
      const [s, sLow, sHigh] = totals.speed[a];
      const [e, eLow, eHigh] = totals.accuracy[a];
      const paint = { stroke: colour(a) };
      const sum = s + e;
      svg.append(draw("line", { x1: x(x.low), y1: y(sum - x.low), x2: x(x.high), y2: y(sum - x.high), "stroke-dasharray": "1 5", opacity: 0.5, "clip-path": "url(#scatter-area)", paint }));
      if (sLow !== null) {
        svg.append(draw("line", { x1: x(sLow), x2: x(sHigh), y1: y(e), y2: y(e), "stroke-width": 1.6, paint }),
          draw("line", { x1: x(s), x2: x(s), y1: y(eLow), y2: y(eHigh), "stroke-width": 1.6, paint }));
      }
      const name = shorten(label, width / 3);
      const place = placeName(x(s), y(e), 8 * name.length, width, taken);
      svg.append(draw("circle", { cx: x(s), cy: y(e), r: 6, paint: { fill: colour(a), stroke: "var(--surface)" } }),
        words(place.x, place.y, name, { "font-weight": 600, "text-anchor": place.anchor, paint: { fill: colour(a) } }));
    });
    return svg;
  });
}

// Mean ranks, one row per series; bars below the axis join what is not told apart.
function criticalChart(container, { algorithms, friedman }) {
  const order = algorithms.map((_, a) => a).sort((a, b) => friedman.ranks[a] - friedman.ranks[b]);
  responsive(container, (width) => {
    const left = margin(width, algorithms.map(({ label }) => label));
    const scale = linearScale([1, algorithms.length], [left + 8, width - 46], algorithms.length);
    const groups = friedman.groups.filter((group) => group.length > 1);
    const top = 46 + 9 * groups.length;
    const row = 26;
    const svg = picture(width, top + row * order.length + 10, "Critical-difference diagram of mean ranks");
    for (let rank = 1; rank <= algorithms.length; rank += 1) {
      svg.append(line(scale(rank), 34, scale(rank), top + row * order.length, "grid"),
        words(scale(rank), 30, rank, { "text-anchor": "middle", class: "quiet" }));
    }
    const end = Math.min(scale(1 + friedman.difference), width - 46);
    const caption = `critical difference ${friedman.difference.toFixed(2)}`;
    const fits = end + 8 + 7 * caption.length < width; // beside its bar, or else before it
    svg.append(whisker(9, scale(1), end), fits ? words(end + 8, 13, caption, { class: "quiet" })
      : words(scale(1) - 8, 13, `CD ${friedman.difference.toFixed(2)}`, { "text-anchor": "end", class: "quiet" }));
    groups.forEach((group, k) => {
      const ranks = group.map((a) => friedman.ranks[a]); // no longer than from first to last: a neighbour outside may be near
      svg.append(line(scale(Math.min(...ranks)), 42 + 9 * k, scale(Math.max(...ranks)), 42 + 9 * k, "strong", { "stroke-width": 5 }));
    });
    order.forEach((a, i) => {
      const [at, y] = [scale(friedman.ranks[a]), top + row * i + 12];
      svg.append(draw("line", { x1: at, x2: at, y1: 36, y2: y, opacity: 0.6, paint: { stroke: colour(a) } }),
        draw("line", { x1: left, x2: at, y1: y, y2: y, opacity: 0.35, paint: { stroke: colour(a) } }),
        draw("circle", { cx: at, cy: y, r: 5, paint: { fill: colour(a) } }),
        words(left - 8, y + 4, shorten(algorithms[a].label, left - 10), { "text-anchor": "end" }),
        words(at + 10, y + 4, friedman.ranks[a].toFixed(2), { "font-weight": 600 }));
    });
    return svg;
  });
}

function variantsChart(container, { algorithms, variants }) {
  const rows = [...variants.rows].sort((a, b) => b.gain[0] - a.gain[0]);
  responsive(container, (width) => {
    const left = Math.min(0.42 * width, 14 + 8 * Math.max(...rows.flatMap(({ label, change }) => [label.length, change.length])));
    const ends = [0, ...rows.flatMap(({ gain }) => gain)];
    const scale = linearScale([Math.min(...ends), Math.max(...ends)], [left + 6, width - 20], width < 600 ? 3 : 6);
    const height = 42 * rows.length + 6;
    const svg = picture(width, height + 40, `U-score of the variants minus that of ${variants.reference}`);
    svg.append(bottomAxis(scale, height, width, shorten(`points more or less than ${variants.reference}`, width)), line(scale(0), 0, scale(0), height, "strong"));
    rows.forEach(({ label, change, gain: [value, low, high] }, i) => {
      const y = 6 + 42 * i;
      const series = algorithms.findIndex((algorithm) => algorithm.label === label);
      svg.append(words(left - 6, y + 12, shorten(label, 0.9 * (left - 8)), { "text-anchor": "end", "font-weight": 600 }),
        words(left - 6, y + 27, shorten(change, left - 8), { "text-anchor": "end", class: "quiet" }),
        draw("rect", { x: Math.min(scale(0), scale(value)), y: y + 4, width: Math.abs(scale(value) - scale(0)), height: 22, opacity: 0.85, paint: { fill: colour(series) } }),
        whisker(y + 15, scale(low), scale(high)));
    });
    return svg;
  });
}
