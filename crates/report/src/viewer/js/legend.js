// The legend: colours, arrows and lines of the picture.

// Most bodies that are listed by name.
const MOST_LISTED = 8;

// The round number (1, 2 or 5 times a power of ten) at or below a value.
function roundBelow(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [5, 2, 1].find((factor) => factor * power <= value * (1 + 1e-9)) * power;
}

function element(kind, text = "", attributes = {}) {
  return Object.assign(document.createElement(kind), { textContent: text }, attributes);
}

// The scale of colours with three values below it.
function barOf({ unit, scale, range, open }) {
  const bar = element("div", "", { className: "bar" });
  bar.style.background = `linear-gradient(90deg, ${scale.join(", ")})`;
  const [factor] = prefixOf(range[1], unit);
  for (const part of [0, 0.5, 1]) {
    const value = (range[0] + part * (range[1] - range[0])) / factor;
    const sign = part === 0 && open[0] ? "≤ " : part === 1 && open[1] ? "≥ " : "";
    const label = element("span", sign + (unit ? digits(+value.toPrecision(3)) : value.toFixed(3)));
    label.style.left = `${100 * part}%`;
    bar.append(label);
  }
  return bar;
}

function showLegend(panel, film, colouring, { metres, spacing }) {
  const { about } = film;
  const state = `${colouring.name} ${metres > 0}`;
  if (panel.dataset.state === state) return;
  panel.dataset.state = state;
  const parts = [];
  if (colouring.scale) {
    const [, prefix] = prefixOf(colouring.range[1], colouring.unit);
    parts.push(element("b", colouring.unit ? `${colouring.name}, ${prefix}${colouring.unit}` : colouring.name));
    parts.push(barOf(colouring));
    if (colouring.unit === "N") parts.push(element("small", "on each node"));
    if (!colouring.unit) parts.push(element("small", "to the volume in the first frame"));
  } else if (about.bodies.length <= MOST_LISTED) {
    about.bodies.forEach((name, body) => {
      const line = element("div");
      const spot = element("i");
      spot.style.background = `hsl(${hueOf(body)} 51% 60%)`;
      line.append(spot, name);
      parts.push(line);
    });
  } else {
    parts.push(element("div", `${about.bodies.length} bodies`));
  }
  if (metres > 0 && about.force[1] > 0) {
    parts.push(element("small", `arrows: largest force on a node ${quantity(about.force[1], "N")}`));
  }
  if (about.lines.length) parts.push(element("small", "dark lines: links and ropes"));
  if (about.walls.length) parts.push(element("small", `grid: ${quantity(spacing, "m")}`));
  if (about.simplified) parts.push(element("small", `shown by ${about.triangles} of ${about.simplified} triangles`));
  panel.replaceChildren(...parts);
}
