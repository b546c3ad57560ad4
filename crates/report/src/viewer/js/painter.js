// Draws a frame: half-spaces, bodies, lines of the mesh, links and ropes, arrows.

// Width of the shaft of an arrow (pixels of the page).
const SHAFT = 2.4;

// Width of a link or rope (pixels of the page).
const ROPE_WIDTH = 3;

// Corners of the triangles of a piece of a link or rope.
const PIECE_CORNERS = 6;

// Corners of the triangles of an arrow.
const ARROW_CORNERS = 9;

class Painter {
  constructor(canvas, film) {
    const gl = canvas.getContext("webgl2", { antialias: false });
    if (!gl) throw new Error("This browser has no WebGL 2, which draws the scene.");
    this.gl = gl;
    this.film = film;
    this.surface = program(gl, SURFACE);
    this.line = program(gl, LINE);
    this.wall = program(gl, WALL);
    this.arrow = program(gl, ARROW);
    this.rope = program(gl, ROPE);
    this.positions = gl.createBuffer();
    this.values = gl.createBuffer();
    this.arrows = gl.createBuffer();
    this.pieces = gl.createBuffer();
    this.scales = new Map();

    this.body = gl.createVertexArray();
    gl.bindVertexArray(this.body);
    attribute(gl, this.positions, 0, 3);
    attribute(gl, this.values, 1, 1);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, film.bodies, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_INT, 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, film.triangles, gl.STATIC_DRAW);

    this.edges = null;
    this.pointers = gl.createVertexArray();
    gl.bindVertexArray(this.pointers);
    attribute(gl, this.arrows, 0, 3, 28, 0);
    attribute(gl, this.arrows, 1, 3, 28, 12);
    attribute(gl, this.arrows, 2, 1, 28, 24);
    this.ropes = gl.createVertexArray();
    gl.bindVertexArray(this.ropes);
    attribute(gl, this.pieces, 0, 3, 28, 0);
    attribute(gl, this.pieces, 1, 3, 28, 12);
    attribute(gl, this.pieces, 2, 1, 28, 24);
    gl.bindVertexArray(null);
    this.empty = gl.createVertexArray();
  }

  // Takes the numbers of a frame, coloured in one of the ways.
  take(frame, way) {
    const { gl, film } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.positions);
    gl.bufferData(gl.ARRAY_BUFFER, frame.positions, gl.DYNAMIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.values);
    const values = way === "body" ? new Float32Array(film.about.vertices) : frame[way];
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    this.frame = frame;
    this.arrowsOf = null;
    const pieces = piecesOf(film.about.lines, frame.lines);
    this.corners = pieces.length / 7;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.pieces);
    gl.bufferData(gl.ARRAY_BUFFER, pieces, gl.DYNAMIC_DRAW);
  }

  // The corners of all arrows: base, force, number of the corner. Instances would be slow without a graphics processor.
  takeArrows() {
    const { gl, frame } = this;
    if (this.arrowsOf === frame) return;
    this.arrowsOf = frame;
    const corners = new Float32Array(7 * ARROW_CORNERS * frame.touched.length);
    let at = 0;
    frame.touched.forEach((vertex, i) => {
      for (let corner = 0; corner < ARROW_CORNERS; corner++) {
        for (let k = 0; k < 3; k++) corners[at++] = frame.positions[3 * vertex + k];
        for (let k = 0; k < 3; k++) corners[at++] = frame.forces[3 * i + k];
        corners[at++] = corner;
      }
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, this.arrows);
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.DYNAMIC_DRAW);
  }

  draw(camera, { colouring, picked, mesh, metres, spacing, ratio }) {
    const { gl, film } = this;
    const matrix = camera.matrix();
    const { right, above, back } = camera.axes();
    const eye = camera.eye();
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    this.drawWalls(matrix, eye, spacing);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    const use = this.surface;
    gl.useProgram(use.program);
    gl.uniformMatrix4fv(use.at("matrix"), false, matrix);
    gl.uniform3fv(use.at("eye"), eye);
    gl.uniform3fv(use.at("light"), unit(add(add(times(right, -0.35), times(above, 0.75)), times(back, 0.6))));
    gl.uniform1i(use.at("byBody"), colouring.scale ? 0 : 1);
    gl.uniform2fv(use.at("range"), colouring.range || [0, 1]);
    gl.uniform1i(use.at("picked"), picked);
    gl.bindTexture(gl.TEXTURE_2D, this.texture(colouring.scale || VIRIDIS));
    gl.bindVertexArray(this.body);
    const closed = 3 * film.about.closed;
    gl.enable(gl.CULL_FACE);
    gl.drawElements(gl.TRIANGLES, closed, gl.UNSIGNED_INT, 0);
    gl.disable(gl.CULL_FACE);
    gl.drawElements(gl.TRIANGLES, film.triangles.length - closed, gl.UNSIGNED_INT, 4 * closed);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (mesh) this.drawEdges(matrix);
    if (this.corners) this.drawRopes(matrix, eye, ratio);
    if (metres > 0 && this.frame.touched.length) this.drawArrows(matrix, metres, ratio);
    gl.bindVertexArray(null);
  }

  // Seen from its outside, a half-space is behind everything; from its inside it is not drawn.
  drawWalls(matrix, eye, spacing) {
    const { gl, wall: use } = this;
    gl.useProgram(use.program);
    gl.bindVertexArray(this.empty);
    gl.uniformMatrix4fv(use.at("matrix"), false, matrix);
    gl.uniform1f(use.at("spacing"), spacing);
    for (const { corners: [corner, next, , last] } of this.film.about.walls) {
      const [first, second] = [minus(next, corner), minus(last, corner)];
      if (dot(cross(first, second), minus(eye, corner)) <= 0) continue;
      gl.uniform3fv(use.at("corner"), corner);
      gl.uniform3fv(use.at("first"), first);
      gl.uniform3fv(use.at("second"), second);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
  }

  drawEdges(matrix) {
    const { gl, line: use } = this;
    if (!this.edges) {
      const lines = edgesOf(this.film.triangles);
      this.edges = { vertices: gl.createVertexArray(), count: lines.length };
      gl.bindVertexArray(this.edges.vertices);
      attribute(gl, this.positions, 0, 3);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, lines, gl.STATIC_DRAW);
    }
    gl.useProgram(use.program);
    gl.uniformMatrix4fv(use.at("matrix"), false, matrix);
    gl.bindVertexArray(this.edges.vertices);
    gl.drawElements(gl.LINES, this.edges.count, gl.UNSIGNED_INT, 0);
  }

  drawRopes(matrix, eye, ratio) {
    const { gl, rope: use } = this;
    gl.useProgram(use.program);
    gl.bindVertexArray(this.ropes);
    gl.uniformMatrix4fv(use.at("matrix"), false, matrix);
    gl.uniform2f(use.at("pixel"), 2 / gl.drawingBufferWidth, 2 / gl.drawingBufferHeight);
    gl.uniform1f(use.at("width"), ROPE_WIDTH * ratio);
    gl.uniform3fv(use.at("eye"), eye);
    gl.uniform1f(use.at("nearer"), (ROPE_WIDTH * ratio * Math.tan(VIEW_ANGLE / 2)) / gl.drawingBufferHeight);
    gl.drawArrays(gl.TRIANGLES, 0, this.corners);
  }

  // Arrows behind surfaces shine through.
  drawArrows(matrix, metres, ratio) {
    const { gl, arrow: use } = this;
    this.takeArrows();
    gl.useProgram(use.program);
    gl.bindVertexArray(this.pointers);
    gl.uniformMatrix4fv(use.at("matrix"), false, matrix);
    gl.uniform1f(use.at("metres"), metres);
    gl.uniform2f(use.at("pixel"), 2 / gl.drawingBufferWidth, 2 / gl.drawingBufferHeight);
    gl.uniform1f(use.at("width"), SHAFT * ratio);
    gl.depthMask(false);
    for (const [comparison, opacity] of [[gl.GREATER, 0.15], [gl.LEQUAL, 1]]) {
      gl.depthFunc(comparison);
      gl.uniform1f(use.at("opacity"), opacity);
      gl.drawArrays(gl.TRIANGLES, 0, ARROW_CORNERS * this.frame.touched.length);
    }
    gl.depthMask(true);
  }

  texture(scale) {
    const { gl } = this;
    if (!this.scales.has(scale)) {
      const texture = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels(scale));
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
        gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
      }
      for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) {
        gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
      }
      this.scales.set(scale, texture);
    }
    return this.scales.get(scale);
  }
}

// A program, and the places of its uniforms.
function program(gl, { vertex, fragment }) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text.trim());
    gl.compileShader(shader);
    gl.attachShader(made, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  const places = new Map();
  const at = (name) => {
    if (!places.has(name)) places.set(name, gl.getUniformLocation(made, name));
    return places.get(name);
  };
  return { program: made, at };
}

function attribute(gl, buffer, place, components, stride = 0, offset = 0) {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, components, gl.FLOAT, false, stride, offset);
}

// The corners of the pieces of all lines with so many points each: both ends of the piece, number of the corner.
function piecesOf(counts, points) {
  const values = [];
  let first = 0;
  for (const count of counts) {
    for (let point = first; point + 1 < first + count; point++) {
      const ends = points.subarray(3 * point, 3 * point + 6);
      for (let corner = 0; corner < PIECE_CORNERS; corner++) values.push(...ends, corner);
    }
    first += count;
  }
  return new Float32Array(values);
}

// Both ends of each edge, once.
function edgesOf(triangles) {
  const seen = new Set();
  const ends = [];
  for (let i = 0; i < triangles.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [triangles[i + k], triangles[i + ((k + 1) % 3)]];
      const key = Math.min(a, b) * 2 ** 26 + Math.max(a, b);
      if (seen.has(key)) continue;
      seen.add(key);
      ends.push(a, b);
    }
  }
  return new Uint32Array(ends);
}
