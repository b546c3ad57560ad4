// A figure with its controls.

class Viewer {
  constructor(figure, film) {
    const find = (name) => figure.querySelector(`.${name}`);
    Object.assign(this, { figure, film, find, index: -1, frame: null, pick: null, drawn: 0, wanted: 0, way: "body" });
    const { low, high, up, times } = film.about;
    this.canvas = figure.querySelector("canvas");
    this.camera = new Camera(up);
    this.pace = new Pace(() => this.refresh());
    this.clock = new Clock(times);
    this.ways = colourings(film);
    this.extent = norm(minus(high, low)) || 1;
    this.spacing = roundBelow(this.extent / 8);
    this.painter = new Painter(this.canvas, film);
    const { table } = film;
    this.plots = table && table.rows ? new Plots(find("graphs"), table, (time) => this.seek(time)) : null;
    this.connect();
    this.resize();
    this.camera.fit(low, high);
    this.seek(this.clock.time);
  }

  static async open(figure) {
    try {
      figure.viewer = new Viewer(figure, await Film.open(partsOf(figure)));
    } catch (error) {
      Viewer.complain(figure, error);
    }
  }

  static complain(figure, error) {
    const trouble = figure.querySelector(".trouble");
    trouble.hidden = false;
    trouble.textContent = error.message;
  }

  connect() {
    const { find } = this;
    const times = this.film.about.times;
    const slider = find("frame");
    slider.max = times.length - 1;
    slider.addEventListener("input", () => this.seek(times[+slider.value]));
    find("play").addEventListener("click", () => this.toggle());
    for (const speed of SPEEDS) {
      const part = speed < 1 ? `1/${Math.round(1 / speed)}` : speed;
      const name = speed === 1 ? "real time" : `${part} ×`;
      find("speed").append(element("option", name, { value: speed, selected: speed === this.clock.speed }));
    }
    find("speed").addEventListener("change", (event) => { this.clock.speed = +event.target.value; });
    for (const [value, { name }] of Object.entries(this.ways)) {
      find("colour").append(element("option", name, { value }));
    }
    find("colour").addEventListener("change", (event) => {
      this.way = event.target.value;
      this.painter.take(this.frame, this.way);
      this.refresh();
    });
    for (const name of ["arrows", "length", "mesh"]) find(name).addEventListener("input", () => this.refresh());
    find("fit").addEventListener("click", () => {
      this.camera.fit(...boxOf([this.frame.positions, this.frame.lines]));
      this.refresh();
    });
    listen(this.canvas, this.camera, {
      changed: () => this.refresh(),
      clicked: (pixel, place) => this.choose(pixel, place),
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.refresh()).observe(this.canvas);
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === " ") this.toggle();
    else if (step) this.seek(this.film.about.times[Math.max(0, Math.min(this.film.frames - 1, this.index + step))]);
    else return;
    event.preventDefault();
  }

  toggle() {
    if (this.clock.playing) this.clock.pause();
    else this.clock.play(performance.now());
    this.showPlaying();
    this.play();
  }

  // Each picture is asked for before the next moment is, so that every picture of the page can show a new one.
  async play() {
    if (this.looping) return;
    this.looping = true;
    try {
      while (this.clock.playing) {
        this.clock.tick(await new Promise(requestAnimationFrame));
        this.showPlaying();
        await this.show(this.film.frameAt(this.clock.time));
      }
    } finally {
      this.looping = false;
    }
  }

  showPlaying() {
    const button = this.find("play");
    const name = this.clock.playing ? "pause" : "play";
    if (button.getAttribute("aria-label") === name) return;
    button.textContent = this.clock.playing ? "❚❚" : "▶";
    button.setAttribute("aria-label", name);
  }

  // Goes to a time (s) and stops there.
  seek(time) {
    this.clock.pause();
    this.showPlaying();
    const { begin, end } = this.clock;
    this.clock.time = Math.max(begin, Math.min(end, time));
    return this.show(this.film.frameAt(this.clock.time));
  }

  // Shows a frame as soon as its numbers are there, unless another one is wanted by then.
  async show(index) {
    if (index === this.wanted && this.frame) return;
    this.wanted = index;
    try {
      const frame = await this.film.frame(index);
      if (index !== this.wanted) return;
      Object.assign(this, { index, frame });
      this.painter.take(frame, this.way);
      this.refresh();
    } catch (error) {
      this.clock.pause();
      this.showPlaying();
      Viewer.complain(this.figure, error);
    }
  }

  // Gives the picture the pixels that the pace allows.
  resize() {
    const { canvas } = this;
    this.ratio = this.pace.ratio();
    const pixels = (side) => Math.max(1, Math.round(side * this.ratio));
    const [width, height] = [pixels(canvas.clientWidth), pixels(canvas.clientHeight)];
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    this.camera.aspect = width / height;
  }

  // Length of an arrow per newton (m/N), 0 without arrows.
  metres() {
    const [most] = this.film.about.force;
    if (!this.find("arrows").checked || !(most > 0)) return 0;
    return (0.1 * this.extent * 10 ** +this.find("length").value) / most;
  }

  // Draws before the next picture of the page.
  refresh() {
    if (this.due || !this.frame) return;
    this.due = true;
    requestAnimationFrame(() => {
      const begin = performance.now();
      this.due = false;
      this.pace.begin();
      this.draw();
      this.pace.end();
      if (!this.pace.sharp) requestAnimationFrame(() => this.pace.note(performance.now() - begin));
    });
  }

  draw() {
    const { film, frame, ways, way, pick, spacing, index } = this;
    const metres = this.metres();
    this.resize();
    this.painter.draw(this.camera, {
      colouring: ways[way],
      picked: pick ? pick.body : -1,
      mesh: this.find("mesh").checked,
      metres,
      spacing,
      ratio: this.ratio,
    });
    showLegend(this.find("legend"), film, ways[way], { metres, spacing });
    showNumbers(this.find("numbers"), film, frame, pick, () => {
      this.pick = null;
      this.refresh();
    });
    const { times, steps } = film.about;
    this.find("frame").value = index;
    this.find("clock").textContent = `${digits(times[index])} s, step ${steps[index]}`;
    if (this.plots) this.plots.draw(times[index]);
    this.drawn++;
    this.figure.dataset.frame = index;
  }

  // A click: the contact under the pointer, else the body, else nothing.
  choose(pixel, [x, y]) {
    const { film, frame, camera, canvas } = this;
    const arrow = pickArrow(frame, camera, pixel, [canvas.clientWidth, canvas.clientHeight], this.metres());
    const vertex = arrow >= 0 ? arrow : pickVertex(film, frame, camera.eye(), camera.ray(x, y));
    const kind = arrow >= 0 ? "contact" : "body";
    this.pick = vertex < 0 ? null : { kind, vertex, body: film.bodies[vertex] };
    this.refresh();
  }
}

// The corners of the box around lists of positions.
function boxOf(lists) {
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (const positions of lists) {
    positions.forEach((part, i) => {
      low[i % 3] = Math.min(low[i % 3], part);
      high[i % 3] = Math.max(high[i % 3], part);
    });
  }
  return [low, high];
}

// Browsers keep few pictures of this kind at a time, so a figure opens when it is seen.
const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    sight.unobserve(target);
    Viewer.open(target);
  }
}, { rootMargin: "200px" });
document.querySelectorAll("figure.viewer").forEach((figure) => sight.observe(figure));
