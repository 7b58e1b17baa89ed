// From numbers to places: linear and logarithmic scales with their ticks.
function linearScale([low, high], [from, to], count = 5) {
  if (low === high) [low, high] = low === 0 ? [0, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
  const scale = (value) => from + ((value - low) / (high - low)) * (to - from);
  const rough = (high - low) / count;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => unit * factor >= rough);
  const ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12); k += 1) {
    ticks.push({ value: k * step, text: tickText(k * step) });
  }
  return Object.assign(scale, { ticks, low, high, invert: (place) => low + ((place - from) / (to - from)) * (high - low) });
}

// Positive numbers by decades; with `zero` a strip at the end of the axis stands for 0.
function logScale([low, high], [from, to], { zero = false, count = 6 } = {}) {
  const strip = zero ? Math.sign(from - to) * 26 : 0;
  const bottom = Math.floor(Math.log10(low) + 1e-9);
  const top = Math.max(bottom + 1, Math.ceil(Math.log10(high) - 1e-9));
  const start = from - strip;
  const place = (value) => start + ((Math.log10(value) - bottom) / (top - bottom)) * (to - start);
  const scale = (value) => value <= 0 ? from - strip / 3 : place(Math.max(value, 10 ** bottom));
  const step = Math.max(1, Math.ceil((top - bottom) / count));
  const ticks = [];
  for (let k = bottom; k <= top; k += step) ticks.push({ value: 10 ** k, text: power(k) });
  if (zero) ticks.push({ value: 0, text: "0" });
  return Object.assign(scale, { ticks, invert: (at) => 10 ** (bottom + ((at - start) / (to - start)) * (top - bottom)) });
}

function tickText(value) {
  const size = Math.abs(value);
  if (size >= 1e4) return `${Number((value / 1000).toPrecision(6)).toLocaleString("en-US")}k`;
  if (size > 0 && size < 1e-3) return value.toExponential(0);
  return String(Number(value.toPrecision(6)));
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
