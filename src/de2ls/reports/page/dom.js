// Elements, numbers as text, and downloads. Text always enters as a text node, never as markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "paint") Object.assign(element.style, value); // colours that follow the theme
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

const make = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children);

const draw = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

const picture = (width, height, label) =>
  draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });

const line = (x1, y1, x2, y2, kind, more = {}) => draw("line", { x1, y1, x2, y2, class: kind, ...more });

const words = (x, y, text, more = {}) => draw("text", { x, y, ...more }, text);

const colour = ({ place }) => `var(--series-${place})`;

const points = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 1 });

function number(value, digits = 6) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size < 1e-3 || size >= 1e6 ? value.toExponential(3) : String(Number(value.toPrecision(digits)));
}

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function power(exponent) {
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPT[digit]).join("");
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

function save(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 1200);
}

const quoted = (cell) => /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

const csvOf = (rows) => `${rows.map((row) => row.map((cell) => quoted(String(cell ?? ""))).join(",")).join("\n")}\n`;
