// Numbers as text, and the panel of a picked contact or body.

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

// The prefix of a unit that suits a value.
function prefixOf(value, unit) {
  const size = Math.abs(value);
  if (!unit || size === 0 || !Number.isFinite(size)) return [1, ""];
  return PREFIXES.find(([factor]) => size >= 0.9995 * factor) || PREFIXES[PREFIXES.length - 1];
}

// A number with four digits at most.
function digits(value) {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(2).replace("e", "e").replace("+", "");
  return String(+value.toPrecision(4));
}

// A value with its unit.
function quantity(value, unit) {
  const [factor, prefix] = prefixOf(value, unit);
  return `${digits(value / factor)} ${prefix}${unit}`.trim();
}

// Three components with one unit.
function components(vector, unit) {
  const [factor, prefix] = prefixOf(Math.max(...vector.map(Math.abs)), unit);
  return `(${vector.map((part) => digits(+(part / factor).toPrecision(4))).join(", ")}) ${prefix}${unit}`;
}

// Rows of names and values about a picked vertex.
function aboutContact(film, frame, vertex) {
  const place = film.place(frame, vertex);
  const index = frame.touched.indexOf(vertex);
  const force = index < 0 ? [0, 0, 0] : Array.from(frame.forces.subarray(3 * index, 3 * index + 3));
  const rows = [
    ["node", String(film.nodes[vertex])],
    ["place", components(place, "m")],
    ["contact force", quantity(norm(force), "N")],
    ["components", components(force, "N")],
  ];
  return rows.concat(aboutElements(frame, [vertex]));
}

// Rows of names and values about a body.
function aboutBody(film, frame, body) {
  const vertices = [];
  film.bodies.forEach((owner, vertex) => { if (owner === body) vertices.push(vertex); });
  let low = [Infinity, Infinity, Infinity];
  let high = [-Infinity, -Infinity, -Infinity];
  for (const vertex of vertices) {
    const place = film.place(frame, vertex);
    low = low.map((part, k) => Math.min(part, place[k]));
    high = high.map((part, k) => Math.max(part, place[k]));
  }
  let [sum, touched, largest] = [[0, 0, 0], 0, 0];
  frame.touched.forEach((vertex, i) => {
    if (film.bodies[vertex] !== body) return;
    sum = add(sum, frame.forces.subarray(3 * i, 3 * i + 3));
    largest = Math.max(largest, frame.force[vertex]);
    touched++;
  });
  const rows = [
    ["middle of its box", components(times(add(low, high), 0.5), "m")],
    ["size", components(minus(high, low), "m")],
    ["nodes in contact", String(touched)],
    ["sum of contact forces", quantity(norm(sum), "N")],
    ["components", components(sum, "N")],
    ["largest on a node", quantity(largest, "N")],
  ];
  return rows.concat(aboutElements(frame, vertices));
}

// Largest stress and smallest volume ratio at vertices with elements.
function aboutElements(frame, vertices) {
  const within = vertices.filter((vertex) => frame.stress[vertex] > NO_ELEMENTS / 2);
  if (!within.length) return [];
  const most = within.reduce((most, vertex) => Math.max(most, frame.stress[vertex]), 0);
  const least = within.reduce((least, vertex) => Math.min(least, frame.ratio[vertex]), Infinity);
  const one = within.length === 1;
  return [
    [one ? "von Mises stress" : "largest von Mises stress", quantity(most, "Pa")],
    [one ? "volume ratio" : "smallest volume ratio", digits(least)],
  ];
}

// Fills the panel; `pick` is a vertex of a contact or a body.
function showNumbers(panel, film, frame, pick, close) {
  panel.hidden = !pick;
  if (!pick) return;
  const body = film.about.bodies[pick.body] || `body ${pick.body}`;
  const rows = pick.kind === "contact" ? aboutContact(film, frame, pick.vertex) : aboutBody(film, frame, pick.body);
  const head = document.createElement("b");
  head.textContent = pick.kind === "contact" ? `contact of ${body}` : `${body} (body ${pick.body})`;
  const table = document.createElement("table");
  for (const [name, value] of rows) {
    const row = table.insertRow();
    row.append(Object.assign(document.createElement("th"), { textContent: name }));
    row.insertCell().textContent = value;
  }
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "×", onclick: close });
  button.setAttribute("aria-label", "close");
  panel.replaceChildren(head, table, button);
}
