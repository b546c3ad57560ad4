// The programs of the graphics processor.

const SURFACE = {
  vertex: `#version 300 es
    uniform mat4 matrix;
    uniform vec3 eye;
    layout(location = 0) in vec3 position;
    layout(location = 1) in float value;
    layout(location = 2) in uint body;
    out vec3 fromEye;
    out float shown;
    flat out uint owner;
    void main() {
      gl_Position = matrix * vec4(position, 1.0);
      fromEye = position - eye;
      shown = value;
      owner = body;
    }`,
  fragment: `#version 300 es
    precision highp float;
    uniform vec3 light;
    uniform vec2 range;
    uniform bool byBody;
    uniform int picked;
    uniform sampler2D scale;
    in vec3 fromEye;
    in float shown;
    flat in uint owner;
    out vec4 colour;
    vec3 ofBody(uint body) {
      float hue = mod(210.0 + float(body) * 137.508, 360.0) / 60.0;
      vec3 full = clamp(abs(mod(hue + vec3(0.0, 4.0, 2.0), 6.0) - 3.0) - 1.0, 0.0, 1.0);
      return 0.6 + 0.42 * (full - 0.5);
    }
    void main() {
      vec3 normal = normalize(cross(dFdx(fromEye), dFdy(fromEye)));
      normal = dot(normal, fromEye) > 0.0 ? -normal : normal;
      vec3 base = ofBody(owner);
      if (!byBody) {
        float place = clamp((shown - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
        base = shown < -1e29 ? vec3(0.72) : texture(scale, vec2((place * 255.0 + 0.5) / 256.0, 0.5)).rgb;
      }
      if (picked >= 0 && uint(picked) != owner) base = mix(base, vec3(0.86), 0.7);
      float lit = 0.52 + 0.5 * max(dot(normal, light), 0.0);
      colour = vec4(base * lit, 1.0);
    }`,
};

const LINE = {
  vertex: `#version 300 es
    uniform mat4 matrix;
    layout(location = 0) in vec3 position;
    void main() { gl_Position = matrix * vec4(position, 1.0); }`,
  fragment: `#version 300 es
    precision mediump float;
    out vec4 colour;
    void main() { colour = vec4(0.08, 0.1, 0.15, 0.35); }`,
};

// A half-space: a square with lines at equal distances.
const WALL = {
  vertex: `#version 300 es
    uniform mat4 matrix;
    uniform vec3 corner, first, second;
    uniform float spacing;
    out vec2 place;
    void main() {
      vec2 part = vec2(gl_VertexID & 1, gl_VertexID >> 1);
      gl_Position = matrix * vec4(corner + part.x * first + part.y * second, 1.0);
      place = part * vec2(length(first), length(second)) / spacing;
    }`,
  fragment: `#version 300 es
    precision highp float;
    in vec2 place;
    out vec4 colour;
    void main() {
      vec2 width = fwidth(place);
      vec2 off = abs(fract(place + 0.5) - 0.5) / width;
      float line = (1.0 - min(min(off.x, off.y), 1.0)) * clamp(0.25 / max(width.x, width.y), 0.0, 1.0);
      colour = vec4(mix(vec3(0.87, 0.885, 0.91), vec3(0.7, 0.72, 0.76), line), 1.0);
    }`,
};

// A flat arrow from a node along its force: two triangles of the shaft, one of the head.
const ARROW = {
  vertex: `#version 300 es
    uniform mat4 matrix;
    uniform float metres;
    uniform vec2 pixel;
    uniform float width;
    layout(location = 0) in vec3 base;
    layout(location = 1) in vec3 force;
    layout(location = 2) in float number;
    const vec2 corners[9] = vec2[9](vec2(0, -1), vec2(0, 1), vec2(1, 1), vec2(0, -1), vec2(1, 1), vec2(1, -1),
      vec2(1, -3), vec2(1, 3), vec2(2, 0));
    void main() {
      vec4 a = matrix * vec4(base, 1.0), b = matrix * vec4(base + metres * force, 1.0);
      vec2 along = (b.xy / b.w - a.xy / a.w) / pixel;
      float far = length(along);
      along = far > 0.0 ? along / far : vec2(0.0, 1.0);
      vec2 corner = corners[int(number)];
      float neck = max(far - 5.0 * width, 0.4 * far);
      float reach = corner.x < 0.5 ? 0.0 : corner.x < 1.5 ? neck : far;
      float thick = min(width, 0.25 * far) * corner.y * 0.5;
      vec2 moved = (along * reach + vec2(-along.y, along.x) * thick) * pixel;
      float part = far > 0.0 ? reach / far : 0.0;
      float w = mix(a.w, b.w, part);
      gl_Position = vec4((a.xy / a.w + moved) * w, mix(a.z / a.w, b.z / b.w, part) * w, w);
    }`,
  fragment: `#version 300 es
    precision mediump float;
    uniform float opacity;
    out vec4 colour;
    void main() { colour = vec4(0.74, 0.06, 0.2, opacity); }`,
};

// A piece of a link or rope: a strip that faces the eye, lit as a cylinder.
const ROPE = {
  vertex: `#version 300 es
    uniform mat4 matrix;
    uniform vec3 eye;
    uniform float nearer;
    uniform vec2 pixel;
    uniform float width;
    layout(location = 0) in vec3 begin;
    layout(location = 1) in vec3 end;
    layout(location = 2) in float number;
    const vec2 corners[6] = vec2[6](vec2(0, -1), vec2(1, -1), vec2(1, 1), vec2(0, -1), vec2(1, 1), vec2(0, 1));
    out float across;
    void main() {
      // Half a width nearer to the eye, so that it is in front of a surface that it lies on.
      vec4 a = matrix * vec4(mix(begin, eye, nearer), 1.0), b = matrix * vec4(mix(end, eye, nearer), 1.0);
      vec2 along = (b.xy / b.w - a.xy / a.w) / pixel;
      float far = length(along);
      along = far > 0.0 ? along / far : vec2(0.0, 1.0);
      vec2 corner = corners[int(number)];
      vec4 at = corner.x < 0.5 ? a : b;
      // Half a width longer at both ends, so that neighbours overlap.
      vec2 moved = 0.5 * width * (along * (2.0 * corner.x - 1.0) + vec2(-along.y, along.x) * corner.y);
      gl_Position = vec4(at.xy + moved * pixel * at.w, at.zw);
      across = corner.y;
    }`,
  fragment: `#version 300 es
    precision mediump float;
    in float across;
    out vec4 colour;
    void main() {
      float lit = 0.6 + 0.4 * sqrt(max(1.0 - across * across, 0.0));
      colour = vec4(vec3(0.188, 0.196, 0.227) * lit, 1.0);
    }`,
};
