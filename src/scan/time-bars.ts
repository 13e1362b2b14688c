import type { Histogram } from './scan-report.ts';

/** Bars that are kept at most; a longer time makes them wider. */
const mostBars = 240;

/** Counts over a time that nobody knows beforehand, in bounded memory. */
export class TimeBars {
  #seconds = 1;
  #bars = new Map<number, number>();
  #low = Number.POSITIVE_INFINITY;
  #high = Number.NEGATIVE_INFINITY;

  add(at: number, times: number): void {
    this.#low = Math.min(this.#low, at);
    this.#high = Math.max(this.#high, at);
    while ((this.#high - this.#low) / (this.#seconds * 1000) >= mostBars) this.#widen();
    const bar = Math.floor(at / (this.#seconds * 1000));
    this.#bars.set(bar, (this.#bars.get(bar) ?? 0) + times);
  }

  #widen(): void {
    const wider = new Map<number, number>();
    for (const [bar, count] of this.#bars) {
      const half = Math.floor(bar / 2);
      wider.set(half, (wider.get(half) ?? 0) + count);
    }
    this.#bars = wider;
    this.#seconds *= 2;
  }

  /** With at most `bars` bars; undefined when nothing was added. */
  histogram(bars = 60): Histogram | undefined {
    if (this.#bars.size === 0) return undefined;
    while ((this.#high - this.#low) / (this.#seconds * 1000) >= bars - 1) this.#widen();
    const width = this.#seconds * 1000;
    const first = Math.floor(this.#low / width);
    const last = Math.floor(this.#high / width);
    return {
      start: new Date(first * width).toISOString(),
      seconds: this.#seconds,
      counts: Array.from({ length: last - first + 1 }, (_, index) => this.#bars.get(first + index) ?? 0),
    };
  }
}
