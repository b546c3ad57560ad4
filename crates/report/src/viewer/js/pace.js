// Sharpness for speed: while pictures follow each other too slowly, they get fewer pixels.

// Time between two pictures that is aimed at (ms). With 15 % more, from where on pixels are given up, thirty pictures
// a second are just held.
const AIM_PACE = 28;

// Time without a picture after which the last one is drawn sharply (ms).
const REST = 250;

// Pixels per pixel of the screen and side: at rest, where the average of four makes edges smooth, and at least.
const SHARP = 2;
const LEAST = 0.35;

class Pace {
  // `again` asks for one more picture.
  constructor(again) {
    this.again = again;
    this.scale = 1;
    this.resting = false;
    // Whether the last picture was drawn at rest.
    this.sharp = false;
    this.mean = AIM_PACE;
  }

  // Pixels of the picture per pixel of the page.
  ratio() {
    const screen = window.devicePixelRatio;
    return this.resting ? Math.max(screen, SHARP) : screen * this.scale;
  }

  // Prepares for a picture.
  begin() {
    if (this.resting) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.resting = true;
      this.again();
    }, REST);
  }

  // Notes that a picture is finished.
  end() {
    this.sharp = this.resting;
    this.resting = false;
  }

  // Notes the time (ms) from the begin of a picture to the moment when the page is ready for the next one. A film with
  // few frames a second is slow for another reason, which has no part in it.
  note(duration) {
    this.mean += 0.25 * (duration - this.mean);
    if (this.mean > 1.15 * AIM_PACE) this.change(0.8);
    else if (this.mean < 0.7 * AIM_PACE) this.change(1.06);
  }

  change(factor) {
    const scale = Math.max(LEAST, Math.min(1, this.scale * factor));
    if (scale === this.scale) return;
    this.scale = scale;
    // The next pictures show whether it is enough.
    this.mean = AIM_PACE;
  }
}
