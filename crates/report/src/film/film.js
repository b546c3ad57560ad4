// Draws each film on its canvas, half-spaces first and then triangles from far to near. Drag to turn it, move the slider for the time.
document.querySelectorAll("figure.film").forEach((figure) => {
  const film = JSON.parse(figure.querySelector("script").textContent);
  const canvas = figure.querySelector("canvas");
  const slider = figure.querySelector("input");
  const label = figure.querySelector("output");
  const button = figure.querySelector("button");
  const pen = canvas.getContext("2d");
  const count = film.f.length / 4;
  let turn = 0.6, tilt = 0.35;
  const [wide, high] = [Math.hypot(film.s[0], film.s[1]), film.s[2]];
  const zoom = 0.92 * Math.min(canvas.width / wide, canvas.height / (Math.sin(tilt) * wide + Math.cos(tilt) * high));
  let frame = film.p.length - 1, timer = null;
  slider.max = frame;

  // Seen from its outside, a half-space is behind everything; from its inside it is not drawn.
  function drawPatch(corners) {
    const [a, b, , d] = corners;
    if ((b[0] - a[0]) * (d[1] - a[1]) - (d[0] - a[0]) * (b[1] - a[1]) >= 0) return;
    pen.fillStyle = "#e4e4e0";
    pen.beginPath();
    for (const [x, y] of corners) pen.lineTo(x, y);
    pen.closePath();
    pen.fill();
    pen.strokeStyle = "#cfcfc9";
    pen.lineWidth = 0.7;
    pen.beginPath();
    const between = (p, q, part) => [0, 1].map((k) => p[k] + part * (q[k] - p[k]));
    for (let i = 0; i <= 10; i++) {
      for (const [p, q, r, s] of [[0, 1, 3, 2], [0, 3, 1, 2]].map((way) => way.map((k) => corners[k]))) {
        pen.moveTo(...between(p, q, i / 10));
        pen.lineTo(...between(r, s, i / 10));
      }
    }
    pen.stroke();
  }

  function draw() {
    const points = film.p[frame];
    const [ct, st, ci, si] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
    const seen = (points, i) => {
      const [a, b, c] = [0, 1, 2].map((k) => points[3 * i + k] - film.s[k] / 2);
      const side = ct * a + st * b, deep = ct * b - st * a;
      return [canvas.width / 2 + zoom * side, canvas.height / 2 - zoom * (ci * c + si * deep), ci * deep - si * c];
    };
    const n = points.length / 3, x = new Float32Array(n), y = new Float32Array(n), z = new Float32Array(n);
    for (let i = 0; i < n; i++) [x[i], y[i], z[i]] = seen(points, i);
    const order = [];
    for (let k = 0; k < count; k++) {
      const [a, b, c] = [film.f[4 * k], film.f[4 * k + 1], film.f[4 * k + 2]];
      const area = (x[b] - x[a]) * (y[c] - y[a]) - (x[c] - x[a]) * (y[b] - y[a]);
      if (area < 0) order.push([z[a] + z[b] + z[c], k, area]);
    }
    order.sort((p, q) => q[0] - p[0]);
    pen.fillStyle = "#f7f7f5";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    for (const corners of film.h) drawPatch([0, 1, 2, 3].map((i) => seen(corners, i)));
    for (const [, k] of order) {
      const [a, b, c, solid] = film.f.slice(4 * k, 4 * k + 4);
      const u = [x[b] - x[a], y[b] - y[a], zoom * (z[b] - z[a])];
      const v = [x[c] - x[a], y[c] - y[a], zoom * (z[c] - z[a])];
      const m = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      const light = Math.abs(0.35 * m[0] + 0.75 * m[1] + 0.55 * m[2]) / (Math.hypot(...m) || 1);
      pen.fillStyle = pen.strokeStyle = `hsl(${(solid * 137.5) % 360} 45% ${30 + 42 * light}%)`;
      pen.lineWidth = 0.5;
      pen.beginPath();
      pen.moveTo(x[a], y[a]);
      pen.lineTo(x[b], y[b]);
      pen.lineTo(x[c], y[c]);
      pen.closePath();
      pen.fill();
      pen.stroke();
    }
    slider.value = frame;
    label.textContent = `${film.t[frame].toFixed(3)} s`;
  }

  slider.addEventListener("input", () => { frame = +slider.value; draw(); });
  button.addEventListener("click", () => {
    clearInterval(timer);
    if (frame === film.p.length - 1) frame = 0;
    timer = setInterval(() => {
      draw();
      if (frame === film.p.length - 1) clearInterval(timer); else frame++;
    }, 200);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    turn -= event.movementX / 150;
    tilt = Math.max(-1.5, Math.min(1.5, tilt + event.movementY / 150));
    draw();
  });
  draw();
});
