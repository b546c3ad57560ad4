// A camera that looks at a point from a distance, in perspective.

// Vertical angle of view (radians).
const VIEW_ANGLE = 0.55;

// Largest angle above or below the horizon (radians): straight down, left and right would be undefined.
const MOST_TILT = 1.55;

class Camera {
  constructor(up) {
    this.up = up;
    const axis = up.findIndex((part) => part !== 0);
    this.first = [0, 0, 0];
    this.first[(axis + 1) % 3] = 1;
    this.second = cross(this.up, this.first);
    this.turn = -0.95;
    this.tilt = 0.42;
    this.target = [0, 0, 0];
    this.distance = 1;
    this.size = 1;
    this.aspect = 1;
  }

  // Unit vectors to the right, up and towards the eye.
  axes() {
    const level = add(times(this.first, Math.cos(this.turn)), times(this.second, Math.sin(this.turn)));
    const back = add(times(level, Math.cos(this.tilt)), times(this.up, Math.sin(this.tilt)));
    const right = unit(cross(this.up, back));
    return { right, above: cross(back, right), back };
  }

  eye() {
    return add(this.target, times(this.axes().back, this.distance));
  }

  // Shows the whole box.
  fit(low, high) {
    const { right, above, back } = this.axes();
    this.target = times(add(low, high), 0.5);
    this.size = norm(minus(high, low)) || 1;
    const slope = Math.tan(VIEW_ANGLE / 2);
    this.distance = 0.1 * this.size;
    for (let corner = 0; corner < 8; corner++) {
      const place = [0, 1, 2].map((k) => ((corner >> k) & 1 ? high[k] : low[k]) - this.target[k]);
      const side = Math.max(Math.abs(dot(place, above)), Math.abs(dot(place, right)) / this.aspect);
      this.distance = Math.max(this.distance, dot(place, back) + (1.06 * side) / slope);
    }
  }

  orbit(x, y) {
    this.turn -= x;
    this.tilt = Math.max(-MOST_TILT, Math.min(MOST_TILT, this.tilt + y));
  }

  // Moves the scene with the pointer; x and y in heights of the picture.
  pan(x, y) {
    const { right, above } = this.axes();
    const height = 2 * this.distance * Math.tan(VIEW_ANGLE / 2);
    this.target = add(this.target, add(times(right, -x * height), times(above, y * height)));
  }

  // Approaches, and keeps the point under the pointer; x and y from -1 to 1.
  zoom(factor, x, y) {
    const { right, above } = this.axes();
    const half = this.distance * Math.tan(VIEW_ANGLE / 2) * (1 - factor);
    this.target = add(this.target, add(times(right, x * half * this.aspect), times(above, y * half)));
    this.distance = Math.max(1e-4 * this.size, Math.min(50 * this.size, this.distance * factor));
  }

  // From positions to the picture.
  matrix() {
    const { right, above, back } = this.axes();
    const eye = this.eye();
    const slope = 1 / Math.tan(VIEW_ANGLE / 2);
    const near = Math.max(0.005 * this.distance, this.distance - 2 * this.size);
    const far = this.distance + 4 * this.size;
    const depth = 1 / (near - far);
    const projection = [slope / this.aspect, 0, 0, 0, 0, slope, 0, 0, 0, 0, (far + near) * depth, -1, 0, 0,
      2 * far * near * depth, 0];
    const view = [];
    for (let k = 0; k < 3; k++) view.push(right[k], above[k], back[k], 0);
    view.push(-dot(right, eye), -dot(above, eye), -dot(back, eye), 1);
    return product(projection, view);
  }

  // Direction from the eye through a point of the picture; x and y from -1 to 1.
  ray(x, y) {
    const { right, above, back } = this.axes();
    const slope = Math.tan(VIEW_ANGLE / 2);
    return unit(minus(add(times(right, x * slope * this.aspect), times(above, y * slope)), back));
  }
}
