// Scales of colours: viridis from small to large, light to dark from nothing to much, blue to red around a middle.

const VIRIDIS = ["#440154", "#482878", "#3e4a89", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6dcd59", "#b4de2c",
  "#fde725"];
const HEAT = ["#ece9e2", "#f6d38a", "#f2a04e", "#dd5f32", "#a92a22", "#5e0f1a"];
const DIVERGING = ["#2c4fa3", "#5f8dc9", "#a6c6e2", "#f0f0ee", "#f3b49c", "#d9694f", "#a81f2f"];

// Colours of lines in plots, one after another.
const LINES = ["#2f6fb3", "#d1632a", "#2a8f5b", "#8b5fbf"];

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

// The scale as 256 pixels.
function pixels(scale) {
  const stops = scale.map(channels);
  const bytes = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) {
    const place = (i / 255) * (stops.length - 1);
    const below = Math.min(Math.floor(place), stops.length - 2);
    for (let k = 0; k < 3; k++) {
      bytes[4 * i + k] = stops[below][k] + (place - below) * (stops[below + 1][k] - stops[below][k]);
    }
    bytes[4 * i + 3] = 255;
  }
  return bytes;
}

// Hue of a body in degrees: neighbours in the list differ by the golden angle.
const hueOf = (body) => (210 + body * 137.508) % 360;

// The ways to colour a film: values of the vertices, name with unit, scale, and the values at its ends.
function colourings(film) {
  const { stress, force, deviation, elements } = film.about;
  const ways = { body: { name: "body" } };
  const rising = (name, unit, scale, [end, most]) => (
    { name, unit, scale, range: [0, end], open: [false, most > end] });
  if (elements) ways.stress = rising("von Mises stress", "Pa", VIRIDIS, stress);
  ways.force = rising("contact force", "N", HEAT, force);
  if (elements) {
    const [end, most] = deviation;
    const open = [most > end, most > end];
    ways.ratio = { name: "volume ratio", unit: "", scale: DIVERGING, range: [1 - end, 1 + end], open };
  }
  return ways;
}
