// The time of the film while it plays.

// Simulated seconds per second that can be chosen.
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

// Duration that the first speed aims at (s).
const AIM = 6;

class Clock {
  constructor(times) {
    this.begin = times[0];
    this.end = times[times.length - 1];
    this.time = this.begin;
    this.playing = false;
    const aim = (this.end - this.begin) / AIM;
    const off = (speed) => Math.abs(Math.log(speed / (aim || 1)));
    this.speed = SPEEDS.reduce((best, speed) => (off(speed) < off(best) ? speed : best));
  }

  play(now) {
    if (this.time >= this.end) this.time = this.begin;
    this.playing = true;
    this.now = now;
  }

  pause() {
    this.playing = false;
  }

  // The time at `now` (ms); stops at the end.
  tick(now) {
    if (!this.playing) return;
    this.time = Math.min(this.end, this.time + ((now - this.now) / 1000) * this.speed);
    this.now = now;
    if (this.time >= this.end) this.playing = false;
  }
}
