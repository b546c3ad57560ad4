// Plots of the table of steps, with a mark at the time of the film.

// Plots that are shown if the table has one of their columns.
const PLOTS = [
  ["Energy, J", ["kinetic_energy", "elastic_energy"]],
  ["Contacts", ["active", "sticking", "sliding"]],
  ["Sum of contact forces, N", ["contact_force_x", "contact_force_y", "contact_force_z"]],
  ["Iterations per step", ["iterations"]],
];

// Margins of a plot (pixels): left for numbers, bottom for times.
const MARGIN = { left: 46, right: 8, top: 6, bottom: 17 };

class Plots {
  constructor(panel, table, seek) {
    this.table = table;
    this.times = table.columns.get("time");
    this.end = this.times[table.rows - 1];
    this.graphs = [];
    for (const [title, names] of PLOTS) {
      const found = names.filter((name) => table.columns.has(name));
      if (found.length) this.graphs.push(this.graph(panel, element("h4", title), found, seek));
    }
    const select = element("select", "", { ariaLabel: "column" });
    for (const name of table.columns.keys()) {
      if (name !== "time" && name !== "step") select.append(element("option", name));
    }
    const head = element("h4");
    head.append("Column ", select);
    const chosen = this.graph(panel, head, [select.value], seek);
    this.graphs.push(chosen);
    if (table.columns.has("minimum_gap")) chosen.names = [(select.value = "minimum_gap")];
    select.addEventListener("change", () => {
      chosen.names = [select.value];
      this.draw(this.time);
    });
  }

  graph(panel, head, names, seek) {
    const [box, canvas, mark, key] = ["div", "canvas", "hr", "p"].map((kind) => element(kind));
    box.className = "graph";
    box.append(head, canvas, mark, key);
    panel.append(box);
    const follow = (event) => {
      if (event.type === "pointermove" && !event.buttons) return;
      const inner = canvas.clientWidth - MARGIN.left - MARGIN.right;
      seek(((event.offsetX - MARGIN.left) / inner) * this.end);
    };
    canvas.addEventListener("pointerdown", follow);
    canvas.addEventListener("pointermove", follow);
    return { canvas, mark, key, names };
  }

  // Moves the marks to a time (s); draws the curves again where the columns or the width changed.
  draw(time) {
    this.time = time;
    // Row of the last step that has ended, -1 before the first.
    let row = -1;
    while (row + 1 < this.table.rows && this.times[row + 1] <= time * (1 + 1e-6)) row++;
    for (const graph of this.graphs) {
      const { canvas, mark, names } = graph;
      const state = `${names} ${canvas.clientWidth} ${window.devicePixelRatio}`;
      if (state !== graph.state) {
        graph.state = state;
        this.drawCurves(graph);
      }
      const x = MARGIN.left + (time / this.end) * (canvas.clientWidth - MARGIN.left - MARGIN.right);
      mark.style.transform = `translateX(${x}px)`;
      names.forEach((name, i) => {
        const value = row < 0 ? "" : digits(this.table.columns.get(name)[row]);
        graph.values[i].data = `${name.replaceAll("_", " ")} ${value}`;
      });
    }
  }

  drawCurves(graph) {
    const { canvas, key, names } = graph;
    graph.values = names.map(() => document.createTextNode(""));
    key.replaceChildren(...names.map((_, i) => {
      const [item, colour] = [element("span"), element("i")];
      colour.style.borderColor = LINES[i];
      item.append(colour, graph.values[i]);
      return item;
    }));
    const ratio = window.devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "10.5px system-ui, sans-serif";
    const columns = names.map((name) => this.table.columns.get(name));
    let [low, high] = [Infinity, -Infinity];
    for (const column of columns) {
      for (const value of column) {
        if (!Number.isFinite(value)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    if (low > high) [low, high] = [0, 1];
    // Zero belongs to the axis unless the values are far from it.
    if (low > 0 && low < 0.7 * high) low = 0;
    if (low === high) [low, high] = [low - 0.5 * (Math.abs(low) || 1), high + 0.5 * (Math.abs(high) || 1)];
    const x = (value) => MARGIN.left + (value / this.end) * (width - MARGIN.left - MARGIN.right);
    const inner = height - MARGIN.top - MARGIN.bottom;
    const y = (value) => height - MARGIN.bottom - ((value - low) / (high - low)) * inner;

    pen.strokeStyle = "#e3e6ec";
    pen.fillStyle = "#5b6270";
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const rise = roundBelow((high - low) / 2);
    for (let value = Math.ceil(low / rise - 1e-9) * rise; value <= high + 1e-9 * rise; value += rise) {
      line(pen, [[x(0), y(value)], [x(this.end), y(value)]]);
      pen.fillText(digits(+value.toPrecision(Math.abs(value) < 100 * rise ? 3 : 6)), MARGIN.left - 5, y(value));
    }
    pen.textBaseline = "alphabetic";
    const step = roundBelow(this.end / 2.5);
    for (let value = 0; value <= this.end * (1 + 1e-9); value += step) {
      pen.textAlign = value === 0 ? "left" : x(value) > width - 24 ? "right" : "center";
      const label = value === 0 ? "0 s" : `${digits(+value.toPrecision(6))}`;
      pen.fillText(label, x(value), height - 4);
    }
    columns.forEach((column, i) => {
      pen.strokeStyle = LINES[i];
      pen.lineWidth = 1.4;
      curve(pen, this.times, column, x, y);
    });
  }
}

function line(pen, points) {
  pen.beginPath();
  for (const [x, y] of points) pen.lineTo(x, y);
  pen.stroke();
}

// A curve with gaps where values are not finite; of the rows in a pixel, the lowest and the highest.
function curve(pen, times, values, x, y) {
  pen.beginPath();
  let [pixel, low, high, open] = [-1, 0, 0, false];
  const flush = () => {
    if (pixel < 0) return;
    if (open) pen.lineTo(pixel, y(low));
    else pen.moveTo(pixel, y(low));
    if (high !== low) pen.lineTo(pixel, y(high));
    open = true;
    pixel = -1;
  };
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (!Number.isFinite(value)) {
      flush();
      open = false;
      continue;
    }
    const at = Math.round(2 * x(times[i])) / 2;
    if (at !== pixel) {
      flush();
      [pixel, low, high] = [at, value, value];
    }
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  flush();
  pen.stroke();
}
