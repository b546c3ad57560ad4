// The arrow or the triangle under the pointer.

// Largest distance of the pointer from an arrow (pixels of the page).
const REACH = 6;

// The vertex of the arrow nearest to a point of the picture, or -1.
function pickArrow(frame, camera, [x, y], [width, height], metres) {
  if (!(metres > 0)) return -1;
  const matrix = camera.matrix();
  const seen = (p) => {
    const row = (i) => matrix[i] * p[0] + matrix[4 + i] * p[1] + matrix[8 + i] * p[2] + matrix[12 + i];
    const [a, b, w] = [row(0), row(1), row(3)];
    return [(a / w + 1) * 0.5 * width, (1 - b / w) * 0.5 * height, w];
  };
  let [best, nearest] = [-1, REACH];
  for (let i = 0; i < frame.touched.length; i++) {
    const vertex = frame.touched[i];
    const base = frame.positions.subarray(3 * vertex, 3 * vertex + 3);
    const [ax, ay, aw] = seen(base);
    const [bx, by, bw] = seen(add(base, times(frame.forces.subarray(3 * i, 3 * i + 3), metres)));
    if (aw <= 0 || bw <= 0) continue;
    const [dx, dy] = [bx - ax, by - ay];
    // Arrows that are too short to see are no targets.
    if (Math.hypot(dx, dy) < 4) continue;
    const part = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
    const distance = Math.hypot(x - ax - part * dx, y - ay - part * dy);
    if (distance < nearest) [best, nearest] = [vertex, distance];
  }
  return best;
}

// The vertex nearest to the point where a ray first meets the surface, or -1.
function pickVertex(film, frame, eye, direction) {
  const { positions } = frame;
  const { triangles } = film;
  const at = (vertex) => positions.subarray(3 * vertex, 3 * vertex + 3);
  let [best, nearest] = [-1, Infinity];
  for (let i = 0; i < triangles.length; i += 3) {
    const a = at(triangles[i]);
    const u = minus(at(triangles[i + 1]), a);
    const v = minus(at(triangles[i + 2]), a);
    const p = cross(direction, v);
    const determinant = dot(u, p);
    if (determinant === 0) continue;
    const s = minus(eye, a);
    const first = dot(s, p) / determinant;
    if (first < 0 || first > 1) continue;
    const q = cross(s, u);
    const second = dot(direction, q) / determinant;
    if (second < 0 || first + second > 1) continue;
    const depth = dot(v, q) / determinant;
    if (depth <= 0 || depth >= nearest) continue;
    nearest = depth;
    const weights = [1 - first - second, first, second];
    best = triangles[i + weights.indexOf(Math.max(...weights))];
  }
  return best;
}
