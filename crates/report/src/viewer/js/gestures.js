// Pointers and keys: one finger turns, two fingers or shift move, the wheel or two fingers zoom, a click picks.

// Largest way of a pointer between press and release of a click (pixels).
const STILL = 4;

// Radians per pixel.
const TURN = 1 / 180;

function listen(canvas, camera, { changed, clicked }) {
  const pointers = new Map();
  let way = 0;
  const place = ({ offsetX, offsetY }) => [
    (2 * offsetX) / canvas.clientWidth - 1, 1 - (2 * offsetY) / canvas.clientHeight,
  ];
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    way = pointers.size > 1 ? Infinity : 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.offsetX - before[0], event.offsetY - before[1]];
    const gap = pointers.size === 2 ? spread() : 0;
    pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    way += Math.hypot(dx, dy);
    if (way <= STILL) return;
    const height = canvas.clientHeight;
    if (pointers.size === 2) {
      camera.pan((0.5 * dx) / height, (0.5 * dy) / height);
      camera.zoom(gap / (spread() || 1), 0, 0);
    } else if (event.shiftKey || event.ctrlKey || event.buttons > 1) {
      camera.pan(dx / height, dy / height);
    } else {
      camera.orbit(dx * TURN, dy * TURN);
    }
    changed();
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(kind, (event) => {
      const pressed = pointers.delete(event.pointerId);
      if (kind === "pointerup" && pressed && way <= STILL && event.button === 0) {
        clicked([event.offsetX, event.offsetY], place(event));
      }
    });
  }
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    camera.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * lines * 0.0015))), ...place(event));
    changed();
  }, { passive: false });
}
