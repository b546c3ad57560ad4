// A film: what stays the same, and the frames that are in memory.

// Memory for frames that were shown (bytes).
const MOST_KEPT = 64 << 20;

// Value at the vertices of bodies without elements.
const NO_ELEMENTS = -1e30;

class Film {
  constructor(source, description, surface, table) {
    this.source = source;
    this.about = description;
    const { vertices, triangles, columns } = description;
    this.triangles = new Uint32Array(surface, 0, 3 * triangles);
    this.bodies = new Uint32Array(surface, 12 * triangles, vertices);
    this.nodes = new Uint32Array(surface, 12 * triangles + 4 * vertices, vertices);
    this.table = table ? tableOf(columns, new Float32Array(table)) : null;
    this.kept = new Map();
    this.keptBytes = 0;
  }

  static async open(source) {
    const description = await source.description();
    const surface = await source.bytes("surface");
    const table = description.columns && description.columns.length ? await source.bytes("table") : null;
    return new Film(source, description, surface, table);
  }

  get frames() {
    return this.about.times.length;
  }

  // The frame at or before a time (s).
  frameAt(time) {
    const { times } = this.about;
    let [low, high] = [0, times.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // The values of a frame; the oldest frames in memory make room for it.
  async frame(index) {
    const known = this.kept.get(index);
    if (known) return known;
    const bytes = await this.source.bytes(`frame${index}`);
    const frame = this.read(bytes);
    this.kept.set(index, frame);
    this.keptBytes += bytes.byteLength;
    for (const [oldest, { size }] of this.kept) {
      if (this.keptBytes <= MOST_KEPT || oldest === index) break;
      this.kept.delete(oldest);
      this.keptBytes -= size;
    }
    return frame;
  }

  read(bytes) {
    const { vertices: n, elements, lines } = this.about;
    const count = new Uint32Array(bytes, 0, 1)[0];
    let at = 4;
    const take = (Kind, length) => {
      const values = new Kind(bytes, at, length);
      at += 4 * length;
      return values;
    };
    const frame = {
      size: bytes.byteLength,
      positions: take(Float32Array, 3 * n),
      stress: take(Float32Array, elements ? n : 0),
      ratio: take(Float32Array, elements ? n : 0),
      touched: take(Uint32Array, count),
      forces: take(Float32Array, 3 * count),
      lines: take(Float32Array, 3 * lines.reduce((sum, points) => sum + points, 0)),
      force: new Float32Array(n),
    };
    for (let i = 0; i < count; i++) frame.force[frame.touched[i]] = norm(frame.forces.subarray(3 * i, 3 * i + 3));
    return frame;
  }

  // The position of a vertex in a frame.
  place(frame, vertex) {
    return Array.from(frame.positions.subarray(3 * vertex, 3 * vertex + 3));
  }
}

// Columns by name.
function tableOf(names, values) {
  const rows = values.length / names.length;
  return { rows, columns: new Map(names.map((name, i) => [name, values.subarray(i * rows, (i + 1) * rows)])) };
}
